"""The part of JSON Schema that plans are checked by, and silence about the rest.

A tool's schema comes from anywhere. What is read is read strictly: ``type``, ``enum``,
``properties``, ``required``, a single ``items`` and local ``$ref``. Where anything else
could change the answer there is no answer, so a plan is never refused for a guess.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from strands_plan_tool.diagnostics import key_order

__all__ = [
    "Schema",
    "describe",
    "has_type",
    "in_key_order",
    "is_closed",
    "is_optional",
    "items_of",
    "properties_of",
    "required_of",
    "resolved",
    "same_json",
    "types_of",
]

Schema: TypeAlias = Mapping[str, Any]

_MOST_REFERENCES: Final = 64
_INDEX: Final = re.compile("[0-9]{1,9}")

# Under these an object may have members that `properties` does not name.
_OPENING: Final = frozenset(
    {
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "dependentSchemas",
        "dependencies",
        "unevaluatedProperties",
        "$dynamicRef",
        "$recursiveRef",
    }
)
_WORDS: Final = {
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def resolved(schema: object, root: Schema) -> Schema | None:
    """A schema with its local references followed; None if nothing is known.

    Args:
        schema: Any part of ``root``.
        root: The whole schema, which ``#/...`` points into.
    """
    beside: dict[str, Any] = {}
    for _ in range(_MOST_REFERENCES):
        if not isinstance(schema, dict | Mapping):
            return None
        if "$ref" not in schema:
            return {**schema, **beside} if beside else schema
        # What stands beside a reference, such as a default, is about this place.
        beside = {**{key: value for key, value in schema.items() if key != "$ref"}, **beside}
        schema = _pointed(schema["$ref"], root)
    return None


def _pointed(reference: object, root: Schema) -> object:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    here: object = root
    for written in unquote(reference[1:]).split("/")[1:]:
        part = written.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict | Mapping):
            here = here.get(part)
        elif isinstance(here, list) and _INDEX.fullmatch(part) and int(part) < len(here):
            here = here[int(part)]
        else:
            return None
    return here if reference in ("#", "#/") or reference[1:2] == "/" else None


def types_of(schema: Schema) -> tuple[str, ...]:
    """The types that a schema allows; none if it does not say, or says it in other words."""
    written = schema.get("type")
    types = [written] if isinstance(written, str) else written
    if not isinstance(types, list | tuple) or not all(
        isinstance(name, str) and name in _WORDS for name in types
    ):
        return ()
    if schema.get("nullable") is True and "null" not in types:
        return (*types, "null")
    return tuple(types)


def has_type(value: object, types: Container[str]) -> bool:
    """Whether a JSON value is of one of the types; whole floats are integers already."""
    match value:
        case None:
            return "null" in types
        case bool():
            return "boolean" in types
        case str():
            return "string" in types
        case int():
            return "integer" in types or "number" in types
        case float():
            return "number" in types
        case dict():
            return "object" in types
        case _:
            return "array" in types


def describe(types: Iterable[str]) -> str:
    """Types in words: ``an integer``, ``a string or null``."""
    return " or ".join(_WORDS[name] for name in types)


def properties_of(schema: Schema) -> Schema | None:
    """The properties that a schema names, in ECMAScript's order of keys, else None."""
    properties = schema.get("properties")
    return in_key_order(properties) if isinstance(properties, dict | Mapping) else None


def in_key_order(members: Schema) -> Schema:
    """The same members with those that are array indexes first, as every language has them."""
    names = key_order(name for name in members if isinstance(name, str))
    return members if names == list(members) else {name: members[name] for name in names}


def required_of(schema: Schema) -> list[str]:
    """The required names, in the order of the properties, then of ``required`` itself."""
    required = schema.get("required")
    if not isinstance(required, list | tuple):
        return []
    names = [name for name in required if isinstance(name, str)]
    known = properties_of(schema) or {}
    wanted = set(names)
    return list(dict.fromkeys([*(name for name in known if name in wanted), *names]))


def is_closed(schema: Schema) -> bool:
    """Whether a name that ``properties`` does not have is certainly wrong."""
    additional = schema.get("additionalProperties")
    if (
        properties_of(schema) is None
        or additional is True
        or isinstance(additional, dict | Mapping)
    ):
        return False
    return _OPENING.isdisjoint(schema)


def is_optional(schema: object, root: Schema) -> bool:
    """Whether a property may be left out although it is required: it has a default."""
    known = resolved(schema, root)
    return known is not None and "default" in known


def items_of(schema: Schema) -> object:
    """The one schema of all items, else None."""
    items = schema.get("items")
    return items if isinstance(items, dict | Mapping) and "prefixItems" not in schema else None


def same_json(one: object, other: object) -> bool:
    """Whether two JSON values are equal; a boolean is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            same_json(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_json, one, other))
    return one == other
