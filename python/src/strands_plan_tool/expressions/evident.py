"""What a piece of an expression evidently is: text, a list, a truth, by its tokens alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from strands_plan_tool.expressions.operands import operand_start
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tokens import Token

__all__ = ["Kind", "Span", "evident", "gives", "parts", "region", "text_of_span"]

Kind: TypeAlias = Literal["text", "number", "boolean", "list", "object", "null"]

_COMPARING: Final = frozenset(("=", "!=", "<", ">", "<=", ">=", "in"))
_COUNTING: Final = frozenset("+-*/%")
_BORDERS: Final = frozenset((",", ";", "?", ":", ":=", "~>"))
_OPEN: Final = _BORDERS | {"??", "?:", "|"}
_WORDS: Final[dict[object, Kind]] = {
    "True": "boolean",
    "TRUE": "boolean",
    "False": "boolean",
    "FALSE": "boolean",
    "None": "null",
    "Null": "null",
    "NULL": "null",
    "nil": "null",
    "undefined": "null",
}


def _kinds() -> dict[object, Kind]:
    names: dict[Kind, str] = {
        "text": "string substring substringBefore substringAfter lowercase uppercase trim pad "
        "join replace formatNumber formatBase type base64encode base64decode encodeUrl "
        "encodeUrlComponent decodeUrl decodeUrlComponent fromMillis upper lower str strip "
        "toUpperCase toLowerCase toUpper toLower toString",
        "number": "number length floor ceil abs round power sqrt sum max min average count "
        "toMillis len size avg mean int float parseInt parseFloat toNumber",
        "boolean": "boolean not contains exists includes bool startsWith endsWith",
        "list": "split append sort reverse distinct zip keys spread map filter each sorted "
        "unique uniq flatMap",
        "object": "merge sift",
    }
    return {name: kind for kind, every in names.items() for name in every.split()}


_GIVES: Final = _kinds()
"""What calls give, here and in other languages under names that mean the same there."""


def gives(name: object) -> Kind | None:
    """What a call of a function or a method gives, if it is known."""
    return _GIVES.get(name)


class Span(NamedTuple):
    """Tokens from an index to another, both included."""

    first: int
    last: int


def region(scan: Scan, at: int, borders: frozenset[str] = _BORDERS) -> Span:
    """The widest piece around a token that no border cuts, in the same brackets."""
    first = last = at
    while first > 0 and not _ends(scan, first - 1, at, borders):
        first = _before(scan, first)
    while last + 1 < len(scan.tokens) and not _ends(scan, last + 1, at, borders):
        last = scan.partner[last + 1] if last + 1 in scan.opens else last + 1
    return Span(first, last)


def _before(scan: Scan, at: int) -> int:
    before = at - 1
    return scan.partner.get(before, before)


def _ends(scan: Scan, place: int, at: int, borders: frozenset[str]) -> bool:
    """Whether a token at a place beside a piece is outside of it."""
    if place == scan.holder[at] or scan.partner.get(place) == scan.holder[at] >= 0:
        return True
    sign = scan.tokens[place].sign
    arrow = sign == ">" and scan.is_sign(place - 1, "=")
    return arrow or sign in borders


def parts(scan: Scan, span: Span, sign: str) -> Iterator[Span]:
    """A piece cut where an operator stands twice: ``&&`` or ``||``."""
    first = at = span.first
    while at <= span.last:
        if at in scan.opens:
            at = scan.partner[at]
        elif scan.is_sign(at, sign) and scan.follows(at, sign):
            yield Span(first, at - 1)
            first = at + 2
            at += 1
        at += 1
    yield Span(first, span.last)


def evident(scan: Scan, span: Span) -> Kind | None:
    """What a piece gives; None if that cannot be told, or it is empty."""
    first, last = span
    tokens = scan.tokens
    while scan.opens.get(first) == "block" and scan.partner[first] == last:
        first, last = first + 1, last - 1
    if first > last:
        return None
    signs = [sign for sign in _signs(scan, first, last) if sign != "."]
    if _OPEN.intersection(signs):
        return None
    chain = list(parts(scan, Span(first, last), "&"))
    if len(chain) > 1:
        return "boolean" if evident(scan, chain[-1]) == "boolean" else None
    if tokens[first].sign == "!" or tokens[first].value == "not" or "and" in signs:
        return "boolean"
    if "or" in signs or _COMPARING.intersection(signs):
        return "boolean"
    if "&" in signs:
        return "text"
    if _COUNTING.intersection(signs):
        # `+` joins texts elsewhere.
        return None if "+" in signs else "number"
    if scan.is_sign(first, "-"):
        return "number"
    if operand_start(scan, last) != first:
        return None
    return _of_operand(scan, first, last)


def _signs(scan: Scan, first: int, last: int) -> Iterator[str]:
    """The operators between the operands of a piece, those in brackets left out."""
    at = first
    while at <= last:
        token = scan.tokens[at]
        if at in scan.opens:
            at = scan.partner[at]
        elif token.sign and not token.prefix:
            yield token.sign
        at += 1


def _of_operand(scan: Scan, first: int, last: int) -> Kind | None:
    token = scan.tokens[first]
    if last in scan.partner and scan.opens.get(scan.partner[last]) == "call":
        return _GIVES.get(scan.tokens[scan.partner[last] - 1].value)
    if first == last:
        return _of_token(token)
    if scan.partner.get(first) == last:
        opened = scan.opens.get(first)
        return "list" if opened == "list" else "object" if opened == "object" else None
    return None


def _of_token(token: Token) -> Kind | None:
    match token.kind:
        case "string":
            return "text"
        case "number":
            return "number"
        case "value":
            return "null" if token.value is None else "boolean"
        case "name":
            return _WORDS.get(token.value)
    return None


def text_of_span(scan: Scan, span: Span) -> str:
    """The text of a piece."""
    if span.first > span.last:
        return ""
    return scan.text[scan.tokens[span.first].start : scan.tokens[span.last].end]
