"""What is wrong with a plan: a code, where, what, and the edit that would mend it.

Checks gather findings; ``ordered`` puts them into the order of the document and gives
each code once for each place. All text is made of parts that read alike in every
language: names in JSON quotes, numbers as JSON, never a type name of Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Final, TypeAlias

from strands_plan_tool.models import Code, Diagnostic

__all__ = [
    "SURROGATE",
    "Finding",
    "Path",
    "Speller",
    "any_of",
    "closest",
    "diagnostic",
    "diagnostics_of",
    "key_order",
    "listing",
    "ordered",
    "pointer",
    "quoted",
]

Path: TypeAlias = tuple[str | int, ...]
"""Where something stands in a plan: names of members and indexes of items, from the root."""

SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which is no text."""

_LAST_INDEX: Final = 2**32 - 2
_SHOWN_CHARACTERS: Final = 80
_SHOWN_NAMES: Final = 20
_BUDGET: Final = 300_000
_DISTANCE_COST: Final = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic in the making.

    Attributes:
        code: Its code.
        path: Where it stands in the repaired plan.
        message: What is wrong.
        hint: The edit that mends it.
        subject: What the exception of its family is made from, in the order of that
            exception's arguments.
    """

    code: Code
    path: Path
    message: str
    hint: str
    subject: tuple[object, ...] = ()


def pointer(parts: Iterable[str | int]) -> str:
    """The JSON Pointer (RFC 6901) of a place; ``""`` is the whole plan."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def diagnostic(
    code: Code | str, path: Iterable[str | int], message: str, hint: str
) -> Diagnostic:
    """One diagnostic, its place given as parts."""
    return Diagnostic(code=Code(code), path=pointer(path), message=message, hint=hint)


def diagnostics_of(findings: Iterable[Finding]) -> tuple[Diagnostic, ...]:
    """The findings as a caller sees them."""
    return tuple(diagnostic(f.code, f.path, f.message, f.hint) for f in findings)


def ordered(findings: Iterable[Finding], document: object) -> tuple[Finding, ...]:
    """Findings by their place in the document, then by code; each code once for a place.

    Items of an array stand by index, members of an object in the object's own order, and
    what holds something stands before it. Of findings with one code and place the first
    given is kept, so whoever reads a text gives them from left to right.
    """
    kept: dict[tuple[Code, Path], Finding] = {}
    for finding in findings:
        kept.setdefault((finding.code, finding.path), finding)
    places: dict[int, dict[object, int]] = {}
    return tuple(
        sorted(kept.values(), key=lambda f: (_position(f.path, document, places), f.code.value))
    )


def _position(
    path: Path, document: object, places: dict[int, dict[object, int]]
) -> tuple[int, ...]:
    position = []
    here = document
    for part in path:
        if isinstance(here, Mapping):
            known = places.get(id(here))
            if known is None:
                known = places[id(here)] = _places(here)
            position.append(known.get(part, len(known)))
            here = here.get(part)
        elif isinstance(here, Sequence) and isinstance(part, int) and part < len(here):
            position.append(part)
            here = here[part]
        else:
            position.append(part if isinstance(part, int) else 0)
            here = None
    return tuple(position)


def _places(members: Mapping[object, object]) -> dict[object, int]:
    names = key_order(key for key in members if isinstance(key, str))
    return {name: at for at, name in enumerate(names)}


def key_order(keys: Iterable[str]) -> list[str]:
    """The keys of an object as ECMAScript has them: array indexes ascending, then as given."""
    every = list(keys)
    indexes = [key for key in every if "0" <= key[:1] <= "9" and _is_index(key)]
    if not indexes:
        return every
    indexes.sort(key=int)
    if len(indexes) == len(every):
        return indexes
    first = set(indexes)
    return [*indexes, *(key for key in every if key not in first)]


def _is_index(key: str) -> bool:
    if not (len(key) <= 10 and key.isascii() and key.isdigit()):
        return False
    return (key == "0" or key[0] != "0") and (len(key) < 10 or int(key) <= _LAST_INDEX)


