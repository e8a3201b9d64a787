"""Runs a task plan on the engine's scheduler: a failure takes down only what needed it."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from strands_plan_tool.events import EventKind, OnEvent, PlanEvent
from strands_plan_tool.executor import AsyncioClock, Clock, StepCall, execute_plan
from strands_plan_tool.models import (
    JsonValue,
    OnError,
    PlanResult,
    PlanStep,
    Policy,
    StepStatus,
    TaskPlan,
    TaskStep,
    WorkflowPlan,
)
from strands_plan_tool.tasks.check import MAX_TASKS, checked_tasks

__all__ = ["DoTask", "TaskRun", "run_tasks"]

DoTask: TypeAlias = Callable[[TaskStep, Mapping[str, JsonValue]], Awaitable[JsonValue]]
"""Carries out one step, given the results of the steps in its ``depends_on`` by id.

An ``Exception`` fails the step, in its own words. Anything else that it raises ends the
whole run and is raised from it, once what is in flight has been stopped.
"""

_TOOL = "task"
_LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class TaskRun:
    """How the steps of a task plan ended.

    Attributes:
        results: What the completed steps gave, by id, in the order of the plan.
        failed: Why each failed step failed, by id, in the order of the plan.
        skipped: The steps that did not run because one they needed failed or was skipped.
        waves: The steps that started, by level: those of a level wait for none of each
            other. A level of which none started is left out.
    """

    results: Mapping[str, JsonValue]
    failed: Mapping[str, str]
    skipped: tuple[str, ...]
    waves: tuple[tuple[str, ...], ...]


async def run_tasks(
    plan: TaskPlan | Mapping[str, Any],
    do: DoTask,
    *,
    max_steps: int = MAX_TASKS,
    max_concurrency: int = Policy().max_concurrency,
    waves: bool = False,
    run_id: str | None = None,
    on_event: OnEvent | None = None,
    clock: Clock | None = None,
) -> TaskRun:
    """Run a task plan: a failed step takes down what needs it, and the rest goes on.

    Args:
        plan: The plan; it is checked first.
        do: Carries out one step.
        max_steps: Steps that the plan may have.
        max_concurrency: Steps that may run at once.
        waves: Whether a level starts only when the one before has ended; else each step
            starts as soon as what it needs is there.
        run_id: Names the run in events; a new id unless given.
        on_event: Told of each thing that starts or ends.
        clock: What events are timed by; the event loop's own unless given.

    Raises:
        PlanError: The plan may not run.
        asyncio.CancelledError: The run was cancelled. What was in flight has ended.
    """
    checked, levels = checked_tasks(plan, max_steps=max_steps)
    run = _Run(checked, do, max_concurrency, run_id or uuid.uuid4().hex, on_event, clock)
    await (run.by_waves(levels) if waves else run.round(checked.steps))
    return run.outcome(levels)


@dataclass
class _Run:
    """One run; ``round`` is called once, or once a level."""

    plan: TaskPlan
    do: DoTask
    max_concurrency: int
    run_id: str
    on_event: OnEvent | None
    clock: Clock | None
    results: dict[str, JsonValue] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)

    async def by_waves(self, levels: Sequence[Sequence[str]]) -> None:
        """Run level by level."""
        clock = self.clock or AsyncioClock()
        steps = {step.id: step for step in self.plan.steps}
        began = clock.now()
        for level in levels:
            at_ms = round((clock.now() - began) * 1_000_000) / 1000
            ready = []
            for step in map(steps.__getitem__, level):
                if all(name in self.results for name in step.depends_on):
                    ready.append(step)
                else:
                    self.skipped.add(step.id)
                    self._tell(self._skipped(step), at_ms)
            if ready:
                await self.round(ready, after_ms=at_ms)

    async def round(self, steps: Sequence[TaskStep], after_ms: float = 0) -> None:
        """Run some steps as a plan of the engine; what they need from before is there."""
        own = {step.id: step for step in steps}

        async def invoke(call: StepCall) -> JsonValue:
            step = own[call.step_id]
            given = {name: self.results[name] for name in step.depends_on}
            result = await self.do(step, given)
            self.results[step.id] = result
            return result

        result = await execute_plan(
            WorkflowPlan(
                steps=[
                    PlanStep(
                        id=step.id,
                        tool=_TOOL,
                        after=[name for name in step.depends_on if name in own],
                    )
                    for step in steps
                ],
                returns=list(own),
                on_error=OnError.CONTINUE,
            ),
            _Invoker(invoke),
            policy=Policy(
                max_steps=max(len(steps), 1),
                max_concurrency=self.max_concurrency,
                max_output_bytes=_LARGEST,
            ),
            run_id=self.run_id,
            on_event=lambda event: self._tell(event, after_ms),
            clock=self.clock,
        )
        self._take(result)

    def _take(self, result: PlanResult) -> None:
        for entry in result.ledger:
            if entry.status is StepStatus.OK:
                self.results[entry.id] = result.returned[entry.id]
                continue
            # A result that the scheduler refused, such as one that is too large, is none.
            self.results.pop(entry.id, None)
            if entry.status is StepStatus.FAILED:
                self.failed[entry.id] = entry.error or ""
            else:
                self.skipped.add(entry.id)

    def _tell(self, event: PlanEvent, after_ms: float) -> None:
        if self.on_event is not None:
            self.on_event(replace(event, at_ms=event.at_ms + after_ms) if after_ms else event)

    def _skipped(self, step: TaskStep) -> PlanEvent:
        return PlanEvent(
            kind=EventKind.SKIPPED, run_id=self.run_id, step_id=step.id, tool=_TOOL, at_ms=0
        )

    def outcome(self, levels: Sequence[Sequence[str]]) -> TaskRun:
        """What became of each step, in the order of the plan."""
        ids = [step.id for step in self.plan.steps]
        started = [
            tuple(name for name in level if name not in self.skipped) for level in levels
        ]
        return TaskRun(
            results={name: self.results[name] for name in ids if name in self.results},
            failed={name: self.failed[name] for name in ids if name in self.failed},
            skipped=tuple(name for name in ids if name in self.skipped),
            waves=tuple(level for level in started if level),
        )


@dataclass(frozen=True, slots=True)
class _Invoker:
    """The engine's seam, as an object with the one method."""

    invoke: Callable[[StepCall], Awaitable[JsonValue]]

    async def invoke_step(self, call: StepCall) -> JsonValue:
        """Carry out the step that the call is of."""
        return await self.invoke(call)
