"""Plans that wait for a person, in the state of their agent.

What is stored has to come back in another process through any session manager, so it is text
that this package wrote: no decoder of theirs looks into it, and no integer loses a digit.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from strands_plan_tool.models import Checkpoint, StepStatus
from strands_plan_tool.strands_adapter.batch import STATE_KEY, Held
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
        held: The calls in the middle of which agents that are used as tools wait.
    """

    checkpoint: dict[str, Any]
    blocks: dict[str, Any]
    held: tuple[Held, ...] = ()

    @property
    def done(self) -> list[str]:
        """The ids of the steps that have ended well, in the order of the plan."""
        steps = self.checkpoint.get("steps", {})
        return [id_ for id_, step in steps.items() if step.get("status") == StepStatus.OK]

    @classmethod
    def of(cls, checkpoint: Checkpoint, blocks: Blocks, held: Iterable[Held]) -> PausedPlan:
        """What there is to keep of a run that has paused."""
        written = checkpoint.model_dump(mode="json", exclude_defaults=True)
        return cls(written, blocks.to_json(), tuple(held))


class Pauses:
    """The paused plans of one agent, and what else outlives an interrupt.

    They hang on the agent's state under ``strands_plan_tool``: ``plans``, a text for each
    paused plan by what the ids of its calls begin with, and ``memory``, the text of the turn's
    memory. A plan that began or went on in an agent that is being resumed stays there as what
    the model was told of it until that is part of the conversation: if it never becomes that,
    Strands calls the plan once more, and nothing may then run twice.
    """

    def __init__(self) -> None:
        # What the agent's state did not take.
        self._unstored: dict[str, Any] = {}
        # What was told of plans that began in an agent that waited for nobody.
        self._aside: dict[str, tuple[Names, Told]] = {}

    def load(self, agent: Agent, names: Names) -> PausedPlan | Told | None:
        """What is kept of a plan; ``None`` if it is none of this very call.

        Raises:
            ValueError: Something is kept that cannot be read.
        """
        plans = self._read(agent).get(_PLANS, {})
        if not isinstance(plans, dict):
            raise ValueError("it is no object of plans")
        text = plans.get(names.calls)
        if text is None:
            return None
        entry = _parsed(text)
        if entry.get("run") != names.run:
            return None
        if "told" in entry:
            return _told(entry["told"])
        paused = _paused(entry)
        Blocks().restore(paused.blocks)
        return paused

    def held(self, agent: Agent) -> list[Held]:
        """The calls, of any plan that waits, in the middle of which agents wait."""
        found: list[Held] = []
        for text in self._plans(agent).values():
            with suppress(ValueError):
                found += _paused(_parsed(text)).held
        return found

    def save(self, agent: Agent, names: Names, kept: PausedPlan | Told) -> None:
        """Keep a plan, in place of what was kept of it."""
        plans = {**self._plans(agent), names.calls: _text(names.run, kept)}
        self._write(agent, {**self._read(agent), _PLANS: plans})

    def put_aside(self, names: Names, told: Told) -> None:
        """Keep what is told of a plan for ``keep_aside``; a plan that is told is dropped."""
        self._aside[names.calls] = names, told

    def keep_aside(self, agent: Agent) -> None:
        """Keep what was put aside: the agent waits, so the calls may be made again."""
        for names, told in self._aside.values():
            self.save(agent, names, told)
        self._aside.clear()

    def stop(self, agent: Agent, calls: Collection[str]) -> None:
        """Let none of these plans go on that still could."""
        plans = self._plans(agent)
        stopped: dict[str, Any] = {}
        for name in plans.keys() & set(calls):
            # What cannot be read does not go on either.
            with suppress(ValueError, KeyError):
                entry = _parsed(plans[name])
                stopped[name] = _text(entry["run"], cancelled(_paused(entry).done))
        if stopped:
            self._write(agent, {**self._read(agent), _PLANS: {**plans, **stopped}})

    def drop(self, agent: Agent, calls: Collection[str]) -> None:
        """Keep nothing of these plans."""
        for name in calls:
            self._aside.pop(name, None)
        plans = self._plans(agent)
        left = {name: text for name, text in plans.items() if name not in calls}
        if len(left) < len(plans):
            self._write(agent, {**self._read(agent), _PLANS: left})

    def clear(self, agent: Agent) -> None:
        """Keep nothing at all."""
        self._aside.clear()
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

    def _plans(self, agent: Agent) -> dict[str, Any]:
        plans = self._read(agent).get(_PLANS)
        return plans if isinstance(plans, dict) else {}

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
    ran = ran_ok(done) if done else "No step had ended."
    return Told("error", [{"text": f"The plan was cancelled. {ran}"}])


def ran_ok(done: Collection[str]) -> str:
    """What a model is told of the steps that had ended well, of which there are some."""
    return f"Ran ok, do not repeat: {', '.join(done)}"


def _text(run: str, kept: PausedPlan | Told) -> str:
    entry: dict[str, Any] = {"run": run}
    if isinstance(kept, Told):
        entry["told"] = {"status": kept.status, "content": stored(kept.content)}
    else:
        entry |= {"checkpoint": kept.checkpoint, **kept.blocks}
        held = [{**asdict(held), "asked": [*held.asked]} for held in kept.held]
        entry |= {"held": held} if held else {}
    return to_json_text(entry)


def _told(told: Any) -> Told:
    try:
        return Told(str(told["status"]), [{**block} for block in restored(told["content"])])
    except (KeyError, TypeError) as error:
        raise ValueError("it is nothing that was told") from error


def _paused(entry: dict[str, Any]) -> PausedPlan:
    try:
        blocks = {"media": entry["media"], "texts": entry["texts"]}
        Checkpoint.model_validate(entry["checkpoint"])
        held = tuple(
            Held(str(held["tool"]), str(held["call"]), tuple(held["asked"]))
            for held in entry.get("held", ())
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("it is no paused plan") from error
    return PausedPlan(entry["checkpoint"], blocks, held)


def _parsed(text: Any) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError("it is no JSON text") from error
    if not isinstance(entry, dict):
        raise ValueError("it is no JSON object")
    return entry
