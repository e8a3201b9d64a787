"""From an expression to a value, over the results of steps: one expression, no plan.

The engine's own language is the profile. A host may bring another by a ``Binder``, or open
the whole of the JSONata library with ``JsonataBinder(allow_eval=True)``; both go without
the profile's checks and limits.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Protocol

from .errors import EvalNotAllowedError, error_for
from .evaluate import Context, EvaluationError, Program, compile_tree
from .expressions import Problem, Scope, parse_expression
from .models import Code, Diagnostic, JsonValue
from .values import NOTHING

__all__ = ["Binder", "JsonataBinder", "bind_value", "listed"]


class Binder(Protocol):
    """Another language for ``bind``, ``when``, ``for_each`` and ``output``."""

    def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
        """The value of an expression.

        Args:
            expression: Its text, as the plan has it.
            env: ``steps`` with the results that there are by step id, ``input``, and in
                ``bind`` of a ``for_each`` step ``item`` and ``index``. It is a copy.

        Raises:
            Exception: It has no value; the exception's text becomes part of the step's error.
        """
        ...


def bind_value(program: Program, context: Context, *, as_list: bool, max_steps: int) -> JsonValue:
    """Evaluate what must give a value, by the list rule where a list is wanted.

    Args:
        program: The expression.
        context: What it reads.
        as_list: Whether the list rule holds.
        max_steps: The budget of steps.

    Raises:
        EvaluationError: It failed, or matched nothing (``no_value``).
    """
    value: Any = program.run(context, max_steps)
    if as_list:
        return listed(value)
    if value is NOTHING:
        raise EvaluationError(
            Code.NO_VALUE,
            "it matches nothing",
            "check its names and predicates against what the tools return, "
            "or give a default with `??`",
        )
    return value


def listed(value: Any) -> JsonValue:
    """The list rule: nothing is ``[]``, a list and null stay, all else is a list of one."""
    if value is NOTHING:
        return []
    return value if value is None or isinstance(value, list) else [value]


class JsonataBinder:
    """JSONata: the engine's profile of it, or with ``allow_eval`` all that the library has.

    Args:
        allow_eval: Evaluate by the JSONata library itself, with every function that it has,
            ``$eval`` among them, and with none of the profile's checks, limits and promises.
    """

    def __init__(self, *, allow_eval: bool = False) -> None:
        self.allow_eval = allow_eval

    def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
        """The value of one expression; ``None`` if it matches nothing.

        Args:
            expression: Its text.
            env: ``steps``, and if wanted ``input``, ``item`` and ``index``; or, without
                ``steps``, any object whose members the expression reads by name.

        Raises:
            EvalNotAllowedError: It calls ``$eval``; also a ``PermissionError``.
            PlanError: It says something that the profile does not have.
            EvaluationError: It failed.
        """
        value = self.find(expression, env)
        return None if value is NOTHING else value

    def find(self, expression: str, env: Mapping[str, JsonValue]) -> Any:
        """As ``bind``, with nothing told apart from null: it is ``NOTHING``."""
        if self.allow_eval:
            return _by_library(expression, env)
        return _by_profile(expression, env)


def _by_profile(expression: str, env: Mapping[str, JsonValue]) -> Any:
    steps = env.get("steps")
    scope = context = None
    if isinstance(steps, Mapping):
        item, index = env.get("item", NOTHING), env.get("index", NOTHING)
        scope = Scope(ids=tuple(steps), field="bind", has_item=item is not NOTHING, inputs=None)
        given = env.get("input")
        named = given if isinstance(given, Mapping) else {}
        context = Context(steps=steps, input=named, item=item, index=index)
    parsed, problems = parse_expression(expression, scope)
    if parsed is None or problems:
        raise _refusal(expression, problems)
    program = compile_tree(parsed.tree)
    try:
        return program.run(context or Context.of_root(dict(env)))
    except EvaluationError as error:
        if error.code == Code.NO_VALUE:
            return NOTHING
        raise


def _refusal(expression: str, problems: tuple[Problem, ...]) -> Exception:
    diagnostics = [
        Diagnostic(code=problem.code, path="", message=problem.message, hint=problem.hint)
        for problem in problems
    ]
    for problem in problems:
        if expression.startswith("$eval", problem.position):
            return EvalNotAllowedError(f"{problem.message}; {problem.hint}", diagnostics)
    return error_for(diagnostics)


def _by_library(expression: str, env: Mapping[str, JsonValue]) -> Any:
    """What the JSONata library makes of an expression; it may change what it is given."""
    limit = sys.getrecursionlimit()
    from jsonata import Jsonata  # noqa: PLC0415 - costly, and only this mode needs it

    sys.setrecursionlimit(limit)
    value = Jsonata(expression).evaluate(dict(env))
    if value is None and not Jsonata(f"$exists(\n{expression}\n)").evaluate(dict(env)):
        # The library has one word for null and nothing; it finds that null exists.
        return NOTHING
    return value
