"""Sets of code points, as the classes of a regular expression name them.

A set is a tuple of inclusive ranges in ascending order that neither overlap nor touch, so
that equal sets are equal tuples.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

__all__ = [
    "ANY_BUT_LINE_END",
    "DIGIT",
    "LAST_ASCII",
    "LINE_ENDS",
    "SPACE",
    "WORD",
    "CodePoints",
    "complement",
    "single",
    "union",
    "with_both_cases",
    "without",
]

CodePoints: TypeAlias = tuple[tuple[int, int], ...]

LAST_ASCII: Final = 0x7F
_LAST: Final = 0x10FFFF
_CASE: Final = 0x20


def union(ranges: Iterable[tuple[int, int]]) -> CodePoints:
    """The set of all that some ranges hold, whatever their order."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(points: CodePoints) -> CodePoints:
    """All code points that are not in a set."""
    gaps: list[tuple[int, int]] = []
    due = 0
    for first, last in points:
        if due < first:
            gaps.append((due, first - 1))
        due = last + 1
    if due <= _LAST:
        gaps.append((due, _LAST))
    return tuple(gaps)


def without(points: CodePoints, others: CodePoints) -> CodePoints:
    """What is in the first set and not in the second."""
    return complement(union((*complement(points), *others)))


def single(letter: str) -> CodePoints:
    """The set of one character."""
    return ((ord(letter), ord(letter)),)


def with_both_cases(points: CodePoints) -> CodePoints:
    """A set with the other case of each ASCII letter in it; no other letter has one here."""
    more = list(points)
    for low, high, other in (("a", "z", -_CASE), ("A", "Z", _CASE)):
        for first, last in points:
            start, end = max(first, ord(low)), min(last, ord(high))
            if start <= end:
                more.append((start + other, end + other))
    return union(more)


def _of(*ranges: int | tuple[int, int]) -> CodePoints:
    return union(item if isinstance(item, tuple) else (item, item) for item in ranges)


DIGIT: Final = _of((0x30, 0x39))
"""``\\d``."""

WORD: Final = _of((0x30, 0x39), (0x41, 0x5A), 0x5F, (0x61, 0x7A))
"""``\\w``."""

SPACE: Final = _of(
    (0x09, 0x0D), 0x20, 0xA0, 0x1680, (0x2000, 0x200A), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
    0xFEFF,
)  # fmt: skip
"""``\\s``: what ECMAScript calls white space or the end of a line."""

LINE_ENDS: Final = _of(0x0A, 0x0D, 0x2028, 0x2029)
"""What ``.`` does not match, and what ``^`` and ``$`` stand beside under the flag m."""

ANY_BUT_LINE_END: Final = complement(LINE_ENDS)
"""``.``."""
