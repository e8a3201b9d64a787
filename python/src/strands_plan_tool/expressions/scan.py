"""Reads an expression's text before any parser does: its tokens, brackets and limits.

One pass from left to right, so that a hostile text costs no more than its length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from strands_plan_tool.expressions.problems import Edit, Fault
from strands_plan_tool.expressions.tokens import (
    CLOSING,
    OPENING,
    VALUES,
    Token,
    UntoldError,
    endless,
    next_piece,
    number_of,
    regex_at,
    text_of,
    untold,
)

__all__ = ["MAX_EXPRESSIONS", "MAX_EXPRESSION_BYTES", "MAX_LENGTH", "Scan", "scan"]

MAX_LENGTH: Final = 4096
"""The most code points of one expression."""

MAX_EXPRESSIONS: Final = 1000
"""The most expressions of a plan that are not wholly a plain path."""

MAX_EXPRESSION_BYTES: Final = 65_536
"""The most bytes of UTF-8 that those expressions have together."""

_MAX_DEPTH: Final = 64
_MAX_RUN: Final = 256
_MAX_FALLBACKS: Final = 3
_FUNCTION: Final = frozenset({"function", "λ"})


@dataclass(slots=True)
class Scan:
    """A text in tokens.

    Attributes:
        holder: The index of the innermost opening bracket around each token; -1 outside.
        partner: The index of each bracket's other half, by the index of either.
        opens: What an opening bracket opens, by its index: ``block``, ``sort``, ``call``,
            ``params`` or ``body`` (of a function), ``list``, ``predicate``, ``object`` or
            ``group``.
        fault: What stopped the reading, if anything did.
    """

    text: str
    tokens: list[Token] = field(default_factory=list)
    holder: list[int] = field(default_factory=list)
    partner: dict[int, int] = field(default_factory=dict)
    opens: dict[int, str] = field(default_factory=dict)
    fault: Fault | None = None
    _starts: dict[int, int] | None = None

    def is_sign(self, at: int, sign: str) -> bool:
        """Whether the token at an index is an operator; there need be none."""
        return 0 <= at < len(self.tokens) and self.tokens[at].sign == sign

    def follows(self, at: int, sign: str) -> bool:
        """Whether an operator comes right after a token, with no space between."""
        return self.is_sign(at + 1, sign) and self.tokens[at + 1].start == self.tokens[at].end

    def index_of(self, position: int) -> int:
        """The index of the token that starts at a position."""
        if self._starts is None:
            self._starts = {token.start: at for at, token in enumerate(self.tokens)}
        return self._starts[position]

    def held_by(self, at: int) -> str | None:
        """What the innermost bracket around a token opens; None outside of any."""
        return self.opens.get(self.holder[at])


@dataclass(slots=True)
class _Bracket:
    """A bracket that is open (the whole text is one) and the counts of the limits in it.

    Attributes:
        before: The depth to go back to when it is closed.
        base: The depth to go back to at ``,`` and ``;``.
        run: The operators, dots and postfix brackets since the last mark in it.
        fallback: Where the first ``??`` or ``?:`` directly in it stands.
        height: How many brackets in one another below it hold one.
    """

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
                f"the expression has {len(text)} characters, and {MAX_LENGTH} are allowed",
                "shorten it, or split the work over several steps or bindings",
            )
        if not text.isascii():
            for at, letter in enumerate(text):
                if "\ud800" <= letter <= "\udfff":
                    raise untold(at, "half of a surrogate pair is no character", "remove it")
        _read(found)
    except UntoldError as stopped:
        found.fault = stopped.fault
    return found


def _read(found: Scan) -> None:
    text, tokens, opens, holder = found.text, found.tokens, found.opens, found.holder
    here = _Bracket(-1, 0, 0)
    brackets = [here]
    depth = position = 0
    operand = True  # whether one is due
    while position < len(text):
        piece = next_piece(text, position)
        assert piece is not None
        start, position = position, piece.end()
        kind = piece.lastgroup
        if kind in ("space", "comment"):
            continue
        holder.append(here.index)
        if kind == "word":
            word = piece.group()
            if word[0] == "$":
                tokens.append(Token("variable", word[1:], start, position, operand))
            elif word in VALUES:
                tokens.append(Token("value", VALUES[word], start, position, operand))
            elif word in ("and", "or", "in") and not operand:
                tokens.append(Token("operator", word, start, position, False))
                here.run = _run(here.run, start)
                operand = True
                continue
            else:
                tokens.append(Token("name", word, start, position, operand))
            operand = False
        elif kind == "operator":
            sign = piece.group()
            if sign == "/" and text.startswith("/*", start):
                raise untold(start, "the comment does not end", "close it with */ or remove it")
            if sign == "/" and _regex_is_due(tokens):
                pattern, position = regex_at(text, start)
                tokens.append(Token("regex", pattern, start, position, operand))
                operand = False
                continue
            index = len(tokens)
            tokens.append(Token("operator", sign, start, position, operand))
            if sign in OPENING:
                opens[index] = _opened(found, index)
                if opens[index] in ("call", "predicate", "group"):
                    here.run = _run(here.run, start)
                here = _Bracket(index, depth, depth + 1)
                brackets.append(here)
                depth = _deeper(depth, start)
                operand = True
            elif sign in CLOSING:
                _pair(found, here, index)
                depth = here.before
                height = _height(here)
                brackets.pop()
                here = brackets[-1]
                here.height = max(here.height, height)
                operand = False
            elif sign in (",", ";"):
                depth, here.run, operand = here.base, 0, True
            elif sign in ("?", ":=") or (sign == "-" and operand):
                depth, here.run, operand = _deeper(depth, start), 0, True
            elif operand and sign in ("*", "**", "%"):
                operand = False
            else:
                if not operand and sign not in (":", "!", "~"):
                    here.run = _run(here.run, start)
                    if sign in ("??", "?:") and here.fallback is None:
                        here.fallback = start
                operand = True
        elif kind == "string":
            value = text_of(text, start, position)
            tokens.append(Token("string", value, start, position, operand))
            operand = False
        elif kind == "number":
            number = number_of(piece.group(), start)
            tokens.append(Token("number", number, start, position, operand))
            operand = False
        elif kind == "quoted":
            name = text[start + 1 : position - 1]
            tokens.append(Token("quoted", name, start, position, operand))
            operand = False
        elif kind == "open":
            raise endless(text, start)
    if here.index >= 0:
        raise _unclosed(found, here)
    _height(here)


def _opened(found: Scan, index: int) -> str:
    """What the opening bracket at an index opens."""
    tokens = found.tokens
    sign, prefix = tokens[index].sign, tokens[index].prefix
    before = tokens[index - 1] if index else None
    if sign == "[":
        return "list" if prefix else "predicate"
    if sign == "{":
        if prefix:
            return "object"
        opener = found.partner.get(index - 1, -1)
        return "body" if found.opens.get(opener) == "params" else "group"
    if prefix or before is None:
        return "sort" if before is not None and before.sign == "^" else "block"
    return (
        "params" if before.kind in ("name", "quoted") and before.value in _FUNCTION else "call"
    )


def _regex_is_due(tokens: list[Token]) -> bool:
    """``/`` divides after a name, a variable, a literal or a closing bracket."""
    return not tokens or (tokens[-1].kind == "operator" and tokens[-1].sign not in CLOSING)


def _pair(found: Scan, here: _Bracket, index: int) -> None:
    closing = found.tokens[index]
    if here.index < 0:
        gone = Edit(closing.start, closing.end, "")
        raise untold(closing.start, f"the `{closing.sign}` closes nothing", "remove it", gone)
    opening = found.tokens[here.index]
    wanted = OPENING[opening.sign]
    if wanted != closing.sign:
        raise untold(
            closing.start,
            f"the `{closing.sign}` cannot close the `{opening.sign}` at {opening.start}",
            f"write `{wanted}` there, or open what it closes",
        )
    found.partner[index], found.partner[here.index] = here.index, index


def _unclosed(found: Scan, here: _Bracket) -> UntoldError:
    opening, end = found.tokens[here.index], found.tokens[-1].end
    wanted = OPENING[opening.sign]
    message = f"the `{opening.sign}` is never closed"
    return untold(opening.start, message, f"add the `{wanted}`", Edit(end, end, wanted))


def _deeper(depth: int, position: int) -> int:
    if depth >= _MAX_DEPTH:
        raise _limit(
            position,
            f"the expression nests more than {_MAX_DEPTH} deep (brackets, signs, `?` and `:=`)",
            "compute the inner part in a step or binding of its own",
        )
    return depth + 1


def _run(run: int, position: int) -> int:
    if run >= _MAX_RUN:
        raise _limit(
            position,
            f"more than {_MAX_RUN} operators, dots and brackets follow one another",
            "split the expression over several steps or bindings",
        )
    return run + 1


def _height(bracket: _Bracket) -> int:
    """How many brackets, this one and below, directly hold a ``??`` or ``?:``."""
    if bracket.fallback is None:
        return bracket.height
    if bracket.height >= _MAX_FALLBACKS:
        raise _limit(
            bracket.fallback,
            f"`??` and `?:` stand in more than {_MAX_FALLBACKS} brackets that hold one",
            "write a ?? b ?? c, or name the inner value first: ($x := a ?? b; $x ?? c)",
        )
    return bracket.height + 1


def _limit(position: int, message: str, hint: str) -> UntoldError:
    return UntoldError(Fault("expression_limit", position, message, hint))
