"""What a registered tool takes and returns, as JSON Schema, where that is known.

MCP tools say both in their specification; a decorated Python function says what it returns
with its annotation.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from strands.types.tools import AgentTool

from strands_plan_tool.strands_adapter.annotations import (
    Schema,
    Unreadable,
    readable,
    schema_of_annotation,
    with_subclasses,
)
from strands_plan_tool.strands_adapter.results import is_text, sole_result

# Looked up anew for every plan otherwise, of every tool. By function, since a tool may be of a
# class that has no hash.
_hinted: Final[WeakKeyDictionary[Callable[..., Any], dict[str, Any]]] = WeakKeyDictionary()
_annotated: Final[WeakKeyDictionary[Callable[..., Any], Schema]] = WeakKeyDictionary()


def input_schema(tool: AgentTool) -> Schema | None:
    """The schema of a tool's arguments.

    Strands before 1.62 writes ``"type": "string"`` into every property that has no type, and
    into the tool's own specification at that; those are taken out again.
    """
    schema = tool.tool_spec["inputSchema"].get("json")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or not isinstance(properties, Mapping):
        return schema if isinstance(schema, Mapping) else None
    function = _function(tool)
    hints = None if function is None else _hints(function)
    untyped = {
        name
        for name, inside in properties.items()
        if isinstance(inside, Mapping)
        and inside.get("type") == "string"
        and (
            hints.get(name, Any) is Any
            if hints is not None
            else inside.get("description") == f"Property {name}"
        )
    }
    if not untyped:
        return schema
    return {
        **schema,
        "properties": {
            name: {k: v for k, v in inside.items() if k != "type"}
            if name in untyped
            else inside
            for name, inside in properties.items()
        },
    }


def returned_schema(tool: AgentTool) -> Schema | None:
    """The schema of what a tool returns, or None where nothing says it.

    A schema of text is given too: it decides how a result is read (``unwrap_tool_result``).
    """
    declared = tool.tool_spec.get("outputSchema")
    if isinstance(declared, Mapping):
        schema = declared.get("json", declared)
        return schema if isinstance(schema, Mapping) else None
    function = _function(tool)
    # Of a generator the last value counts, which its annotation names among others.
    if function is None or inspect.isasyncgenfunction(function):
        return None
    annotation = _hints(function).get("return", Any)
    if function not in _annotated:
        _annotated[function] = schema_of_annotation(annotation) or {}
    schema = _annotated[function]
    return with_subclasses(annotation, schema) if schema else None


def checked_schema(tool: AgentTool) -> Schema | None:
    """The schema that a plan's paths into the tool's result are checked against, if any.

    A tool that returns text has none: the text may be a JSON document, which plans can read.
    """
    schema = returned_schema(tool)
    # An MCP server's wrapper; a function that returns a `result` returns just that.
    inner = sole_result(schema) if tool.tool_spec.get("outputSchema") else None
    schema = schema if inner is None else inner
    return None if is_text(schema) else schema


def is_async(tool: AgentTool | None) -> bool:
    """Whether a tool is known to run on the event loop, where cancelling reaches it."""
    function = getattr(tool, "__wrapped__", None)
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _function(tool: AgentTool) -> Callable[..., Any] | None:
    """The function that was made a tool by decorating it, or None for any other tool."""
    function = getattr(tool, "__wrapped__", None)
    function = getattr(function, "__func__", function)
    return function if inspect.isfunction(function) else None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function; none if one of them cannot be looked up."""
    if function not in _hinted:
        try:
            hints = readable(lambda: typing.get_type_hints(function, include_extras=True))
        except Unreadable:
            hints = {}
        _hinted[function] = hints
    return _hinted[function]
