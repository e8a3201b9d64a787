"""Paths: steps over what the step before found, with filters, sorts and groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .budget import (
    LEFT,
    MAX_LIST,
    State,
    failed,
    list_too_long,
    out_of_steps,
    size,
    sizes,
    spend,
    text_size,
)
from .diagnostics import quoted
from .doubles import is_number
from .higher_order import merge_sorted
from .list_functions import in_key_order
from .missing import missing_name
from .sequences import Cons, Kept, Sequence, collapse, kind, look_up, truth
from .text import precedes, to_units
from .tree import Array, Block, Literal, Name, Node, Path, Sort, Variable
from .values import NOTHING

__all__ = ["Closure", "Compile", "field", "filter_closure", "group_closure", "path_closure"]

Closure = Callable[[Any, State], Any]
"""What a node became: from a context and a run's state to a value."""

Advance = Callable[[list[Any], State], list[Any]]
"""What a step of a path became: from all contexts to all that it finds in them."""


class Compile(Protocol):
    """Makes a closure of a node."""

    def __call__(self, node: Node, /) -> Closure:
        """The closure of a node with all that it carries but its stages."""
        ...


def path_closure(node: Path, compile_node: Compile) -> Closure:
    """A path, its group included; a sequence that it gives is not collapsed yet."""
    first, *others = node.steps
    last = len(others)
    begin = _beginning(first, compile_node, last=last == 0)
    advances = [
        _advance(step, compile_node, last=place == last) for place, step in enumerate(others, 1)
    ]
    keep = node.keep_singleton
    group = None if node.group is None else group_closure(node.group, compile_node)

    def run(context: Any, state: State) -> Any:
        left = state[LEFT] - 1
        state[LEFT] = left
        if left < 0:
            raise out_of_steps(state)
        found = begin(context, state)
        if not isinstance(found, list):
            return found if group is None else group(found, state)
        for advance in advances:
            if not found:
                break
            found = advance(found, state)
        if keep:
            if type(found) is Cons or (type(found) is Sequence and len(found) == 1):
                found = Kept([found] if type(found) is Cons else found)
        return found if group is None else group(found, state)

    return run


def _beginning(step: Node, compile_node: Compile, *, last: bool) -> Closure:
    """The first step, which sees the context itself; a variable sees a list as one context."""
    if isinstance(step, Array | Block) and step.cons:
        return _cons_beginning(compile_node(step))
    advance = _advance(step, compile_node, last=last)
    if isinstance(step, Variable):
        return lambda context, state: advance([context], state)
    return lambda context, state: advance(
        context if isinstance(context, list) else [context], state
    )


def _cons_beginning(closure: Closure) -> Closure:
    def begin(context: Any, state: State) -> Any:
        found = closure(context if isinstance(context, list) else Sequence([context]), state)
        if isinstance(found, list) or found is NOTHING:
            return found
        # The reference goes through what is no list as if it were one: through a text
        # unit by unit, through anything else not at all.
        if isinstance(found, str):
            return list(to_units(found)) if found else found
        if found is None:
            raise failed(
                "a path goes on from parentheses that hold null", "leave the parentheses out"
            )
        return Sequence()

    return begin


def _advance(step: Node, compile_node: Compile, *, last: bool) -> Advance:
    if isinstance(step, Sort):
        return _sort_advance(step, compile_node)
    stages = [filter_closure(stage, compile_node) for stage in step.stages]
    if isinstance(step, Name) and not (step.predicates or step.group or step.keep_array):
        return _name_advance(step, stages, last=last)
    closure = compile_node(step)

    def advance(contexts: list[Any], state: State) -> list[Any]:
        found: list[Any] = []
        for context in contexts:
            value = closure(context, state)
            for stage in stages:
                value = stage(value, state)
            if value is not NOTHING:
                found.append(value)
        return _joined(found, state, last)

    return advance


def _name_advance(step: Name, stages: list[Closure], *, last: bool) -> Advance:
    name, strict = step.value, step.strict

    def advance(contexts: list[Any], state: State) -> list[Any]:
        spend(state, len(contexts))
        values = [field(context, name, state) for context in contexts]
        found = [value for value in values if value is not NOTHING]
        if not found and strict is not None:
            error = missing_name(contexts, strict, name)
            if error is not None:
                raise error
        if stages:
            found = []
            for value in values:
                for stage in stages:
                    value = stage(value, state)  # noqa: PLW2901
                if value is not NOTHING:
                    found.append(value)
        return _joined(found, state, last)

    return advance


def field(context: Any, name: str, state: State) -> Any:
    """A field of an object, or of the objects of a list."""
    if isinstance(context, dict):
        return collapse(context.get(name, NOTHING))
    if isinstance(context, list):
        return collapse(look_up(state, context, name))
    return NOTHING


