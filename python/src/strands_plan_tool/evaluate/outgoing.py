"""What an expression gives, as a fresh copy of plain JSON: each part checked."""

from __future__ import annotations

import math
from typing import Any

from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.evaluate.bulk import Rows, harmless
from strands_plan_tool.models import Code
from strands_plan_tool.values import Nothing, is_well_formed
from strands_plan_tool.values.budget import (
    MAX_LIST,
    MAX_TEXT,
    EvaluationError,
    failed,
    list_too_long,
    made_text,
)
from strands_plan_tool.values.doubles import SAFE_LIMIT, WideInteger

__all__ = ["Outgoing"]


class Outgoing:
    """One copying out.

    Args:
        exact: Whether integers keep all their digits.
    """

    __slots__ = ("_exact", "_given", "_keys")

    def __init__(self, *, exact: bool) -> None:
        self._exact = exact
        self._keys: set[str] = set()
        self._given: set[int] = set()

    def copy(self, value: Any) -> Any:
        """A value of any kind, whose depth was found to be within bounds, as plain JSON.

        Raises:
            EvaluationError: It holds what is no JSON or no safe number, or passes a limit.
        """
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, str):
            return _text(value)
        if value is None or type(value) is bool:
            return value
        return None if type(value) is Nothing else self._number(value)

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        if not self._keys.issuperset(value):
            self._check_keys(value)
        made = value.copy()
        for key, member in value.items():
            kind = type(member)
            if kind is str:
                if len(member) > MAX_TEXT or not member.isascii():
                    _text(member)
            elif kind is int:
                if not -SAFE_LIMIT <= member <= SAFE_LIMIT:
                    self._number(member)
            elif kind is not bool and member is not None:
                made[key] = self.copy(member)
        return made

    def _list(self, value: list[Any]) -> list[Any]:
        if len(value) > MAX_LIST:
            raise list_too_long()
        if type(value) is Rows and id(value) not in self._given:
            # Nothing else holds these objects, so the first to ask may have them.
            self._given.add(id(value))
            return list(value)
        if value and type(value[0]) is not dict and harmless(value) is not None:
            return list(value)
        made = value.copy() if type(value) is list else list(value)
        for index, item in enumerate(value):
            kind = type(item)
            if kind is dict:
                made[index] = self._object(item)
            elif kind is str:
                if len(item) > MAX_TEXT or not item.isascii():
                    _text(item)
            elif kind is int:
                if not -SAFE_LIMIT <= item <= SAFE_LIMIT:
                    self._number(item)
            elif kind is not bool and item is not None:
                made[index] = self.copy(item)
        return made

    def _check_keys(self, value: dict[str, Any]) -> None:
        for key in value:
            if not is_well_formed(key):
                raise failed(
                    f"it gives an object with the key {quoted(key)}", "give it another name"
                )
            self._keys.add(key)

    def _number(self, value: Any) -> Any:
        if -SAFE_LIMIT <= value <= SAFE_LIMIT:
            return value
        if self._exact and type(value) is WideInteger:
            return int(value)
        if not math.isfinite(value):
            raise failed("it gives a number that is not finite", "test the numbers first")
        raise EvaluationError(
            Code.UNSAFE_NUMBER,
            "it gives a whole number beyond 9007199254740991, where integers are not exact",
            "let the tool return ids as text",
        )


def _text(value: str) -> str:
    if not is_well_formed(value):
        raise failed(
            "it gives a text with half of a character in it",
            "split texts by a separator, not into units",
        )
    return made_text(value)
