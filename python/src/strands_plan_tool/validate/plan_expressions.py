"""Every expression of a plan, read once, with the limits that hold for all together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from strands_plan_tool.diagnostics import Finding, Path
from strands_plan_tool.expressions import (
    Expression,
    Reading,
    Scope,
    named_expression,
    read_expression,
)
from strands_plan_tool.expressions.references import Read
from strands_plan_tool.expressions.scan import MAX_EXPRESSION_BYTES, MAX_EXPRESSIONS
from strands_plan_tool.models import Code

__all__ = [
    "Field",
    "PlanExpression",
    "PlanExpressions",
    "StepIds",
    "looks_plain",
    "read_expressions",
]

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


class PlanExpression(NamedTuple):
    """One expression of a plan.

    Attributes:
        step: The position of its step; None for the plan's ``output``.
        field: The field that holds it.
        argument: What it is bound to, in ``bind``.
        expression: What was read; None if it cannot run.
        understood: What it reads, as far as it was understood, if it cannot run.
    """

    step: int | None
    field: Field
    argument: str
    expression: Expression | None
    understood: tuple[Read, ...]

    @property
    def reads(self) -> tuple[Read, ...]:
        """What it reads."""
        return self.understood if self.expression is None else self.expression.reads

    @property
    def path(self) -> Path:
        """Where it stands."""
        return _path(self.step, self.field, self.argument)

    @property
    def step_ids(self) -> tuple[str, ...]:
        """The ids of the steps that it reads, by first appearance."""
        if self.expression is not None:
            return self.expression.dependencies
        names = [read.id for read in self.understood if read.root == "steps"]
        return tuple(dict.fromkeys(names))


class PlanExpressions:
    """The expressions of a plan in the order of the document.

    They are kept by columns: a plan may have very many, and none is asked for for long.
    """

    def __init__(self) -> None:
        self._columns: tuple[list[Any], ...] = ([], [], [], [], [])

    def add(
        self,
        step: int | None,
        field: Field,
        argument: str,
        expression: Expression | None = None,
        understood: tuple[Read, ...] = (),
    ) -> None:
        """Put one more behind the others."""
        steps, fields, arguments, expressions, others = self._columns
        steps.append(step)
        fields.append(field)
        arguments.append(argument)
        expressions.append(expression)
        others.append(understood)

    def __iter__(self) -> Iterator[PlanExpression]:
        return map(PlanExpression, *self._columns)


def looks_plain(text: str) -> bool:
    """Whether a text is a plain path by its looks.

    Behind a limit only such texts are read, and how they are written is all there is to go
    by: which others are plain paths is only known once they have been read.
    """
    return _LOOKS_PLAIN.fullmatch(text) is not None


def read_expressions(
    plan: Mapping[str, Any], ids: StepIds, inputs: tuple[str, ...]
) -> tuple[PlanExpressions, list[Finding]]:
    """Reads the expressions of a plan in document order.

    Args:
        plan: The repaired plan, whose shape has been checked.
        ids: Its steps' ids.
        inputs: The names that the host passes as ``input``.

    Returns:
        The expressions, and what keeps some of them from running. Once the limits of the
        whole plan are reached only plain paths are read any more.
    """
    found = PlanExpressions()
    findings: list[Finding] = []
    # A plan may say the same thing in each of ten thousand steps.
    known: dict[tuple[Field, bool], tuple[Scope, dict[str, Expression | Reading]]] = {}
    count = size = 0
    full = False
    for step, field, argument, item, text in _texts(plan):
        if full and not looks_plain(text):
            found.add(step, field, argument)
            continue
        here = known.get((field, item))
        if here is None:
            scope = Scope(ids=ids, field=field, has_item=item, inputs=inputs)
            here = known[field, item] = scope, {}
        scope, readings = here
        reading = readings.get(text)
        if reading is None:
            reading = named_expression(text, scope)
            if reading is None:
                other = read_expression(text, scope)
                reading = other.expression or other
            readings[text] = reading
        expression = reading if isinstance(reading, Expression) else None
        if isinstance(reading, Reading):
            findings += [
                Finding(
                    Code(problem.code),
                    _path(step, field, argument),
                    problem.message,
                    problem.hint,
                )
                for problem in reading.problems
            ]
        if not full and (expression is None or not expression.plain_path):
            count += 1
            size += len(text.encode("utf-8", "surrogatepass"))
            full = count > MAX_EXPRESSIONS or size > MAX_EXPRESSION_BYTES
            if full:
                findings.append(_too_many(_path(step, field, argument)))
                expression = None
        understood = () if expression is not None else reading.reads
        found.add(step, field, argument, expression, understood)
    return found, findings


_Text: TypeAlias = tuple[int | None, Field, str, bool, str]


def _path(step: int | None, field: Field, argument: str) -> Path:
    if step is None:
        return ("output",)
    return ("steps", step, field, argument) if field == "bind" else ("steps", step, field)


def _texts(plan: Mapping[str, Any]) -> Iterator[_Text]:
    """The texts of a plan in the order in which they stand in it, each with its place.

    The position of the step, the field, the argument, and whether there is an item.
    """
    for name, value in plan.items():
        if name == "output" and value is not None:
            yield None, "output", "", False, value
        elif name == "steps":
            for at, step in enumerate(value):
                has_item = step.get("for_each") is not None
                for key in step:
                    if key == "bind":
                        for argument, text in step[key].items():
                            yield at, "bind", argument, has_item, text
                    elif key in ("when", "for_each") and step[key] is not None:
                        yield at, key, "", False, step[key]


def _too_many(path: Path) -> Finding:
    return Finding(
        Code.EXPRESSION_LIMIT,
        path,
        f"the plan's expressions, plain paths aside, are over {MAX_EXPRESSIONS} or over "
        f"{MAX_EXPRESSION_BYTES} bytes together",
        "shorten them, or let a tool do more of the work",
    )
