"""The listed functions about text."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from strands_plan_tool.values import NOTHING, is_well_formed
from strands_plan_tool.values.budget import (
    MAX_TEXT,
    EvaluationError,
    State,
    deep_size,
    failed,
    made_text,
    size,
    spend,
    text_too_long,
)
from strands_plan_tool.values.doubles import Number
from strands_plan_tool.values.sequences import RootList
from strands_plan_tool.values.text import from_units, to_units, written

__all__ = [
    "aligned",
    "join",
    "length",
    "lowercase",
    "missing",
    "pad",
    "string",
    "substring",
    "substring_after",
    "substring_before",
    "trim",
    "uppercase",
]

_SPACE: Final = re.compile("[ \t\n\r]+")
_PRETTY: Final = 2
_NUMBERS: Final = frozenset({int, float})
_TEXT_OF_NOTHING: Final = "undefined"


def string(state: State, value: Any, pretty: Any) -> Any:
    """``$string``: a text as it is, all else as JSON; ``pretty`` spreads it over lines."""
    if type(value) in _NUMBERS:
        # Neither it nor its text is of any size.
        return written(state, value)
    if value is NOTHING:
        return NOTHING
    if type(value) is RootList:
        value = value[0]
    spend(state, deep_size(value))
    text = written(state, value, _PRETTY if pretty is True else 0)
    spend(state, size(text))
    return text


def length(state: State, text: Any) -> Any:
    """``$length``: how many code points."""
    return NOTHING if text is NOTHING else len(text)


def substring(state: State, text: Any, start: Any, count: Any) -> Any:
    """``$substring``: so many code points from a place, which may count from the end."""
    if text is NOTHING:
        return NOTHING
    if start is NOTHING:
        # The reference's arithmetic with nothing: all of the text, or none of it.
        return text if count is NOTHING else ""
    if len(text) + start < 0:
        start = 0
    if count is NOTHING:
        return text[_index(start) :]
    if count <= 0:
        return ""
    end = start + count if start >= 0 else len(text) + start + count
    return text[_index(start) : _index(end)]


def _index(place: Number) -> int:
    """A place as ECMAScript's ``slice`` reads it."""
    return math.trunc(max(-MAX_TEXT * 4, min(place, MAX_TEXT * 4)))


def substring_before(state: State, text: Any, mark: Any) -> Any:
    """``$substringBefore``: what stands before a mark, or all."""
    if text is NOTHING:
        return NOTHING
    mark = _TEXT_OF_NOTHING if mark is NOTHING else mark
    whole, mark = aligned(text, mark)
    at = whole.find(mark)
    return text if at < 0 else from_units(whole[:at])


def substring_after(state: State, text: Any, mark: Any) -> Any:
    """``$substringAfter``: what stands after a mark, or all."""
    if text is NOTHING:
        return NOTHING
    if mark is NOTHING:
        if _TEXT_OF_NOTHING in text:
            raise missing("substringAfter", 2)
        return text
    whole, mark = aligned(text, mark)
    at = whole.find(mark)
    return text if at < 0 else from_units(whole[at + len(mark) :])


def aligned(text: str, mark: str) -> tuple[str, str]:
    """Two texts such that one is found in the other as in ECMAScript, unit by unit."""
    if is_well_formed(mark):
        return text, mark
    return to_units(text), to_units(mark)


def lowercase(state: State, text: Any) -> Any:
    """``$lowercase``."""
    return NOTHING if text is NOTHING else made_text(text.lower())


def uppercase(state: State, text: Any) -> Any:
    """``$uppercase``."""
    return NOTHING if text is NOTHING else made_text(text.upper())


def trim(state: State, text: Any) -> Any:
    """``$trim``: no space at the ends, and one in place of several."""
    return NOTHING if text is NOTHING else _SPACE.sub(" ", text).strip(" ")


def pad(state: State, text: Any, width: Any, filler: Any) -> Any:
    """``$pad``: at least so many code points; below zero the filling comes first."""
    if text is NOTHING:
        return NOTHING
    missing = 0 if width is NOTHING else math.trunc(abs(width)) - len(text)
    if missing <= 0:
        return text
    if missing > MAX_TEXT:
        raise text_too_long()
    unit = filler if filler is not NOTHING and filler else " "
    filling = (unit * (missing // len(unit) + 1))[:missing]
    return made_text(from_units(text + filling if width > 0 else filling + text))


def missing(name: str, place: int) -> EvaluationError:
    """An argument that matches nothing, where that is an error."""
    return failed(f"argument {place} of ${name} matches nothing", "give a default with `??`")


def join(state: State, texts: Any, separator: Any) -> Any:
    """``$join``: texts behind one another, a separator between them."""
    if texts is NOTHING:
        return NOTHING
    between = "" if separator is NOTHING else separator
    if sum(map(len, texts)) + len(between) * (len(texts) - 1) > MAX_TEXT:
        raise text_too_long()
    return made_text(from_units(between.join(texts)))
