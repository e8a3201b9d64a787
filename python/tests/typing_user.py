"""Code as a user writes it: the type checker accepts it, and it runs.

Each ``type: ignore`` marks what must not pass; the checker says so if it does.
"""

from __future__ import annotations

from typing import Any

from strands_plan_tool.models import (
    Code,
    Diagnostic,
    Effect,
    ItemCounts,
    Join,
    JsonValue,
    OnError,
    OutputError,
    PlanResult,
    PlanStep,
    Policy,
    Retry,
    StepId,
    StepOutcome,
    StepStatus,
    WorkflowPlan,
)


def lists_and_strings() -> WorkflowPlan:
    """A list stands for a tuple, a string for an enum."""
    step = PlanStep(id="a", tool="t", after=["x"])
    last = PlanStep(id="b", tool="t", bind={"x": "steps.a.x"}, when=None, join="any")
    return WorkflowPlan(steps=[step, last], returns=["a"], on_error="continue")


def tuples_and_members() -> WorkflowPlan:
    """What is stored may be given as it is stored."""
    step = PlanStep(id="a", tool="t", after=("x",), join=Join.ANY)
    return WorkflowPlan(steps=(step,), returns=("a",), on_error=OnError.CONTINUE)


def variables(ids: list[str], word: str, args: dict[str, Any]) -> WorkflowPlan:
    """Values whose types are known only roughly pass too."""
    steps = [PlanStep(id=id_, tool="t", args=args, join=word) for id_ in ids]
    return WorkflowPlan(steps=steps, returns=ids)


def stored_types(plan: WorkflowPlan) -> tuple[StepId, ...]:
    """A field reads as what it is stored as."""
    ids: tuple[str, ...] = plan.returns
    steps: tuple[PlanStep, ...] = plan.steps
    policy: OnError = plan.on_error
    condition: str | None = steps[0].when
    args: dict[str, JsonValue] = steps[0].args
    return ids if policy is OnError.CONTINUE and condition is None and args == {} else ()


def results() -> PlanResult:
    """What the engine hands back can be made by hand, for a test of one's own."""
    entry = StepOutcome(
        id="a",
        tool="t",
        status="failed",
        level=0,
        duration_ms=1,
        error="no",
        code=Code.TOOL_FAILED,
        items=ItemCounts(total=2, ok=0, failed=2),
    )
    plain = StepOutcome(id="b", tool="t", status=StepStatus.OK, level=0, duration_ms=1.5)
    return PlanResult(
        returned={"b": {"x": [1, None]}},
        ledger=[entry, plain],
        levels=1,
        inference_passes_saved=0,
        output_error=OutputError(code="no_value", message="nothing"),
        notes=["a note"],
    )


def policy(effects: dict[str, str]) -> Policy:
    """Words in a map may be plain strings or members, or both in one that is written out."""
    mixed = Policy(effects={"get_*": "read", "send": Effect.WRITE})
    return Policy(
        retry={"get_*": Retry(attempts=3, backoff_s=1)},
        effects={**effects, **mixed.effects},
        integers="exact",
        step_timeout_s=2,
    )


def diagnostic() -> Diagnostic:
    """A code may be written as its text."""
    return Diagnostic(code="cycle", path="/steps/0", message="m", hint="h")


def refused() -> list[Any]:
    """What is refused when it runs is refused by the checker as well."""
    return [
        lambda: PlanStep(id="a", tool="t", after={"x"}),  # type: ignore[arg-type]
        lambda: PlanStep(id="a", tool="t", after="x"),  # type: ignore[arg-type]
        lambda: PlanStep(id="a", tool="t", args=None),  # type: ignore[arg-type]
        lambda: PlanStep(id="a", tool="t", join=None),  # type: ignore[arg-type]
        lambda: PlanStep(id="a", tool="t", depends_on=["x"]),  # type: ignore[call-arg]
        lambda: PlanStep(tool="t"),  # type: ignore[call-arg]
        lambda: WorkflowPlan(steps=[], returns=None),  # type: ignore[arg-type]
        lambda: Retry(attempts="1"),  # type: ignore[arg-type]
        lambda: Policy(max_steps=1.5),  # type: ignore[arg-type]
    ]
