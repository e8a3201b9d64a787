"""What to say of a text that no parser reads: in our own words, with the edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from strands_plan_tool.expressions.parser import UnreadableError
from strands_plan_tool.expressions.problems import Edit, Fault, Scope, shown
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tokens import Token

__all__ = ["empty_fault", "syntax_fault"]

_WANTED: Final = {
    ":": 'an object is written {"key": value}',
    ")": "put an operator between values, or a comma between arguments",
    "]": "put an operator between values, or a comma between items",
    "}": "put a comma between members",
    "(": "a sort is written x^(key), or x^(>key) for the largest first",
    "{": "a function is written function($x){...}",
}


def empty_fault(scope: Scope | None) -> Fault:
    """Of a text without a token."""
    hint = "write an expression, or leave the field out"
    if scope is not None and scope.field == "bind":
        hint = "write an expression, or leave the binding out; an empty text is '' in quotes"
    return Fault("syntax", 0, "the expression is empty", hint)


def syntax_fault(scan: Scan, fault: UnreadableError) -> Fault:
    """Of a text that the parser gave up on."""
    tokens, at = scan.tokens, fault.at
    if at >= len(tokens):
        message = (
            f"the expression ends after {_written(scan, at - 1)}, where something is missing"
        )
        return _fault(
            tokens[-1], message, "write what belongs there, or remove what stands last"
        )
    special = _SPECIAL.get(fault.code)
    if special is not None:
        return special(scan, at)
    token, written = tokens[at], _written(scan, at)
    early = _early_end(scan, at)
    if early is not None:
        return early
    if fault.wanted is not None:
        message = f"{written} stands where `{fault.wanted}` is due"
        hint = _WANTED.get(fault.wanted, f"write `{fault.wanted}` there")
    elif token.kind == "operator":
        message = f"{written} stands where a value is due"
        hint = f"write the value that {written} applies to, or remove it"
        if token.sign in "%/*|=<>" and at and tokens[at - 1].sign == "]":
            hint = "put what stands before it in parentheses"
    else:
        message = f"{written} follows {_written(scan, at - 1)} with no operator between them"
        hint = "put an operator between them (`&` joins text), or quotes around text"
    return _fault(token, message, hint)


def _fault(token: Token, message: str, hint: str, *edits: Edit) -> Fault:
    return Fault("syntax", token.start, message, hint, edits)


def _written(scan: Scan, at: int) -> str:
    token = scan.tokens[at]
    return f"`{shown(scan.text[token.start : token.end])}`"


def _early_end(scan: Scan, at: int) -> Fault | None:
    """``'O'Brien'``: the apostrophe ended the text."""
    before, token = scan.tokens[at - 1], scan.tokens[at]
    if at == 0 or before.kind != "string" or token.kind != "name" or before.end != token.start:
        return None
    rest = str(token.value)
    edits: tuple[Edit, ...] = ()
    if rest.endswith("'") and '"' not in scan.text[before.start : token.end]:
        whole = scan.text[before.start + 1 : token.end - 1]
        edits = (Edit(before.start, token.end, f'"{whole}"'),)
    message = f"the text {_written(scan, at - 1)} ends early, and {_written(scan, at)} follows"
    return _fault(token, message, "put text that holds a ' between double quotes", *edits)


def _parameter(scan: Scan, at: int) -> Fault:
    """``function(x){x + 1}``: its parameters lack their ``$``."""
    tokens = scan.tokens
    opening = at
    while opening > 0 and scan.opens.get(opening) != "params":
        opening -= 1
    body = scan.partner.get(opening, at) + 1
    names = {token.value for token in tokens[opening:body] if token.kind == "name"}
    edits = tuple(
        Edit(tokens[place].start, tokens[place].start, "$")
        for place in range(opening + 1, scan.partner.get(body, body))
        if tokens[place].kind == "name"
        and tokens[place].value in names
        and not scan.is_sign(place - 1, ".")
    )
    message = f"{_written(scan, at)} is no variable, and a function's parameters are"
    return _fault(tokens[at], message, "write function($x){...}", *edits)


def _assigned(scan: Scan, at: int) -> Fault:
    token = scan.tokens[at]
    edits = (Edit(token.start, token.start, "$"),) if token.kind == "name" else ()
    message = f"{_written(scan, at)} cannot be given a value, only a variable can"
    return _fault(token, message, "write ($x := ...; ...)", *edits)


def _literal_step(scan: Scan, at: int) -> Fault:
    token = scan.tokens[at]
    written = scan.text[token.start : token.end]
    edits = (Edit(token.start, token.end, f"`{written}`"),) if token.kind == "value" else ()
    message = f"{shown(written)} is a literal and no field's name"
    return _fault(token, message, "put a field's name that looks like one in backticks", *edits)


def _grouped_twice(scan: Scan, at: int) -> Fault:
    message = f"a {_written(scan, at)} cannot come right after a group {{...}}"
    hint = "put all that stands before it in parentheses"
    return _fault(scan.tokens[at], message, hint)


def _no_operator(scan: Scan, at: int) -> Fault:
    message = f"{_written(scan, at)} is no operator"
    hint = "write `!=` for unequal, `$not(...)` for not, `~>` to hand a value to a function"
    return _fault(scan.tokens[at], message, hint)


_SPECIAL: Final[dict[str, Callable[[Scan, int], Fault]]] = {
    "S0204": _no_operator,
    "S0208": _parameter,
    "S0209": _grouped_twice,
    "S0210": _grouped_twice,
    "S0212": _assigned,
    "S0213": _literal_step,
}
