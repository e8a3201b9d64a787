"""All that one run of the harness found, and how it is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.suite import Case
from harness.verdicts import Outcome, Unmatched, agreement

__all__ = ["Check", "Results"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that passes or fails.

    Attributes:
        group: An engine's name; ``alike`` for a comparison of two; ``suite`` for a rule of
            the suite itself.
        name: The case or the rule.
        status: ``passed``, ``known``, or a way to fail.
        detail: What there is to say of a failure.
    """

    group: str
    name: str
    status: str
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Whether it counts as a failure."""
        return self.status not in ("passed", "known")


@dataclass(slots=True)
class Results:
    """All outcomes.

    Attributes:
        lint: What breaks each rule of the suite.
        about: What each engine says of itself, by its name.
        outcomes: How each case ended, by engine, in the order of the cases.
        unmatched: Entries of known failures that are about no case.
    """

    lint: Mapping[str, list[str]]
    about: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    unmatched: list[Unmatched] = field(default_factory=list)

    def checks(self) -> Iterator[Check]:
        """Everything that is counted, in order."""
        for rule, problems in self.lint.items():
            yield Check("suite", rule, "broken" if problems else "passed", "\n".join(problems))
        for engine, outcomes in self.outcomes.items():
            yield from (Check(engine, one.case.id, one.status, one.detail) for one in outcomes)
            for entry in self.unmatched:
                if entry.engine == engine:
                    told = "no case is matched by this pattern of the known failures"
                    yield Check(engine, entry.match, "unmatched", told)
        for case, unlike in self.differences():
            status = "passed" if unlike is None else "unlike"
            yield Check("alike", case.id, status, unlike or "")

    def differences(self) -> Iterator[tuple[Case, str | None]]:
        """Each case with the place in which two engines answer unlike each other."""
        first, *others = self.outcomes.values()
        for at, outcome in enumerate(first):
            if others:
                found = (agreement(outcome, other[at]) for other in others)
                yield outcome.case, next(filter(None, found), None)

    def counts(self) -> dict[str, tuple[int, int, int]]:
        """How many passed, failed and are known to fail, by group."""
        counted: dict[str, list[int]] = {}
        for check in self.checks():
            row = counted.setdefault(check.group, [0, 0, 0])
            row[1 if check.failed else 2 if check.status == "known" else 0] += 1
        return {group: (row[0], row[1], row[2]) for group, row in counted.items()}
