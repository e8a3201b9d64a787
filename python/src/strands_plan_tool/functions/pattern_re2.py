"""Writes a pattern for RE2 such that it matches what ECMAScript would match.

Nothing is left to RE2's own reading: sets are spelled out by code point and edges in the
one form that has the ECMAScript meaning. Where ``^`` and ``$`` stand at every line, RE2
knows one end of a line only; the text is then rewritten so that each end of a line stands
between two newlines, and the pattern with it (``framed``).
"""

from __future__ import annotations

from typing import Final

from strands_plan_tool.functions.pattern_sets import LINE_ENDS, CodePoints, complement, without
from strands_plan_tool.functions.pattern_tree import (
    Chars,
    Choice,
    Edge,
    EdgeKind,
    Group,
    Part,
    Repeat,
    Row,
)

__all__ = ["framed", "has_edge_of_line", "looks_far", "needs_frames", "translated"]

# A frame's middle says which end of a line it stands for. It need not be rare: in the
# framed text every newline belongs to a frame. The newline comes first, as frames have some.
_MIDDLES: Final = {"\n": "\x01", "\r": "\x02", "\u2028": "\x03", "\u2029": "\x04"}
_RARE_ENDS: Final = ("\r", "\u2028", "\u2029")

_WHOLE_TEXT: Final[dict[EdgeKind, str]] = {"^": r"\A", "$": r"\z", "b": r"\b", "B": r"\B"}
_EVERY_LINE: Final[dict[EdgeKind, str]] = {**_WHOLE_TEXT, "^": "(?m:^)", "$": "(?m:$)"}
_MARKS: Final = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_LAST: Final = 0x10FFFF


def needs_frames(text: str) -> bool:
    """Whether a text has an end of a line that RE2 does not know as one."""
    return any(end in text for end in _RARE_ENDS)


def framed(text: str) -> str:
    """A text with every end of a line as three characters, the outer two of them newlines."""
    for end, middle in _MIDDLES.items():
        text = text.replace(end, f"\n{middle}\n")
    return text


def has_edge_of_line(part: Part) -> bool:
    """Whether ``^`` or ``$`` stands in a pattern."""
    match part:
        case Edge():
            return part.kind in "^$"
        case Group() | Repeat():
            return has_edge_of_line(part.body)
        case Row():
            return any(map(has_edge_of_line, part.items))
        case Choice():
            return any(map(has_edge_of_line, part.options))
        case _:
            return False


def translated(tree: Part, *, multiline: bool, captures: bool, frames: bool) -> str:
    """The pattern that RE2 is to be given.

    Args:
        tree: The pattern, its letters in both cases if case is ignored.
        multiline: The flag ``m``.
        captures: Whether groups with a number capture.
        frames: Whether the text is framed.
    """
    return _Writer(_EVERY_LINE if multiline else _WHOLE_TEXT, captures, frames).text(tree)


class _Writer:
    def __init__(self, edges: dict[EdgeKind, str], captures: bool, frames: bool) -> None:
        self._edges = edges
        self._captures = captures
        self._frames = frames

    def text(self, part: Part) -> str:
        match part:
            case Chars():
                return _framed_set(part.points) if self._frames else _set(part.points)
            case Edge():
                return self._edges[part.kind]
            case Group():
                opening = "(" if part.number and self._captures else "(?:"
                return f"{opening}{self.text(part.body)})"
            case Repeat():
                if part.most == 0:
                    return "(?:)"
                mark = _MARKS.get((part.least, part.most)) or _counts(part.least, part.most)
                return self.text(part.body) + mark + ("?" if part.lazy else "")
            case Row():
                return "".join(map(self.text, part.items))
            case Choice():
                return "|".join(map(self.text, part.options))
            case _:
                raise TypeError(part)


def _counts(least: int, most: int | None) -> str:
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def _set(points: CodePoints) -> str:
    if not points:
        return r"[^\x{0}-\x{10ffff}]"
    if len(points) == 1 and points[0][0] == points[0][1]:
        return _point(points[0][0])
    if points[0][0] == 0 and points[-1][1] == _LAST:
        points = complement(points)
        return f"[^{_ranges(points)}]" if points else "(?s:.)"
    return f"[{_ranges(points)}]"


def _ranges(points: CodePoints) -> str:
    return "".join(
        _point(first) if first == last else f"{_point(first)}-{_point(last)}"
        for first, last in points
    )


def _point(code: int) -> str:
    letter = chr(code)
    return letter if letter.isascii() and letter.isalnum() else f"\\x{{{code:x}}}"


def _framed_set(points: CodePoints) -> str:
    rest = without(points, LINE_ENDS)
    if rest == points:
        return _set(points)
    inside = without(points, rest)
    middles = "".join(
        middle
        for end, middle in _MIDDLES.items()
        if any(first <= ord(end) <= last for first, last in inside)
    )
    frame = rf"\n[{middles}]\n"
    return f"(?:{_set(rest)}|{frame})" if rest else f"(?:{frame})"


def looks_far(part: Part, *, ends: bool = True, alone: bool = True) -> bool:
    """Whether a search may read far beyond the match that it finds, again and again.

    A search reads on past a match while something that would be preferred may still come.
    That is bounded, or is paid for by the matches themselves, if each repeat without an
    upper bound either can stop with a match at any time, or is of one set of characters
    and stands where every match must pass through it.

    Args:
        part: A part of a pattern.
        ends: Whether all that follows it may be empty.
        alone: Whether it stands in no choice and in no repeat.
    """
    match part:
        case Group():
            return looks_far(part.body, ends=ends, alone=alone)
        case Choice():
            return any(looks_far(option, ends=ends, alone=False) for option in part.options)
        case Row():
            for item in reversed(part.items):
                if looks_far(item, ends=ends, alone=alone):
                    return True
                ends = ends and item.nullable
            return False
        case Repeat():
            body = part.body
            if part.most is None:
                if isinstance(body, Chars):
                    return not (ends or alone)
                return not ends or looks_far(body, ends=True, alone=False)
            if part.least == part.most == 1:
                return looks_far(body, ends=ends, alone=alone)
            ends = ends and (part.least <= 1 or body.nullable)
            return looks_far(body, ends=ends, alone=False)
        case _:
            return False
