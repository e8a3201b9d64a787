"""What the plans of one batch of tool calls keep while the batch runs.

It hangs on the invocation state, which Strands hands to every hook and tool of that
invocation, so that one plugin instance can serve several agents at once.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from strands.hooks import AfterToolCallEvent

STATE_KEY: Final = "strands_plan_tool"
"""Where in the invocation state a batch keeps its notes; gone once the batch has ended."""

BEFORE_OFFLOADING: Final = -1
"""The order of a hook that is to see results reviewed, and not yet moved out of the context."""


@dataclass(slots=True)
class Ending:
    """How one plan call ended, for the hook that runs after the whole batch.

    Attributes:
        closing: The message that ends the turn, if the plan may end it.
        raised: What a hook of the user's raised during a step.
    """

    closing: str | None = None
    raised: Exception | None = None


@dataclass(slots=True)
class Seen:
    """What the hooks saw of one step's result.

    Attributes:
        given: The content as the tool gave it, where it came with structured content.
        reviewed: The result as interventions and early hooks left it.
    """

    given: Any = None
    reviewed: dict[str, Any] | None = None


@dataclass(slots=True)
class Batch:
    """The notes of one batch.

    Attributes:
        endings: By the tool use id of a plan call.
        seen: By the tool use id of a step that runs.
        locks: By the identity of an agent that is used as a tool: it takes one call at a time.
    """

    endings: dict[str, Ending] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    locks: dict[int, asyncio.Lock] = field(default_factory=dict)

    @classmethod
    def of(cls, invocation_state: MutableMapping[str, Any]) -> Batch:
        """The notes of the batch that an invocation state belongs to, new if there are none."""
        batch = invocation_state.get(STATE_KEY)
        if not isinstance(batch, Batch):
            batch = invocation_state[STATE_KEY] = Batch()
        return batch


def note_given(event: AfterToolCallEvent[Any]) -> None:
    """A hook before all others: remember the content that structured content came with."""
    seen = _seen(event)
    if seen is not None:
        structured = event.result.get("structuredContent") is not None
        seen.given = copy.deepcopy(event.result.get("content")) if structured else None


def note_reviewed(event: AfterToolCallEvent[Any]) -> None:
    """A hook ``BEFORE_OFFLOADING``: remember the result that a plan computes with."""
    seen = _seen(event)
    if seen is not None:
        seen.reviewed = {**event.result}


def result_for_plan(result: dict[str, Any], seen: Seen) -> dict[str, Any]:
    """The result that a step's value is read from.

    A context offloader leaves a preview in place of a long result: right for a model, and no
    value that a plan could bind. A hook that rewrites the content of a result (a redaction)
    means all of it, so structured content that says the same unredacted is dropped.
    """
    if _is_offloaded(result) and seen.reviewed is not None:
        result = seen.reviewed
    if seen.given is not None and result.get("content") != seen.given:
        return {name: part for name, part in result.items() if name != "structuredContent"}
    return result


def _seen(event: AfterToolCallEvent[Any]) -> Seen | None:
    batch = event.invocation_state.get(STATE_KEY)
    if not isinstance(batch, Batch):
        return None
    return batch.seen.get(str(event.tool_use.get("toolUseId")))


def _is_offloaded(result: dict[str, Any]) -> bool:
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    return (
        isinstance(text, str)
        and text.startswith("[Offloaded: ")
        and "[Stored references:]" in text
    )
