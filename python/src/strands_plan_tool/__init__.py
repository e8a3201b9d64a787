"""One tool that lets an agent run a whole chain of tool calls in a single model round trip.

    result = await execute_plan(parse_plan(text), invoker)

This is the engine alone: it reads, checks and runs plans and knows no agent framework. The
doors are modules that need an extra each: ``strands_plan_tool.strands_adapter`` with the
Strands plugin, and ``strands_plan_tool.testing``.
"""

from strands_plan_tool.binder import Binder, JsonataBinder
from strands_plan_tool.errors import (
    AgentInterruptedError,
    BindEvaluationError,
    DanglingReferenceError,
    DuplicateStepError,
    InvalidPlanShapeError,
    PlanCycleError,
    PlanError,
    PlanPaused,
    StepLimitError,
    StepPaused,
    ToolDeniedError,
    ToolExecutionError,
    ToolNotPlannableError,
)
from strands_plan_tool.events import PlanEvent
from strands_plan_tool.executor import execute_plan, levels_of, plan_hash, summarize
from strands_plan_tool.executor.calls import StepCall, StepInvoker, ToolInvoker
from strands_plan_tool.executor.clock import Clock
from strands_plan_tool.graph import dependencies_of, plan_levels
from strands_plan_tool.memory import CallMemory
from strands_plan_tool.models import (
    MAX_STEPS,
    Checkpoint,
    Code,
    Diagnostic,
    Effect,
    Integers,
    ItemCheckpoint,
    ItemCounts,
    Join,
    JsonValue,
    OnError,
    OutputError,
    PlanResult,
    PlanStep,
    Policy,
    Retry,
    StepCheckpoint,
    StepOutcome,
    StepStatus,
    WaitingCall,
    WorkflowPlan,
)
from strands_plan_tool.preview import preview_plan
from strands_plan_tool.render import render_diagnostics, render_for_model
from strands_plan_tool.validate import (
    CheckedPlan,
    CheckedStep,
    ToolInfo,
    check_plan,
    parse_plan,
    validate_plan,
)

__all__ = [
    "MAX_STEPS",
    "AgentInterruptedError",
    "BindEvaluationError",
    "Binder",
    "CallMemory",
    "CheckedPlan",
    "CheckedStep",
    "Checkpoint",
    "Clock",
    "Code",
    "DanglingReferenceError",
    "Diagnostic",
    "DuplicateStepError",
    "Effect",
    "Integers",
    "InvalidPlanShapeError",
    "ItemCheckpoint",
    "ItemCounts",
    "Join",
    "JsonValue",
    "JsonataBinder",
    "OnError",
    "OutputError",
    "PlanCycleError",
    "PlanError",
    "PlanEvent",
    "PlanPaused",
    "PlanResult",
    "PlanStep",
    "Policy",
    "Retry",
    "StepCall",
    "StepCheckpoint",
    "StepInvoker",
    "StepLimitError",
    "StepOutcome",
    "StepPaused",
    "StepStatus",
    "ToolDeniedError",
    "ToolExecutionError",
    "ToolInfo",
    "ToolInvoker",
    "ToolNotPlannableError",
    "WaitingCall",
    "WorkflowPlan",
    "check_plan",
    "dependencies_of",
    "execute_plan",
    "levels_of",
    "parse_plan",
    "plan_hash",
    "plan_levels",
    "preview_plan",
    "render_diagnostics",
    "render_for_model",
    "summarize",
    "validate_plan",
]
