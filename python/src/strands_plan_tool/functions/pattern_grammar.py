"""Reads a regular expression by the closed grammar of ``schema/regex-grammar.md``.

What the grammar accepts means the same in ECMAScript and in RE2 once it is translated;
everything that the two would read differently is refused here, with the edit that mends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from strands_plan_tool.functions.pattern_errors import (
    beyond,
    escape_error,
    group_error,
    refused,
    syntax,
)
from strands_plan_tool.functions.pattern_sets import (
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
from strands_plan_tool.functions.pattern_tree import (
    Part,
    chars,
    choice,
    edge,
    group,
    repeat,
    row,
)

__all__ = ["MAX_PATTERN", "MAX_REPEAT", "MAX_WEIGHT", "parse_flags", "parse_pattern"]

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


def parse_pattern(source: str, *, ignore_case: bool = False) -> tuple[Part, int]:
    """The tree of a pattern, and how many groups with a number it has.

    Args:
        source: What stands between the slashes.
        ignore_case: The flag ``i``: letters are put into the tree in both cases.

    Raises:
        PatternError: It is outside the grammar.
    """
    return _Reader(source, ignore_case).read()


def parse_flags(flags: str) -> tuple[bool, bool]:
    """Whether the flags after a pattern ignore case, and whether ``^`` and ``$`` are of lines.

    Raises:
        PatternError: They are others than ``i`` and ``m``, each once; its position counts
            from the first flag.
    """
    for at, flag in enumerate(flags):
        if flag not in "im" or flag in flags[:at]:
            raise syntax(at, f"the flags {flags}", "Write i, m, both or none, each once.")
    return "i" in flags, "m" in flags


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
            raise syntax(self.here.start, "a ( without its )", "Close it, or write \\(.")
        self.here.close_option()
        tree = choice(self.here.options)
        if tree.weight > MAX_WEIGHT:
            raise beyond(
                0,
                f"The regular expression weighs {tree.weight} with its repeats written out;"
                f" at most {MAX_WEIGHT} is allowed",
                "Lower its counts, or write * or + in place of a high one.",
            )
        return tree, self.groups

    def check_text(self) -> None:
        if not self.source:
            raise syntax(0, "nothing in it", "Write what it is to match.")
        if len(self.source) > MAX_PATTERN:
            raise beyond(
                MAX_PATTERN,
                f"The regular expression has {len(self.source)} characters;"
                f" at most {MAX_PATTERN} are allowed",
                "Shorten it, or take the text apart in several calls.",
            )
        for at, letter in enumerate(self.source):
            if "\ud800" <= letter <= "\udfff":
                raise refused(at, "half of a surrogate pair", "Write the whole character.")

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
            raise refused(at, f"a {letter} without its other half", f"Write \\{letter} for it.")
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
            raise refused(
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
            raise group_error(self.source, at)
        else:
            self.groups += 1
            number = self.groups
        self.outside.append(self.here)
        self.here = _Open(at, number)

    def close_group(self, at: int) -> None:
        if not self.outside:
            raise syntax(at, "a ) without its (", "Remove it, or write \\).")
        closed = self.here
        closed.close_option()
        self.here = self.outside.pop()
        self.here.items.append(group(choice(closed.options), closed.number))
        self.here.repeatable = True

    # Repeats.

    def quantifier(self, at: int, letter: str) -> None:
        bounds = self.counts(at) if letter == "{" else _SIMPLE_REPEATS[letter]
        if not self.here.repeatable:
            raise syntax(
                at,
                f"{self.source[at : self.at]} with nothing before it to repeat",
                f"Write \\{letter} for the character, or remove it.",
            )
        least, most = bounds
        lazy = self.source.startswith("?", self.at)
        self.at += lazy
        body = self.here.items.pop()
        self.check_repeat(at, body, least, most)
        made = repeat(body, least, most, lazy=lazy)
        if made.product > MAX_REPEAT:
            raise beyond(
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
            raise refused(
                at,
                "a group that captures inside a repeat",
                "Write (?:...) for it, or put the whole repeat into one group: ((?:...)*).",
            )
        if body.captures and least == 0 and body.nullable:
            raise refused(
                at,
                "a group that captures inside an optional part that can match nothing",
                "Let the part match at least one character, or leave out the ? after it.",
            )
        if body.nullable and not body.empty_last and least != most:
            raise refused(
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
            raise refused(
                at,
                "a { that opens no count",
                "Write {0, for a count from 0." if open_below else "Write \\{ for it.",
            )
        self.at += 1
        if most is not None and most < least:
            raise syntax(at, f"a count from {least} to {most}", "Write the smaller one first.")
        if max(least, most or 0) > MAX_REPEAT:
            raise beyond(
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

    # Classes.

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
