"""Sorting as the reference does it: a merge sort, each comparison evaluating its keys anew.

What is compared with what decides what a sort counts. Where the keys are plain, they are
worked out once, put in order by the language's own sort, and counted as if by the other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from strands_plan_tool.functions.compiling import Closure
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import LEFT, EvaluationError, State, failed, size, spend
from strands_plan_tool.values.doubles import is_number
from strands_plan_tool.values.sequences import kind
from strands_plan_tool.values.text import precedes, sort_key

__all__ = ["Order", "Term", "merge_sorted", "ordered", "sorted_by"]

Term = tuple[Closure, bool]
"""A key of a sort: its closure, and whether the largest comes first."""


class Order(NamedTuple):
    """An order that a comparator says.

    Attributes:
        names: The field that it compares, as names from the item on; none for the item.
        descending: Whether the largest comes first.
    """

    names: tuple[str, ...]
    descending: bool

    @property
    def steps(self) -> int:
        """What one comparison takes: the operator and its sides."""
        return 1 + 2 * (2 + len(self.names) if self.names else 1)


def sorted_by(items: list[Any], order: Order, state: State) -> list[Any] | None:
    """At least two items as a comparator's merge sort has them, and counted as that counts.

    Returns:
        None where what it compares is not plain enough, and the comparator is to be asked.
    """
    keys = items
    for name in order.names:
        if set(map(type, keys)) != {dict}:
            return None
        try:
            keys = [key[name] for key in keys]
        except KeyError:
            return None
    plain = _plain_keys(keys)
    if plain is None:
        return None
    places, ranks = _refined(list(range(len(items))), [0] * len(items), plain, order.descending)
    spend(state, _count_of_one(ranks, order.steps))
    return [items[place] for place in places]


def merge_sorted(items: list[Any], follows: Callable[[Any, Any], bool]) -> list[Any]:
    """The reference's merge sort, which fixes what is compared with what, and when.

    Args:
        items: At least one item.
        follows: Whether the first of two items belongs behind the second.
    """
    if len(items) == 1:
        return items
    middle = len(items) // 2
    left = merge_sorted(items[:middle], follows)
    right = merge_sorted(items[middle:], follows)
    merged: list[Any] = []
    at_left = at_right = 0
    while at_left < len(left) and at_right < len(right):
        if follows(left[at_left], right[at_right]):
            merged.append(right[at_right])
            at_right += 1
        else:
            merged.append(left[at_left])
            at_left += 1
    merged += left[at_left:]
    merged += right[at_right:]
    return merged


def ordered(items: list[Any], terms: list[Term], state: State) -> list[Any]:
    """At least two items in the order of their keys.

    Raises:
        EvaluationError: Keys are of kinds that have no order, or a limit is reached.
    """
    before = state[LEFT]
    places = _at_once(items, terms, state)
    if places is None:
        state[LEFT] = before
        places = _one_by_one(items, terms, state)
    return [items[place] for place in places]


def _one_by_one(items: list[Any], terms: list[Term], state: State) -> list[int]:
    """The places of the items in order, keys worked out when first needed."""
    known: list[dict[int, tuple[Any, int]]] = [{} for _ in terms]

    def key(term: int, place: int) -> Any:
        memory = known[term]
        if place in memory:
            value, steps = memory[place]
            spend(state, steps)
            return value
        before = state[LEFT]
        value = terms[term][0](items[place], state)
        memory[place] = (value, before - state[LEFT])
        return value

    def follows(left: int, right: int) -> bool:
        for term, (_, descending) in enumerate(terms):
            first, second = key(term, left), key(term, right)
            if first is NOTHING or second is NOTHING:
                if first is second:
                    continue
                return first is NOTHING
            _check_keys(first, second)
            spend(state, size(first) + size(second))
            if first == second:
                continue
            if isinstance(first, str):
                return precedes(second, first) is not descending
            return (float(first) > float(second)) is not descending
        return False

    return merge_sorted(list(range(len(items))), follows)


def _check_keys(first: Any, second: Any) -> None:
    for value in (first, second):
        if not isinstance(value, str) and not is_number(value):
            raise failed(
                f"a sort compares numbers or texts, and one of its keys is {kind(value)}",
                "sort by a number or a text, as in x^(name)",
            )
    if isinstance(first, str) is not isinstance(second, str):
        raise failed(
            f"a sort compares {kind(first)} with {kind(second)}",
            "make all its keys numbers with $number(...), or texts with $string(...)",
        )


def _at_once(items: list[Any], terms: list[Term], state: State) -> list[int] | None:
    """The places of the items in order, or None where keys are not plain enough."""
    order = list(range(len(items)))
    ranks = [0] * len(items)
    levels = []
    for closure, descending in terms:
        column = _column(items, closure, state)
        if column is None:
            return None
        keys, cost = column
        order, ranks = _refined(order, ranks, keys, descending)
        levels.append((ranks, 2 * cost))
        if max(ranks) == len(items) - 1:
            break
    steps = _count_of_one(*levels[0]) if len(levels) == 1 else _count_of_many(levels)
    spend(state, steps)
    return order


def _column(items: list[Any], closure: Closure, state: State) -> tuple[list[Any], int] | None:
    """The keys of all items as what Python orders alike, and what each of them counts."""
    keys = []
    cost: int | None = None
    start = state[LEFT]
    try:
        for item in items:
            before = state[LEFT]
            value = closure(item, state)
            steps = before - state[LEFT]
            if cost is None:
                cost = steps
            if steps != cost:
                return None
            keys.append(value)
    except EvaluationError:
        return None
    state[LEFT] = start
    plain = _plain_keys(keys, besides=NOTHING)
    return None if plain is None else (plain, cost or 0)


def _plain_keys(keys: list[Any], besides: Any = None) -> list[Any] | None:
    """All numbers or all short texts, as what Python orders alike; else None."""
    kinds = set(map(type, keys))
    if besides is not None:
        kinds.discard(type(besides))
    if kinds <= {int, float}:
        return keys
    if kinds != {str}:
        return None
    texts = [key for key in keys if key is not besides]
    if any(map(size, texts)):
        return None
    if not all(map(str.isascii, texts)):
        return [key if key is besides else sort_key(key) for key in keys]
    return keys


def _refined(
    order: list[int], ranks: list[int], keys: list[Any], descending: bool
) -> tuple[list[int], list[int]]:
    """An order and its ranks, those of one rank put in order by a further key."""
    there = [place for place in range(len(keys)) if keys[place] is not NOTHING]
    by_key = sorted(there, key=keys.__getitem__, reverse=descending)
    of_key = [len(keys)] * len(keys)
    rank = -1
    last: Any = NOTHING
    for place in by_key:
        if last is NOTHING or keys[place] != last:
            rank, last = rank + 1, keys[place]
        of_key[place] = rank
    order = sorted(order, key=lambda place: (ranks[place], of_key[place]))
    refined = [0] * len(keys)
    rank = -1
    previous: tuple[int, int] | None = None
    for place in order:
        pair = (ranks[place], of_key[place])
        if pair != previous:
            rank, previous = rank + 1, pair
        refined[place] = rank
    return order, refined


def _count_of_one(ranks: list[int], cost: int) -> int:
    """What the merge sort counts that compares one key, however many it compares."""
    comparisons = 0

    def merged(part: list[int]) -> list[int]:
        nonlocal comparisons
        if len(part) == 1:
            return part
        middle = len(part) // 2
        left, right = merged(part[:middle]), merged(part[middle:])
        # It compares until one side is used up.
        if left[-1] > right[-1]:
            comparisons += len(right) + bisect_right(left, right[-1])
        else:
            comparisons += len(left) + bisect_left(right, left[-1])
        return sorted(left + right)

    merged(ranks)
    return comparisons * cost


def _count_of_many(levels: list[tuple[list[int], int]]) -> int:
    """What the merge sort counts that compares further keys where the first are equal."""
    final = levels[-1][0]
    steps = 0

    def follows(left: int, right: int) -> bool:
        nonlocal steps
        for ranks, cost in levels:
            steps += cost
            if ranks[left] != ranks[right]:
                break
        return final[left] > final[right]

    merge_sorted(list(range(len(final))), follows)
    return steps
