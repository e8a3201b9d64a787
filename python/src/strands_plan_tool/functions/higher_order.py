"""The listed functions that are given a function, and ``$error`` and ``$assert``."""

from __future__ import annotations

from typing import Any

from strands_plan_tool.functions.list_functions import sorted_by_value
from strands_plan_tool.functions.signatures import FunctionValue
from strands_plan_tool.functions.sorting import merge_sorted, sorted_by
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import MAX_LIST, State, failed, list_too_long, made_list
from strands_plan_tool.values.sequences import Sequence, kind, truth

__all__ = [
    "assert_",
    "each",
    "error",
    "filter_",
    "map_",
    "reduce_",
    "sift",
    "single",
    "sort",
]


def map_(state: State, items: Any, function: FunctionValue) -> Any:
    """``$map``: what a function makes of each item; nothing is left out."""
    if items is NOTHING:
        return NOTHING
    quick = None if function.project is None else function.project(items)
    if quick is not None:
        return quick
    each = function.each
    found = Sequence()
    for index, item in enumerate(items):
        value = each(item, index, items)
        if value is not NOTHING:
            found.append(value)
            if len(found) > MAX_LIST:
                raise list_too_long()
    return found


def filter_(state: State, items: Any, function: FunctionValue) -> Any:
    """``$filter``: the items of which a function says true."""
    if items is NOTHING:
        return NOTHING
    quick = None if function.select is None else function.select(items)
    if quick is not None:
        return quick
    each = function.each
    found = Sequence()
    for index, item in enumerate(items):
        answer = each(item, index, items)
        if answer is True or (answer is not False and truth(state, answer)):
            found.append(item)
    return made_list(found)


def single(state: State, items: Any, function: Any) -> Any:
    """``$single``: the one item of which a function says true, or the only one."""
    if items is NOTHING:
        return NOTHING
    found: Any = NOTHING
    matches = 0
    for index, item in enumerate(items):
        if function is NOTHING or truth(state, function.each(item, index, items)):
            matches += 1
            if matches > 1:
                raise failed(
                    "$single expects one match, and more than one item matches",
                    "write a narrower condition, or take the first with $filter(...)[0]",
                )
            found = item
    if not matches:
        raise failed(
            "$single expects one match, and no item matches",
            "write a wider condition, or take what there is with $filter(...)[0]",
        )
    return found


def reduce_(state: State, items: Any, function: FunctionValue, start: Any) -> Any:
    """``$reduce``: what a function keeps from item to item."""
    if items is NOTHING:
        return NOTHING
    if function.arity < 2:
        raise failed(
            "the function of $reduce must take two parameters",
            "write function($kept, $value){...}",
        )
    fold = function.fold
    kept = start
    begin = 0
    if start is NOTHING and items:
        kept, begin = items[0], 1
    for index in range(begin, len(items)):
        kept = fold(kept, items[index], index, items)
    return kept


def each(state: State, members: Any, function: FunctionValue) -> Any:
    """``$each``: what a function makes of each member."""
    found = Sequence()
    if members is NOTHING:
        return found
    call = function.each
    for key, member in members.items():
        value = call(member, key, members)
        if value is not NOTHING:
            found.append(value)
            if len(found) > MAX_LIST:
                raise list_too_long()
    return found


def sift(state: State, members: Any, function: Any) -> Any:
    """``$sift``: the members of which a function says true; nothing if there are none."""
    if members is NOTHING:
        return NOTHING
    if members and function is NOTHING:
        raise failed("argument 2 of $sift is missing", "write function($value, $key){...}")
    kept = {
        key: member
        for key, member in members.items()
        if truth(state, function.each(member, key, members))
    }
    return kept or NOTHING


def sort(state: State, items: Any, function: Any) -> Any:
    """``$sort``: by value, or by a function that says whether the left one belongs behind."""
    if items is NOTHING or len(items) <= 1:
        return items
    if function is NOTHING:
        return sorted_by_value(state, items)
    quick = None if function.order is None else sorted_by(items, function.order, state)
    if quick is not None:
        return made_list(quick)
    compare = function.compare

    def follows(left: Any, right: Any) -> bool:
        answer = compare(left, right)
        if answer is True or answer is False:
            return answer
        raise failed(
            f"the comparator of $sort must give true or false, and it gives {kind(answer)}",
            "compare with `>`, as in function($l, $r){$l.size > $r.size}",
        )

    return made_list(merge_sorted(items, follows))


def error(state: State, message: Any) -> Any:
    """``$error``: fails with these words."""
    raise failed(message or "$error was called", "")


def assert_(state: State, condition: Any, message: Any) -> Any:
    """``$assert``: fails with these words unless the condition is true."""
    if condition is not True:
        raise failed(message or "$assert found its condition false", "")
    return NOTHING
