"""Closures of what may follow a value: a predicate ``[...]``, and a group ``{...}``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from .budget import MAX_LIST, State, failed, list_too_long, sizes, spend, text_size
from .bulk import bulk_filter
from .compiling import Closure, Compile
from .diagnostics import quoted
from .doubles import is_number
from .list_functions import in_key_order
from .sequences import Sequence, kind, truth
from .shapes import FORBIDDEN_KEYS
from .tree import Literal, Node
from .values import NOTHING

__all__ = ["filter_closure", "group_closure"]

# Texts of fewer characters add nothing to the count.
_SHORT: Final = 16


def filter_closure(predicate: Node, compiler: Compile) -> Closure:
    """``[...]``: an index, a list of them, or what must be true of an item."""
    if isinstance(predicate, Literal) and is_number(predicate.value):
        return _index_closure(math.floor(predicate.value))  # type: ignore[arg-type]
    closure = compiler.closure(predicate)
    quick = bulk_filter(predicate, None, compiler.constant)

    def run(value: Any, state: State) -> Any:
        items = value if isinstance(value, list) else (value,)
        if quick is not None:
            found = quick(items, state)  # type: ignore[arg-type]
            if found is not None:
                return found
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
    """``{key: value}`` over the items of a list, or over one value."""
    compiled = [(compiler.closure(key), compiler.closure(value)) for key, value in pairs]

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
                if len(key) >= _SHORT:
                    spend(state, text_size(key))
                group = groups.get(key)
                if group is None:
                    groups[key] = _Group(place, item)
                elif group.place == place:
                    group.add(item, state)
                else:
                    raise failed(
                        f"two members of an object have the key {quoted(key)}",
                        "give each its own key",
                    )
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
