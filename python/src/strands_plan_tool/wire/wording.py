"""How messages show JSON: the same words for the same value in every language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.values import to_json_text

__all__ = ["kind_of", "one_of", "shown"]

_SHOWN_CHARACTERS: Final = 80
_SHOWN_VALUES: Final = 20


def kind_of(value: object) -> str:
    """What sort of JSON value it is, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case Mapping():
            return "an object"
        case _:
            return "a number"


def shown(value: Any) -> str:
    """A value as JSON; a long string is cut, any other long value is only called its kind."""
    if isinstance(value, str):
        return quoted(value)
    text = to_json_text(value)
    return text if len(text) <= _SHOWN_CHARACTERS else kind_of(value)


def one_of(values: Iterable[Any]) -> str:
    """Values to choose from: ``1``, or ``one of 1, "b"``; at most the first 20."""
    every = list(values)
    listed = ", ".join(shown(value) for value in every[:_SHOWN_VALUES])
    rest = len(every) - _SHOWN_VALUES
    if len(every) == 1:
        return listed
    return f"one of {listed}" + (f" and {rest} more" if rest > 0 else "")
