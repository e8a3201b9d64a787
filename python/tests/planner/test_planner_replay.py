"""A stored run as a fixture: whatever its agents did, they do again, also the twin's."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest
from planner_fixture import FOR_THE_TWIN, OF_THE_TWIN, essence, fixture_run, stored
from planner_models import (
    QUESTION,
    Model,
    agent,
    answer,
    does,
    plan,
    run,
    step,
    task_plan,
)
from pydantic import BaseModel
from strands import Agent, tool

from strands_plan_tool.planner_executor import (
    Answer,
    PlannerExecutor,
    PlannerExecutorError,
    Run,
    TaskPlan,
    Tool,
    replayed,
)
from strands_plan_tool.strands_adapter import WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ModelRequest, ToolCall, tool_call

TWO = (step("a"), step("b", "a"))


@tool
def look(name: str) -> str:
    """Look.

    Args:
        name: At what.
    """
    return f"{name}!"


def team(executors: Any, *, planner: Any = None, turns: Any = ()) -> PlannerExecutor[Any]:
    return PlannerExecutor(
        planner or Model(plan(*TWO)), executors, Model(*turns or [answer()], always=True)
    )


def exact(record: Run[Any]) -> Any:
    """The whole record but for times."""
    return stored(record)


def again(record: Run[Any], plan: TaskPlan | None = None) -> Run[Any]:
    made = replayed(record.model_dump_json())
    return run(made(QUESTION) if plan is None else made.run(plan, question=QUESTION))


def test_a_run_that_the_twin_stored_is_done_again_here() -> None:
    text = OF_THE_TWIN.read_text(encoding="utf-8")
    record = Run[Answer].model_validate_json(text)
    assert [bool(each.diagnostics) for each in record.attempts] == [True, False]
    assert essence(run(replayed(text)(QUESTION))) == essence(record)


def test_what_the_twin_is_given_to_do_again_is_what_happens_here() -> None:
    record = fixture_run()
    if os.environ.get("PLAN_TOOL_WRITE"):
        FOR_THE_TWIN.write_text(stored(record), encoding="utf-8")
    kept = Run[Answer].model_validate_json(FOR_THE_TWIN.read_text(encoding="utf-8"))
    assert essence(record) == essence(kept)
    assert exact(again(record)) == exact(record)


def test_what_was_refused_for_its_ids_is_refused_again() -> None:
    planner = Model(plan(step("c")), plan(*TWO))
    record = run(
        team({"a": agent(does(), look), "b": agent(does())}, planner=planner)(QUESTION)
    )
    assert record.named == {"a": ("look",), "b": ()}
    assert [each.diagnostics != () for each in record.attempts] == [True, False]
    assert exact(again(record)) == exact(record)


def test_a_tool_that_a_planner_made_up_is_no_plan() -> None:
    planner = Model(tool_call("look", name="x"), plan(*TWO))
    record = run(team(agent(does()), planner=planner)(QUESTION))
    assert record.runs[0].tools_called == ("look",)
    assert exact(again(record)) == exact(record)


def test_a_run_of_the_hosts_own_plan_has_the_tools_and_is_done_again() -> None:
    def act(request: ModelRequest) -> str | ToolCall:
        return tool_call("look", name="x") if len(request.messages) == 1 else "seen"

    whole = task_plan(*TWO)
    made = team(agent(Model(act, always=True), look))
    record = run(made.run(whole, question=QUESTION))
    assert record.tools == (Tool(name="look", description="Look."),)
    assert exact(again(record, whole)) == exact(record)


@pytest.mark.parametrize("first", [(), ("I think 5.",)])
def test_executors_that_answer_with_structured_output_do_so_again(first: Any) -> None:
    class Number(BaseModel):
        """A number."""

        n: int

    def make() -> Agent:
        says = Model(*first, tool_call("Number", n=5))
        return agent(says, structured_output_model=Number)

    record = run(team(make)(QUESTION))
    assert record.results == {"a": '{"n":5}', "b": '{"n":5}'}
    assert exact(again(record)) == exact(record)


def test_executors_whose_turn_a_plan_ended_end_it_again() -> None:
    steps = [{"id": "s", "tool": "look", "args": {"name": "x"}}]
    call = tool_call("submit_workflow_plan", steps=steps, output="steps.s", final=True)
    made = agent(Model(call, always=True), look, plugins=[WorkflowPlanPlugin()])
    record = run(team(made)(QUESTION))
    assert record.results == {"a": "x!", "b": "x!"}
    assert record.usage.requests == 4
    assert exact(again(record)) == exact(record)


def test_a_step_for_which_no_agent_could_be_made_fails_again() -> None:
    made = [0]

    def make() -> Agent:
        made[0] += 1
        if made[0] > 1:
            raise RuntimeError("no agent today")
        return agent(does())

    record = run(team({"a": agent(does()), "b": make})(QUESTION))
    assert record.failed == {"b": "no agent today"}
    assert exact(again(record)) == exact(record)


def test_an_input_that_looks_like_bytes_stays_what_it_was() -> None:
    odd = {"name": "x", "extra": {"$bytes": "not base64!"}, "source": {"bytes": "hi"}}

    def act(request: ModelRequest) -> str | ToolCall:
        return ToolCall("look", odd) if len(request.messages) == 1 else "seen"

    record = run(team(agent(Model(act, always=True), look))(QUESTION))
    use: Any = record.runs[1].messages[1]["content"][0]["toolUse"]
    assert use["input"] == odd
    assert exact(again(record)) == exact(record)


def test_conversations_longer_than_the_sdk_keeps_are_done_again_whole() -> None:
    turns = [tool_call("look", name=str(at)) for at in range(25)]
    record = run(
        team({"a": lambda: agent(Model(*turns, "seen"), look), "*": agent(does())})(QUESTION)
    )
    assert record.runs[1].usage.requests == 26
    assert exact(again(record)) == exact(record)


@pytest.mark.parametrize("stop", ["content_filtered", "max_tokens"])
def test_a_run_that_was_cut_off_is_cut_off_again(stop: str) -> None:
    planner = Model(plan(*TWO), always=True, stop=stop)
    with pytest.raises(Exception, match=stop) as first:
        run(team(agent(does()), planner=planner)(QUESTION))
    with pytest.raises(Exception, match=stop) as second:
        run(replayed(first.value.record)(QUESTION))  # type: ignore[attr-defined]
    assert str(first.value) == str(second.value)
    cut = Model("half", always=True, stop=stop)
    record = run(team({"a": agent(does()), "b": agent(cut)})(QUESTION))
    assert record.failed == {"b": f"the agent stopped: {stop}"}
    assert exact(again(record)) == exact(record)


def test_replays_at_the_same_time_do_not_disturb_each_other() -> None:
    async def main() -> list[Run[Any]]:
        made = replayed(record)
        return await asyncio.gather(*(made(QUESTION) for _ in range(3)))

    record = run(team(agent(does()))(QUESTION))
    assert {exact(each) for each in run(main())} == {exact(record)}


def test_the_thinking_of_a_twins_agent_is_read_as_this_sdk_has_it() -> None:
    record = run(team(agent(does()))(QUESTION))
    told = record.model_dump(mode="json")
    reasoning = {"text": "hm", "signature": "s"}
    told["runs"][1]["messages"][1]["content"].insert(0, {"reasoning": reasoning})
    second = run(replayed(told)(QUESTION))
    kept: Any = second.runs[1].messages[1]["content"][0]
    assert kept == {"reasoningContent": {"reasoningText": reasoning}}


def test_a_planner_that_failed_fails_again() -> None:
    def broken(_: ModelRequest) -> str:
        raise ConnectionError("network is down")

    planner = Model(plan(step("a"), step("b")), broken)
    with pytest.raises(PlannerExecutorError, match="network is down") as first:
        run(team(agent(does()), planner=planner)(QUESTION))
    with pytest.raises(PlannerExecutorError, match="network is down") as second:
        run(replayed(first.value.record)(QUESTION))
    assert exact(second.value.record) == exact(first.value.record)
