"""What tools return and hosts pass, taken in as plain JSON.

It is copied once, on the way in; from then on no code but the engine's holds it. Keys stand
in ECMAScript's order and numbers in the one form of their value (``doubles``), so that
nothing later has to look again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from strands_plan_tool.diagnostics import SURROGATE, key_order, pointer
from strands_plan_tool.models import Code
from strands_plan_tool.recursion import room_for
from strands_plan_tool.values.doubles import SAFE_LIMIT, WideInteger, tidy
from strands_plan_tool.values.plain import (
    CALLS_THROUGH,
    MAX_NESTING,
    is_well_formed,
    json_size,
)

__all__ = ["ValueFault", "ingest"]

# What a host passes has no limit of its own; far past this a copy would end the process.
_MOST_BYTES: Final = 2**24
# A number, counted as one byte, takes at most 25, and a UTF-16 unit of a text at most six.
_BYTES_OF_ONE: Final = 25
_MAX_DOUBLE: Final = int(1.7976931348623157e308)


class ValueFault(ValueError):  # noqa: N818 - the value is at fault, not the program
    """A value is not JSON that the engine takes in.

    Args:
        code: ``not_json_result``, or ``result_too_large`` where a limit was asked for.
        message: What is wrong, and where in the value.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def ingest(value: object, *, integers: str = "portable", max_bytes: int | None = None) -> Any:
    """A deep copy of a value as plain JSON: dicts, lists, text, numbers, booleans, None.

    Whole floats become integers, ``-0`` becomes ``0``, and integer-like keys come first.

    Args:
        value: What a tool returned or a host passed as ``input``.
        integers: ``exact`` keeps every digit of an integer beyond ±(2^53−1); ``portable``
            makes it the nearest double.
        max_bytes: The bytes of compact JSON that it may have; a copy that would have more
            is given up as soon as that shows.

    Raises:
        ValueFault: It is no JSON, has a ``__proto__`` key or a lone surrogate, nests over
            64 deep, cannot be read, or is too large.
    """
    exact = integers == "exact"
    try:
        try:
            return _taken_in(value, exact, max_bytes)
        except RecursionError:
            # The caller stands deep, or else a class of a host's own recurs without end.
            with room_for(CALLS_THROUGH):
                return _taken_in(value, exact, max_bytes)
    except _Unfit as unfit:
        fault = unfit
    except _Excess:
        code = Code.NOT_JSON_RESULT if max_bytes is None else Code.RESULT_TOO_LARGE
        most = _MOST_BYTES if max_bytes is None else max_bytes
        raise ValueFault(code, f"it is more than {most} bytes of JSON") from None
    except Exception as error:
        fault = _unreadable(error)
    place = pointer(reversed(fault.parts))
    where = f"at {place}: " if place else ""
    raise ValueFault(Code.NOT_JSON_RESULT, where + fault.why)


def _taken_in(value: object, exact: bool, max_bytes: int | None) -> Any:
    intake = _Intake(exact, _MOST_BYTES if max_bytes is None else max_bytes)
    taken = intake.taken(value, 0)
    if max_bytes is not None and intake.counted * _BYTES_OF_ONE > max_bytes:
        intake.check(json_size(taken))
    return taken


