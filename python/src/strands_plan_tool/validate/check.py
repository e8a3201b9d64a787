"""Whether a plan may run: every check, all problems at once, or a checked plan.

Three stages, each only if the one before found nothing: reading (``wire``), shape, and
everything else. Nothing has run when a plan is refused, and what passes is not parsed again:
the checked plan holds the expressions, the dependencies and the levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Final, TypeAlias

from strands_plan_tool.diagnostics import Finding, diagnostics_of, ordered
from strands_plan_tool.errors import PlanError, error_for
from strands_plan_tool.expressions import Expression
from strands_plan_tool.graph import Graph, Reference, build_graph
from strands_plan_tool.models import Diagnostic, JsonValue, Policy, WorkflowPlan
from strands_plan_tool.validate.checked import CheckedPlan, CheckedStep
from strands_plan_tool.validate.collector import collection_put_off
from strands_plan_tool.validate.host_checks import check_input, check_policy
from strands_plan_tool.validate.limits import limit_findings
from strands_plan_tool.validate.literal_templates import Literals
from strands_plan_tool.validate.plan_expressions import (
    PlanExpressions,
    StepIds,
    read_expressions,
)
from strands_plan_tool.validate.result_shapes import result_finding
from strands_plan_tool.validate.tool_checks import ToolInfo, Tools
from strands_plan_tool.wire import read_plan
from strands_plan_tool.wire.shape import read_shape

__all__ = [
    "CheckedPlan",
    "CheckedStep",
    "ToolInfo",
    "ToolsGiven",
    "check_plan",
    "parse_plan",
    "validate_plan",
]

_MANY_STEPS: Final = 1000
# Characters of `{"id":"a","tool":"b"},`.
_LEAST_STEP: Final = 22
_NO_NAMES: Final[frozenset[str]] = frozenset()

PlanGiven: TypeAlias = WorkflowPlan | Mapping[str, Any] | str
"""A plan in any form: made in code, an object, or JSON text."""

ToolsGiven: TypeAlias = Mapping[str, ToolInfo | Mapping[str, Any] | None] | Iterable[str]
"""Tools by name with what is known of each, or names alone."""


def validate_plan(
    plan: PlanGiven,
    *,
    tools: ToolsGiven | None = None,
    policy: Policy | None = None,
    input: Mapping[str, JsonValue] | None = None,
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a plan; empty if it may run.

    Args:
        plan: The plan: JSON text, an object, or one made in code.
        tools: The tools it may call, with their schemas where known; without it no tool is
            checked.
        policy: The host's limits; the defaults without it.
        input: The values that expressions may read as ``input.<name>``.

    Returns:
        The problems of the first stage that has any, in the order of the repaired plan,
        into which their paths point.

    Raises:
        TypeError: ``tools``, ``policy`` or ``input`` is not of its type. A bad plan never
            raises.
    """
    return diagnostics_of(_checked(plan, tools, policy, input).findings)


def check_plan(
    plan: PlanGiven,
    *,
    tools: ToolsGiven | None = None,
    policy: Policy | None = None,
    input: Mapping[str, JsonValue] | None = None,
) -> CheckedPlan:
    """A plan ready to run.

    Args:
        plan: As for ``validate_plan``, like the others.

    Raises:
        PlanError: It may not run. The class is that of its first problem, by family;
            ``diagnostics`` has all of them.
        TypeError: ``tools``, ``policy`` or ``input`` is not of its type.
    """
    outcome = _checked(plan, tools, policy, input)
    if outcome.plan is None:
        raise _refusal(outcome.findings)
    return outcome.plan


def parse_plan(text: PlanGiven) -> WorkflowPlan:
    """The plan that a text holds, repaired, of the right shape, and otherwise unchecked.

    Args:
        text: JSON text; an object or a plan will do too.

    Raises:
        InvalidPlanShapeError: It is no plan.
    """
    wire = read_plan(text)
    plan, findings = (None, wire.findings) if wire.findings else read_shape(wire.value)
    if plan is None:
        raise _refusal(findings)
    return plan


