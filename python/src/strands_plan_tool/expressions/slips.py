"""Further habits of other languages, which no parser reads (``syntax``), with their edits."""

from __future__ import annotations

import json
import re
from typing import Final

from strands_plan_tool.expressions.listed import LISTED, MEANT
from strands_plan_tool.expressions.operands import call_edits, operand_end, operand_start
from strands_plan_tool.expressions.problems import Edit, Fault, Scope, shown
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.templates import Template, joined, names_a_step
from strands_plan_tool.expressions.tokens import Token

__all__ = ["literal_fault", "slips"]

_OPERATORS: Final = {
    "AND": "and",
    "And": "and",
    "OR": "or",
    "Or": "or",
    "IN": "in",
    "In": "in",
    "is": "=",
    "IS": "=",
    "eq": "=",
    "equals": "=",
    "ne": "!=",
    "gt": ">",
    "gte": ">=",
    "ge": ">=",
    "lt": "<",
    "lte": "<=",
    "le": "<=",
    "mod": "%",
    "div": "/",
}
_LITERAL: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][0-9:.]+(?:Z|[+-]\d\d:\d\d)?)?|https?://\S+|[\w.+-]+@[\w-]+\.[\w.-]+"
)
_FORMATTED: Final = re.compile(r"[fF](\"[^\"\\]*\"|'[^'\\]*')")
_BRACED: Final = re.compile(r"\{([^{}]*)\}")
_PUNCTUATION: Final = frozenset("-:./,!?%&;#@")
_READING: Final = frozenset({"steps", "input", "item", "index", "function"})


def slips(scan: Scan) -> list[Fault]:
    """Every such habit in a text, from left to right."""
    found = (_slip(scan, at, token) for at, token in enumerate(scan.tokens))
    return [fault for fault in found if fault is not None]


def _slip(scan: Scan, at: int, token: Token) -> Fault | None:
    gone = Edit(token.start, token.end, "")
    match token.sign:
        case "" if token.kind == "name":
            return _operator_word(scan, at)
        case "=" if scan.follows(at, ">"):
            return _arrow(scan, at)
        case "=" if at == 0:
            return _fault(token, "the expression begins with `=`", "remove it", gone)
        case "?" if scan.follows(at, "."):
            hint = "leave the `?` out: a field of nothing is nothing"
            return _fault(token, "there is no `?.`", hint, gone)
        case "." if at + 1 < len(scan.tokens):
            return _after_dot(scan, at)
        case "<" if scan.follows(at, ">"):
            edit = Edit(token.start, token.end + 1, "!=")
            return _fault(token, "there is no `<>`", "write `!=`", edit)
        case "[" if not token.prefix:
            return _slice(scan, at)
        case ".." if not token.prefix:
            return _range(scan, at)
        case "/" if not token.prefix and _is_misread(scan, at):
            return _division(scan, at)
        case ";" if at == len(scan.tokens) - 1:
            return _fault(token, "a `;` ends the expression", "remove it", gone)
    return None


def _fault(token: Token, message: str, hint: str, *edits: Edit) -> Fault:
    return Fault("syntax", token.start, message, hint, edits)


def _operator_word(scan: Scan, at: int) -> Fault | None:
    tokens = scan.tokens
    token = tokens[at]
    word = str(token.value)
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is None:
        return None
    if not token.prefix and word in _OPERATORS:
        sign, end = _OPERATORS[word], token.end
        if sign == "=" and after.kind == "name" and after.value == "not":
            sign, end = "!=", after.end
        edit = Edit(token.start, end, sign)
        return _fault(token, f"there is no `{word}`", f"write `{sign}`", edit)
    if word == "not" and token.prefix and after.kind != "operator":
        last = operand_end(scan, at + 1)
        edits: tuple[Edit, ...] = ()
        if last is not None:
            end = tokens[last].end
            edits = (Edit(token.start, after.start, "$not("), Edit(end, end, ")"))
        return _fault(token, "there is no `not`", "write `$not(...)`", *edits)
    return None


def _after_dot(scan: Scan, at: int) -> Fault | None:
    dot, after = scan.tokens[at], scan.tokens[at + 1]
    if after.kind == "number" and after.start == dot.end:
        written = scan.text[after.start : after.end]
        edit = Edit(dot.start, after.end, "".join(f"[{part}]" for part in written.split(".")))
        message = f"a number after a dot takes no item: `.{shown(written)}`"
        return _fault(dot, message, "put it in brackets", edit)
    if after.sign == "@" and at + 2 < len(scan.tokens):
        name = scan.tokens[at + 2]
        if name.kind == "name" and name.start == after.end:
            edit = Edit(after.start, name.end, f"`@{name.value}`")
            hint = "put it in backticks"
            return _fault(after, f"@{shown(str(name.value))} is no plain name", hint, edit)
    return None


