"""Closures of the smallest nodes, and of those that only decide what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from strands_plan_tool.evaluate.path_closures import field
from strands_plan_tool.functions.compiling import Closure
from strands_plan_tool.tree import Literal, Name
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import LEFT, OUTER, State, out_of_steps, spend
from strands_plan_tool.values.doubles import double, is_number
from strands_plan_tool.values.sequences import RootList, Sequence, collapse, truth

__all__ = [
    "LeftSide",
    "assign_closure",
    "block_closure",
    "collapsing",
    "condition_closure",
    "context_closure",
    "fallback_closure",
    "given_closure",
    "literal_closure",
    "name_closure",
    "nothing_closure",
    "variable_closure",
    "whole_block_closure",
]


def collapsing(run: Closure, keeps: tuple[bool, ...] = (False,)) -> Closure:
    """A closure whose sequences become their item, or nothing.

    Args:
        run: The closure.
        keeps: For each node that its value comes through, whether ``[]`` follows that.
    """
    if not keeps:
        return run

    def collapsed(context: Any, state: State) -> Any:
        value = run(context, state)
        for keep in keeps:
            value = collapse(value, keep=keep)
        return value

    return collapsed


def literal_closure(node: Literal) -> Closure:
    """A value that is written out."""
    value: Any = double(node.value) if is_number(node.value) else node.value  # type: ignore[arg-type]

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        return value

    return run


def name_closure(node: Name) -> Closure:
    """A field of the context, outside a path."""
    name = node.value

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        return field(context, name, state)

    return run


def context_closure(*, whole: bool) -> Closure:
    """``$``.

    Args:
        whole: Whether nothing follows, so that a sequence that is the context is collapsed.
    """

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        if not isinstance(context, list):
            return context
        value = context[0] if type(context) is RootList else context
        return collapse(value) if whole else value

    return run


def nothing_closure(context: Any, state: State) -> Any:
    """What an empty block or a missing branch gives; it is no node."""
    return NOTHING


def given_closure(name: str) -> Closure:
    """A variable that the plan gives, such as ``$steps``."""

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        return state[OUTER].get(name, NOTHING)

    return run


def variable_closure(place: int, *, whole: bool) -> Closure:
    """A variable of the expression's own, or ``$$``.

    Args:
        place: Where it is.
        whole: Whether nothing follows, so that a sequence in it is collapsed.
    """

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        value = state[place]
        return value if not whole or type(value) is not Sequence else collapse(value)

    return run


def assign_closure(value: Closure, place: int) -> Closure:
    """``$name := value``."""

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        state[place] = result = value(context, state)
        return result

    return run


def block_closure(before: list[Closure], last: Closure) -> Closure:
    """``(a; b)``."""

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        for statement in before:
            statement(context, state)
        return last(context, state)

    return run


def whole_block_closure(statement: Closure) -> Closure:
    """``(a)``, with nothing behind it."""

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        value = statement(context, state)
        return value if type(value) is not Sequence else collapse(value)

    return run


def condition_closure(test: Closure, then: Closure, otherwise: Closure) -> Closure:
    """``test ? then : otherwise``."""

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        known = test(context, state)
        if known is True or (known is not False and truth(state, known)):
            return then(context, state)
        return otherwise(context, state)

    return run


@dataclass(frozen=True, slots=True)
class LeftSide:
    """A left side of ``??`` or ``?:``.

    Attributes:
        closure: Its closure.
        wants_truth: Whether it must be true, and not only there.
        at_end: Whether it may end in a call that ends a lambda, whose list stays one.
        keeps: For each node that its value comes through, whether ``[]`` follows that.
    """

    closure: Closure
    wants_truth: bool
    at_end: bool
    keeps: tuple[bool, ...]


def fallback_closure(row: list[LeftSide | None], end: Closure) -> Closure:
    """A row of ``??`` and ``?:``, each the right side of the last.

    Args:
        row: Its left sides; None for parentheses around the rest.
        end: The last right side.
    """

    def run(context: Any, state: State) -> Any:
        for left in row:
            spend(state, 1)
            if left is None:
                continue
            found = left.closure(context, state)
            known = collapse(found) if left.at_end else found
            if known is not NOTHING and not (left.wants_truth and not truth(state, known)):
                for keep in left.keeps:
                    found = collapse(found, keep=keep)
                return found
        return end(context, state)

    return run
