"""Plain JSON as it is held and goes out, and the difference between nothing and null."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import Any, Final, final

from strands_plan_tool.diagnostics import SURROGATE
from strands_plan_tool.recursion import room_for
from strands_plan_tool.values.doubles import WideInteger, number_to_text, tidy

__all__ = [
    "CALLS_THROUGH",
    "MAX_NESTING",
    "NOTHING",
    "Nothing",
    "copy_out",
    "is_well_formed",
    "json_size",
    "json_string",
    "number_to_text",
    "to_json_text",
    "well_formed",
]

MAX_NESTING: Final = 64
"""Containers that may stand in one another."""

CALLS_THROUGH: Final = 4 * MAX_NESTING
"""Calls that going through a value takes at the most: for each level an item and its own."""

_NUMBER_OR_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.]*(?:e[+-]?[0-9]+)?')


@final
class Nothing:
    """The type of ``NOTHING``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING: Final = Nothing()
"""What an expression gives that matches nothing; unlike ``None``, which is JSON's null."""


def is_well_formed(text: str) -> bool:
    """Whether a text is free of lone surrogates."""
    return text.isascii() or SURROGATE.search(text) is None


def well_formed(text: str) -> str:
    """A text that JSON can carry: halves of a character joined, a lone one replaced."""
    if is_well_formed(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def copy_out(value: Any) -> Any:
    """A deep copy of stored JSON, of plain types only, for whoever may change it."""
    try:
        return _copied(value)
    except RecursionError:
        with room_for(CALLS_THROUGH):
            return _copied(value)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _copied(member) if isinstance(member, _DEEP) else member
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [_copied(item) if isinstance(item, _DEEP) else item for item in value]
    return int(value) if type(value) is WideInteger else value


_DEEP: Final = (dict, list, WideInteger)


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), check_circular=False
)


def to_json_text(value: Any) -> str:
    """Compact JSON as ``JSON.stringify`` writes it, integers with all their digits.

    Args:
        value: Plain JSON.
    """
    try:
        text = _ENCODER.encode(value)
    except RecursionError:
        with room_for(CALLS_THROUGH):
            text = _ENCODER.encode(value)
    # Python writes `1e+16`, `1e-05` and `1.0` where ECMAScript has other texts.
    if "e+" in text or "e-" in text or ".0" in text:
        return _NUMBER_OR_STRING.sub(_as_ecmascript, text)
    return text


def _as_ecmascript(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == '"' or ("." not in text and "e" not in text):
        return text
    return number_to_text(tidy(float(text)))


def json_size(value: Any) -> int:
    """The bytes of a value as compact JSON in UTF-8."""
    text = to_json_text(value)
    return len(text) if text.isascii() else len(text.encode())


def json_string(text: str) -> str:
    """A text as JSON writes it, quotes and all; a lone surrogate is escaped."""
    quoted = encode_basestring(text)
    if is_well_formed(quoted):
        return quoted
    return SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
