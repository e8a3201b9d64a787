"""Executors: what each sees, what runs at once, and what nothing shares."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from planner_models import (
    QUESTION,
    Model,
    agent,
    answer,
    does,
    plan,
    run,
    step,
    step_of,
    task_plan,
    text_of,
)
from pydantic import BaseModel
from strands import Agent, ToolContext, tool
from strands.hooks import AfterInvocationEvent, BeforeInvocationEvent, BeforeToolCallEvent
from strands.session.file_session_manager import FileSessionManager
from strands.tools import ToolProvider

from strands_plan_tool.planner_executor import PlannerExecutor
from strands_plan_tool.strands_adapter import WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ModelRequest, ToolCall, tool_call

WHOLE = (step("a"), step("b"), step("c", "a"), step("d", "b", "c"))


def team(executors: Any, **options: Any) -> PlannerExecutor[Any]:
    return PlannerExecutor(
        Model(plan(*WHOLE), always=True), executors, Model(answer(), always=True), **options
    )


def prompts(model: Model) -> dict[str, str]:
    """What the executors were asked first, by step."""
    return {step_of(each): text_of(each) for each in model.requests}


def test_an_executor_sees_its_instruction_and_the_results_that_it_depends_on_alone() -> None:
    model = does()
    run(team(agent(model))(QUESTION))
    asked = prompts(model)
    assert all(QUESTION in text for text in asked.values())
    assert "Results of earlier steps:\n(none)\n" in asked["a"]
    assert "[a]\na done" in asked["c"]
    assert "b done" not in asked["c"]
    assert "[b]\nb done\n\n[c]\nc done" in asked["d"]
    assert "a done" not in asked["d"]


def test_each_step_begins_with_an_empty_conversation_though_there_is_one_agent() -> None:
    model = does()
    given = agent(model, system_prompt="You work.")
    run(team(given)(QUESTION))
    assert [len(each.messages) for each in model.requests] == [1] * 4
    assert {each.system_prompt for each in model.requests} == {"You work."}
    assert given.messages == []


@pytest.mark.parametrize("waves", [False, True])
def test_steps_that_do_not_need_each_other_run_at_once_with_one_agent(waves: bool) -> None:
    async def main() -> Any:
        barrier = asyncio.Barrier(2)

        @tool
        async def meet() -> str:
            """Wait for the other."""
            await barrier.wait()
            return "met"

        def act(request: ModelRequest) -> str | ToolCall:
            alone = step_of(request) in ("c", "d") or len(request.messages) > 1
            return "ok" if alone else tool_call("meet")

        return await team(agent(Model(act, always=True), meet), waves=waves)(QUESTION)

    record = run(main())
    assert record.waves == (("a", "b"), ("c",), ("d",))
    assert list(record.results) == ["a", "b", "c", "d"]


def test_a_step_starts_while_another_of_an_earlier_level_still_runs() -> None:
    async def main(waves: bool) -> list[str]:
        c_started = asyncio.Event()

        @tool
        async def wait() -> str:
            """Wait for the start of c."""
            if not waves:
                await c_started.wait()
            return "waited"

        def act(request: ModelRequest) -> str | ToolCall:
            name = step_of(request)
            if name == "c":
                c_started.set()
            return tool_call("wait") if name == "b" and len(request.messages) == 1 else name

        record = await team(agent(Model(act, always=True), wait), waves=waves)(QUESTION)
        return [each.step for each in record.runs if each.step]

    assert run(main(waves=False)) == ["a", "c", "b", "d"]
    assert run(main(waves=True)) == ["a", "b", "c", "d"]


def test_no_more_steps_run_at_once_than_the_host_allows() -> None:
    running: list[str] = []

    async def main() -> None:
        @tool
        async def work(name: str) -> str:
            """Work."""
            running.append(name)
            assert len(running) == 1
            await asyncio.sleep(0)
            running.remove(name)
            return name

        def act(request: ModelRequest) -> str | ToolCall:
            return (
                tool_call("work", name=step_of(request)) if len(request.messages) == 1 else "ok"
            )

        made = team(agent(Model(act, always=True), work), max_concurrency=1)
        record = await made(QUESTION)
        assert record.failed == {}

    run(main())


def test_a_function_makes_a_new_agent_for_each_step() -> None:
    models = []

    def make() -> Agent:
        models.append(does())
        return agent(models[-1])

    run(team(make)(QUESTION))
    # One more was made to see which tools there are.
    assert [model.calls for model in models] == [0, 1, 1, 1, 1]


def test_a_function_that_gives_one_agent_to_two_steps_fails_the_second() -> None:
    one = agent(does(), name="one")
    record = run(team(lambda: one)(QUESTION))
    told = "executors: the function must make a new agent each time"
    assert record.results == {"a": "a done"}
    assert record.failed == {"b": told, "c": told}
    assert [each.step for each in record.runs if each.step] == ["a"]
    assert record.usage.requests == 3  # planner, one step, synthesizer


def test_executors_may_differ_by_step() -> None:
    special, rest = does(lambda name: "special"), does(lambda name: "rest")
    record = run(team({"c": agent(special), "*": lambda: agent(rest)})(QUESTION))
    assert record.results == {"a": "rest", "b": "rest", "c": "special", "d": "rest"}


def test_the_invocation_state_reaches_the_tools_and_is_shared_by_no_two_runs() -> None:
    seen: list[dict[str, Any]] = []

    @tool(context=True)
    def look(tool_context: ToolContext) -> str:
        """Look at the state."""
        seen.append({key: tool_context.invocation_state.get(key) for key in ("user", "mark")})
        tool_context.invocation_state["mark"] = "left behind"
        return "seen"

    def act(request: ModelRequest) -> str | ToolCall:
        return tool_call("look") if len(request.messages) == 1 else "ok"

    made = team(agent(Model(act, always=True), look))
    given = {"user": "ann"}

    async def main() -> None:
        await asyncio.gather(
            made(QUESTION, invocation_state=given),
            made(QUESTION, invocation_state={"user": "bo"}),
        )

    run(main())
    assert given == {"user": "ann"}
    assert [each["mark"] for each in seen] == [None] * 8
    assert sorted(each["user"] for each in seen) == ["ann"] * 4 + ["bo"] * 4


def test_the_hosts_own_hooks_stay_on_the_agents_copies_and_ours_do_not_stay_on_the_agent() -> (
    None
):
    invoked: list[str] = []
    denied: list[str] = []

    @tool
    def pay() -> str:
        """Pay."""
        raise AssertionError("it must not be called")

    def deny(event: BeforeToolCallEvent) -> None:
        event.cancel_tool = "not allowed"
        denied.append(event.tool_use["name"])

    def act(request: ModelRequest) -> str | ToolCall:
        return tool_call("pay") if len(request.messages) == 1 else "told"

    given = agent(Model(act, always=True), pay)
    given.hooks.add_callback(BeforeToolCallEvent, deny)
    given.hooks.add_callback(
        BeforeInvocationEvent, lambda event: invoked.append(event.agent.name)
    )
    before = {kind: len(each) for kind, each in given.hooks._registered_callbacks.items()}
    run(team(given)(QUESTION))
    after = {kind: len(each) for kind, each in given.hooks._registered_callbacks.items()}
    assert denied == ["pay"] * 4
    assert sorted(invoked) == [f"planner_executor.executor.{name}" for name in "abcd"]
    assert before == after


def test_an_agent_that_keeps_a_session_is_refused_and_told_what_to_give(tmp_path: Any) -> None:
    manager = FileSessionManager(session_id="s", storage_dir=str(tmp_path))
    kept = agent(does(), session_manager=manager)
    with pytest.raises(ValueError, match="give a function that makes a new agent"):
        team(kept)
    with pytest.raises(ValueError, match="give a function that makes a new agent"):
        PlannerExecutor(kept, agent(does()))


def test_what_provides_the_agents_tools_stays_open_when_its_copies_are_gone() -> None:
    class Provider(ToolProvider):
        def __init__(self) -> None:
            self.consumers: set[Any] = set()

        async def load_tools(self, **_: Any) -> list[Any]:
            return []

        def add_consumer(self, consumer_id: Any, **_: Any) -> None:
            self.consumers.add(consumer_id)

        def remove_consumer(self, consumer_id: Any, **_: Any) -> None:
            self.consumers.discard(consumer_id)

    provider = Provider()
    given = agent(does(), provider)
    run(team(given)(QUESTION))
    gc.collect()
    assert len(provider.consumers) == 1
    given.cleanup()
    assert provider.consumers == set()


def test_the_answer_has_the_type_that_the_host_asks_for() -> None:
    class Mass(BaseModel):
        """A mass."""

        tons: int

    made = PlannerExecutor(
        Model(plan(step("a"))),
        agent(does()),
        Model(tool_call("Mass", tons=9)),
        answer_type=Mass,
    )
    record = run(made(QUESTION))
    assert record.answer == Mass(tons=9)


def test_the_synthesizer_gets_each_step_with_what_came_of_it() -> None:
    def act(name: str) -> str:
        if name == "a":
            raise RuntimeError("no such moon")
        return f"{name} done"

    synthesizer = Model(answer())
    made = PlannerExecutor(Model(), agent(does(act)), synthesizer)
    run(made.run(task_plan(*WHOLE), question=QUESTION))
    asked = text_of(synthesizer.requests[0])
    assert QUESTION in asked
    assert "[a]\nInstruction: do a\nFAILED: no such moon" in asked
    assert "[b]\nInstruction: do b\nResult:\nb done" in asked
    assert "[c]\nInstruction: do c\nSKIPPED" in asked


def test_without_a_synthesizer_the_planners_model_answers() -> None:
    model = Model(plan(step("a")), answer("9"))
    record = run(PlannerExecutor(agent(model), agent(does()))(QUESTION))
    assert record.answer.result == "9"


def test_a_plan_of_tools_runs_on_the_agent_of_its_step() -> None:
    @tool(context=True)
    def count(tool_context: ToolContext) -> str:
        """Count."""
        mine = tool_context.agent
        mine.state.set("n", (mine.state.get("n") or 0) + 1)
        return f"{mine.name}: {mine.state.get('n')}"

    def act(request: ModelRequest) -> str | ToolCall:
        if len(request.messages) > 1:
            content: Any = request.messages[-1]["content"]
            return str(content[0]["toolResult"]["content"][0]["text"])
        call = {"id": "s", "tool": "count", "args": {}}
        return tool_call("submit_workflow_plan", steps=[call], returns=["s"])

    denied: list[str] = []
    given = agent(Model(act, always=True), count, plugins=[WorkflowPlanPlugin()])
    given.hooks.add_callback(
        BeforeToolCallEvent,
        lambda event: denied.append(f"{event.agent.name}: {event.tool_use['name']}"),
    )
    record = run(team(given)(QUESTION))
    name = "planner_executor.executor"
    assert record.results == {each: f'{{"s":"{name}.{each}: 1"}}' for each in "abcd"}
    assert given.state.get("n") is None
    assert sorted(denied) == sorted(
        f"{name}.{each}: {called}"
        for each in "abcd"
        for called in ("count", "submit_workflow_plan")
    )


def test_a_plan_of_one_step_goes_on_when_the_turn_of_another_step_ends() -> None:
    async def main() -> Any:
        begun, ended = asyncio.Event(), asyncio.Event()

        @tool
        async def wait() -> str:
            """Wait for the end of the other step's turn."""
            begun.set()
            await ended.wait()
            return "waited"

        @tool
        async def hold() -> str:
            """Wait for the other step's plan."""
            await begun.wait()
            return "held"

        def act(request: ModelRequest) -> str | ToolCall:
            if step_of(request) != "b":
                return tool_call("hold") if len(request.messages) == 1 else "ok"
            if len(request.messages) > 1:
                content: Any = request.messages[-1]["content"]
                return str(content[0]["toolResult"]["content"][0]["text"])
            call = {"id": "s", "tool": "wait", "args": {}}
            return tool_call("submit_workflow_plan", steps=[call], returns=["s"])

        given = agent(Model(act, always=True), wait, hold, plugins=[WorkflowPlanPlugin()])
        given.hooks.add_callback(AfterInvocationEvent, lambda _: ended.set())
        return await team(given)(QUESTION)

    assert run(main()).results["b"] == '{"s":"waited"}'
