"""What happened in a run, kept for a test to compare."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TypeAlias

from strands_plan_tool.events import PlanEvent
from strands_plan_tool.executor.calls import StepCall, StepInvoker, ToolInvoker, invocation
from strands_plan_tool.models import JsonValue

__all__ = ["Recorder", "RecordingInvoker", "Row", "call_row", "timeline_row"]

Row: TypeAlias = list[JsonValue]


class Recorder:
    """An ``on_event`` that keeps every event.

    Attributes:
        events: The events, in order.
    """

    def __init__(self) -> None:
        self.events: list[PlanEvent] = []

    def __call__(self, event: PlanEvent) -> None:
        self.events.append(event)

    @property
    def timeline(self) -> list[Row]:
        """The events as rows: see ``timeline_row``."""
        return [timeline_row(event) for event in self.events]


class RecordingInvoker:
    """Passes every attempt on to another invoker and keeps it.

    Args:
        invoker: What carries the attempts out, in either form.

    Attributes:
        calls: Every attempt in the order they started, with the arguments as they came.
    """

    def __init__(self, invoker: ToolInvoker | StepInvoker) -> None:
        self._invoke = invocation(invoker)
        self.calls: list[StepCall] = []

    async def invoke_step(self, call: StepCall) -> JsonValue:
        """Keep the attempt and carry it out."""
        self.calls.append(replace(call, args=copy.deepcopy(call.args)))
        return await self._invoke(call)


def timeline_row(event: PlanEvent) -> Row:
    """``[milliseconds, kind, step id]``, and the item's index if the event is an item's."""
    row: Row = [event.at_ms, event.kind.value, event.step_id]
    return row if event.index is None else [*row, event.index]


def call_row(call: StepCall) -> dict[str, JsonValue]:
    """An attempt as cases write it: step, tool, args, and index and attempt if they tell."""
    row: dict[str, JsonValue] = {"step": call.step_id, "tool": call.tool, "args": call.args}
    if call.index is not None:
        row["index"] = call.index
    if call.attempt > 1:
        row["attempt"] = call.attempt
    return row
