"""JSON Schemas made flat: every way to fit one, without references and combinations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, Final

from strands_plan_tool.validate.schemas import Schema, same_json

__all__ = ["TYPES", "Bound", "Schema", "Way", "resolved", "target", "ways"]

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
"""Every type, the simplest first."""

Bound = tuple[float, bool]
"""A limit of a number, and whether the limit itself is left out."""

_MOST_WAYS: Final = 48
# Where no type is written, the first of these that is there tells it.
_TELLS: Final = (
    (("properties", "required", "additionalProperties", "minProperties"), "object"),
    (("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), "array"),
    (("minLength", "maxLength", "pattern", "format"), "string"),
    (("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to fit a schema: a value that keeps to all of this fits.

    Attributes:
        types: The types that it may have; None if it says nothing.
        told: The type that its other members are about, where no type is written.
        words: The values that it may be; None if it may be any.
        least: The lower limit of a number.
        most: The upper one.
        step: What a number is a multiple of.
        length: The least and the most characters of a text.
        patterns: What a text has a match of.
        form: The ``format`` of a text.
        count: The least and the most items of a list.
        unique: Whether no two items are equal.
        first: The schemas of the first items, each of its own.
        items: The schema of the others.
        members: The schemas of an object's named members.
        others: The schema of further members; None if nothing is said of them.
        needed: The names of the members that must be there.
        sizes: The least and the most members.
        one_of: Schemas of which it fits exactly one, list by list.
        none_of: Schemas that it must not fit.
    """

    types: frozenset[str] | None = None
    told: str | None = None
    words: tuple[Any, ...] | None = None
    least: Bound | None = None
    most: Bound | None = None
    step: Fraction | None = None
    length: tuple[int, int | None] = (0, None)
    patterns: tuple[str, ...] = ()
    form: str | None = None
    count: tuple[int, int | None] = (0, None)
    unique: bool = False
    first: tuple[Any, ...] = ()
    items: Any = True
    members: Mapping[str, Any] = field(default_factory=dict)
    others: Any = None
    needed: tuple[str, ...] = ()
    sizes: tuple[int, int | None] = (0, None)
    one_of: tuple[tuple[Any, ...], ...] = ()
    none_of: tuple[Any, ...] = ()

    @property
    def kinds(self) -> list[str]:
        """The types that a value of it has, the simplest first; none if it may be anything."""
        if self.types is not None:
            return [name for name in TYPES if name in self.types]
        return [] if self.told is None else [self.told]

    def member(self, name: str) -> Any:
        """The schema of a member, named or not."""
        return self.members.get(name, True if self.others is None else self.others)

    def item(self, at: int) -> Any:
        """The schema of an item."""
        return self.first[at] if at < len(self.first) else self.items


def resolved(schema: object, whole: Schema) -> Schema:
    """A schema, or what its local ``$ref`` leads to with what stands beside it.

    ``{}`` if it leads nowhere, and for a boolean.
    """
    beside: dict[str, Any] = {}
    for _ in range(_MOST_WAYS):
        if not isinstance(schema, Mapping):
            return {}
        if not isinstance(schema.get("$ref"), str):
            return {**schema, **beside}
        beside = {**{key: value for key, value in schema.items() if key != "$ref"}, **beside}
        schema = target(schema["$ref"], whole)
    return {}


def target(reference: str, whole: Schema) -> Any:
    """What a local reference points at; True, which anything fits, if that is nowhere."""
    if not reference.startswith("#"):
        return True
    found: Any = whole
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            return True
    return found


def ways(schema: object, whole: Schema) -> list[Way]:
    """Every way to fit a schema, up to some number; none if nothing fits it.

    Args:
        schema: The schema, or a part of it.
        whole: The whole schema, in which a local ``$ref`` is looked up.
    """
    return _ways(schema, whole, frozenset())


def _ways(schema: object, whole: Schema, within: frozenset[int]) -> list[Way]:
    if schema is False:
        return []
    if not isinstance(schema, Mapping):
        return [Way()]
    if id(schema) in within:
        # A schema that is met again within itself is no further way to fit it.
        return []
    inside = within | {id(schema)}
    parts: list[list[Way]] = [[_own(schema)]]
    if isinstance(schema.get("$ref"), str):
        parts.append(_ways(target(schema["$ref"], whole), whole, inside))
    parts += [_ways(one, whole, inside) for one in _listed(schema, "allOf")]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            arms = [_ways(one, whole, inside) for one in _listed(schema, key)]
            parts.append([way for arm in arms for way in arm])
    found: list[Way] = []
    for combined in product(*parts):
        both: Way | None = combined[0]
        for other in combined[1:]:
            both = None if both is None else _both(both, other)
        if both is not None:
            found.append(both)
        if len(found) == _MOST_WAYS:
            break
    return found


