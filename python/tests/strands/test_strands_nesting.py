"""Plans inside of steps, beside each other, and of agents that share an invocation state."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from plan_agents import model_of, plan_agent, soon, submit, tool_results
from strands import Agent, ToolContext, tool
from strands.hooks import BeforeToolCallEvent
from strands.session import FileSessionManager

from strands_plan_tool import PlanEvent
from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.strands_adapter.batch import STATE_KEY, Batch
from strands_plan_tool.strands_adapter.naming import names_of
from strands_plan_tool.testing.scripted_model import ToolCall

STORED: dict[str, Any] = {"steps": [{"id": "a", "tool": "one"}], "returns": ["a"]}
OUTER: list[dict[str, Any]] = [
    {"id": "s", "tool": "stored"},
    {"id": "t", "tool": "one", "after": ["s"]},
]


@tool
async def one() -> int:
    """Give one."""
    return 1


@tool
async def echo(value: int) -> int:
    """Give back."""
    await asyncio.sleep(0)
    return value


def call(call_id: str, value: int = 1, **fields: Any) -> ToolCall:
    """A plan call with this id, of one step that gives the value back."""
    step = {"id": "a", "tool": "echo", "args": {"value": value}}
    return ToolCall(TOOL_NAME, {"steps": [step], **({"returns": ["a"]} | fields)}, id=call_id)


def nesting_agent(*turns: Any) -> Agent:
    """An agent with a tool that runs a stored plan with the state that it was given."""
    plugin = WorkflowPlanPlugin()

    @tool(context=True)
    async def stored(tool_context: ToolContext[Agent]) -> dict[str, Any]:
        """Run a stored plan."""
        result = await plugin.run_plan(
            STORED,
            agent=tool_context.agent,
            invocation_state=tool_context.invocation_state,
        )
        return dict(result.returned)

    return plan_agent(*turns, tools=[one, stored], plugin=plugin)


async def test_a_plan_stays_final_around_a_step_that_runs_a_plan() -> None:
    state: dict[str, Any] = {}
    agent = nesting_agent(submit(*OUTER, output="'got ' & steps.s.a", final=True))
    result = await agent.invoke_async("go", invocation_state=state)
    assert (str(result), model_of(agent).calls) == ("got 1\n", 1)
    assert STATE_KEY not in state


async def test_an_exception_of_a_hook_is_raised_around_a_step_that_runs_a_plan() -> None:
    def broken(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["toolUseId"].endswith("__t"):
            raise KeyError("broken hook")

    agent = nesting_agent(submit(*OUTER, returns=["t"]), "never said")
    agent.add_hook(broken, BeforeToolCallEvent)
    with pytest.raises(Exception, match="broken hook"):
        await agent.invoke_async("go")


async def test_agents_that_share_a_state_and_call_ids_keep_their_plans_apart() -> None:
    barrier = asyncio.Barrier(2)

    @tool
    async def meet(name: str) -> str:
        """Wait for the plan of the other agent."""
        await soon(barrier.wait())
        return name

    def inner(name: str) -> Agent:
        step = {"id": "a", "tool": "meet", "args": {"name": name}}
        plan = {"steps": [step], "output": "'said ' & steps.a", "final": True}
        return plan_agent(ToolCall(TOOL_NAME, plan, id="same"), tools=[meet])

    inners = {name: inner(name) for name in ("ann", "bob")}

    @tool(context=True)
    async def ask(name: str, tool_context: ToolContext[Agent]) -> str:
        """Ask another agent, with the state of this one."""
        state = tool_context.invocation_state
        return str(await inners[name].invoke_async("go", invocation_state=state)).strip()

    steps = [{"id": name, "tool": "ask", "args": {"name": name}} for name in inners]
    plan = {"steps": steps, "output": "steps.ann & ', ' & steps.bob", "final": True}
    agent = plan_agent(ToolCall(TOOL_NAME, plan, id="same"), tools=[ask])
    state: dict[str, Any] = {}
    result = await agent.invoke_async("go", invocation_state=state)
    assert str(result) == "said ann, said bob\n"
    assert [model_of(each).calls for each in (agent, *inners.values())] == [1, 1, 1]
    assert STATE_KEY not in state


async def test_the_notes_are_gone_after_a_batch_that_an_interrupt_stopped() -> None:
    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == TOOL_NAME:
            event.interrupt("approval")

    state: dict[str, Any] = {}
    agent = plan_agent(call("c"), tools=[echo])
    agent.add_hook(ask, BeforeToolCallEvent)
    result = await agent.invoke_async("go", invocation_state=state)
    assert result.stop_reason == "interrupt"
    assert STATE_KEY not in state


async def test_two_plans_of_one_message_with_one_id_lose_nothing() -> None:
    uses: list[str] = []
    events: list[PlanEvent] = []
    agent = plan_agent(
        [call("same", 1), call("same", 2)],
        "ok",
        tools=[echo],
        plugin=WorkflowPlanPlugin(on_event=events.append),
    )
    agent.add_hook(lambda event: uses.append(event.tool_use["toolUseId"]), BeforeToolCallEvent)
    await agent.invoke_async("go")
    assert [told["content"] for told in tool_results(agent)] == [
        [{"text": '{"a":1}'}],
        [{"text": '{"a":2}'}],
    ]
    assert sorted(uses) == ["same", "same", "same-2__a", "same__a"]
    turn = agent.messages[1]["tracking_id"]
    assert {event.run_id for event in events} == {f"{turn}/same", f"{turn}/same-2"}


async def test_an_exception_of_a_hook_is_raised_beside_a_plan_with_the_same_id() -> None:
    def broken(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["input"] == {"value": 1}:
            raise KeyError("broken hook")

    agent = plan_agent([call("same", 1), call("same", 2)], "never said", tools=[echo])
    agent.add_hook(broken, BeforeToolCallEvent)
    with pytest.raises(Exception, match="broken hook"):
        await agent.invoke_async("go")


async def test_an_id_that_comes_again_in_each_turn_names_another_run_each_time() -> None:
    events: list[PlanEvent] = []
    agent = plan_agent(
        call(TOOL_NAME),
        call(TOOL_NAME),
        "first",
        call(TOOL_NAME),
        "second",
        tools=[echo],
        plugin=WorkflowPlanPlugin(on_event=events.append),
    )
    for text in ("go", "again"):
        await agent.invoke_async(text)
    turns = [agent.messages[at]["tracking_id"] for at in (1, 3, 7)]
    ids = list(dict.fromkeys(event.run_id for event in events))
    assert ids == [f"{turn}/{TOOL_NAME}" for turn in turns]


async def test_a_turn_that_is_taken_up_in_another_process_names_its_run_the_same(
    tmp_path: Path,
) -> None:
    def session(plugin: WorkflowPlanPlugin, *turns: Any) -> Agent:
        kept = FileSessionManager("s", storage_dir=str(tmp_path))
        return plan_agent(
            *turns, tools=[echo], plugin=plugin, session_manager=kept, agent_id="desk"
        )

    def crash(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "echo":
            raise KeyError("the process ends")

    events: list[PlanEvent] = []
    agent = session(WorkflowPlanPlugin(on_event=events.append), call("c"))
    agent.add_hook(crash, BeforeToolCallEvent)
    with pytest.raises(Exception, match="the process ends"):
        await agent.invoke_async("go")
    again = session(WorkflowPlanPlugin())
    assert {event.run_id for event in events} == {names_of(again, "c", Batch()).run}


async def test_a_direct_call_of_the_plan_tool_names_its_run_by_chance() -> None:
    events: list[PlanEvent] = []
    agent = plan_agent(tools=[echo], plugin=WorkflowPlanPlugin(on_event=events.append))
    plan = call("c").input
    for _ in range(2):
        result = await asyncio.to_thread(agent.tool.submit_workflow_plan, **plan)
        assert result["content"] == [{"text": '{"a":1}'}]
    assert len({event.run_id for event in events}) == 2
