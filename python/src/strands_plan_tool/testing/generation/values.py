"""JSON values as tools may return them, and what they are made of."""

from __future__ import annotations

from typing import Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices

__all__ = ["FORMS", "NAMES", "NUMBERS", "TEXTS", "any_value"]

TEXTS: Final = (
    *("a", "", "b", "abc", "x y", "A", "open", "10", "9", "-3", "12.5", "true", "null", "é"),
    *("😀", "～", "a,b,,c", "  t ", "line\nbreak", 'quote"s', "back\\slash", "2024-02-29"),
    *("2023-01-05T07:08:09.5+02:00", "YWJj", "%C3%A9", "a&b=c/d", "aXbXc", "ß", "e\u0301"),
    *("\u2028", "\x00", "\x7f", "constructor", "long " * 40),
)
NUMBERS: Final = (
    *(0, 1, 2, 3, -1, 10, 7, 100, 0.5, -0.5, 1.5, 2.5, 0.1, 0.30000000000000004, -7),
    *(1.5e-7, 123456789.125, 3.14159, 1700000000000, 2**53 - 1, -(2**53 - 1), 5e-324),
)
# Names that a language might take for something of its own are names like others.
NAMES: Final = (
    *("a", "b", "n", "id", "name", "items", "x y", "é", "1", "10", "2", "length", "count"),
    *("constructor", "toString", "valueOf", "hasOwnProperty", "keys", "and", "steps", ""),
)
_MOST_ITEMS: Final = 4
FORMS: Final = {
    "date": ("2024-02-29", "1999-12-31"),
    "time": ("00:00:00Z", "23:59:59.5Z"),
    "date-time": ("2024-02-29T00:00:00Z", "2023-01-05T07:08:09.5+02:00"),
    "duration": ("P1D", "PT0.5S"),
    "email": ("a@example.com", "b.c@example.org"),
    "hostname": ("example.com", "a.example.org"),
    "ipv4": ("127.0.0.1", "10.0.0.255"),
    "ipv6": ("::1", "2001:db8::1"),
    "uri": ("https://example.com", "https://example.com/a?b=1#c"),
    "uuid": ("00000000-0000-4000-8000-000000000000", "9b2f2c4e-6f0a-4d0e-8f57-0a1b2c3d4e5f"),
}
"""Texts of the common formats."""


def any_value(choices: Choices, depth: int = 3) -> JsonValue:
    """Any JSON value that a tool might return, a few containers deep at most."""
    kind = choices.below(10 if depth > 0 else 6)
    if kind < 2:
        return choices.pick(NUMBERS)
    if kind < 4:
        return choices.pick(TEXTS)
    if kind < 6:
        return choices.pick((None, True, False))
    count = choices.below(_MOST_ITEMS)
    if kind < 8:
        return [any_value(choices, depth - 1) for _ in range(count)]
    return {choices.pick(NAMES): any_value(choices, depth - 1) for _ in range(count)}
