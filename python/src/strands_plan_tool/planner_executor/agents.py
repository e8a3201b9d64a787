"""The agents of a run: each begins with an empty conversation and shares none with another."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from strands import Agent
from strands.hooks import HookRegistry
from strands.models import Model
from strands.telemetry.metrics import EventLoopMetrics
from strands.tools.registry import ToolRegistry
from strands.types.tools import ToolSpec

from strands_plan_tool.diagnostics import Finding, any_of, closest, diagnostics_of, quoted
from strands_plan_tool.models import Code, Diagnostic, TaskPlan
from strands_plan_tool.planner_executor.record import Tool

__all__ = ["ANY_STEP", "Executors", "OneAgent", "Source", "Thinker", "fresh_copy", "thinker"]

Source: TypeAlias = Agent | Callable[[], Agent]
"""An agent, of which each step gets a copy; or what makes a new agent for each step."""

OneAgent: TypeAlias = Agent | Model | str
"""An agent, or the model (or the id of one) for an agent of ours."""

Thinker: TypeAlias = Callable[[], Agent]

ANY_STEP: Final = "*"
"""In a mapping of executors: the steps that it does not name."""

_OURS: Final = (
    "_concurrency",
    "_cancel_signal",
    "_interrupt_state",
    "_model_state",
    "_retry_strategy",
    "conversation_manager",
    "tool_caller",
)


class Executors:
    """Who carries out which step.

    Args:
        given: One agent, a factory, or either by step id, ``*`` standing for the rest.
    """

    def __init__(self, given: Source | Mapping[str, Source]) -> None:
        self._by_step = dict(given) if isinstance(given, Mapping) else {ANY_STEP: given}
        if not self._by_step:
            raise ValueError("executors: name at least one")
        for source in self._by_step.values():
            if not isinstance(source, Agent) and not callable(source):
                raise TypeError("executors: an Agent, a function that makes one, or a mapping")
            if isinstance(source, Agent):
                check_copyable(source)

    def tools(self) -> tuple[Tool, ...]:
        """Every tool with its description, for the planner; a factory makes one agent more."""
        found: dict[str, str] = {}
        for source in self._by_step.values():
            for spec in _specs(source):
                found.setdefault(spec["name"], spec.get("description", ""))
        return tuple(Tool(name=name, description=text) for name, text in found.items())

    def told(self) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
        """The ids that steps must have, each with its tools; None if they may have any."""
        if self.steps is None:
            return None
        return tuple((step, _names(source)) for step, source in self._by_step.items())

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
        agent = source()
        if agent.messages:
            raise ValueError("executors: the function must make a new agent each time")
        return agent


def _specs(source: Source) -> list[ToolSpec]:
    agent = source if isinstance(source, Agent) else source()
    return agent.tool_registry.get_all_tool_specs()


def _names(source: Source) -> tuple[str, ...]:
    return tuple(spec["name"] for spec in _specs(source))


def thinker(given: OneAgent, system_prompt: str) -> Thinker:
    """What makes a planner or a synthesizer: an agent without tools.

    Raises:
        ValueError: The agent cannot be copied.
    """
    if isinstance(given, Agent):
        check_copyable(given)

    def make() -> Agent:
        if not isinstance(given, Agent):
            return Agent(model=given, system_prompt=system_prompt, callback_handler=None)
        agent = fresh_copy(given)
        agent.tool_registry = _without_tools(agent.tool_registry)
        if not agent.system_prompt:
            agent.system_prompt = system_prompt
        return agent

    return make


def check_copyable(agent: Agent) -> None:
    """Refuse an agent of which a copy would share something.

    Raises:
        ValueError: It keeps its conversation in a session, or the SDK has changed so much
            that a copy would not be sure to be apart.
    """
    if getattr(agent, "_session_manager", None) is not None:
        raise ValueError(
            "an agent with a session_manager keeps one conversation: give a function that "
            "makes a new agent instead"
        )
    if lacking := [name for name in _OURS if not hasattr(agent, name)]:
        raise ValueError(
            f"this version of Strands has no {', '.join(lacking)}: give a function that makes "
            "a new agent instead"
        )


def fresh_copy(agent: Agent) -> Agent:
    """An agent like another, hooks and all, with a conversation and a state of its own.

    Strands refuses a second invocation while one goes on and keeps what was said, and has no
    way of its own to start an agent like another.
    """
    made = copy.copy(agent)
    parts: Any = made
    given: Any = agent
    parts.messages = []
    parts.state = type(given.state)(copy.deepcopy(given.state.get()))
    parts.event_loop_metrics = EventLoopMetrics()
    parts.trace_span = None
    parts._cancel_signal = threading.Event()
    parts._concurrency = type(given._concurrency)(given._concurrency.mode)
    parts._interrupt_state = type(given._interrupt_state)()
    parts._model_state = {}
    parts._retry_strategy = copy.copy(given._retry_strategy)
    parts.conversation_manager = copy.copy(given.conversation_manager)
    parts.tool_caller = type(given.tool_caller)(made)
    parts.tool_registry = _like(given.tool_registry)
    parts.hooks = _hooks_like(
        given.hooks,
        {
            id(given._retry_strategy): parts._retry_strategy,
            id(given.conversation_manager): parts.conversation_manager,
        },
    )
    return made


def _like(registry: ToolRegistry) -> ToolRegistry:
    """A registry of the same tools, since an invocation adds some of its own."""
    made = copy.copy(registry)
    made.registry = dict(registry.registry)
    made.dynamic_tools = dict(registry.dynamic_tools)
    # When the copy goes, it must not close what provides the tools of the original.
    made._tool_providers = []
    return made


def _without_tools(registry: ToolRegistry) -> ToolRegistry:
    made = _like(registry)
    made.registry = {}
    made.dynamic_tools = {}
    return made


def _hooks_like(hooks: HookRegistry, moved: Mapping[int, Any]) -> HookRegistry:
    """The same callbacks, those of parts that were copied bound to the copies."""
    made = copy.copy(hooks)
    made._registered_callbacks = {
        event: [_bound_anew(entry, moved) for entry in entries]
        for event, entries in hooks._registered_callbacks.items()
    }
    return made


def _bound_anew(entry: Any, moved: Mapping[int, Any]) -> Any:
    owner = moved.get(id(getattr(entry.callback, "__self__", None)))
    if owner is None:
        return entry
    made = copy.copy(entry)
    made.callback = getattr(owner, entry.callback.__name__)
    return made
