"""What the plans of one batch of tool calls keep while the batch runs.

It hangs on the invocation state, which Strands hands to every hook and tool of that
invocation, so that one plugin instance can serve several agents at once. Several agents may
share one state, at one time or one inside the other, as an agent does that a tool calls with
the state it was given itself; so each agent has notes of its own there.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from strands.hooks import AfterToolCallEvent, AfterToolsEvent, BeforeToolCallEvent

from strands_plan_tool.strands_adapter.spec import TOOL_NAME

STATE_KEY: Final = "strands_plan_tool"
"""Where in the invocation state the notes are, by agent; gone once nobody needs them."""

BEFORE_OFFLOADING: Final = -1
"""The order of a hook that is to see results reviewed, and not yet moved out of the context."""


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
class Ending:
    """How one plan call ended, for the hook that runs after the whole batch.

    Attributes:
        plan_id: The tool use id of the plan call.
        calls: What the tool use ids of its steps begin with.
        told: The text that the model is to read of the plan.
        closing: The message that ends the turn, if the plan may end it.
        raised: What a hook of the user's raised during a step.
    """

    plan_id: str
    calls: str
    told: str | None = None
    closing: str | None = None
    raised: Exception | None = None

    def closing_for(self, result: dict[str, Any]) -> str | None:
        """The message that ends the turn, if the conversation gets the result as it was made.

        What changes the result (a redaction, a review that withholds it) has not seen the
        closing message, which says the same.
        """
        made = [{"text": self.told}]
        as_made = result.get("status") == "success" and result.get("content") == made
        return self.closing if as_made else None


@dataclass(frozen=True, slots=True)
class Held:
    """A call in the middle of which an agent that is used as a tool waits for an answer.

    It takes no other call meanwhile.

    Attributes:
        tool: The tool's name.
        call: The tool use id of the call.
        asked: The ids of the interrupts that it waits for.
    """

    tool: str
    call: str
    asked: tuple[str, ...]


@dataclass(slots=True)
class Batch:
    """The notes of one batch of one agent.

    Attributes:
        endings: By the id that the plan's run calls itself by.
        seen: By the tool use id of a step that runs.
        locks: By the identity of an agent that is used as a tool: it takes one call at a time.
        held: By the identity of an agent that is used as a tool, if it waits.
        users: How many hold these notes open.
        is_awaited: Whether the hook after the batch is still to come.
    """

    endings: dict[str, Ending] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    locks: dict[int, asyncio.Lock] = field(default_factory=dict)
    held: dict[int, Held] = field(default_factory=dict)
    users: int = 0
    is_awaited: bool = False


@contextlib.contextmanager
def batch_of(agent: object, invocation_state: MutableMapping[str, Any]) -> Iterator[Batch]:
    """The notes of an agent's batch; if there are none, new ones that last for the block."""
    batch = _opened(agent, invocation_state)
    batch.users += 1
    try:
        yield batch
    finally:
        batch.users -= 1
        _drop_unused(agent, invocation_state)


def await_end(event: BeforeToolCallEvent[Any]) -> None:
    """A hook before all others: keep notes from a plan call to the end of its batch.

    They are begun here since a middleware may hand the plan tool a copy of the state: it then
    copies the place of the notes.
    """
    if event.tool_use["name"] == TOOL_NAME:
        _opened(event.agent, event.invocation_state).is_awaited = True


def endings_of(event: AfterToolsEvent) -> list[Ending]:
    """How the plans of a batch that is over ended; nothing is kept of them any longer."""
    batch = _found(event.agent, event.invocation_state)
    if batch is None:
        return []
    ids = {str(result["toolUseId"]) for result in results_of(event)}
    ended = {key: ending for key, ending in batch.endings.items() if ending.plan_id in ids}
    # Plans that wait begin again, when the batch goes on.
    batch.endings.clear()
    batch.is_awaited = False
    _drop_unused(event.agent, event.invocation_state)
    return list(ended.values())


def results_of(event: AfterToolsEvent) -> list[dict[str, Any]]:
    """The tool results that go into the conversation."""
    content = event.message["content"]
    return [{**block["toolResult"]} for block in content if "toolResult" in block]


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


def _opened(agent: object, invocation_state: MutableMapping[str, Any]) -> Batch:
    notes = invocation_state.get(STATE_KEY)
    if not isinstance(notes, dict):
        notes = invocation_state[STATE_KEY] = {}
    batch: Batch = notes.setdefault(id(agent), Batch())
    return batch


def _found(agent: object, invocation_state: MutableMapping[str, Any]) -> Batch | None:
    notes = invocation_state.get(STATE_KEY)
    return notes.get(id(agent)) if isinstance(notes, dict) else None


def _drop_unused(agent: object, invocation_state: MutableMapping[str, Any]) -> None:
    notes = invocation_state.get(STATE_KEY)
    if not isinstance(notes, dict):
        return
    batch = notes.get(id(agent))
    if batch is not None and not batch.users and not batch.is_awaited:
        del notes[id(agent)]
    if not notes:
        del invocation_state[STATE_KEY]


def _seen(event: AfterToolCallEvent[Any]) -> Seen | None:
    batch = _found(event.agent, event.invocation_state)
    return None if batch is None else batch.seen.get(str(event.tool_use.get("toolUseId")))


def _is_offloaded(result: dict[str, Any]) -> bool:
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    return (
        isinstance(text, str)
        and text.startswith("[Offloaded: ")
        and "[Stored references:]" in text
    )
