"""Whether a bare word stands where only a text makes sense: then it lacks its quotes."""

from __future__ import annotations

from typing import Final

from strands_plan_tool.expressions.operands import operand_end, operand_start
from strands_plan_tool.expressions.problems import Scope
from strands_plan_tool.expressions.scan import Scan

__all__ = ["is_literal"]

_EQUAL: Final = frozenset({"=", "!=", "in"})
_DEFAULT: Final = frozenset({"?", "??", "?:", "|"})


def is_literal(scan: Scan, scope: Scope, at: int, first: int) -> bool:
    """Whether a word can be told to be a text.

    Args:
        at: The index of the word.
        first: The index of the first token of its path (``$.word``).
    """
    if scan.text.strip() and len(scan.tokens) == at - first + 1:
        known = scope.has_item or scope.closest_id(str(scan.tokens[at].value)) is not None
        return scope.field in ("bind", "output") and not known
    before = scan.tokens[first - 1].sign if first else ""
    after = scan.tokens[at + 1].sign if at + 1 < len(scan.tokens) else ""
    held = scan.held_by(at)
    if after == ":" and before in ("{", ",") and held in ("object", "group"):
        return True
    if before in _EQUAL and _reads(scan, operand_start(scan, first - 2)):
        return True
    if after in _EQUAL and operand_end(scan, at + 2) is not None and _reads(scan, at + 2):
        return True
    if scope.has_item:
        return False
    if before in _DEFAULT or (before == ":" and held not in ("object", "group")):
        return True
    return held == "list" and before in ("[", ",") and after in ("]", ",")


def _reads(scan: Scan, at: int | None) -> bool:
    """Whether an operand that starts at a token is more than a word or a literal."""
    if at is None or at >= len(scan.tokens):
        return False
    token = scan.tokens[at]
    if token.kind == "variable":
        return True
    return token.kind == "name" and (scan.is_sign(at + 1, ".") or scan.is_sign(at + 1, "("))
