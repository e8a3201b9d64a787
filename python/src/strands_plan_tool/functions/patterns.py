"""Regular expressions in ``$contains``, ``$match``, ``$split`` and ``$replace``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from strands_plan_tool.functions.pattern_search import Charge, Match, Pattern, free
from strands_plan_tool.functions.replacements import Replacement
from strands_plan_tool.values.budget import (
    MAX_LIST,
    MAX_TEXT,
    list_too_long,
    made_text,
    text_too_long,
)
from strands_plan_tool.values.text import from_units

__all__ = ["Charge", "Match", "Pattern", "contains", "matches", "replace", "split"]

_PARTS_OF_A_STEP: Final = 8
_GIVEN: Final = 32
"""Steps of each match that is given as an object."""


def contains(text: str, pattern: Pattern, *, charge: Charge = free) -> bool:
    """``$contains``: whether a pattern matches anywhere in a text."""
    return next(pattern.spans(text, charge=charge), None) is not None


def matches(
    text: str, pattern: Pattern, limit: int | None = None, *, charge: Charge = free
) -> list[Match]:
    """``$match``: the matches of a pattern in a text.

    Args:
        text: Where to look.
        pattern: What to look for.
        limit: How many at most; None for all.
        charge: Takes the steps that it needs.

    Raises:
        EvaluationError: A match after the first is empty (also the one after the last that
            is wanted), or there are more than a list may hold.
    """
    if limit == 0:
        return []
    found: list[Match] = []
    for match in pattern.search(text, charge=charge):
        # As in the reference, the match after the last one wanted is searched for too.
        if limit is not None and len(found) >= limit:
            break
        charge(_GIVEN)
        found.append(match)
        if len(found) > MAX_LIST:
            raise list_too_long()
    return found


def split(
    text: str, pattern: Pattern, limit: int | None = None, *, charge: Charge = free
) -> list[str]:
    """``$split``: the pieces of a text between the matches of a pattern.

    Args:
        text: What to split.
        pattern: What stands between the pieces.
        limit: How many pieces at most; None for all.
        charge: Takes the steps that it needs.

    Raises:
        EvaluationError: As for ``matches``.
    """
    if limit == 0:
        return []
    pieces: list[str] = []
    start = 0
    for begin, end in pattern.spans(text, charge=charge):
        if limit is not None and len(pieces) >= limit:
            break
        pieces.append(text[start:begin])
        start = end
        if len(pieces) > MAX_LIST:
            raise list_too_long()
    if limit is None or len(pieces) < limit:
        pieces.append(text[start:])
    if len(pieces) > MAX_LIST:
        raise list_too_long()
    return pieces


def replace(
    text: str,
    pattern: Pattern,
    replacement: str | Callable[[Match], str],
    limit: int | None = None,
    *,
    charge: Charge = free,
) -> str:
    """``$replace``: a text with the matches of a pattern replaced.

    Args:
        text: The text.
        pattern: What to replace.
        replacement: What to put there, with ``$1`` for a group, ``$0`` for the match and
            ``$$`` for a dollar sign; or what gives the text for a match.
        limit: How many at most; None for all.
        charge: Takes the steps that it needs.

    Raises:
        EvaluationError: As for ``matches``; or the text becomes too long.
    """
    if limit == 0:
        return text
    groups, work = True, 0
    if isinstance(replacement, str):
        template = Replacement(replacement, pattern.groups)
        replacement, groups = template.text, template.uses_groups
        work = template.parts // _PARTS_OF_A_STEP
        if template.constant is not None and not work:
            return _replaced(text, pattern, template.constant, limit, charge)
    pieces: list[str] = []
    start = 0
    room = MAX_TEXT + MAX_TEXT // 2
    for done, match in enumerate(pattern.search(text, groups=groups, charge=charge)):
        if limit is not None and done >= limit:
            break
        charge(work)
        new = replacement(match)
        pieces += (text[start : match.start], new)
        start = match.end
        # Halves of a pair that meet become shorter, so what is too long is seen at the end.
        room -= len(pieces[-2]) + len(new)
        if room < 0:
            raise text_too_long()
    if not pieces:
        return text
    pieces.append(text[start:])
    return made_text(from_units("".join(pieces)))


def _replaced(text: str, pattern: Pattern, new: str, limit: int | None, charge: Charge) -> str:
    """As ``replace`` where the same takes the place of every match."""
    pieces: list[str] = []
    start = 0
    room = MAX_TEXT + MAX_TEXT // 2
    for done, (begin, end) in enumerate(pattern.spans(text, charge=charge)):
        if limit is not None and done >= limit:
            break
        room -= begin - start + len(new)
        if room < 0 or len(new) > MAX_TEXT:
            raise text_too_long()
        pieces += (text[start:begin], new)
        start = end
    if not pieces:
        return text
    pieces.append(text[start:])
    return made_text(from_units("".join(pieces)))
