"""The search for the matches of a regular expression.

RE2 finds one match at a time; which match comes next, and when a match of the empty text
is an error, is decided here as the reference decides it. Places are code points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from strands_plan_tool.functions.pattern_grammar import parse_pattern
from strands_plan_tool.functions.pattern_re2 import (
    framed,
    has_edge_of_line,
    looks_far,
    needs_frames,
    translated,
)
from strands_plan_tool.values.budget import failed
from strands_plan_tool.values.doubles import number_to_text

__all__ = ["Charge", "Match", "Pattern", "free"]

Charge: TypeAlias = Callable[[int], None]
"""Takes steps from the budget of an evaluation; raises if fewer are left."""

_TEXT_OF_A_STEP: Final = 3
"""A step pays for 8 code points of a group: what is charged for is shifted."""

_SEARCH: Final = 32
"""Steps of each search, beside those for the text."""

_FIRST_MEMORY: Final = 1 << 21
_MOST_KEPT: Final = 1 << 23
_MOST_MEMORY: Final = 1 << 29
_COMPILING: Final = 32
"""Steps, for each unit of weight, of a pattern too heavy to be kept compiled."""

_HEAVY: Final = 1000


def free(steps: int) -> None:
    """Charges nothing."""


class Match(NamedTuple):
    """One match.

    Attributes:
        text: What was matched.
        start: Where it begins, in code points.
        end: Where it ends.
        groups: What each group with a number holds; None if it took no part.
    """

    text: str
    start: int
    end: int
    groups: tuple[str | None, ...]


class Pattern:
    """A regular expression of the grammar, to be compiled when it is first used.

    Args:
        source: What stands between the slashes.
        ignore_case: The flag ``i``.
        multiline: The flag ``m``.

    Attributes:
        source: As given.
        groups: How many groups with a number it has.

    Raises:
        PatternError: It is outside the grammar.
    """

    def __init__(
        self, source: str, *, ignore_case: bool = False, multiline: bool = False
    ) -> None:
        self.source = source
        self._tree, self.groups = parse_pattern(source, ignore_case=ignore_case)
        self._weight = max(1, self._tree.weight)
        self._far = looks_far(self._tree)
        self._multiline = multiline
        self._lines = multiline and has_edge_of_line(self._tree)
        self._engines: dict[tuple[bool, bool], Any] = {}

    def search(
        self, text: str, *, groups: bool = True, charge: Charge = free
    ) -> Iterator[Match]:
        """The matches in a text, each searched for when it is asked for.

        Args:
            text: Where to look.
            groups: Whether the groups of a match are wanted; without them it is faster.
            charge: Takes the steps that a search needs, before it starts.

        Raises:
            EvaluationError: A match after the first is empty, or the steps are used up.
        """
        if self._is_plain(text):
            captures = groups and self.groups > 0
            for found in self._in_plain(text, captures, charge):
                start, end = found[0]
                if not captures:
                    yield Match(text[start:end], start, end, ())
                    continue
                held = [None if low < 0 else text[low:high] for low, high in found]
                del held[0]
                _charge_for(held, charge)
                yield Match(text[start:end], start, end, tuple(held))
            return
        charge(_SEARCH + len(text) * self._weight)
        frames = self._lines and needs_frames(text)
        subject = _Subject(text, frames)
        find = self._engine(groups and self.groups > 0, frames, charge)
        place = 0
        first = True
        while (spans := subject.next(find)) is not None:
            match = subject.match(spans)
            if match.start == match.end and not first:
                raise self._endless(match.start)
            _charge_for(match.groups, charge)
            yield match
            first = False
            place = match.end
            rest = len(text) - place
            if not rest:
                return
            ahead = rest if self._far else min(rest, self._weight)
            charge(_SEARCH + ahead * self._weight)

    def spans(self, text: str, *, charge: Charge = free) -> Iterator[tuple[int, int]]:
        """Where the matches begin and end; as ``search`` without groups, and faster.

        Args:
            text: Where to look.
            charge: As for ``search``.

        Raises:
            EvaluationError: As for ``search``.
        """
        if self._is_plain(text):
            for spans in self._in_plain(text, False, charge):
                yield spans[0]
            return
        for match in self.search(text, groups=False, charge=charge):
            yield match.start, match.end

    def _is_plain(self, text: str) -> bool:
        """Whether a place in a text is the same for RE2 as for us."""
        return text.isascii() and not (self._lines and needs_frames(text))

    def _in_plain(
        self, text: str, captures: bool, charge: Charge
    ) -> Iterator[list[tuple[int, int]]]:
        """The spans of each match in a plain text, and of its groups if they are wanted."""
        data, size, weight = text.encode(), len(text), self._weight
        charge(_SEARCH + size * weight)
        find = self._engine(captures, False, charge)
        near = _SEARCH + weight * weight
        # As far as what is ahead is reckoned by the weight, and not by what is left.
        last_near = -1 if self._far else size - weight
        place = 0
        first = True
        while True:
            spans: list[tuple[int, int]] = find(data, place, size)
            start, end = spans[0]
            if start < 0:
                return
            if start == end and not first:
                raise self._endless(start)
            yield spans
            if end == size:
                return
            first = False
            place = end
            if end <= last_near:
                charge(near)
            else:
                charge(_SEARCH + (size - end) * weight)

    def _endless(self, place: int) -> Exception:
        return failed(
            f"the regular expression /{self.source}/ matches the empty text at "
            f"{number_to_text(place)}, where it would do so again and again",
            "let it match at least one character, as + does in place of *",
        )

    def _engine(self, captures: bool, frames: bool, charge: Charge) -> Any:
        kept = self._engines.get((captures, frames))
        if kept is not None:
            return kept
        if self._weight > _HEAVY:
            charge(self._weight * _COMPILING)
        text = translated(
            self._tree, multiline=self._multiline, captures=captures, frames=frames
        )
        find, memory = _compiled(text)
        if memory <= _MOST_KEPT and self._weight <= _HEAVY:
            self._engines[captures, frames] = find
        return find


def _charge_for(held: Sequence[str | None], charge: Charge) -> None:
    """What the groups of a match take."""
    for group in held:
        if group is not None and (steps := len(group) >> _TEXT_OF_A_STEP):
            charge(steps)


def _compiled(text: str) -> tuple[Any, int]:
    """What finds a pattern by RE2, and the memory that it may use.

    RE2's own module is asked directly: the one around it keeps the last 128 patterns of
    the process, and their tables, for ever.
    """
    import re2  # noqa: PLC0415

    options = re2.Options()
    options.log_errors = False
    memory = _FIRST_MEMORY
    while True:
        options.max_mem = memory
        engine = re2._re2.RE2(text.encode(), options)
        if engine.ok():
            return partial(engine.Match, engine.Anchor.UNANCHORED), memory
        if memory >= _MOST_MEMORY:
            raise RuntimeError(f"RE2 does not take the pattern {text}: {engine.error()}")
        memory *= 4


class _Subject:
    """A text that is searched, as RE2 reads it: bytes of UTF-8, with or without frames."""

    __slots__ = ("_at", "_data", "_frames", "_index", "_text")

    def __init__(self, text: str, frames: bool) -> None:
        self._text = text
        self._frames = frames
        # Halves of surrogate pairs can stand in a text that an expression has made.
        self._data = (framed(text) if frames else text).encode("utf-8", "surrogatepass")
        self._at = 0
        self._index = 0

    def next(self, find: Any) -> list[tuple[int, int]] | None:
        """The spans of the next match and its groups, in bytes."""
        data, size = self._data, len(self._data)
        at = self._at
        while True:
            spans: list[tuple[int, int]] = find(data, at, size)
            start = spans[0][0]
            if start < 0:
                return None
            # RE2 goes by bytes, and may find the empty text inside a character or a frame.
            if self._frames and data.count(b"\n", at, start) % 2:
                at = data.index(b"\n", start) + 1
            elif start < size and data[start] & 0xC0 == 0x80:
                at = start + 1
                while at < size and data[at] & 0xC0 == 0x80:
                    at += 1
            else:
                return spans

    def match(self, spans: list[tuple[int, int]]) -> Match:
        """The match with these spans; the next search begins at its end."""
        text = self._text
        (start, end), *groups = spans
        first = self._index + self._length(self._at, start)
        if not groups:
            self._at, self._index = end, first + self._length(start, end)
            return Match(text[first : self._index], first, self._index, ())
        places = {start: first}
        known = start
        for at in sorted({at for span in spans for at in span if at > start}):
            places[at] = places[known] + self._length(known, at)
            known = at
        self._at, self._index = end, places[end]
        held = (None if low < 0 else text[places[low] : places[high]] for low, high in groups)
        return Match(text[first : self._index], first, self._index, tuple(held))

    def _length(self, start: int, end: int) -> int:
        piece = self._data[start:end]
        length = len(piece) if piece.isascii() else len(piece.decode("utf-8", "surrogatepass"))
        return length - piece.count(b"\n") if self._frames else length
