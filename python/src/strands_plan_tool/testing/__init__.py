"""For tests of plans and tools: virtual time, tools made of data, and records of a run."""

from __future__ import annotations

from strands_plan_tool.testing.clock import VirtualClock
from strands_plan_tool.testing.recording import (
    Recorder,
    RecordingInvoker,
    call_row,
    timeline_row,
)
from strands_plan_tool.testing.tools import StubToolError, StubTools, same_json

__all__ = [
    "Recorder",
    "RecordingInvoker",
    "StubToolError",
    "StubTools",
    "VirtualClock",
    "call_row",
    "same_json",
    "timeline_row",
]
