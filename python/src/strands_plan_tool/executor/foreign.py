"""Plans whose expressions are in a host's own language, checked for all but those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from strands_plan_tool.diagnostics import Finding, Path, diagnostics_of, ordered
from strands_plan_tool.errors import error_for
from strands_plan_tool.graph import Reference, build_graph
from strands_plan_tool.models import Code, PlanStep, Policy, WorkflowPlan
from strands_plan_tool.validate import CheckedPlan, ToolInfo, check_plan
from strands_plan_tool.wire import read_plan
from strands_plan_tool.wire.shape import read_shape

__all__ = ["References", "check_foreign_plan"]

References: TypeAlias = Callable[[str], tuple[str, ...] | None]
"""The ids of steps that a text reads; ``None`` for a text that is none of the language."""


def check_foreign_plan(
    plan: WorkflowPlan | Mapping[str, Any] | str,
    *,
    references: References,
    tools: Any,
    policy: Policy,
) -> CheckedPlan:
    """A plan that may run although its expressions are not ours to parse.

    Args:
        plan: The plan in any form.
        references: Which steps an expression reads.
        tools: What ``check_plan`` takes; only names and ``plannable`` count, since nobody
            knows what a binding gives.
        policy: The host's limits.

    Returns:
        A checked plan without parsed expressions.

    Raises:
        PlanError: The plan may not run.
    """
    wire = read_plan(plan)
    if wire.findings:
        raise error_for(wire.diagnostics)
    shaped, shape_findings = read_shape(wire.value)
    if shaped is None:
        raise error_for(diagnostics_of(shape_findings))
    reads = {path: references(text) for path, text in _texts(shaped)}
    findings = [
        Finding(
            Code.SYNTAX, path, "it is no JSONata", "check its brackets, quotes and operators"
        )
        for path, ids in reads.items()
        if ids is None
    ]
    known = {path: ids for path, ids in reads.items() if ids}
    graph = build_graph([step.id for step in shaped.steps], list(_references(shaped, known)))
    if findings or graph.findings:
        found = ordered([*findings, *graph.findings], wire.value)
        raise error_for(diagnostics_of(found), [finding.subject for finding in found])
    checked = check_plan(
        _without_expressions(shaped, known), tools=_names(tools), policy=policy
    )
    # The stand-in was for the order of the steps alone; what runs is the real plan.
    steps = tuple(
        step._replace(step=shaped.steps[step.position], bind={}, when=None, for_each=None)
        for step in checked.steps
    )
    return replace(checked, plan=shaped, steps=steps, output=None, notes=wire.notes)


def _texts(plan: WorkflowPlan) -> Iterator[tuple[Path, str]]:
    """Every expression of a plan with its place."""
    for at, step in enumerate(plan.steps):
        for name, text in step.bind.items():
            yield ("steps", at, "bind", name), text
        if step.when is not None:
            yield ("steps", at, "when"), step.when
        if step.for_each is not None:
            yield ("steps", at, "for_each"), step.for_each
    if plan.output is not None:
        yield ("output",), plan.output


def _references(plan: WorkflowPlan, reads: Mapping[Path, Iterable[str]]) -> Iterator[Reference]:
    for at, step in enumerate(plan.steps):
        for place, name in enumerate(step.after):
            yield Reference(at, name, ("steps", at, "after", place))
    for path, ids in reads.items():
        owner = path[1] if path[0] == "steps" and isinstance(path[1], int) else None
        field = "output" if owner is None else "dependencies"
        for name in ids:
            # A word that looks like the step's own id was never taken for a reference.
            if owner is None or plan.steps[owner].id != name:
                yield Reference(owner, name, path, field)
    for place, name in enumerate(plan.returns):
        yield Reference(None, name, ("returns", place), "returns")


def _without_expressions(
    plan: WorkflowPlan, reads: Mapping[Path, Iterable[str]]
) -> WorkflowPlan:
    """The same graph, in which ``after`` says what the expressions did."""
    waits: list[list[str]] = [list(step.after) for step in plan.steps]
    for path, ids in reads.items():
        if path[0] == "steps" and isinstance(path[1], int):
            own = plan.steps[path[1]].id
            waits[path[1]] += [name for name in ids if name != own]
    steps = tuple(
        PlanStep(id=step.id, tool=step.tool, after=after, join=step.join)
        for step, after in zip(plan.steps, waits, strict=True)
    )
    read_last = ", ".join(f"steps.{name}" for name in reads.get(("output",), ()))
    output = None if plan.output is None else f"[{read_last}]"
    return plan.model_copy(update={"steps": steps, "output": output})


def _names(tools: Any) -> Any:
    """The tools without their schemas."""
    if not isinstance(tools, Mapping):
        return tools
    return {name: ToolInfo(plannable=_plannable(info)) for name, info in tools.items()}


def _plannable(info: ToolInfo | Mapping[str, Any] | None) -> bool:
    if isinstance(info, ToolInfo):
        return info.plannable
    return bool((info or {}).get("plannable", True))
