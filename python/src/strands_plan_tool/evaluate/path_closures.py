"""Closures of paths: each step goes through all that the step before it found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.evaluate.bulk import bulk_rows
from strands_plan_tool.evaluate.filter_closures import filter_closure, group_closure
from strands_plan_tool.evaluate.missing import missing_name
from strands_plan_tool.evaluate.shapes import PLAIN, row_of
from strands_plan_tool.functions.compiling import Closure, Compile
from strands_plan_tool.functions.sorting import ordered
from strands_plan_tool.tree import Array, Block, Name, Node, Path, Sort, Variable
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    LEFT,
    MAX_LIST,
    State,
    failed,
    list_too_long,
    made_list,
    out_of_steps,
    spend,
)
from strands_plan_tool.values.sequences import Cons, Kept, Sequence, collapse, look_up
from strands_plan_tool.values.text import to_units

__all__ = ["field", "path_closure"]

# What may stand in a list as it is found: no list, whose items would be spread out.
_SINGLE: Final = PLAIN - {list}

Advance = Callable[[list[Any], State], list[Any]]
"""What a step of a path became: from all contexts to all that it finds in them."""


def path_closure(node: Path, compiler: Compile, *, whole: bool = False) -> Closure:
    """A path, its group included.

    Args:
        node: The path.
        compiler: What makes closures of its steps.
        whole: Whether nothing follows, so that a sequence that it gives is collapsed.
    """
    others = node.steps[1:]
    last = len(others)
    begin = _beginning(node.steps, compiler)
    advances = [
        _advance(step, compiler, last=place == last) for place, step in enumerate(others, 1)
    ]
    keep = node.keep_singleton
    group = None if node.group is None else group_closure(node.group, compiler)

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
        if keep and type(found) is Cons:
            found = Kept([found])
        elif keep and type(found) is Sequence and found:
            found = Kept(found)
        if group is not None:
            return group(found, state)
        return collapse(found) if whole else found

    return run


def _beginning(steps: tuple[Node, ...], compiler: Compile) -> Closure:
    """The first step, which sees the context itself; a variable sees a list as one context."""
    step = steps[0]
    if isinstance(step, Array | Block) and step.cons:
        sorted_alone = isinstance(steps[1], Sort) and (len(steps) == 2 or bool(steps[1].stages))
        return _cons_beginning(compiler.closure(step), sorted_alone=sorted_alone)
    advance = _advance(step, compiler, last=len(steps) == 1)
    if isinstance(step, Variable):
        return lambda context, state: advance([context], state)
    return lambda context, state: advance(
        context if isinstance(context, list) else [context], state
    )


def _cons_beginning(closure: Closure, *, sorted_alone: bool) -> Closure:
    def begin(context: Any, state: State) -> Any:
        found = closure(context if isinstance(context, list) else Sequence([context]), state)
        if isinstance(found, list) or found is NOTHING:
            return found
        # The reference goes through what is no list as if it were one: through a text
        # unit by unit, through anything else not at all, unless it is only to be sorted.
        if found is None:
            raise failed(
                "a path goes on from parentheses that hold null", "leave the parentheses out"
            )
        if sorted_alone and found != "":
            return Sequence([found])
        if isinstance(found, str):
            return list(to_units(found)) if found else found
        return Sequence()

    return begin


def _advance(step: Node, compiler: Compile, *, last: bool) -> Advance:
    if isinstance(step, Sort):
        return _sort_advance(step, compiler)
    stages = [filter_closure(stage, compiler) for stage in step.stages]
    if isinstance(step, Name) and not (
        step.predicates or step.group is not None or step.keep_array
    ):
        return _name_advance(step, stages, last=last)
    closure = compiler.closure(step)
    row = None if not compiler.shapes or stages or step.group is not None else row_of(step)
    bulk = None if row is None or row[2] is not None else bulk_rows(*row[:2], of_variable=False)

    def advance(contexts: list[Any], state: State) -> list[Any]:
        rows = None if bulk is None else bulk(contexts, state)
        if rows is not None:
            return rows
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
        if not stages:
            quick = _all_of(contexts, name)
            if quick is not None:
                return _joined(quick, state, last)
        values = [collapse(field(context, name, state)) for context in contexts]
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


def _all_of(contexts: list[Any], name: str) -> list[Any] | None:
    """A field of each context, where each is an object that has it as the data has it."""
    try:
        values = [context[name] for context in contexts]
    except (KeyError, TypeError):
        return None
    return values if PLAIN.issuperset(map(type, values)) else None


def field(context: Any, name: str, state: State) -> Any:
    """A field of an object, or a sequence of the fields of the objects of a list."""
    if isinstance(context, dict):
        return context.get(name, NOTHING)
    return look_up(state, context, name) if isinstance(context, list) else NOTHING


def _joined(found: list[Any], state: State, last: bool) -> list[Any]:
    """What a step found, its lists spread out; a single list at the end stays what it is."""
    if last and len(found) == 1 and type(found[0]) in (list, Cons):
        only: list[Any] = found[0]
        return only
    if _SINGLE.issuperset(map(type, found)):
        return made_list(Sequence(found))
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


def _sort_advance(step: Sort, compiler: Compile) -> Advance:
    terms = [(compiler.closure(term.expression), term.descending) for term in step.terms]
    stages = [filter_closure(stage, compiler) for stage in step.stages]

    def advance(contexts: list[Any], state: State) -> list[Any]:
        spend(state, 1 + len(contexts))
        if len(contexts) > MAX_LIST:
            raise list_too_long()
        found: Any = contexts if len(contexts) <= 1 else ordered(contexts, terms, state)
        spend(state, len(found))
        for stage in stages:
            found = stage(found, state)
        return found  # type: ignore[no-any-return]

    return advance
