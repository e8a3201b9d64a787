"""What a run gives back: the ledger, what was asked for, and how much of it fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import TypeAdapter

from strands_plan_tool._base import FromList
from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.executor.faults import Fault
from strands_plan_tool.executor.progress import Progress
from strands_plan_tool.executor.readings import Readings
from strands_plan_tool.models import (
    Code,
    JsonValue,
    OutputError,
    PlanResult,
    Policy,
    StepOutcome,
    StepStatus,
)
from strands_plan_tool.validate import CheckedPlan
from strands_plan_tool.values import copy_out, json_size

__all__ = ["compose", "ledger_of"]

_WELL = {StepStatus.OK, StepStatus.NOT_TAKEN}
# All entries at once are made in a fraction of the time.
_LEDGER: Final = TypeAdapter(Annotated[tuple[StepOutcome, ...], FromList])


def compose(
    plan: CheckedPlan,
    steps: Sequence[Progress],
    results: dict[str, JsonValue],
    readings: Readings,
) -> PlanResult:
    """The result of a run whose every step has ended.

    Args:
        plan: The plan that ran.
        steps: How its steps ended, in document order.
        results: The results of those that are ``ok``.
        readings: What evaluates ``output``, which happens here and once.
    """
    room = _Room(plan.policy)
    sent: dict[str, Any] = {}
    output_error = None
    if plan.plan.output is not None:
        output = readings.output()
        if isinstance(output, Fault):
            output_error = OutputError(code=output.code, message=output.message)
        elif room.takes(output, "the output"):
            sent = {"output": output, "has_output": True}
    returned = {
        step_id: copy_out(results[step_id])
        for step_id in dict.fromkeys(plan.plan.returns)
        if step_id in results
        and room.takes(results[step_id], f"the result of step {quoted(step_id)}")
    }
    ledger = ledger_of(steps)
    went_well = all(o.status in _WELL and not (o.items and o.items.failed) for o in ledger)
    levels = len(plan.levels)
    return PlanResult(
        returned=returned,
        ledger=ledger,
        levels=levels,
        inference_passes_saved=max(levels - 1, 0),
        final=plan.plan.final,
        output_error=output_error,
        ends_turn=(
            plan.plan.final
            and went_well
            and output_error is None
            and not room.left_out
            and bool(sent or returned)
        ),
        notes=(*plan.notes, *room.left_out),
        **sent,
    )


def ledger_of(steps: Sequence[Progress]) -> tuple[StepOutcome, ...]:
    """How each step ended, by level and within one in document order."""
    entries = []
    for progress in sorted(steps, key=lambda progress: progress.step.level):
        step, fault = progress.step, progress.fault
        entries.append(
            {
                "id": step.step.id,
                "tool": step.step.tool,
                "status": progress.status or StepStatus.SKIPPED,
                "level": step.level,
                "duration_ms": progress.duration_ms,
                "error": None if fault is None else fault.message,
                "code": None if fault is None else fault.code,
                "items": progress.counts,
                "reused": progress.reused,
            }
        )
    return _LEDGER.validate_python(entries)


class _Room:
    """How much of what goes back still fits, and what was left out for it."""

    def __init__(self, policy: Policy) -> None:
        self._limit = policy.max_output_bytes
        self._used = 0
        self.left_out: list[str] = []

    def takes(self, value: JsonValue, name: str) -> bool:
        """Whether a value still fits; one that does not takes no room."""
        size = json_size(value)
        if self._used + size <= self._limit:
            self._used += size
            return True
        taken = f" of which {self._used} are taken" if self._used else ""
        self.left_out.append(
            f"{Code.RESULT_TOO_LARGE.value}: {name} is {size} bytes of JSON and is left out; "
            f"max_output_bytes is {self._limit}{taken}. "
            "Return less, for example by an `output` that picks what is needed"
        )
        return False
