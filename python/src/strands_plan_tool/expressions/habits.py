"""The habits of other languages in an expression, each with the edit that mends it.

These are the ones that the language names, ``foreign_syntax``. They are told from tokens,
so that nothing inside a string or a comment is mistaken; templates are looked for in
strings too. A bare word and a step without ``steps.`` show later, in ``unnamed``.
"""

from __future__ import annotations

from typing import Final

from strands_plan_tool.expressions.absence import (
    Absence,
    absence,
    is_absence,
    may_lack,
    unequal,
)
from strands_plan_tool.expressions.evident import Span
from strands_plan_tool.expressions.operands import operand_end
from strands_plan_tool.expressions.problems import Edit, Fault, Scope, shown
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.templates import (
    field_text,
    grouped,
    joined,
    means_a_step,
    names_a_step,
    templates,
)
from strands_plan_tool.expressions.tokens import Token
from strands_plan_tool.expressions.truths import Truths

__all__ = ["foreign", "names_a_step"]

_WORDS: Final = {
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
    "None": "null",
    "NULL": "null",
    "Null": "null",
    "nil": "null",
    "Nil": "null",
    "undefined": "null",
}
_CALM_BEFORE: Final = frozenset("([{,;:&?")
_CALM_AFTER: Final = frozenset(")]},;:&")
_NAMES: Final = frozenset({"name", "quoted", "string"})

_Found = tuple[Fault, int]
"""A fault and the index of the last token that it covers."""


def foreign(scan: Scan, scope: Scope | None) -> list[Fault]:
    """Every habit in a text, from left to right.

    Args:
        scope: None (a bare root) leaves out what depends on names.
    """
    faults = []
    covered = -1
    truths = Truths(scan, scope)
    for at, token in enumerate(scan.tokens):
        if at <= covered:
            continue
        found = _found(scan, at, token, scope, truths)
        if found is not None:
            fault, covered = found
            faults.append(fault)
    return faults


def _found(
    scan: Scan, at: int, token: Token, scope: Scope | None, truths: Truths
) -> _Found | None:
    match token.sign:
        case "=" | "&" | "|":
            return _doubled(scan, at, truths)
        case "!=" if scan.follows(at, "="):
            plain = Absence("compare with `!=`", (Edit(token.end, token.end + 1, ""),))
            made = absence(scan, at, at + 1, equal=False, strict=True)
            if made is None and not is_absence(scan, at + 2):
                made = unequal(scan, at)
            hint, edits = made or plain
            return _fault(token, "there is no `!==`", hint, *edits), at + 1
        case "!":
            return _negated(scan, at)
        case "{" if scan.follows(at, "%"):
            return _delimited(scan, at)
        case "{" if (
            scope is not None and scan.follows(at, "{") and scan.opens.get(at) != "body"
        ):
            return _braced(scan, at, at + 1, scope)
        case "[" if not token.prefix:
            return _subscript(scan, at)
        case "..":
            return _descent(scan, at, scope)
    if scope is None:
        return None
    if token.kind == "name" and token.value in _WORDS and _stands_alone(scan, at):
        return _word(scan, at), at
    if token.kind in ("string", "quoted"):
        return _templated(scan, at, scope)
    if token.kind == "variable" and token.value == "" and scan.follows(at, "{"):
        return _braced(scan, at, at + 1, scope)
    return None


def _fault(token: Token, message: str, hint: str, *edits: Edit) -> Fault:
    return Fault("foreign_syntax", token.start, message, hint, edits)


def _doubled(scan: Scan, at: int, truths: Truths) -> _Found | None:
    """``==``, ``===``, ``&&``, ``||``."""
    text, token = scan.text, scan.tokens[at]
    if not scan.follows(at, token.sign):
        return None
    last = at + 1
    if token.sign == "=" and scan.follows(last, "="):
        last += 1
    end = scan.tokens[last].end
    message = f"there is no `{text[token.start : end]}`"
    if token.sign == "=":
        strict = last == at + 2
        plain = Absence("compare with `=`", (Edit(token.end, end, ""),))
        hint, edits = absence(scan, at, last, equal=True, strict=strict) or plain
        return _fault(token, message, hint, *edits), last
    hint, edits = truths.mended(at)
    return _fault(token, message, hint, *edits), last


