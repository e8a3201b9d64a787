"""A plan that may run, with all that checking it has found out; nothing is parsed twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from strands_plan_tool.expressions import Expression
from strands_plan_tool.models import PlanStep, Policy, WorkflowPlan

__all__ = ["CheckedPlan", "CheckedStep"]


class CheckedStep(NamedTuple):
    """A step that may run.

    Attributes:
        step: The step as written.
        position: Its place in the plan's list of steps, from 0.
        level: 0 without dependencies, else one more than the highest of theirs.
        dependencies: The ids of the steps that must end first, in document order.
        bind: Its bindings as read, by argument.
        when: Its condition as read.
        for_each: Its list as read.
        list_arguments: The bound arguments that take a list and nothing else.
    """

    step: PlanStep
    position: int
    level: int
    dependencies: tuple[str, ...]
    bind: Mapping[str, Expression]
    when: Expression | None = None
    for_each: Expression | None = None
    list_arguments: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A plan that may run, with all that checking it has found out.

    Attributes:
        plan: The plan, repaired.
        steps: Its steps in document order.
        levels: The ids of each level, in document order.
        output: The plan's ``output`` as read.
        policy: The limits it was checked by and runs under.
        notes: The repairs that were made, for the result.
    """

    plan: WorkflowPlan
    steps: tuple[CheckedStep, ...]
    levels: tuple[tuple[str, ...], ...]
    output: Expression | None
    policy: Policy
    notes: tuple[str, ...] = ()
