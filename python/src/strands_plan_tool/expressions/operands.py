"""Where an operand starts and ends in a row of tokens, and edits that move one."""

from __future__ import annotations

from strands_plan_tool.expressions.problems import Edit
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tokens import CLOSING

__all__ = ["call_edits", "operand_end", "operand_start"]


def operand_end(scan: Scan, at: int) -> int | None:
    """The index of the last token of the path, call or literal that starts at an index."""
    tokens = scan.tokens
    while scan.is_sign(at, "-") or scan.is_sign(at, "!"):
        at += 1
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "operator":
            if at in scan.opens:
                at = scan.partner[at]
            elif not (token.prefix and token.sign in ("*", "**", "%")):
                return None
        while at + 1 in scan.opens and not tokens[at + 1].prefix:
            at = scan.partner[at + 1]
        if not scan.is_sign(at + 1, "."):
            return at
        at += 2
    return None


def operand_start(scan: Scan, at: int) -> int | None:
    """The index of the first token of the path, call or literal that ends at an index."""
    tokens = scan.tokens
    while at >= 0:
        token = tokens[at]
        if token.kind == "operator":
            if token.sign in CLOSING:
                at = scan.partner[at]
                if not tokens[at].prefix:
                    at -= 1
                    continue
                if scan.opens[at] == "sort":
                    at -= 2
                    continue
            elif not (token.prefix and token.sign in ("*", "**", "%")):
                return None
        if not scan.is_sign(at - 1, "."):
            return at
        at -= 2
    return None


def call_edits(scan: Scan, position: int, meant: str) -> tuple[Edit, ...]:
    """Turns the call whose name stands at a position into one of a listed function.

    ``x.name(y)`` becomes ``$meant(x, y)``.
    """
    tokens = scan.tokens
    at = scan.index_of(position)
    name = tokens[at]
    if not scan.is_sign(at - 1, "."):
        return (Edit(name.start, name.end, "$" + meant),)
    last = scan.partner.get(at + 1)
    first = operand_start(scan, at - 2)
    if last is None or first is None:
        return ()
    start = tokens[first].start
    between = ", " if last > at + 2 else ""
    call = Edit(tokens[at - 1].start, tokens[at + 1].end, between)
    return (Edit(start, start, f"${meant}("), call)