def _negated(scan: Scan, at: int) -> _Found | None:
    """``!x`` and ``!!x``."""
    tokens = scan.tokens
    token = tokens[at]
    if not token.prefix:
        return None
    last = at
    while scan.is_sign(last + 1, "!"):
        last += 1
    name = "$not" if (last - at) % 2 == 0 else "$boolean"
    message, hint = "there is no `!`", f"write `{name}(...)`"
    end = operand_end(scan, last + 1)
    if end is None:
        return _fault(token, message, hint), last
    sign = Edit(token.start, tokens[last + 1].start, name)
    closing = ")"
    if may_lack(scan, Span(last + 1, end)):
        hint, closing = f"write `{name}(... ?? false)`, as it may be missing", " ?? false)"
    elif scan.is_sign(last + 1, "(") and scan.partner[last + 1] == end:
        return _fault(token, message, hint, sign), last
    opened = Edit(sign.start, sign.end, name + "(")
    closed = Edit(tokens[end].end, tokens[end].end, closing)
    return _fault(token, message, hint, opened, closed), last


def _delimited(scan: Scan, at: int) -> _Found:
    """``{% ... %}``, which other engines put around an expression."""
    text, tokens = scan.text, scan.tokens
    message, hint = "there is no `{% %}` around an expression", "leave `{%` and `%}` out"
    start, inside = tokens[at].start, tokens[at + 1].end
    close = scan.partner[at]
    end = tokens[close].start
    edits = [Edit(start, inside + _margin(text[inside:]), "")]
    if close > at + 2 and scan.is_sign(close - 1, "%") and scan.follows(close - 1, "}"):
        end = tokens[close - 1].start
        kept = len(text[:end].rstrip())
        if kept > edits[0].end:
            edits.append(Edit(kept, tokens[close].end, ""))
    return _fault(tokens[at], message, hint, *edits), at + 1


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip())


def _braced(scan: Scan, at: int, inner: int, scope: Scope) -> _Found | None:
    """``{{...}}`` or ``${...}`` outside a string; ``inner`` is the innermost brace."""
    text, tokens = scan.text, scan.tokens
    close = scan.partner[inner]
    last = scan.partner[at] if tokens[at].sign == "{" else close
    if last not in (close, close + 1):
        return None
    expression = means_a_step(text[tokens[inner].end : tokens[close].start], scope)
    if expression is None:
        return None
    start, end = tokens[at].start, tokens[last].end
    message = f"there are no templates: {shown(text[start:end])}"
    beside = tokens[last + 1] if last + 1 < len(tokens) else None
    if not tokens[at].prefix or (beside is not None and beside.kind != "operator"):
        # Words stand beside it, so all of it is text.
        raw = text.replace("\\", "\\\\").replace('"', '\\"')
        pieces = joined(raw, templates(raw, scope), '"')
        edit = Edit(0, len(text), " & ".join(pieces))
        hint = "put the text between quotes and join the pieces with `&`"
        return _fault(tokens[at], message, hint, edit), len(tokens)
    if len(tokens) > last - at + 1:
        expression = grouped(expression)
    edit = Edit(start, end, expression)
    return _fault(tokens[at], message, "name the step without braces", edit), last


def _templated(scan: Scan, at: int, scope: Scope) -> _Found | None:
    """A template inside a string, or in backticks as in JavaScript."""
    tokens = scan.tokens
    token = tokens[at]
    raw = scan.text[token.start + 1 : token.end - 1]
    quote = scan.text[token.start]
    if token.kind == "quoted":
        raw, quote = raw.replace("\\", "\\\\").replace('"', '\\"'), '"'
    found = list(templates(raw, scope))
    if not found:
        return None
    pieces = joined(raw, found, quote)
    fixed = " & ".join(pieces)
    before = tokens[at - 1].sign if at else "("
    after = tokens[at + 1].sign if at + 1 < len(tokens) else ")"
    if len(pieces) > 1 and not (before in _CALM_BEFORE and after in _CALM_AFTER):
        fixed = f"({fixed})"
    message = f"there are no templates in text: {shown(raw[found[0].start : found[0].end])}"
    edit = Edit(token.start, token.end, fixed)
    return _fault(token, message, "join the pieces with `&`", edit), at


