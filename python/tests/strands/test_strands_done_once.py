"""Whatever becomes of a plan in an agent that waits, no answer makes it run twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pause_agents import Ran, asked, gate, replies, state_of
from plan_agents import GUARD_S, answer, plan_agent, refusal, soon, submit, tool_results
from strands import Agent
from strands.hooks import BeforeToolCallEvent
from strands.session import FileSessionManager
from strands.types.exceptions import EventLoopException
from strands.vended_interventions.hitl import HumanInTheLoop

from strands_plan_tool import Policy
from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.strands_adapter.batch import STATE_KEY
from strands_plan_tool.testing.scripted_model import ToolCall, tool_call

READ: dict[str, Any] = {"id": "r", "tool": "read", "args": {"value": 1}}
PAY: dict[str, Any] = {"id": "p", "tool": "pay", "args": {"value": 5}}
PLAN = submit(READ, PAY, returns=["r", "p"])
LOST = (
    "The plan was waiting for an answer, and what it had done by then cannot be read any more. "
    "It does not go on. See what has been done before you send it again."
)
CHANGED = (
    "The plan was waiting for an answer and has been changed since, so the answer is not for "
    "it. It does not go on."
)


def gated(ran: Ran, *turns: Any, **options: Any) -> Agent:
    agent = plan_agent(*turns, tools=ran.tools, **options)
    gate("pay")(agent)
    return agent


def told(agent: Agent) -> list[str]:
    """What the model was told of each call."""
    return [str(result["content"][0].get("text")) for result in tool_results(agent)]


def interrupts_of(agent: Agent) -> dict[str, Any]:
    """All that the agent has asked and not forgotten."""
    taken = agent.take_snapshot(include=["interrupt_state"])
    asked: dict[str, Any] = taken.data["interrupt_state"]["interrupts"]
    return asked


class Pausing:
    """A hook that holds a step back until somebody has left."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def hold(self, event: BeforeToolCallEvent[Any]) -> None:
        """Wait for ever before a payment."""
        if event.tool_use["name"] == "pay":
            self.reached.set()
            await asyncio.Event().wait()


async def leave(agent: Agent, prompt: Any, when: asyncio.Event) -> None:
    """Send a prompt, and cancel the task once something has happened."""
    turn = asyncio.create_task(agent.invoke_async(prompt))
    await soon(when.wait())
    turn.cancel()
    await asyncio.wait({turn}, timeout=GUARD_S)


PAY_LAST = {**PAY, "after": ["r"]}


@pytest.mark.parametrize("by", ["approve_plan", "intervention"])
async def test_an_approved_plan_that_somebody_left_does_not_run_again(by: str) -> None:
    ran, hook = Ran(), Pausing()
    options: dict[str, Any] = {"plugin": WorkflowPlanPlugin(approve_plan=True)}
    if by == "intervention":
        options = {"interventions": [HumanInTheLoop(allowed_tools=["read", "pay"])]}
    agent = plan_agent(
        submit(READ, PAY_LAST, returns=["p"]), "done", tools=ran.tools, **options
    )
    agent.add_hook(hook.hold, BeforeToolCallEvent)
    waits = await agent.invoke_async("go")
    assert (asked(waits), ran.calls) == (["plan"], {})
    await leave(agent, replies(waits, plan="y"), hook.reached)
    assert ran.calls == {"read 1": 1}
    assert str(await soon(agent.invoke_async(replies(waits, plan="y")))) == "done\n"
    assert told(agent) == ["The plan was cancelled. Ran ok, do not repeat: r"]
    assert (ran.calls, state_of(agent)) == ({"read 1": 1}, None)


