"""Closures of what may follow a value: a predicate ``[...]``, and a group ``{...}``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.evaluate.bulk import bulk_filter
from strands_plan_tool.evaluate.shapes import FORBIDDEN_KEYS, MAKING, is_fixed
from strands_plan_tool.functions.compiling import Closure, Compile
from strands_plan_tool.functions.list_functions import in_key_order
from strands_plan_tool.tree import Literal, Node
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    LEFT,
    MAX_LIST,
    EvaluationError,
    State,
    failed,
    list_too_long,
    size,
    sizes,
    spend,
    text_size,
)
from strands_plan_tool.values.doubles import all_numbers, is_number
from strands_plan_tool.values.sequences import Sequence, kind, truth

__all__ = ["filter_closure", "group_closure", "grouping"]

# Texts of fewer characters add nothing to the count.
_SHORT: Final = 16


def filter_closure(predicate: Node, compiler: Compile) -> Closure:
    """``[...]``: an index, a list of them, or what must be true of an item."""
    if isinstance(predicate, Literal) and is_number(predicate.value):
        return _index_closure(math.floor(predicate.value))  # type: ignore[arg-type]
    closure = compiler.closure(predicate)
    quick = bulk_filter(predicate, None, compiler.constant)
    constant = closure if compiler.shapes and is_fixed(predicate) else None

    def run(value: Any, state: State) -> Any:
        items = value if isinstance(value, list) else [value]
        found = None if quick is None else quick(items, state)
        if found is None and constant is not None:
            found = _same_for_all(items, constant, state)
        return _asked(items, closure, state) if found is None else found

    return run


def _same_for_all(items: list[Any], constant: Closure, state: State) -> Any:
    """A predicate that does not depend on the item; None where it is asked for each."""
    if len(items) < 2:
        return None
    before = state[LEFT]
    try:
        answer = constant(None, state)
    except EvaluationError:
        answer = None
    left = before - (before - state[LEFT]) * len(items)
    if answer is None or left < 0 or isinstance(answer, list) or len(items) > MAX_LIST:
        state[LEFT] = before
        return None
    state[LEFT] = left
    if is_number(answer):
        place = _place(answer, len(items))
        return Sequence(items[place : place + 1] if place >= 0 else ())
    return Sequence(items if answer else ())


def _asked(items: list[Any], closure: Closure, state: State) -> Sequence:
    kept = Sequence()
    for index, item in enumerate(items):
        answer = closure(item, state)
        if answer is True:
            kept.append(item)
        elif answer is False or answer is NOTHING:
            continue
        elif is_number(answer):
            if _place(answer, len(items)) == index:
                kept.append(item)
        elif isinstance(answer, list):
            spend(state, len(answer))
            if all_numbers(answer):
                kept += [item] * _times(answer, index, len(items))
            elif truth(state, answer):
                kept.append(item)
        elif answer:
            kept.append(item)
        if len(kept) > MAX_LIST:
            raise list_too_long()
    return kept


def _times(numbers: list[Any], index: int, length: int) -> int:
    """How many of some numbers mean this index."""
    if set(map(type, numbers)) == {int}:
        return numbers.count(index) + numbers.count(index - length)
    return sum(_place(number, length) == index for number in numbers)


def _place(number: Any, length: int) -> int:
    place: int = math.floor(number)
    return place + length if place < 0 else place


def _index_closure(index: int) -> Closure:
    def run(value: Any, state: State) -> Any:
        items = value if isinstance(value, list) else (value,)
        place = index + len(items) if index < 0 else index
        if not 0 <= place < len(items):
            return Sequence()
        item = items[place]
        if isinstance(item, list):
            return item
        return Sequence() if item is NOTHING else Sequence((item,))

    return run


def group_closure(pairs: Iterable[tuple[Node, Node]], compiler: Compile) -> Closure:
    """``{key: value}`` after a value: see ``grouping``."""
    return grouping([(compiler.closure(key), compiler.closure(value)) for key, value in pairs])


def grouping(compiled: list[tuple[Closure, Closure]]) -> Closure:
    """Closures of keys and values over the items of a list, or over one value."""

    def run(value: Any, state: State) -> dict[str, Any]:
        items = value if isinstance(value, list) else [value]
        spend(state, MAKING + (len(value) if isinstance(value, list) else 0))
        groups: dict[str, _Group] = {}
        for item in items or [NOTHING]:
            for place, (key_of, _) in enumerate(compiled):
                key = key_of(item, state)
                if key is NOTHING:
                    continue
                _check_key(key)
                if len(key) >= _SHORT:
                    spend(state, text_size(key))
                group = groups.get(key)
                if group is None:
                    groups[key] = _Group(place, item)
                elif group.place == place:
                    group.add(item, state)
                else:
                    raise _key_of_two(key)
        return _made({key: (compiled[g.place][1], g.data) for key, g in groups.items()}, state)

    def run_on_one(value: Any, state: State) -> dict[str, Any]:
        if isinstance(value, list):
            return run(value, state)
        spend(state, MAKING)
        members: dict[str, tuple[Closure, Any]] = {}
        for key_of, value_of in compiled:
            key = key_of(value, state)
            if key is NOTHING:
                continue
            _check_key(key)
            if len(key) >= _SHORT:
                spend(state, text_size(key))
            if key in members:
                raise _key_of_two(key)
            members[key] = (value_of, value)
        return _made(members, state)

    def run_for_one(value: Any, state: State) -> dict[str, Any]:
        if isinstance(value, list):
            return run(value, state)
        spend(state, MAKING)
        key = key_of_one(value, state)
        if key is NOTHING:
            return {}
        _check_key(key)
        if len(key) >= _SHORT:
            spend(state, text_size(key))
        member = value_of_one(value, state)
        if member is NOTHING:
            return {}
        spend(state, size(member) + 1)
        return {key: member}

    if len(compiled) != 1:
        return run_on_one
    ((key_of_one, value_of_one),) = compiled
    return run_for_one


def _made(members: dict[str, tuple[Closure, Any]], state: State) -> dict[str, Any]:
    """An object whose members are worked out in the order in which their keys came."""
    made = {}
    for key, (value_of, context) in members.items():
        member = value_of(context, state)
        if member is not NOTHING:
            made[key] = member
    spend(state, sizes(made.values()) + len(made))
    return in_key_order(made)


def _key_of_two(key: str) -> EvaluationError:
    return failed(
        f"two members of an object have the key {quoted(key)}", "give each its own key"
    )


def _check_key(key: Any) -> None:
    """Refuse what cannot be a key of an object.

    Raises:
        EvaluationError: It is no text, or a name that JSON values may not have.
    """
    if type(key) is not str:
        raise failed(
            f"a key of an object must be a text, and it is {kind(key)}",
            "make a text of it with $string(...)",
        )
    if key in FORBIDDEN_KEYS:
        raise failed(f"an object may not have the key {quoted(key)}", "give it another name")


class _Group:
    """The items that share a key: one as it is, several as a list of their own."""

    __slots__ = ("data", "own", "place")

    def __init__(self, place: int, item: Any) -> None:
        self.place = place
        self.data = item
        self.own: list[Any] | None = None

    def add(self, item: Any, state: State) -> None:
        if self.own is None:
            if item is NOTHING or self.data is NOTHING:
                self.data = item if self.data is NOTHING else self.data
                return
            self.own = list(self.data) if isinstance(self.data, list) else [self.data]
            self.data = self.own
        if isinstance(item, list):
            spend(state, len(item))
            self.own.extend(item)
        elif item is not NOTHING:
            self.own.append(item)
        if len(self.own) > MAX_LIST:
            raise list_too_long()