def quoted(text: str) -> str:
    """A text as JSON, cut to 80 characters: for messages, which repeat what was written."""
    if not text.isascii():
        # Messages travel as UTF-8, which has no half of a surrogate pair.
        text = SURROGATE.sub("\ufffd", text)
    if len(text) > _SHOWN_CHARACTERS:
        text = text[: _SHOWN_CHARACTERS - 3] + "..."
    return encode_basestring(text)


def listing(names: Iterable[str]) -> str:
    """Names for a reader: quoted, separated by commas, at most the first 20."""
    every = list(names)
    shown = ", ".join(quoted(name) for name in every[:_SHOWN_NAMES])
    rest = len(every) - _SHOWN_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown


def any_of(names: Iterable[str]) -> str:
    """Names to choose from: ``"a"``, or ``one of "a", "b"``."""
    every = list(names)
    return quoted(every[0]) if len(every) == 1 else f"one of {listing(every)}"


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant, or None.

    It is the one of least Levenshtein distance by code point, at most a third of the
    written name's length, rounded down; of equals the first listed.
    """
    return Speller(candidates).closest(name)


class Speller:
    """Finds the closest of one list of names, again and again.

    Args:
        candidates: The names, in the order in which equals are preferred.

    A plan may misspell ten thousand names, each to be compared with ten thousand, so there
    is a budget: looking at a candidate costs 1, and the distance, where length and letters
    do not rule it out, 20 more. Once 300,000 are spent nothing is close any more.
    """

    def __init__(self, candidates: Iterable[str]) -> None:
        self._candidates = list(candidates)
        self._letters: list[int] | None = None
        self._found: dict[tuple[str, str | None], str | None] = {}
        self._left = _BUDGET

    def closest(self, name: str, *, but: str | None = None) -> str | None:
        """The closest candidate to ``name`` other than ``but``, or None."""
        key = (name, but)
        if key not in self._found:
            self._found[key] = self._search(name, but)
        return self._found[key]

    def _search(self, name: str, but: str | None) -> str | None:
        limit = len(name) // 3
        best: str | None = None
        if limit == 0 or self._left <= 0:
            return None
        self._left -= len(self._candidates)
        if self._letters is None:
            self._letters = [_letters(candidate) for candidate in self._candidates]
        size = len(name)
        mine = _letters(name)
        rows: dict[str, int] = {}
        for at, letter in enumerate(name):
            rows[letter] = rows.get(letter, 0) | 1 << at
        for candidate, letters in zip(self._candidates, self._letters, strict=True):
            if abs(len(candidate) - size) > limit or candidate == but:
                continue
            if max((mine & ~letters).bit_count(), (letters & ~mine).bit_count()) > limit:
                continue
            self._left -= _DISTANCE_COST
            distance = _distance(rows, size, candidate)
            if distance <= limit:
                best, limit = candidate, distance - 1
                if limit <= 0:
                    break
        return best


def _letters(name: str) -> int:
    """Which letters a name has, as bits: two names differ by at least the bits one lacks."""
    bits = 0
    for letter in name:
        bits |= 1 << (ord(letter) & 31)
    return bits


def _distance(rows: Mapping[str, int], size: int, other: str) -> int:
    """Levenshtein distance, by Myers' bit vectors: ``rows`` has each letter's places."""
    full = (1 << size) - 1
    last = 1 << (size - 1)
    more, less, score = full, 0, size
    for letter in other:
        equal = rows.get(letter, 0)
        vertical = equal | less
        horizontal = (((equal & more) + more) ^ more) | equal
        up = less | (full & ~(horizontal | more))
        down = more & horizontal
        if up & last:
            score += 1
        elif down & last:
            score -= 1
        up = (up << 1 | 1) & full
        down = down << 1 & full
        more = down | (full & ~(vertical | up))
        less = up & vertical
    return score
