"""Lists as JSONata has them, and what it does with a list where one value belongs.

What a path finds is a sequence: a list that becomes its item if it has one, and nothing if
it has none. Lists of the data and lists that were written stay lists. Which of these a
list is lies in its class; no such class ever leaves an evaluation.
"""

from __future__ import annotations

from typing import Any, Final

from strands_plan_tool.values.budget import (
    LEFT,
    MAX_LIST,
    MAX_NESTING,
    State,
    list_too_long,
    nests_too_deep,
    spend,
)
from strands_plan_tool.values.plain import NOTHING
from strands_plan_tool.values.walks import Walks

__all__ = [
    "Cons",
    "Kept",
    "RootList",
    "Sequence",
    "collapse",
    "equal",
    "identical",
    "kind",
    "look_up",
    "spread",
    "truth",
]


class Sequence(list[Any]):
    """What a path, or a function that finds things, has found."""

    __slots__ = ()


class Kept(list[Any]):
    """A sequence that ``[]`` keeps a list, also if it is one of one."""

    __slots__ = ()


class Cons(list[Any]):
    """A list written as a step of a path, which the path does not flatten."""

    __slots__ = ()


class RootList(list[Any]):
    """A sequence around a root that is a list, so that the list is one context."""

    __slots__ = ()


def collapse(value: Any, *, keep: bool = False) -> Any:
    """A sequence of one is its item, unless ``[]`` keeps it; an empty one is nothing."""
    if type(value) is Sequence:
        if not value:
            return NOTHING
        if keep:
            return Kept(value)
        if len(value) == 1:
            return value[0]
    return value


def look_up(state: State, holder: list[Any], name: str) -> Sequence:
    """A field of every object in a list and in the lists in it."""
    return _look_up(state, holder, name, 1, Walks())


def _look_up(state: State, holder: list[Any], name: str, depth: int, walks: Walks) -> Sequence:
    if depth > MAX_NESTING:
        raise nests_too_deep()
    before = state[LEFT]
    spend(state, len(holder))
    found = Sequence()
    for item in holder:
        if isinstance(item, dict):
            value = item.get(name, NOTHING)
        elif isinstance(item, list):
            known = walks.known(state, item, depth + 1)
            if known is None:
                value = _look_up(state, item, name, depth + 1, walks)
            else:
                state[LEFT] -= known[0]
                value = known[1]
        else:
            continue
        if isinstance(value, list):
            found.extend(value)
        elif value is not NOTHING:
            found.append(value)
        if len(found) > MAX_LIST:
            raise list_too_long()
    walks.keep(holder, before - state[LEFT], depth, found)
    return found


def spread(state: State, value: list[Any], into: list[Any]) -> None:
    """The items of a list, and of all lists in it, behind one another."""
    _spread(state, value, into, 1, Walks())


def _spread(state: State, value: list[Any], into: list[Any], depth: int, walks: Walks) -> None:
    if depth > MAX_NESTING:
        raise nests_too_deep()
    before, start = state[LEFT], len(into)
    spend(state, len(value))
    for item in value:
        if not isinstance(item, list):
            into.append(item)
            continue
        known = walks.known(state, item, depth + 1)
        if known is None or len(into) + len(known[1]) > MAX_LIST:
            _spread(state, item, into, depth + 1, walks)
        else:
            state[LEFT] -= known[0]
            into.extend(into[known[1].start : known[1].stop])
    if len(into) > MAX_LIST:
        raise list_too_long()
    walks.keep(value, before - state[LEFT], depth, range(start, len(into)))


def truth(state: State, value: Any) -> bool:
    """Whether a value counts as true: an empty text, list or object, 0 and null do not.

    A list of one is as true as its item, a longer one if any item is.
    """
    return _truth(state, value, 1, Walks()) if isinstance(value, list) else bool(value)


def _truth(state: State, value: list[Any], depth: int, walks: Walks) -> bool:
    if depth > MAX_NESTING:
        raise nests_too_deep()
    before = state[LEFT]
    spend(state, len(value))
    for item in value:
        if not isinstance(item, list):
            if item:
                return True
            continue
        known = walks.known(state, item, depth + 1)
        if known is not None:
            # Only what is false is gone through to its end, and remembered.
            state[LEFT] -= known[0]
        elif _truth(state, item, depth + 1, walks):
            return True
    walks.keep(value, before - state[LEFT], depth, None)
    return False


def equal(left: Any, right: Any) -> bool:
    """Deep equality of two values whose depth was found to be within bounds.

    Numbers are equal as doubles; a boolean is no number; objects have no order.
    """
    return _equal(left, right, set())


def _equal(left: Any, right: Any, known: set[tuple[int, int]]) -> bool:
    if left is right:
        return True
    if isinstance(left, list):
        if not isinstance(right, list) or len(left) != len(right):
            return False
        pairs: Any = zip(left, right, strict=True)
    elif isinstance(left, dict):
        if not isinstance(right, dict) or len(left) != len(right):
            return False
        pairs = ((value, right.get(key, _ABSENT)) for key, value in left.items())
    else:
        return identical(left, right)
    # Two values that share their parts may be endless to walk through.
    both = (id(left), id(right))
    if both in known:
        return True
    if not all(_equal(first, second, known) for first, second in pairs):
        return False
    if left:
        known.add(both)
    return True


_ABSENT: Final = object()
_NUMBERS: Final = (int, float)


def identical(left: Any, right: Any) -> bool:
    """Whether two values are one: scalars of one kind and value, or the very same list."""
    kind = type(left)
    if kind is type(right) and (kind is str or kind is int):
        return bool(left == right)
    if kind is bool or type(right) is bool:
        return left is right
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return float(left) == float(right)
    if kind is str and isinstance(right, str):
        return bool(left == right)
    return left is right


def kind(value: Any) -> str:
    """What a value is, for a message."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, _NUMBERS):
        return "a number"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return "nothing" if value is NOTHING else "null" if value is None else "a function"
