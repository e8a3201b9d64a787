"""What may be missing, where other languages take that for false, for null, or for unequal.

Here a comparison with nothing is false whichever way it asks, and ``$not`` of nothing is
nothing: ``!row.done`` as it stands would leave out the rows without ``done``. A strict
name that is missing fails by itself; where a name may be missing, the edit says so.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from strands_plan_tool.expressions.evident import Span, gives
from strands_plan_tool.expressions.operands import operand_start
from strands_plan_tool.expressions.problems import Edit
from strands_plan_tool.expressions.scan import Scan

__all__ = ["Absence", "absence", "is_absence", "may_lack", "unequal"]

_NULLS: Final = frozenset({"None", "NULL", "Null", "nil", "Nil", "undefined"})
_WORDS: Final = _NULLS | {"True", "TRUE", "False", "FALSE"}
_ROOTS: Final = frozenset({"steps", "input", "item", "index"})
_NEVER_NOTHING: Final = frozenset({"exists", "count", "type"})
_OF_SOME: Final = frozenset({"max", "min", "average", "split", "filter"})


class Absence(NamedTuple):
    """What such a comparison is to become."""

    hint: str
    edits: tuple[Edit, ...]


def absence(scan: Scan, first: int, last: int, *, equal: bool, strict: bool) -> Absence | None:
    """What a comparison with such a word is to become; None if ``=`` tells the same.

    Args:
        first: The index of the operator's first token.
        last: That of its last; the word follows.
        equal: Whether it asks if they are equal.
        strict: Whether null and undefined differ for it, as for ``===``.
    """
    start = operand_start(scan, first - 1)
    if start is None or not is_absence(scan, last + 1):
        return None
    word = scan.tokens[last + 1]
    begin, end = scan.tokens[start].start, scan.tokens[first - 1].end
    if word.value == "undefined" and strict:
        before, after = ("$not($exists(", "))") if equal else ("$exists(", ")")
        edits = Edit(begin, begin, before), Edit(end, word.end, after)
        return Absence(f"write `{before}...{after}`", edits)
    lenient = may_lack(scan, Span(start, first - 1))
    if equal and not strict and (lenient or word.value == "undefined"):
        edits = Edit(begin, begin, "("), Edit(end, word.end, " ?? null) = null")
        return Absence("what may be missing is null first: write `(... ?? null) = null`", edits)
    return None


def unequal(scan: Scan, first: int) -> Absence | None:
    """What ``x !== y`` is to become where ``x`` may be missing, which then is unequal too.

    Args:
        first: The index of the operator's first token.
    """
    start = operand_start(scan, first - 1)
    if start is None or not may_lack(scan, Span(start, first - 1)):
        return None
    begin, end = scan.tokens[start].start, scan.tokens[first - 1].end
    sign = scan.tokens[first + 1]
    opened, closed = Edit(begin, begin, "("), Edit(end, end, " ?? null)")
    hint = "compare with `!=`; what may be missing is null first: `(... ?? null) != ...`"
    return Absence(hint, (opened, closed, Edit(sign.start, sign.end, "")))


def may_lack(scan: Scan, span: Span) -> bool:
    """Whether a piece may be nothing without an error: not all that it reads is strict."""
    at = span.first
    while at <= span.last:
        token = scan.tokens[at]
        called = scan.opens.get(at + 1) == "call"
        if called and token.kind in ("name", "variable"):
            if token.value in _NEVER_NOTHING:
                at = scan.partner[at + 1]
            elif gives(token.value) is None or token.value in _OF_SOME:
                return True
        elif token.kind == "variable":
            if token.value not in _ROOTS:
                return True
        elif token.kind == "name" and not scan.is_sign(at - 1, "."):
            if token.value not in _ROOTS and token.value not in _WORDS:
                return True
        elif scan.opens.get(at) == "predicate" or (token.prefix and token.sign in ("*", "**")):
            return True
        at += 1
    return False


def is_absence(scan: Scan, at: int) -> bool:
    """Whether a token is a word for nothing or null that is an operand by itself."""
    if not 0 <= at < len(scan.tokens):
        return False
    token = scan.tokens[at]
    after = scan.tokens[at + 1].sign if at + 1 < len(scan.tokens) else ""
    null = token.kind == "value" and token.value is None
    word = token.kind == "name" and token.value in _NULLS
    return (null or word) and after not in (".", "(")
