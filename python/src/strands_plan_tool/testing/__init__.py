"""For tests of plans and tools: virtual time, tools made of data, and records of a run.

``strands_plan_tool.testing.strategies`` has strategies for Hypothesis (extra ``testing``).
The scripted model needs the extra ``strands`` and is imported when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strands_plan_tool.testing.clock import VirtualClock
from strands_plan_tool.testing.recording import (
    Recorder,
    RecordingInvoker,
    call_row,
    timeline_row,
)
from strands_plan_tool.testing.tools import StubToolError, StubTools, same_json

if TYPE_CHECKING:
    from strands_plan_tool.testing.scripted_model import ScriptedModel, ToolCall, tool_call

__all__ = [
    "Recorder",
    "RecordingInvoker",
    "ScriptedModel",
    "StubToolError",
    "StubTools",
    "ToolCall",
    "VirtualClock",
    "call_row",
    "same_json",
    "timeline_row",
    "tool_call",
]

_OF_STRANDS = ("ScriptedModel", "ToolCall", "tool_call")


def __getattr__(name: str) -> Any:
    if name in _OF_STRANDS:
        from strands_plan_tool.testing import scripted_model  # noqa: PLC0415 - not always there

        return getattr(scripted_model, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
