"""Plans that wait for a person, in the state of their agent.

What is stored has to come back in another process through any session manager, so it is text
that this package wrote: no decoder of theirs looks into it, and no integer loses a digit.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from strands_plan_tool.models import Checkpoint, StepStatus
from strands_plan_tool.strands_adapter.batch import STATE_KEY
from strands_plan_tool.strands_adapter.blocks import Blocks, restored, stored
from strands_plan_tool.strands_adapter.naming import Names
from strands_plan_tool.values import to_json_text

if TYPE_CHECKING:
    from strands import Agent

_PLANS: Final = "plans"
_MEMORY: Final = "memory"

_log = logging.getLogger("strands_plan_tool")


@dataclass(frozen=True, slots=True)
class Told:
    """What the model was told of a plan that has ended.

    Attributes:
        status: ``success`` or ``error``.
        content: The content of the tool result.
    """

    status: str
    content: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PausedPlan:
    """A plan that waits.

    Attributes:
        checkpoint: Where its run stands.
        blocks: Media and texts that results stand for.
        held: Agents used as tools that wait in the middle of a call: the call's tool use id
            by the tool's name.
    """

    checkpoint: dict[str, Any]
    blocks: dict[str, Any]
    held: dict[str, str] = field(default_factory=dict)

    @property
    def done(self) -> list[str]:
        """The ids of the steps that have ended well, in the order of the plan."""
        steps = self.checkpoint.get("steps", {})
        return [id_ for id_, step in steps.items() if step.get("status") == StepStatus.OK]

    @classmethod
    def of(cls, checkpoint: Checkpoint, blocks: Blocks, held: Mapping[str, str]) -> PausedPlan:
        """What there is to keep of a run that has paused."""
        written = checkpoint.model_dump(mode="json", exclude_defaults=True)
        return cls(written, blocks.to_json(), dict(held))


class Pauses:
    """The paused plans of one agent, and what else outlives an interrupt.

    They hang on the agent's state under ``strands_plan_tool``: ``plans``, a text for each
    paused plan by what the ids of its calls begin with, and ``memory``, the text of the turn's
    memory. A plan that has gone on stays there as what the model was told of it until that is
    part of the conversation: if it never becomes that, Strands calls the plan once more, and
    nothing may then run twice.
    """

    def __init__(self) -> None:
        # What the agent's state did not take.
        self._unstored: dict[str, Any] = {}

    def load(self, agent: Agent, names: Names) -> PausedPlan | Told | None:
        """What is kept of a plan; ``None`` if it is none of this very call.

        Raises:
            ValueError: Something is kept that cannot be read.
        """
        text = self._read(agent).get(_PLANS, {}).get(names.calls)
        if text is None:
            return None
        entry = _parsed(text)
        if entry.get("run") != names.run:
            return None
        try:
            if "told" in entry:
                told = entry["told"]
                return Told(told["status"], restored(told["content"]))
            blocks = {"media": entry["media"], "texts": entry["texts"]}
            Checkpoint.model_validate(entry["checkpoint"])
            return PausedPlan(entry["checkpoint"], blocks, entry.get("held", {}))
        except (KeyError, TypeError) as error:
            raise ValueError("it is no paused plan") from error

    def save(self, agent: Agent, names: Names, kept: PausedPlan | Told) -> None:
        """Keep a plan, in place of what was kept of it."""
        everything = self._read(agent)
        plans = {**everything.get(_PLANS, {}), names.calls: _text(names.run, kept)}
        self._write(agent, {**everything, _PLANS: plans})

    def stop(self, agent: Agent, calls: Collection[str]) -> None:
        """Let none of these plans go on that still could."""
        everything = self._read(agent)
        stopped: dict[str, Any] = {}
        for name, text in everything.get(_PLANS, {}).items():
            # What cannot be read does not go on either.
            with suppress(ValueError, KeyError, TypeError):
                entry = _parsed(text) if name in calls else {}
                if "checkpoint" in entry:
                    done = PausedPlan(entry["checkpoint"], {}).done
                    stopped[name] = _text(entry["run"], cancelled(done))
        if stopped:
            self._write(agent, {**everything, _PLANS: {**everything[_PLANS], **stopped}})

    def drop(self, agent: Agent, calls: Collection[str]) -> None:
        """Keep nothing of these plans."""
        everything = self._read(agent)
        plans = everything.get(_PLANS, {})
        left = {name: text for name, text in plans.items() if name not in calls}
        if len(left) < len(plans):
            self._write(agent, {**everything, _PLANS: left})

    def clear(self, agent: Agent) -> None:
        """Keep nothing at all."""
        self._write(agent, {})

    def load_memory(self, agent: Agent) -> dict[str, Any] | None:
        """What ``save_memory`` was given, if anything is kept; no longer kept from then on.

        Raises:
            ValueError: It cannot be read.
        """
        everything = self._read(agent)
        text = everything.pop(_MEMORY, None)
        if text is None:
            return None
        self._write(agent, everything)
        return _parsed(text)

    def save_memory(self, agent: Agent, memory: Mapping[str, Any]) -> None:
        """Keep the memory of a turn that goes on after an interrupt."""
        self._write(agent, {**self._read(agent), _MEMORY: to_json_text(dict(memory))})

    def _read(self, agent: Agent) -> dict[str, Any]:
        kept = self._unstored or agent.state.get(STATE_KEY)
        return dict(kept) if isinstance(kept, dict) else {}

    def _write(self, agent: Agent, everything: dict[str, Any]) -> None:
        everything = {name: kept for name, kept in everything.items() if kept}
        self._unstored = {}
        try:
            if everything:
                agent.state.set(STATE_KEY, everything)
            elif agent.state.get(STATE_KEY) is not None:
                agent.state.delete(STATE_KEY)
        except Exception:
            # Losing the interrupt would be worse than losing the plan with the process.
            self._unstored = everything
            _log.warning(
                "a paused plan cannot be stored in the agent's state: it goes on in this "
                "process only",
                exc_info=True,
            )


def cancelled(done: Collection[str]) -> Told:
    """What a model is told of a plan that was cancelled.

    Args:
        done: The ids of the steps that had ended well.
    """
    ran = f"Ran ok, do not repeat: {', '.join(done)}" if done else "No step had ended."
    return Told("error", [{"text": f"The plan was cancelled. {ran}"}])


def _text(run: str, kept: PausedPlan | Told) -> str:
    entry: dict[str, Any] = {"run": run}
    if isinstance(kept, Told):
        entry["told"] = {"status": kept.status, "content": stored(kept.content)}
    else:
        entry |= {"checkpoint": kept.checkpoint, **kept.blocks}
        entry |= {"held": kept.held} if kept.held else {}
    return to_json_text(entry)


def _parsed(text: Any) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError("it is no JSON text") from error
    if not isinstance(entry, dict):
        raise ValueError("it is no JSON object")
    return entry
