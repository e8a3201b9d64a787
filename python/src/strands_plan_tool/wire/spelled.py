"""Lists and objects that stand where the text of an expression belongs."""

from __future__ import annotations

import re
from typing import Any, Final

from strands_plan_tool.values import to_json_text

__all__ = ["as_expression", "reads_something"]

_READS: Final = re.compile(r"(?<![A-Za-z0-9_.])\$?(?:steps|input|item)\.[A-Za-z_`\"]")


def reads_something(value: Any) -> bool:
    """Whether a text in a value, at any depth, looks like an expression that reads."""
    match value:
        case str():
            return _READS.search(value) is not None
        case dict():
            return any(map(reads_something, value.values()))
        case list():
            return any(map(reads_something, value))
    return False


def as_expression(value: Any) -> str:
    """A value as the expression that it was meant for: texts that read stand as they are."""
    match value:
        case str() if reads_something(value):
            return value
        case dict():
            members = (f"{to_json_text(key)}: {as_expression(of)}" for key, of in value.items())
            return f"{{{', '.join(members)}}}"
        case list():
            return f"[{', '.join(map(as_expression, value))}]"
    return to_json_text(value)
