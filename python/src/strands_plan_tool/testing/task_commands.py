"""The commands of the conformance protocol that are about task plans."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from strands_plan_tool.errors import PlanError
from strands_plan_tool.executor.calls import StepCall
from strands_plan_tool.models import JsonValue, Policy, TaskPlan, TaskStep
from strands_plan_tool.tasks import MAX_TASKS, TaskRun, check_tasks, run_tasks, task_levels
from strands_plan_tool.testing.clock import VirtualClock
from strands_plan_tool.testing.recording import Recorder
from strands_plan_tool.testing.tools import StubTools

__all__ = ["tasks_checked", "tasks_executed"]

Message = dict[str, Any]


def tasks_checked(command: Mapping[str, Any]) -> Message:
    """What checking a task plan finds; its levels too if it may run."""
    plan = command["task_plan"]
    found = check_tasks(plan, max_steps=command.get("max_steps", MAX_TASKS))
    seen: Message = {"diagnostics": [one.model_dump(mode="json") for one in found]}
    if not found:
        levels = task_levels(TaskPlan.model_validate(plan))
        seen["levels"] = [list(level) for level in levels]
    return seen


def tasks_executed(command: Mapping[str, Any]) -> Message:
    """How a task plan runs on virtual time, its executors stub tools by step id."""
    clock, recorder = VirtualClock(), Recorder()
    tools = StubTools(command["executors"], clock=clock)

    async def do(step: TaskStep, results: Mapping[str, JsonValue]) -> JsonValue:
        return await tools.invoke_step(
            StepCall(
                run_id="run",
                step_id=step.id,
                index=None,
                attempt=1,
                key="",
                tool=step.id,
                args=dict(results),
            )
        )

    async def main() -> TaskRun | None:
        running = asyncio.ensure_future(
            run_tasks(
                command["task_plan"],
                do,
                max_steps=command.get("max_steps", MAX_TASKS),
                max_concurrency=command.get("max_concurrency", Policy().max_concurrency),
                waves=command.get("waves", False),
                run_id="run",
                on_event=recorder,
                clock=clock,
            )
        )
        if "cancel_at_ms" in command:
            await clock.sleep(command["cancel_at_ms"] / 1000)
            running.cancel()
        with suppress(asyncio.CancelledError):
            return await running
        return None

    try:
        run = clock.run(main())
    except PlanError as refusal:
        return {"diagnostics": [one.model_dump(mode="json") for one in refusal.diagnostics]}
    calls = [{"step": call.step_id, "results": call.args} for call in tools.calls]
    seen: Message = {"calls": calls, "timeline": recorder.timeline}
    if run is None:
        return seen | {"cancelled": True}
    return seen | {
        "results": dict(run.results),
        "failed": dict(run.failed),
        "skipped": list(run.skipped),
        "waves": [list(wave) for wave in run.waves],
    }
