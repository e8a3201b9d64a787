"""A plan as a whole is approved before anything of it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pause_agents import Ran, asked, gate, replies, state_of
from plan_agents import answer, model_of, plan_agent, refusal, submit, tool_results
from strands import Agent
from strands.hooks import BeforeToolCallEvent
from strands.session import FileSessionManager

from strands_plan_tool import Effect, Policy
from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin

READ: dict[str, Any] = {"id": "r", "tool": "read", "args": {"value": 1}}
PAY: dict[str, Any] = {"id": "p", "tool": "pay", "bind": {"value": "steps.r.value + 4"}}


def approved_agent(ran: Ran, *turns: Any, **options: Any) -> Agent:
    policy = Policy(effects={"read": Effect.READ, "pay": Effect.WRITE})
    return plan_agent(
        *turns,
        tools=ran.tools,
        plugin=WorkflowPlanPlugin(approve_plan=True, policy=policy),
        **options,
    )


async def test_a_person_reads_what_the_plan_would_do_before_anything_runs() -> None:
    ran = Ran()
    agent = approved_agent(ran, submit(READ, PAY, returns=["p"]), "done")
    waits = await agent.invoke_async("go")
    (interrupt,) = waits.interrupts or ()
    assert interrupt.name == TOOL_NAME
    assert interrupt.reason.splitlines()[:2] == [
        "1. r: read (reads) with value = 1",
        "2. p: pay (writes) with value from steps.r.value + 4",
    ]
    assert ran.calls == {}


@pytest.mark.parametrize("yes", [True, "y", " Yes ", {"approved": True}])
async def test_an_approved_plan_runs(yes: Any) -> None:
    ran = Ran()
    agent = approved_agent(ran, submit(READ, PAY, returns=["p"]), "done")
    waits = await agent.invoke_async("go")
    await agent.invoke_async(replies(waits, plan=yes))
    assert (answer(agent), model_of(agent).calls) == ('{"p":{"paid":5}}', 2)
    assert (ran.calls, state_of(agent)) == ({"read 1": 1, "pay 5": 1}, None)


@pytest.mark.parametrize(
    ("no", "words"),
    [
        (False, ""),
        ("", ""),
        ("n", " Answer: n"),
        (" not\n before  Monday ", " Answer: not before  Monday"),
        ({"approved": False}, ""),
        ({"approved": False, "reason": "too dear"}, " Answer: too dear"),
        ({"approved": False, "reason": "no \ud800"}, " Answer: no \ufffd"),
        ({"approved": "yes"}, ""),
        ({"limit": 3}, ' Answer: {"limit":3}'),
        (0, " Answer: 0"),
        ("x" * 2000, f" Answer: {'x' * 1000}…"),
    ],
)
async def test_a_plan_that_is_not_approved_runs_nothing_and_says_why(
    no: Any, words: str
) -> None:
    ran = Ran()
    agent = approved_agent(ran, submit(READ, PAY, returns=["p"]), "I see.")
    waits = await agent.invoke_async("go")
    result = await agent.invoke_async(replies(waits, plan=no))
    assert (str(result), ran.calls) == ("I see.\n", {})
    assert refusal(agent) == f"The plan was not approved and nothing ran.{words}"


async def test_an_approval_holds_for_no_other_plan() -> None:
    ran = Ran()
    agent = approved_agent(
        ran, submit(READ, returns=["r"]), submit(READ, PAY, returns=["p"]), "done"
    )
    first = await agent.invoke_async("go")
    second = await agent.invoke_async(replies(first, plan="yes"))
    assert (asked(second), ran.calls) == (["plan"], {"read 1": 1})
    await agent.invoke_async(replies(second, plan="no"))
    assert ran.calls == {"read 1": 1}


async def test_a_plan_that_is_changed_after_it_was_approved_is_asked_about_anew() -> None:
    ran = Ran()
    changed = [False]

    def change(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == TOOL_NAME and changed[0]:
            event.tool_use["input"]["steps"][0]["args"]["value"] = 1000

    agent = approved_agent(ran, submit(READ, PAY, returns=["p"]), "done")
    agent.add_hook(change, BeforeToolCallEvent)
    first = await agent.invoke_async("go")
    changed[0] = True
    second = await agent.invoke_async(replies(first, plan="yes"))
    assert (asked(second), ran.calls) == (["plan"], {})
    (interrupt,) = second.interrupts or ()
    assert "value = 1000" in interrupt.reason


async def test_an_approved_plan_whose_steps_wait_is_not_asked_about_again(
    tmp_path: Path,
) -> None:
    ran = Ran()

    def agent(*turns: Any) -> Agent:
        session = FileSessionManager("s", storage_dir=str(tmp_path))
        made = approved_agent(ran, *turns, agent_id="one", session_manager=session)
        gate("pay")(made)
        return made

    first = await agent(submit(READ, PAY, returns=["p"])).invoke_async("go")
    assert (asked(first), ran.calls) == (["plan"], {})
    second = await agent().invoke_async(replies(first, plan="yes"))
    assert (asked(second), ran.calls) == (["p"], {"read 1": 1})
    last = agent("done")
    await last.invoke_async(replies(second, p="yes"))
    assert (answer(last), ran.calls) == ('{"p":{"paid":5}}', {"read 1": 1, "pay 5": 1})


async def test_a_corrected_plan_is_asked_about_and_takes_over_what_went_well() -> None:
    ran = Ran()
    wrong = {"id": "f", "tool": "fail", "after": ["r"]}
    agent = approved_agent(
        ran, submit(READ, wrong, returns=["f"]), submit(READ, returns=["r"]), "done"
    )
    first = await agent.invoke_async("go")
    second = await agent.invoke_async(replies(first, plan="yes"))
    assert asked(second) == ["plan"]
    await agent.invoke_async(replies(second, plan="yes"))
    assert ran.calls == {"read 1": 1, "fail 0": 1}


async def test_a_refused_plan_is_not_shown_to_anybody() -> None:
    ran = Ran()
    agent = approved_agent(ran, submit({**READ, "tool": "raed"}, returns=["r"]), "I see.")
    assert (await agent.invoke_async("go")).stop_reason == "end_turn"
    assert "unknown_tool" in refusal(agent)


async def test_two_plans_are_asked_about_at_once() -> None:
    ran = Ran()
    plans = [submit(READ, returns=["r"]), submit(READ, PAY, returns=["p"])]
    agent = approved_agent(ran, plans, "done")
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["plan", "plan"]
    await agent.invoke_async(replies(waits, plan="yes"))
    assert ran.calls == {"read 1": 2, "pay 5": 1}


async def test_a_plan_in_the_background_runs_nothing_since_nobody_is_asked() -> None:
    ran = Ran()
    agent = approved_agent(
        ran,
        submit(READ, returns=["r"], _background_execution=True),
        "waiting",
        "done",
        background_tasks=True,
    )
    await agent.invoke_async("go")
    assert (
        "The plan was not approved and nothing ran. Nobody can be asked here: send it again "
        "in the foreground."
    ) in str(tool_results(agent)[-1])
    assert ran.calls == {}


async def test_a_plan_of_the_hosts_own_needs_no_approval() -> None:
    ran = Ran()
    plugin = WorkflowPlanPlugin(approve_plan=True)
    agent = plan_agent(tools=ran.tools, plugin=plugin)
    result = await plugin.run_plan({"steps": [READ], "returns": ["r"]}, agent=agent)
    assert result.returned == {"r": {"value": 1}}
