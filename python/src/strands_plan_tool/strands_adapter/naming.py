"""What a plan's run is called, so that no two runs are called the same."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from strands_plan_tool.strands_adapter.batch import Batch

if TYPE_CHECKING:
    from strands import Agent


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one plan's run.

    Attributes:
        calls: What the tool use ids of its steps begin with, before ``__``; no two plans of a
            turn give two steps one id.
        run: Names the run in keys and events; differs between all runs.
        can_return: Whether the call is part of a conversation, so that Strands may make it
            again after an interrupt.
        result: The tool result that the conversation already has for the call.
    """

    calls: str
    run: str
    can_return: bool
    result: Mapping[str, Any] | None = None


def names_of(agent: Agent, plan_id: str, batch: Batch) -> Names:
    """The names of the run that a plan call begins.

    A tool use id says too little by itself: some providers make it of the tool's name, so it
    comes again in the next turn, and two calls of one message may share it. What tells the
    turns of all conversations apart is the ``tracking_id`` of the message that holds the
    call, which Strands keeps with the conversation: so a run is called
    ``<tracking id>/<tool use id>``, and the same again when the turn is taken up later, in
    another process even. Calls that share an id within a message are told apart in the order
    in which they begin: ``-2`` is put behind the id of the second.

    Args:
        agent: Whose conversation holds the call. A direct call is in none, so nothing can
            take it up later, and its run gets a name by chance.
        plan_id: The tool use id of the call.
        batch: The notes of the call's batch.
    """
    place = _place_of(agent, plan_id)
    begun = sum(ending.plan_id == plan_id for ending in batch.endings.values())
    called = f"{plan_id}-{begun + 1}" if begun and place.alike > 1 else plan_id
    return Names(
        calls=_before_steps(called),
        run=f"{place.turn or uuid.uuid4()}/{called}",
        can_return=place.turn is not None,
        result=place.results[begun] if begun < len(place.results) else None,
    )


def _before_steps(called: str) -> str:
    """What no step's id can be taken for a part of, once ``__`` stands between them."""
    # An id of a step has no dot: where the first "__" is not the place, the last dot is.
    return f"{called}." if "__" in called or called.endswith(".") else called


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a call stands in a conversation.

    Attributes:
        turn: The tracking id of the latest message that holds it.
        alike: How many calls of that message share its id.
        results: What the messages after that hold as results of it.
    """

    turn: str | None = None
    alike: int = 0
    results: tuple[Mapping[str, Any], ...] = ()


def _place_of(agent: Agent, plan_id: str) -> _Place:
    results: list[Mapping[str, Any]] = []
    for message in reversed(agent.messages):
        blocks = message["content"]
        uses = [block["toolUse"] for block in blocks if "toolUse" in block]
        alike = sum(use["toolUseId"] == plan_id for use in uses)
        if alike:
            return _Place(message.get("tracking_id"), alike, tuple(results))
        told = [block["toolResult"] for block in blocks if "toolResult" in block]
        results = [result for result in told if result["toolUseId"] == plan_id] + results
    return _Place()
