"""What a return annotation says of the JSON that plans get to see.

A decorated Python function says what it returns with its annotation, as far as Strands hands
the value on as JSON: what it would hand on as Python's own text (a dataclass, a list of
models, a date) has no fields that a plan could read.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from strands.types.tools import ToolResult

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
# What may stand around a type without changing it.
_AROUND: Final = (typing.Annotated, typing.Required, typing.NotRequired)
# The ways to serialize for which Pydantic knows no schema unless their result is annotated.
_UNTOLD: Final = ("function-plain", "function-wrap", "any")

Read = TypeVar("Read")


class Unreadable(Exception):  # noqa: N818 - not an error: nothing is known
    """The annotation does not say what Strands will hand on."""


def readable(read: Callable[[], Read]) -> Read:
    """What ``typing`` or Pydantic reads of an annotation.

    Raises:
        Unreadable: It cannot be read.
    """
    try:
        return read()
    # Reading runs the user's code: forward references are evaluated as any expression, and
    # models bring hooks of their own. Whatever that raises, it is only this shape that stays
    # unknown; it must not become an error of every plan of the agent.
    except Exception as error:
        raise Unreadable from error


def schema_of_annotation(annotation: Any) -> Schema | None:
    """The schema of what an annotation says, or None where it says nothing."""
    annotation = _bare(annotation)
    if annotation is Any or annotation is ToolResult:
        return None
    # By identity: a class may bring its own notion of being equal, and may have no hash.
    written_out = any(annotation is kind for kind in (bytes, set, frozenset))
    if written_out or getattr(annotation, "__module__", "") in _WRITTEN_OUT:
        return {"type": "string"}
    definitions: dict[str, Any] = {}
    try:
        schema = _schema(annotation, definitions, inside=False)
    except Unreadable:
        return None
    return {**schema, "$defs": definitions} if definitions else schema


def with_subclasses(annotation: Any, schema: Schema) -> Schema:
    """A model's schema, opened for what its subclasses have of their own, if it has any.

    A function may return an instance of a subclass, with fields that the annotation does not
    name. Where there is no subclass an unknown field is a slip. They are looked for each time,
    since a module that is imported later may define some.
    """
    model = _bare(annotation)
    subclasses = list(_subclasses(model)) if _is_model(model) else []
    if not subclasses:
        return schema
    reference = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    own = schema["$defs"][reference] if reference else schema
    changed = {
        name
        for field, info in model.model_fields.items()
        for name in (field, info.alias, info.serialization_alias)
        if any(_annotated_as(subclass, field) is not info.annotation for subclass in subclasses)
    }
    properties = {
        name: {} if name in changed else inside
        for name, inside in own.get("properties", {}).items()
    }
    opened = {**own, "properties": properties, "additionalProperties": True}
    return {**opened, "$defs": schema["$defs"]} if "$defs" in schema else opened


def _schema(annotation: Any, definitions: dict[str, Any], *, inside: bool) -> Schema:
    """The schema of what ``json.dumps`` makes of a value; at the top, a model's own dump."""
    annotation = _bare(annotation)
    if annotation is Any and inside:
        return {}
    if annotation is None or (type(annotation) is type and annotation in _PLAIN):
        return _PLAIN[annotation]
    if inspect.isclass(annotation) and hasattr(annotation, "__required_keys__"):
        return _typed_dict(annotation, definitions)
    if _is_model(annotation) and not inside:
        return _model(annotation, definitions)
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is not None and origin in _PLAIN and not parts:
        # `List` of `typing` says no more than `list`, and `tuple[()]` has no item to tell of.
        return _PLAIN[origin]
    match origin:
        case _ if origin is Literal:
            kinds = {type(part) for part in parts}
            if kinds <= _PLAIN.keys():
                return {"enum": list(parts), **(_PLAIN[kinds.pop()] if len(kinds) == 1 else {})}
        case typing.Union | types.UnionType:
            return {"anyOf": [_schema(part, definitions, inside=inside) for part in parts]}
        case _ if origin is dict and len(parts) == 2 and parts[0] is str:
            values = _schema(parts[1], definitions, inside=True)
            return {"type": "object", "additionalProperties": values or True}
        case _ if origin is list or (origin is tuple and parts[1:] == (Ellipsis,)):
            return {"type": "array", "items": _schema(parts[0], definitions, inside=True)}
        case _ if origin is tuple:
            for part in parts:
                _schema(part, definitions, inside=True)
            return {"type": "array"}
    raise Unreadable


def _typed_dict(annotation: Any, definitions: dict[str, Any]) -> Schema:
    # Known by its attributes: `typing` and its extensions have a class each for these.
    name = f"{annotation.__module__}.{annotation.__qualname__}"
    if name not in definitions:
        # Named before its fields are looked at, since one of them may be of the same type.
        definitions[name] = {}
        fields = readable(lambda: typing.get_type_hints(annotation, include_extras=True))
        properties = {
            field: _schema(inner, definitions, inside=True) for field, inner in fields.items()
        }
        definitions[name] = {"type": "object", "properties": properties}
    return {"$ref": f"#/$defs/{name}"}


class _AsDumped(GenerateJsonSchema):
    """What a model dumps, where that is known.

    Of a serializer that does not say what it makes, and of what dumps as whatever it is
    (``SerializeAsAny``), Pydantic gives the schema that the field has otherwise.
    """

    def ser_schema(self, schema: Any) -> JsonSchemaValue | None:
        """The schema of a serializer's result; ``{}`` where it is not known."""
        made = super().ser_schema(schema)
        return {} if made is None and schema["type"] in _UNTOLD else made


def _model(annotation: type[BaseModel], definitions: dict[str, Any]) -> Schema:
    by_alias = bool(annotation.model_config.get("serialize_by_alias"))
    schema = readable(
        lambda: annotation.model_json_schema(
            mode="serialization", by_alias=by_alias, schema_generator=_AsDumped
        )
    )
    definitions |= schema.pop("$defs", {})
    return schema


def _bare(annotation: Any) -> Any:
    while typing.get_origin(annotation) in _AROUND:
        annotation = typing.get_args(annotation)[0]
    return annotation


def _is_model(annotation: Any) -> bool:
    return inspect.isclass(annotation) and issubclass(annotation, BaseModel)


def _subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _annotated_as(model: type[BaseModel], field: str) -> Any:
    info = model.model_fields.get(field)
    return None if info is None else info.annotation
