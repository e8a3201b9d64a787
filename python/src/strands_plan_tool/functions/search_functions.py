"""The listed functions that look for something in a text: a text, or a regular expression.

``$match`` takes a regular expression only; ``$contains``, ``$split`` and ``$replace`` take
both, and do with a text what the reference does with it.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

from strands_plan_tool.functions import patterns
from strands_plan_tool.functions.pattern_search import Match, Pattern
from strands_plan_tool.functions.signatures import FunctionValue
from strands_plan_tool.functions.text_functions import aligned, missing
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    MAX_LIST,
    MAX_TEXT,
    State,
    failed,
    made_list,
    made_text,
    spend,
    text_too_long,
)
from strands_plan_tool.values.sequences import Sequence, kind
from strands_plan_tool.values.text import from_units, to_units

__all__ = ["contains", "match", "replace", "split"]

_TEXT_OF_NOTHING: Final = "undefined"


def contains(state: State, text: Any, pattern: Any) -> Any:
    """``$contains``: whether a text or a regular expression is found in a text."""
    if text is NOTHING or pattern is NOTHING:
        return NOTHING
    if isinstance(pattern, Pattern):
        return patterns.contains(text, pattern, charge=partial(spend, state))
    whole, mark = aligned(text, pattern)
    return mark in whole


def match(state: State, text: Any, pattern: Pattern, limit: Any) -> Any:
    """``$match``: for each match its text, where it begins, and what its groups hold."""
    if text is NOTHING:
        return NOTHING
    most = _limit("match", 3, limit)
    found = patterns.matches(text, pattern, most, charge=partial(spend, state))
    return Sequence(
        [{"match": each.text, "index": each.start, "groups": _groups(each)} for each in found]
    )


def _groups(found: Match) -> list[Any]:
    return [NOTHING if group is None else group for group in found.groups]


def split(state: State, text: Any, separator: Any, limit: Any) -> Any:
    """``$split``: the parts between separators, or the UTF-16 units; at most so many."""
    if text is NOTHING:
        return NOTHING
    most = _limit("split", 3, limit)
    if most == 0:
        return []
    if separator is NOTHING:
        raise missing("split", 2)
    if isinstance(separator, Pattern):
        return patterns.split(text, separator, most, charge=partial(spend, state))
    # The reference hands the limit to ECMAScript, which cuts it to 32 bits.
    most = None if most is None else math.trunc(limit) % 2**32
    kept = MAX_LIST + 1 if most is None else min(most, MAX_LIST + 1)
    if separator == "":
        parts = list(to_units(text[:kept])[:kept])
    else:
        whole, mark = aligned(text, separator)
        parts = whole.split(mark, kept)[:kept]
        if whole is not text:
            parts = list(map(from_units, parts))
    return made_list(parts)


def replace(state: State, text: Any, pattern: Any, replacement: Any, limit: Any) -> Any:
    """``$replace``: another text in place of each occurrence, or of so many."""
    if text is NOTHING:
        return NOTHING
    if pattern == "":
        raise failed(
            "argument 2 of $replace must not be an empty text", "write the text to replace"
        )
    most = _limit("replace", 4, limit)
    if most == 0:
        return text
    if pattern is NOTHING:
        raise missing("replace", 2)
    if isinstance(pattern, Pattern):
        new = replacement if isinstance(replacement, str) else partial(_given, replacement)
        return patterns.replace(text, pattern, new, most, charge=partial(spend, state))
    return _replaced(text, pattern, replacement, most)


def _given(function: Any, found: Match) -> str:
    """What a function gives for a match."""
    if function is NOTHING:
        raise missing("replace", 3)
    whole = {
        "match": found.text,
        "start": found.start,
        "end": found.end,
        "groups": _groups(found),
    }
    new = function.each(whole, NOTHING, NOTHING)
    if not isinstance(new, str):
        raise failed(
            f"the function of $replace must give a text, and it gives {kind(new)}",
            "make a text of it with $string(...)",
        )
    return new


def _replaced(text: str, pattern: str, replacement: Any, most: int | None) -> str:
    whole, pattern = aligned(text, pattern)
    found = whole.count(pattern)
    if not found:
        return text
    if isinstance(replacement, FunctionValue):
        raise failed(
            "$replace calls a function for the matches of a regular expression only",
            "give it a text to put in place of the other",
        )
    new = _TEXT_OF_NOTHING if replacement is NOTHING else replacement
    times = found if most is None else min(found, most)
    if len(whole) + times * (len(new) - len(pattern)) > MAX_TEXT * 2:
        raise text_too_long()
    return made_text(from_units(whole.replace(pattern, new, times)))


def _limit(name: str, place: int, limit: Any) -> int | None:
    """How often at most; None for as often as there is."""
    if limit is NOTHING:
        return None
    if limit < 0:
        raise failed(
            f"argument {place} of ${name} must not be below zero", "leave it out for no limit"
        )
    times: int = math.ceil(limit)
    return times
