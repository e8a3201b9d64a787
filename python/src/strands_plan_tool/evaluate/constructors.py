"""Closures of what is written out, ``[...]``, ``{...}``, ``a..b``, and of ``*`` and ``**``."""

from __future__ import annotations

from typing import Any, Final

from strands_plan_tool.evaluate.filter_closures import grouping
from strands_plan_tool.evaluate.shapes import (
    fixed_keys,
    object_of_names,
    object_of_values,
    row_of,
)
from strands_plan_tool.functions.compiling import Closure, Compile
from strands_plan_tool.functions.operators import numbers_from
from strands_plan_tool.tree import Array, Object, Range
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    LEFT,
    MAX_LIST,
    MAX_NESTING,
    State,
    list_too_long,
    nests_too_deep,
    size,
    spend,
    text_size,
)
from strands_plan_tool.values.sequences import Cons, Kept, RootList, Sequence, spread
from strands_plan_tool.values.walks import Walks

__all__ = ["array_closure", "descendant", "object_closure", "range_closure", "wildcard"]

_CONTAINERS: Final = (dict, list)


def array_closure(node: Array, compiler: Compile) -> Closure:
    """``[a, b]``: a list written as an item stays one, any other list is spread out."""
    items = [(compiler.closure(item), isinstance(item, Array)) for item in node.items]
    made = Cons if node.cons else list

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        result: list[Any] = made()
        operands = 0
        for item, stays in items:
            value = item(context, state)
            operands += size(value)
            if isinstance(value, list) and not stays:
                result.extend(value)
            elif value is not NOTHING:
                result.append(value)
            if len(result) > MAX_LIST:
                raise list_too_long()
        spend(state, operands + len(result))
        return result

    return run


def range_closure(node: Range, compiler: Compile) -> Closure:
    """``first..last``."""
    first, last = compiler.closure(node.first), compiler.closure(node.last)

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        return numbers_from(state, first(context, state), last(context, state))

    return run


def object_closure(node: Object, compiler: Compile) -> Closure:
    """``{key: value}``: a group of the context, which makes one object of one value."""
    members = [(compiler.closure(key), compiler.closure(value)) for key, value in node.members]
    group = grouping(members)

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        return group(context, state)

    keys = fixed_keys(node) if compiler.shapes else None
    if keys is None:
        return run
    row = row_of(node)
    if row is not None:
        names, keys_size, holder = row
        place = None if holder is None else compiler.place(holder)
        if holder is None or place is not None:
            return object_of_names(names, keys_size, run, place)
    keys_size = sum(map(text_size, keys))
    values = [value for _, value in members]
    return object_of_values(list(zip(keys, values, strict=True)), keys_size, run)


def wildcard(context: Any, state: State) -> Any:
    """``*``: every member, lists spread out at every depth."""
    if type(context) is RootList:
        context = context[0]
    spend(state, 1 + (0 if isinstance(context, str) else size(context)))
    if isinstance(context, dict):
        members: Any = context.values()
    elif isinstance(context, list):
        # The reference takes its own marks on a sequence for members of it.
        marks = 2 if type(context) is Kept else 1 if isinstance(context, Sequence) else 0
        members = [*context, *[True] * marks]
    else:
        return NOTHING
    found: list[Any] = []
    plain = False
    for member in members:
        if isinstance(member, list):
            plain = True
            spread(state, member, found)
        else:
            found.append(member)
    if len(found) > MAX_LIST:
        raise list_too_long()
    spend(state, len(found))
    # What the reference appends a list to is no sequence any more.
    return found if plain else Sequence(found)


def descendant(context: Any, state: State) -> Any:
    """``**``: the context and everything in it, lists spread out."""
    spend(state, 1)
    if context is NOTHING:
        return NOTHING
    found = Sequence()
    depths = _descend(context, found, state, 1, Walks())
    spend(state, len(found) + depths[1])
    return found[0] if len(found) == 1 else found


def _descend(
    value: Any, found: Sequence, state: State, depth: int, walks: Walks
) -> tuple[int, int]:
    """What a value adds at every depth, and what all that was found in it adds so."""
    if depth > MAX_NESTING and isinstance(value, _CONTAINERS):
        raise nests_too_deep()
    if not isinstance(value, list):
        if len(found) == MAX_LIST:
            raise list_too_long()
        found.append(value)
    if isinstance(value, str):
        own = text_size(value)
        spend(state, own)
        return own, own
    if not isinstance(value, _CONTAINERS):
        return 0, 0
    before = len(found)
    own, inside = len(value), 0
    spend(state, own)
    for item in value.values() if isinstance(value, dict) else value:
        known = walks.known(state, item, depth + 1) if isinstance(item, list) else None
        if known is None:
            deeper, more = _descend(item, found, state, depth + 1, walks)
            own += deeper
            inside += more
        else:
            # A list in which there is nothing to be found.
            state[LEFT] -= known[0]
            own += known[0]
    if not isinstance(value, list):
        return own, inside + own
    if len(found) == before:
        walks.keep(value, own, depth, None)
    return own, inside
