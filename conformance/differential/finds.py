"""A find: what it is, and how it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from differences import Answer, read
from ready import FILE, Commands, case_of, run_again
from shrinking import Command

__all__ = ["Commands", "Find", "is_an_answer", "ready_case", "told"]


@dataclass(frozen=True, slots=True)
class Find:
    """A command that two engines, or an engine and the reference, answer unlike each other.

    Attributes:
        what: The kind of trial.
        place: Where the answers differ.
        answers: The engines' lines, by name.
        reference: The reference's answer, where it was asked.
    """

    what: str
    command: Command
    place: str
    answers: dict[str, bytes | str]
    reference: Any = None

    @property
    def answered(self) -> bool:
        """Whether every engine answered, and none told of a fault of its own."""
        return all(map(is_an_answer, map(read, self.answers.values())))


def is_an_answer(answer: Answer | None) -> bool:
    """Whether an engine answered, and not that it went wrong itself."""
    return answer is not None and "errored" not in answer


def ready_case(find: Find) -> dict[str, Any]:
    """The find as a case for ``conformance/cases``.

    It expects what the first engine says, or what the other does if that one has no answer.
    """
    answers = list(map(read, find.answers.values()))
    return case_of(find.command, next(filter(is_an_answer, answers), None))


def told(find: Find, engines: Commands) -> str:
    """What is printed of a find; its case has been run again."""
    case = ready_case(find)
    lines = [f"FOUND {find.what}: {find.place}", f"  {json.dumps(case)}"]
    for name, line in find.answers.items():
        shown = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
        lines.append(f"  {name}: {shown.strip()[:1500]}")
    if find.reference is not None:
        lines.append(f"  reference: {json.dumps(find.reference)[:500]}")
    lines.append(f"  as a case of cases/{FILE}.json: {run_again(case, engines)}")
    return "\n".join(lines)
