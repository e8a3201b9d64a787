"""What has happened in one run so far, from which its record is made at any moment."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from strands_plan_tool.events import EventKind, PlanEvent
from strands_plan_tool.planner_executor.budget import Meter
from strands_plan_tool.planner_executor.conduct import Conduct
from strands_plan_tool.planner_executor.record import (
    AgentRun,
    Attempt,
    Plan,
    Run,
    Tool,
    Usage,
)
from strands_plan_tool.tasks import task_levels
from strands_plan_tool.values import well_formed

__all__ = ["Ledger"]

T = TypeVar("T")


class Ledger:
    """Keeps account of a run.

    Args:
        question: The question.
        meter: What counts what the agents use.
        plan: The plan, with all that was done for it; None while it is being written.

    Attributes:
        results: What the completed steps gave.
        failed: Why each failed step failed.
        runs: What each agent did, in the order they ended.
        seconds_before: Seconds that were used for planning.
    """

    def __init__(self, question: str, meter: Meter, plan: Plan | None = None) -> None:
        self.meter = meter
        self.results: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        self.runs: list[AgentRun] = [] if plan is None else [*plan.runs]
        self.attempts: tuple[Attempt, ...] = () if plan is None else plan.attempts
        self.tools: tuple[Tool, ...] = () if plan is None else plan.tools
        self.named = None if plan is None else plan.named
        self.seconds_before = 0.0 if plan is None else plan.usage.duration_s
        self._question = question
        self._plan = None if plan is None else plan.plan
        self._skipped: set[str] = set()
        self._started: set[str] = set()
        self._began = asyncio.get_running_loop().time()

    def saw(self, event: PlanEvent) -> None:
        """Take note of what happened to a step."""
        if event.kind is EventKind.START:
            self._started.add(event.step_id)
        elif event.kind is EventKind.SKIPPED:
            self._skipped.add(event.step_id)
        elif event.kind is EventKind.FAILED:
            self.failed[event.step_id] = well_formed(event.error or "")
            self.results.pop(event.step_id, None)

    def ended(self, conduct: Conduct) -> None:
        """Keep what an agent did."""
        self.runs.append(conduct.record())

    def usage(self) -> Usage:
        """What was used so far, planning included."""
        seconds = asyncio.get_running_loop().time() - self._began
        return self.meter.usage(self.seconds_before + seconds)

    def record(self, answer: T) -> Run[T]:
        """The record as it is now; everything by step is in the order of the plan."""
        ids = [] if self._plan is None else [step.id for step in self._plan.steps]
        return Run(
            question=self._question,
            answer=answer,
            plan=self._plan,
            results={name: self.results[name] for name in ids if name in self.results},
            waves=self._waves(),
            failed={name: self.failed[name] for name in ids if name in self.failed},
            skipped=tuple(name for name in ids if name in self._skipped),
            usage=self.usage(),
            tools=self.tools,
            named=self.named,
            attempts=self.attempts,
            runs=tuple(self.runs),
        )

    def _waves(self) -> tuple[tuple[str, ...], ...]:
        if self._plan is None or not self._started:
            return ()
        levels = task_levels(self._plan)
        began = [tuple(name for name in level if name in self._started) for level in levels]
        return tuple(level for level in began if level)
