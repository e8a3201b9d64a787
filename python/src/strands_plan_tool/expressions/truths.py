"""``&&`` and ``||``: whether they stand for a truth or for a value, and the edit for each.

Where they come from, ``a || b`` is ``a`` or else ``b``, and ``a && b`` is ``b`` if there
is ``a``. Only where a truth is wanted, ``or`` and ``and`` are the same; elsewhere they would
make ``true`` of a value without a word.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from strands_plan_tool.expressions.evident import (
    Span,
    evident,
    parts,
    region,
    text_of_span,
)
from strands_plan_tool.expressions.operands import operand_end
from strands_plan_tool.expressions.problems import Edit, Scope
from strands_plan_tool.expressions.scan import Scan

__all__ = ["Mend", "Truths"]

_OUTER: Final = frozenset((",", ";", ":=", "~>"))
_TRUTHS: Final = frozenset(("not", "boolean"))
_SIEVES: Final = frozenset(
    ("filter", "single", "sift", "find", "findIndex", "first", "some", "every", "any", "all")
)


class Mend(NamedTuple):
    """What is said of one operator, and the edits if it is certain what it means."""

    hint: str
    edits: tuple[Edit, ...] = ()


class Truths:
    """The ``&&`` and ``||`` of one text, each chain of them looked at once.

    Args:
        scan: The text.
        scope: Where the expression stands; None is any root.
    """

    def __init__(self, scan: Scan, scope: Scope | None) -> None:
        self._scan = scan
        self._asks = scope is not None and scope.field == "when"
        self._mends: dict[int, Mend] = {}
        self._wanted: dict[Span, bool] = {}

    def mended(self, at: int) -> Mend:
        """What the operator whose first token stands at an index is to become."""
        if at not in self._mends:
            self._decide(region(self._scan, at))
        return self._mends[at]

    def _decide(self, whole: Span) -> None:
        """What every operator in a piece, and in no brackets of its own, is to become."""
        truth = self._wants_truth(whole)
        operands = list(parts(self._scan, whole, "|"))
        chains = [list(parts(self._scan, operand, "&")) for operand in operands]
        either = _or(self._scan, operands, chains, truth=truth) if len(operands) > 1 else None
        for operand, chain in zip(operands, chains, strict=True):
            if len(chain) > 1:
                both = _and(self._scan, chain, truth=truth)
                for each in chain[:-1]:
                    self._mends[each.last + 1] = self._made(each.last + 1, both)
            if either is not None and operand is not operands[-1]:
                self._mends[operand.last + 1] = self._made(operand.last + 1, either)

    def _made(self, at: int, meant: _Meant) -> Mend:
        if meant.guard is not None:
            return Mend(meant.hint, (meant.guard,))
        if not meant.word:
            return Mend(meant.hint)
        return Mend(meant.hint, (_operator(self._scan, at, meant.word),))

    def _wants_truth(self, span: Span) -> bool:
        """Whether only the truth of what a piece gives counts."""
        if span not in self._wanted:
            self._wanted[span] = self._asks_truth(span)
        return self._wanted[span]

    def _asks_truth(self, span: Span) -> bool:
        scan = self._scan
        before, after = _sign(scan, span.first - 1), _sign(scan, span.last + 1)
        holder = scan.holder[span.first]
        opened = scan.opens.get(holder)
        if opened == "predicate" or (after == "?" and before != "?"):
            return True
        if before == ">" and scan.is_sign(span.first - 2, "="):
            return _in_sieve(scan, holder)
        if before == "?" or (":" in (before, after) and opened not in ("object", "group")):
            # What a condition gives is what all of it gives.
            whole = region(scan, span.first, _OUTER)
            if whole != span:
                return self._wants_truth(whole)
        match opened:
            case None:
                return self._asks
            case "call":
                return scan.tokens[holder - 1].value in _TRUTHS
            case "body":
                function = scan.partner[holder - 1] - 1
                return _in_sieve(scan, scan.holder[function])
            case "block" if span.last + 1 == scan.partner[holder]:
                return self._block_asks(holder)
        return False

    def _block_asks(self, holder: int) -> bool:
        """Whether only the truth of a block counts, by what stands beside it."""
        scan, closing = self._scan, self._scan.partner[holder]
        if _sign(scan, holder - 1) == "!":
            return True
        if holder and scan.tokens[holder - 1].value == "not":
            return True
        outer = region(scan, holder)
        for place in (holder - 1, closing + 1):
            if outer.first <= place <= outer.last:
                sign = _sign(scan, place)
                doubled = scan.is_sign(place - 1, sign) or scan.is_sign(place + 1, sign)
                if sign in ("and", "or"):
                    return True
                if sign not in ("&", "|") or not doubled:
                    return False
        return self._wants_truth(outer)


class _Meant(NamedTuple):
    """What a chain means: the word for its operators, or the edit that leaves its guard out."""

    hint: str
    word: str = ""
    guard: Edit | None = None


def _or(scan: Scan, operands: list[Span], chains: list[list[Span]], *, truth: bool) -> _Meant:
    kinds = {evident(scan, operand) for operand in operands}
    if truth or (kinds <= {"boolean", None} and "boolean" in kinds):
        return _Meant("write `or`", "or")
    if any(len(chain) > 1 for chain in chains):
        return _Meant("for a truth write `and` and `or`, for a value x ? y : z")
    hint = "write `?:` for a default, `or` for a truth"
    if any(first > last for first, last in operands):
        return _Meant(hint)
    plain = all(operand_end(scan, first) == last for first, last in operands)
    if plain and "boolean" not in kinds:
        return _Meant(hint, "?:")
    return _Meant(f"{hint}; put what belongs together in parentheses")


def _and(scan: Scan, operands: list[Span], *, truth: bool) -> _Meant:
    if truth or evident(scan, operands[-1]) == "boolean":
        return _Meant("write `and`", "and")
    first, last = (text_of_span(scan, operands[place]) for place in (0, -1))
    if len(operands) == 2 and first and last.startswith((first + ".", first + "[")):
        start, end = (scan.tokens[operands[place].first].start for place in (0, -1))
        hint = "leave the guard out: a field of nothing is nothing"
        return _Meant(hint, guard=Edit(start, end, ""))
    return _Meant("for a truth write `and`, for a value x ? y : z")


def _operator(scan: Scan, at: int, word: str) -> Edit:
    text, start, end = scan.text, scan.tokens[at].start, scan.tokens[at + 1].end
    before = "" if text[:start].endswith((" ", "\n", "\t")) else " "
    after = "" if text[end:].startswith((" ", "\n", "\t")) else " "
    return Edit(start, end, before + word + after)


def _sign(scan: Scan, at: int) -> str:
    return scan.tokens[at].sign if 0 <= at < len(scan.tokens) else ""


def _in_sieve(scan: Scan, holder: int) -> bool:
    """Whether a function stands in a call that only asks for its truth."""
    call = scan.opens.get(holder) == "call"
    return call and scan.tokens[holder - 1].value in _SIEVES
