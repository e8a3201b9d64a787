"""What ``$replace`` puts in place of a match: a text with ``$1``, ``$0`` and ``$$`` in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from strands_plan_tool.functions.pattern_search import Match
from strands_plan_tool.functions.pattern_sets import SPACE
from strands_plan_tool.values.budget import MAX_TEXT, text_too_long

__all__ = ["Replacement"]

_SPACES: Final = "".join(chr(code) for low, high in SPACE for code in range(low, high + 1))


class Replacement:
    """A replacement, read once for all matches of a pattern.

    Args:
        source: As written.
        groups: How many groups with a number the pattern has.

    Attributes:
        uses_groups: Whether it puts in what a group holds.
        constant: What takes the place of every match, if that is always the same.
    """

    def __init__(self, source: str, groups: int) -> None:
        self._parts = _joined(_parts(source, groups))
        held = [part for part in self._parts if isinstance(part, int)]
        self._held = Counter(held)
        self._own = sum(len(part) for part in self._parts if isinstance(part, str))
        self.uses_groups = any(held)
        self.constant = None if held else "".join(map(str, self._parts))

    @property
    def parts(self) -> int:
        """Of how many pieces what it makes is put together."""
        return len(self._parts)

    def text(self, match: Match) -> str:
        """What takes the place of a match.

        Raises:
            EvaluationError: It is longer than a text may be.
        """
        held = {group: _text_of(match, group) for group in self._held}
        length = self._own + sum(len(held[at]) * times for at, times in self._held.items())
        if length > MAX_TEXT:
            raise text_too_long()
        return "".join(part if isinstance(part, str) else held[part] for part in self._parts)


def _text_of(match: Match, group: int) -> str:
    return match.text if group == 0 else match.groups[group - 1] or ""


def _joined(parts: Iterator[str | int]) -> list[str | int]:
    joined: list[str | int] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _parts(source: str, groups: int) -> Iterator[str | int]:
    """Texts, and the numbers of groups; 0 is the whole match."""
    at = 0
    while (dollar := source.find("$", at)) >= 0:
        yield source[at:dollar]
        at = dollar + 1
        after = source[at : at + 1]
        if after == "$":
            yield "$"
            at += 1
        elif after == "0":
            yield 0
            at += 1
        else:
            group, length = _number(source, at, groups)
            if group is None:
                yield "$"
            elif 1 <= group <= groups:
                yield group
            at += length
    yield source[at:]


def _number(source: str, at: int, groups: int) -> tuple[int | None, int]:
    """The number of a group after a ``$``, and how far to go on; None if there is none.

    It has as many digits as the number of groups has, or one less if that is too large.
    """
    digits = len(str(groups))
    number = _parsed(source[at : at + digits])
    if digits > 1 and number is not None and number > groups:
        number = _parsed(source[at : at + digits - 1])
    return number, 0 if number is None else len(str(number))


def _parsed(text: str) -> int | None:
    """A whole number as ``parseInt`` reads it: blanks and a sign may come first."""
    text = text.lstrip(_SPACES)
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if text.startswith(("-", "+")) else text
    length = 0
    while length < len(digits) and "0" <= digits[length] <= "9":
        length += 1
    return sign * int(digits[:length]) if length else None
