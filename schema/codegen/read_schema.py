"""The schema files, read as one set of definitions that the generators share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allowed_keywords import Json, SchemaError, check_definition, only

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SOURCES = (
    "plan.schema.json",
    "policy.schema.json",
    "result.schema.json",
    "checkpoint.schema.json",
    "task-plan.schema.json",
)


@dataclass(frozen=True)
class Constant:
    """A number or text of the schema that code needs by a name of its own."""

    name: str
    value: int | str
    description: str


@dataclass(frozen=True)
class Schema:
    """What the generators write from.

    Attributes:
        definitions: Name to schema, each after those it refers to; every reference
            reads ``#/$defs/<name>``.
        constants: What is needed by name beside them.
        digest: SHA-256 of the files, in hexadecimal.
    """

    definitions: dict[str, Json]
    constants: tuple[Constant, ...]
    digest: str


def read_schema(folder: Path) -> Schema:
    """Reads, checks and joins the files in ``folder``.

    Raises:
        SchemaError: A file says what the generators would not all read alike.
    """
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in SOURCES}
    definitions: dict[str, Json] = {}
    for name, text in texts.items():
        document = json.loads(text)
        only(document, name, "$schema", "$id", "description", "$ref", "$defs")
        if (document.get("$schema"), document.get("$id")) != (DIALECT, name):
            raise SchemaError(f"{name}: `$schema` or `$id` is not what it is elsewhere")
        for key, definition in document["$defs"].items():
            if key in definitions:
                raise SchemaError(f"{name}: `{key}` is defined in another file too")
            definitions[key] = _with_local_references(definition, document["$defs"].keys())
    for key, definition in definitions.items():
        check_definition(definition, key)
    digest = hashlib.sha256("".join(texts.values()).encode()).hexdigest()
    ordered = _in_order(definitions)
    return Schema(ordered, _constants(ordered), digest)


def references_of(schema: Json) -> Iterator[str]:
    """The names of the definitions that a schema refers to, in its order."""
    for key, value in schema.items():
        if key == "$ref":
            yield value.removeprefix("#/$defs/")
        elif isinstance(value, dict):
            yield from references_of(value)
        elif key == "anyOf":
            for arm in value:
                yield from references_of(arm)


def _with_local_references(value: Any, local: AbstractSet[str]) -> Any:
    """``value`` with every reference pointing into one document, as all are joined to one."""
    if isinstance(value, list):
        return [_with_local_references(item, local) for item in value]
    if not isinstance(value, dict):
        return value
    joined = {key: _with_local_references(item, local) for key, item in value.items()}
    reference = joined.get("$ref")
    if isinstance(reference, str):
        file, _, name = reference.partition("#/$defs/")
        if (file and file not in SOURCES) or (not file and name not in local):
            raise SchemaError(f"`{reference}` points at nothing")
        joined["$ref"] = f"#/$defs/{name}"
    return joined


def _in_order(definitions: dict[str, Json]) -> dict[str, Json]:
    """The definitions with each after those it refers to, else as they are written."""
    ordered: dict[str, Json] = {}
    open_names: list[str] = []

    def visit(name: str) -> None:
        if name in ordered:
            return
        if name not in definitions or name in open_names:
            raise SchemaError(f"`{name}` is defined nowhere, or by way of itself")
        open_names.append(name)
        for other in references_of(definitions[name]):
            visit(other)
        open_names.pop()
        ordered[name] = definitions[name]

    for name in definitions:
        visit(name)
    return ordered


def _constants(definitions: dict[str, Json]) -> tuple[Constant, ...]:
    plan, policy = definitions["WorkflowPlan"], definitions["Policy"]
    return (
        Constant(
            "MAX_STEPS",
            policy["properties"]["max_steps"]["default"],
            "Steps that a plan may have where the host sets no limit.",
        ),
        Constant(
            "SCHEMA_MAX_STEPS",
            plan["properties"]["steps"]["maxItems"],
            "Steps that a plan may have whatever the host says.",
        ),
        Constant(
            "STEP_ID_PATTERN",
            definitions["StepId"]["pattern"],
            "What a step's id looks like.",
        ),
    )