async def test_an_approved_plan_that_a_hook_broke_does_not_run_again_and_says_what_ran() -> (
    None
):
    ran, broken = Ran(), [True]

    def fail(event: BeforeToolCallEvent[Any]) -> None:
        if broken and event.tool_use["name"] == "pay":
            broken.clear()
            raise RuntimeError("broken hook")

    agent = plan_agent(
        submit(READ, PAY_LAST, returns=["p"]),
        submit(READ, PAY_LAST, returns=["p"]),
        "done",
        tools=ran.tools,
        plugin=WorkflowPlanPlugin(approve_plan=True),
    )
    agent.add_hook(fail, BeforeToolCallEvent)
    waits = await agent.invoke_async("go")
    with pytest.raises(EventLoopException, match="broken hook"):
        await agent.invoke_async(replies(waits, plan="yes"))
    again = await agent.invoke_async(replies(waits, plan="yes"))
    assert told(agent) == ["a hook stopped the plan: broken hook\nRan ok, do not repeat: r"]
    # The model sends it once more, which is another question.
    assert str(await agent.invoke_async(replies(again, plan="yes"))) == "done\n"
    assert ran.calls == {"read 1": 1, "pay 5": 1}


@pytest.mark.parametrize("steps_wait", [False, True])
async def test_a_middleware_that_asks_after_the_plan_does_not_make_it_run_again(
    steps_wait: bool,
) -> None:
    stages = pytest.importorskip("strands.middleware")
    ran = Ran()

    async def ask(context: Any, rest: Any) -> Any:
        async for event in rest(context):
            yield event
        if context.tool_use["name"] == TOOL_NAME:
            context.interrupt("review", reason="fine?")

    agent = plan_agent(PLAN, "done", tools=ran.tools)
    agent.add_middleware(stages.ExecuteToolStage, ask)
    if steps_wait:
        gate("pay")(agent)
    result = await agent.invoke_async("go")
    while result.stop_reason == "interrupt":
        result = await agent.invoke_async(replies(result, p="yes", plan="yes"))
    assert answer(agent) == '{"r":{"value":1},"p":{"paid":5}}'
    assert (ran.calls, state_of(agent)) == ({"read 1": 1, "pay 5": 1}, None)


def without_state(agent: Agent) -> None:
    agent.state.delete(STATE_KEY)


def without_tracking_ids(agent: Agent) -> None:
    for message in agent.messages:
        message.pop("tracking_id", None)


def with_other_tracking_ids(agent: Agent) -> None:
    for at, message in enumerate(agent.messages):
        message["tracking_id"] = f"other-{at}"


def with_state(value: Any) -> Callable[[Agent], None]:
    return lambda agent: agent.state.set(STATE_KEY, value)


def with_entry(**changes: Any) -> Callable[[Agent], None]:
    def change(agent: Agent) -> None:
        entry = json.loads(state_of(agent)["plans"]["call_1_0"])
        agent.state.set(STATE_KEY, {"plans": {"call_1_0": json.dumps({**entry, **changes})}})

    return change


