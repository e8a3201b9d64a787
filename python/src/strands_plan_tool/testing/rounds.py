"""One run of the conformance suite, with all its pauses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from strands_plan_tool.errors import PlanPaused
from strands_plan_tool.executor import execute_plan
from strands_plan_tool.memory import CallMemory, Remembered
from strands_plan_tool.models import PlanResult, Policy
from strands_plan_tool.testing.clock import VirtualClock
from strands_plan_tool.testing.recording import Recorder
from strands_plan_tool.testing.tools import StubTools, call_name

__all__ = ["Rounds", "run_rounds"]

# What goes by between a pause and the answer; nothing of a run may count it.
_PAUSE_S: Final = 3600


@dataclass(slots=True)
class Rounds:
    """What happened in a run, over all its rounds.

    Attributes:
        tools: The stub tools, with every attempt.
        recorder: Every event.
        result: How it ended; ``None`` if it was cancelled, or is still paused.
        cancelled: Whether it was cancelled.
        pauses: What waited at each pause, by the names of the calls.
        checkpoints: Where it stood at each, as JSON.
        memory: What is noted at the end, if there is a memory.
    """

    tools: StubTools
    recorder: Recorder
    result: PlanResult | None = None
    cancelled: bool = False
    pauses: list[list[str]] = field(default_factory=list)
    checkpoints: list[dict[str, Any]] = field(default_factory=list)
    memory: tuple[Remembered, ...] | None = None


def run_rounds(given: Mapping[str, Any]) -> Rounds:
    """Run a plan on virtual time, and again from each pause while there are answers.

    Args:
        given: A command or a case: ``plan`` or ``plan_text``, ``tools``, ``policy``,
            ``input``, ``run_id``, ``cancel_at_ms``, ``answers``, ``memory``.

    Raises:
        PlanError: The plan is refused.
    """
    clock = VirtualClock()
    seen = Rounds(StubTools(given.get("tools", {}), clock=clock), Recorder())
    clock.run(_run(given, seen, clock))
    return seen


async def _run(given: Mapping[str, Any], seen: Rounds, clock: VirtualClock) -> None:
    checkpoint: dict[str, Any] | None = None
    memory: CallMemory | None = None
    if "memory" in given:
        memory = CallMemory.from_json({"available": given["memory"]})
    for answers in [{}, *given.get("answers", ())]:
        seen.tools.answers = dict(answers)
        try:
            seen.result = await _round(given, seen, clock, checkpoint, memory)
        except asyncio.CancelledError:
            seen.cancelled = True
        except PlanPaused as paused:
            seen.pauses.append([call_name(call) for call in paused.waiting])
            written = paused.checkpoint.model_dump(mode="json", exclude_defaults=True)
            seen.checkpoints.append(written)
            # Whoever answers may be another process, much later.
            checkpoint = json.loads(json.dumps(written))
            if memory is not None:
                memory = CallMemory.from_json(json.loads(json.dumps(memory.to_json())))
            await clock.sleep(_PAUSE_S)
            continue
        break
    seen.memory = None if memory is None else memory.pending


async def _round(
    given: Mapping[str, Any],
    seen: Rounds,
    clock: VirtualClock,
    checkpoint: dict[str, Any] | None,
    memory: CallMemory | None,
) -> PlanResult:
    running = asyncio.ensure_future(
        execute_plan(
            given["plan"] if "plan" in given else given["plan_text"],
            seen.tools,
            policy=Policy.model_validate(given.get("policy", {})),
            tools=seen.tools.infos if "tools" in given else None,
            input=given.get("input"),
            run_id=given.get("run_id", "run"),
            on_event=seen.recorder,
            clock=clock,
            resume=checkpoint,
            memory=memory,
        )
    )
    if "cancel_at_ms" in given:
        elapsed = 0 if checkpoint is None else checkpoint["elapsed_ms"]
        await clock.sleep((given["cancel_at_ms"] - elapsed) / 1000)
        running.cancel()
    return await running
