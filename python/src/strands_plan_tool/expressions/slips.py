"""Further habits of other languages, which no parser reads (``syntax``), with their edits."""

from __future__ import annotations

import json
import re
from typing import Final

from strands_plan_tool.expressions.absence import Absence, absence, may_lack
from strands_plan_tool.expressions.evident import Span, evident, region
from strands_plan_tool.expressions.methods import meaning
from strands_plan_tool.expressions.operands import operand_end, operand_start
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
}
_LITERAL: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][0-9:.]+(?:Z|[+-]\d\d:\d\d)?)?|https?://\S+|[\w.+-]+@[\w-]+\.[\w.-]+"
)
_FORMATTED: Final = re.compile(r"[fF](\"[^\"\\]*\"|'[^'\\]*')")
_BRACED: Final = re.compile(r"\{([^{}]*)\}")
_CALM: Final = frozenset(("", "(", "[", "{", ",", ";", ":", "?", "and", "or", "|"))
_PUNCTUATION: Final = frozenset("-:./,!?%&;#@")
_READING: Final = frozenset(
    {"steps", "input", "item", "index", "function", "lambda", "return", "typeof"}
)


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
            if scan.follows(at + 1, "["):
                gone = Edit(token.start, token.end + 1, "")
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
        if sign == "=" and after.kind == "name" and after.value in ("not", "NOT"):
            sign, end = "!=", after.end
        edit = Edit(token.start, end, sign)
        plain = Absence(f"write `{sign}`", (edit,))
        made = None
        if word in ("is", "IS"):
            last = at if sign == "=" else at + 1
            strict = last + 1 < len(tokens) and tokens[last + 1].value == "undefined"
            made = absence(scan, at, last, equal=sign == "=", strict=strict)
        hint, edits = made or plain
        return _fault(token, f"there is no `{word}`", hint, *edits)
    if word == "div" and not token.prefix:
        hint = "write `/`, and $floor(x / y) for a whole number"
        return _fault(token, "there is no `div`", hint)
    if word == "not" and token.prefix and after.kind != "operator":
        last = _negated_end(scan, at + 1)
        end = tokens[last].end
        closing = " ?? false)" if may_lack(scan, Span(at + 1, last)) else ")"
        opening = "$not("
        if closing != ")" and operand_end(scan, at + 1) != last:
            opening, closing = "$not((", ")" + closing
        edits = (Edit(token.start, after.start, opening), Edit(end, end, closing))
        return _fault(token, "there is no `not`", f"write `$not(...{closing}`", *edits)
    if word == "not" and after.sign == "in":
        return _not_in(scan, at)
    return None


def _negated_end(scan: Scan, at: int) -> int:
    """Where what a ``not`` before a token negates ends: it takes in comparisons."""
    last = at
    for place in range(at, region(scan, at).last + 1):
        if scan.holder[place] == scan.holder[at]:
            sign = scan.tokens[place].sign
            if sign in ("and", "or", "|") or (sign == "&" and scan.follows(place, "&")):
                break
        last = place
    return last


def _not_in(scan: Scan, at: int) -> Fault:
    """``x not in list``."""
    tokens = scan.tokens
    first, last = operand_start(scan, at - 1), operand_end(scan, at + 2)
    edits: tuple[Edit, ...] = ()
    before = tokens[first - 1].sign if first else ""
    if first is not None and last is not None and before in _CALM:
        start, end = tokens[first].start, tokens[last].end
        gone = Edit(tokens[at].start, tokens[at + 1].start, "")
        edits = (Edit(start, start, "$not("), gone, Edit(end, end, ")"))
    return _fault(tokens[at], "there is no `not in`", "write `$not(x in list)`", *edits)


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
    start, end = first.value, stop.value
    if colon.sign != ":" or not isinstance(start, int) or not isinstance(end, int):
        return None
    base = operand_start(scan, at - 1)
    kind = None if base is None else evident(scan, Span(base, at - 1))
    items = f"[[{start}..{end - 1}]]"
    hint = f"for items of a list write x{items}, for a part of a text $substring(x, ...)"
    edits: tuple[Edit, ...] = ()
    if start < end and kind == "list":
        edits = (Edit(first.start, stop.end, items[1:-1]),)
    return _fault(scan.tokens[at], "there are no slices", hint, *edits)


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
        caller = tokens[around - 1]
        if caller.kind == "name":
            meant = meaning(scan, caller.start, str(caller.value))
            edits += meant.edits if meant is not None else ()
        if caller.value == "sort":
            edits += _compared(scan, at + 2, end)
    return _fault(tokens[at], message, hint, *edits)


def _compared(scan: Scan, first: int, end: int) -> list[Edit]:
    """``a.n - b.n`` sorts as ``a.n > b.n`` does, and so does that with ``? 1 : -1``.

    Here a comparator tells a truth.
    """
    around = scan.holder[first]
    signs = [
        scan.tokens[place]
        for place in range(first, end)
        if scan.holder[place] == around
        and not scan.tokens[place].prefix
        and scan.tokens[place].sign not in ("", ".")
    ]
    if [token.sign for token in signs] == ["-"]:
        return [Edit(signs[0].start, signs[0].end, ">")]
    if [token.sign for token in signs[-2:]] == ["?", ":"]:
        chosen = scan.text[signs[-2].end : scan.tokens[end].start].split(":")
        if [part.strip() for part in chosen] == ["1", "-1"]:
            start = scan.tokens[scan.index_of(signs[-2].start) - 1].end
            return [Edit(start, scan.tokens[end - 1].end, "")]
    return []


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
    message = f"this is text and no expression: {shown(text)}"
    hint = 'text belongs in "args", or between quotes'
    edits: tuple[Edit, ...] = ()
    if not any(token.kind == "name" and token.value in scope.ids for token in scan.tokens):
        # With a step's id among the words, the step may be meant.
        edits = (Edit(start, start + len(text), json.dumps(text, ensure_ascii=False)),)
    return Fault("foreign_syntax", start, message, hint, edits)


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