def _listed(schema: Schema, key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []


def _own(schema: Schema) -> Way:
    """What a schema itself says, its combinations left out."""
    types = _types(schema)
    told = next((kind for keys, kind in _TELLS if any(key in schema for key in keys)), None)
    words: tuple[Any, ...] | None = None
    if isinstance(schema.get("enum"), list):
        words = tuple(schema["enum"])
    if "const" in schema:
        words = (schema["const"],) if words is None else _shared(words, (schema["const"],))
    items, first = schema.get("items", True), schema.get("prefixItems")
    if isinstance(items, list):
        items, first = schema.get("additionalItems", True), items
    members = schema.get("properties")
    unless = schema.get("not")
    return Way(
        types=types,
        told=told,
        words=words,
        least=_bound(schema, "minimum", "exclusiveMinimum", max),
        most=_bound(schema, "maximum", "exclusiveMaximum", min),
        step=_step(schema.get("multipleOf")),
        length=_range(schema, "Length"),
        patterns=_texts(schema.get("pattern")),
        form=next(iter(_texts(schema.get("format"))), None),
        count=_range(schema, "Items"),
        unique=schema.get("uniqueItems") is True,
        first=tuple(first) if isinstance(first, list) else (),
        items=items,
        members=dict(members) if isinstance(members, Mapping) else {},
        others=schema.get("additionalProperties"),
        needed=tuple(name for name in _listed(schema, "required") if isinstance(name, str)),
        sizes=_range(schema, "Properties"),
        one_of=(tuple(schema["oneOf"]),) if _listed(schema, "oneOf") else (),
        none_of=() if unless is None else (unless,),
    )


def _types(schema: Schema) -> frozenset[str] | None:
    written = schema.get("type")
    types = {written} if isinstance(written, str) else set(_listed(schema, "type"))
    if not types:
        return None
    if schema.get("nullable") is True:
        types.add("null")
    return frozenset(types)


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else None  # type: ignore[return-value]


def _bound(schema: Schema, key: str, strict: str, tighter: Any) -> Bound | None:
    limit, beyond = _number(schema.get(key)), _number(schema.get(strict))
    found: list[Bound] = []
    if limit is not None:
        # In old drafts a boolean says whether the limit itself is left out.
        found.append((limit, schema.get(strict) is True))
    if beyond is not None:
        found.append((beyond, True))
    return _tighter(found, tighter)


def _tighter(found: Iterable[Bound | None], tighter: Any) -> Bound | None:
    bounds = [bound for bound in found if bound is not None]
    if not bounds:
        return None
    limit = tighter(value for value, _ in bounds)
    return limit, any(is_open for value, is_open in bounds if value == limit)


def _step(value: object) -> Fraction | None:
    step = _number(value)
    return Fraction(str(step)) if step is not None and step > 0 else None


def _range(schema: Schema, what: str) -> tuple[int, int | None]:
    least, most = _number(schema.get(f"min{what}")), _number(schema.get(f"max{what}"))
    return int(least or 0), None if most is None else int(most)


def _texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else ()


def _shared(some: Iterable[Any], others: Iterable[Any]) -> tuple[Any, ...]:
    known = list(others)
    return tuple(one for one in some if any(same_json(one, other) for other in known))


def _both(one: Way, other: Way) -> Way | None:
    """What keeps to both; None if nothing can, as far as that shows at once."""
    types = _both_types(one.types, other.types)
    words = one.words if other.words is None else other.words
    if one.words is not None and other.words is not None:
        words = _shared(one.words, other.words)
    if types == frozenset() or words == ():
        return None
    together: dict[str, Any] = {}
    for name in fields(Way):
        mine, theirs = getattr(one, name.name), getattr(other, name.name)
        match name.name:
            case "length" | "count" | "sizes":
                ends = [end for end in (mine[1], theirs[1]) if end is not None]
                together[name.name] = (max(mine[0], theirs[0]), min(ends, default=None))
            case "patterns" | "one_of" | "none_of":
                together[name.name] = (*mine, *theirs)
            case "told" | "form":
                together[name.name] = theirs if mine is None else mine
    steps = [step for step in (one.step, other.step) if step is not None]
    most_first = max(len(one.first), len(other.first))
    names = dict.fromkeys((*one.members, *other.members))
    return Way(
        **together,
        types=types,
        words=words,
        least=_tighter((one.least, other.least), max),
        most=_tighter((one.most, other.most), min),
        step=_common(*steps) if steps else None,
        unique=one.unique or other.unique,
        first=tuple(_all_of(one.item(at), other.item(at)) for at in range(most_first)),
        items=_all_of(one.items, other.items),
        members={name: _all_of(one.member(name), other.member(name)) for name in names},
        others=_others(one.others, other.others),
        needed=tuple(dict.fromkeys((*one.needed, *other.needed))),
    )


def _both_types(
    one: frozenset[str] | None, other: frozenset[str] | None
) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    shared = one & other
    for some, others in ((one, other), (other, one)):
        if "number" in some and "integer" in others:
            shared |= {"integer"}
    return shared


def _common(step: Fraction, other: Fraction | None = None) -> Fraction:
    """What is a multiple of both: of two fractions with one denominator."""
    if other is None:
        return step
    below = lcm(step.denominator, other.denominator)
    return Fraction(lcm(int(step * below), int(other * below)), below)


def _all_of(one: Any, other: Any) -> Any:
    if one is True or other is True:
        return other if one is True else one
    return {"allOf": [one, other]}


def _others(one: Any, other: Any) -> Any:
    return _all_of(one, other) if one is not None and other is not None else (
        other if one is None else one
    )  # fmt: skip
