"""Plain JSON coming in and going out, and the difference between nothing and null.

What a tool returns is copied once, on the way in; from then on no code but the engine's
holds it. Keys stand in ECMAScript's order and numbers in the one form of their value
(``doubles``), so that nothing later has to look again.
"""

from __future__ import annotations

import json
import math
import re
from json.encoder import encode_basestring
from typing import Any, Final, final

from strands_plan_tool.diagnostics import key_order, pointer
from strands_plan_tool.models import Code
from strands_plan_tool.values.doubles import SAFE_LIMIT, WideInteger, number_to_text, tidy

__all__ = [
    "MAX_NESTING",
    "NOTHING",
    "Nothing",
    "ValueFault",
    "copy_out",
    "ingest",
    "is_well_formed",
    "json_size",
    "json_string",
    "number_to_text",
    "surely_within",
    "to_json_text",
]

MAX_NESTING: Final = 64
"""Containers that may stand in one another."""

# A character takes at most six bytes, and an integer of a double's width 310.
_FEW: Final = 16
_SHORT: Final = 256
_LEAST_LIMIT: Final = _FEW * (2 * (6 * _SHORT + 2) + 2) + 2

_MAX_DOUBLE: Final = int(1.7976931348623157e308)
_NUMBER_OR_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.]*(?:e[+-]?[0-9]+)?')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@final
class Nothing:
    """The type of ``NOTHING``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING: Final = Nothing()
"""What an expression gives that matches nothing; unlike ``None``, which is JSON's null."""


class ValueFault(ValueError):  # noqa: N818 - the value is at fault, not the program
    """A value is not JSON that the engine takes in.

    Args:
        code: ``not_json_result``.
        message: What is wrong, and where in the value.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def ingest(value: object, *, integers: str = "portable") -> Any:
    """A deep copy of a value as plain JSON: dicts, lists, text, numbers, booleans, None.

    Whole floats become integers, ``-0`` becomes ``0``, and integer-like keys come first.

    Args:
        value: What a tool returned or a host passed as ``input``.
        integers: ``exact`` keeps every digit of an integer beyond ±(2^53−1); ``portable``
            makes it the nearest double.

    Raises:
        ValueFault: It is no JSON, has a ``__proto__`` key or a lone surrogate, or nests
            over 64 deep.
    """
    try:
        return _Intake(integers == "exact").taken(value, 0)
    except _Unfit as unfit:
        place = pointer(reversed(unfit.parts))
        where = f"at {place}: " if place else ""
        raise ValueFault(Code.NOT_JSON_RESULT, where + unfit.why) from None


class _Unfit(Exception):  # noqa: N818 - says what, and not yet where
    """A value is not JSON; ``parts`` says where, from the inside out."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.parts: list[str | int] = []


