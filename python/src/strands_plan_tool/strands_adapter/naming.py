"""What a plan's run is called, so that no two runs are called the same."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strands_plan_tool.strands_adapter.batch import Batch

if TYPE_CHECKING:
    from strands import Agent


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one plan's run.

    Attributes:
        calls: What the tool use ids of its steps begin with; differs between the plans that
            run in one turn.
        run: Names the run in keys and events; differs between all runs.
        can_return: Whether the call is part of a conversation, so that Strands may make it
            again after an interrupt.
    """

    calls: str
    run: str
    can_return: bool


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
    turn, alike = _place_of(agent, plan_id)
    begun = sum(ending.plan_id == plan_id for ending in batch.endings.values())
    calls = f"{plan_id}-{begun + 1}" if begun and alike > 1 else plan_id
    return Names(
        calls=calls, run=f"{turn or uuid.uuid4()}/{calls}", can_return=turn is not None
    )


def _place_of(agent: Agent, plan_id: str) -> tuple[str | None, int]:
    """The tracking id of the latest message that holds a call, and how many share its id."""
    for message in reversed(agent.messages):
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        alike = sum(use["toolUseId"] == plan_id for use in uses)
        if alike:
            return message.get("tracking_id"), alike
    return None, 0
