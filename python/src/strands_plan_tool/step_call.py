"""One attempt of one call, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from strands_plan_tool.models import JsonValue

__all__ = ["StepCall"]


@dataclass(slots=True, kw_only=True)
class StepCall:
    """One attempt of one call: everything that a runner of tools needs, as plain data.

    Attributes:
        run_id: The run that it belongs to.
        step_id: The step of the plan.
        index: The item's place in the ``for_each`` list, from 0; ``None`` without one.
        attempt: Which attempt of this call, from 1; that of a call that waited for an
            answer is the same when it is made again.
        key: The same for every attempt of this call, and for the same call of a resumed
            run: see ``call_key``.
        tool: The tool's name.
        args: Its arguments, made for this attempt alone: the tool may change them.
    """

    run_id: str
    step_id: str
    index: int | None
    attempt: int
    key: str
    tool: str
    args: dict[str, JsonValue]
