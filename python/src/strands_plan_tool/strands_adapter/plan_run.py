"""How one plan is to run, beside what it is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from strands_plan_tool.events import OnEvent
from strands_plan_tool.memory import CallMemory
from strands_plan_tool.models import PlanResult, WorkflowPlan
from strands_plan_tool.strands_adapter.approval import Approve
from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker


class PlanChanged(Exception):  # noqa: N818 - nothing went wrong within the plan
    """A plan that waited is not the one that goes on: no answer was given for that one."""


@dataclass(frozen=True, slots=True)
class PlanRun:
    """How one plan is to run.

    Attributes:
        plan: The plan in any form.
        invoker: Calls its tools.
        on_event: Told of each event, beside the host.
        resume: The checkpoint that it goes on from.
        memory: What it may take over.
        approve: What it has to be approved by before anything runs.
    """

    plan: Any
    invoker: AgentToolInvoker
    on_event: OnEvent | None = None
    resume: Mapping[str, Any] | None = None
    memory: CallMemory | None = None
    approve: Approve | None = None


RunPlan = Callable[[PlanRun], Coroutine[Any, Any, tuple[PlanResult, WorkflowPlan]]]
"""Checks and runs a plan.

It raises ``PlanPaused`` with a call that has asked something, and ``PlanChanged``.
"""