def _slice(scan: Scan, at: int) -> Fault | None:
    """``x[0:3]`` of other languages takes the items 0 to 2."""
    inside = scan.tokens[at + 1 : scan.partner[at]]
    if [token.kind for token in inside] != ["number", "operator", "number"]:
        return None
    first, colon, stop = inside
    if colon.sign != ":" or not isinstance(stop.value, int):
        return None
    edit = Edit(first.start, stop.end, f"[{first.value}..{stop.value - 1}]")
    hint = "take items by a list of their indexes"
    return _fault(scan.tokens[at], "there are no slices", hint, edit)


def _range(scan: Scan, at: int) -> Fault | None:
    """``x[0..2]``: a list of indexes has brackets of its own."""
    if scan.held_by(at) != "predicate":
        return None
    around = scan.holder[at]
    start, end = scan.tokens[around].end, scan.tokens[scan.partner[around]].start
    edits = Edit(start, start, "["), Edit(end, end, "]")
    hint = "take items by a list of their indexes"
    return _fault(scan.tokens[at], "a range stands in brackets of its own", hint, *edits)


def _is_misread(scan: Scan, at: int) -> bool:
    """The reference takes a ``/`` after ``[]`` and ``^(...)`` for a regular expression."""
    opening = scan.partner.get(at - 1, -1)
    return scan.opens.get(opening) == "sort" or (
        scan.opens.get(opening) == "predicate" and opening == at - 2
    )


def _division(scan: Scan, at: int) -> Fault:
    start, end = operand_start(scan, at - 1), scan.tokens[at - 1].end
    edits: tuple[Edit, ...] = ()
    if start is not None:
        first = scan.tokens[start].start
        edits = (Edit(first, first, "("), Edit(end, end, ")"))
    hint = "put what stands before it in parentheses"
    return _fault(scan.tokens[at], "a `/` here opens a regular expression", hint, *edits)


def _arrow(scan: Scan, at: int) -> Fault:
    """``x => body`` becomes ``function($x){body}``, with ``$x`` for ``x`` in it."""
    tokens = scan.tokens
    message, hint = "there is no `=>`", "write function($x){...}, and in it $x"
    first = scan.partner.get(at - 1, at - 1)
    names = [token.value for token in tokens[max(first, 0) : at] if token.kind == "name"]
    end = at + 2
    while end < len(tokens) and tokens[end].sign not in (")", "]", "}", ",", ";"):
        end = scan.partner.get(end, end) + 1
    if not names or end >= len(tokens):
        return _fault(tokens[at], message, hint)
    parameters = ", ".join(f"${name}" for name in names)
    edits = [Edit(tokens[first].start, tokens[at + 2].start, f"function({parameters}){{")]
    for place in range(at + 2, end):
        token = tokens[place]
        if token.kind == "name" and token.value in names and not scan.is_sign(place - 1, "."):
            edits.append(Edit(token.start, token.start, "$"))
    edits.append(Edit(tokens[end].start, tokens[end].start, "}"))
    around = scan.holder[first]
    if scan.opens.get(around) == "call":
        method = tokens[around - 1]
        meant = str(method.value)
        meant = meant if meant in LISTED else MEANT.get(meant, "")
        if method.kind == "name" and meant:
            edits += call_edits(scan, method.start, meant)
    return _fault(tokens[at], message, hint, *edits)


def literal_fault(scan: Scan, scope: Scope) -> Fault | None:
    """Plain text in place of an expression: a date, an address, words in a row."""
    text = scan.text.strip()
    start = scan.text.index(text)
    formatted = _FORMATTED.fullmatch(text)
    if formatted is not None:
        raw, quote = formatted[1][1:-1], formatted[1][0]
        found = [
            Template(match.start(), match.end(), names_a_step(match[1], scope) or match[1])
            for match in _BRACED.finditer(raw)
        ]
        edit = Edit(start, start + len(text), " & ".join(joined(raw, found, quote)))
        hint = "join the pieces with `&`"
        return Fault("foreign_syntax", start, "there are no f-strings", hint, (edit,))
    if _LITERAL.fullmatch(text) is None and (scan.fault or not _is_prose(scan.tokens)):
        return None
    edit = Edit(start, start + len(text), json.dumps(text, ensure_ascii=False))
    message = f"this is text and no expression: {shown(text)}"
    hint = 'text belongs in "args", or between quotes'
    return Fault("foreign_syntax", start, message, hint, (edit,))


def _is_prose(tokens: list[Token]) -> bool:
    """Words and punctuation, two words in a row among them, and nothing that is read."""
    row = any_word = False
    for at, token in enumerate(tokens):
        if token.kind == "operator":
            if token.sign not in _PUNCTUATION:
                return False
        elif token.kind not in ("name", "number", "value") or token.value in _READING:
            return False
        else:
            any_word |= token.kind == "name" and token.value not in _OPERATORS
            row |= at > 0 and tokens[at - 1].kind in ("name", "number", "value")
    return row and (any_word or not any(token.kind == "name" for token in tokens))
