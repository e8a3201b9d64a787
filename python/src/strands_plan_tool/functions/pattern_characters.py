"""Reads what in a regular expression stands for one character: itself, an escape, a class."""

from __future__ import annotations

from typing import Final

from strands_plan_tool.functions.pattern_errors import escape_error, refused, syntax
from strands_plan_tool.functions.pattern_sets import (
    DIGIT,
    LAST_ASCII,
    SPACE,
    WORD,
    CodePoints,
    complement,
    single,
    union,
    with_both_cases,
)

__all__ = ["CharacterReader"]

_SETS: Final[dict[str, CodePoints]] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "s": SPACE,
    "S": complement(SPACE),
    "w": WORD,
    "W": complement(WORD),
}
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_HEX_LENGTHS: Final = {"x": 2, "u": 4}


class CharacterReader:
    """A place in a pattern, and the reading of the character that stands there.

    Attributes:
        ignore_case: Letters stand for both their cases, and must be of ASCII.
        at: Where it is; each reading goes past what it has read.
    """

    def __init__(self, source: str, ignore_case: bool) -> None:
        self.source = source
        self.ignore_case = ignore_case
        self.at = 0

    def literal(self, at: int, letter: str) -> CodePoints:
        """One character, which under the flag i must be of ASCII."""
        points = single(letter)
        if not self.ignore_case:
            return points
        if ord(letter) > LAST_ASCII:
            raise refused(
                at,
                "a character beyond ASCII under the flag i",
                "Leave out the flag, and write each case: (?:é|É) or [éÉ].",
            )
        return with_both_cases(points)

    def escaped(self, at: int) -> tuple[CodePoints, int | None]:
        """What an escape stands for; the code point too if it is one character."""
        if self.at == len(self.source):
            raise syntax(at, "a backslash at its end", "Write \\\\ for the character.")
        letter = self.source[self.at]
        self.at += 1
        if letter in _SETS:
            return _SETS[letter], None
        if letter in _CONTROLS:
            char = _CONTROLS[letter]
        elif letter in _HEX_LENGTHS:
            char = self.coded(at, letter)
        elif (" " <= letter <= "~") and not letter.isalnum():
            char = letter
        else:
            raise escape_error(at, letter)
        return self.literal(at, char), ord(char)

    def coded(self, at: int, letter: str) -> str:
        length = _HEX_LENGTHS[letter]
        digits = self.source[self.at : self.at + length]
        if len(digits) < length or not _HEX.issuperset(digits):
            if digits.startswith("{"):
                hint = "Write \\u with four hex digits, or the character itself."
            else:
                hint = f"Write {length} hex digits after it, or {letter} for the letter."
            raise refused(at, f"\\{letter} without its {length} hex digits", hint)
        self.at += length
        char = chr(int(digits, 16))
        if "\ud800" <= char <= "\udfff":
            raise refused(at, "half of a surrogate pair", "Write the whole character itself.")
        return char

    def char_class(self, at: int) -> CodePoints:
        """``[...]``, whose ``[`` was read."""
        source = self.source
        negated = source.startswith("^", self.at)
        self.at += negated
        if source.startswith("]", self.at):
            raise refused(
                at,
                f"an empty class, {source[at : self.at + 1]}",
                "Write [\\s\\S] for any character."
                if negated
                else "Write what it is to match, and \\] for the bracket.",
            )
        found: list[tuple[int, int]] = []
        while not source.startswith("]", self.at):
            start = self.at
            first, low = self.class_member(at)
            if not source.startswith("-", self.at) or source.startswith("-]", self.at):
                found += first
                continue
            self.at += 1
            last, high = self.class_member(at)
            if low is None or high is None:
                # With a set at either end the dash is a character, as in [\w-.].
                found += (*first, *last, *single("-"))
            elif low > high:
                raise syntax(
                    start,
                    f"the range {source[start : self.at]}, whose end comes before its start",
                    "Write the smaller one first, or \\- for the dash itself.",
                )
            else:
                found.append((low, high))
        self.at += 1
        points = union(found)
        if self.ignore_case:
            points = with_both_cases(points)
        return complement(points) if negated else points

    def class_member(self, opening: int) -> tuple[CodePoints, int | None]:
        at = self.at
        if at == len(self.source):
            raise syntax(opening, "a [ without its ]", "Close it, or write \\[.")
        letter = self.source[at]
        self.at += 1
        if letter == "\\":
            if self.source.startswith("b", self.at):
                self.at += 1
                return single("\b"), ord("\b")
            return self.escaped(at)
        if letter == "[" and self.is_posix(at):
            raise refused(
                at,
                f"a POSIX class, {self.source[at : self.source.index(':]', at) + 2]}",
                "Name the characters, as in [a-zA-Z], or write \\d, \\w or \\s.",
            )
        return self.literal(at, letter), ord(letter)

    def is_posix(self, at: int) -> bool:
        end = self.source.find(":]", at + 2)
        name = self.source[at + 2 : end].removeprefix("^")
        return (
            self.source.startswith("[:", at) and end > 0 and name.isascii() and name.isalpha()
        )
