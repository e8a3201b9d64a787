"""Whether the paths into a step's result exist, where its tool says what it returns."""

from __future__ import annotations

from typing import Final

from strands_plan_tool.diagnostics import Finding, Path, closest, listing, quoted
from strands_plan_tool.expressions import Read
from strands_plan_tool.expressions.templates import field_text
from strands_plan_tool.models import Code
from strands_plan_tool.validate.schemas import (
    Schema,
    describe,
    is_closed,
    items_of,
    properties_of,
    resolved,
    types_of,
)

__all__ = ["result_finding"]

_MOST_LISTS: Final = 64


def result_finding(read: Read, root: Schema, path: Path) -> Finding | None:
    """What is wrong with a path into a result, by the output schema of the step's tool.

    Lists are walked through, as a path in an expression walks through them; so the result of
    a ``for_each`` step, a list of what the tool returns, needs no schema of its own.

    Args:
        read: The path: a step's id and the strict names after it.
        root: The output schema.
        path: Where the expression stands.
    """
    here: object = root
    text = f"steps.{field_text(read.id)}"
    for name in read.names:
        known = _through_lists(here, root)
        if known is None:
            return None
        types = types_of(known)
        if types and "object" not in types:
            return _no_fields(name, text, describe(types), "string" in types, path)
        properties = properties_of(known) or {}
        if name in properties:
            here = properties[name]
        elif is_closed(known):
            return _unknown_field(name, text, list(properties), path)
        else:
            here = known.get("additionalProperties")
        text += f".{field_text(name)}"
    return None


def _through_lists(schema: object, root: Schema) -> Schema | None:
    """What a name is looked up in: the schema itself, or that of its items."""
    for _ in range(_MOST_LISTS):
        known = resolved(schema, root)
        if known is None:
            return None
        types = types_of(known)
        if "array" not in types:
            return known if types or properties_of(known) is not None else None
        if "object" in types:
            return None
        schema = items_of(known)
    return None


def _no_fields(name: str, text: str, what: str, is_text: bool, path: Path) -> Finding:
    hint = f"read {text} itself"
    if name == "length":
        hint = f"write {'$length' if is_text else '$count'}({text})"
    return Finding(
        Code.UNKNOWN_RESULT_FIELD,
        path,
        f"{text} is {what} and has no field {quoted(name)}",
        hint,
    )


def _unknown_field(name: str, text: str, fields: list[str], path: Path) -> Finding:
    meant = closest(name, fields)
    only = f", only {listing(fields)}" if fields else ""
    if name == "length":
        hint = f"write $count({text})"
    elif meant is not None:
        hint = f"change {quoted(name)} to {quoted(meant)}"
    elif fields:
        hint = f"change {quoted(name)} to one of them"
    else:
        hint = f"read {text} itself"
    return Finding(
        Code.UNKNOWN_RESULT_FIELD, path, f"{text} has no field {quoted(name)}{only}", hint
    )
