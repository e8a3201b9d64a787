"""The public surface: what may be imported, and that code for the published 0.4.0 still can."""

from __future__ import annotations

import importlib
import inspect

import pytest

import strands_plan_tool

# What 0.4.0 exports at its root, and where else it lets the same thing be imported from.
PUBLISHED = {
    "models": [
        "MAX_STEPS", "OnError", "PlanResult", "PlanStep", "StepOutcome", "StepStatus",
        "WorkflowPlan",
    ],
    "errors": [
        "AgentInterruptedError", "BindEvaluationError", "DanglingReferenceError",
        "DuplicateStepError", "InvalidPlanShapeError", "PlanCycleError", "PlanError",
        "StepLimitError", "ToolExecutionError", "ToolNotPlannableError",
    ],
    "graph": ["dependencies_of", "plan_levels"],
    "binder": ["Binder", "JsonataBinder"],
    "executor": ["ToolInvoker", "execute_plan", "levels_of", "summarize"],
}  # fmt: skip
ADDED = [
    "CallMemory", "CheckedPlan", "CheckedStep", "Checkpoint", "Clock", "Code", "Diagnostic",
    "Effect", "Integers", "ItemCheckpoint", "ItemCounts", "Join", "OutputError", "PlanEvent",
    "PlanPaused", "Policy", "Retry", "StepCall", "StepCheckpoint", "StepInvoker", "StepPaused",
    "ToolDeniedError", "ToolInfo", "WaitingCall", "check_plan", "parse_plan", "plan_hash",
    "preview_plan", "render_diagnostics", "render_for_model", "validate_plan",
]  # fmt: skip

# How 0.4.0 lets each be called: the names in order, `*` before those that are keyword-only.
CALLS = {
    "execute_plan": "plan, invoker, *, binder, max_steps, allowed_tools",
    "plan_levels": "plan, *, max_steps, allowed_tools",
    "dependencies_of": "step",
    "levels_of": "plan",
    "summarize": "result",
    "JsonataBinder": "*, allow_eval",
    "DuplicateStepError": "step_id",
    "DanglingReferenceError": "step_id, missing, *, field",
    "PlanCycleError": "remaining",
    "StepLimitError": "count, limit",
    "BindEvaluationError": "step_id, parameter, expression, cause",
    "ToolNotPlannableError": "step_id, tool, allowed",
    "ToolExecutionError": "tool, detail",
    "InvalidPlanShapeError": "detail",
    "AgentInterruptedError": "",
}
# ... and what each of its exceptions then carries, with arguments that fit.
ERRORS: dict[str, dict[str, object]] = {
    "DuplicateStepError": {"step_id": "a"},
    "DanglingReferenceError": {"step_id": "a", "missing": "b", "field": "after"},
    "PlanCycleError": {"remaining": ("a", "b")},
    "StepLimitError": {"count": 33, "limit": 32},
    "BindEvaluationError": {
        "step_id": "a",
        "parameter": "x",
        "expression": "steps.b",
        "cause": "no",
    },
    "ToolNotPlannableError": {"step_id": "a", "tool": "t", "allowed": ("u",)},
    "ToolExecutionError": {"tool": "t", "detail": "no"},
    "InvalidPlanShapeError": {"detail": "no"},
    "AgentInterruptedError": {},
}


def test_the_root_exports_exactly_these_names() -> None:
    published = [name for names in PUBLISHED.values() for name in names]
    assert sorted(strands_plan_tool.__all__) == sorted([*published, "JsonValue", *ADDED])


@pytest.mark.parametrize("name", strands_plan_tool.__all__)
def test_a_name_of_the_root_is_there_to_import(name: str) -> None:
    assert getattr(strands_plan_tool, name) is not None


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room, names in PUBLISHED.items() for name in names]
)
def test_a_published_name_is_the_same_thing_in_its_room(room: str, name: str) -> None:
    module = importlib.import_module(f"strands_plan_tool.{room}")
    assert getattr(module, name) is getattr(strands_plan_tool, name)


@pytest.mark.parametrize("name", CALLS)
def test_a_published_callable_takes_the_published_arguments(name: str) -> None:
    wanted = [part.strip() for part in CALLS[name].split(",") if part.strip()]
    keyword_only = wanted[wanted.index("*") + 1 :] if "*" in wanted else []
    positional = wanted[: wanted.index("*")] if "*" in wanted else wanted
    parameters = inspect.signature(getattr(strands_plan_tool, name)).parameters
    by_place = [
        p.name for p in parameters.values() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    assert by_place[: len(positional)] == positional
    assert set(keyword_only) <= set(parameters)
    # What was added since has a default, so that old calls stay whole.
    added = [parameters[p] for p in parameters if p not in (*positional, *keyword_only)]
    assert all(p.default is not inspect.Parameter.empty for p in added)


@pytest.mark.parametrize("name", ERRORS)
def test_a_published_exception_carries_what_it_was_made_from(name: str) -> None:
    error = getattr(strands_plan_tool, name)(**ERRORS[name])
    assert isinstance(error, strands_plan_tool.PlanError)
    assert {key: getattr(error, key) for key in ERRORS[name]} == ERRORS[name]
    assert isinstance(error.diagnostics, tuple)


def test_the_adapter_keeps_its_published_names() -> None:
    adapter = importlib.import_module("strands_plan_tool.strands_adapter")
    assert {
        "ALL_TOOLS", "AgentToolInvoker", "PLAN_NUDGE", "WorkflowPlanPlugin", "coerce_plan",
        "resolve_plannable", "unwrap_tool_result",
    } <= set(adapter.__all__)  # fmt: skip
