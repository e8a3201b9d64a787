"""An agent like another: Strands has no way of its own to start one."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from strands import Agent
from strands.hooks import HookRegistry
from strands.telemetry.metrics import EventLoopMetrics
from strands.tools.registry import ToolRegistry

__all__ = ["check_copyable", "fresh_copy", "without_tools"]

_OURS: Final = (
    "_concurrency",
    "_cancel_signal",
    "_interrupt_state",
    "_model_state",
    "_retry_strategy",
    "conversation_manager",
    "tool_caller",
)


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
    moved = {
        id(given._retry_strategy): parts._retry_strategy,
        id(given.conversation_manager): parts.conversation_manager,
    }
    parts.tool_registry = _like(given.tool_registry, made, moved)
    parts.hooks = _hooks_like(given.hooks, moved)
    return made


def _like(registry: ToolRegistry, agent: Agent, moved: dict[int, Any]) -> ToolRegistry:
    """A registry of the same tools for a copy, since an invocation adds some of its own."""

    def twins(tools: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _twin(tool, agent, moved) for name, tool in tools.items()}

    made = copy.copy(registry)
    made.registry, made.dynamic_tools = twins(registry.registry), twins(registry.dynamic_tools)
    # When the copy goes, it must not close what provides the tools of the original.
    made._tool_providers = []
    return made


def _twin(tool: Any, agent: Agent, moved: dict[int, Any]) -> Any:
    """A tool that belongs to one agent, such as the plan tool, is made anew for its copy."""
    for_agent = getattr(tool, "for_agent", None)
    return for_agent(agent, moved) if callable(for_agent) else tool


def without_tools(registry: ToolRegistry) -> ToolRegistry:
    """A registry like another, without its tools."""
    made = copy.copy(registry)
    made.registry = {}
    made.dynamic_tools = {}
    made._tool_providers = []
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
    called = entry.callback
    owner = moved.get(id(getattr(called, "__self__", None)))
    if owner is not None:
        callback = getattr(owner, called.__name__)
    elif isinstance(called, partial) and any(id(each) in moved for each in called.args):
        args = [moved.get(id(each), each) for each in called.args]
        callback = partial(called.func, *args, **called.keywords)
    else:
        return entry
    made = copy.copy(entry)
    made.callback = callback
    return made
