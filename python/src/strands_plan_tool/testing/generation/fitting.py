"""Values that fit a schema, and whether a value does."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from typing import Any, Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices
from strands_plan_tool.testing.generation.schemas import TYPES, Bound, Schema, Way, ways
from strands_plan_tool.testing.generation.values import FORMS, NAMES, NUMBERS, TEXTS, any_value
from strands_plan_tool.validate.schemas import has_type, same_json
from strands_plan_tool.values import ValueFault, ingest

__all__ = ["Fitter", "NoValueError", "fitting"]

_ROOM: Final = 4
_MOST_ITEMS: Final = 4
# As far as the least depth of what fits is looked for.
_DEEPEST: Final = 8
_TRIES: Final = 12
_LARGEST: Final = 2**53 - 1
_RESERVED: Final = "__proto__"


class NoValueError(ValueError):
    """Nothing fits a schema, or nothing was found that does."""


def fitting(choices: Choices, schema: object, whole: Schema | None = None) -> JsonValue:
    """A value that fits a JSON Schema and may be a tool's result.

    Args:
        schema: The schema, or a part of it.
        whole: The whole schema, for ``$ref``; by default this one.

    Raises:
        NoValueError: Nothing fits it, or nothing was found.
    """
    known = whole if whole is not None else schema if isinstance(schema, dict) else {}
    return Fitter(known).value(choices, schema)


class Fitter:
    """Makes values that fit the parts of one schema.

    Read are ``type enum const``, ``properties required additionalProperties``, ``items
    prefixItems``, ``allOf anyOf oneOf not``, local ``$ref``, every limit of numbers, texts,
    lists and objects, and of the formats the common ones.

    Args:
        whole: The whole schema, in which a local ``$ref`` is looked up.
    """

    def __init__(self, whole: Schema) -> None:
        self._whole = whole
        # With each schema, so that no other is ever at its place in memory.
        self._ways: dict[int, tuple[object, list[Way]]] = {}
        self._within: dict[tuple[int, int], bool] = {}

    def value(self, choices: Choices, schema: object) -> JsonValue:
        """A value that fits a part of the schema.

        Raises:
            NoValueError: Nothing fits it, or nothing was found.
        """
        return self._made(choices, schema, _ROOM)

    def ways(self, schema: object) -> list[Way]:
        """The ways to fit a part of the schema."""
        known = self._ways.get(id(schema))
        if known is None:
            known = self._ways[id(schema)] = (schema, ways(schema, self._whole))
        return known[1]

    def objects(self, schema: object) -> list[Way]:
        """The ways in which an object fits a part of the schema."""
        return [way for way in self.ways(schema) if way.words is None and
                "object" in self._kinds(way, _DEEPEST)]  # fmt: skip

    def can(self, schema: object) -> bool:
        """Whether something fits a part of the schema."""
        return self._least(schema) is not None

    def fits(self, value: Any, schema: object) -> bool:
        """Whether a value fits a part of the schema."""
        return any(self._keeps(value, way) for way in self.ways(schema))

    # How deep a value must be at least.

    def _least(self, schema: object) -> int | None:
        return next((room for room in range(_DEEPEST) if self._room(schema, room)), None)

    def _room(self, schema: object, room: int) -> bool:
        """Whether something so deep fits."""
        key = (id(schema), room)
        if key not in self._within:
            self._within[key] = any(self._kinds(way, room) for way in self.ways(schema))
        return self._within[key]

    def _kinds(self, way: Way, room: int) -> list[str]:
        """The types of the values so deep that keep to a way."""
        if way.words is not None:
            return ["words"] if self._words(way) else []
        kinds = way.kinds
        return [kind for kind in kinds or TYPES if self._has_room(way, kind, room)]

    def _has_room(self, way: Way, kind: str, room: int) -> bool:
        match kind:
            case "array":
                if way.count[1] is not None and way.count[1] < way.count[0]:
                    return False
                at_all = range(min(way.count[0], len(way.first) + 1))
                return room > 0 and all(self._room(way.item(at), room - 1) for at in at_all)
            case "object":
                return (
                    room > 0
                    and _RESERVED not in way.needed
                    and all(self._room(way.member(name), room - 1) for name in way.needed)
                )
            case "integer" | "number":
                whole = kind == "integer"
                return bool(_numbers(way.least, way.most, way.step, whole_only=whole))
        return True

    # Making.

    def _made(self, choices: Choices, schema: object, room: int) -> JsonValue:
        least = self._least(schema)
        if least is None:
            raise NoValueError("no value fits the schema")
        enough = max(room, least)
        there = [(kinds, way) for way in self.ways(schema)
                 if (kinds := self._kinds(way, enough))]  # fmt: skip
        kinds, way = choices.pick(there)
        for _ in range(_TRIES):
            kind = choices.pick(kinds)
            value = self._of_kind(choices, way, kind, enough)
            if not (way.one_of or way.none_of) or self._keeps(value, way):
                return value
        raise NoValueError("no value was found that fits the schema")

    def _of_kind(self, choices: Choices, way: Way, kind: str, room: int) -> JsonValue:
        if kind == "words":
            return choices.pick(self._words(way))  # type: ignore[no-any-return]
        if not way.kinds and not (way.one_of or way.none_of):
            return any_value(choices, min(3, max(0, room - 1)))
        match kind:
            case "null":
                return None
            case "boolean":
                return choices.chance(50)
            case "integer" | "number":
                return _number(choices, way, whole_only=kind == "integer")
            case "string":
                return _text(choices, way)
            case "array":
                return self._list(choices, way, room)
        return self._object(choices, way, room)

    def _words(self, way: Way) -> list[Any]:
        return [word for word in way.words or () if _may_be_kept(word) and
                self._keeps(word, way)]  # fmt: skip

    def _list(self, choices: Choices, way: Way, room: int) -> list[JsonValue]:
        least, most = way.count
        wanted = least + (choices.below(_MOST_ITEMS) if room > 1 else 0)
        made: list[JsonValue] = []
        for at in range(wanted if most is None else min(wanted, most)):
            schema = way.item(at)
            if at >= least and not self._room(schema, room - 1):
                break
            for _ in range(_TRIES if way.unique else 1):
                item = self._made(choices, schema, room - 1)
                if not way.unique or not any(same_json(item, one) for one in made):
                    made.append(item)
                    break
        if len(made) < least:
            raise NoValueError("no list was found that has enough different items")
        return made

    def _object(self, choices: Choices, way: Way, room: int) -> JsonValue:
        least, most = way.sizes
        made: dict[str, JsonValue] = {
            name: self._made(choices, way.member(name), room - 1) for name in way.needed
        }
        may_be = [name for name in way.members if name not in made and name != _RESERVED and
                  self._room(way.members[name], room - 1)]  # fmt: skip
        further: list[str] = []
        if way.others is not False and self._room(way.member(""), room - 1):
            further = [name for name in NAMES if name not in way.members and name not in made]
        chosen = [name for name in may_be if choices.chance(80)]
        if way.others is not None or not (way.members or way.needed):
            chosen += choices.some(further, _MOST_ITEMS - 1)
        spare = [name for name in (*may_be, *further) if name not in chosen]
        chosen += spare[: max(0, least - len(made) - len(chosen))]
        if most is not None:
            chosen = chosen[: max(0, most - len(made))]
        made |= {name: self._made(choices, way.member(name), room - 1) for name in chosen}
        if len(made) < least or (most is not None and len(made) > most):
            raise NoValueError("no object was found that has as many members as it must")
        return {name: made[name] for name in (*way.members, *made) if name in made}

    # Checking.

    def _keeps(self, value: Any, way: Way) -> bool:
        if way.types is not None and not has_type(_whole(value), way.types):
            return False
        if way.words is not None and not any(same_json(value, word) for word in way.words):
            return False
        if any(self.fits(value, one) for one in way.none_of):
            return False
        if any(sum(self.fits(value, one) for one in some) != 1 for some in way.one_of):
            return False
        match value:
            case bool() | None:
                return True
            case int() | float():
                return _is_within(value, way.least, way.most, way.step)
            case str():
                return _is_long_enough(value, way) and all(
                    _matches(pattern, value) for pattern in way.patterns
                )
            case list():
                return self._keeps_list(value, way)
        least, most = way.sizes
        if len(value) < least or (most is not None and len(value) > most):
            return False
        return all(name in value for name in way.needed) and all(
            self.fits(member, way.member(name)) for name, member in value.items()
        )

    def _keeps_list(self, value: list[Any], way: Way) -> bool:
        least, most = way.count
        if len(value) < least or (most is not None and len(value) > most):
            return False
        if way.unique and any(
            same_json(item, other) for at, item in enumerate(value) for other in value[:at]
        ):
            return False
        return all(self.fits(item, way.item(at)) for at, item in enumerate(value))


def _whole(value: Any) -> Any:
    """A whole float is an integer already."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _may_be_kept(value: Any) -> bool:
    try:
        ingest(value)
    except ValueFault:
        return False
    return True