class _Unfit(Exception):  # noqa: N818 - says what, and not yet where
    """A value is not JSON; ``parts`` says where, from the inside out."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.parts: list[str | int] = []


class _Excess(Exception):  # noqa: N818 - the same
    """A value has more JSON than may be taken in."""


class _Intake:
    """One copying in: it remembers the keys that it has found to be ordinary.

    It counts the bytes of JSON that there are at least, in the same places as any engine: of
    a list or an object what its items, keys and marks take, before it is copied, and the
    texts in it once all else is. A scalar that is no text counts as one byte.

    Attributes:
        counted: The bytes so far.
    """

    __slots__ = ("_exact", "_most", "_ordinary", "_pairs", "counted")

    def __init__(self, exact: bool, most: int) -> None:
        self.counted = 1
        self._exact = exact
        self._most = most
        self._ordinary: set[str] = set()
        # Keys with characters of two UTF-16 units, and how many of those each has.
        self._pairs: dict[str, int] = {}

    def check(self, size: int) -> None:
        """Give up what has so many bytes, if these are too many."""
        if size > self._most:
            raise _Excess

    def _count(self, size: int) -> None:
        self.counted += size
        self.check(self.counted)

    def taken(self, value: object, depth: int) -> Any:
        kind = type(value)
        if kind is dict or kind is list:
            if depth == MAX_NESTING:
                raise _Unfit(f"it nests over {MAX_NESTING} levels")
            if kind is dict:
                return self._object(value, depth + 1)  # type: ignore[arg-type]
            return self._list(value, depth + 1)  # type: ignore[arg-type]
        if kind is str:
            self._count(_text_bytes(value))  # type: ignore[arg-type]
            return value
        if kind is bool or value is None:
            return value
        if kind is int:
            return value if -SAFE_LIMIT <= value <= SAFE_LIMIT else self._wide(value)  # type: ignore[operator, arg-type]
        if kind is float:
            return _finite(value)  # type: ignore[arg-type]
        return self._unusual(value, depth)

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        indexed = False
        if not self._ordinary.issuperset(value):
            if any(type(key) is not str for key in value):
                value = {_plain_key(key): member for key, member in value.items()}
            indexed = self._check_keys(value)
        made = value.copy()
        size = 5 * len(value) or 1
        for key, member in value.items():
            size += len(key)
            kind = type(member)
            if kind is str:
                size += len(member) + 1 if member.isascii() else _text_at(key, member)
            elif kind is int:
                if not -SAFE_LIMIT <= member <= SAFE_LIMIT:
                    made[key] = self._member(member, key, depth)
            elif kind is not bool and member is not None:
                made[key] = self._member(member, key, depth)
        if self._pairs:
            size += sum([self._pairs.get(key, 0) for key in value])
        self.counted += size
        if self.counted > self._most:
            raise _Excess
        return {key: made[key] for key in key_order(made)} if indexed else made

    def _list(self, value: list[Any], depth: int) -> list[Any]:
        self.counted += 2 * len(value) or 1
        if self.counted > self._most:
            raise _Excess
        made = value.copy()
        texts = 0
        for index, item in enumerate(value):
            kind = type(item)
            if kind is str:
                texts += len(item) + 1 if item.isascii() else _text_at(index, item)
            elif kind is int:
                if not -SAFE_LIMIT <= item <= SAFE_LIMIT:
                    made[index] = self._member(item, index, depth)
            elif kind is not bool and item is not None:
                made[index] = self._member(item, index, depth)
        if texts:
            self._count(texts)
        return made

    def _member(self, value: object, key: str | int, depth: int) -> Any:
        try:
            return self.taken(value, depth)
        except _Unfit as unfit:
            raise _at(key, unfit) from None
        except (_Excess, RecursionError):
            raise
        except Exception as error:
            # A class of a host's own runs code of its own, which may raise whatever it likes.
            raise _at(key, _unreadable(error)) from None

    def _check_keys(self, value: dict[str, Any]) -> bool:
        """Whether a key is integer-like, once every key is found to be one of JSON."""
        indexed = False
        for key in value:
            if key == "__proto__":
                raise _Unfit("the key __proto__")
            if not key.isascii():
                if not is_well_formed(key):
                    raise _Unfit("a key with a lone surrogate")
                if units := _units(key) - len(key):
                    self._pairs[key] = units
            if key[:1].isdigit():
                indexed = True
            else:
                self._ordinary.add(key)
        return indexed

    def _wide(self, value: int) -> Any:
        if not -_MAX_DOUBLE <= value <= _MAX_DOUBLE:
            raise _Unfit("a number larger than a double can be")
        if not self._exact:
            return tidy(float(value))
        self._count(len(str(value)) - 1)
        return WideInteger(value)

    def _unusual(self, value: object, depth: int) -> Any:
        """A subclass of what JSON has is taken as what it extends."""
        if isinstance(value, str):
            return self.taken(str.__str__(value), depth)
        if isinstance(value, int):
            return self.taken(int(value), depth)
        if isinstance(value, float):
            return self.taken(float(value), depth)
        if isinstance(value, dict):
            return self.taken(dict(self._bounded(value.items())), depth)
        if isinstance(value, list):
            return self.taken(self._bounded(value), depth)
        raise _Unfit(f"a value of type {type(value).__name__}")

    def _bounded(self, items: Iterable[Any]) -> list[Any]:
        """What a class of a host's own gives, which may have no end."""
        # Each takes two bytes at least.
        most = (self._most - self.counted) // 2
        found = list(islice(items, most + 1))
        self.check(self.counted + 2 * len(found))
        return found


def _at(part: str | int, unfit: _Unfit) -> _Unfit:
    unfit.parts.append(part)
    return unfit


def _plain_key(key: object) -> str:
    if not isinstance(key, str):
        raise _Unfit("a key is not text")
    return str.__str__(key)


def _text_at(part: str | int, text: str) -> int:
    try:
        return _text_bytes(text)
    except _Unfit as unfit:
        raise _at(part, unfit) from None


def _text_bytes(text: str) -> int:
    """What a text adds to the one byte that it is counted as: its units and its quotes."""
    if text.isascii():
        return len(text) + 1
    if not is_well_formed(text):
        raise _Unfit("text with a lone surrogate")
    return _units(text) + 1


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _unreadable(error: Exception) -> _Unfit:
    try:
        said = SURROGATE.sub("\ufffd", str(error))
    except Exception:
        # What it raised cannot be read either.
        said = ""
    return _Unfit("a value that cannot be read" + (f" ({said})" if said else ""))


def _finite(value: float) -> int | float:
    if not math.isfinite(value):
        raise _Unfit("a number that is not finite")
    return tidy(value)