@dataclass(frozen=True, slots=True)
class _Outcome:
    findings: tuple[Finding, ...]
    plan: CheckedPlan | None = None


def _refusal(findings: tuple[Finding, ...]) -> PlanError:
    return error_for(diagnostics_of(findings), [finding.subject for finding in findings])


def _checked(
    given: PlanGiven,
    tools: ToolsGiven | None,
    policy: Policy | None,
    input: Mapping[str, JsonValue] | None,
) -> _Outcome:
    host = _host(tools, policy, input)
    # Each step becomes some ten objects that live on, and to look for garbage among all that a
    # program holds, after every few hundred of them, takes longer the more of them there are.
    with collection_put_off() if _is_large(given) else nullcontext():
        return _checked_for(given, host)


def _is_large(given: PlanGiven) -> bool:
    # Exact types alone: nothing of a host's own may raise here.
    if type(given) is str:
        return len(given) > _MANY_STEPS * _LEAST_STEP
    if type(given) is WorkflowPlan:
        return len(given.steps) > _MANY_STEPS
    steps = given.get("steps") if type(given) is dict else None
    return type(steps) is list and len(steps) > _MANY_STEPS


def _checked_for(given: PlanGiven, host: _Host) -> _Outcome:
    wire = read_plan(given)
    if wire.findings:
        return _Outcome(wire.findings)
    document: Any = wire.value
    notes = wire.notes
    plan, findings = read_shape(document)
    if plan is None:
        return _Outcome(findings)
    stage = _Stage(plan, document, host)
    findings = ordered(stage.findings(), document)
    if findings:
        return _Outcome(findings)
    del wire
    return _Outcome((), stage.checked_plan(notes))


@dataclass(frozen=True, slots=True)
class _Host:
    """What the host says: its tools, its limits and the names of its inputs."""

    tools: Tools | None
    policy: Policy
    inputs: tuple[str, ...]


def _host(
    tools: ToolsGiven | None, policy: Policy | None, input: Mapping[str, JsonValue] | None
) -> _Host:
    check_policy(policy)
    check_input(input)
    named = None if tools is None else Tools(tools)
    return _Host(named, policy or Policy(), tuple(input or ()))


