"""What to say where a name must exist and does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from strands_plan_tool.diagnostics import listing
from strands_plan_tool.models import Code
from strands_plan_tool.values.budget import MAX_NESTING, EvaluationError
from strands_plan_tool.values.sequences import kind

__all__ = ["missing_name"]

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def missing_name(found_in: Iterable[Any], path: str, name: str) -> EvaluationError | None:
    """The error that a strict name makes, if it does.

    Args:
        found_in: The values in which the name gave nothing.
        path: How they are reached, as a message shows it.
        name: The name.

    Returns:
        None if there are no values, or an object among them does have the name.
    """
    fields: dict[str, None] = {}
    kinds: dict[str, None] = {}
    for value in _values(found_in, 1):
        if isinstance(value, dict):
            if name in value:
                return None
            fields.update(dict.fromkeys(value))
        kinds[kind(value)] = None
    if not kinds:
        return None
    whole = f"{path}.{name}" if _PLAIN_NAME.fullmatch(name) else f"{path}.`{name}`"
    if "an object" not in kinds:
        what = " and ".join(kinds)
        message = f"`{whole}` names no field: `{path}` is {what}, not an object"
    elif fields:
        message = f"`{whole}` names no field; the fields of `{path}` are {listing(fields)}"
    else:
        message = f"`{whole}` names no field: `{path}` is an object without fields"
    return EvaluationError(Code.NO_VALUE, message, _hint(path, name, fields, kinds))


def _values(found_in: Iterable[Any], depth: int) -> Iterator[Any]:
    for value in found_in:
        if not isinstance(value, list):
            yield value
        elif depth <= MAX_NESTING:
            yield from _values(value, depth + 1)


def _hint(path: str, name: str, fields: dict[str, None], kinds: dict[str, None]) -> str:
    if name == "length":
        function = "length" if list(kinds) == ["text"] else "count"
        return f"for its length write ${function}({path})"
    hyphenated = next((field for field in fields if field.startswith(f"{name}-")), None)
    if hyphenated is not None:
        return f"a name with a hyphen stands in backticks: {path}.`{hyphenated}`"
    if "an object" not in kinds:
        if list(kinds) == ["text"]:
            return f"use `{path}` itself, or let the tool return an object"
        return f"use `{path}` itself, or give a default with `??`"
    if not fields:
        return "give a default with `??`, or let the tool return the field"
    return "write one of these, or give a default with `??` if the field may be missing"
