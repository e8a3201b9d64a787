"""Evaluation of one expression: its tree made ready once, then run on contexts.

What it gives is its own: a fresh copy of plain JSON, checked to be a value that any JSON
reader on either side takes for the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Final

from strands_plan_tool.evaluate.bulk import Rows
from strands_plan_tool.evaluate.closures import ORDINARY_DEPTH, Compiler, DeepTreeError
from strands_plan_tool.evaluate.outgoing import Outgoing
from strands_plan_tool.expressions.paths import is_plain_path
from strands_plan_tool.functions.compiling import Closure
from strands_plan_tool.recursion import deep_calls, room_for
from strands_plan_tool.tree import Node
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    DEFAULT_MAX_STEPS,
    FIRST_VARIABLE,
    LEFT,
    MAX_RESULT,
    EvaluationError,
    State,
    deep_size,
    result_too_large,
    spend,
)
from strands_plan_tool.values.sequences import RootList

__all__ = ["DEFAULT_MAX_STEPS", "Context", "EvaluationError", "Program", "compile_tree"]

# What making the closures of a tree of ordinary depth calls, at the most.
_CALLS: Final = 100 + 10 * ORDINARY_DEPTH


class Context:
    """What an expression reads.

    Args:
        steps: The results of steps by id; a step that is not there is nothing.
        input: The values that the host passed, by name.
        item: The item of a ``for_each``, if there is one.
        index: Its place in the list, from 0.
    """

    __slots__ = ("_given", "_is_root")

    def __init__(
        self,
        steps: Mapping[str, Any],
        input: Mapping[str, Any] | None = None,
        item: Any = NOTHING,
        index: Any = NOTHING,
    ) -> None:
        given: dict[str, Any] = {"steps": steps, "input": {} if input is None else input}
        if item is not NOTHING:
            given["item"] = item
        if index is not NOTHING:
            given["index"] = index
        self._given: Any = given
        self._is_root = False

    @classmethod
    def of_root(cls, value: Any) -> Context:
        """A context that is any JSON value, with no names of a plan."""
        context = cls({})
        context._given, context._is_root = value, True
        return context

    def state(self, places: int, max_steps: int) -> tuple[Any, State]:
        """The first context of a run, and its state."""
        given = self._given
        if self._is_root:
            first = RootList([given]) if isinstance(given, list) else given
            return first, [max_steps, max_steps, given, {}, *[NOTHING] * places]
        root = {name: _as_object(value) for name, value in given.items()}
        return root, [max_steps, max_steps, root, root, *[NOTHING] * places]


def _as_object(value: Any) -> Any:
    plain = type(value) is dict or not isinstance(value, Mapping)
    return value if plain else dict(value)


class Program:
    """An expression that is ready to run; one may run many times, also in several threads."""

    __slots__ = ("_is_plain_path", "_places", "_run")

    def __init__(
        self, run: Closure, places: int, *, is_plain_path: bool, is_deep: bool = False
    ) -> None:
        self._run = _with_room(run) if is_deep else run
        self._places = places
        self._is_plain_path = is_plain_path

    def run(
        self,
        context: Context,
        max_steps: int = DEFAULT_MAX_STEPS,
        *,
        integers: str = "portable",
    ) -> Any:
        """The value of the expression, the caller's own to keep, or ``NOTHING``.

        Args:
            context: What it reads; never changed.
            max_steps: The budget of steps.
            integers: ``exact`` lets a plain path pass integers beyond ±(2^53−1).

        Raises:
            EvaluationError: It failed, or reached a limit.
        """
        return self.run_counted(context, max_steps, integers=integers)[0]

    def run_counted(
        self,
        context: Context,
        max_steps: int = DEFAULT_MAX_STEPS,
        *,
        integers: str = "portable",
    ) -> tuple[Any, int]:
        """As ``run``, with the number of steps that it took."""
        exact = self._is_plain_path and integers == "exact"
        try:
            return self._counted(context, max_steps, exact)
        except RecursionError:
            # The caller stands deep; nothing has an effect but the value, so it is made anew.
            with deep_calls():
                return self._counted(context, max_steps, exact)

    def _counted(self, context: Context, max_steps: int, exact: bool) -> tuple[Any, int]:
        first, state = context.state(self._places, max_steps)
        value = self._run(first, state)
        if value is NOTHING:
            return value, max_steps - state[LEFT]
        # What does not fit is not copied at all.
        whole = value.steps if type(value) is Rows else deep_size(value)
        if whole > MAX_RESULT:
            raise result_too_large()
        spend(state, whole)
        return Outgoing(exact=exact).copy(value), max_steps - state[LEFT]


def compile_tree(tree: Node, *, shapes: bool = True) -> Program:
    """Make an expression ready to run.

    Args:
        tree: Its tree, as ``expressions`` makes it.
        shapes: Whether common shapes are run at once, which changes nothing but the time.
    """
    try:
        return _compiled(tree, shapes)
    except RecursionError:
        with deep_calls():
            return _compiled(tree, shapes)


def _compiled(tree: Node, shapes: bool) -> Program:
    plain = is_plain_path(tree)
    compiler = Compiler(shapes=shapes)
    deep = False
    try:
        with nullcontext() if plain else room_for(_CALLS):
            run = compiler.closure(tree)
    except DeepTreeError:
        deep = True
        compiler = Compiler(shapes=shapes, deepest=None)
        with deep_calls():
            run = compiler.closure(tree)
    places = compiler.places - FIRST_VARIABLE
    return Program(run, places, is_plain_path=plain, is_deep=deep)


def _with_room(run: Closure) -> Closure:
    def deep(context: Any, state: State) -> Any:
        with deep_calls():
            return run(context, state)

    return deep
