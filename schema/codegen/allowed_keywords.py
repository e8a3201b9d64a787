"""The part of JSON Schema that the model is written in, and the check that keeps to it.

Pydantic and Zod read these keywords alike, and a port to a further language can do
so in a day. What is not listed is refused: a keyword that a generator does not know
must be an error, never a check left out.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
Place: TypeAlias = Literal["definition", "property", "inner"]

ANY_JSON = ["null", "boolean", "number", "string", "array", "object"]
BOUNDS = ("minimum", "maximum", "exclusiveMinimum")

# What each kind of schema may say; beside it `description` and, of a property, `default`.
ALLOWED: dict[str, tuple[str, ...]] = {
    "$ref": ("$ref",),
    "anyOf": ("anyOf",),
    "any": ("type",),
    "string": ("type", "pattern", "minLength"),
    "enum": ("type", "enum"),
    "integer": ("type", *BOUNDS),
    "number": ("type", *BOUNDS),
    "boolean": ("type",),
    "array": ("type", "items", "minItems", "maxItems"),
    "map": ("type", "additionalProperties"),
    "record": ("type", "properties", "required", "additionalProperties"),
}
# What has no name of its own must be simple, or a generator would have to invent one.
PLACES: dict[Place, frozenset[str]] = {
    "definition": frozenset(ALLOWED) - {"$ref", "anyOf"},
    "property": frozenset(ALLOWED) - {"record", "enum"},
    "inner": frozenset(ALLOWED) - {"record", "enum", "anyOf"},
}

LONGEST_DESCRIPTION = 84
MOST_ENTRIES = 10_000
LARGEST_INTEGER = 2**53 - 1
DEFINITION_NAME = re.compile(r"[A-Z][A-Za-z]*")
PROPERTY_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
REFERENCE = re.compile(r"#/\$defs/([A-Za-z]+)")
# Every dialect of regular expressions reads these alike: no letter classes, no escapes.
PORTABLE_PATTERN = re.compile(r"\^[a-zA-Z0-9_\[\]{},|()+*?:-]*\$")


class SchemaError(ValueError):
    """The schema says something that the generators would not all read alike."""


def kind_of(schema: Json, where: str = "schema") -> str:
    """Which row of ``ALLOWED`` a schema is, a ``null`` beside its type left aside."""
    for keyword in ("$ref", "anyOf", "enum"):
        if keyword in schema:
            return keyword
    kind = schema.get("type")
    if kind == ANY_JSON:
        return "any"
    if isinstance(kind, list) and len(kind) == 2 and kind[1] == "null":
        kind = kind[0]
    if kind == "object":
        return "record" if "properties" in schema else "map"
    if not isinstance(kind, str) or kind not in ALLOWED:
        raise SchemaError(f"{where}: no rule for type {json.dumps(kind)}")
    return kind


def is_nullable(schema: Json) -> bool:
    """Whether ``null`` is accepted beside what the schema is for."""
    kind = schema.get("type")
    return "anyOf" in schema or (isinstance(kind, list) and kind != ANY_JSON)


def only(schema: Json, where: str, *keywords: str) -> None:
    """Refuses every keyword but ``keywords``.

    Raises:
        SchemaError: There is another one.
    """
    if unknown := sorted(schema.keys() - set(keywords)):
        raise SchemaError(f"{where}: no rule for `{'`, `'.join(unknown)}`")


def check_definition(schema: Json, name: str) -> None:
    """Checks one definition with all that it holds.

    Raises:
        SchemaError: It leaves the allowed part of JSON Schema.
    """
    if not DEFINITION_NAME.fullmatch(name):
        raise SchemaError(f"{name}: a definition is named in CamelCase, without digits")
    _check_description(schema, name)
    _check(schema, name, "definition")


def _check_description(schema: Json, where: str) -> None:
    text = schema.get("description", "")
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_DESCRIPTION:
        raise SchemaError(
            f"{where}: needs a description of at most {LONGEST_DESCRIPTION} characters"
        )
    if not text.isascii() or not text.isprintable() or set(text) & set('"\\') or "*/" in text:
        raise SchemaError(f"{where}: a description is one line of plain ASCII")


def _check(schema: Json, where: str, place: Place) -> None:
    kind = kind_of(schema, where)
    if kind not in PLACES[place]:
        raise SchemaError(f"{where}: `{kind}` cannot stand here; make it a definition")
    extra = {"definition": ("description",), "property": ("description", "default")}
    only(schema, where, *ALLOWED[kind], *extra.get(place, ()))
    if is_nullable(schema) and place != "property":
        raise SchemaError(f"{where}: only a property may be null")
    match kind:
        case "$ref" if not REFERENCE.fullmatch(schema["$ref"]):
            raise SchemaError(f"{where}: no definition's address: {schema['$ref']}")
        case "anyOf":
            _check_optional(schema["anyOf"], where)
        case "string":
            _check_string(schema, where)
        case "enum":
            _check_enum(schema, where)
        case "integer" | "number":
            _check_number(schema, where, kind)
        case "array":
            _check_array(schema, where)
        case "map":
            if not isinstance(schema.get("additionalProperties"), dict):
                raise SchemaError(f"{where}: an open object has a schema of its values")
            _check(schema["additionalProperties"], f"{where}{{}}", "inner")
        case "record":
            _check_record(schema, where)


def _check_optional(arms: list[Json], where: str) -> None:
    if len(arms) != 2 or arms[1] != {"type": "null"} or arms[0].keys() != {"$ref"}:
        raise SchemaError(f"{where}: `anyOf` only joins one `$ref` with null")
    _check(arms[0], where, "inner")


def _check_string(schema: Json, where: str) -> None:
    if {"pattern", "minLength"} <= schema.keys():
        raise SchemaError(f"{where}: two checks of one string could both fail")
    if schema.get("minLength", 1) != 1:
        raise SchemaError(f"{where}: lengths over 1 are counted in different units")
    if not PORTABLE_PATTERN.fullmatch(schema.get("pattern", "^$")):
        raise SchemaError(f"{where}: not a portable, anchored pattern")


def _check_enum(schema: Json, where: str) -> None:
    if schema.get("type") != "string":
        raise SchemaError(f"{where}: an enum is of type string")
    for word in schema["enum"]:
        if not isinstance(word, str) or not PROPERTY_NAME.fullmatch(word):
            raise SchemaError(f"{where}: {json.dumps(word)} is no lower-case word")


def _check_number(schema: Json, where: str, kind: str) -> None:
    for bound in (schema[name] for name in BOUNDS if name in schema):
        if type(bound) is not int or abs(bound) > LARGEST_INTEGER:
            raise SchemaError(f"{where}: a bound is an integer that doubles hold")
    if kind == "integer" and not {"minimum", "maximum"} <= schema.keys():
        # Without a maximum one language would take what the other cannot hold.
        raise SchemaError(f"{where}: an integer has a minimum and a maximum")


def _check_array(schema: Json, where: str) -> None:
    if not isinstance(schema.get("items"), dict):
        raise SchemaError(f"{where}: an array has one schema of its items")
    _check(schema["items"], f"{where}[]", "inner")
    if schema.get("maxItems", MOST_ENTRIES) < MOST_ENTRIES:
        # Beside a bad item Pydantic does not count; longer lists the wire rules find.
        raise SchemaError(f"{where}: `maxItems` is below the wire's own limit")


def _check_record(schema: Json, where: str) -> None:
    if schema.get("additionalProperties") is not False:
        raise SchemaError(f"{where}: `additionalProperties` is not false")
    required = set(schema.get("required", ()))
    if unknown := sorted(required - schema["properties"].keys()):
        raise SchemaError(f"{where}: `required` names no property: {unknown[0]}")
    for name, field in schema["properties"].items():
        at = f"{where}.{name}"
        if not PROPERTY_NAME.fullmatch(name):
            raise SchemaError(f"{at}: a property is named in snake_case")
        if (name in required) == ("default" in field):
            raise SchemaError(f"{at}: neither or both of required and default")
        _check_description(field, at)
        _check(field, at, "property")
        if "default" in field:
            _check_default(field, at)


def _check_default(field: Json, where: str) -> None:
    default = field["default"]
    fits: dict[str, bool] = {
        "$ref": not isinstance(default, list | dict),
        "anyOf": False,
        "string": isinstance(default, str),
        "integer": type(default) is int,
        "number": type(default) in (int, float),
        "boolean": isinstance(default, bool),
        "array": default == [],
        "map": default == {},
    }
    if not (default is None and is_nullable(field)) and not fits.get(kind_of(field), True):
        raise SchemaError(f"{where}: the default does not fit the type")
