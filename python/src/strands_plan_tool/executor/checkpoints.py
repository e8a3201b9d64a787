"""Where a paused run stands, as plain data, and how a run goes on from it.

A checkpoint holds what cannot be had again: results, ends, counts, time. What follows from
the plan and the results (the list of a ``for_each``, arguments) is read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from strands_plan_tool.executor.faults import Fault
from strands_plan_tool.executor.progress import Call, Progress, milliseconds
from strands_plan_tool.executor.readings import Readings
from strands_plan_tool.models import (
    Checkpoint,
    Code,
    JsonValue,
    StepCheckpoint,
    StepStatus,
    WorkflowPlan,
)
from strands_plan_tool.step_call import StepCall
from strands_plan_tool.values import ValueFault, copy_out, ingest, to_json_text

__all__ = [
    "VERSION",
    "checkpoint_of",
    "plan_hash",
    "read_checkpoint",
    "restore",
    "waiting_calls",
]

VERSION: Final = 1
"""The version of the form that is written and read."""

_NO_CHECKPOINT: Final = "this is no checkpoint: run the plan from its start"
_OTHER_PLAN: Final = "this checkpoint is of another plan: run the plan from its start"


def plan_hash(plan: WorkflowPlan) -> str:
    """Which plan it is: SHA-256, in lower-case hex, of its compact JSON in UTF-8.

    Fields stand in the order of the schema, and one that has its default is left out.
    """
    written = plan.model_dump(mode="json", exclude_defaults=True)
    return hashlib.sha256(to_json_text(written).encode()).hexdigest()


def checkpoint_of(
    plan: WorkflowPlan,
    steps: Sequence[Progress],
    results: Mapping[str, JsonValue],
    given: Mapping[str, JsonValue],
    *,
    run_id: str,
    began: float,
    now: float,
) -> Checkpoint:
    """The checkpoint of a run that has just paused; it shares nothing with the run.

    Args:
        plan: What runs.
        steps: How far its steps are, in document order.
        results: The results of those that are ``ok``.
        given: The run's ``input``.
        run_id: The run's id.
        began: When it began, in seconds of its clock, pauses left out.
        now: The moment of the pause.
    """
    written = {
        progress.step.step.id: _written(progress, results, now)
        for progress in steps
        if progress.status is not None or progress.waiting
    }
    return Checkpoint.model_validate(
        {
            "version": VERSION,
            "plan": plan_hash(plan),
            "run_id": run_id,
            "elapsed_ms": milliseconds(now - began),
            "input": copy_out(given),
            "steps": written,
        }
    )


def waiting_calls(steps: Sequence[Progress]) -> list[StepCall]:
    """The calls that wait for an answer, in document order and by index."""
    return [
        sent
        for progress in steps
        for _, sent in sorted(progress.waiting.items(), key=lambda pair: pair[0].index or 0)
        if sent is not None
    ]


def _written(
    progress: Progress, results: Mapping[str, JsonValue], now: float
) -> dict[str, JsonValue]:
    written: dict[str, Any] = {"reused": progress.reused, "counts": progress.counts}
    if progress.status is not None:
        result = copy_out(results.get(progress.step.step.id))
        return {
            **written,
            "status": progress.status,
            "result": result,
            **_fault(progress.fault),
            "duration_ms": progress.duration_ms,
        }
    waiting = sorted(progress.waiting, key=lambda call: call.index or 0)
    open_indexes = {call.index for call in waiting}
    return {
        **written,
        "duration_ms": milliseconds(
            now - (now if progress.began_at is None else progress.began_at)
        ),
        "items": [
            {
                "index": index,
                "result": copy_out(result),
                **_fault(progress.item_faults.get(index)),
            }
            for index, result in enumerate(progress.results)
            if index not in open_indexes
        ],
        "waiting": [
            {"index": call.index, "attempt": call.attempts + 1, **_fault(call.fault)}
            for call in waiting
        ],
    }


def _fault(fault: Fault | None) -> dict[str, JsonValue]:
    return {} if fault is None else {"code": fault.code, "error": fault.message}


def read_checkpoint(given: Checkpoint | Mapping[str, Any]) -> Checkpoint:
    """A checkpoint as it was written, its values as the run had them.

    Raises:
        TypeError: It is neither a ``Checkpoint`` nor a mapping.
        ValueError: It is no checkpoint.
    """
    if isinstance(given, Checkpoint):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"resume must be a Checkpoint or a mapping, not {type(given).__name__}")
    try:
        return Checkpoint.model_validate(dict(given))
    except ValidationError as error:
        raise ValueError(_NO_CHECKPOINT) from error


def restore(
    checkpoint: Checkpoint,
    plan: WorkflowPlan,
    steps: Sequence[Progress],
    results: dict[str, JsonValue],
    readings: Readings,
) -> None:
    """Put the steps of a run that has not begun where a checkpoint says.

    Args:
        checkpoint: Where they stand.
        plan: What runs.
        steps: The steps in document order.
        results: Where the results of ``ok`` steps go.
        readings: Reads the lists of steps with ``for_each`` again.

    Raises:
        ValueError: The checkpoint is of another plan.
    """
    known = {progress.step.step.id for progress in steps}
    if checkpoint.plan != plan_hash(plan) or not known.issuperset(checkpoint.steps):
        raise ValueError(_OTHER_PLAN)
    half_done: list[tuple[Progress, StepCheckpoint]] = []
    for position, progress in enumerate(steps):
        kept = checkpoint.steps.get(progress.step.step.id)
        if kept is None:
            continue
        progress.reused = kept.reused
        if kept.status is not None:
            _end(progress, kept, results)
            continue
        progress.taken = True
        progress.began_at = -kept.duration_ms / 1000
        for call in kept.waiting:
            fault = _read_fault(call.code, call.error)
            progress.waiting[Call(position, call.index, call.attempt - 1, fault)] = None
        half_done.append((progress, kept))
    # A list is read off results, so that all of these come first.
    for progress, kept in half_done:
        _read_list_again(progress, kept, readings)


def _end(progress: Progress, kept: StepCheckpoint, results: dict[str, JsonValue]) -> None:
    progress.status = kept.status
    progress.fault = _read_fault(kept.code, kept.error)
    progress.began_at, progress.ended_at = 0.0, kept.duration_ms / 1000
    if kept.counts is not None:
        progress.items = [None] * kept.counts.total
        progress.ok, progress.failed = kept.counts.ok, kept.counts.failed
    if kept.status is StepStatus.OK:
        results[progress.step.step.id] = _value(kept.result)


def _read_list_again(progress: Progress, kept: StepCheckpoint, readings: Readings) -> None:
    waiting = [call.index for call in progress.waiting]
    if progress.step.step.for_each is None:
        if waiting != [None] or kept.items:
            raise ValueError(_OTHER_PLAN)
        return
    items = readings.items(progress.step)
    total = None if kept.counts is None else kept.counts.total
    if isinstance(items, Fault) or len(items) != total:
        raise ValueError(_OTHER_PLAN)
    # Each item has ended or waits, and none does both.
    places = [index for index in waiting if index is not None]
    ended = [item.index for item in kept.items]
    fits = places and len(places) == len(waiting)
    if not fits or sorted(places + ended) != [*range(total)]:
        raise ValueError(_OTHER_PLAN)
    progress.items, progress.results = items, [None] * total
    for item in kept.items:
        fault = _read_fault(item.code, item.error)
        if fault is None:
            progress.results[item.index] = _value(item.result)
            progress.ok += 1
        else:
            progress.item_faults[item.index] = fault
            progress.failed += 1
            progress.fault = progress.fault or fault


def _read_fault(code: Code | None, error: str | None) -> Fault | None:
    return None if code is None else Fault(code, error or "")


def _value(value: JsonValue) -> JsonValue:
    """A stored result as it was taken in from its tool."""
    try:
        taken: JsonValue = ingest(value, integers="exact")
    except ValueFault as error:
        raise ValueError(_NO_CHECKPOINT) from error
    return taken
