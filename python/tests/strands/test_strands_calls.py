"""Each step is a tool call like any other, and steps run at once on the agent's own loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from plan_agents import answer, model_of, plan_agent, soon, submit, tool_results
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.interventions import Deny, InterventionHandler, Proceed
from strands.tools.executors import SequentialToolExecutor

from strands_plan_tool.strands_adapter import AgentToolInvoker, WorkflowPlanPlugin
from strands_plan_tool.strands_adapter.batch import STATE_KEY
from strands_plan_tool.testing.scripted_model import ScriptedModel


@tool
async def echo(value: Any) -> Any:
    """Give back."""
    return value


@tool
def fail(message: str) -> str:
    """Fail."""
    raise ValueError(message)


def echoes(*values: Any) -> list[dict[str, Any]]:
    """One independent step a value, called e0, e1, ..."""
    return [{"id": f"e{i}", "tool": "echo", "args": {"value": v}} for i, v in enumerate(values)]


async def test_eight_steps_are_in_their_tools_at_one_time() -> None:
    barrier = asyncio.Barrier(8)
    loops = set()

    @tool
    async def meet() -> int:
        """Wait for seven others."""
        loops.add(asyncio.get_running_loop())
        await soon(barrier.wait())
        return 1

    steps = [{"id": f"m{i}", "tool": "meet"} for i in range(8)]
    agent = plan_agent(submit(*steps, output="$sum([steps.m0, steps.m7])"), "ok", tools=[meet])
    await agent.invoke_async("go")
    assert answer(agent) == "2"
    assert loops == {asyncio.get_running_loop()}


async def test_blocking_tools_are_in_threads_at_one_time() -> None:
    barrier = threading.Barrier(2)

    @tool
    def meet() -> int:
        """Wait for the other."""
        return barrier.wait(timeout=10) * 0 + 1

    steps = [{"id": f"m{i}", "tool": "meet"} for i in range(2)]
    agent = plan_agent(submit(*steps, returns=["m0", "m1"]), "ok", tools=[meet])
    await agent.invoke_async("go")
    assert answer(agent) == '{"m0":1,"m1":1}'


async def test_a_sequential_executor_runs_one_step_at_a_time() -> None:
    inside: list[int] = []
    most = 0

    @tool
    async def enter() -> int:
        """See who is here."""
        nonlocal most
        inside.append(1)
        most = max(most, len(inside))
        await asyncio.sleep(0)
        inside.pop()
        return 1

    steps = [{"id": f"m{i}", "tool": "enter"} for i in range(4)]
    agent = plan_agent(
        submit(*steps, returns=["m0"]),
        "ok",
        tools=[enter],
        tool_executor=SequentialToolExecutor(),
    )
    await agent.invoke_async("go")
    assert (answer(agent), most) == ('{"m0":1}', 1)


async def test_hooks_see_each_step_with_an_id_made_of_the_plans() -> None:
    before, after = [], []
    agent = plan_agent(
        submit(
            {"id": "a", "tool": "echo", "args": {"value": [1, 2]}},
            {
                "id": "b",
                "tool": "echo",
                "for_each": "steps.a",
                "bind": {"value": "item"},
            },
            returns=["b"],
        ),
        "ok",
        tools=[echo],
    )
    agent.add_hook(lambda e: before.append(e.tool_use), BeforeToolCallEvent)
    agent.add_hook(lambda e: after.append(e.tool_use["toolUseId"]), AfterToolCallEvent)
    await agent.invoke_async("go")
    ids = ["call_1_0", "call_1_0__a", "call_1_0__b-0", "call_1_0__b-1"]
    assert [use["toolUseId"] for use in before] == ids
    assert [use["input"] for use in before[2:]] == [{"value": 1}, {"value": 2}]
    assert sorted(after) == sorted(ids)


async def test_a_hook_may_change_what_a_step_is_called_with_and_what_it_gives() -> None:
    def before(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "echo":
            event.tool_use["input"]["value"] = "changed"

    def after(event: AfterToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "echo":
            event.result["content"][0]["text"] += " twice"

    agent = plan_agent(submit(*echoes("first"), output="steps.e0"), "ok", tools=[echo])
    agent.add_hook(before, BeforeToolCallEvent)
    agent.add_hook(after, AfterToolCallEvent)
    await agent.invoke_async("go")
    assert answer(agent) == "changed twice"


async def test_a_hook_that_cancels_a_call_fails_its_step_with_its_words() -> None:
    def before(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "echo":
            event.cancel_tool = "not today"

    agent = plan_agent(submit(*echoes(1), returns=["e0"]), "ok", tools=[echo])
    agent.add_hook(before, BeforeToolCallEvent)
    await agent.invoke_async("go")
    assert tool_results(agent) == [
        {"status": "error", "content": [{"text": "e0 failed (tool_failed): not today"}]}
    ]


async def test_an_intervention_denies_a_step_and_its_tool_does_not_run() -> None:
    ran = []

    @tool
    def act() -> int:
        """Act."""
        ran.append(1)
        return 1

    class Gate(InterventionHandler):
        name = "gate"

        def before_tool_call(self, event: Any, **kwargs: Any) -> Any:
            return Deny(reason="no") if event.tool_use["name"] == "act" else Proceed()

    agent = plan_agent(
        submit({"id": "a", "tool": "act"}, *echoes(1), returns=["a"], on_error="continue"),
        "ok",
        tools=[act, echo],
        interventions=[Gate()],
        plugin=WorkflowPlanPlugin(plannable=["*"]),
    )
    await agent.invoke_async("go")
    (result,) = tool_results(agent)
    assert result["content"] == [
        {"text": "a failed (tool_failed): DENIED: no\nRan ok, kept for a corrected plan: e0"}
    ]
    assert ran == []


async def test_middleware_stands_between_a_step_and_its_tool() -> None:
    stages = pytest.importorskip("strands.middleware")
    seen = []

    async def note(context: Any, next_fn: Any) -> Any:
        seen.append(context.tool_use["name"])
        async for event in next_fn(context):
            yield event

    agent = plan_agent(submit(*echoes(1), returns=["e0"]), "ok", tools=[echo])
    agent.add_middleware(stages.ExecuteToolStage, note)
    await agent.invoke_async("go")
    assert (answer(agent), seen) == ('{"e0":1}', ["submit_workflow_plan", "echo"])


async def test_a_hook_may_have_a_failed_step_tried_again() -> None:
    attempts = []

    @tool
    def flaky() -> int:
        """Fail twice."""
        attempts.append(1)
        if len(attempts) < 3:
            raise OSError("down")
        return len(attempts)

    def again(event: AfterToolCallEvent[Any]) -> None:
        event.retry = event.result["status"] == "error"

    agent = plan_agent(
        submit({"id": "a", "tool": "flaky"}, output="steps.a"), "ok", tools=[flaky]
    )
    agent.add_hook(again, AfterToolCallEvent)
    await agent.invoke_async("go")
    assert answer(agent) == "3"


async def test_the_invocation_state_reaches_tools_and_their_changes_reach_the_caller() -> None:
    @tool(context=True)
    def tenant(tool_context: ToolContext[Agent]) -> dict[str, Any]:
        """Tell the tenant."""
        tool_context.invocation_state["visited"] = True
        return {
            "tenant": tool_context.invocation_state["tenant"],
            "id": tool_context.tool_use["toolUseId"],
            "agent": tool_context.agent.name,
        }

    state: dict[str, Any] = {"tenant": "t1"}
    agent = plan_agent(
        submit({"id": "a", "tool": "tenant"}, output="steps.a"),
        "ok",
        tools=[tenant],
        name="desk",
    )
    await agent.invoke_async("go", invocation_state=state)
    assert answer(agent) == '{"tenant":"t1","id":"call_1_0__a","agent":"desk"}'
    assert state["visited"] is True
    assert STATE_KEY not in state


async def test_what_a_steps_tool_streams_comes_as_that_tools_own_event() -> None:
    @tool
    async def count() -> AsyncIterator[int]:
        """Count."""
        for number in (1, 2, 3):
            yield number

    agent = plan_agent(
        submit({"id": "a", "tool": "count"}, output="steps.a"), "ok", tools=[count]
    )
    streamed = [
        (event["tool_stream_event"]["tool_use"]["name"], event["tool_stream_event"]["data"])
        async for event in agent.stream_async("go")
        if "tool_stream_event" in event
    ]
    assert [data for name, data in streamed if name == "count"] == [1, 2, 3]
    ((_, last),) = [row for row in streamed if row[0] != "count"]
    ledger = last["plan_result"]["ledger"]
    assert [(entry["id"], entry["status"]) for entry in ledger] == [("a", "ok")]


async def test_an_exception_of_a_hook_stops_the_agent_as_it_does_without_a_plan() -> None:
    ran = []

    @tool
    async def act(value: int) -> int:
        """Act."""
        ran.append(value)
        return value

    def broken(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "act" and event.tool_use["input"]["value"] == 2:
            raise KeyError("broken hook")

    steps = [
        {"id": "a", "tool": "act", "args": {"value": 1}},
        {"id": "b", "tool": "act", "args": {"value": 2}, "after": ["a"]},
        {"id": "c", "tool": "act", "args": {"value": 3}, "after": ["b"]},
    ]
    agent = plan_agent(
        submit(*steps, returns=["a"], on_error="continue"), "never said", tools=[act]
    )
    agent.add_hook(broken, BeforeToolCallEvent)
    with pytest.raises(Exception, match="broken hook"):
        await agent.invoke_async("go")
    assert (ran, model_of(agent).calls) == ([1], 1)


async def test_an_exception_of_a_hook_after_the_call_stops_the_agent_too() -> None:
    def broken(event: AfterToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "echo":
            raise RuntimeError("broken hook")

    agent = plan_agent(submit(*echoes(1), returns=["e0"]), "never said", tools=[echo])
    agent.add_hook(broken, AfterToolCallEvent)
    with pytest.raises(Exception, match="broken hook"):
        await agent.invoke_async("go")


async def test_a_step_that_asks_a_person_fails_and_says_what_to_do() -> None:
    ran = []

    @tool
    def act() -> int:
        """Act."""
        ran.append(1)
        return 1

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "act":
            event.interrupt("approval", reason="sure?")

    agent = plan_agent(
        submit({"id": "a", "tool": "act"}, returns=["a"]),
        "I will ask.",
        tools=[act],
        plugin=WorkflowPlanPlugin(approvals="refuse"),
    )
    agent.add_hook(ask, BeforeToolCallEvent)
    result = await agent.invoke_async("go")
    assert (result.stop_reason, ran) == ("end_turn", [])
    (told,) = tool_results(agent)
    assert told["content"][0]["text"] == (
        "a failed (tool_failed): it needs a person's answer ('approval'), and a plan cannot "
        "wait for one. Call this tool by itself, outside of a plan."
    )


async def test_a_tool_that_asks_a_person_itself_fails_its_step_the_same_way() -> None:
    @tool(context=True)
    def act(tool_context: ToolContext[Agent]) -> str:
        """Act."""
        return str(tool_context.interrupt("approval"))

    agent = plan_agent(
        submit({"id": "a", "tool": "act"}, returns=["a"]),
        "I will ask.",
        tools=[act],
        plugin=WorkflowPlanPlugin(approvals="refuse"),
    )
    await agent.invoke_async("go")
    (told,) = tool_results(agent)
    assert "it needs a person's answer ('approval')" in told["content"][0]["text"]


async def test_steps_on_one_agent_that_is_a_tool_take_turns() -> None:
    helper = Agent(
        model=ScriptedModel("one", "two", "three"),
        name="helper",
        description="Helps.",
        callback_handler=None,
    )
    steps = [{"id": f"h{i}", "tool": "helper", "args": {"input": "?"}} for i in range(3)]
    agent = plan_agent(
        submit(*steps, output="[steps.h0, steps.h1, steps.h2]"),
        "ok",
        tools=[helper.as_tool()],
    )
    await agent.invoke_async("go")
    assert answer(agent) == '["one\\n","two\\n","three\\n"]'


async def test_telemetry_counts_the_steps_like_other_calls() -> None:
    agent = plan_agent(submit(*echoes(1, 2), returns=["e0"]), "ok", tools=[echo])
    result = await agent.invoke_async("go")
    assert result.metrics.tool_metrics["echo"].call_count == 2


async def test_a_failed_tools_message_comes_without_wrapping() -> None:
    steps = [
        {"id": "a", "tool": "fail", "args": {"message": "no such user"}},
        {"id": "b", "tool": "echo", "bind": {"value": "steps.a"}},
    ]
    agent = plan_agent(submit(*steps, returns=["b"]), "ok", tools=[fail, echo])
    await agent.invoke_async("go")
    (told,) = tool_results(agent)
    assert told == {
        "status": "error",
        "content": [{"text": "a failed (tool_failed): no such user\nb skipped"}],
    }


async def test_an_invoker_calls_a_tool_by_name_outside_of_any_plan() -> None:
    agent = plan_agent(tools=[echo, fail])
    state: dict[str, Any] = {}
    invoker = AgentToolInvoker(agent, invocation_state=state)
    assert await invoker("echo", {"value": {"a": 1}}) == {"a": 1}
    assert STATE_KEY not in state
    with pytest.raises(Exception, match="no such user"):
        await invoker("fail", {"message": "no such user"})
    assert STATE_KEY not in state


async def test_no_argument_name_is_taken_by_the_sdk() -> None:
    @tool
    async def note(
        user_message_override: str, record_direct_tool_call: bool, agent_name: str = "none"
    ) -> list[Any]:
        """Note."""
        return [user_message_override, record_direct_tool_call, agent_name]

    args = {"user_message_override": "hi", "record_direct_tool_call": False}
    literal = {"id": "a", "tool": "note", "args": args}
    bound = {
        "id": "b",
        "tool": "note",
        "bind": {name: f"steps.a[{at}]" for at, name in enumerate(args)},
    }
    agent = plan_agent(submit(literal, bound, returns=["a", "b"]), "ok", tools=[note])
    await agent.invoke_async("go")
    assert answer(agent) == '{"a":["hi",false,"none"],"b":["hi",false,"none"]}'
