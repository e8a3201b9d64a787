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

_PLAIN: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    dict: {"type": "object", "additionalProperties": True},
    list: {"type": "array"},
    tuple: {"type": "array"},
}
# Strands writes these with str(): text, which is not to be read as JSON.
_WRITTEN_OUT: Final = ("datetime", "decimal", "pathlib", "uuid")
# Looked up anew for every plan otherwise, of every tool.
_hinted: Final[WeakKeyDictionary[AgentTool, dict[str, Any]]] = WeakKeyDictionary()
_annotated: Final[WeakKeyDictionary[AgentTool, Schema]] = WeakKeyDictionary()


class _NoShape(Exception):  # noqa: N818 - not an error: nothing is known
    """The annotation does not say what Strands will hand on."""


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


def _schema_of_annotation(annotation: Any) -> Schema | None:
    if annotation is Any or annotation is ToolResult:
        return None
    written_out = annotation in (bytes, set, frozenset)
    if written_out or getattr(annotation, "__module__", "") in _WRITTEN_OUT:
        return {"type": "string"}
    definitions: dict[str, Any] = {}
    try:
        schema = _schema(annotation, definitions, inside=False)
    except _NoShape:
        return None
    return {**schema, "$defs": definitions} if definitions else schema


def _schema(annotation: Any, definitions: dict[str, Any], *, inside: bool) -> Schema:
    """The schema of what ``json.dumps`` makes of a value; at the top, a model's own dump."""
    if annotation is Any and inside:
        return {}
    if annotation is None or (inspect.isclass(annotation) and annotation in _PLAIN):
        return _PLAIN[annotation]
    if hasattr(annotation, "__required_keys__"):
        return _typed_dict(annotation, definitions)
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel) and not inside:
        return _model(annotation, definitions)
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    match origin:
        case typing.Annotated | typing.Required | typing.NotRequired:
            return _schema(parts[0], definitions, inside=inside)
        case _ if origin is Literal:
            kinds = {type(part) for part in parts}
            if kinds <= _PLAIN.keys():
                return {"enum": list(parts), **(_PLAIN[kinds.pop()] if len(kinds) == 1 else {})}
        case typing.Union | types.UnionType:
            return {"anyOf": [_schema(part, definitions, inside=inside) for part in parts]}
        case _ if origin is dict and parts[0] is str:
            values = _schema(parts[1], definitions, inside=True)
            return {"type": "object", "additionalProperties": values or True}
        case _ if origin is list or (origin is tuple and parts[1:] == (Ellipsis,)):
            return {"type": "array", "items": _schema(parts[0], definitions, inside=True)}
        case _ if origin is tuple:
            for part in parts:
                _schema(part, definitions, inside=True)
            return {"type": "array"}
    raise _NoShape


def _typed_dict(annotation: Any, definitions: dict[str, Any]) -> Schema:
    # Known by its attributes: `typing` and its extensions have a class each for these.
    name = f"{annotation.__module__}.{annotation.__qualname__}"
    if name not in definitions:
        # Named before its fields are looked at, since one of them may be of the same type.
        definitions[name] = {}
        fields = typing.get_type_hints(annotation, include_extras=True)
        properties = {
            field: _schema(inner, definitions, inside=True) for field, inner in fields.items()
        }
        definitions[name] = {"type": "object", "properties": properties}
    return {"$ref": f"#/$defs/{name}"}


def _model(annotation: type[BaseModel], definitions: dict[str, Any]) -> Schema:
    by_alias = bool(annotation.model_config.get("serialize_by_alias"))
    try:
        schema = annotation.model_json_schema(mode="serialization", by_alias=by_alias)
    except PydanticUserError:
        raise _NoShape from None
    definitions |= schema.pop("$defs", {})
    return schema
