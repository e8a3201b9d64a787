"""JSON as it travels between the harness and an engine, and when two values are equal."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

__all__ = ["equal", "in_same_order", "read", "write"]


def read(text: str) -> Any:
    """The value of a JSON text, with ``-0`` kept apart from ``0``.

    Raises:
        ValueError: It is no JSON; ``NaN`` and ``Infinity`` are none.
    """
    return json.loads(text, parse_constant=_refused, parse_int=_integer)


def write(value: Any) -> str:
    """A value on one line, in ASCII, so that no reader splits it elsewhere."""
    return json.dumps(value, allow_nan=False)


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    # No engine may give it: a zero of the language has no sign.
    return -0.0 if digits == "-0" else int(digits)


def equal(one: Any, other: Any) -> bool:
    """Whether two values are equal: numbers by value, ``true`` never ``1``, ``-0`` never ``0``.

    Objects are compared without order, lists with it.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return type(one) is type(other) and bool(one == other)


def in_same_order(one: Any, other: Any) -> bool:
    """Whether the objects in two equal values have their members in the same order."""
    if isinstance(one, dict):
        return list(one) == list(other) and all(in_same_order(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return all(map(in_same_order, one, other))
    return True
