"""What a model reads of a run, and of a plan that was refused.

A model pays for each word and may act on it, so it reads the values as they are and what
did not go well, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from strands_plan_tool.models import (
    Code,
    Diagnostic,
    JsonValue,
    PlanResult,
    StepOutcome,
    StepStatus,
    WorkflowPlan,
)
from strands_plan_tool.values import to_json_text

__all__ = [
    "closing_message",
    "in_short",
    "on_one_line",
    "render_diagnostics",
    "render_for_model",
]

_LEFT_OUT: Final = f"{Code.RESULT_TOO_LARGE.value}:"
_LONGEST: Final = 1000
_BLANKS: Final = re.compile(r"\s+")
_LINE_END: Final = re.compile("[\n-\r\x1c-\x1e\x85\u2028\u2029]")


def render_for_model(
    result: PlanResult, plan: WorkflowPlan, *, remembered: Collection[str] = ()
) -> str:
    """What a model reads of a run.

    Args:
        result: How it went.
        plan: What was asked for.
        remembered: The ids of steps whose results a corrected plan takes over, if it has
            them unchanged.

    Returns:
        The values first, each on a line of its own: the returned results as one object by
        step id, in ``returns`` order, and ``output``, text as it is, anything else as compact
        JSON. Then a line for each step that is not ``ok`` or has failed items, for an output
        that failed and for each value left out; and, where a step failed or was skipped, one
        that names the steps not to repeat, and one that names those that are kept.
    """
    returned = _in_order(result, plan)
    lines: list[str] = []
    if returned:
        lines.append(to_json_text(returned))
    if result.has_output:
        lines.append(_text(result.output))
    lines += [line for entry in result.ledger if (line := _line(entry))]
    if (error := result.output_error) is not None:
        lines.append(f"output failed ({error.code}): {in_short(error.message)}")
    # Repairs of the plan's form are noted too, and are nothing that a model has to act on.
    lines += [note for note in result.notes if note.startswith(_LEFT_OUT)]
    if any(entry.status in (StepStatus.FAILED, StepStatus.SKIPPED) for entry in result.ledger):
        ran = [entry.id for entry in result.ledger if entry.status is StepStatus.OK]
        kept = [id_ for id_ in ran if id_ in remembered]
        gone = [id_ for id_ in ran if id_ not in remembered]
        if gone:
            lines.append(f"Ran ok, do not repeat: {', '.join(gone)}")
        if kept:
            lines.append(f"Ran ok, kept for a corrected plan: {', '.join(kept)}")
    return "\n".join(lines)


def closing_message(result: PlanResult, plan: WorkflowPlan) -> str:
    """The message that ends a turn: ``output`` if there is one, else what is returned.

    Returns:
        A text output as it is; anything else as compact JSON, results in ``returns`` order.
    """
    return _text(result.output) if result.has_output else to_json_text(_in_order(result, plan))


def render_diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    """What a model reads of a refused plan: every problem, with the edit that mends it."""
    lines = [
        f"{problem.path or 'the plan'}: {problem.message}; {problem.hint} ({problem.code})"
        for problem in diagnostics
    ]
    head = "The plan was refused and nothing ran. Make every edit below and submit it again."
    return "\n".join([head, *lines])


def _in_order(result: PlanResult, plan: WorkflowPlan) -> dict[str, JsonValue]:
    return {id_: result.returned[id_] for id_ in plan.returns if id_ in result.returned}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else to_json_text(value)


def _line(entry: StepOutcome) -> str | None:
    match entry.status:
        case StepStatus.FAILED:
            said = in_short(entry.error or "")
            return f"{entry.id} failed ({entry.code}): {said}{_counts(entry)}"
        case StepStatus.SKIPPED:
            return f"{entry.id} skipped{_counts(entry)}"
        case StepStatus.NOT_TAKEN:
            return f"{entry.id} not taken"
    if entry.items is None or not entry.items.failed:
        return None
    failed = f"{entry.items.failed} of {entry.items.total} items failed, null in its result"
    return f"{entry.id}: {failed}" + (f": {in_short(entry.error)}" if entry.error else "")


def on_one_line(text: str) -> str:
    """A text whose white space with a line break in it is one space each.

    What a tool or a plan says must not look like a line of ours.
    """
    return _BLANKS.sub(lambda found: " " if _LINE_END.search(found[0]) else found[0], text)


def in_short(text: str) -> str:
    """A text on one line, of which at most 1,000 characters are shown."""
    flat = on_one_line(text)
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


def _counts(entry: StepOutcome) -> str:
    """How far a step with items came, where some of its calls did run."""
    if entry.items is None or not entry.items.ok:
        return ""
    return f" ({entry.items.ok} of {entry.items.total} items ran ok)"
