"""Reads an expression's text before any parser does: its tokens, brackets and limits.

One pass from left to right, so that a hostile text costs no more than its length. It
also holds what every check of an expression speaks in: ``Scope``, ``Fault``, ``Edit``
and ``Problem``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = [
    "MAX_EXPRESSIONS",
    "MAX_EXPRESSION_BYTES",
    "MAX_LENGTH",
    "Edit",
    "Fault",
    "Pattern",
    "Problem",
    "Scan",
    "Scope",
    "Token",
    "edited",
    "scan",
    "shown",
]

MAX_LENGTH: Final = 4096
"""The most code points of one expression."""

MAX_EXPRESSIONS: Final = 1000
"""The most expressions of a plan that are not wholly a plain path."""

MAX_EXPRESSION_BYTES: Final = 65_536
"""The most bytes of UTF-8 that those expressions have together."""

_MAX_DEPTH: Final = 64
_MAX_RUN: Final = 256
_MAX_FALLBACKS: Final = 3
_SHOWN: Final = 40

Field: TypeAlias = Literal["bind", "when", "for_each", "output"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may name, and where in a plan it stands.

    Attributes:
        ids: The ids of the plan's steps.
        field: The field that holds the expression.
        has_item: Whether ``item`` and ``index`` are there: in ``bind`` under ``for_each``.
        inputs: The names that the host passed as ``input``; None accepts any.
    """

    ids: tuple[str, ...]
    field: Field = "bind"
    has_item: bool = False
    inputs: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an expression cannot run: a code of the closed list, what, the edit, and where.

    Attributes:
        position: In code points from 0.
    """

    code: str
    message: str
    hint: str
    position: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces ``text[start:end]``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem in the making: its hint gains the whole text with every edit made."""

    code: str
    position: int
    message: str
    hint: str
    edits: tuple[Edit, ...] = ()


class Pattern(NamedTuple):
    """A regular expression as written; it is never given to a regular expression engine."""

    source: str
    flags: str


Kind: TypeAlias = Literal[
    "name", "quoted", "variable", "string", "number", "value", "operator", "regex"
]


class Token(NamedTuple):
    """A piece of the text.

    Attributes:
        prefix: Whether it stands where an operand is due: ``-`` is then a sign, ``*`` a
            wildcard, ``[`` a list.
    """

    kind: Kind
    value: str | int | float | bool | Pattern | None
    start: int
    end: int
    prefix: bool


@dataclass(slots=True)
class Scan:
    """A text in tokens.

    Attributes:
        partner: The index of each bracket's other half, by the index of either.
        opens: What an opening bracket opens, by its index: ``block``, ``sort``, ``call``,
            ``params`` or ``body`` (of a function), ``list``, ``predicate``, ``object`` or
            ``group``.
        fault: What stopped the reading, if anything did.
    """

    text: str
    tokens: list[Token] = field(default_factory=list)
    partner: dict[int, int] = field(default_factory=dict)
    opens: dict[int, str] = field(default_factory=dict)
    fault: Fault | None = None


