"""Writes the Zod twin of the Pydantic models, and the tool input beside it.

No ready generator was good enough: they drop ``additionalProperties: false``, patterns
or defaults. This one knows the allowed keywords and nothing else.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from allowed_keywords import Json, kind_of
from generate_tool_input import tool_input
from read_schema import Schema

Chain: TypeAlias = list[str]
"""A Zod expression as its links: what it starts with, then one call each."""

LINE_LENGTH = 96
HEADER = """\
/**
 * {title}; generated from `schema/`, do not edit.
 *
 * `nox -s generate` writes this file. Schema: sha256
 * {digest}
 */
"""
CHECKS = {
    "minLength": "min",
    "minItems": "min",
    "maxItems": "max",
    "minimum": "min",
    "maximum": "max",
    "exclusiveMinimum": "gt",
}


def generate_typescript(schema: Schema) -> str:
    """The text of ``models.ts``."""
    title = "The shapes of the plan language"
    parts = [HEADER.format(title=title, digest=schema.digest), 'import { z } from "zod";\n']
    parts += [
        f"/** {constant.description} */\n"
        f"export const {constant.name} = {json.dumps(constant.value)};\n"
        for constant in schema.constants
    ]
    parts += [_definition(name, value) for name, value in schema.definitions.items()]
    return "\n".join(parts)


def generate_tool_input_typescript(schema: Schema) -> str:
    """The text of ``tool-input.ts``."""
    header = HEADER.format(title="What a model sees of a plan's shape", digest=schema.digest)
    doc = "/** JSON Schema of the one argument of the plan tool: the plan itself. */"
    value = _object_literal(tool_input(schema), "")
    return f"{header}\n{doc}\nexport const TOOL_INPUT_SCHEMA = {value} as const;\n"


def _definition(name: str, schema: Json) -> str:
    comment = f"/** {schema['description']} */\n"
    text = _layout(f"export const {name} = ", _chain(schema), "  ", ";")
    text = f"{comment}{text}\nexport type {name} = z.infer<typeof {name}>;\n"
    if any("default" in field for field in schema.get("properties", {}).values()):
        text += (
            f"/** What may be written for {name}, before defaults are filled in. */\n"
            f"export type {name}Input = z.input<typeof {name}>;\n"
        )
    return text


def _chain(schema: Json) -> Chain:
    """The Zod type of a schema, without its default and its description."""
    kind = kind_of(schema)
    checks = [f".{call}({schema[key]})" for key, call in CHECKS.items() if key in schema]
    match kind:
        case "$ref":
            links = [schema["$ref"].removeprefix("#/$defs/")]
        case "anyOf":
            return [*_chain(schema["anyOf"][0]), ".nullable()"]
        case "any":
            return ["z", ".json()"]
        case "string":
            pattern = [f".regex(/{schema['pattern']}/)"] if "pattern" in schema else []
            links = ["z", ".string()", *pattern, *checks]
        case "enum":
            links = ["z", f".enum({_words(schema['enum'])})"]
        case "integer":
            links = ["z", ".int()", *checks]
        case "number" | "boolean":
            links = ["z", f".{kind}()", *checks]
        case "array":
            links = ["z", f".array({''.join(_chain(schema['items']))})", *checks]
        case "map":
            value = "".join(_chain(schema["additionalProperties"]))
            links = ["z", f".record(z.string(), {value})"]
        case _:
            links = ["z", _strict_object(schema)]
    return [*links, ".nullable()"] if isinstance(schema.get("type"), list) else links


def _strict_object(schema: Json) -> str:
    lines = [".strictObject({"]
    for name, field in schema["properties"].items():
        links = _chain(field)
        if "default" in field:
            links.append(f".default({json.dumps(field['default'])})")
        links.append(f".describe({json.dumps(field['description'])})")
        lines.append(_layout(f"  {name}: ", links, "    ", ","))
    return "\n".join([*lines, "})"])


def _layout(start: str, links: Chain, indent: str, end: str) -> str:
    """The links on one line or, if that is too long, on a line each."""
    line = f"{start}{''.join(links)}{end}"
    if "\n" in line or len(line) <= LINE_LENGTH:
        return line
    apart = f"\n{indent}"
    return f"{start}{apart.join(links)}{end}"


def _words(words: list[str]) -> str:
    line = f"[{', '.join(map(json.dumps, words))}]"
    if len(line) <= LINE_LENGTH // 2:
        return line
    return "".join(["[\n", *(f"  {json.dumps(word)},\n" for word in words), "]"])


def _object_literal(value: Any, indent: str) -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    inner = indent + "  "
    lines = [f"{inner}{key}: {_object_literal(item, inner)},\n" for key, item in value.items()]
    return "".join(["{\n", *lines, indent, "}"])
