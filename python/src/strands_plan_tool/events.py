"""What a run emits while it goes on: one event for each thing that starts or ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from strands_plan_tool.models import Code

__all__ = ["EventKind", "OnEvent", "PlanEvent"]


class EventKind(StrEnum):
    """What happened."""

    START = "start"
    """An attempt of a call began: the tool is being called."""
    RETRY = "retry"
    """An attempt failed and its call goes on after a backoff."""
    WAITING = "waiting"
    """An attempt gave its slot back: its call waits for an answer from outside."""
    CANCELLED = "cancelled"
    """An attempt was stopped because the run was cancelled."""
    OK = "ok"
    """A step, or the call of one item, ended with a result."""
    FAILED = "failed"
    """A step, or the call of one item, failed for good."""
    SKIPPED = "skipped"
    """A step ended without running because of a failure."""
    NOT_TAKEN = "not_taken"
    """A step ended without running because a condition said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEvent:
    """One thing that happened in a run.

    The last four kinds are the ends of a step, where ``index`` is ``None``, or of the call
    of one item of a ``for_each`` step, where ``index`` is that item's (only ``ok`` and
    ``failed``). A step's end follows the ends of its items. Values are not in events. The end
    of an item that was taken from memory has no start before it and no attempt.

    Attributes:
        kind: What happened.
        run_id: The run that it happened in.
        step_id: The step.
        tool: The tool that the step names.
        at_ms: When, in milliseconds since the run began, pauses left out, to the microsecond.
        index: The item's place in the ``for_each`` list, from 0.
        attempt: Which attempt of its call, from 1, where the event is about one.
        code: What went wrong (``failed``, ``retry`` and ``cancelled``).
        error: The same in words.
    """

    kind: EventKind
    run_id: str
    step_id: str
    tool: str
    at_ms: float
    index: int | None = None
    attempt: int | None = None
    code: Code | None = None
    error: str | None = None


OnEvent: TypeAlias = Callable[[PlanEvent], object]
"""Called with each event, in order, while the run waits; it must return soon.

An exception that it raises loses neither the run nor later events: the first one of a run is
logged (logger ``strands_plan_tool``).
"""
