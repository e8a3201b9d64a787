"""What a registered tool returns, as JSON Schema, where that is known.

MCP tools say it in their specification. A decorated Python function says it with its return
annotation, as far as Strands hands the value on as JSON: what it would hand on as Python's own
text (a dataclass, a list of models, a date) has no fields that a plan could read.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Final, Literal, cast
from weakref import WeakKeyDictionary

from pydantic import BaseModel, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError
from strands.types.tools import AgentTool, ToolResult

from strands_plan_tool.strands_adapter.results import is_text, sole_result

Schema = Mapping[str, Any]

_UNKNOWN: Final[Schema] = {}
_PLAIN: Final = (str, int, float, bool, type(None), dict, list, tuple)
_annotated: Final[WeakKeyDictionary[AgentTool, Schema]] = WeakKeyDictionary()


def returned_schema(tool: AgentTool) -> Schema | None:
    """The schema of what a tool returns, or None where nothing says it.

    A schema of text is given too: it decides how a result is read (``unwrap_tool_result``).
    """
    declared = tool.tool_spec.get("outputSchema")
    if isinstance(declared, Mapping):
        schema = declared.get("json", declared)
        return schema if isinstance(schema, Mapping) else None
    if tool not in _annotated:
        _annotated[tool] = _schema_of_annotation(_return_annotation(tool)) or _UNKNOWN
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


def _return_annotation(tool: AgentTool) -> Any:
    function = getattr(tool, "__wrapped__", None)
    if function is None or inspect.isasyncgenfunction(function):
        return Any
    try:
        return typing.get_type_hints(function, include_extras=True).get("return", Any)
    except (NameError, TypeError, AttributeError):
        # A name that only a type checker can see.
        return Any


def _schema_of_annotation(annotation: Any) -> Schema | None:
    if annotation is Any or annotation is ToolResult:
        return None
    if not _is_handed_on_as_json(annotation):
        # Strands writes such a value with str(): it is text, and is not to be read as JSON.
        return {"type": "string"} if _is_opaque(annotation) else None
    model = annotation if _is_model(annotation) else None
    by_alias = bool(model and model.model_config.get("serialize_by_alias"))
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = adapter.json_schema(mode="serialization", by_alias=by_alias)
    except (PydanticUserError, PydanticSchemaGenerationError, TypeError):
        return None
    return cast("Schema", schema)


def _is_handed_on_as_json(annotation: Any, *, inside: bool = False) -> bool:
    """Whether ``json.dumps``, or a model's own dump at the top, writes such a value."""
    if annotation in _PLAIN or (inside and annotation is Any):
        return True
    origin = typing.get_origin(annotation)
    parts = typing.get_args(annotation)
    if origin is typing.Annotated or origin in (typing.Required, typing.NotRequired):
        return _is_handed_on_as_json(parts[0], inside=inside)
    if origin is Literal:
        return all(isinstance(part, str | int | bool | None) for part in parts)
    if origin in (typing.Union, types.UnionType):
        return all(_is_handed_on_as_json(part, inside=inside) for part in parts)
    if origin is dict:
        return parts[0] is str and _is_handed_on_as_json(parts[1], inside=True)
    if origin in (list, tuple):
        return all(
            part is Ellipsis or _is_handed_on_as_json(part, inside=True) for part in parts
        )
    if _is_model(annotation):
        return not inside
    if typing.is_typeddict(annotation):
        fields = typing.get_type_hints(annotation, include_extras=True).values()
        return all(_is_handed_on_as_json(field, inside=True) for field in fields)
    return False


def _is_opaque(annotation: Any) -> bool:
    return annotation in (bytes, set, frozenset) or getattr(annotation, "__module__", "") in (
        "datetime",
        "decimal",
        "uuid",
        "pathlib",
    )


def _is_model(annotation: Any) -> bool:
    return inspect.isclass(annotation) and issubclass(annotation, BaseModel)
