"""Reads a regular expression by the closed grammar of ``schema/regex-grammar.md``.

What the grammar accepts means the same in ECMAScript and in RE2 once it is translated;
everything that the two would read differently is refused here, with the edit that mends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from strands_plan_tool.functions.pattern_characters import CharacterReader
from strands_plan_tool.functions.pattern_errors import (
    beyond,
    group_error,
    refused,
    syntax,
)
from strands_plan_tool.functions.pattern_sets import ANY_BUT_LINE_END, CodePoints
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

_SIMPLE_REPEATS: Final[dict[str, tuple[int, int | None]]] = {
    "*": (0, None),
    "+": (1, None),
    "?": (0, 1),
}
_DIGITS: Final = frozenset("0123456789")


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


class _Reader(CharacterReader):
    """One pass from left to right over a pattern."""

    def __init__(self, source: str, ignore_case: bool) -> None:
        super().__init__(source, ignore_case)
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

    def escape(self, at: int) -> None:
        if self.source.startswith(("b", "B"), self.at):
            self.add_edge(self.source[self.at])
            self.at += 1
        else:
            self.add(self.escaped(at)[0])
