"""Closures of operators: both sides evaluated, from left to right, then put together."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.functions.compiling import Closure, Compile, Link
from strands_plan_tool.functions.operators import (
    DOUBLINGS_OF_A_STEP,
    OPERATORS,
    Operation,
    negated,
)
from strands_plan_tool.tree import Binary, Negate
from strands_plan_tool.values.budget import LEFT, State, out_of_steps, sizes, spend
from strands_plan_tool.values.doubles import EXACT_LIMIT
from strands_plan_tool.values.sequences import truth
from strands_plan_tool.values.text import WRITING, shown

__all__ = ["binary_closure", "binary_link", "negate_closure"]

_ARITHMETIC: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul}
# A number so many times as large as another is not yet far enough over it to take a step.
_NEAR: Final = 2.0 ** (DOUBLINGS_OF_A_STEP - 1)
_COMPARISONS: Final = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBERS: Final = frozenset({int, float})
# Texts of fewer characters add nothing to the count.
_SHORT: Final = 16
_SHOWN: Final = frozenset({str, int, float})
_FULL: Final = 64


def negate_closure(node: Negate, compiler: Compile) -> Closure:
    """Prefix ``-``."""
    operand = compiler.closure(node.operand)

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        return negated(operand(context, state))

    return run


def binary_closure(node: Binary, compiler: Compile) -> Closure:
    """An operator with two sides."""
    left = compiler.closure(node.left)
    link = binary_link(node, compiler)

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        return link(left(context, state), context, state)

    return run


def binary_link(node: Binary, compiler: Compile) -> Link:
    """An operator without its left side: what makes a value of that side's."""
    right = compiler.closure(node.right)
    name = node.operator
    if name in ("and", "or"):
        return _logic(right, stop=name == "or")
    operation = OPERATORS[name]
    if name in _ARITHMETIC:
        return _arithmetic(right, operation, _ARITHMETIC[name])
    if name == "/":
        return _division(right, operation)
    if name == "%":
        return _remainder(right, operation)
    if name in _COMPARISONS:
        return _comparison(right, operation, _COMPARISONS[name])
    if name in ("=", "!="):
        return _equality(right, operation, wanted=name == "=")
    if name == "&":
        return _joining(right, operation)
    return lambda value, context, state: operation(state, value, right(context, state))


def _logic(right: Closure, *, stop: bool) -> Link:
    def run(value: Any, context: Any, state: State) -> bool:
        known = value if type(value) is bool else truth(state, value)
        if known is stop:
            if type(value) is not bool:
                spend(state, sizes((value,)))
            return stop
        other = right(context, state)
        answer = other if type(other) is bool else truth(state, other)
        if type(value) is not bool or type(other) is not bool:
            spend(state, sizes((value, other)))
        return answer

    return run


def _arithmetic(right: Closure, operation: Operation, fast: Callable[[Any, Any], Any]) -> Link:
    def run(value: Any, context: Any, state: State) -> Any:
        other = right(context, state)
        if type(value) in _NUMBERS and type(other) in _NUMBERS:
            result = fast(value, other)
            # What lies outside is inexact, or no number at all.
            if -EXACT_LIMIT <= result <= EXACT_LIMIT:
                if type(result) is int:
                    return result
                return int(result) if result.is_integer() else result
        return operation(state, value, other)

    return run


def _division(right: Closure, operation: Operation) -> Link:
    def run(value: Any, context: Any, state: State) -> Any:
        other = right(context, state)
        if type(value) in _NUMBERS and type(other) in _NUMBERS and other:
            result = value / other
            if -EXACT_LIMIT <= result <= EXACT_LIMIT:
                return int(result) if result.is_integer() else result
        return operation(state, value, other)

    return run


def _remainder(right: Closure, operation: Operation) -> Link:
    def run(value: Any, context: Any, state: State) -> Any:
        other = right(context, state)
        both = type(value) in _NUMBERS and type(other) in _NUMBERS
        if both and other and abs(value) <= abs(other) * _NEAR:
            result = math.fmod(value, other)
            if -EXACT_LIMIT <= result <= EXACT_LIMIT:
                return int(result) if result.is_integer() else result
        return operation(state, value, other)

    return run


def _comparison(right: Closure, operation: Operation, fast: Callable[[Any, Any], Any]) -> Link:
    def run(value: Any, context: Any, state: State) -> Any:
        other = right(context, state)
        if type(value) in _NUMBERS and type(other) in _NUMBERS:
            return fast(value, other)
        return operation(state, value, other)

    return run


def _equality(right: Closure, operation: Operation, *, wanted: bool) -> Link:
    def run(value: Any, context: Any, state: State) -> Any:
        other = right(context, state)
        if type(value) is str and type(other) is str:
            if len(value) < _SHORT and len(other) < _SHORT:
                return (value == other) is wanted
        elif type(value) is int and type(other) is int:
            return (value == other) is wanted
        return operation(state, value, other)

    return run


def _joining(right: Closure, operation: Operation) -> Link:
    def run(value: Any, context: Any, state: State) -> Any:
        other = right(context, state)
        if type(value) in _SHOWN and type(other) in _SHOWN:
            first, second = shown(value), shown(other)
            text: str = first + second
            # So short a text is of size 0, as are its parts.
            if len(text) < _FULL and text.isascii():
                if type(value) is not str:
                    spend(state, WRITING * len(first))
                if type(other) is not str:
                    spend(state, WRITING * len(second))
                return text
        return operation(state, value, other)

    return run
