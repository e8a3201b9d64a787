"""The listed functions about lists and objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from strands_plan_tool.diagnostics import key_order
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    LEFT,
    MAX_LIST,
    MAX_NESTING,
    State,
    deep_size,
    failed,
    list_too_long,
    made_list,
    nests_too_deep,
    spend,
)
from strands_plan_tool.values.doubles import all_numbers
from strands_plan_tool.values.sequences import Sequence, kind, look_up, truth
from strands_plan_tool.values.text import sort_key
from strands_plan_tool.values.walks import Walks

__all__ = [
    "append",
    "boolean",
    "count",
    "distinct",
    "exists",
    "in_key_order",
    "keys",
    "lookup",
    "merge",
    "not_",
    "reverse",
    "sorted_by_value",
    "spread",
    "type_",
    "zip_",
]


def boolean(state: State, value: Any) -> Any:
    """``$boolean``."""
    return NOTHING if value is NOTHING else truth(state, value)


def not_(state: State, value: Any) -> Any:
    """``$not``."""
    return NOTHING if value is NOTHING else not truth(state, value)


def exists(state: State, value: Any) -> bool:
    """``$exists``."""
    return value is not NOTHING


_CONTAINERS: Final = (dict, list)
_TYPES: Final = {
    "text": "string",
    "a number": "number",
    "a boolean": "boolean",
    "a list": "array",
    "an object": "object",
    "null": "null",
}


def type_(state: State, value: Any) -> Any:
    """``$type``."""
    return NOTHING if value is NOTHING else _TYPES[kind(value)]


def count(state: State, items: Any) -> int:
    """``$count``: nothing has none."""
    return 0 if items is NOTHING else len(items)


def append(state: State, first: Any, second: Any) -> Any:
    """``$append``: two lists as one; a value that is no list is a list of one."""
    if first is NOTHING:
        return second
    if second is NOTHING:
        return first
    front = first if isinstance(first, list) else [first]
    back = second if isinstance(second, list) else [second]
    if len(front) + len(back) > MAX_LIST:
        raise list_too_long()
    return [*front, *back]


def reverse(state: State, items: Any) -> Any:
    """``$reverse``."""
    if items is NOTHING or len(items) <= 1:
        return items
    return made_list(items[::-1])


def zip_(state: State, *lists: Any) -> list[Any]:
    """``$zip``: rows as many as the shortest list has items."""
    shortest = min(len(items) if isinstance(items, list) else 0 for items in lists)
    if shortest > MAX_LIST:
        raise list_too_long()
    spend(state, shortest * len(lists))
    return [list(row) for row in zip(*lists, strict=False)] if shortest else []


def distinct(state: State, value: Any) -> Any:
    """``$distinct``: each value once, where it first came."""
    spend(state, deep_size(value))
    if not isinstance(value, list) or len(value) <= 1:
        spend(state, deep_size(value))
        return value
    marks: dict[int, Any] = {}
    if _ALIKE.issuperset(map(type, value)):
        first: Iterable[Any] = dict.fromkeys(value)
    else:
        by_mark: dict[Any, Any] = {}
        for item in value:
            by_mark.setdefault(_mark(item, marks), item)
        first = by_mark.values()
    found: list[Any] = Sequence(first) if isinstance(value, Sequence) else list(first)
    spend(state, deep_size(found))
    return made_list(found)


# Values of these types are equal, and hash alike, if and only if the language says so.
_ALIKE: Final = frozenset({str, int, float, type(None)})


def _mark(value: Any, known: dict[int, Any]) -> Any:
    """What is equal, and hashes alike, for values that are equal and for no others.

    Args:
        value: Any value.
        known: The marks of the lists and objects so far, which may share their parts.
    """
    if isinstance(value, str) or value is None or value is NOTHING:
        return value
    if isinstance(value, bool):
        return ("b", value)
    if not isinstance(value, _CONTAINERS):
        return float(value)
    mark = known.get(id(value))
    if mark is None:
        if isinstance(value, dict) and _ALIKE.issuperset(map(type, value.values())):
            mark = ("o", frozenset(value.items()))
        elif isinstance(value, list) and _ALIKE.issuperset(map(type, value)):
            mark = ("l", *value)
        elif isinstance(value, list):
            mark = ("l", *(_mark(item, known) for item in value))
        else:
            members = ((key, _mark(member, known)) for key, member in value.items())
            mark = ("o", frozenset(members))
        known[id(value)] = mark
    return mark


def sorted_by_value(state: State, items: list[Any]) -> list[Any]:
    """``$sort`` without a comparator; the reference's merge sort is stable, as this is.

    Raises:
        EvaluationError: The items are neither all numbers nor all texts.
    """
    if all_numbers(items):
        return made_list(sorted(items))
    if not all(isinstance(item, str) for item in items):
        odd = next((item for item in items if not isinstance(item, str)), items[0])
        raise failed(
            f"$sort orders numbers, or texts, and its list has {kind(odd)} in it",
            "say how to compare, as in $sort(x, function($l, $r){$l.size > $r.size})",
        )
    spend(state, deep_size(items))
    if all(map(str.isascii, items)):
        return made_list(sorted(items))
    return made_list(sorted(items, key=sort_key))


def in_key_order(members: dict[str, Any]) -> dict[str, Any]:
    """The same members in ECMAScript's order: integer-like keys first, ascending."""
    if len(members) > 1:
        for key in members:
            if "0" <= key[:1] <= "9":
                return {name: members[name] for name in key_order(members)}
    return members


