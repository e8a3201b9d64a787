"""Every expression of a plan, read once, with the limits that hold for all together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from strands_plan_tool.diagnostics import Finding, Path
from strands_plan_tool.expressions import Expression, Scope, read_expression
from strands_plan_tool.models import Code
from strands_plan_tool.references import Read
from strands_plan_tool.scan import MAX_EXPRESSION_BYTES, MAX_EXPRESSIONS

__all__ = ["Field", "PlanExpression", "StepIds", "read_expressions"]

Field: TypeAlias = Literal["bind", "when", "for_each", "output"]


# Where nothing else is read any more; how a path is written is then all there is to go by.
_LOOKS_PLAIN: Final = re.compile(
    r"(?:steps\.[A-Za-z_][A-Za-z0-9_]*|item)(?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])*"
)


class StepIds(tuple[str, ...]):
    """The ids of a plan's steps, of which one is found at once among ten thousand."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._members = frozenset(self)

    def __contains__(self, name: object) -> bool:
        return name in self._members


@dataclass(frozen=True, slots=True)
class PlanExpression:
    """One expression of a plan.

    Attributes:
        path: Where it stands.
        step: The position of its step; None for the plan's ``output``.
        field: The field that holds it.
        name: The argument that it binds, else ``""``.
        has_item: Whether it may read ``item`` and ``index``.
        expression: What was read; None if it cannot run.
        reads: What it reads, as far as it was understood even if it cannot run.
    """

    path: Path
    step: int | None
    field: Field
    name: str = ""
    has_item: bool = False
    expression: Expression | None = None
    reads: tuple[Read, ...] = ()

    @property
    def step_ids(self) -> tuple[str, ...]:
        """The ids of the steps that it reads, by first appearance."""
        return tuple(dict.fromkeys(read.id for read in self.reads if read.root == "steps"))


def read_expressions(
    plan: Mapping[str, Any], ids: StepIds, inputs: tuple[str, ...]
) -> tuple[tuple[PlanExpression, ...], list[Finding]]:
    """Reads the expressions of a plan in document order.

    Args:
        plan: The repaired plan, whose shape has been checked.
        ids: Its steps' ids.
        inputs: The names that the host passes as ``input``.

    Returns:
        The expressions, and what keeps some of them from running. Once the limits of the
        whole plan are reached only plain paths are read any more.
    """
    found: list[PlanExpression] = []
    findings: list[Finding] = []
    scopes: dict[tuple[Field, bool], Scope] = {}
    count = size = 0
    full = False
    for place, text in _texts(plan):
        if full and _LOOKS_PLAIN.fullmatch(text) is None:
            found.append(place)
            continue
        key = (place.field, place.has_item)
        scope = scopes.get(key)
        if scope is None:
            scope = scopes[key] = Scope(
                ids=ids, field=place.field, has_item=place.has_item, inputs=inputs
            )
        reading = read_expression(text, scope)
        findings += [
            Finding(Code(problem.code), place.path, problem.message, problem.hint)
            for problem in reading.problems
        ]
        found.append(replace(place, expression=reading.expression, reads=reading.reads))
        if not full and (reading.expression is None or not reading.expression.plain_path):
            count += 1
            size += len(text.encode("utf-8", "surrogatepass"))
            full = count > MAX_EXPRESSIONS or size > MAX_EXPRESSION_BYTES
            if full:
                findings.append(_too_many(place.path))
    return tuple(found), findings


def _texts(plan: Mapping[str, Any]) -> Iterator[tuple[PlanExpression, str]]:
    """The texts of a plan in the order in which they stand in it, each with its place."""
    for name, value in plan.items():
        if name == "output" and value is not None:
            yield PlanExpression(("output",), None, "output"), value
        elif name == "steps":
            for at, step in enumerate(value):
                yield from _texts_of_step(at, step)


def _texts_of_step(at: int, step: Mapping[str, Any]) -> Iterator[tuple[PlanExpression, str]]:
    has_item = step.get("for_each") is not None
    for name, value in step.items():
        if name == "bind":
            for argument, text in value.items():
                path: Path = ("steps", at, "bind", argument)
                yield PlanExpression(path, at, "bind", argument, has_item), text
        elif name in ("when", "for_each") and value is not None:
            field: Field = "when" if name == "when" else "for_each"
            yield PlanExpression(("steps", at, name), at, field), value


def _too_many(path: Path) -> Finding:
    return Finding(
        Code.EXPRESSION_LIMIT,
        path,
        f"The plan's expressions, plain paths aside, are over {MAX_EXPRESSIONS} or over "
        f"{MAX_EXPRESSION_BYTES} bytes together",
        "Shorten them, or let a tool do more of the work.",
    )
