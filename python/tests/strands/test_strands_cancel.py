"""Cancelling an agent, or no longer listening to it, stops the steps that are in flight."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from plan_agents import GUARD_S, model_of, plan_agent, soon, submit, tool_results
from strands import Agent, ToolContext, tool

from strands_plan_tool.strands_adapter import WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import tool_call

STEPS: list[dict[str, Any]] = [
    {"id": "a", "tool": "quick"},
    {"id": "b", "tool": "slow", "after": ["a"]},
    {"id": "c", "tool": "quick", "after": ["b"]},
]
TOLD = [
    {
        "status": "error",
        "content": [{"text": "The plan was cancelled. Ran ok, do not repeat: a"}],
    }
]


class Slow:
    """A tool that waits for ever, and remembers how it was stopped."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()

    @tool
    async def slow(self) -> int:
        """Wait for ever."""
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()
        return 1


@tool
def quick() -> int:
    """Return."""
    return 1


async def test_cancelling_the_agent_stops_an_async_tool_and_tells_what_had_ended() -> None:
    tools = Slow()
    agent = plan_agent(submit(*STEPS, returns=["c"]), "never said", tools=[tools.slow, quick])
    turn = asyncio.create_task(agent.invoke_async("go"))
    await soon(tools.begun.wait())
    agent.cancel()
    result = await soon(turn)
    assert (result.stop_reason, model_of(agent).calls) == ("cancelled", 1)
    assert tools.stopped.is_set()
    assert tool_results(agent) == TOLD


async def test_a_cancel_signal_from_outside_stops_it_too() -> None:
    tools = Slow()
    agent = plan_agent(submit(*STEPS, returns=["c"]), "never said", tools=[tools.slow, quick])
    signal = threading.Event()
    turn = asyncio.create_task(agent.invoke_async("go", cancel_signal=signal))
    await soon(tools.begun.wait())
    signal.set()
    assert (await soon(turn)).stop_reason == "cancelled"
    assert tools.stopped.is_set()


async def test_a_tool_in_a_thread_sees_the_signal_before_the_agent_takes_it_back() -> None:
    begun, saw = threading.Event(), threading.Event()

    @tool(context=True)
    def poll(tool_context: ToolContext[Agent]) -> str:
        """Poll the signal."""
        begun.set()
        if tool_context.cancel_signal.wait(timeout=GUARD_S):
            saw.set()
        return "stopped"

    agent = plan_agent(
        submit({"id": "a", "tool": "poll"}, returns=["a"]), "never said", tools=[poll]
    )
    turn = asyncio.create_task(agent.invoke_async("go"))
    await soon(asyncio.to_thread(begun.wait, GUARD_S))
    agent.cancel()
    assert (await soon(turn)).stop_reason == "cancelled"
    assert await asyncio.to_thread(saw.wait, GUARD_S)


async def test_a_tool_in_a_thread_that_does_not_look_is_left_behind() -> None:
    begun, release = threading.Event(), threading.Event()

    @tool
    def block() -> int:
        """Block."""
        begun.set()
        release.wait(timeout=GUARD_S)
        return 1

    agent = plan_agent(
        submit({"id": "a", "tool": "block"}, returns=["a"]), "never said", tools=[block]
    )
    turn = asyncio.create_task(agent.invoke_async("go"))
    await soon(asyncio.to_thread(begun.wait, GUARD_S))
    agent.cancel()
    try:
        assert (await soon(turn)).stop_reason == "cancelled"
        assert not release.is_set()
    finally:
        release.set()
    (told,) = tool_results(agent)
    assert told["content"] == [{"text": "The plan was cancelled. No step had ended."}]


async def test_no_step_starts_once_the_agent_is_cancelled() -> None:
    ran = []
    holder: dict[str, Agent] = {}

    @tool
    def stop() -> int:
        """Cancel the agent and return."""
        holder["agent"].cancel()
        return 1

    @tool
    def act() -> int:
        """Act."""
        ran.append(1)
        return 1

    holder["agent"] = agent = plan_agent(
        submit(
            {"id": "s", "tool": "stop"},
            {"id": "a", "tool": "act", "after": ["s"]},
            returns=["a"],
        ),
        "never said",
        tools=[stop, act],
    )
    result = await soon(agent.invoke_async("go"))
    assert (result.stop_reason, ran) == ("cancelled", [])


async def test_a_listener_that_leaves_stops_the_steps() -> None:
    tools = Slow()
    agent = plan_agent(submit(*STEPS, returns=["c"]), "never said", tools=[tools.slow, quick])

    async def listen() -> None:
        events: Any = agent.stream_async("go")
        try:
            async for _ in events:
                if tools.begun.is_set():
                    break
        finally:
            await events.aclose()

    turn = asyncio.create_task(listen())
    await soon(tools.begun.wait())
    turn.cancel()
    await asyncio.wait({turn}, timeout=GUARD_S)
    await soon(tools.stopped.wait())


async def test_cancelling_a_plan_run_by_hand_stops_its_steps() -> None:
    tools = Slow()
    plugin = WorkflowPlanPlugin()
    agent = plan_agent(tools=[tools.slow, quick], plugin=plugin)
    plan: dict[str, Any] = {"steps": STEPS, "returns": ["c"]}
    run = asyncio.create_task(plugin.run_plan(plan, agent=agent))
    await soon(tools.begun.wait())
    run.cancel()
    await asyncio.wait({run}, timeout=GUARD_S)
    assert (run.cancelled(), tools.stopped.is_set()) == (True, True)


async def test_cancelling_the_agent_stops_a_plan_run_by_hand() -> None:
    tools = Slow()
    plugin = WorkflowPlanPlugin()
    agent = plan_agent("said", tools=[tools.slow, quick], plugin=plugin)
    plan: dict[str, Any] = {"steps": STEPS, "returns": ["c"]}
    run = asyncio.create_task(plugin.run_plan(plan))
    await soon(tools.begun.wait())
    agent.cancel()
    await asyncio.wait({run}, timeout=GUARD_S)
    assert (run.cancelled(), tools.stopped.is_set()) == (True, True)
    with pytest.raises(asyncio.CancelledError, match="no plan of it runs before"):
        await plugin.run_plan(plan)
    assert (await agent.invoke_async("go")).stop_reason == "cancelled"
    result = await plugin.run_plan({"steps": STEPS[:1], "returns": ["a"]})
    assert result.returned == {"a": 1}


async def test_a_tool_whose_plan_is_cancelled_with_its_agent_leaves_an_error_result() -> None:
    tools = Slow()
    plugin = WorkflowPlanPlugin()

    @tool(context=True)
    async def stored(tool_context: ToolContext[Agent]) -> dict[str, Any]:
        """Run a stored plan."""
        plan: dict[str, Any] = {"steps": STEPS, "returns": ["c"]}
        result = await plugin.run_plan(plan, agent=tool_context.agent)
        return dict(result.returned)

    agent = plan_agent(
        tool_call("stored"), "never said", tools=[tools.slow, quick, stored], plugin=plugin
    )
    turn = asyncio.create_task(agent.invoke_async("go"))
    await soon(tools.begun.wait())
    agent.cancel()
    assert (await soon(turn)).stop_reason == "cancelled"
    (told,) = tool_results(agent)
    assert told["status"] == "error"
    assert "the agent was cancelled" in told["content"][0]["text"]
