"""Runs a plan and gives back what it asked for."""

from __future__ import annotations

from strands_plan_tool.executor.calls import StepCall, StepInvoker, ToolInvoker
from strands_plan_tool.executor.checkpoints import plan_hash
from strands_plan_tool.executor.clock import AsyncioClock, Clock
from strands_plan_tool.executor.run import execute_plan, levels_of, summarize

__all__ = [
    "AsyncioClock",
    "Clock",
    "StepCall",
    "StepInvoker",
    "ToolInvoker",
    "execute_plan",
    "levels_of",
    "plan_hash",
    "summarize",
]
