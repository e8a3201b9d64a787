"""What an agent has asked people, which Strands calls its interrupts.

They are read from a snapshot, which is public. Strands has no public call that takes one back,
so where that is tried, nothing depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from strands.interrupt import Interrupt

if TYPE_CHECKING:
    from strands import Agent


def is_interrupted(agent: Agent) -> bool:
    """Whether an agent waits for answers, or is being resumed with some."""
    return bool(_state_of(agent)["activated"])


def answer_to(agent: Agent, id_: str) -> Any:
    """What was answered to a question of an agent that waits; None if nothing was."""
    question = _asked_by(agent).get(id_)
    return None if question is None else question["response"]


def named(agent: Agent, ids: Collection[str]) -> list[Interrupt]:
    """The questions of an agent that have one of these ids."""
    asked = _state_of(agent)["interrupts"]
    return [Interrupt(i, asked[i]["name"], asked[i]["reason"]) for i in asked if i in ids]


def waits_within(agent: Agent, calls: str) -> bool:
    """Whether an agent waits for the answer to what a step of a plan asked.

    Args:
        agent: The agent.
        calls: What the tool use ids of the plan's steps begin with.
    """
    # v1:<kind>:<tool use id>:...; that of a sub-agent's question is quoted.
    step = re.compile(rf"v1:\w+:(?:{re.escape(calls)}|{re.escape(quote(calls, safe=''))})__")
    return any(step.match(id_) for id_ in _asked_by(agent))


def take_back(agent: Agent, ids: Collection[str]) -> None:
    """Ask no longer what nobody will be asked; an agent that waits keeps all it asked."""
    kept = _kept_by(agent)
    if kept is not None and not kept.activated:
        for id_ in ids:
            kept.interrupts.pop(id_, None)


def waits_as_tool(tool: Any) -> bool:
    """Whether the agent that a tool stands for waits in the middle of a call."""
    kept = _kept_by(getattr(tool, "agent", None))
    return kept is not None and bool(kept.activated)


def release(tool: Any) -> None:
    """Let the agent that a tool stands for be called again, though nobody answered it."""
    if waits_as_tool(tool):
        _kept_by(tool.agent).deactivate()


def _state_of(agent: Agent) -> Mapping[str, Any]:
    state: Mapping[str, Any] = agent.take_snapshot(include=["interrupt_state"]).data[
        "interrupt_state"
    ]
    return state


def _asked_by(agent: Agent) -> Mapping[str, Any]:
    state = _state_of(agent)
    asked: Mapping[str, Any] = state["interrupts"] if state["activated"] else {}
    return asked


def _kept_by(agent: Any) -> Any:
    return getattr(agent, "_interrupt_state", None)
