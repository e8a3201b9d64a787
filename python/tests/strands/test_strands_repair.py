"""A corrected plan takes over what went well in the plans before it in the same turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pause_agents import Ran, asked, gate, replies, state_of
from plan_agents import plan_agent, submit, tool_results
from strands import Agent, tool
from strands.session import FileSessionManager
from strands.types.agent import ConcurrentInvocationMode
from strands.vended_interventions.hitl import HumanInTheLoop

from strands_plan_tool.strands_adapter import WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import tool_call

READ: dict[str, Any] = {"id": "r", "tool": "read", "args": {"value": 1}}
PAY: dict[str, Any] = {"id": "p", "tool": "pay", "args": {"value": 5}}
WRONG: dict[str, Any] = {"id": "f", "tool": "fail", "after": ["r", "p"]}
RIGHT: dict[str, Any] = {"id": "f", "tool": "read", "args": {"value": 2}, "after": ["r", "p"]}


def told(agent: Agent) -> list[str]:
    """What the model was told of each call."""
    return [str(result["content"][0].get("text")) for result in tool_results(agent)]


async def reused(agent: Agent, prompt: Any = "go", **options: Any) -> list[dict[str, int]]:
    """How many calls each step of each plan took over."""
    taken = []
    async for event in agent.stream_async(prompt, **options):
        data = event.get("tool_stream_event", {}).get("data")
        if isinstance(data, dict) and "plan_result" in data:
            ledger = data["plan_result"]["ledger"]
            taken.append({entry["id"]: entry.get("reused", 0) for entry in ledger})
    return taken


async def test_a_corrected_plan_does_not_call_again_what_went_well() -> None:
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        submit(READ, PAY, RIGHT, returns=["r", "p", "f"]),
        "done",
        tools=ran.tools,
    )
    taken = await reused(agent)
    assert ran.calls == {"read 1": 1, "pay 5": 1, "fail 0": 1, "read 2": 1}
    assert taken == [{"r": 0, "p": 0, "f": 0}, {"r": 1, "p": 1, "f": 0}]
    assert told(agent) == [
        "f failed (tool_failed): no such thing\nRan ok, kept for a corrected plan: r, p",
        '{"r":{"value":1},"p":{"paid":5},"f":{"value":2}}',
    ]
    assert state_of(agent) is None


async def test_a_step_counts_as_the_same_by_its_tool_and_arguments_not_by_its_id() -> None:
    ran = Ran()
    renamed = {"id": "x", "tool": "read", "bind": {"value": "2 - 1"}}
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        submit(renamed, {**PAY, "args": {"value": 6}}, returns=["x", "p"]),
        "done",
        tools=ran.tools,
    )
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 1, "pay 5": 1, "fail 0": 1, "pay 6": 1}


async def test_only_the_items_that_failed_are_called_again() -> None:
    ran, down = Ran(), [True]

    @tool
    async def mail(to: int) -> int:
        """Mail."""
        ran.calls[f"mail {to}"] += 1
        if to == 2 and down:
            down.clear()
            raise OSError("down")
        return to

    listed = {"id": "m", "tool": "mail", "for_each": "[1, 2, 3]", "bind": {"to": "item"}}
    plan = submit(listed, returns=["m"], on_error="continue")
    agent = plan_agent(plan, plan, "done", tools=[mail])
    taken = await reused(agent)
    assert (ran.calls, taken) == ({"mail 1": 1, "mail 2": 2, "mail 3": 1}, [{"m": 0}, {"m": 2}])
    assert told(agent)[1] == '{"m":[1,2,3]}'


async def test_a_tool_that_is_called_twice_on_purpose_is_called_twice() -> None:
    ran = Ran()
    twice = [{**PAY, "id": id_} for id_ in ("p", "q")]
    agent = plan_agent(
        submit(*twice, {**WRONG, "after": ["p", "q"]}, returns=["f"]),
        submit(*twice, returns=["p", "q"]),
        "done",
        tools=ran.tools,
    )
    await agent.invoke_async("go")
    assert ran.calls == {"pay 5": 2, "fail 0": 1}


async def test_a_call_that_the_corrected_plan_has_once_more_is_made_once_more() -> None:
    ran = Ran()
    agent = plan_agent(
        submit(PAY, {**WRONG, "after": ["p"]}, returns=["f"]),
        submit(PAY, {**PAY, "id": "q", "after": ["p"]}, returns=["p", "q"]),
        "done",
        tools=ran.tools,
    )
    await agent.invoke_async("go")
    assert ran.calls == {"pay 5": 2, "fail 0": 1}


async def test_after_a_plan_that_went_well_nothing_is_taken_over() -> None:
    ran = Ran()
    plan = submit(READ, returns=["r"])
    agent = plan_agent(plan, plan, "done", tools=ran.tools)
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 2}


async def test_nothing_is_taken_over_into_another_turn() -> None:
    ran = Ran()
    state: dict[str, Any] = {}
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        "I give up.",
        submit(READ, PAY, RIGHT, returns=["r", "p", "f"]),
        "done",
        tools=ran.tools,
    )
    await agent.invoke_async("go", invocation_state=state)
    await agent.invoke_async("once more", invocation_state=state)
    assert ran.calls == {"read 1": 2, "pay 5": 2, "fail 0": 1, "read 2": 1}


async def test_a_tool_that_the_host_leaves_out_is_called_again_and_the_model_told_so() -> None:
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        submit(READ, PAY, RIGHT, returns=["f"]),
        "done",
        tools=ran.tools,
        plugin=WorkflowPlanPlugin(reusable=["*", "!read"]),
    )
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 2, "pay 5": 1, "fail 0": 1, "read 2": 1}
    assert told(agent)[0].splitlines()[1:] == [
        "Ran ok, do not repeat: r",
        "Ran ok, kept for a corrected plan: p",
    ]


@pytest.mark.parametrize("options", [{"approvals": "refuse"}, {"reusable": []}])
async def test_a_host_may_have_nothing_remembered(options: dict[str, Any]) -> None:
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        submit(READ, PAY, RIGHT, returns=["f"]),
        "done",
        tools=ran.tools,
        plugin=WorkflowPlanPlugin(**options),
    )
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 2, "pay 5": 2, "fail 0": 1, "read 2": 1}
    assert told(agent)[0].splitlines()[1:] == ["Ran ok, do not repeat: r, p"]


async def test_a_refused_plan_and_other_calls_in_between_cost_nothing() -> None:
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        submit(READ, {**PAY, "tool": "pya"}, returns=["p"]),
        tool_call("read", value=9),
        submit(READ, PAY, RIGHT, returns=["f"]),
        "done",
        tools=ran.tools,
    )
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 1, "pay 5": 1, "fail 0": 1, "read 9": 1, "read 2": 1}


async def test_of_two_plans_at_one_time_neither_takes_from_the_other() -> None:
    ran = Ran()
    both = [submit(READ, WRONG | {"after": ["r"]}, returns=["f"]), submit(READ, returns=["r"])]
    again = submit(READ, {**READ, "id": "s"}, returns=["r", "s"])
    agent = plan_agent(both, again, "done", tools=ran.tools)
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 2, "fail 0": 1}


async def test_media_are_taken_over_whole() -> None:
    image = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}
    ran, given = Ran(), []

    @tool
    def screenshot() -> dict[str, Any]:
        """Take a picture."""
        ran.calls["screenshot"] += 1
        return {"status": "success", "content": [image]}

    @tool
    async def describe(picture: dict[str, Any]) -> str:
        """Describe a picture."""
        given.append(picture)
        return "a cat"

    shot = {"id": "s", "tool": "screenshot"}
    agent = plan_agent(
        submit(shot, {"id": "f", "tool": "fail", "after": ["s"]}, returns=["f"]),
        submit(
            shot,
            {"id": "d", "tool": "describe", "bind": {"picture": "steps.s"}},
            returns=["s", "d"],
        ),
        "done",
        tools=[*ran.tools, screenshot, describe],
    )
    await agent.invoke_async("go")
    assert (given, ran.calls["screenshot"]) == ([image], 1)
    assert tool_results(agent)[1]["content"][1] == image


async def test_what_is_kept_outlives_a_pause_and_the_process(tmp_path: Path) -> None:
    ran = Ran()

    def agent(*turns: Any) -> Agent:
        made = plan_agent(
            *turns,
            tools=ran.tools,
            agent_id="one",
            session_manager=FileSessionManager("s", storage_dir=str(tmp_path)),
        )
        gate("pay")(made)
        return made

    plan = submit(READ, {**WRONG, "after": ["r"]}, PAY, returns=["p"], on_error="continue")
    waits = await agent(plan).invoke_async("go")
    corrected = submit(
        READ, PAY, {"id": "q", "tool": "pay", "args": {"value": 6}}, returns=["p", "q"]
    )
    again = await agent(corrected).invoke_async(replies(waits, p="yes"))
    assert asked(again) == ["q"]
    last = agent("done")
    await last.invoke_async(replies(again, q="yes"))
    assert told(last)[-1] == '{"p":{"paid":5},"q":{"paid":6}}'
    assert ran.calls == {"read 1": 1, "fail 0": 1, "pay 5": 1, "pay 6": 1}


async def test_what_is_kept_outlives_a_gate_before_the_corrected_plan(tmp_path: Path) -> None:
    ran = Ran()

    def agent(*turns: Any) -> Agent:
        return plan_agent(
            *turns,
            tools=ran.tools,
            agent_id="one",
            interventions=[HumanInTheLoop(allowed_tools=["read", "pay", "fail"])],
            session_manager=FileSessionManager("s", storage_dir=str(tmp_path)),
        )

    first = await agent(submit(READ, PAY, WRONG, returns=["f"])).invoke_async("go")
    second = agent(submit(READ, PAY, RIGHT, returns=["f"]))
    waits = await second.invoke_async(replies(first, plan="y"))
    assert asked(waits) == ["plan"]
    last = agent("done")
    await last.invoke_async(replies(waits, plan="y"))
    assert told(last)[-1] == '{"f":{"value":2}}'
    assert ran.calls == {"read 1": 1, "pay 5": 1, "fail 0": 1, "read 2": 1}
    assert state_of(last) is None


async def test_a_denied_step_is_not_taken_over_and_asks_again() -> None:
    ran = Ran()
    plan = submit(READ, PAY, returns=["p"])
    agent = plan_agent(plan, plan, "done", tools=ran.tools)
    gate("pay")(agent)
    waits = await agent.invoke_async("go")
    again = await agent.invoke_async(replies(waits, p="no"))
    assert asked(again) == ["p"]
    await agent.invoke_async(replies(again, p="yes"))
    assert ran.calls == {"read 1": 1, "pay 5": 1}


async def test_where_turns_overlap_nothing_is_remembered() -> None:
    ran = Ran()
    agent = plan_agent(
        submit(READ, PAY, WRONG, returns=["f"]),
        submit(READ, PAY, RIGHT, returns=["f"]),
        "done",
        tools=ran.tools,
        concurrent_invocation_mode=ConcurrentInvocationMode.UNSAFE_REENTRANT,
    )
    await agent.invoke_async("go")
    assert ran.calls == {"read 1": 2, "pay 5": 2, "fail 0": 1, "read 2": 1}