_TOKEN = re.compile(
    r"""(?P<space>[ \t\n\r\v]+)
      | (?P<word>[^ \t\n\r\v.\[\]{}(),@\#;:?+\-*/%|=<>^&!~"'`0-9]
                 [^ \t\n\r\v.\[\]{}(),@\#;:?+\-*/%|=<>^&!~]*)
      | (?P<comment>/\*.*?\*/)
      | (?P<operator>\.\.|:=|!=|>=|<=|\*\*|~>|\?:|\?\?|[.\[\]{}(),@\#;:?+\-*/%|=<>^&!~])
      | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')
      | (?P<number>(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?)
      | (?P<quoted>`[^`]*`)
      | (?P<open>["'`])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES: Final = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_VALUES: Final = {"true": True, "false": False, "null": None}
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSING: Final = frozenset(")]}")
_LARGEST: Final = 2**53 - 1


class _Bad(Exception):
    """Stops the pass with a fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class _Bracket:
    """A bracket that is open (the whole text is one) and the counts of the limits in it."""

    index: int
    before: int
    base: int
    run: int = 0
    fallback: int | None = None
    height: int = 0


def scan(text: str) -> Scan:
    """The tokens of a text, up to its end or to a fault.

    A fault is an ``expression_limit`` or a ``syntax`` that is plain without parsing: a
    string that does not end, a bracket without its other half.
    """
    found = Scan(text)
    try:
        if len(text) > MAX_LENGTH:
            raise _limit(
                MAX_LENGTH,
                f"The expression has {len(text)} characters; at most {MAX_LENGTH} are allowed",
                "Shorten it, or split the work over several steps or bindings.",
            )
        if not text.isascii():
            for at, letter in enumerate(text):
                if "\ud800" <= letter <= "\udfff":
                    raise _bad(at, "Half of a surrogate pair is no character", "Remove it.")
        _read(found)
    except _Bad as stopped:
        found.fault = stopped.fault
    return found


def _read(found: Scan) -> None:
    text, tokens, partner, opens = found.text, found.tokens, found.partner, found.opens
    match = _TOKEN.match
    here = _Bracket(-1, 0, 0)
    brackets = [here]
    depth = position = 0
    operand = True
    size = len(text)
    while position < size:
        piece = match(text, position)
        assert piece is not None
        kind = piece.lastgroup
        start, position = position, piece.end()
        if kind == "word":
            word = piece.group()
            if word[0] == "$":
                tokens.append(Token("variable", word[1:], start, position, operand))
            elif word in _VALUES:
                tokens.append(Token("value", _VALUES[word], start, position, operand))
            elif word in ("and", "or", "in") and not operand:
                tokens.append(Token("operator", word, start, position, operand))
                here.run = _run(here.run, start)
                operand = True
                continue
            else:
                tokens.append(Token("name", word, start, position, operand))
            operand = False
        elif kind == "operator":
            sign = piece.group()
            if sign == "/" and text.startswith("/*", start):
                raise _bad(start, "The comment has no end", "Close it with */ or remove it.")
            if sign == "/" and _regex_is_due(tokens):
                pattern, position = _regex(text, start)
                tokens.append(Token("regex", pattern, start, position, operand))
                operand = False
                continue
            index = len(tokens)
            tokens.append(Token("operator", sign, start, position, operand))
            if sign in _OPENING:
                what = opens[index] = _opened(found, index)
                if what in ("call", "predicate", "group"):
                    here.run = _run(here.run, start)
                here = _Bracket(index, depth, depth + 1)
                brackets.append(here)
                depth = _deeper(depth, start)
                operand = True
            elif sign in _CLOSING:
                if here.index < 0 or _OPENING[str(tokens[here.index].value)] != sign:
                    raise _unpaired(found, here, index)
                partner[index], partner[here.index] = here.index, index
                depth = here.before
                brackets.pop()
                height = _height(here)
                here = brackets[-1]
                here.height = max(here.height, height)
                operand = False
            elif sign in (",", ";"):
                depth, here.run, operand = here.base, 0, True
            elif sign in ("?", ":=") or (sign == "-" and operand):
                depth, here.run, operand = _deeper(depth, start), 0, True
            elif operand and sign in ("*", "**", "%"):
                operand = False
            elif not operand and sign not in (":", "!", "~"):
                here.run = _run(here.run, start)
                if sign in ("??", "?:") and here.fallback is None:
                    here.fallback = start
                operand = True
            else:
                operand = True
        elif kind == "string":
            value = _unescaped(text, start, position)
            tokens.append(Token("string", value, start, position, operand))
            operand = False
        elif kind == "number":
            tokens.append(Token("number", _number(piece.group(), start), start, position, operand))
            operand = False
        elif kind == "quoted":
            tokens.append(Token("quoted", text[start + 1 : position - 1], start, position, operand))
            operand = False
        elif kind == "open":
            raise _endless(text, start)
    if here.index >= 0:
        raise _unpaired(found, here, None)
    _height(here)


def _opened(found: Scan, index: int) -> str:
    """What the opening bracket at an index opens."""
    tokens = found.tokens
    sign, prefix = tokens[index].value, tokens[index].prefix
    before = tokens[index - 1] if index else None
    if sign == "[":
        return "list" if prefix else "predicate"
    if sign == "{":
        if prefix:
            return "object"
        opener = found.partner.get(index - 1, -1)
        return "body" if found.opens.get(opener) == "params" else "group"
    if prefix or before is None:
        return "sort" if before is not None and before.value == "^" else "block"
    return "params" if before.kind in ("name", "quoted") and before.value in _FUNCTION else "call"


_FUNCTION: Final = frozenset({"function", "λ"})


def _regex_is_due(tokens: list[Token]) -> bool:
    """``/`` divides after a name, a variable, a literal or a closing bracket."""
    if not tokens:
        return True
    last = tokens[-1]
    return last.kind == "operator" and last.value not in _CLOSING


def _regex(text: str, start: int) -> tuple[Pattern, int]:
    """The regular expression whose first ``/`` stands at ``start``, and where it ends."""
    depth = 0
    slashes = 0
    for at in range(start + 1, len(text)):
        letter = text[at]
        if letter == "/" and depth == 0 and slashes % 2 == 0:
            if at == start + 1:
                break
            end = at + 1
            while end < len(text) and text[end] in "im":
                end += 1
            return Pattern(text[start + 1 : at], text[at + 1 : end]), end
        if slashes == 0:
            depth += (letter in "([{") - (letter in ")]}")
        slashes = slashes + 1 if letter == "\\" else 0
    leak = re.compile(r"</?[a-zA-Z_:]+").match(text, start - 1) if start else None
    if leak:
        raise _Bad(
            Fault(
                "syntax", start - 1, f"Markup of a tool call, {leak.group()}, is in the expression",
                "Remove it and all that follows it.", (Edit(start - 1, len(text), ""),),
            )
        )  # fmt: skip
    raise _bad(
        start,
        'A "/" here opens a regular expression, and it does not end',
        "To divide, put what stands left of it in parentheses.",
    )


def _unescaped(text: str, start: int, end: int) -> str:
    body = text[start + 1 : end - 1]
    if "\\" not in body:
        return body
    halves = False

    def plain(escape: re.Match[str]) -> str:
        nonlocal halves
        code, letter = escape.groups()
        if code is not None:
            halves = halves or code[0] in "dD"
            return chr(int(code, 16))
        if letter not in _ESCAPES:
            raise _bad(
                start + 1 + escape.start(),
                f"\\{letter} is no escape in a string",
                'Escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits;'
                " a backslash itself is \\\\.",
            )
        return _ESCAPES[letter]

    value = _ESCAPE.sub(plain, body)
    if not halves:
        return value
    try:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise _bad(
            start,
            "The string has half of a surrogate pair",
            "Write both halves, or the character itself.",
        ) from None


def _number(digits: str, start: int) -> int | float:
    value = float(digits)
    if value == float("inf"):
        raise _bad(start, "The number is too large", "Write a number below 1.8e308.")
    return int(value) if value.is_integer() and value <= _LARGEST else value


def _deeper(depth: int, position: int) -> int:
    if depth >= _MAX_DEPTH:
        raise _limit(
            position,
            f"The expression is nested more than {_MAX_DEPTH} deep (brackets, signs, ? and :=)",
            "Compute the inner part in a step or binding of its own.",
        )
    return depth + 1


def _run(run: int, position: int) -> int:
    if run >= _MAX_RUN:
        raise _limit(
            position,
            f"More than {_MAX_RUN} operators, dots and brackets follow one another",
            "Split the expression over several steps or bindings.",
        )
    return run + 1


def _height(bracket: _Bracket) -> int:
    """How many brackets, this one and below, directly hold a ``??`` or ``?:``, one in another."""
    if bracket.fallback is None:
        return bracket.height
    if bracket.height >= _MAX_FALLBACKS:
        raise _limit(
            bracket.fallback,
            f"?? and ?: are nested in more than {_MAX_FALLBACKS} brackets",
            "Write a ?? b ?? c, or name the inner value first: ($x := a ?? b; $x ?? c).",
        )
    return bracket.height + 1


def _unpaired(found: Scan, here: _Bracket, index: int | None) -> _Bad:
    tokens = found.tokens
    if index is None or here.index >= 0:
        opening = tokens[here.index]
        wanted = _OPENING[str(opening.value)]
        if index is None:
            message = f"The {opening.value} is never closed"
            end = Edit(tokens[-1].end, tokens[-1].end, wanted)
            return _Bad(Fault("syntax", opening.start, message, f"Add the {wanted}.", (end,)))
        return _bad(
            tokens[index].start,
            f"A {tokens[index].value} closes the {opening.value} of position {opening.start}",
            f"Write {wanted} there, or open what it closes.",
        )
    closing = tokens[index]
    gone = Edit(closing.start, closing.end, "")
    message = f"The {closing.value} closes nothing"
    return _Bad(Fault("syntax", closing.start, message, "Remove it.", (gone,)))


def _endless(text: str, start: int) -> _Bad:
    if text[start] == "`":
        return _bad(start, "The name in backticks has no end", "Close it with a backtick.")
    return _bad(
        start,
        f"The string has no end: no {text[start]} follows",
        "Close it; text that holds a ' belongs between double quotes.",
    )


def _bad(position: int, message: str, hint: str) -> _Bad:
    return _Bad(Fault("syntax", position, message, hint))


def _limit(position: int, message: str, hint: str) -> _Bad:
    return _Bad(Fault("expression_limit", position, message, hint))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; of two that overlap, the one that starts first."""
    parts = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join(parts) + text[at:]


def shown(text: str) -> str:
    """A piece of an expression for a message, cut to 40 code points."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
