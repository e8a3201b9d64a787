"""What a registered tool takes and returns, as JSON Schema, where that is known.

MCP tools say both in their specification. A decorated Python function says what it returns
with its annotation, as far as Strands hands the value on as JSON: what it would hand on as
Python's own text (a dataclass, a list of models, a date) has no fields that a plan could read.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Final, Literal
from weakref import WeakKeyDictionary

from pydantic import BaseModel, PydanticUserError
from strands.types.tools import AgentTool, ToolResult

from strands_plan_tool.strands_adapter.results import is_text, sole_result

Schema = Mapping[str, Any]

# Looked up anew for every plan otherwise, of every tool.
_hinted: Final[WeakKeyDictionary[AgentTool, dict[str, Any]]] = WeakKeyDictionary()
_annotated: Final[WeakKeyDictionary[AgentTool, Schema]] = WeakKeyDictionary()


def input_schema(tool: AgentTool) -> Schema | None:
    """The schema of a tool's arguments.

    Strands before 1.62 writes ``"type": "string"`` into every property that has no type, and
    into the tool's own specification at that; those are taken out again.
    """
    schema = tool.tool_spec["inputSchema"].get("json")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or not isinstance(properties, Mapping):
        return schema if isinstance(schema, Mapping) else None
    hints = _hints(tool)
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
    if tool not in _annotated:
        _annotated[tool] = _schema_of_annotation(_return_annotation(tool)) or {}
    return _annotated[tool] or None


def checked_schema(tool: AgentTool) -> Schema | None:
    """The schema that a plan's paths into the tool's result are checked against, if any.

    A tool that returns text has none: the text may be a JSON document, which plans can read.
    """
    schema = returned_schema(tool)
    inner = sole_result(schema)
    schema = schema if inner is None else inner
    return None if is_text(schema) else schema


def is_async(tool: AgentTool | None) -> bool:
    """Whether a tool is known to run on the event loop, where cancelling reaches it."""
    function = getattr(tool, "__wrapped__", None)
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _hints(tool: AgentTool) -> dict[str, Any] | None:
    """The annotations of a decorated function, or None for any other tool."""
    function = getattr(tool, "__wrapped__", None)
    if function is None:
        return None
    if tool not in _hinted:
        try:
            _hinted[tool] = typing.get_type_hints(function, include_extras=True)
        except (NameError, TypeError, AttributeError):
            # A name that only a type checker can see.
            _hinted[tool] = {}
    return _hinted[tool]


def _return_annotation(tool: AgentTool) -> Any:
    # Of a generator the last value counts, which its annotation names among others.
    if inspect.isasyncgenfunction(getattr(tool, "__wrapped__", None)):
        return Any
    return (_hints(tool) or {}).get("return", Any)
