"""A find: made smaller, printed as a ready case, and run again in fresh engines."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from differences import read

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.compare import seen_and_expected
from harness.engine import Engine
from harness.suite import Case
from harness.verdicts import agreement, run_suite

__all__ = ["Commands", "Find", "ready_case", "shrunk", "told"]

Command = dict[str, Any]
Commands = Sequence[tuple[str, Sequence[str]]]
"""The engines: the name of each, and the command that starts it."""

# What of a command is input that may be made smaller.
_INPUTS: Final = ("plan", "plan_text", "tools", "policy", "input", "steps", "root", "item",
                  "expression")  # fmt: skip
_ROUNDS: Final = 80
_AT_ONCE: Final = 100
_ABOUT: Final = {"cmd", "seq"}


@dataclass(frozen=True, slots=True)
class Find:
    """A command that two engines, or an engine and the reference, answer unlike each other.

    Attributes:
        what: The kind of trial, and its seed.
        place: Where the answers differ.
        answers: The engines' lines, by name.
        reference: The reference's answer, where it was asked.
    """

    what: str
    command: Command
    place: str
    answers: dict[str, bytes | str]
    reference: Any = None


def shrunk(command: Command, differ: Callable[[list[Command]], list[bool]]) -> Command:
    """A smaller command that the engines still answer unlike each other.

    Args:
        differ: Whether they do, for several commands at once.
    """
    for _ in range(_ROUNDS):
        smaller = list(_smaller(command))
        for at in range(0, len(smaller), _AT_ONCE):
            some = smaller[at : at + _AT_ONCE]
            found = next(
                (one for one, yes in zip(some, differ(some), strict=True) if yes), None
            )
            if found is not None:
                command = found
                break
        else:
            return command
    return command


def _smaller(command: Command) -> Iterator[Command]:
    """The command without each part in turn, larger parts first."""
    for name in ("cancel_at_ms", "run_id", "index", *_INPUTS):
        if name in command and name not in ("plan", "expression", "root", "plan_text"):
            yield {key: value for key, value in command.items() if key != name}
    inputs = {name: command[name] for name in _INPUTS if name in command}
    for path in sorted(_paths(inputs), key=len):
        value = _at(inputs, path)
        for other in _instead(value):
            yield {**command, **_with(inputs, path, other)}
        if len(path) > 1:
            yield {**command, **_with(inputs, path, None, remove=True)}


def _instead(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        # Halves, quarters and so on down to single characters are left out.
        size = len(value) // 2
        while size:
            for at in range(0, len(value), size):
                yield value[:at] + value[at + size :]
            size //= 2
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float) and value not in (0, 1):
        yield from (0, 1)


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield (key,)
        if isinstance(value[key], dict | list):
            yield from ((key, *below) for below in _paths(value[key]))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _with(inputs: Any, path: tuple[Any, ...], other: Any, *, remove: bool = False) -> Any:
    made = copy.deepcopy(inputs)
    holder = _at(made, path[:-1])
    if remove:
        del holder[path[-1]]
    else:
        holder[path[-1]] = other
    return made


def ready_case(find: Find) -> Command:
    """The find as a case for ``conformance/cases``; its expectation is the first answer."""
    given = {key: value for key, value in find.command.items() if key not in _ABOUT}
    kind = find.command["cmd"]
    raw = {
        "id": "regressions/found-by-chance/name-it",
        "description": "Says what happens.",
        **given,
    }
    answer = read(next(iter(find.answers.values())))
    if answer is None or "errored" in answer:
        return raw | {"expect": {}}
    if "diagnostics" in answer and kind == "run":
        kind = "validate"
        answer = {"diagnostics": answer["diagnostics"]}
    if kind == "run":
        parts = ("result", "cancelled", "calls", "timeline")
        return raw | {"expect": {key: answer[key] for key in parts if key in answer}}
    if answer.get("diagnostics"):
        answer = {"diagnostics": answer["diagnostics"]}
        places = [{"code": row["code"], "path": row["path"]} for row in answer["diagnostics"]]
        return raw | {"expect": {"diagnostics": places}}
    expect = {key: value for key, value in answer.items() if key != "seq"}
    case = Case("", "", "", kind, given, expect)
    return raw | {"expect": seen_and_expected(case, answer)[0]}


def told(find: Find, engines: Commands) -> str:
    """What is printed of a find; its case has been run again."""
    case = ready_case(find)
    lines = [f"FOUND {find.what}: {find.place}", f"  {json.dumps(case)}"]
    for name, line in find.answers.items():
        shown = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        lines.append(f"  {name}: {shown.strip()[:1500]}")
    if find.reference is not None:
        lines.append(f"  reference: {json.dumps(find.reference)[:500]}")
    lines.append(f"  run again: {_again(find, case, engines)}")
    return "\n".join(lines)


def _again(find: Find, raw: Command, engines: Commands) -> str:
    given = {key: value for key, value in find.command.items() if key not in _ABOUT}
    case = Case(raw["id"], raw["description"], "", find.command["cmd"], given, raw["expect"])
    outcomes = []
    for name, command in engines:
        with Engine(name, command) as engine:
            outcomes += run_suite(engine, [case], [])
    faults = [f"{one.engine} {one.status}" for one in outcomes if one.answer is None]
    return "; ".join(faults) or agreement(*outcomes) or "both engines answer alike"