BROKEN = {
    "the state is gone": without_state,
    "no message has a tracking id": without_tracking_ids,
    "all messages have other tracking ids": with_other_tracking_ids,
    "a text": with_state("mine"),
    "a list": with_state([1]),
    "plans that are a text": with_state({"plans": "x"}),
    "plans that are a list": with_state({"plans": [1]}),
    "a plan that is a number": with_state({"plans": {"call_1_0": 5}}),
    "a plan of another run": with_state({"plans": {"call_1_0": '{"run":"x"}'}}),
    "a plan that is no JSON": with_state({"plans": {"call_1_0": "["}}),
    "media that are a list": with_entry(media=["x"]),
    "media that are no base64": with_entry(media={"m": {"image": {"$bytes": "x"}}}),
    "texts that are a number": with_entry(texts=5),
    "a sub-agent's call that is a text": with_entry(held=["x"]),
    "nothing that was told": with_entry(told=5),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
async def test_answers_for_a_plan_of_which_nothing_is_known_run_nothing(
    change: Callable[[Agent], None],
) -> None:
    ran = Ran()
    agent = gated(ran, PLAN, "done")
    waits = await agent.invoke_async("go")
    change(agent)
    assert str(await agent.invoke_async(replies(waits, p="yes"))) == "done\n"
    assert refusal(agent) == LOST
    assert (ran.calls, state_of(agent)) == ({"read 1": 1}, None)


async def test_a_snapshot_without_the_state_runs_nothing_and_one_with_it_goes_on() -> None:
    for include, runs in ((["messages", "interrupt_state"], 0), (None, 1)):
        ran = Ran()
        agent = gated(ran, PLAN)
        waits = await agent.invoke_async("go")
        other = gated(ran, "done")
        if include is None:
            other.load_snapshot(agent.take_snapshot(preset="session"))
        else:
            other.load_snapshot(agent.take_snapshot(include=include))  # type: ignore[arg-type]
        await other.invoke_async(replies(waits, p="yes"))
        assert (ran.calls["read 1"], ran.calls["pay 5"]) == (1, runs)


async def test_an_answer_is_for_no_other_plan_than_the_one_that_asked() -> None:
    ran, sent = Ran(), [0]

    def change(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == TOOL_NAME:
            sent[0] += 1
            steps = [READ, {**PAY, "args": {"value": min(sent[0], 2)}}]
            event.tool_use["input"] = {"steps": steps, "returns": ["r", "p"]}

    agent = plan_agent(PLAN, PLAN, "done", tools=ran.tools)
    agent.add_hook(change, BeforeToolCallEvent)
    gate("pay")(agent)
    waits = await agent.invoke_async("go")
    assert [interrupt.reason for interrupt in waits.interrupts or ()] == [{"value": 1}]
    again = await agent.invoke_async(replies(waits, p="yes"))
    assert told(agent) == [f"{CHANGED}\nRan ok, do not repeat: r"]
    # The model sends it once more: what ran is taken over, what did not is asked about.
    assert [interrupt.reason for interrupt in again.interrupts or ()] == [{"value": 2}]
    await agent.invoke_async(replies(again, p="yes"))
    assert (ran.calls, state_of(agent)) == ({"read 1": 1, "pay 2": 1}, None)


async def test_a_plan_that_had_not_begun_begins_in_a_turn_that_waits_for_something_else() -> (
    None
):
    ran = Ran()
    calls = [tool_call("pay", value=1), submit(READ, returns=["r"])]
    agent = plan_agent(calls, submit(READ, PAY, returns=["p"]), "done", tools=ran.tools)
    gate("pay", TOOL_NAME)(agent)
    waits = await agent.invoke_async("go")
    assert (asked(waits), ran.calls) == (["plan", "plan"], {})
    again = await agent.invoke_async(replies(waits, plan="yes"))
    assert (asked(again), ran.calls) == (["plan"], {"pay 1": 1, "read 1": 1})
    third = await agent.invoke_async(replies(again, plan="yes"))
    assert (asked(third), ran.calls["read 1"]) == (["p"], 2)
    await agent.invoke_async(replies(third, p="yes"))
    assert ran.calls == {"pay 1": 1, "read 1": 2, "pay 5": 1}


async def test_a_plan_that_waited_does_not_go_on_where_no_plan_may_wait() -> None:
    ran = Ran()
    agent = gated(ran, PLAN)
    waits = await agent.invoke_async("go")
    other = gated(ran, "done", plugin=WorkflowPlanPlugin(approvals="refuse"))
    other.load_snapshot(agent.take_snapshot(preset="session"))
    await other.invoke_async(replies(waits, p="yes"))
    assert (refusal(other), ran.calls) == (LOST, {"read 1": 1})


async def test_an_input_that_cannot_be_made_any_more_costs_nothing_that_ran() -> None:
    ran, made = Ran(), [0]

    def given(_: Any) -> dict[str, Any]:
        made[0] += 1
        if made[0] == 2:
            raise ValueError("no such user")
        return {"n": 1}

    plan = submit({**READ, "args": {}, "bind": {"value": "input.n"}}, PAY, returns=["r", "p"])
    agent = gated(ran, plan, plan, "done", plugin=WorkflowPlanPlugin(input=given))
    waits = await agent.invoke_async("go")
    again = await agent.invoke_async(replies(waits, p="yes"))
    assert told(agent) == ["Error: no such user\nRan ok, do not repeat: r"]
    await agent.invoke_async(replies(again, p="yes"))
    assert told(agent)[1] == '{"r":{"value":1},"p":{"paid":5}}'
    assert ran.calls == {"read 1": 1, "pay 5": 1}


async def test_a_plan_that_is_lost_and_sent_again_takes_over_what_ran() -> None:
    ran = Ran()
    agent = gated(ran, PLAN, PLAN, "done")
    waits = await agent.invoke_async("go")
    agent.state.set(STATE_KEY, {**state_of(agent), "plans": {"call_1_0": "{"}})
    again = await agent.invoke_async(replies(waits, p="yes"))
    await agent.invoke_async(replies(again, p="yes"))
    assert told(agent) == [LOST, '{"r":{"value":1},"p":{"paid":5}}']
    assert ran.calls == {"read 1": 1, "pay 5": 1}


def agent_file(folder: Path) -> tuple[Path, bytes]:
    """What a session has stored of its agent."""
    (path,) = folder.rglob("agent.json")
    return path, path.read_bytes()


def put_back(folder: Path, stored: tuple[Path, bytes]) -> None:
    """Undo what a session stored after the last tool result."""
    stored[0].write_bytes(stored[1])
    max(folder.rglob("message_*.json"), key=lambda path: path.stem).unlink()


async def test_a_result_that_was_stored_before_the_agent_is_the_plans_result(
    tmp_path: Path,
) -> None:
    ran = Ran()

    def agent(*turns: Any) -> Agent:
        session = FileSessionManager("s", storage_dir=str(tmp_path))
        return gated(ran, *turns, agent_id="one", session_manager=session)

    follows = {"id": "a", "tool": "read", "args": {"value": 2}, "after": ["p"]}
    waits = await agent(submit(READ, PAY, follows, returns=["a"])).invoke_async("go")
    stored = agent_file(tmp_path)
    await agent("never heard").invoke_async(replies(waits, p="yes"))
    # As a process leaves it that dies between the two.
    put_back(tmp_path, stored)
    last = agent("done")
    assert str(await last.invoke_async(replies(waits, p="yes"))) == "done\n"
    assert set(told(last)) == {'{"a":{"value":2}}'}
    assert ran.calls == {"read 1": 1, "pay 5": 1, "read 2": 1}
    assert state_of(last) is None


async def test_no_two_steps_of_a_turn_get_one_id_whatever_the_calls_are_called() -> None:
    ran = Ran()
    steps = {"steps": [{**PAY, "id": "p__p", "args": {"value": 1}}], "returns": ["p__p"]}
    other = {"steps": [{**PAY, "args": {"value": 2}}], "returns": ["p"]}
    calls = [ToolCall(TOOL_NAME, steps, "a"), ToolCall(TOOL_NAME, other, "a__p")]
    agent = gated(ran, calls, "done")
    waits = await agent.invoke_async("go")
    found = {i.id.split(":")[2]: i.reason for i in waits.interrupts or ()}
    assert found == {"a__p__p": {"value": 1}, "a__p.__p": {"value": 2}}
    answers: Any = [
        {"interruptResponse": {"interruptId": i.id, "response": said}}
        for i, said in zip(waits.interrupts or (), ("yes", "no"), strict=True)
    ]
    await agent.invoke_async(answers)
    assert ran.calls == {"pay 1": 1}


async def test_what_nobody_will_be_asked_is_not_left_in_the_agent() -> None:
    ran = Ran()
    plugin = WorkflowPlanPlugin(policy=Policy(max_concurrency=1))
    agent = gated(
        ran,
        submit(PAY, {"id": "f", "tool": "fail"}, returns=["p"]),
        "done",
        plugin=plugin,
    )
    await plugin.run_plan({"steps": [PAY], "returns": ["p"]})
    assert interrupts_of(agent) == {}
    await agent.invoke_async("go")
    assert told(agent) == ["p skipped\nf failed (tool_failed): no such thing"]
    assert interrupts_of(agent) == {}
