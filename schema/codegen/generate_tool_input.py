"""Writes the tool input that a model sees, as lean as it can be and still valid.

Each word of it is paid for in every request, so it carries names, types and what is
required, and leaves out what a model does not need to write a plan: descriptions
(the tool's own teaches the language), defaults, nulls, bounds, patterns, references.
The plan is the input itself: no wrapper around it. What it leaves out is checked when
the plan comes in.
"""

from __future__ import annotations

import json
from typing import Any

from allowed_keywords import Json, kind_of
from read_schema import Schema

MODULE = '''\
"""What a model sees of a plan's shape; generated from ``schema/``, do not edit.

``nox -s generate`` writes this file. Schema: sha256
{digest}
"""

from typing import Any, Final

TOOL_INPUT_SCHEMA: Final[dict[str, Any]] = {value}
"""JSON Schema of the one argument of the plan tool: the plan itself."""
'''


def tool_input(schema: Schema) -> Json:
    """The JSON Schema of a whole plan, without a reference."""
    return _lean({"$ref": "#/$defs/WorkflowPlan"}, schema)


def generate_tool_input(schema: Schema) -> str:
    """The text of ``tool-input.schema.json``."""
    return json.dumps(tool_input(schema), indent=2) + "\n"


def generate_tool_input_python(schema: Schema) -> str:
    """The text of ``tool_input.py``."""
    return MODULE.format(digest=schema.digest, value=_python(tool_input(schema), ""))


def _lean(value: Json, schema: Schema) -> Json:
    kind = kind_of(value)
    match kind:
        case "$ref":
            return _lean(schema.definitions[value["$ref"].removeprefix("#/$defs/")], schema)
        case "anyOf":
            return _lean(value["anyOf"][0], schema)
        case "any":
            return {}
        case "enum":
            return {"enum": value["enum"]}
        case "array":
            return {"type": "array", "items": _lean(value["items"], schema)}
        case "map":
            inner = _lean(value["additionalProperties"], schema)
            return {"type": "object", **({"additionalProperties": inner} if inner else {})}
        case "record":
            fields = {name: _lean(v, schema) for name, v in value["properties"].items()}
            return {"type": "object", "properties": fields, "required": value["required"]}
    return {"type": kind}


def _python(value: Any, indent: str) -> str:
    """A value as Python code, laid out as the formatter of the house would."""
    if isinstance(value, dict) and value:
        inner = indent + "    "
        pairs = [(json.dumps(key), _python(item, inner)) for key, item in value.items()]
        lines = [f"{inner}{key}: {item},\n" for key, item in pairs]
        return "".join(["{\n", *lines, indent, "}"])
    return json.dumps(value)