class _Intake:
    """One copying in: it remembers the keys that it has found to be ordinary."""

    __slots__ = ("_exact", "_ordinary")

    def __init__(self, exact: bool) -> None:
        self._exact = exact
        self._ordinary: set[str] = set()

    def taken(self, value: object, depth: int) -> Any:
        kind = type(value)
        if kind is dict or kind is list:
            if depth == MAX_NESTING:
                raise _Unfit(f"it nests over {MAX_NESTING} levels")
            if kind is dict:
                return self._object(value, depth + 1)  # type: ignore[arg-type]
            return self._list(value, depth + 1)  # type: ignore[arg-type]
        if kind is str:
            return value if is_well_formed(value) else _refuse_text()  # type: ignore[arg-type]
        if kind is bool or value is None:
            return value
        if kind is int:
            return value if -SAFE_LIMIT <= value <= SAFE_LIMIT else self._wide(value)  # type: ignore[operator, arg-type]
        if kind is float:
            return _finite(value)  # type: ignore[arg-type]
        return self._unusual(value, depth)

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        made = value.copy()
        indexed = False
        if not self._ordinary.issuperset(value):
            if any(type(key) is not str for key in value):
                value = made = {_plain_key(key): member for key, member in value.items()}
            indexed = self._check_keys(value)
        for key, member in value.items():
            kind = type(member)
            if kind is str:
                if not (member.isascii() or is_well_formed(member)):
                    raise _at(key, _Unfit("text with a lone surrogate"))
            elif kind is int:
                if not -SAFE_LIMIT <= member <= SAFE_LIMIT:
                    made[key] = self._member(member, key, depth)
            elif kind is not bool and member is not None:
                made[key] = self._member(member, key, depth)
        return {key: made[key] for key in key_order(made)} if indexed else made

    def _list(self, value: list[Any], depth: int) -> list[Any]:
        made = value.copy()
        for index, item in enumerate(value):
            kind = type(item)
            if kind is str:
                if not (item.isascii() or is_well_formed(item)):
                    raise _at(index, _Unfit("text with a lone surrogate"))
            elif kind is int:
                if not -SAFE_LIMIT <= item <= SAFE_LIMIT:
                    made[index] = self._member(item, index, depth)
            elif kind is not bool and item is not None:
                made[index] = self._member(item, index, depth)
        return made

    def _member(self, value: object, key: str | int, depth: int) -> Any:
        try:
            return self.taken(value, depth)
        except _Unfit as unfit:
            raise _at(key, unfit) from None

    def _check_keys(self, value: dict[str, Any]) -> bool:
        """Whether a key is integer-like, once every key is found to be one of JSON."""
        indexed = False
        for key in value:
            if key == "__proto__":
                raise _Unfit("the key __proto__")
            if not is_well_formed(key):
                raise _Unfit("a key with a lone surrogate")
            if key[:1].isdigit():
                indexed = True
            else:
                self._ordinary.add(key)
        return indexed

    def _wide(self, value: int) -> Any:
        if not -_MAX_DOUBLE <= value <= _MAX_DOUBLE:
            raise _Unfit("a number larger than a double can be")
        return WideInteger(value) if self._exact else tidy(float(value))

    def _unusual(self, value: object, depth: int) -> Any:
        """A subclass of what JSON has is taken as what it extends."""
        if isinstance(value, str):
            return self.taken(str.__str__(value), depth)
        if isinstance(value, int):
            return self.taken(int(value), depth)
        if isinstance(value, float):
            return self.taken(float(value), depth)
        if isinstance(value, dict):
            return self.taken(dict(value), depth)
        if isinstance(value, list):
            return self.taken(list(value), depth)
        raise _Unfit(f"a value of type {type(value).__name__}")


def _at(part: str | int, unfit: _Unfit) -> _Unfit:
    unfit.parts.append(part)
    return unfit


def _plain_key(key: object) -> str:
    if not isinstance(key, str):
        raise _Unfit("a key is not text")
    return str.__str__(key)


def _refuse_text() -> None:
    raise _Unfit("text with a lone surrogate")


def _finite(value: float) -> int | float:
    if not math.isfinite(value):
        raise _Unfit("a number that is not finite")
    return tidy(value)


def is_well_formed(text: str) -> bool:
    """Whether a text is free of lone surrogates."""
    return text.isascii() or _SURROGATE.search(text) is None


def copy_out(value: Any) -> Any:
    """A deep copy of stored JSON, of plain types only, for whoever may change it."""
    if isinstance(value, dict):
        return {
            key: copy_out(member) if isinstance(member, _DEEP) else member
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [copy_out(item) if isinstance(item, _DEEP) else item for item in value]
    return int(value) if type(value) is WideInteger else value


_DEEP: Final = (dict, list, WideInteger)


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), check_circular=False
)


def to_json_text(value: Any) -> str:
    """Compact JSON as ``JSON.stringify`` writes it, integers with all their digits.

    Args:
        value: Plain JSON.
    """
    text = _ENCODER.encode(value)
    # Python writes `1e+16`, `1e-05` and `1.0` where ECMAScript has other texts.
    if "e+" in text or "e-" in text or ".0" in text:
        return _NUMBER_OR_STRING.sub(_as_ecmascript, text)
    return text


def _as_ecmascript(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == '"' or ("." not in text and "e" not in text):
        return text
    return number_to_text(tidy(float(text)))


def json_size(value: Any) -> int:
    """The bytes of a value as compact JSON in UTF-8."""
    text = to_json_text(value)
    return len(text) if text.isascii() else len(text.encode())


def surely_within(value: Any, limit: int) -> bool:
    """Whether a value is so small that its ``json_size`` need not be looked at."""
    if type(value) is not dict or len(value) > _FEW or limit < _LEAST_LIMIT:
        return False
    for key, member in value.items():
        kind = type(member)
        if kind is str:
            if len(member) > _SHORT:
                return False
        elif kind is not int and kind is not bool and member is not None:
            return False
        if len(key) > _SHORT:
            return False
    return True


def json_string(text: str) -> str:
    """A text as JSON writes it, quotes and all; a lone surrogate is escaped."""
    quoted = encode_basestring(text)
    if is_well_formed(quoted):
        return quoted
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
