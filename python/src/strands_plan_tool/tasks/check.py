"""Whether a task plan may run: its shape, its size, its graph and its one final step.

The check sees the graph. Whether the words of a step need a result that it does not name
in ``depends_on`` is for the planner, and for whoever approves the plan, to see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from strands_plan_tool.diagnostics import Finding, diagnostics_of, listing, ordered, quoted
from strands_plan_tool.errors import error_for
from strands_plan_tool.graph import Graph, Reference, build_graph
from strands_plan_tool.models import Code, Diagnostic, TaskPlan, TaskStep
from strands_plan_tool.tasks.shape import shape_findings
from strands_plan_tool.values import to_json_text

__all__ = ["MAX_TASKS", "check_tasks", "checked_tasks", "task_levels"]

MAX_TASKS: Final = 6
"""Steps that a task plan may have where the host sets no limit."""

# What makes it unknown which steps nothing reads.
_UNTOLD: Final = {Code.DUPLICATE_STEP, Code.UNKNOWN_STEP, Code.SELF_REFERENCE, Code.CYCLE}


def check_tasks(
    plan: TaskPlan | Mapping[str, Any], *, max_steps: int = MAX_TASKS
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a task plan; nothing if it may run.

    Args:
        plan: The plan, or a plain object that ought to be one.
        max_steps: Steps that it may have.

    Returns:
        The problems in the order of the plan, each with the edit that mends it. A plan of
        another shape has only those of its shape.
    """
    return diagnostics_of(_findings(plan, max_steps)[1])


def checked_tasks(
    plan: TaskPlan | Mapping[str, Any], *, max_steps: int = MAX_TASKS
) -> tuple[TaskPlan, tuple[tuple[str, ...], ...]]:
    """A plan that may run, and the ids of its steps by level.

    Raises:
        PlanError: It may not run; ``diagnostics`` has every problem.
    """
    checked, findings = _findings(plan, max_steps)
    if checked is None or findings:
        subjects = [finding.subject for finding in findings]
        raise error_for(diagnostics_of(findings), subjects)
    return checked, task_levels(checked)


def task_levels(plan: TaskPlan) -> tuple[tuple[str, ...], ...]:
    """The ids of the steps by level: 0 without dependencies, else one above the highest.

    Args:
        plan: A plan that ``check_tasks`` finds nothing wrong with.
    """
    levels = _graph(plan.steps).levels
    groups: list[list[str]] = [[] for _ in range(max(levels, default=-1) + 1)]
    for step, level in zip(plan.steps, levels, strict=True):
        groups[level].append(step.id)
    return tuple(tuple(group) for group in groups)


def _findings(
    plan: TaskPlan | Mapping[str, Any], max_steps: int
) -> tuple[TaskPlan | None, tuple[Finding, ...]]:
    if not isinstance(plan, TaskPlan):
        shape = ordered(shape_findings(plan), plan)
        if shape:
            return None, shape
        plan = TaskPlan.model_validate(plan)
    steps = plan.steps
    graph = _graph(steps)
    findings = [_with_edit(finding, steps) for finding in graph.findings]
    if len(steps) > max_steps:
        findings.append(_too_many(len(steps), max_steps))
    if not any(finding.code in _UNTOLD for finding in findings):
        findings += _loose_ends(steps, graph, room=len(steps) < max_steps)
    return plan, ordered(findings, plan.model_dump(mode="json"))


def _graph(steps: Sequence[TaskStep]) -> Graph:
    return build_graph([step.id for step in steps], list(_references(steps)))


def _references(steps: Sequence[TaskStep]) -> Iterator[Reference]:
    for at, step in enumerate(steps):
        for place, name in enumerate(step.depends_on):
            yield Reference(at, name, ("steps", at, "depends_on", place))


def _too_many(count: int, limit: int) -> Finding:
    return Finding(
        Code.TOO_MANY_STEPS,
        ("steps",),
        f"{count} steps, and there may be {limit}",
        f"join steps until there are at most {limit}",
        (count, limit),
    )


def _loose_ends(steps: Sequence[TaskStep], graph: Graph, *, room: bool) -> Iterator[Finding]:
    """Every step must feed the final one; in a graph without cycles one end is enough.

    Args:
        steps: The steps.
        graph: Their graph.
        room: Whether there may be one more step.
    """
    read = {at for each in graph.dependencies for at in each}
    ends = [at for at in range(len(steps)) if at not in read]
    if len(ends) > 1:
        names = [steps[at].id for at in ends]
        final = steps[ends[-1]]
        needed = list(dict.fromkeys([*final.depends_on, *names[:-1]]))
        yield Finding(
            Code.LOOSE_ENDS,
            ("steps",),
            f"no step needs {listing(names)}, and a plan has one final step that needs all "
            "others, directly or through others",
            f"make {quoted(final.id)} the final step: {_depends_on(final, needed)}"
            + (
                f'; or add a final step with "depends_on": {to_json_text(names)}'
                if room
                else ""
            ),
        )


def _with_edit(finding: Finding, steps: Sequence[TaskStep]) -> Finding:
    """The same with the very ``depends_on`` to write, where it is about one."""
    if finding.code is Code.CYCLE:
        cycle: tuple[str, ...] = finding.subject[0]  # type: ignore[assignment]
        last = next(step for step in steps if step.id == cycle[-1])
        return _without(finding, last, cycle[0])
    if finding.code is Code.SELF_REFERENCE or (
        finding.code is Code.UNKNOWN_STEP and not finding.hint.startswith("change")
    ):
        step = steps[int(finding.path[1])]
        return _without(finding, step, step.depends_on[int(finding.path[3])])
    return finding


def _without(finding: Finding, step: TaskStep, name: str) -> Finding:
    kept = [each for each in step.depends_on if each != name]
    return replace(finding, hint=_depends_on(step, kept))


def _depends_on(step: TaskStep, names: Sequence[str]) -> str:
    return f'write "depends_on": {to_json_text(list(names))} in step {quoted(step.id)}'
