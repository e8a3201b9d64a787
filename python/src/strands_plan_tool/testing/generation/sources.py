"""What an expression may read, found in the shapes of results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from strands_plan_tool.testing.generation.schemas import Schema, resolved

__all__ = [
    "KINDS",
    "Kind",
    "Source",
    "fields",
    "is_readable",
    "kind_of",
    "list_of",
    "shape_of",
    "sources",
]

Kind = Literal["any", "number", "text", "boolean", "list", "object"]

KINDS: Final[dict[str, Kind]] = {
    "integer": "number",
    "number": "number",
    "string": "text",
    "boolean": "boolean",
    "array": "list",
    "object": "object",
}
"""What a value of each type of JSON Schema is."""

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A bare word that means something else where it stands first.
_TAKEN: Final = frozenset(
    {"and", "or", "in", "true", "false", "null", "steps", "input", "item", "index", "function"}
)
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True)
class Source:
    """A path, and what it gives.

    Attributes:
        text: The path as it is written.
        kind: What it gives.
        schema: The shape of that, with no ``$ref`` at its top; of a list its items are told.
        whole: The schema in which a ``$ref`` is looked up.
    """

    text: str
    kind: Kind
    schema: Schema
    whole: Schema

    @property
    def items(self) -> Source:
        """An item of the list that it gives, for which no path is known yet."""
        schema = resolved(self.schema.get("items"), self.whole)
        return Source("", kind_of(schema), schema, self.whole)

    def named(self, text: str) -> Source:
        """The same by another path."""
        return Source(text, self.kind, self.schema, self.whole)


def sources(text: str, schema: Schema) -> list[Source]:
    """A path to a value of some shape, and the paths on from it that the shape declares."""
    return list(_from(_source(text, schema, schema), 0))


def list_of(text: str, schema: Schema) -> list[Source]:
    """The same of a list, of whose items the shape is given."""
    of_items = {"type": "array", "items": schema}
    return list(_from(Source(text, "list", of_items, schema), 0))


def shape_of(value: object) -> dict[str, Any]:
    """A schema that a value fits; of a list its first item tells."""
    if isinstance(value, Mapping):
        return {"type": "object", "properties": {k: shape_of(v) for k, v in value.items()}}
    if isinstance(value, list | tuple):
        return {"type": "array", "items": shape_of(value[0]) if value else {}}
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, int | float):
        return {"type": "number"}
    return {"type": "string"} if isinstance(value, str) else {}


def fields(of: Source, prefix: str) -> list[Source]:
    """The fields of an object, and theirs, by a prefix: ``""`` for bare names."""
    return [
        found
        for name, member in _members(of.schema)
        if prefix or name not in _TAKEN
        for found in _from(_source(prefix + _written(name), member, of.whole), 1)
    ]


def is_readable(name: str) -> bool:
    """Whether a path can name a field or a value of the host."""
    return "`" not in name and name != "__proto__"


def _members(schema: Schema) -> list[tuple[str, object]]:
    """The members of an object that a path can name."""
    members = schema.get("properties")
    named = members.items() if isinstance(members, Mapping) else ()
    return [(name, member) for name, member in named if is_readable(name)]


def _source(text: str, given: object, whole: Schema) -> Source:
    schema = resolved(given, whole)
    return Source(text, kind_of(schema), schema, whole)


def kind_of(schema: Schema) -> Kind:
    """What a value of some shape is."""
    kind = schema.get("type", "object" if "properties" in schema else None)
    return KINDS.get(kind, "any") if isinstance(kind, str) else "any"


def _from(source: Source, depth: int) -> Iterator[Source]:
    yield source
    if depth >= _DEEPEST:
        return
    if source.kind == "object":
        for name, member in _members(source.schema):
            below = _source(f"{source.text}.{_written(name)}", member, source.whole)
            yield from _from(below, depth + 1)
    elif source.kind == "list":
        item = source.items
        yield item.named(f"{source.text}[0]")
        if item.kind == "object":
            for name, member in _members(item.schema):
                # A path through a list gives what it finds as one list.
                found = resolved(member, source.whole)
                inner = found.get("items", {}) if kind_of(found) == "list" else found
                shape = {"type": "array", "items": inner}
                yield Source(f"{source.text}.{_written(name)}", "list", shape, source.whole)


def _written(name: str) -> str:
    """A field's name as a path has it."""
    return name if _PLAIN.fullmatch(name) and name not in _TAKEN else f"`{name}`"
