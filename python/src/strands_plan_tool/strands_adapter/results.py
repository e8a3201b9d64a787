"""From what a Strands tool hands back to the plain JSON that a plan computes with.

Strands turns nearly every return value into one block of text, so the value has to be read
back out of it. What a block cannot be read as (an image, a document) stays out of the plan:
a reference stands for it, and the block itself goes wherever the whole reference is passed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from strands_plan_tool.errors import ToolExecutionError
from strands_plan_tool.models import JsonValue
from strands_plan_tool.strands_adapter.blocks import Blocks, NotStorable, reference

_SAFE_INTEGER: Final = 2**53 - 1
_STATUSES: Final = ("success", "error")


def unwrap_tool_result(
    tool: str,
    result: Mapping[str, Any],
    *,
    output_schema: Mapping[str, Any] | None = None,
    blocks: Blocks | None = None,
    exception: BaseException | None = None,
) -> JsonValue:
    """Read the value that a tool returned out of its Strands tool result.

    Args:
        tool: The tool's name, for the error.
        result: The tool result: ``{"status", "content", ...}``. A dictionary that only looks
            like one (another status, content that is no list of blocks) is the value itself.
        output_schema: The JSON Schema of what the tool returns, where it is known. A declared
            text keeps literals such as ``"5"`` or ``"true"`` as text.
        blocks: Where media blocks and texts are kept for the run.
        exception: What the tool raised, where Strands tells it.

    Returns:
        Structured content where there is some; else a lone block's value; else the list of all
        blocks' values; ``None`` for no content. Text is read as JSON if it is an object or a
        list, or a literal that could be nothing but the value the tool returned: ``"007"`` and
        ``"12345678901234567890"`` stay text.

    Raises:
        ToolExecutionError: The result's status is ``error``; the detail is the tool's text.
    """
    content = result.get("content")
    if result.get("status") not in _STATUSES or not _are_blocks(content):
        return cast("JsonValue", {k: v for k, v in result.items() if k != "toolUseId"})
    content = cast("list[Mapping[str, Any]]", content)
    if result["status"] == "error":
        raise ToolExecutionError(tool, error_text(content, exception))
    if result.get("structuredContent") is not None:
        return _structured(result["structuredContent"], output_schema, blocks)
    kinds = _kinds(output_schema)
    values: list[JsonValue] = []
    for position, block in enumerate(content):
        if "text" in block:
            values.append(_read(str(block["text"]), kinds, blocks))
        elif "json" in block:
            values.append(block["json"])
        else:
            values.append(_kept(f"{result.get('toolUseId', tool)}.{position}", block, blocks))
    if not values:
        return None
    return values[0] if len(values) == 1 else values


def error_text(
    content: Iterable[Mapping[str, Any]], exception: BaseException | None = None
) -> str:
    """What a failed tool said, without the words that Strands puts around it.

    Args:
        content: The blocks of a tool result whose status is ``error``.
        exception: What the tool raised, where Strands tells it.
    """
    parts = []
    for block in content:
        if "text" in block:
            parts.append(str(block["text"]))
        elif "json" in block:
            parts.append(json.dumps(block["json"], ensure_ascii=False, default=str))
    text = "\n".join(parts)
    if exception is not None:
        own = str(exception)
        if text in (f"Error: {own}", f"Error: {type(exception).__name__} - {own}"):
            text = own or type(exception).__name__
    # Pydantic ends each complaint about an argument with a link that helps no model.
    lines = [
        line
        for line in text.splitlines()
        if not line.lstrip().startswith("For further information visit")
    ]
    return "\n".join(lines) or "the tool reported an error and said nothing about it"


def is_text(schema: Mapping[str, Any] | None) -> bool:
    """Whether a tool that declares this result may return text."""
    return "string" in (_kinds(schema) or ())


def sole_result(schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The schema inside the ``{"result": ...}`` that MCP servers put around a bare value."""
    properties = schema.get("properties") if schema else None
    if schema is None or not isinstance(properties, Mapping) or list(properties) != ["result"]:
        return None
    inner = properties["result"]
    if not isinstance(inner, Mapping):
        return None
    return {**inner, "$defs": schema["$defs"]} if "$defs" in schema else inner


def _kept(key: str, block: Mapping[str, Any], blocks: Blocks | None) -> JsonValue:
    """The reference to a block; the block itself, which is no result, if it cannot be kept."""
    if blocks is None:
        return reference(key, block)
    try:
        return blocks.keep(key, block)
    except NotStorable as unfit:
        return cast("JsonValue", unfit.shown)


def _structured(
    value: Any, schema: Mapping[str, Any] | None, blocks: Blocks | None
) -> JsonValue:
    inner = sole_result(schema)
    if inner is None or not isinstance(value, Mapping) or list(value) != ["result"]:
        return cast("JsonValue", value)
    value = value["result"]
    if isinstance(value, str):
        return _read(value, ("string",), blocks)
    return cast("JsonValue", value)


def _read(text: str, kinds: tuple[str, ...] | None, blocks: Blocks | None) -> JsonValue:
    may_be_text = kinds is not None and "string" in kinds
    try:
        value = json.loads(text, parse_constant=_refuse if may_be_text else None)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict | list):
        if may_be_text and blocks is not None:
            blocks.keep_text(value, text)
        return cast("JsonValue", value)
    if isinstance(value, str):
        return text
    if kinds is not None:
        # None is what a tool that returns "text or nothing" means by `null`.
        declared = not may_be_text or (value is None and "null" in kinds)
        return cast("JsonValue", value) if declared else text
    # Undeclared: only what Strands would have written for that very value. A text of digits
    # with a leading zero, or longer than a number holds, is an identifier.
    exact = json.dumps(value) == text
    if isinstance(value, float) and not math.isfinite(value):
        exact = False
    if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
        exact = False
    return cast("JsonValue", value) if exact else text


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _kinds(schema: object) -> tuple[str, ...] | None:
    """The JSON types that a schema names at its top, or None where it does not say."""
    if not isinstance(schema, Mapping):
        return None
    named = schema.get("type")
    if isinstance(named, str):
        return (named,)
    if isinstance(named, list):
        return tuple(str(kind) for kind in named)
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list):
            parts = [_kinds(part) for part in schema[word]]
            if all(part is not None for part in parts):
                return tuple(kind for part in parts for kind in part or ())
    return None


def _are_blocks(content: object) -> bool:
    return isinstance(content, list) and all(isinstance(block, Mapping) for block in content)
