"""Reads a regular expression by the closed grammar of ``schema/regex-grammar.md``.

What the grammar accepts means the same in ECMAScript and in RE2 once it is translated;
everything that the two would read differently is refused here, with the edit that mends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from .pattern_sets import (
    ANY_BUT_LINE_END,
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
from .pattern_tree import Part, chars, choice, edge, group, repeat, row

__all__ = ["MAX_PATTERN", "MAX_REPEAT", "MAX_WEIGHT", "PatternFault", "parse_pattern"]

MAX_PATTERN: Final = 256
"""The most code points of a pattern."""

MAX_REPEAT: Final = 1000
"""The most that a count, or the product of counts in one another, may be."""

MAX_WEIGHT: Final = 10_000
"""The most that a pattern may weigh: sets of characters, its repeats written out."""

_SETS: Final[dict[str, CodePoints]] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "s": SPACE,
    "S": complement(SPACE),
    "w": WORD,
    "W": complement(WORD),
}
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_SIMPLE_REPEATS: Final[dict[str, tuple[int, int | None]]] = {
    "*": (0, None),
    "+": (1, None),
    "?": (0, 1),
}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_DIGITS: Final = frozenset("0123456789")
_HEX_LENGTHS: Final = {"x": 2, "u": 4}

_GROUPS: Final = (
    ("(?=", "a lookahead", "Match the text after it too, and take the part wanted from a group."),
    ("(?!", "a lookahead", "Match without it, and leave out with a filter what is not wanted."),
    ("(?<=", "a lookbehind", "Match the text before it too, and take the part wanted from a group."),
    ("(?<!", "a lookbehind", "Match without it, and leave out with a filter what is not wanted."),
    ("(?<", "a group with a name", "Write a plain group, (...), and use its number."),
    ("(?P", "a group with a name", "Write a plain group, (...), and use its number."),
    ("(?#", "a comment", "Remove it."),
    ("(?>", "an atomic group", "Write (?:...)."),
)
_ESCAPED: Final = {
    "A": ("the start of the text", "Write ^."),
    "Z": ("the end of the text", "Write $."),
    "z": ("the end of the text", "Write $."),
    "C": ("a single byte", "Write [\\s\\S] for any character."),
    "p": ("a class of Unicode", "Name the characters, as in [a-zA-Z]."),
    "P": ("a class of Unicode", "Name the characters, as in [^a-zA-Z]."),
    "c": ("a control character", "Write its code, as in \\x01."),
    "k": ("a back-reference", "Leave it out, and compare the groups of the match afterwards."),
    "Q": ("a quotation", "Put a backslash before each special character."),
    "E": ("the end of a quotation", "Put a backslash before each special character."),
    "h": ("blank space", "Write [ \\t]."),
    "R": ("the end of a line", "Write \\r?\\n."),
    "N": ("any character of a line", "Write a dot."),
    "K": ("a new start of the match", "Take the part wanted from a group."),
    "G": ("the end of the last match", "Leave it out."),
    "a": ("the bell", "Write \\x07."),
    "e": ("the escape character", "Write \\x1B."),
    "0": ("the character NUL", "Write \\x00."),
}


class PatternFault(Exception):
    """A pattern is outside the grammar.

    Args:
        code: ``syntax`` if ECMAScript refuses it too, else ``not_in_profile``.
        position: Where, in code points from the start of the pattern.
        message: What is wrong.
        hint: The edit that mends it.
    """

    def __init__(
        self,
        code: Literal["syntax", "not_in_profile"],
        position: int,
        message: str,
        hint: str,
    ) -> None:
        super().__init__(f"{message}. {hint}")
        self.code = code
        self.position = position
        self.message = message
        self.hint = hint


def parse_pattern(source: str, *, ignore_case: bool = False) -> tuple[Part, int]:
    """The tree of a pattern, and how many groups with a number it has.

    Args:
        source: What stands between the slashes.
        ignore_case: The flag ``i``: letters are put into the tree in both cases.

    Raises:
        PatternFault: It is outside the grammar.
    """
    return _Reader(source, ignore_case).read()


@dataclass(slots=True)
class _Open:
    """Brackets that are open, or the whole pattern."""

    start: int
    number: int
    items: list[Part] = field(default_factory=list)
    options: list[Part] = field(default_factory=list)
    repeatable: bool = False

    def close_option(self) -> None:
        self.options.append(row(self.items))
        self.items = []
        self.repeatable = False


class _Reader:
    """One pass from left to right over a pattern."""

    def __init__(self, source: str, ignore_case: bool) -> None:
        self.source = source
        self.ignore_case = ignore_case
        self.at = 0
        self.groups = 0
        self.here = _Open(0, 0)
        self.outside: list[_Open] = []

    def read(self) -> tuple[Part, int]:
        self.check_text()
        while self.at < len(self.source):
            self.part()
        if self.outside:
            raise _syntax(self.here.start, "a ( without its )", "Close it, or write \\(.")
        self.here.close_option()
        tree = choice(self.here.options)
        if tree.weight > MAX_WEIGHT:
            raise _beyond(
                0,
                f"The regular expression weighs {tree.weight} with its repeats written out;"
                f" at most {MAX_WEIGHT} is allowed",
                "Lower its counts, or write * or + in place of a high one.",
            )
        return tree, self.groups

    def check_text(self) -> None:
        if not self.source:
            raise _syntax(0, "nothing in it", "Write what it is to match.")
        if len(self.source) > MAX_PATTERN:
            raise _beyond(
                MAX_PATTERN,
                f"The regular expression has {len(self.source)} characters;"
                f" at most {MAX_PATTERN} are allowed",
                "Shorten it, or take the text apart in several calls.",
            )
        for at, letter in enumerate(self.source):
            if "\ud800" <= letter <= "\udfff":
                raise _refused(at, "half of a surrogate pair", "Write the whole character.")

    def part(self) -> None:
        at, letter = self.at, self.source[self.at]
        here = self.here
        self.at += 1
        if letter == "(":
            self.open_group(at)
        elif letter == ")":
            self.close_group(at)
        elif letter == "|":
            here.close_option()
        elif letter in "^$":
            self.add_edge(letter)
        elif letter == "[":
            self.add(self.char_class(at))
        elif letter == ".":
            self.add(ANY_BUT_LINE_END)
        elif letter == "\\":
            self.escape(at)
        elif letter in "*+?{":
            self.quantifier(at, letter)
        elif letter in "]}":
            raise _refused(at, f"a {letter} without its other half", f"Write \\{letter} for it.")
        else:
            self.add(self.literal(at, letter))

    def add(self, points: CodePoints) -> None:
        self.here.items.append(chars(points))
        self.here.repeatable = True

    def add_edge(self, kind: str) -> None:
        self.here.items.append(edge(kind))  # type: ignore[arg-type]
        self.here.repeatable = False

    def literal(self, at: int, letter: str) -> CodePoints:
        """One character, which under the flag i must be of ASCII."""
        points = single(letter)
        if not self.ignore_case:
            return points
        if ord(letter) > LAST_ASCII:
            raise _refused(
                at,
                "a character beyond ASCII under the flag i",
                "Leave out the flag, and write each case: (?:é|É) or [éÉ].",
            )
        return with_both_cases(points)

    # Groups.

    def open_group(self, at: int) -> None:
        number = 0
        if self.source.startswith("(?:", at):
            self.at = at + 3
        elif self.source.startswith("(?", at):
            raise self.group_fault(at)
        else:
            self.groups += 1
            number = self.groups
        self.outside.append(self.here)
        self.here = _Open(at, number)

    def close_group(self, at: int) -> None:
        if not self.outside:
            raise _syntax(at, "a ) without its (", "Remove it, or write \\).")
        closed = self.here
        closed.close_option()
        self.here = self.outside.pop()
        self.here.items.append(group(choice(closed.options), closed.number))
        self.here.repeatable = True

    def group_fault(self, at: int) -> PatternFault:
        for opening, name, hint in _GROUPS:
            if self.source.startswith(opening, at):
                return _refused(at, f"{name}, {opening}", hint)
        return _refused(
            at,
            f"flags inside it, {self.source[at : at + 3]}",
            "Write flags after its closing slash, as in /a/i.",
        )

    # Repeats.

    def quantifier(self, at: int, letter: str) -> None:
        bounds = self.counts(at) if letter == "{" else _SIMPLE_REPEATS[letter]
        if not self.here.repeatable:
            raise _syntax(
                at,
                f"{self.source[at : self.at]} with nothing before it to repeat",
                f"Write \\{letter} for the character, or bring the two into one.",
            )
        least, most = bounds
        lazy = self.source.startswith("?", self.at)
        self.at += lazy
        body = self.here.items.pop()
        self.check_repeat(at, body, least, most)
        made = repeat(body, least, most, lazy=lazy)
        if made.product > MAX_REPEAT:
            raise _beyond(
                at,
                f"The regular expression repeats a part {made.product} times;"
                f" at most {MAX_REPEAT} are allowed",
                "Lower its counts, or write * or + in place of a high one.",
            )
        self.here.items.append(made)
        self.here.repeatable = False

    def check_repeat(self, at: int, body: Part, least: int, most: int | None) -> None:
        """Refuse what ECMAScript and RE2 repeat differently."""
        if body.captures and most != 1:
            raise _refused(
                at,
                "a group that captures inside a repeat",
                "Write (?:...) for it, or put the whole repeat into one group: ((?:...)*).",
            )
        if body.captures and least == 0 and body.nullable:
            raise _refused(
                at,
                "a group that captures inside an optional part that can match nothing",
                "Let the part match at least one character, or leave out the ? after it.",
            )
        if body.nullable and not body.empty_last and least != most:
            raise _refused(
                at,
                "a repeat of a part that tries to match nothing before it tries to match more",
                "Let the part match at least one character.",
            )

    def counts(self, at: int) -> tuple[int, int | None]:
        """The counts of ``{n}``, ``{n,}`` or ``{n,m}``, past which it goes."""
        least = self.number()
        most: int | None = least
        if least is not None and self.source.startswith(",", self.at):
            self.at += 1
            most = self.number()
        if least is None or not self.source.startswith("}", self.at):
            open_below = self.source.startswith("{,", at)
            raise _refused(
                at,
                "a { that opens no count",
                "Write {0, for a count from 0." if open_below else "Write \\{ for it.",
            )
        self.at += 1
        if most is not None and most < least:
            raise _syntax(at, f"a count from {least} to {most}", "Write the smaller one first.")
        if max(least, most or 0) > MAX_REPEAT:
            raise _beyond(
                at,
                f"The regular expression has the count {max(least, most or 0)};"
                f" at most {MAX_REPEAT} are allowed",
                "Lower it, or write * or + in its place.",
            )
        return least, most

    def number(self) -> int | None:
        start = self.at
        while self.at < len(self.source) and self.source[self.at] in _DIGITS:
            self.at += 1
        return int(self.source[start : self.at]) if self.at > start else None

    # Escapes.

    def escape(self, at: int) -> None:
        if self.source.startswith(("b", "B"), self.at):
            self.add_edge(self.source[self.at])
            self.at += 1
        else:
            self.add(self.escaped(at)[0])

    def escaped(self, at: int) -> tuple[CodePoints, int | None]:
        """What an escape stands for; the code point too if it is one character."""
        if self.at == len(self.source):
            raise _syntax(at, "a backslash at its end", "Write \\\\ for the character.")
        letter = self.source[self.at]
        self.at += 1
        if letter in _SETS:
            return _SETS[letter], None
        if letter in _CONTROLS:
            char = _CONTROLS[letter]
        elif letter in _HEX_LENGTHS:
            char = self.coded(at, letter)
        elif "!" <= letter <= "~" and not letter.isalnum() or letter == " ":
            char = letter
        else:
            raise _escape_fault(at, letter)
        return self.literal(at, char), ord(char)

    def coded(self, at: int, letter: str) -> str:
        length = _HEX_LENGTHS[letter]
        digits = self.source[self.at : self.at + length]
        if len(digits) < length or not _HEX.issuperset(digits):
            if digits.startswith("{"):
                hint = "Write \\u with four hex digits, or the character itself."
            else:
                hint = f"Write {length} hex digits after \\{letter}, or {letter} alone for the letter."
            raise _refused(at, f"\\{letter} without its {length} hex digits", hint)
        self.at += length
        char = chr(int(digits, 16))
        if "\ud800" <= char <= "\udfff":
            raise _refused(at, "half of a surrogate pair", "Write the whole character itself.")
        return char

    # Classes.

    def char_class(self, at: int) -> CodePoints:
        """``[...]``, whose ``[`` was read."""
        source = self.source
        negated = source.startswith("^", self.at)
        self.at += negated
        if source.startswith("]", self.at):
            raise _refused(
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
                raise _syntax(
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
            raise _syntax(opening, "a [ without its ]", "Close it, or write \\[.")
        letter = self.source[at]
        self.at += 1
        if letter == "\\":
            if self.source.startswith("b", self.at):
                self.at += 1
                return single("\b"), ord("\b")
            return self.escaped(at)
        if letter == "[" and self.is_posix(at):
            raise _refused(
                at,
                f"a POSIX class, {self.source[at : self.source.index(':]', at) + 2]}",
                "Name the characters, as in [a-zA-Z], or write \\d, \\w or \\s.",
            )
        return self.literal(at, letter), ord(letter)

    def is_posix(self, at: int) -> bool:
        end = self.source.find(":]", at + 2)
        name = self.source[at + 2 : end].removeprefix("^")
        return self.source.startswith("[:", at) and end > 0 and name.isascii() and name.isalpha()


def _escape_fault(at: int, letter: str) -> PatternFault:
    if letter in "123456789":
        return _refused(
            at,
            f"a back-reference, \\{letter}",
            "Leave it out, and compare the groups of the match afterwards.",
        )
    if letter in _ESCAPED:
        meaning, hint = _ESCAPED[letter]
        return _refused(at, f"\\{letter}, which other languages read as {meaning}", hint)
    if letter < " ":
        return _refused(at, "a backslash before a control character", "Write its code: \\x0A.")
    return _refused(at, f"\\{letter}, which is no escape", f"Write {letter} without the backslash.")


def _refused(position: int, what: str, hint: str) -> PatternFault:
    """What ECMAScript has and the grammar leaves out."""
    return PatternFault("not_in_profile", position, f"The regular expression has {what}", hint)


def _syntax(position: int, what: str, hint: str) -> PatternFault:
    """What ECMAScript refuses too."""
    return PatternFault("syntax", position, f"The regular expression has {what}", hint)


def _beyond(position: int, message: str, hint: str) -> PatternFault:
    return PatternFault("not_in_profile", position, message, hint)
