"""Text as ECMAScript has it: order by UTF-16 unit, slices by code point, JSON of values.

A text is kept as Python has it, by code point; halves of surrogate pairs that an
expression splits off stay single and become one again where they meet.
"""

from __future__ import annotations

import re
from typing import Any, Final

from strands_plan_tool.values.budget import (
    MAX_NESTING,
    MAX_TEXT,
    State,
    made_text,
    nests_too_deep,
    spend,
    text_too_long,
)
from strands_plan_tool.values.doubles import (
    EXACT_LIMIT,
    Number,
    double,
    is_number,
    number_to_text,
    rounded_to_15_digits,
)
from strands_plan_tool.values.plain import is_well_formed, json_string

__all__ = [
    "WRITING",
    "concat",
    "from_units",
    "precedes",
    "shown",
    "sort_key",
    "to_units",
    "written",
]

_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_DIGITS_OF_A_DOUBLE: Final = 15
WRITING: Final = 2
"""The steps for each character of the text that is made of what is no text."""
_CONTAINERS: Final = (dict, list)
# What is no digit that counts, in the text of a number.
_MARKS: Final = re.compile(r"^-?[0.]*|\.")


def concat(first: str, second: str) -> str:
    """Two texts as one; halves of a surrogate pair that meet become one character."""
    if _PAIR.match(first[-1:] + second[:1]):
        return first[:-1] + from_units(first[-1] + second[0]) + second[1:]
    return first + second


def to_units(text: str) -> str:
    """A text with each UTF-16 unit as a character of its own."""
    if text.isascii() or not _ASTRAL.search(text):
        return text
    return "".join(char if char <= "\uffff" else _halves(ord(char) - 0x10000) for char in text)


def _halves(offset: int) -> str:
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def from_units(units: str) -> str:
    """The text of which ``units`` are the UTF-16 units."""
    if is_well_formed(units):
        return units
    return _PAIR.sub(lambda pair: _whole(*pair[0]), units)


def _whole(high: str, low: str) -> str:
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + ord(low) - 0xDC00)


def precedes(first: str, second: str) -> bool:
    """Whether a text stands before another in the order of UTF-16 units."""
    if first.isascii() or second.isascii():
        return first < second
    return sort_key(first) < sort_key(second)


def sort_key(text: str) -> bytes:
    """What compares as the text does in the order of UTF-16 units."""
    return text.encode("utf-16-be", "surrogatepass")


def written(state: State, value: Any, indent: int = 0) -> str:
    """``shown``, with what writing a value takes that is no text: 2 for each character."""
    if isinstance(value, str):
        return value
    text = shown(value, indent)
    spend(state, WRITING * len(text))
    return text


def shown(value: Any, indent: int = 0) -> str:
    """A value as ``$string`` shows it: a text as it is, all else as JSON.

    Args:
        value: Any value but nothing; its depth was found to be within bounds.
        indent: Spaces for each level; 0 puts all on one line.

    Raises:
        EvaluationError: The text becomes too long.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, _CONTAINERS):
        return _scalar(value)
    writer = _Writer(indent)
    writer.write(value, 1)
    return made_text("".join(writer.parts))


class _Writer:
    """Writes JSON part by part, and stops once it is too long."""

    __slots__ = ("_indent", "_room", "parts")

    def __init__(self, indent: int) -> None:
        self.parts: list[str] = []
        self._indent = indent
        self._room = MAX_TEXT

    def _put(self, text: str) -> None:
        self._room -= len(text)
        if self._room < 0:
            raise text_too_long()
        self.parts.append(text)

    def write(self, value: Any, depth: int) -> None:
        if isinstance(value, str):
            self._put(json_string(value))
        elif isinstance(value, list):
            self._all("[", value, "]", depth)
        elif isinstance(value, dict):
            self._all("{", value, "}", depth)
        else:
            self._put(_scalar(value))

    def _all(self, opening: str, values: Any, closing: str, depth: int) -> None:
        if depth > MAX_NESTING:
            raise nests_too_deep()
        line = "\n" + " " * (self._indent * depth) if self._indent else ""
        before = opening + line
        for item in values:
            self._put(before)
            before = "," + line
            if isinstance(values, dict):
                self._put(json_string(item) + (": " if self._indent else ":"))
                self.write(values[item], depth + 1)
            else:
                self.write(item, depth + 1)
        if not values:
            self._put(opening + closing)
        else:
            self._put((line[: -self._indent] if line else "") + closing)


def _scalar(value: Any) -> str:
    """The JSON of null, a boolean or a number; what is nothing in a list is null."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    return _number(value) if is_number(value) else "null"


def _number(value: Number) -> str:
    value = double(value)
    if isinstance(value, int):
        return int.__repr__(value)
    text = number_to_text(value)
    if len(text) <= _DIGITS_OF_A_DOUBLE or abs(value) >= EXACT_LIMIT:
        return text
    if len(_MARKS.sub("", text.partition("e")[0])) <= _DIGITS_OF_A_DOUBLE:
        return text
    return number_to_text(rounded_to_15_digits(value))
