"""Agents that steps call, and that ask people: each takes one call at a time, in any order."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pause_agents import gate
from plan_agents import plan_agent, soon, submit, tool_results
from strands import Agent, tool
from strands.agent import AgentResult

from strands_plan_tool import PlanEvent, Policy, Retry
from strands_plan_tool.events import EventKind
from strands_plan_tool.strands_adapter import WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, tool_call


class Helper:
    """An agent as a tool: a number lets it pay that, which is gated, other words do not."""

    def __init__(self, *, keeps: bool, slow: tuple[int, ...] = ()) -> None:
        self.paid: list[int] = []

        @tool
        async def pay(value: int) -> str:
            """Pay."""
            self.paid.append(value)
            if value in slow:
                slow_ones.append(value)
                await asyncio.Event().wait()
            return f"paid {value}"

        def reply(request: Any) -> Any:
            last = request.messages[-1]["content"][0]
            if "toolResult" in last:
                return str(last["toolResult"]["content"][0].get("text"))
            said = last["text"]
            return tool_call("pay", value=int(said)) if said.isdigit() else f"hello {said}"

        slow_ones: list[int] = []
        self.agent = Agent(
            model=ScriptedModel(*[reply] * 40), tools=[pay], callback_handler=None, name="sub"
        )
        gate("pay")(self.agent)
        self.tool = self.agent.as_tool(
            name="helper", description="Helps.", preserve_context=keeps
        )


def step(id_: str, said: str) -> dict[str, Any]:
    return {"id": id_, "tool": "helper", "args": {"input": said}}


async def answered(agent: Agent, result: AgentResult) -> AgentResult:
    """Say yes to everything, as often as there is something."""
    for _ in range(8):
        if result.stop_reason != "interrupt":
            break
        ids = {interrupt.id for interrupt in result.interrupts or ()}
        given: Any = [
            {"interruptResponse": {"interruptId": id_, "response": "yes"}} for id_ in ids
        ]
        result = await soon(agent.invoke_async(given))
    assert result.stop_reason == "end_turn"
    return result


def told(agent: Agent) -> list[str]:
    return [str(result["content"][0].get("text")) for result in tool_results(agent)]


@pytest.mark.parametrize("keeps", [True, False])
async def test_calls_of_one_agent_that_ask_do_not_fail_each_other(keeps: bool) -> None:
    helper = Helper(keeps=keeps)
    listed = {
        "id": "h",
        "tool": "helper",
        "for_each": '["1", "2", "3"]',
        "bind": {"input": "item"},
    }
    agent = plan_agent(submit(listed, returns=["h"]), "done", tools=[helper.tool])
    await answered(agent, await agent.invoke_async("go"))
    assert told(agent) == ['{"h":["paid 1\\n","paid 2\\n","paid 3\\n"]}']
    assert sorted(helper.paid) == [1, 2, 3]


@pytest.mark.parametrize("keeps", [True, False])
async def test_two_plans_of_one_turn_may_wait_for_one_agent(keeps: bool) -> None:
    helper = Helper(keeps=keeps)
    plans = [submit(step("a", "1"), returns=["a"]), submit(step("a", "2"), returns=["a"])]
    agent = plan_agent(plans, "done", tools=[helper.tool])
    await answered(agent, await agent.invoke_async("go"))
    assert sorted(told(agent)) == ['{"a":"paid 1\\n"}', '{"a":"paid 2\\n"}']
    assert sorted(helper.paid) == [1, 2]


@pytest.mark.parametrize("again", ["a retry", "another step"])
async def test_an_agent_that_ran_out_of_time_after_its_answer_takes_other_calls(
    again: str,
) -> None:
    helper = Helper(keeps=True, slow=(1,))
    policy = Policy(step_timeout_s=0.5, max_concurrency=1)
    steps = [step("a", "1"), step("b", "Ann")]
    if again == "a retry":
        policy = Policy(step_timeout_s=0.5, retry={"helper": Retry(attempts=2)})
        steps = steps[:1]
    agent = plan_agent(
        submit(*steps, returns=[one["id"] for one in steps], on_error="continue"),
        "done",
        tools=[helper.tool],
        plugin=WorkflowPlanPlugin(policy=policy),
    )
    waits = await agent.invoke_async("go")
    await answered(agent, waits)
    (text,) = told(agent)
    if again == "a retry":
        assert "a failed (timeout)" in text
    else:
        assert text.startswith('{"b":"hello Ann\\n"}\na failed (timeout): ')
    # What it could not end it is free of.
    assert not helper.agent.take_snapshot(include=["interrupt_state"]).data["interrupt_state"][
        "activated"
    ]


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("why", ["a failure", "the deadline", "a cancel"])
async def test_an_agent_whose_question_was_dropped_can_be_called_again(
    why: str, keeps: bool
) -> None:
    helper, has_asked = Helper(keeps=keeps), asyncio.Event()

    def listen(event: PlanEvent) -> None:
        if event.kind is EventKind.WAITING:
            has_asked.set()

    @tool
    async def last() -> str:
        """Go on until the question has been asked."""
        await soon(has_asked.wait())
        if why == "a cancel":
            agent.cancel()
        if why != "a failure":
            await asyncio.Event().wait()
        raise ValueError("no such thing")

    timeout = 0.5 if why == "the deadline" else None
    agent = plan_agent(
        submit(step("a", "1"), {"id": "l", "tool": "last"}, returns=["a"]),
        *(["I see."] if why != "a cancel" else []),
        submit(step("a", "Ann"), returns=["a"]),
        tool_call("helper", input="Bob"),
        "done",
        tools=[last, helper.tool],
        plugin=WorkflowPlanPlugin(policy=Policy(plan_timeout_s=timeout), on_event=listen),
    )
    first = await soon(agent.invoke_async("go"))
    assert first.stop_reason == ("cancelled" if why == "a cancel" else "end_turn")
    await agent.invoke_async("go on")
    assert told(agent)[-2:] == ['{"a":"hello Ann\\n"}', "hello Bob\n"]
    assert helper.paid == []
