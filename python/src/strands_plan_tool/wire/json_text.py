"""JSON text, read by the standard's letter, and where a text breaks it.

What the two languages' parsers read unlike each other (``NaN``, numbers of thousands of
digits, brackets a hundred thousand deep) ends here with a code; what one of them would
merely call an error is named with its place and the edit that mends it.
"""

from __future__ import annotations

import json
import re
from typing import Final

from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.models import Code

__all__ = ["MAX_DEPTH", "JsonTextError", "loads"]

MAX_DEPTH: Final = 64
"""Containers that may stand in one another."""

# More digits than a double is exact to; the value only has to be seen to be unsafe, and
# Python's own conversion takes quadratic time and ends with an error.
_SAFE_DIGITS: Final = 17
_NEAR: Final = 16

# The end quote is optional so that a text of unclosed quotes is still walked once only.
_STRING: Final = re.compile(r'"(?:[^"\\]+|\\.)*+"?', re.DOTALL)
_NO_BRACKETS: Final = re.compile(r"[^\[\]{}]+")
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_IN_STRING: Final = re.compile(r'(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMERIC: Final = re.compile(r"[0-9.+-]")
_GLUED: Final = re.compile(r"[0-9A-Za-z_.+-]")
_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_WORDS: Final = {
    "True": "true",
    "False": "false",
    "None": "null",
    "nil": "null",
    "undefined": "null",
    "NaN": "null",
    "Infinity": "null",
}


class JsonTextError(Exception):
    """A text is not JSON, or nests too deep to be read.

    Args:
        code: ``json_syntax`` or ``too_deep``.
        message: What is wrong, and where.
        hint: The edit that mends it.
    """

    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


def loads(text: str) -> object:
    """The value of a JSON text: of a repeated key the last, in the place of the first.

    Raises:
        JsonTextError: It is no JSON, or nests over 64 deep.
    """
    if _nests_too_deep(text):
        raise JsonTextError(
            Code.TOO_DEEP, f"it nests over {MAX_DEPTH} levels", "flatten what nests deepest"
        )
    try:
        value: object = json.loads(text, parse_constant=_refused, parse_int=_integer)
    except ValueError:
        at, what, hint = _fault(text)
        near = f", at {quoted(text[at : at + _NEAR])}" if at < len(text) else ""
        raise JsonTextError(
            Code.JSON_SYNTAX, f"not JSON at position {at}{near}: {what}", hint
        ) from None
    return value


def _refused(name: str) -> object:
    raise ValueError(name)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _SAFE_DIGITS else float(digits)


def _nests_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in _NO_BRACKETS.sub("", _STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _fault(text: str) -> tuple[int, str, str]:
    """Where a text stops being JSON, what is wrong there, and the edit."""
    closers: list[str] = []
    expected = "value"
    opened = False
    at = 0
    while True:
        at = _end(_SPACE, text, at)
        if at == len(text):
            if expected == "next":
                return at, "it ends too early", f"add {''.join(reversed(closers))} at its end"
            return at, "it ends too early", "write the rest of it"
        char = text[at]
        if expected == "end":
            return at, "more text follows the JSON", "remove what follows it"
        if closers and char == closers[-1] and (expected == "next" or opened):
            closers.pop()
            expected, opened = "next" if closers else "end", False
            at += 1
        elif expected == "next":
            if char != ",":
                return at, *_no_comma(char, closers[-1])
            expected = "key" if closers[-1] == "}" else "value"
            at += 1
        elif expected == "colon":
            if char != ":":
                return at, "a colon is missing after a key", "put a colon before it"
            expected = "value"
            at += 1
        elif char == '"':
            at = _end(_IN_STRING, text, at + 1)
            if text[at : at + 1] != '"':
                return at, *_in_string(text, at)
            expected = "colon" if expected == "key" else _after(closers)
            opened = False
            at += 1
        elif expected == "key":
            return at, *_no_key(text, at)
        elif char in "[{":
            closers.append("]" if char == "[" else "}")
            expected, opened = "value" if char == "[" else "key", True
            at += 1
        else:
            end = _scalar(text, at)
            if end is None:
                return at, *_no_value(text, at)
            expected, opened = _after(closers), False
            at = end


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _after(closers: list[str]) -> str:
    return "next" if closers else "end"


def _scalar(text: str, at: int) -> int | None:
    """Where a number, true, false or null at ``at`` ends; None if there is none."""
    word = _WORD.match(text, at)
    if word:
        return word.end() if word[0] in ("true", "false", "null") else None
    number = _NUMBER.match(text, at)
    if number and not _GLUED.match(text, number.end()):
        return number.end()
    return None


def _no_comma(char: str, closer: str) -> tuple[str, str]:
    if char in "]}":
        return f"{char} stands where {closer} closes", f"change {char} to {closer}"
    return "a comma is missing", "put a comma before it"


def _no_key(text: str, at: int) -> tuple[str, str]:
    if text[at] == "}":
        return "a comma before }", "remove the comma"
    word = _WORD.match(text, at)
    if word:
        return "a key without quotes", f"change {word[0]} to {quoted(word[0])}"
    return _foreign(text, at) or ("a key must be here", "write a key in double quotes")


def _no_value(text: str, at: int) -> tuple[str, str]:
    if text[at] in "]}":
        return f"a value must be before {text[at]}", "remove the comma or write a value"
    word = _WORD.match(text, at)
    if word and word[0] in _WORDS:
        return f"{word[0]} is not JSON", f"change {word[0]} to {_WORDS[word[0]]}"
    if word:
        return "text without quotes", f"change {word[0]} to {quoted(word[0])}"
    if _NUMERIC.match(text, at):
        return "not a number as JSON writes it", "write it like 0, -12 or 3.5"
    return _foreign(text, at) or ("a value must be here", "write a value")


def _foreign(text: str, at: int) -> tuple[str, str] | None:
    if text[at] == "'":
        return "single quotes", "use double quotes"
    if text[at] in "/#":
        return "a comment", "remove the comment"
    if text[at] == "\ufeff":
        return "a byte order mark", "remove it"
    return None


def _in_string(text: str, at: int) -> tuple[str, str]:
    if at == len(text):
        return "a string is not closed", 'close it with "'
    if text[at] == "\\":
        return "a wrong escape in a string", "write two backslashes for a backslash"
    return "a raw control character in a string", "write \\n for a line break, \\t for a tab"
