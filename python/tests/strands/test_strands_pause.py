"""A step that needs a person's answer pauses its plan, which goes on with the answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pause_agents import Ran, asked, gate, replies, state_of
from plan_agents import answer, model_of, plan_agent, soon, submit, tool_results
from strands import Agent, ToolContext, tool
from strands.hooks import BeforeToolCallEvent
from strands.interventions import Deny, InterventionHandler, Proceed
from strands.vended_interventions.hitl import HumanInTheLoop

from strands_plan_tool import PlanEvent, Policy, Retry
from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, tool_call

READ: dict[str, Any] = {"id": "r", "tool": "read", "args": {"value": 1}}
PAY: dict[str, Any] = {"id": "p", "tool": "pay", "args": {"value": 5}}
AFTER: dict[str, Any] = {"id": "a", "tool": "read", "bind": {"value": "steps.p.paid"}}


def gated(ran: Ran, *turns: Any, **options: Any) -> Agent:
    agent = plan_agent(*turns, tools=ran.tools, **options)
    gate("pay")(agent)
    return agent


async def test_a_gated_step_pauses_the_plan_and_the_answer_lets_it_go_on() -> None:
    ran = Ran()
    agent = gated(ran, submit(READ, PAY, AFTER, returns=["r", "a"]), "done")
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["p"]
    assert [interrupt.reason for interrupt in waits.interrupts or ()] == [{"value": 5}]
    assert ran.calls == {"read 1": 1}
    result = await agent.invoke_async(replies(waits, p="yes"))
    assert str(result) == "done\n"
    assert answer(agent) == '{"r":{"value":1},"a":{"value":5}}'
    assert ran.calls == {"read 1": 1, "pay 5": 1, "read 5": 1}
    assert (model_of(agent).calls, state_of(agent)) == (2, None)


async def test_steps_in_flight_end_and_independent_ones_go_on_while_one_waits() -> None:
    ran, log = Ran(), []
    asking = asyncio.Event()

    @tool
    async def slow() -> int:
        """End after somebody was asked."""
        await soon(asking.wait())
        log.append("slow")
        return 1

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "pay":
            asking.set()
            event.interrupt("approval")

    agent = plan_agent(
        submit(
            PAY,
            AFTER,
            {"id": "s", "tool": "slow"},
            {"id": "t", "tool": "read", "bind": {"value": "steps.s"}},
            returns=["a", "t"],
        ),
        "done",
        tools=[*ran.tools, slow],
    )
    agent.add_hook(ask, BeforeToolCallEvent)
    waits = await agent.invoke_async("go")
    assert (asked(waits), log, ran.calls) == (["p"], ["slow"], {"read 1": 1})
    await agent.invoke_async(replies(waits, p="anything"))
    assert (log, ran.calls) == (["slow"], {"read 1": 1, "pay 5": 1, "read 5": 1})


async def test_all_that_can_be_asked_is_asked_at_once_and_what_needs_it_later() -> None:
    ran = Ran()
    second = {"id": "q", "tool": "pay", "args": {"value": 6}}
    third = {"id": "t", "tool": "pay", "bind": {"value": "steps.p.paid + steps.q.paid"}}
    agent = gated(ran, submit(PAY, second, third, returns=["t"]), "done")
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["p", "q"]
    again = await agent.invoke_async(replies(waits, p="yes", q="yes"))
    assert asked(again) == ["t"]
    await agent.invoke_async(replies(again, t="yes"))
    assert answer(agent) == '{"t":{"paid":11}}'
    assert ran.calls == {"pay 5": 1, "pay 6": 1, "pay 11": 1}


async def test_what_is_left_unanswered_is_asked_again_and_the_rest_goes_on() -> None:
    ran = Ran()
    second = {"id": "q", "tool": "pay", "args": {"value": 6}}
    agent = gated(ran, submit(PAY, second, AFTER, returns=["a", "q"]), "done")
    waits = await agent.invoke_async("go")
    again = await agent.invoke_async(replies(waits, p="yes"))
    assert asked(again) == ["q"]
    assert ran.calls == {"pay 5": 1, "read 5": 1}
    assert asked(await agent.invoke_async([])) == ["q"]
    await agent.invoke_async(replies(again, q="yes"))
    assert answer(agent) == '{"a":{"value":5},"q":{"paid":6}}'
    assert ran.calls == {"pay 5": 1, "read 5": 1, "pay 6": 1}


async def test_a_denied_step_fails_with_the_reason_and_is_not_asked_about_again() -> None:
    ran = Ran()
    agent = gated(
        ran,
        submit(READ, PAY, AFTER, returns=["r", "a"], on_error="continue"),
        "I see.",
        plugin=WorkflowPlanPlugin(policy=Policy(retry={"pay": Retry(attempts=5)})),
    )
    waits = await agent.invoke_async("go")
    result = await agent.invoke_async(replies(waits, p="not before Monday"))
    assert result.stop_reason == "end_turn"
    assert answer(agent).splitlines() == [
        '{"r":{"value":1}}',
        "p failed (tool_failed): not before Monday",
        "a skipped",
        "Ran ok, kept for a corrected plan: r",
    ]
    assert ran.calls == {"read 1": 1}


async def test_an_intervention_that_denies_is_not_asked_again_by_a_retry() -> None:
    seen = []

    class Gate(InterventionHandler):
        name = "gate"

        def before_tool_call(self, event: Any, **kwargs: Any) -> Any:
            seen.append(event.tool_use["name"])
            return Deny(reason="no") if event.tool_use["name"] == "pay" else Proceed()

    ran = Ran()
    agent = plan_agent(
        submit(PAY, returns=["p"]),
        "I see.",
        tools=ran.tools,
        interventions=[Gate()],
        plugin=WorkflowPlanPlugin(policy=Policy(retry={"pay": Retry(attempts=3)})),
    )
    await agent.invoke_async("go")
    assert (seen, ran.calls) == ([TOOL_NAME, "pay"], {})


async def test_a_tool_may_ask_in_the_middle_of_its_work() -> None:
    @tool(context=True)
    async def act(tool_context: ToolContext[Agent], what: str) -> str:
        """Act as it is told."""
        first = tool_context.interrupt("first", reason=what)
        return f"{first} {tool_context.interrupt('second', reason=what)}"

    steps = [{"id": i, "tool": "act", "args": {"what": i}} for i in "xy"]
    agent = plan_agent(submit(*steps, returns=["x", "y"]), "done", tools=[act])
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["x", "y"]
    again = await agent.invoke_async(replies(waits, x="one", y="uno"))
    assert [interrupt.name for interrupt in again.interrupts or ()] == ["second", "second"]
    await agent.invoke_async(replies(again, x="two", y="due"))
    assert answer(agent) == '{"x":"one two","y":"uno due"}'


async def test_human_in_the_loop_gates_steps_and_lets_plans_pass_where_they_are_allowed() -> (
    None
):
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, returns=["r", "p"]),
        "done",
        tools=ran.tools,
        interventions=[HumanInTheLoop(allowed_tools=[TOOL_NAME, "read"])],
    )
    waits = await agent.invoke_async("go")
    assert (asked(waits), ran.calls) == (["p"], {"read 1": 1})
    await agent.invoke_async(replies(waits, p="y"))
    assert (ran.calls, state_of(agent)) == ({"read 1": 1, "pay 5": 1}, None)


async def test_human_in_the_loop_gates_the_plan_too_unless_it_is_told_not_to() -> None:
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, returns=["r", "p"]),
        "done",
        tools=ran.tools,
        interventions=[HumanInTheLoop()],
    )
    first = await agent.invoke_async("go")
    assert (asked(first), ran.calls) == (["plan"], {})
    second = await agent.invoke_async(replies(first, plan="y"))
    assert (asked(second), ran.calls) == (["r", "p"], {})
    result = await agent.invoke_async(replies(second, r="y", p="n"))
    assert (result.stop_reason, ran.calls) == ("end_turn", {"read 1": 1})
    (told,) = tool_results(agent)
    assert 'p failed (tool_failed): CONFIRMATION_FAILED: Approve "pay"?' in str(told)


async def test_a_middleware_may_gate_a_step() -> None:
    stages = pytest.importorskip("strands.middleware")
    ran = Ran()

    def ask(context: Any) -> Any:
        if context.tool_use["name"] == "pay":
            context.interrupt("approval", reason="sure?")
        return context

    agent = plan_agent(submit(PAY, AFTER, returns=["a"]), "done", tools=ran.tools)
    agent.add_middleware(stages.ExecuteToolStage.Input, ask)
    waits = await agent.invoke_async("go")
    assert (asked(waits), ran.calls) == (["p"], {})
    await agent.invoke_async(replies(waits, p="go on"))
    assert ran.calls == {"pay 5": 1, "read 5": 1}


def helper_with_gate(ran: Ran, *turns: Any, **options: Any) -> Any:
    """A sub-agent whose own tool asks before it runs."""
    helper = Agent(
        model=ScriptedModel(*turns),
        tools=ran.tools,
        name="helper",
        description="Helps.",
        callback_handler=None,
        **options,
    )
    gate("pay")(helper)
    return helper


async def test_a_gate_within_a_sub_agent_pauses_the_plan_above() -> None:
    ran, inner = Ran(), Ran()
    helper = helper_with_gate(inner, tool_call("pay", value=7), "paid it")
    agent = plan_agent(
        submit(
            READ,
            {"id": "h", "tool": "helper", "args": {"input": "pay"}, "after": ["r"]},
            output="steps.h",
        ),
        "done",
        tools=[*ran.tools, helper.as_tool()],
    )
    waits = await agent.invoke_async("go")
    assert (waits.stop_reason, ran.calls, inner.calls) == ("interrupt", {"read 1": 1}, {})
    (interrupt,) = waits.interrupts or ()
    given: Any = {"interruptResponse": {"interruptId": interrupt.id, "response": "yes"}}
    await agent.invoke_async([given])
    assert answer(agent) == "paid it\n"
    assert (ran.calls, inner.calls) == ({"read 1": 1}, {"pay 7": 1})


async def test_steps_on_one_sub_agent_that_keeps_its_conversation_wait_for_each_other() -> None:
    inner = Ran()
    helper = helper_with_gate(
        inner, tool_call("pay", value=7), "one", tool_call("pay", value=8), "two"
    )
    steps = [{"id": i, "tool": "helper", "args": {"input": i}} for i in "xy"]
    agent = plan_agent(
        submit(*steps, output="[steps.x, steps.y]"),
        "done",
        tools=[helper.as_tool(preserve_context=True)],
    )
    result = await agent.invoke_async("go")
    rounds = 0
    while result.stop_reason == "interrupt":
        rounds += 1
        (interrupt,) = result.interrupts or ()
        given: Any = {"interruptResponse": {"interruptId": interrupt.id, "response": "yes"}}
        result = await agent.invoke_async([given])
    assert (answer(agent), rounds) == ('["one\\n","two\\n"]', 2)
    assert inner.calls == {"pay 7": 1, "pay 8": 1}


async def test_a_plan_of_a_sub_agent_pauses_as_a_step_of_the_plan_above() -> None:
    ran, inner = Ran(), Ran()
    helper = helper_with_gate(
        inner,
        submit(READ, PAY, returns=["p"], final=True),
        plugins=[WorkflowPlanPlugin()],
    )
    agent = plan_agent(
        submit(READ, {"id": "h", "tool": "helper", "args": {"input": "?"}}, output="steps.h"),
        "done",
        tools=[*ran.tools, helper.as_tool()],
    )
    waits = await agent.invoke_async("go")
    assert (waits.stop_reason, inner.calls) == ("interrupt", {"read 1": 1})
    (interrupt,) = waits.interrupts or ()
    given: Any = {"interruptResponse": {"interruptId": interrupt.id, "response": "yes"}}
    await agent.invoke_async([given])
    assert answer(agent) == '{"p":{"paid":5}}'
    assert (ran.calls, inner.calls) == ({"read 1": 1}, {"read 1": 1, "pay 5": 1})


async def test_two_plans_of_one_turn_wait_together_and_each_goes_on_with_its_own() -> None:
    ran = Ran()
    other = {"id": "p", "tool": "pay", "args": {"value": 6}}
    agent = gated(ran, [submit(READ, PAY, returns=["p"]), submit(other, returns=["p"])], "done")
    waits = await agent.invoke_async("go")
    ids = [interrupt.id for interrupt in waits.interrupts or ()]
    assert [id_.split(":")[2] for id_ in ids] == ["call_1_0__p", "call_1_1__p"]
    assert list(state_of(agent)["plans"]) == ["call_1_0", "call_1_1"]
    first: Any = {"interruptResponse": {"interruptId": ids[1], "response": "yes"}}
    again = await agent.invoke_async([first])
    assert list(state_of(agent)["plans"]) == ["call_1_0"]
    await agent.invoke_async(replies(again, p="no, thanks"))
    # What was answered first comes first in the conversation.
    assert [told["content"][0]["text"] for told in tool_results(agent)] == [
        '{"p":{"paid":6}}',
        "p failed (tool_failed): no, thanks\nRan ok, kept for a corrected plan: r",
    ]
    assert (ran.calls, state_of(agent)) == ({"read 1": 1, "pay 6": 1}, None)


async def test_a_plan_waits_beside_other_calls_of_the_turn_that_wait() -> None:
    ran = Ran()
    calls = [
        tool_call("pay", value=1),
        submit(READ, PAY, AFTER, returns=["a"]),
        tool_call("read", value=2),
        tool_call("pay", value=3),
    ]
    agent = gated(ran, calls, "done")
    waits = await agent.invoke_async("go")
    assert sorted(asked(waits)) == ["p", "plan", "plan"]
    assert ran.calls == {"read 1": 1, "read 2": 1}
    again = await agent.invoke_async(replies(waits, plan="yes"))
    assert (asked(again), ran.calls["pay 1"], ran.calls["pay 3"]) == (["p"], 1, 1)
    await agent.invoke_async(replies(again, p="yes"))
    assert set(ran.calls.values()) == {1}
    assert tool_results(agent)[-1]["status"] == "success"


async def test_a_plan_that_ended_beside_a_call_that_waits_is_not_run_again() -> None:
    ran = Ran()
    agent = gated(ran, [submit(READ, returns=["r"]), tool_call("pay", value=1)], "done")
    waits = await agent.invoke_async("go")
    await agent.invoke_async(replies(waits, plan="yes"))
    assert ran.calls == {"read 1": 1, "pay 1": 1}


async def test_a_list_that_is_half_done_goes_on_where_it_was() -> None:
    ran = Ran()
    listed = {
        "id": "l",
        "tool": "pay",
        "for_each": "[1, 2, 3, 4]",
        "bind": {"value": "item"},
    }
    agent = plan_agent(submit(listed, returns=["l"]), "done", tools=ran.tools)

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        use = event.tool_use
        if use["name"] == "pay" and use["input"]["value"] % 2 == 0:
            event.interrupt("approval")

    agent.add_hook(ask, BeforeToolCallEvent)
    waits = await agent.invoke_async("go")
    assert (asked(waits), ran.calls) == (["l-1", "l-3"], {"pay 1": 1, "pay 3": 1})
    again = await agent.invoke_async(replies(waits, l_3="yes"))
    assert asked(again) == ["l-1"]
    await agent.invoke_async(replies(again, l_1="yes"))
    assert answer(agent) == '{"l":[{"paid":1},{"paid":2},{"paid":3},{"paid":4}]}'
    assert ran.calls == {f"pay {number}": 1 for number in (1, 2, 3, 4)}


async def test_failures_and_skips_stay_as_they_were_and_are_told_once() -> None:
    events: list[PlanEvent] = []
    ran = Ran()
    agent = gated(
        ran,
        submit(
            {"id": "f", "tool": "fail"},
            {"id": "n", "tool": "read", "after": ["f"]},
            {"id": "w", "tool": "read", "when": "false"},
            PAY,
            returns=["p"],
            on_error="continue",
        ),
        "done",
        plugin=WorkflowPlanPlugin(on_event=events.append),
    )
    waits = await agent.invoke_async("go")
    await agent.invoke_async(replies(waits, p="yes"))
    assert answer(agent).splitlines() == [
        '{"p":{"paid":5}}',
        "f failed (tool_failed): no such thing",
        "w not taken",
        "n skipped",
        "Ran ok, kept for a corrected plan: p",
    ]
    assert ran.calls == {"fail 0": 1, "pay 5": 1}
    told = [(event.step_id, str(event.kind)) for event in events]
    assert len(told) == len(set(told)) + 1
    assert told.count(("p", "start")) == 2
    assert [event.at_ms for event in events] == sorted(event.at_ms for event in events)
    assert len({event.run_id for event in events}) == 1


async def test_a_final_plan_ends_the_turn_after_it_was_answered() -> None:
    ran = Ran()
    agent = gated(ran, submit(PAY, output="'Paid ' & $string(steps.p.paid)", final=True))
    waits = await agent.invoke_async("go")
    result = await agent.invoke_async(replies(waits, p="yes"))
    assert (str(result), model_of(agent).calls) == ("Paid 5\n", 1)


async def test_the_agent_works_on_as_ever_after_a_plan_that_waited() -> None:
    ran = Ran()
    agent = gated(
        ran, submit(PAY, returns=["p"]), "one", submit(READ, PAY, returns=["p"]), "two"
    )
    await agent.invoke_async(replies(await agent.invoke_async("go"), p="yes"))
    waits = await agent.invoke_async("again")
    assert (asked(waits), ran.calls) == (["p"], {"pay 5": 1, "read 1": 1})
    assert str(await agent.invoke_async(replies(waits, p="yes"))) == "two\n"
    assert ran.calls == {"pay 5": 2, "read 1": 1}


async def test_one_tool_at_a_time_waits_as_well() -> None:
    executors = pytest.importorskip("strands.tools.executors")
    ran = Ran()
    agent = gated(
        ran,
        [submit(PAY, READ, AFTER, returns=["a"]), tool_call("pay", value=1)],
        "done",
        tool_executor=executors.SequentialToolExecutor(),
    )
    waits = await agent.invoke_async("go")
    assert (asked(waits), ran.calls) == (["p"], {"read 1": 1})
    again = await agent.invoke_async(replies(waits, p="yes"))
    assert asked(again) == ["plan"]
    await agent.invoke_async(replies(again, plan="yes"))
    assert ran.calls == {"read 1": 1, "pay 5": 1, "read 5": 1, "pay 1": 1}


async def test_a_plan_without_a_model_cannot_wait_and_says_so() -> None:
    ran = Ran()
    plugin = WorkflowPlanPlugin()
    agent = gated(ran, plugin=plugin)
    result = await plugin.run_plan({"steps": [PAY], "returns": ["p"]}, agent=agent)
    assert [entry.error for entry in result.ledger] == [
        "it needs a person's answer ('approval'), and a plan cannot wait for one. Call this "
        "tool by itself, outside of a plan."
    ]
    assert (ran.calls, state_of(agent)) == ({}, None)


async def test_a_plan_in_the_background_cannot_wait_and_says_so() -> None:
    ran = Ran()
    agent = gated(
        ran,
        submit(PAY, READ, returns=["r"], on_error="continue", _background_execution=True),
        "waiting",
        "done",
        background_tasks=True,
    )
    await agent.invoke_async("go")
    assert "a plan cannot wait for one" in str(tool_results(agent)[-1])
    assert ran.calls == {"read 1": 1}


async def test_a_plan_may_run_in_a_tool_while_the_agent_is_resumed() -> None:
    ran = Ran()
    plugin = WorkflowPlanPlugin()

    @tool(context=True)
    async def stored(tool_context: ToolContext[Agent]) -> dict[str, Any]:
        """Run a stored plan."""
        result = await plugin.run_plan(
            {"steps": [READ], "returns": ["r"]}, agent=tool_context.agent
        )
        return dict(result.returned)

    agent = plan_agent(
        submit({"id": "s", "tool": "stored"}, returns=["s"]),
        "done",
        tools=[*ran.tools, stored],
        plugin=plugin,
    )
    gate("stored")(agent)
    waits = await agent.invoke_async("go")
    await agent.invoke_async(replies(waits, s="yes"))
    assert answer(agent) == '{"s":{"r":{"value":1}}}'
