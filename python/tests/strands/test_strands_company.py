"""Plans beside what else an agent may have: offloading, background tasks, media, agents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from plan_agents import answer, model_of, plan_agent, soon, submit, tool_results
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent, HookOrder
from strands.vended_plugins.context_offloader import ContextOffloader

from strands_plan_tool import PlanEvent, Policy, Retry
from strands_plan_tool.strands_adapter import TOOL_DESCRIPTION, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ModelRequest

IMAGE = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}


@tool
async def echo(value: Any) -> Any:
    """Give back."""
    return value


@tool
def long_list() -> list[dict[str, Any]]:
    """List many."""
    return [{"n": n, "word": "x" * 100} for n in range(200)]


@tool
def screenshot() -> dict[str, Any]:
    """Take a picture."""
    return {"status": "success", "content": [IMAGE]}


async def test_a_step_computes_with_a_result_that_was_offloaded_from_the_context() -> None:
    agent = plan_agent(
        submit({"id": "a", "tool": "long_list"}, output="$count(steps.a)"),
        "ok",
        tools=[long_list],
        plugins=[ContextOffloader()],
    )
    await agent.invoke_async("go")
    assert answer(agent) == "200"


async def test_an_offloaded_result_stays_as_an_early_hook_redacted_it() -> None:
    def redact(event: AfterToolCallEvent[Any]) -> None:
        content = event.result["content"]
        if event.tool_use["name"] == "long_list":
            event.result["content"] = [{"text": content[0]["text"].replace("x", "*")}]

    agent = plan_agent(
        submit({"id": "a", "tool": "long_list"}, output="steps.a[0].word"),
        "ok",
        tools=[long_list],
        plugins=[ContextOffloader()],
    )
    agent.add_hook(redact, AfterToolCallEvent, order=HookOrder.INTERVENTION_OUTPUT)
    await agent.invoke_async("go")
    assert answer(agent) == "*" * 100


async def test_a_tool_that_always_runs_in_the_background_gives_a_step_its_result() -> None:
    @tool
    async def job(value: int) -> dict[str, int]:
        """Do a job."""
        return {"done": value}

    state: dict[str, Any] = {}
    agent = plan_agent(
        submit({"id": "a", "tool": "job", "args": {"value": 4}}, output="steps.a.done"),
        "ok",
        tools=[job],
        background_tasks={"always": ["job"]},
    )
    await agent.invoke_async("go", invocation_state=state)
    assert answer(agent) == "4"


async def test_a_whole_plan_may_run_in_the_background() -> None:
    dispatched = asyncio.Event()

    @tool
    async def job() -> str:
        """Go on while the model says something else."""
        await soon(dispatched.wait())
        return "in time"

    def meanwhile(request: ModelRequest) -> str:
        dispatched.set()
        return "waiting"

    agent = plan_agent(
        submit({"id": "a", "tool": "job"}, output="steps.a", _background_execution=True),
        meanwhile,
        "done",
        tools=[job],
        background_tasks=True,
    )
    assert str(await agent.invoke_async("go")) == "done\n"
    assert {"text": "in time"} in tool_results(agent)[-1]["content"]


async def test_state_that_steps_change_reaches_the_caller_beside_background_tasks() -> None:
    @tool(context=True)
    def visit(tool_context: ToolContext[Agent]) -> int:
        """Visit."""
        tool_context.invocation_state["visited"] = True
        del tool_context.invocation_state["ticket"]
        return 1

    state: dict[str, Any] = {"ticket": 1, "kept": 2}
    agent = plan_agent(
        submit({"id": "a", "tool": "visit"}, returns=["a"]),
        "ok",
        tools=[visit],
        background_tasks=True,
    )
    await agent.invoke_async("go", invocation_state=state)
    assert (state["visited"], state["kept"], "ticket" in state) == (True, 2, False)


async def test_media_goes_to_the_next_tool_whole_and_to_the_model_beside_the_text() -> None:
    given = []

    @tool
    async def describe(picture: dict[str, Any]) -> str:
        """Describe a picture."""
        given.append(picture)
        return "a cat"

    agent = plan_agent(
        submit(
            {"id": "s", "tool": "screenshot"},
            {"id": "d", "tool": "describe", "bind": {"picture": "steps.s"}},
            returns=["s", "d"],
        ),
        "ok",
        tools=[screenshot, describe],
    )
    await agent.invoke_async("go")
    assert given == [IMAGE]
    (told,) = tool_results(agent)
    reference = '{"$media":"call_1_0__s.0","kind":"image","format":"png"}'
    assert told["content"] == [{"text": f'{{"s":{reference},"d":"a cat"}}'}, IMAGE]


async def test_a_final_plan_that_returns_media_lets_the_model_see_it() -> None:
    agent = plan_agent(
        submit({"id": "s", "tool": "screenshot"}, returns=["s"], final=True),
        "It shows a cat.",
        tools=[screenshot],
    )
    assert str(await agent.invoke_async("go")) == "It shows a cat.\n"


async def test_a_json_text_is_read_by_paths_and_handed_on_as_it_was() -> None:
    given = []

    @tool
    def fetch() -> str:
        """Fetch a document."""
        return '{ "id" : 7 }'

    @tool
    async def store(text: str, number: int) -> int:
        """Store a document."""
        given.append((text, number))
        return number

    agent = plan_agent(
        submit(
            {"id": "f", "tool": "fetch"},
            {"id": "s", "tool": "store", "bind": {"text": "steps.f", "number": "steps.f.id"}},
            returns=["s"],
        ),
        "ok",
        tools=[fetch, store],
    )
    await agent.invoke_async("go")
    assert (answer(agent), given) == ('{"s":7}', [('{ "id" : 7 }', 7)])


async def test_one_plugin_serves_two_agents_at_one_time() -> None:
    barrier = asyncio.Barrier(2)

    @tool
    async def meet(name: str) -> str:
        """Wait for the other agent."""
        await soon(barrier.wait())
        return name

    plugin = WorkflowPlanPlugin()
    agents = [
        plan_agent(
            submit(
                {"id": "a", "tool": "meet", "args": {"name": name}},
                output="steps.a",
                final=True,
            ),
            tools=[meet],
            plugin=plugin,
        )
        for name in ("ann", "bob")
    ]
    results = await asyncio.gather(*(agent.invoke_async("go") for agent in agents))
    assert [str(result) for result in results] == ["ann\n", "bob\n"]


async def test_two_plans_of_one_batch_run_at_one_time_and_keep_apart() -> None:
    barrier = asyncio.Barrier(2)

    @tool
    async def meet(name: str) -> str:
        """Wait for the other plan."""
        await soon(barrier.wait())
        return name

    plans = [
        submit({"id": "a", "tool": "meet", "args": {"name": name}}, output="steps.a")
        for name in ("ann", "bob")
    ]
    agent = plan_agent(plans, "ok", tools=[meet])
    await agent.invoke_async("go")
    assert [told["content"] for told in tool_results(agent)] == [
        [{"text": "ann"}],
        [{"text": "bob"}],
    ]


@pytest.mark.parametrize("as_function", [False, True])
async def test_the_hosts_values_are_there_for_expressions(as_function: bool) -> None:
    values = {"user": "ann"}
    plugin = WorkflowPlanPlugin(
        input=(lambda state: {"user": state["user"]}) if as_function else values
    )
    step = {"id": "a", "tool": "echo", "bind": {"value": "input.user"}}
    agent = plan_agent(submit(step, output="steps.a"), "ok", tools=[echo], plugin=plugin)
    await agent.invoke_async("go", invocation_state={"user": "ann"})
    assert answer(agent) == "ann"
    (spec,) = [s for s in model_of(agent).requests[0].tool_specs if "plan" in s["name"]]
    assert spec["description"].startswith(TOOL_DESCRIPTION)
    assert ("`input.user`" in spec["description"]) is not as_function


async def test_a_call_that_the_policy_retries_has_an_id_of_its_own() -> None:
    seen: list[str] = []

    @tool
    async def flaky() -> int:
        """Fail once."""
        if len(seen) < 3:
            raise OSError("down")
        return 1

    agent = plan_agent(
        submit({"id": "a", "tool": "flaky"}, returns=["a"]),
        "ok",
        tools=[flaky],
        plugin=WorkflowPlanPlugin(policy=Policy(retry={"flaky": Retry(attempts=2)})),
    )
    agent.add_hook(lambda event: seen.append(event.tool_use["toolUseId"]), BeforeToolCallEvent)
    await agent.invoke_async("go")
    assert answer(agent) == '{"a":1}'
    assert seen == ["call_1_0", "call_1_0__a", "call_1_0__a-try2"]


async def test_a_step_over_its_time_is_stopped_and_the_others_go_on() -> None:
    stopped = asyncio.Event()

    @tool
    async def endless() -> int:
        """Wait for ever."""
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return 1

    agent = plan_agent(
        submit(
            {"id": "a", "tool": "endless"},
            {"id": "b", "tool": "echo", "args": {"value": 1}},
            returns=["b"],
        ),
        "ok",
        tools=[endless, echo],
        plugin=WorkflowPlanPlugin(policy=Policy(step_timeout_s=0.05)),
    )
    await agent.invoke_async("go")
    first, second, third = answer(agent).splitlines()
    assert (first, third) == ('{"b":1}', "Ran ok, kept for a corrected plan: b")
    assert second.startswith("a failed (timeout): ")
    assert stopped.is_set()


async def test_the_hosts_policy_and_events_are_the_runs() -> None:
    events: list[PlanEvent] = []
    plugin = WorkflowPlanPlugin(policy=Policy(max_items=1), max_steps=2, on_event=events.append)
    step = {"id": "a", "tool": "echo", "for_each": "[1, 2]", "bind": {"value": "item"}}
    agent = plan_agent(
        submit(step, returns=["a"]),
        submit(*({**step, "id": name} for name in "abc"), returns=["a"]),
        "ok",
        tools=[echo],
        plugin=plugin,
    )
    await agent.invoke_async("go")
    first, second = (told["content"][0]["text"] for told in tool_results(agent))
    assert "too_many_items" in first
    assert "too_many_steps" in second
    (run_id,) = {event.run_id for event in events}
    assert run_id == f"{agent.messages[1]['tracking_id']}/call_1_0"
    assert [(event.step_id, str(event.kind)) for event in events] == [("a", "failed")]
