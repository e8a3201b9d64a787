"""JSON values: any, and such as fit a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices

__all__ = ["NAMES", "NUMBERS", "TEXTS", "any_value", "fitting", "resolved"]

Schema = Mapping[str, Any]

TEXTS: Final = (
    *("a", "", "b", "abc", "x y", "A", "open", "10", "9", "-3", "12.5", "true", "null", "é"),
    *("😀", "～", "a,b,,c", "  t ", "line\nbreak", 'quote"s', "back\\slash", "2024-02-29"),
    *("2023-01-05T07:08:09.5+02:00", "YWJj", "%C3%A9", "a&b=c/d", "aXbXc", "ß", "e\u0301"),
    *("\u2028", "\x00", "\x7f", "constructor", "long " * 40),
)
NUMBERS: Final = (
    *(0, 1, 2, 3, -1, 10, 7, 100, 0.5, -0.5, 1.5, 2.5, 0.1, 0.30000000000000004, -7),
    *(1.5e-7, 123456789.125, 3.14159, 1700000000000, 2**53 - 1, -(2**53 - 1), 5e-324),
)
# Names that a language might take for something of its own are names like others.
NAMES: Final = (
    *("a", "b", "n", "id", "name", "items", "x y", "é", "1", "10", "2", "length", "count"),
    *("constructor", "toString", "valueOf", "hasOwnProperty", "keys", "and", "steps", ""),
)
_DEEPEST: Final = 4
_MOST_ITEMS: Final = 4
_TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")


def any_value(choices: Choices, depth: int = 3) -> JsonValue:
    """Any JSON value that a tool might return, a few containers deep at most."""
    kind = choices.below(10 if depth > 0 else 6)
    if kind < 2:
        return choices.pick(NUMBERS)
    if kind < 4:
        return choices.pick(TEXTS)
    if kind < 6:
        return choices.pick((None, True, False))
    count = choices.below(_MOST_ITEMS)
    if kind < 8:
        return [any_value(choices, depth - 1) for _ in range(count)]
    return {choices.pick(NAMES): any_value(choices, depth - 1) for _ in range(count)}


def fitting(choices: Choices, schema: Schema, whole: Schema | None = None) -> JsonValue:
    """A value that fits a JSON Schema.

    Read are ``type enum const properties required items``, the first level of ``anyOf`` and
    ``oneOf``, local ``$ref``, and the limits of numbers, texts and lists. What else a schema
    says, such as a pattern, is not read.

    Args:
        schema: The schema, or a part of it.
        whole: The whole schema, for ``$ref``; by default this one.
    """
    return _fitting(choices, schema, schema if whole is None else whole, 0)


def resolved(schema: Schema, whole: Schema) -> Schema:
    """A schema, or what its local ``$ref`` leads to; ``{}`` if that is nowhere."""
    for _ in range(_DEEPEST):
        target = schema.get("$ref")
        if not isinstance(target, str):
            return schema
        found: Any = whole
        for part in target.removeprefix("#").split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        schema = found if isinstance(found, Mapping) else {}
    return {}


def _fitting(choices: Choices, given: Schema, whole: Schema, depth: int) -> JsonValue:
    schema = resolved(given, whole)
    if "const" in schema:
        return schema["const"]  # type: ignore[no-any-return]
    if schema.get("enum"):
        return choices.pick(schema["enum"])  # type: ignore[no-any-return]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return _fitting(choices, choices.pick(schema[key]), whole, depth)
    kinds = schema.get("type", "object" if "properties" in schema else None)
    if kinds is None:
        return any_value(choices, max(0, 3 - depth))
    kind = kinds if isinstance(kinds, str) else choices.pick(kinds or _TYPES)
    match kind:
        case "null":
            return None
        case "boolean":
            return choices.chance(50)
        case "integer" | "number":
            return _number(choices, schema, whole_only=kind == "integer")
        case "string":
            return _text(choices, schema)
        case "array":
            return _list(choices, schema, whole, depth)
    return _object(choices, schema, whole, depth)


def _number(choices: Choices, schema: Schema, *, whole_only: bool) -> int | float:
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    fits = [
        number
        for number in NUMBERS
        if not (whole_only and isinstance(number, float))
        and (least is None or number > least or (number == least and "minimum" in schema))
        and (most is None or number < most or (number == most and "maximum" in schema))
    ]
    if fits:
        # Few enough in one half of all cases that equal ones meet.
        return choices.pick(fits[:4] if choices.chance(50) else fits)
    # Nothing of the list lies there: the middle, or next to the only limit.
    low = least if least is not None else most - 2
    high = most if most is not None else low + 2
    return int((low + high) // 2) if whole_only else float((low + high) / 2)


def _text(choices: Choices, schema: Schema) -> str:
    text = choices.pick(TEXTS[:4] if choices.chance(40) else TEXTS).ljust(
        schema.get("minLength", 0), "x"
    )
    return text[: schema.get("maxLength", len(text))]


def _list(choices: Choices, schema: Schema, whole: Schema, depth: int) -> list[JsonValue]:
    least = schema.get("minItems", 0)
    wanted = least if depth >= _DEEPEST else least + choices.below(_MOST_ITEMS)
    items = schema.get("items", {})
    of_one = items if isinstance(items, Mapping) else {}
    count = min(wanted, schema.get("maxItems", wanted))
    return [_fitting(choices, of_one, whole, depth + 1) for _ in range(count)]


def _object(choices: Choices, schema: Schema, whole: Schema, depth: int) -> JsonValue:
    required = schema.get("required", ())
    made: dict[str, JsonValue] = {}
    for name, member in schema.get("properties", {}).items():
        if name in required or (depth < _DEEPEST and not choices.chance(20)):
            made[name] = _fitting(choices, member, whole, depth + 1)
    if "properties" not in schema and depth < _DEEPEST:
        for _ in range(choices.below(_MOST_ITEMS)):
            made[choices.pick(NAMES)] = any_value(choices, 1)
    return made