def _subscript(scan: Scan, at: int) -> _Found | None:
    """``[*]``, ``[?(...)]`` and ``['field']``."""
    tokens = scan.tokens
    last = scan.partner[at]
    inner = tokens[at + 1]
    start, end = tokens[at].start, tokens[last].end
    if last == at + 2 and inner.sign == "*":
        hint = "leave it out: a path goes through every item of a list by itself"
        return _fault(tokens[at], "there is no `[*]`", hint, Edit(start, end, "")), last
    if last == at + 2 and inner.kind == "string":
        name = str(inner.value)
        message = f"a string in brackets reads no field: {shown(scan.text[start:end])}"
        if "`" in name:
            return _fault(tokens[at], message, "write `$lookup(x, ...)`"), last
        edit = Edit(start, end, "." + field_text(name))
        return _fault(tokens[at], message, "write the field after a dot", edit), last
    if inner.sign in ("?", "?:", "??"):
        return _filtered(scan, at, last), at + 1
    return None


def _filtered(scan: Scan, at: int, last: int) -> Fault:
    """JSONPath's filter, where ``@`` is the row."""
    tokens = scan.tokens
    edits = [Edit(tokens[at + 1].start, tokens[at + 1].end, "")]
    if scan.is_sign(at + 2, "(") and scan.partner[at + 2] == last - 1:
        edits.append(Edit(tokens[at + 2].start, tokens[at + 2].end, ""))
        edits.append(Edit(tokens[last - 1].start, tokens[last - 1].end, ""))
    for place in range(at + 2, last):
        if scan.is_sign(place, "@"):
            dotted = scan.follows(place, ".")
            stop = tokens[place + 1].end if dotted else tokens[place].end
            edits.append(Edit(tokens[place].start, stop, "" if dotted else "$"))
    hint = "write the condition itself; a bare name in it is a field of the row"
    return _fault(tokens[at], "there is no `[?(...)]`", hint, *edits)


def _descent(scan: Scan, at: int, scope: Scope | None) -> _Found | None:
    """JSONPath's ``..``; in brackets it is a range, or meant as one."""
    token = scan.tokens[at]
    before = scan.tokens[at - 1] if at else None
    after = scan.tokens[at + 1] if at + 1 < len(scan.tokens) else None
    # To a name or a `*` JSONPath goes down; to a number or a call there goes only a range.
    named = after is None or after.kind in _NAMES or after.sign in ("*", "**", "[")
    ranged = scan.held_by(at) == "list" and not named
    if before is not None and before.kind == "variable" and before.value == "" and not ranged:
        some = scope.ids[0] if scope is not None and scope.ids else "<id>"
        hint = f"name the step and search below it with `**`: steps.{some}.**.name"
        return _fault(before, "there is no `$..`", hint), at
    if token.prefix or scan.held_by(at) in ("list", "predicate"):
        return None
    edit = Edit(token.start, token.end, ".**.")
    return _fault(token, "there is no `..` in a path", "search below with `**`", edit), at


def _stands_alone(scan: Scan, at: int) -> bool:
    """Whether a name is a whole operand: no part of a path, no call and no key."""
    after = scan.tokens[at + 1].sign if at + 1 < len(scan.tokens) else ""
    before = scan.tokens[at - 1].sign if at else ""
    # Before a `:` stands a key, or what a condition gives.
    is_key = after == ":" and before in ("{", ",") and scan.held_by(at) in ("object", "group")
    return scan.tokens[at].prefix and before != "." and after not in (".", "(") and not is_key


def _word(scan: Scan, at: int) -> Fault:
    token = scan.tokens[at]
    meant = _WORDS[str(token.value)]
    hint = f"write `{meant}`"
    edits: tuple[Edit, ...] = (Edit(token.start, token.end, meant),)
    if meant == "null":
        hint += "; whether a value is there at all, `$exists(...)` tells"
        if scan.is_sign(at - 1, "=") and not scan.is_sign(at - 2, "="):
            strict = token.value == "undefined"
            made = absence(scan, at - 1, at - 1, equal=True, strict=strict)
            hint, edits = made or (hint, edits)
        after = scan.tokens[at + 1].sign if at + 1 < len(scan.tokens) else ""
        if token.value == "undefined" and after in ("=", "!="):
            edits = ()
    return _fault(token, f"`{token.value}` is read as a field's name", hint, *edits)
