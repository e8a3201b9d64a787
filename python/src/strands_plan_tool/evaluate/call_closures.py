"""Closures of calls, and the functions that are handed to them.

The reference runs a call that ends a lambda in a loop of its own, which shows in two ways:
what such a call finds is not collapsed, and its context is null. Both are kept here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from strands_plan_tool.evaluate.comparators import order_of
from strands_plan_tool.functions import FUNCTIONS, Function
from strands_plan_tool.functions.compiling import Bulk, Closure, Compile, Link
from strands_plan_tool.functions.number_pictures import Picture
from strands_plan_tool.functions.pattern_search import Pattern
from strands_plan_tool.functions.signatures import FunctionValue
from strands_plan_tool.functions.sorting import Order
from strands_plan_tool.tree import Apply, Call, FunctionName, Lambda, Literal, Node, Regex
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import LEFT, State, out_of_steps, spend
from strands_plan_tool.values.sequences import Sequence, collapse

__all__ = ["Tail", "apply_link", "call_closure", "pattern_closure"]

# In tail position the context of a call is null; where a call in that position hands its
# own lambda on, that lambda's tail has the context that the lambda was written in.
Tail = bool | None
"""Not a tail call (None), or one whose context is null (False) or the lambda's (True)."""


def call_closure(
    node: Call, compiler: Compile, tail: Tail = None, *, whole: bool = False
) -> Closure:
    """A call.

    Args:
        node: The call.
        compiler: What makes closures of its arguments.
        tail: Whether it ends a lambda.
        whole: Whether nothing follows, so that a sequence that it gives is collapsed.
    """
    function = FUNCTIONS[node.name]
    arguments = _arguments(node, function, compiler, tail)
    if len(arguments) == 1 and whole:
        return _call_of_one(function, arguments[0])
    plain = _call(function, arguments, null_context=tail is False)
    if not whole:
        return plain
    return lambda context, state: collapse(plain(context, state))


def pattern_closure(node: Regex) -> Closure:
    """A regular expression, made ready once for all searches of its call."""
    pattern = Pattern(node.pattern, ignore_case=node.ignore_case, multiline=node.multiline)

    def run(context: Any, state: State) -> Pattern:
        spend(state, 1)
        return pattern

    return run


def _arguments(node: Call, function: Function, compiler: Compile, tail: Tail) -> list[Closure]:
    # The reference cannot hand these on in tail position at all.
    handed_on = tail is not None and node.name != "sort"
    return [
        _function_argument(argument, compiler, own_context=handed_on)
        if isinstance(argument, Lambda | FunctionName)
        else compiler.closure(argument)
        for argument in _read_once(node)
    ]


def _read_once(node: Call) -> tuple[Node, ...]:
    """The arguments of a call, a picture that is written out read for all its uses."""
    arguments = node.arguments
    last = arguments[-1] if arguments else None
    if (
        node.name == "formatNumber"
        and isinstance(last, Literal)
        and isinstance(last.value, str)
    ):
        return (*arguments[:-1], replace(last, value=Picture(last.value)))
    return arguments


def _call_of_one(function: Function, argument: Closure) -> Closure:
    call = function.call

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        value = call(state, [argument(context, state)], context)
        return value if type(value) is not Sequence else collapse(value)

    return run


def _call(function: Function, arguments: list[Closure], *, null_context: bool) -> Closure:
    call = function.call

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        values = [argument(context, state) for argument in arguments]
        return call(state, values, None if null_context else context)

    return run


def apply_link(node: Apply, compiler: Compile) -> Link:
    """``~> $name(...)``: the call with a value before its arguments."""
    function = FUNCTIONS[node.call.name]
    arguments = _arguments(node.call, function, compiler, None)
    call = function.call
    keep = node.keep_array

    def run(value: Any, context: Any, state: State) -> Any:
        spend(state, 1)
        values = [value, *(argument(context, state) for argument in arguments)]
        return collapse(call(state, values, context), keep=keep)

    return run


def _function_argument(
    node: Lambda | FunctionName, compiler: Compile, *, own_context: bool
) -> Closure:
    if isinstance(node, FunctionName):
        return _by_name(FUNCTIONS[node.name])
    places, body = compiler.body(node, own_context=own_context)
    order = order_of(node) if compiler.shapes else None
    return _written(places, body, compiler.selection(node), compiler.projection(node), order)


def _written(
    places: list[int],
    body: Closure,
    select: Bulk | None,
    project: Bulk | None,
    order: Order | None,
) -> Closure:
    """A lambda: setting its parameters and running its body."""
    arity = len(places)
    first, second, third, *others = places + [0] * (3 - arity)

    def evaluate(context: Any, state: State) -> FunctionValue:
        spend(state, 1)
        missing = [NOTHING] * arity

        def each(value: Any, key: Any, whole: Any) -> Any:
            if arity:
                state[first] = value
                if arity > 1:
                    state[second] = key
                    if arity > 2:
                        state[third] = whole
                        for place in others:
                            state[place] = NOTHING
            return body(context, state)

        def each_of_one(value: Any, key: Any, whole: Any) -> Any:
            state[first] = value
            return body(context, state)

        def fold(kept: Any, value: Any, index: Any, whole: Any) -> Any:
            state[first] = kept
            state[second] = value
            if arity > 2:
                state[third] = index
                for place, given in zip(others, (whole, *missing), strict=False):
                    state[place] = given
            return body(context, state)

        def compare_two(left: Any, right: Any) -> Any:
            state[first] = left
            state[second] = right
            return body(context, state)

        def compare(left: Any, right: Any) -> Any:
            for place, given in zip(places, (left, right, *missing), strict=False):
                state[place] = given
            return body(context, state)

        return FunctionValue(
            arity,
            each_of_one if arity == 1 else each,
            fold,
            compare_two if arity == 2 else compare,
            None if select is None else lambda items: select(items, state),
            None if project is None else lambda items: project(items, state),
            order,
        )

    return evaluate


def _by_name(function: Function) -> Closure:
    """A listed function as an argument: it is handed as much as the reference hands it."""
    arity = function.arity

    def evaluate(context: Any, state: State) -> FunctionValue:
        spend(state, 1)

        def hand(*given: Any) -> Any:
            spend(state, 1)
            return function.call(state, list(given[: max(arity, 1)]), None)

        return FunctionValue(arity, hand, hand, hand)

    return evaluate
