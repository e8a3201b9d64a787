"""What every check of an expression speaks in: where it stands, what is wrong, the edit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as stored
from typing import Final, Literal, TypeAlias

from strands_plan_tool.diagnostics import Speller

__all__ = ["Edit", "Fault", "Field", "Problem", "Scope", "edited", "shown"]

Field: TypeAlias = Literal["bind", "when", "for_each", "output"]

_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may name, and where in a plan it stands.

    Attributes:
        ids: The ids of the plan's steps.
        field: The field that holds the expression.
        has_item: Whether ``item`` and ``index`` are there: in ``bind`` under ``for_each``.
        inputs: The names that the host passed as ``input``; None accepts any.
    """

    ids: tuple[str, ...]
    field: Field = "bind"
    has_item: bool = False
    inputs: tuple[str, ...] | None = None
    _speller: list[Speller] = stored(
        default_factory=list, init=False, repr=False, compare=False
    )

    def closest_id(self, name: str) -> str | None:
        """The step's id that was probably meant by a name."""
        if not self._speller:
            self._speller.append(Speller(self.ids))
        return self._speller[0].closest(name)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an expression cannot run: a code of the closed list, what, the edit, and where.

    Attributes:
        position: In code points from 0.
    """

    code: str
    message: str
    hint: str
    position: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces ``text[start:end]``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem in the making: its hint gains the whole text with every edit made."""

    code: str
    position: int
    message: str
    hint: str
    edits: tuple[Edit, ...] = ()


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; of two that overlap, the one that starts first.

    Of those that start at one place what is put before it comes first, then the longest.
    What closes something before it comes ahead of what opens something there, and of two
    that open something the later one, which stands further out.
    """
    parts = []
    at = 0
    numbered = sorted(enumerate(edits), key=_place)
    for _, edit in numbered:
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join(parts) + text[at:]


def _place(numbered: tuple[int, Edit]) -> tuple[int, bool, int, int, int]:
    number, edit = numbered
    if edit.end > edit.start:
        return edit.start, True, -edit.end, 0, 0
    opens = edit.text.endswith("(")
    closes = edit.text.endswith(")") and "(" not in edit.text
    rank = 0 if closes else 1 if opens else 2
    return edit.start, False, rank, -number if opens else number, 0


def shown(text: str) -> str:
    """A piece of an expression for a message, cut to 40 code points."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