def _joined(found: list[Any], state: State, last: bool) -> list[Any]:
    """What a step found, its lists spread out; a single list at the end stays what it is."""
    if last and len(found) == 1 and type(found[0]) in (list, Cons):
        only: list[Any] = found[0]
        return only
    joined = Sequence()
    for value in found:
        if isinstance(value, list) and type(value) is not Cons:
            spend(state, len(value))
            joined.extend(value)
            if len(joined) > MAX_LIST:
                raise list_too_long()
        else:
            joined.append(value)
    if len(joined) > MAX_LIST:
        raise list_too_long()
    return joined


def filter_closure(predicate: Node, compile_node: Compile) -> Closure:
    """``[...]``: an index, a list of them, or what must be true of an item."""
    if isinstance(predicate, Literal) and is_number(predicate.value):
        return _index_closure(math.floor(predicate.value))  # type: ignore[arg-type]
    closure = compile_node(predicate)

    def run(value: Any, state: State) -> Any:
        items = value if isinstance(value, list) else (value,)
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
                if all(map(is_number, answer)):
                    places = (_place(number, len(items)) for number in answer)
                    kept.extend(item for place in places if place == index)
                    if len(kept) > MAX_LIST:
                        raise list_too_long()
                elif truth(state, answer):
                    kept.append(item)
            elif answer:
                kept.append(item)
        if len(kept) > MAX_LIST:
            raise list_too_long()
        return kept

    return run


def _place(number: Any, length: int) -> int:
    place = math.floor(number)
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


def _sort_advance(step: Sort, compile_node: Compile) -> Advance:
    terms = [(compile_node(term.expression), term.descending) for term in step.terms]
    stages = [filter_closure(stage, compile_node) for stage in step.stages]

    def advance(contexts: list[Any], state: State) -> list[Any]:
        spend(state, 1 + len(contexts))
        ordered: Any = contexts if len(contexts) <= 1 else _ordered(contexts, terms, state)
        spend(state, len(ordered))
        for stage in stages:
            ordered = stage(ordered, state)
        return ordered  # type: ignore[no-any-return]

    return advance


def _ordered(
    items: list[Any], terms: list[tuple[Closure, bool]], state: State
) -> list[Any]:
    """Items in the order of their keys, each key worked out once and counted each time."""
    if len(items) > MAX_LIST:
        raise list_too_long()
    known: list[dict[int, tuple[Any, int]]] = [{} for _ in terms]

    def key(term: int, index: int) -> Any:
        memory = known[term]
        if index in memory:
            value, steps = memory[index]
            spend(state, steps)
            return value
        before = state[LEFT]
        value = terms[term][0](items[index], state)
        memory[index] = (value, before - state[LEFT])
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
            if isinstance(first, str):
                if first == second:
                    continue
                return precedes(second, first) is not descending
            if float(first) == float(second):
                continue
            return (float(first) > float(second)) is not descending
        return False

    return [items[index] for index in merge_sorted(list(range(len(items))), follows)]


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


def group_closure(pairs: Iterable[tuple[Node, Node]], compile_node: Compile) -> Closure:
    """``{key: value}`` over the items of a list, or over one value."""
    compiled = [(compile_node(key), compile_node(value)) for key, value in pairs]

    def run(value: Any, state: State) -> dict[str, Any]:
        items = value if isinstance(value, list) else [value]
        if isinstance(value, list):
            spend(state, len(value))
        groups: dict[str, _Group] = {}
        for item in items or [NOTHING]:
            for place, (key_of, _) in enumerate(compiled):
                key = key_of(item, state)
                if key is NOTHING:
                    continue
                check_key(key)
                spend(state, text_size(key))
                group = groups.get(key)
                if group is None:
                    groups[key] = _Group(place, item)
                elif group.place != place:
                    raise failed(
                        f"two members of an object have the key {quoted(key)}",
                        "give each its own key",
                    )
                else:
                    group.add(item, state)
        made = {}
        for key, group in groups.items():
            member = compiled[group.place][1](group.data, state)
            if member is not NOTHING:
                made[key] = member
        spend(state, sizes(list(made.values())) + len(made))
        return in_key_order(made)

    return run


def check_key(key: Any) -> None:
    """Refuse what cannot be a key of an object.

    Raises:
        EvaluationError: It is no text, or a name that JSON values may not have.
    """
    if not isinstance(key, str):
        raise failed(
            f"a key of an object must be a text, and it is {kind(key)}",
            "make a text of it with $string(...)",
        )
    if key in _FORBIDDEN:
        raise failed(f"an object may not have the key {quoted(key)}", "give it another name")


_FORBIDDEN = frozenset({"__proto__", "_jsonata_lambda", "_jsonata_function"})


class _Group:
    """The items that share a key: one as it is, several as a list."""

    __slots__ = ("_own", "data", "place")

    def __init__(self, place: int, item: Any) -> None:
        self.place = place
        self.data = item
        self._own = False

    def add(self, item: Any, state: State) -> None:
        if item is NOTHING:
            return
        if self.data is NOTHING:
            self.data = item
            return
        if not self._own:
            self.data = list(self.data) if isinstance(self.data, list) else [self.data]
            self._own = True
        if isinstance(item, list):
            spend(state, len(item))
            self.data.extend(item)
        else:
            self.data.append(item)
        if len(self.data) > MAX_LIST:
            raise list_too_long()
