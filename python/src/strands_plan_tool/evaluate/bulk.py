"""Filters and rows made of a whole list at once: the common shapes where time is spent.

Each gives None where the data is not as plain as it takes for granted, or where too few
steps are left for all of it; then the plain closure goes through the list item by item.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.evaluate.shapes import MAKING, fields_of
from strands_plan_tool.functions.compiling import Bulk, Closure
from strands_plan_tool.tree import Binary, Node
from strands_plan_tool.values import NOTHING, Nothing
from strands_plan_tool.values.budget import (
    LEFT,
    MAX_LIST,
    MAX_TEXT,
    EvaluationError,
    State,
    text_size,
)
from strands_plan_tool.values.doubles import SAFE_LIMIT
from strands_plan_tool.values.sequences import Sequence

__all__ = ["Rows", "bulk_filter", "bulk_rows", "harmless"]

Constant = Callable[[Node], Closure | None]
"""Gives the closure of a node whose value does not depend on the item, else None."""

_Test = Callable[[list[Any], State], "tuple[int, list[Any]] | None"]
"""From items to the steps that asking for each of them takes, and those that pass."""

_SCALARS: Final = frozenset({str, int, float, bool, type(None), Nothing})
_NUMBERS: Final = frozenset({int, float})
# Texts of fewer characters add nothing to the count.
_SHORT: Final = 16
_COMPARE: Final = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Rows(Sequence):
    """Objects of scalars that were made for this list and are held by nothing else.

    Attributes:
        steps: What copying them out takes; they hold nothing that a copy would refuse.
    """

    __slots__ = ("steps",)
    steps: int


def bulk_filter(test: Node, holder: str | None, constant: Constant) -> Bulk | None:
    """``name op value``, or such tests joined by ``and``, as a filter.

    Args:
        test: What is to be true of an item.
        holder: The variable that is the item; None if the item is the context.
        constant: See ``Constant``.
    """
    ask = _test(test, holder, constant)
    if ask is None:
        return None

    def run(items: list[Any], state: State) -> Sequence | None:
        if len(items) < 2:
            return None
        before = state[LEFT]
        try:
            answer = ask(items, state)
        except EvaluationError:
            answer = None
        state[LEFT] = before
        if answer is None or answer[0] > before or len(answer[1]) > MAX_LIST:
            return None
        state[LEFT] = before - answer[0]
        return Sequence(answer[1])

    return run


def _test(test: Node, holder: str | None, constant: Constant) -> _Test | None:
    if not isinstance(test, Binary):
        return None
    if test.operator == "and":
        return _both(_test(test.left, holder, constant), _test(test.right, holder, constant))
    if test.operator not in _SELECTORS:
        return None
    fields = fields_of(test.left)
    right = constant(test.right)
    if right is None or fields is None or fields[0] != holder:
        return None
    each = len(fields[1]) + (2 if holder is None else 3)
    return _comparison(fields[1], _SELECTORS[test.operator], right, each)


def _both(left: _Test | None, right: _Test | None) -> _Test | None:
    if left is None or right is None:
        return None

    def ask(items: list[Any], state: State) -> tuple[int, list[Any]] | None:
        first = left(items, state)
        if first is None:
            return None
        second = right(first[1], state) if first[1] else (0, [])
        return None if second is None else (len(items) + first[0] + second[0], second[1])

    return ask


def _comparison(names: tuple[str, ...], select: _Select, right: Closure, each: int) -> _Test:
    def ask(items: list[Any], state: State) -> tuple[int, list[Any]] | None:
        values = _fields(items, names)
        kinds = None if values is None else set(map(type, values))
        if values is None or kinds is None or not kinds <= _SCALARS:
            return None
        before = state[LEFT]
        wanted = right(None, state)
        cost = before - state[LEFT]
        found = select(items, values, kinds, wanted)
        return None if found is None else (found[0] + len(items) * (each + cost), found[1])

    return ask


def _fields(items: list[Any], names: tuple[str, ...]) -> list[Any] | None:
    """A field of each item; of a longer path only if every item has it."""
    try:
        if len(names) == 1:
            return _field(items, names[0])
        for name in names:
            items = [item[name] for item in items]
    except (AttributeError, KeyError, TypeError):
        return None
    return items


def _field(items: list[Any], name: str) -> list[Any]:
    try:
        return [item[name] for item in items]
    except KeyError:
        return [item.get(name, NOTHING) for item in items]


_Selected = tuple[int, list[Any]] | None
_Select = Callable[[list[Any], list[Any], set[type], Any], _Selected]
"""From items, a value of each, their kinds and another value to a size and what is kept."""


def _texts_size(values: list[Any], kinds: set[type]) -> int:
    if str not in kinds:
        return 0
    texts = values if len(kinds) == 1 else [v for v in values if type(v) is str]
    if max(map(len, texts)) < _SHORT:
        return 0
    return sum(map(text_size, texts))


def _equals(items: list[Any], values: list[Any], kinds: set[type], wanted: Any) -> _Selected:
    kind = type(wanted)
    if kind not in _SCALARS:
        return None
    size = _texts_size(values, kinds)
    if kind is str:
        size += text_size(wanted) * len(items)
    if wanted is NOTHING:
        return size, []
    pairs = zip(items, values, strict=True)
    if kind is bool or wanted is None:
        return size, [item for item, value in pairs if value is wanted]
    if kind is not str and bool in kinds:
        return None
    return size, [item for item, value in pairs if value == wanted]


def _differs(items: list[Any], values: list[Any], kinds: set[type], wanted: Any) -> _Selected:
    equal = _equals(items, values, kinds, wanted)
    if equal is None or wanted is NOTHING:
        return equal
    pairs = zip(items, values, strict=True)
    if type(wanted) is bool or wanted is None:
        kept = [item for item, value in pairs if value is not wanted and value is not NOTHING]
    else:
        kept = [item for item, value in pairs if value != wanted and value is not NOTHING]
    return equal[0], kept


def _ordered(name: str) -> _Select:
    compare = _COMPARE[name]

    def select(items: list[Any], values: list[Any], kinds: set[type], wanted: Any) -> _Selected:
        there = kinds - {Nothing}
        size = 0
        if type(wanted) is str:
            if not (there <= {str} and wanted.isascii()):
                return None
            size = _texts_size(values, kinds)
            if len(wanted) >= _SHORT:
                size += text_size(wanted) * sum(value is not NOTHING for value in values)
        elif not (type(wanted) in _NUMBERS and there <= _NUMBERS):
            return None
        pairs = zip(items, values, strict=True)
        if Nothing in kinds:
            return size, [
                item for item, value in pairs if value is not NOTHING and compare(value, wanted)
            ]
        return size, [item for item, value in pairs if compare(value, wanted)]

    return select


_SELECTORS: Final[dict[str, _Select]] = {
    "=": _equals,
    "!=": _differs,
    **{name: _ordered(name) for name in _COMPARE},
}


def bulk_rows(members: list[tuple[str, str]], keys_size: int, *, of_variable: bool) -> Bulk:
    """``{"key": name}`` of each item: every key its own and in order.

    Args:
        members: Keys, each with the name of the field that it takes.
        keys_size: What the texts of the keys add.
        of_variable: Whether the items are a variable's values, and not contexts.
    """
    keys = [key for key, _ in members]
    count = len(members)
    each = 1 + MAKING + (4 if of_variable else 3) * count + keys_size + count

    def run(items: list[Any], state: State) -> Sequence | None:
        if not 2 <= len(items) <= MAX_LIST:
            return None
        columns = []
        size = 0
        for _, name in members:
            column = _fields(items, (name,))
            texts = None if column is None else harmless(column)
            if column is None or texts is None:
                return None
            size += texts
            columns.append(column)
        left = state[LEFT] - size - len(items) * each
        if left < 0:
            return None
        state[LEFT] = left
        rows = Rows(_rows(keys, columns))
        rows.steps = size + len(items) * (1 + count)
        return rows

    return run


def _rows(keys: list[str], columns: list[list[Any]]) -> list[dict[str, Any]]:
    if len(keys) == 1:
        (key,) = keys
        return [{key: value} for value in columns[0]]
    if len(keys) == 2:
        key, other = keys
        return [{key: a, other: b} for a, b in zip(*columns, strict=True)]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def harmless(values: list[Any]) -> int | None:
    """What the texts among scalars add; None if any value might be refused in a result."""
    kinds = set(map(type, values))
    if Nothing in kinds or not kinds <= _SCALARS:
        return None
    for kind in _NUMBERS & kinds:
        numbers = values if len(kinds) == 1 else [v for v in values if type(v) is kind]
        if min(numbers) < -SAFE_LIMIT or max(numbers) > SAFE_LIMIT:
            return None
    if str in kinds:
        texts = values if len(kinds) == 1 else [v for v in values if type(v) is str]
        longest = max(map(len, texts))
        if longest > MAX_TEXT or not all(map(str.isascii, texts)):
            return None
        return 0 if longest < _SHORT else sum(len(text) >> 6 for text in texts)
    return 0
