"""From an expression to a value, over the results of steps: one expression, no plan.

The engine's own language is the profile. A host may bring another by a ``Binder``, or open
the whole of the JSONata library with ``JsonataBinder(allow_eval=True)``; both go without
the profile's checks and limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from strands_plan_tool.errors import EvalNotAllowedError, error_for
from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.expressions import Problem, Scope, parse_expression
from strands_plan_tool.expressions.parser import library
from strands_plan_tool.models import Code, Diagnostic, JsonValue
from strands_plan_tool.values import NOTHING, ValueFault, ingest

__all__ = ["Binder", "JsonataBinder", "listed", "references_by_library"]


@runtime_checkable
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
            PlanError: It says something that the profile does not have, or ``env`` has what
                is no JSON (``not_json_result``).
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
    context, scope = _context(env)
    parsed, problems = parse_expression(expression, scope)
    if parsed is None or problems:
        raise _refusal(expression, problems)
    program = compile_tree(parsed.tree)
    try:
        return program.run(context)
    except EvaluationError as error:
        if error.code == Code.NO_VALUE:
            return NOTHING
        raise


def _context(env: Mapping[str, JsonValue]) -> tuple[Context, Scope | None]:
    """What an expression reads, taken in as in a run: as copies, and only if it is JSON."""
    steps, named = env.get("steps"), env.get("input")
    if not isinstance(steps, Mapping):
        return Context.of_root(_taken("env", dict(env))), None
    ids = tuple(_taken("steps", dict.fromkeys(steps)))
    item = _taken("item", env.get("item", NOTHING))
    context = Context(
        steps={name: _taken(f"steps.{name}", steps[name]) for name in ids},
        input=_taken("input", dict(named), "portable") if isinstance(named, Mapping) else {},
        item=item,
        index=_taken("index", env.get("index", NOTHING)),
    )
    return context, Scope(ids=ids, field="bind", has_item=item is not NOTHING, inputs=None)


def _taken(name: str, value: Any, integers: str = "exact") -> Any:
    if value is NOTHING:
        return value
    try:
        return ingest(value, integers=integers)
    except ValueFault as fault:
        problem = Diagnostic(
            code=fault.code,
            path="",
            message=f"{name}: {fault.message}",
            hint="pass plain JSON values",
        )
        raise error_for([problem]) from None


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
    value = _evaluated(expression, env)
    # The library has one word for null and nothing; it does find that null exists.
    if value is None and not _evaluated(f"$exists(\n{expression}\n)", env):
        return NOTHING
    return value


def _evaluated(expression: str, env: Mapping[str, JsonValue]) -> Any:
    compiled = library().Jsonata(expression)
    for name, value in env.items():
        compiled.assign(name, value)
    return compiled.evaluate(dict(env))


def references_by_library(expression: str) -> tuple[str, ...] | None:
    """The steps that an expression of the whole JSONata reads, off the library's own tree.

    Returns:
        Their ids, each once; ``None`` if the text is no JSONata.
    """
    try:
        root = library().Jsonata(expression).ast
    except Exception:
        # Beside its own errors the library's parser raises what Python happens to raise in it.
        return None
    found: dict[str, None] = {}
    seen: set[int] = set()
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, list | tuple):
            stack.extend(reversed(node))
        elif hasattr(node, "type") and id(node) not in seen:
            seen.add(id(node))
            found |= dict.fromkeys(_read_by(node))
            stack.extend(
                inner for name, inner in vars(node).items() if name != "_outer_instance"
            )
    return tuple(found)


def _read_by(node: Any) -> tuple[str, ...]:
    """The step that one path or look-up of the library's tree reads, if it names one."""
    if node.type == "path":
        parts = [(part.type, part.value) for part in node.steps]
        if parts[0] in (("variable", ""), ("variable", "$")):
            del parts[0]
        if parts[:1] in ([("name", "steps")], [("variable", "steps")]) and len(parts) > 1:
            kind, name = parts[1]
            return (name,) if kind == "name" else ()
    if (
        node.type == "function"
        and node.procedure.value == "lookup"
        and len(node.arguments) == 2
    ):
        where, what = node.arguments
        steps = [(part.type, part.value) for part in getattr(where, "steps", None) or [where]]
        if steps[-1][1] == "steps" and what.type == "string":
            return (what.value,)
    return ()
