"""The agents of a run: each begins with an empty conversation and shares none with another."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from weakref import WeakSet

from strands import Agent
from strands.models import Model

from strands_plan_tool.diagnostics import Finding, any_of, closest, diagnostics_of, quoted
from strands_plan_tool.models import STEP_ID_PATTERN, Code, Diagnostic, TaskPlan
from strands_plan_tool.planner_executor.copies import check_copyable, fresh_copy, without_tools
from strands_plan_tool.planner_executor.record import Tool
from strands_plan_tool.values import well_formed
from strands_plan_tool.wire.fields import id_like

__all__ = [
    "ANY_STEP",
    "Executors",
    "Offer",
    "OneAgent",
    "Source",
    "Thinker",
    "model_source",
    "thinker",
]

Source: TypeAlias = Agent | Callable[[], Agent]
"""An agent, of which each step gets a copy; or what makes a new agent for each step."""

OneAgent: TypeAlias = Source | Model | str
"""An agent or what makes a new one for each run; or the model (or its id) for one of ours."""

Thinker: TypeAlias = Callable[[], Agent]

ANY_STEP: Final = "*"
"""In a mapping of executors: the steps that it does not name."""

_ID: Final = re.compile(STEP_ID_PATTERN)


@dataclass(frozen=True, slots=True)
class Offer:
    """What the executors can do.

    Attributes:
        tools: Every tool with its description.
        named: The ids that steps must have, each with its tools; None if they may have any.
    """

    tools: tuple[Tool, ...]
    named: dict[str, tuple[str, ...]] | None


class Executors:
    """Who carries out which step.

    Args:
        given: One agent, a factory, or either by step id, ``*`` standing for the rest.

    Raises:
        TypeError: It is something else.
        ValueError: It names nobody, a key can be no step id, or an agent cannot be copied.
    """

    def __init__(self, given: Source | Mapping[str, Source]) -> None:
        self._by_step = dict(given) if isinstance(given, Mapping) else {ANY_STEP: given}
        self._made: WeakSet[Agent] = WeakSet()
        if not self._by_step:
            raise ValueError("executors: name at least one")
        for name, source in self._by_step.items():
            _check_id(name)
            if not isinstance(source, Agent) and not callable(source):
                raise TypeError("executors: an Agent, a function that makes one, or a mapping")
            if isinstance(source, Agent):
                check_copyable(source)

    def offer(self, *, all_known: bool = True) -> Offer:
        """What the executors can do; a function makes one agent more.

        Args:
            all_known: Whether a function must make one: one that fails now fails its steps.
        """
        by_step: dict[str, tuple[Tool, ...]] = {}
        for step, source in self._by_step.items():
            try:
                by_step[step] = _tools(source)
            except Exception:
                if all_known:
                    raise
                by_step[step] = ()
        found: dict[str, Tool] = {}
        for tool in (tool for tools in by_step.values() for tool in tools):
            found.setdefault(tool.name, tool)
        named = {step: tuple(tool.name for tool in each) for step, each in by_step.items()}
        return Offer(tuple(found.values()), None if self.steps is None else named)

    @property
    def steps(self) -> tuple[str, ...] | None:
        """The ids that steps must have; None if they may have any."""
        return None if ANY_STEP in self._by_step else tuple(self._by_step)

    def unknown(self, plan: TaskPlan) -> tuple[Diagnostic, ...]:
        """The steps of a plan that nobody is there for."""
        names = self.steps
        if names is None:
            return ()
        return diagnostics_of(
            Finding(
                Code.NOT_IN_ENUM,
                ("steps", at, "id"),
                f"no executor is called {quoted(step.id)}",
                f"change {quoted(step.id)} to "
                + (quoted(meant) if (meant := closest(step.id, names)) else any_of(names)),
            )
            for at, step in enumerate(plan.steps)
            if step.id not in names
        )

    def agent_for(self, step: str) -> Agent:
        """An agent for a step, with an empty conversation."""
        source = self._by_step.get(step) or self._by_step[ANY_STEP]
        if isinstance(source, Agent):
            return fresh_copy(source)
        agent = _made(source, "executors")
        # Given to two steps at one time it has no messages yet.
        if agent.messages or agent in self._made:
            raise ValueError("executors: the function must make a new agent each time")
        self._made.add(agent)
        return agent


def _check_id(name: object) -> None:
    if name == ANY_STEP or (isinstance(name, str) and _ID.fullmatch(name)):
        return
    if not isinstance(name, str):
        raise TypeError("executors: the keys of the mapping must be step ids")
    meant = id_like(name)
    raise ValueError(
        f"executors: {quoted(name)} is no step id: a lower-case letter, then up to 31 "
        "lower-case letters, digits or underscores; "
        + (f"change it to {quoted(meant)}" if meant else "write a short name")
    )


def _tools(source: Source) -> tuple[Tool, ...]:
    agent = source if isinstance(source, Agent) else _made(source, "executors")
    return tuple(
        Tool(name=spec["name"], description=well_formed(spec.get("description", "")))
        for spec in agent.tool_registry.get_all_tool_specs()
    )


def _made(source: Callable[[], Agent], role: str) -> Agent:
    agent: object = source()
    if isinstance(agent, Agent):
        return agent
    if inspect.iscoroutine(agent):
        agent.close()
    raise TypeError(f"{role}: the function must return an Agent, and is never awaited")


def thinker(given: OneAgent, system_prompt: str, role: str) -> Thinker:
    """What makes a planner or a synthesizer: an agent without tools.

    Args:
        given: Who it is to be.
        system_prompt: Its system prompt, if it has none.
        role: What it is called where something is wrong with it.

    Raises:
        TypeError: It is no agent and no model.
        ValueError: The agent cannot be copied.
    """
    if isinstance(given, Agent):
        check_copyable(given)
    elif not (_is_model(given) or (isinstance(given, str) and given) or callable(given)):
        raise TypeError(
            f"{role}: an Agent, a function that makes one, a model, or the id of one"
        )

    def make() -> Agent:
        if _is_model(given) or isinstance(given, str):
            model: Any = given
            return Agent(model=model, system_prompt=system_prompt, callback_handler=None)
        source: Any = given
        agent = fresh_copy(given) if isinstance(given, Agent) else _made(source, role)
        agent.tool_registry = without_tools(agent.tool_registry)
        if not agent.system_prompt:
            agent.system_prompt = system_prompt
        return agent

    return make


def model_source(given: OneAgent, role: str) -> OneAgent:
    """The model of an agent, for another agent on it; one that is no agent as it is.

    A function's agent is made anew each time, and with it its model.
    """
    if isinstance(given, Agent):
        return given.model
    if _is_model(given) or isinstance(given, str) or not callable(given):
        return given
    source: Any = given
    return lambda: Agent(model=_made(source, role).model, callback_handler=None)


def _is_model(given: object) -> bool:
    return not isinstance(given, type | Agent) and callable(getattr(given, "stream", None))