def keys(state: State, value: Any) -> Sequence:
    """``$keys``: of an object, or of all objects in a list, each once."""
    names: dict[str, Any] = {}
    if isinstance(value, dict):
        names = value
    elif isinstance(value, list):
        _gather_keys(state, value, names, 1, Walks())
    return Sequence(made_list(list(in_key_order(names))))


def _gather_keys(
    state: State, value: list[Any], into: dict[str, Any], depth: int, walks: Walks
) -> None:
    if depth > MAX_NESTING:
        raise nests_too_deep()
    before = state[LEFT]
    for item in value:
        if isinstance(item, dict):
            spend(state, len(item))
            into.update(item)
        elif isinstance(item, list):
            spend(state, len(item))
            known = walks.known(state, item, depth + 1)
            if known is None:
                _gather_keys(state, item, into, depth + 1, walks)
            else:
                # Its keys are all there by now.
                state[LEFT] -= known[0]
    walks.keep(value, before - state[LEFT], depth, None)


def lookup(state: State, holder: Any, name: Any) -> Any:
    """``$lookup``: a field of an object, or of the objects in a list."""
    key = "undefined" if name is NOTHING else name
    if isinstance(holder, dict):
        return holder.get(key, NOTHING)
    if isinstance(holder, list):
        return look_up(state, holder, key)
    return NOTHING


def spread(state: State, value: Any) -> Any:
    """``$spread``: objects of one member each."""
    if isinstance(value, dict):
        return Sequence(made_list([{key: member} for key, member in value.items()]))
    return _spread(state, value, 1, Walks()) if isinstance(value, list) else value


def _spread(state: State, value: list[Any], depth: int, walks: Walks) -> list[Any]:
    if depth > MAX_NESTING:
        raise nests_too_deep()
    before = state[LEFT]
    if value and set(map(type, value)) == {dict}:
        members = sum(map(len, value))
        if members <= min(before, MAX_LIST):
            state[LEFT] = before - members
            return [{key: member} for item in value for key, member in item.items()]
    parts: list[Any] = []
    appended = False
    for item in value:
        if item is NOTHING:
            continue
        appended = True
        if isinstance(item, dict):
            spend(state, len(item))
            parts.extend([{key: member} for key, member in item.items()])
        elif isinstance(item, list):
            spend(state, len(item))
            known = walks.known(state, item, depth + 1)
            if known is None:
                parts.extend(_spread(state, item, depth + 1, walks))
            else:
                state[LEFT] -= known[0]
                parts.extend(known[1])
        else:
            parts.append(item)
        if len(parts) > MAX_LIST:
            raise list_too_long()
    walks.keep(value, before - state[LEFT], depth, parts)
    # What the reference appends to is no sequence any more.
    return parts if appended else Sequence()


def merge(state: State, objects: Any) -> Any:
    """``$merge``: one object of all members; later ones win."""
    if objects is NOTHING:
        return NOTHING
    merged: dict[str, Any] = {}
    for members in objects:
        spend(state, len(members))
        merged.update(members)
    return in_key_order(merged)