@dataclass(slots=True)
class _Stage:
    """The last stage: all that needs a plan of the right shape."""

    plan: WorkflowPlan
    document: Mapping[str, Any]
    host: _Host
    expressions: PlanExpressions = field(default_factory=PlanExpressions)
    graph: Graph = field(init=False)

    def findings(self) -> list[Finding]:
        """Every problem; those of one place and code from left to right."""
        ids = StepIds(step.id for step in self.plan.steps)
        self.expressions, findings = read_expressions(self.document, ids, self.host.inputs)
        self.graph = build_graph(ids, _References(self))
        unread = any(each.expression is None for each in self.expressions)
        return [
            *findings,
            *self.graph.findings,
            *self._of_steps(ids),
            *self._of_results(),
            *limit_findings(
                self.plan, self.graph, self.host.policy, self._read_by_output(), unread=unread
            ),
        ]

    def references(self) -> Iterator[Reference]:
        """Every place that names a step."""
        for each in self.expressions:
            kind = "dependencies" if each.step is not None else "output"
            for name in each.step_ids:
                yield Reference(each.step, name, each.path, kind)
        for at, step in enumerate(self.plan.steps):
            for place, name in enumerate(step.after):
                yield Reference(at, name, ("steps", at, "after", place))
        for place, name in enumerate(self.plan.returns):
            yield Reference(None, name, ("returns", place), "returns")

    def _of_steps(self, ids: StepIds) -> Iterator[Finding]:
        tools, literals = self.host.tools, Literals(ids)
        for at, step in enumerate(self.document["steps"]):
            templates = literals.findings(at, step) if "args" in step else []
            yield from templates
            if tools is None:
                continue
            refusal = tools.refusal(at, step["id"], step["tool"])
            if refusal is not None:
                # The step is to go, or to call another tool with arguments of its own.
                yield refusal
                continue
            arguments = tools.arguments(step["tool"])
            if arguments is not None:
                # What is not literal has no literal's type to be wrong.
                unread = {finding.path[3] for finding in templates}
                yield from arguments.findings(at, step, unread)

    def _of_results(self) -> Iterator[Finding]:
        if self.host.tools is None:
            return
        schemas: dict[str, Mapping[str, Any]] = {}
        for step in reversed(self.plan.steps):
            info = self.host.tools.get(step.tool)
            if info is not None and info.output_schema is not None:
                schemas[step.id] = info.output_schema
            else:
                schemas.pop(step.id, None)
        # Steps of one tool are read in the same few ways.
        good: set[tuple[int, tuple[str, ...]]] = set()
        for each in self.expressions:
            for read in each.reads:
                if read.root != "steps" or read.id not in schemas or not read.names:
                    continue
                schema = schemas[read.id]
                if (id(schema), read.names) in good:
                    continue
                finding = result_finding(read, schema, each.path)
                if finding is None:
                    good.add((id(schema), read.names))
                else:
                    yield finding

    def _read_by_output(self) -> frozenset[str] | None:
        """The ids that ``output`` reads; None if there is none."""
        if self.plan.output is None:
            return None
        return frozenset(
            name
            for each in self.expressions
            if each.field == "output"
            for name in each.step_ids
        )

    def checked_plan(self, notes: tuple[str, ...]) -> CheckedPlan:
        """The plan with what was found out, once nothing is wrong with it.

        What a step was read from is let go as soon as what comes of it is made: a plan may
        be large, and then the memory, and what a collector of garbage goes through, count.
        """
        tools, graph, read = self.host.tools, self.graph, self.document["steps"]
        rows = iter(self.expressions)
        row = next(rows, None)
        output: Expression | None = None
        steps = []
        for at, step in enumerate(self.plan.steps):
            read[at] = None
            bind: dict[str, Expression] = {}
            others: dict[str, Expression | None] = {}
            # Expressions stand in the order of the document.
            while row is not None and (row.step is None or row.step == at):
                if row.step is None:
                    output = row.expression
                elif row.field != "bind":
                    others[row.field] = row.expression
                elif row.expression is not None:
                    bind[row.argument] = row.expression
                row = next(rows, None)
            arguments = tools.arguments(step.tool) if tools is not None else None
            steps.append(
                CheckedStep(
                    step=step,
                    position=at,
                    level=graph.levels[at],
                    dependencies=tuple([graph.ids[i] for i in graph.dependencies[at]]),
                    bind=bind,
                    when=others.get("when"),
                    for_each=others.get("for_each"),
                    list_arguments=arguments.lists(step.bind) if arguments else _NO_NAMES,
                )
            )
            graph.dependencies[at] = ()
        if row is not None:
            output = row.expression
        return CheckedPlan(
            plan=self.plan,
            steps=tuple(steps),
            levels=_by_level(graph),
            output=output,
            policy=self.host.policy,
            notes=notes,
        )


def _by_level(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The ids of each level, in document order."""
    levels = graph.levels
    order = sorted(range(len(levels)), key=levels.__getitem__)
    ids = [graph.ids[at] for at in order]
    counts = Counter(levels)
    ends = accumulate(counts[level] for level in range(len(counts)))
    return tuple([tuple(ids[start:end]) for start, end in pairwise([0, *ends])])


@dataclass(frozen=True, slots=True)
class _References:
    """The references of a plan, made anew each time they are gone through and never kept."""

    stage: _Stage

    def __iter__(self) -> Iterator[Reference]:
        return self.stage.references()
