"""What becomes of each case: passed, known to differ, or one of the ways to fail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import jsontext
from harness.compare import seen_and_expected
from harness.engine import Engine, Fault
from harness.suite import Case

__all__ = ["Outcome", "Unmatched", "agreement", "run_suite", "unmatched"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case ended in one engine.

    Attributes:
        status: ``passed``; ``known`` for a failure that is listed as it is; ``different``;
            ``stale`` for a listed case that passes; ``changed`` for one that fails in
            another way than listed; or the status of a fault.
        answer: The engine's whole answer, if it gave one.
        seen: What it comes to, in the words of the expectation.
        detail: What else there is to say.
    """

    case: Case
    engine: str
    status: str
    answer: Mapping[str, Any] | None
    seen: Any
    expected: Any
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether it counts as a failure."""
        return self.status not in ("passed", "known")


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An entry of known failures that is about no case: a failure of its own."""

    engine: str
    match: str


Known = Sequence[Mapping[str, Any]]


def run_suite(engine: Engine, cases: Iterable[Case], known: Known) -> list[Outcome]:
    """Put every case to an engine.

    Args:
        known: The entries of its file of known failures.
    """
    listed = [(_pattern(entry["match"]), entry) for entry in known]
    outcomes = []
    for seq, case in enumerate(cases, start=1):
        plain = _outcome(engine.name, case, engine.ask(case.command(seq)))
        entry = next((entry for match, entry in listed if match.fullmatch(case.id)), None)
        outcomes.append(plain if entry is None else _held_to(plain, entry))
    return outcomes


def unmatched(engine: str, cases: Iterable[Case], known: Known) -> list[Unmatched]:
    """The entries of known failures whose pattern is that of no case."""
    ids = [case.id for case in cases]
    return [
        Unmatched(engine, entry["match"])
        for entry in known
        if not any(map(_pattern(entry["match"]).fullmatch, ids))
    ]


def _pattern(match: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, match.split("*"))))


def _outcome(name: str, case: Case, answer: Mapping[str, Any] | Fault) -> Outcome:
    if isinstance(answer, Fault):
        seen = {"status": answer.status}
        return Outcome(case, name, answer.status, None, seen, case.expect, answer.detail)
    seen, expected = seen_and_expected(case, answer)
    status = "passed" if jsontext.equal(seen, expected) else "different"
    return Outcome(case, name, status, answer, seen, expected)


def _held_to(outcome: Outcome, entry: Mapping[str, Any]) -> Outcome:
    """An outcome once it is held to what is known of its case."""
    if outcome.status == "passed":
        status = "stale"
    else:
        status = "known" if jsontext.equal(outcome.seen, entry["actual"]) else "changed"
    detail = f"known: {entry['reason']}\n{outcome.detail}".strip()
    return Outcome(outcome.case, outcome.engine, status, outcome.answer, outcome.seen,
                   outcome.expected, detail)  # fmt: skip


def agreement(one: Outcome, other: Outcome) -> str | None:
    """What two engines answer unlike each other to a case, texts included; None if nothing.

    A case that is known to differ in either, or got no answer, is told of elsewhere.
    """
    if one.answer is None or other.answer is None or "known" in (one.status, other.status):
        return None
    keys = [*one.answer, *(key for key in other.answer if key not in one.answer)]
    for key in keys:
        if key == "seq":
            continue
        if (key in one.answer) != (key in other.answer):
            return key
        if found := _unlike(one.answer[key], other.answer[key], key):
            return found
    values = (("result", "returned"), ("result", "output"), ("checkpoints",), ("memory",))
    for place in (("value",), *values):
        mine, theirs = _at(one.answer, place), _at(other.answer, place)
        if not jsontext.in_same_order(mine, theirs):
            return f"{'.'.join(place)}: the order of its members"
    return None


def _unlike(one: Any, other: Any, place: str) -> str | None:
    """The first place in which two values differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        parts: Iterable[Any] = one
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = range(len(one))
    else:
        return None if jsontext.equal(one, other) else place
    found = (_unlike(one[part], other[part], f"{place}.{part}") for part in parts)
    return next(filter(None, found), None)


def _at(answer: Mapping[str, Any], place: tuple[str, ...]) -> Any:
    value: Any = answer
    for part in place:
        value = value.get(part) if isinstance(value, dict) else None
    return value
