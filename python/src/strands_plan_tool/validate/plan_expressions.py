"""Every expression of a plan, read once, with the limits that hold for all together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from strands_plan_tool.diagnostics import Finding, Path
from strands_plan_tool.expressions import Expression, Reading, Scope, read_expression
from strands_plan_tool.expressions.references import Read
from strands_plan_tool.expressions.scan import MAX_EXPRESSION_BYTES, MAX_EXPRESSIONS
from strands_plan_tool.models import Code

__all__ = ["Field", "PlanExpression", "StepIds", "looks_plain", "read_expressions"]

Field: TypeAlias = Literal["bind", "when", "for_each", "output"]


_LOOKS_PLAIN: Final = re.compile(
    r"(?:steps\.[A-Za-z_][A-Za-z0-9_]*|item)(?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])*"
)


class StepIds(tuple[str, ...]):
    """The ids of a plan's steps, of which one is found at once among ten thousand."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._members = frozenset(self)

    def __contains__(self, name: object) -> bool:
        return name in self._members


@dataclass(slots=True, eq=False)
class PlanExpression:
    """One expression of a plan.

    Attributes:
        path: Where it stands.
        step: The position of its step; None for the plan's ``output``.
        field: The field that holds it.
        expression: What was read; None if it cannot run.
        reads: What it reads, as far as it was understood even if it cannot run.
    """

    path: Path
    step: int | None
    field: Field
    expression: Expression | None = None
    reads: tuple[Read, ...] = ()

    @property
    def step_ids(self) -> tuple[str, ...]:
        """The ids of the steps that it reads, by first appearance."""
        names = [read.id for read in self.reads if read.root == "steps"]
        return tuple(dict.fromkeys(names)) if len(names) > 1 else tuple(names)


def looks_plain(text: str) -> bool:
    """Whether a text is a plain path by its looks.

    Behind a limit only such texts are read, and how they are written is all there is to go
    by: which others are plain paths is only known once they have been read.
    """
    return _LOOKS_PLAIN.fullmatch(text) is not None


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
    readings: dict[tuple[str, Field, bool], Reading] = {}
    count = size = 0
    full = False
    for path, step, field, item, text in _texts(plan):
        if full and not looks_plain(text):
            found.append(PlanExpression(path, step, field))
            continue
        # A plan may say the same thing in each of ten thousand steps.
        key = (text, field, item)
        reading = readings.get(key)
        if reading is None:
            scope = scopes.get((field, item))
            if scope is None:
                scope = Scope(ids=ids, field=field, has_item=item, inputs=inputs)
                scopes[field, item] = scope
            reading = readings[key] = read_expression(text, scope)
        findings += [
            Finding(Code(problem.code), path, problem.message, problem.hint)
            for problem in reading.problems
        ]
        expression = reading.expression
        if not full and (expression is None or not expression.plain_path):
            count += 1
            size += len(text.encode("utf-8", "surrogatepass"))
            full = count > MAX_EXPRESSIONS or size > MAX_EXPRESSION_BYTES
            if full:
                findings.append(_too_many(path))
                expression = None
        found.append(PlanExpression(path, step, field, expression, reading.reads))
    return tuple(found), findings


_Text: TypeAlias = tuple[Path, int | None, Field, bool, str]


def _texts(plan: Mapping[str, Any]) -> Iterator[_Text]:
    """The texts of a plan in the order in which they stand in it, each with its place."""
    for name, value in plan.items():
        if name == "output" and value is not None:
            yield ("output",), None, "output", False, value
        elif name == "steps":
            for at, step in enumerate(value):
                has_item = step.get("for_each") is not None
                for key in step:
                    if key == "bind":
                        for argument, text in step[key].items():
                            yield ("steps", at, key, argument), at, key, has_item, text
                    elif key in ("when", "for_each") and step[key] is not None:
                        yield ("steps", at, key), at, key, False, step[key]


def _too_many(path: Path) -> Finding:
    return Finding(
        Code.EXPRESSION_LIMIT,
        path,
        f"the plan's expressions, plain paths aside, are over {MAX_EXPRESSIONS} or over "
        f"{MAX_EXPRESSION_BYTES} bytes together",
        "shorten them, or let a tool do more of the work",
    )