def _is_within(
    value: float, least: Bound | None, most: Bound | None, step: Fraction | None
) -> bool:
    if least is not None and (value < least[0] or (least[1] and value == least[0])):
        return False
    if most is not None and (value > most[0] or (most[1] and value == most[0])):
        return False
    # Both as decimal fractions and as doubles, since readers check in either way.
    return step is None or (Fraction(str(value)) % step == 0 and value / float(step) % 1 == 0)


@cache
def _numbers(
    least: Bound | None, most: Bound | None, of: Fraction | None, *, whole_only: bool
) -> list[int | float]:
    """Numbers that keep to limits, the usual ones first, then those next to the limits."""
    low = -_LARGEST if least is None else max(least[0], -_LARGEST)
    high = _LARGEST if most is None else min(most[0], _LARGEST)
    if low > high:
        return []
    step = of or Fraction(1)
    of_step = [(math.ceil(Fraction(low) / step) + more) * step for more in (0, 1, 2)]
    of_step += [(math.floor(Fraction(high) / step) - less) * step for less in (0, 1)]
    of_step += [step, step * 2, step * 10]
    near = [int(one) if one.denominator == 1 else float(one) for one in of_step]
    if not whole_only:
        near += [low, high, (low + high) / 2, low + 0.5, high - 0.5]
    found: list[int | float] = []
    for number in (*NUMBERS, *near):
        value = _whole(number)
        is_new = value not in found and abs(value) <= _LARGEST
        if (
            is_new
            and _is_within(value, least, most, of)
            and not (whole_only and isinstance(value, float))
        ):
            found.append(value)
    if least is None and most is None and of is None:
        # Without limits there is nothing to be next to.
        return [number for number in found if number in NUMBERS]
    return found


def _number(choices: Choices, way: Way, *, whole_only: bool) -> int | float:
    found = _numbers(way.least, way.most, way.step, whole_only=whole_only)
    # Few enough in one half of all cases that equal ones meet.
    return choices.pick(found[:4] if choices.chance(50) else found)


def _is_long_enough(text: str, way: Way) -> bool:
    least, most = way.length
    return len(text) >= least and (most is None or len(text) <= most)


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def _text(choices: Choices, way: Way) -> str:
    least, most = way.length
    if way.patterns:
        for _ in range(_TRIES):
            text = choices.matching(way.patterns[0])
            if _is_long_enough(text, way) and all(_matches(one, text) for one in way.patterns):
                return text
        raise NoValueError("no text was found that has a match of its pattern")
    if way.form in FORMS:
        known = [text for text in FORMS[way.form] if _is_long_enough(text, way)]
        if known:
            return choices.pick(known)
    text = choices.pick(TEXTS[:4] if choices.chance(40) else TEXTS).ljust(least, "x")
    return text[: len(text) if most is None else most]
