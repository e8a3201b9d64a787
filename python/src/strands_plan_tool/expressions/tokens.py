"""The tokens of an expression, each told by itself: as the reference's tokenizer tells them."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from strands_plan_tool.expressions.problems import Edit, Fault

__all__ = [
    "CLOSING",
    "OPENING",
    "VALUES",
    "Pattern",
    "Token",
    "UntoldError",
    "endless",
    "next_piece",
    "number_of",
    "regex_at",
    "text_of",
    "untold",
]

Kind: TypeAlias = Literal[
    "name", "quoted", "variable", "string", "number", "value", "operator", "regex"
]

OPENING: Final = {"(": ")", "[": "]", "{": "}"}
CLOSING: Final = frozenset(")]}")
VALUES: Final = {"true": True, "false": False, "null": None}

_LARGEST_INTEGER: Final = 2**53 - 1
_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


class Pattern(NamedTuple):
    """A regular expression as written; it is never given to a regular expression engine."""

    source: str
    flags: str


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

    @property
    def sign(self) -> str:
        """The operator that it is; ``""`` if it is none."""
        return str(self.value) if self.kind == "operator" else ""


class UntoldError(Exception):
    """What stopped the reading of a text."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


next_piece: Final = re.compile(
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
).match
"""The piece at a position, by the name of its group; every text has one everywhere."""

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_MARKUP: Final = re.compile(r"</?[a-zA-Z_:]+")


def untold(position: int, message: str, hint: str, *edits: Edit) -> UntoldError:
    """A ``syntax`` fault to raise."""
    return UntoldError(Fault("syntax", position, message, hint, edits))


def text_of(text: str, start: int, end: int) -> str:
    """The value of a string literal, its escapes read and surrogate pairs joined.

    Raises:
        UntoldError: An escape is none, or half of a surrogate pair stands alone.
    """
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
            raise untold(
                start + 1 + escape.start(),
                f"`\\{letter}` is no escape in a string",
                'the escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex'
                " digits; a backslash itself is \\\\",
            )
        return _ESCAPES[letter]

    value = _ESCAPE.sub(plain, body)
    if not halves:
        return value
    try:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise untold(
            start,
            "the string has half of a surrogate pair",
            "write both halves, or the character itself",
        ) from None


def number_of(digits: str, start: int) -> int | float:
    """The value of a number literal; a whole one within ±(2^53-1) is an integer.

    Raises:
        UntoldError: No double is as large.
    """
    value = float(digits)
    if value == float("inf"):
        raise untold(start, "the number is too large", "write a number below 1.8e308")
    return int(value) if value.is_integer() and value <= _LARGEST_INTEGER else value


def regex_at(text: str, start: int) -> tuple[Pattern, int]:
    """The regular expression whose first ``/`` stands at ``start``, and where it ends.

    Raises:
        UntoldError: It does not end, or it is empty.
    """
    depth = slashes = 0
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
    leak = _MARKUP.match(text, start - 1) if start else None
    if leak is not None:
        raise untold(
            start - 1,
            f"markup of a tool call, `{leak.group()}`, is in the expression",
            "remove it and all that follows it",
            Edit(start - 1, len(text), ""),
        )
    raise untold(
        start,
        "a `/` here opens a regular expression, and that does not end",
        "to divide, put what stands before the `/` in parentheses",
    )


def endless(text: str, start: int) -> UntoldError:
    """The fault of a string or a quoted name that does not end."""
    if text[start] == "`":
        return untold(start, "the name in backticks does not end", "close it with a backtick")
    return untold(
        start,
        f"the string does not end: no {text[start]} follows",
        "close it; text that holds a ' belongs between double quotes",
    )
