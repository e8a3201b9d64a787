"""A final plan ends the agent's turn, where nothing else is waiting to be said."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from plan_agents import model_of, plan_agent, submit, tool_results
from pydantic import BaseModel
from strands import tool
from strands.hooks import AfterToolCallEvent, AfterToolsEvent, HookProvider, HookRegistry
from strands.vended_plugins.context_offloader import ContextOffloader

from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import tool_call


class Verdict(BaseModel):
    """A verdict."""

    good: bool


@tool
async def echo(value: Any) -> Any:
    """Give back."""
    return value


@tool
def fail() -> int:
    """Fail."""
    raise ValueError("broken")


ASK = {"id": "a", "tool": "echo", "args": {"value": {"n": 2}}}
WORDS = {"id": "w", "tool": "echo", "args": {"value": ""}}
BAD = {"id": "b", "tool": "fail"}


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ({"output": "'Found ' & steps.a.n"}, "Found 2"),
        ({"output": "steps.a"}, '{"n":2}'),
        ({"output": "null"}, "null"),
        ({"returns": ["a"]}, '{"a":{"n":2}}'),
        ({"returns": ["a"], "output": "'both'"}, "both"),
    ],
)
async def test_the_turn_ends_with_output_as_prose_or_else_json(
    plan: dict[str, Any], text: str
) -> None:
    agent = plan_agent(submit(ASK, **plan, final=True), tools=[echo])
    result = await agent.invoke_async("go")
    assert result.stop_reason == "end_turn"
    assert result.message["content"] == [{"text": text}]
    assert agent.messages[-1]["content"] == [{"text": text}]
    assert model_of(agent).calls == 1


async def test_an_empty_text_ends_the_turn_too() -> None:
    agent = plan_agent(submit(WORDS, output="steps.w", final=True), tools=[echo])
    result = await agent.invoke_async("go")
    assert (result.message["content"], model_of(agent).calls) == ([{"text": ""}], 1)


@pytest.mark.parametrize(
    "plan",
    [
        submit(ASK, returns=["a"]),
        submit(ASK, BAD, returns=["a"], final=True, on_error="continue"),
        submit(ASK, output="steps.a.nmae", final=True),
        submit({**ASK, "when": "false"}, returns=["a"], final=True),
    ],
    ids=["not-final", "a-step-failed", "output-failed", "nothing-to-say"],
)
async def test_the_model_is_heard_again_where_the_plan_does_not_answer(plan: Any) -> None:
    agent = plan_agent(plan, "The model's words.", tools=[echo, fail])
    result = await agent.invoke_async("go")
    assert str(result) == "The model's words.\n"


async def test_a_host_may_keep_plans_from_ending_the_turn() -> None:
    agent = plan_agent(
        submit(ASK, returns=["a"], final=True),
        "The model's words.",
        tools=[echo],
        plugin=WorkflowPlanPlugin(honor_final=False),
    )
    assert str(await agent.invoke_async("go")) == "The model's words.\n"


async def test_beside_another_tools_result_the_turn_goes_on() -> None:
    agent = plan_agent(
        [submit(ASK, returns=["a"], final=True), tool_call("echo", value=1)],
        "Both seen.",
        tools=[echo],
    )
    assert str(await agent.invoke_async("go")) == "Both seen.\n"


async def test_two_final_plans_in_one_batch_do_not_end_the_turn() -> None:
    plan = submit(ASK, returns=["a"], final=True)
    agent = plan_agent([plan, plan], "Both seen.", tools=[echo])
    assert str(await agent.invoke_async("go")) == "Both seen.\n"
    assert [result["content"][0]["text"] for result in tool_results(agent)] == [
        '{"a":{"n":2}}',
        '{"a":{"n":2}}',
    ]


async def test_a_final_plan_does_not_cheat_a_caller_of_structured_output() -> None:
    agent = plan_agent(
        submit(ASK, returns=["a"], final=True),
        tool_call("Verdict", good=True),
        "never said",
        tools=[echo],
    )
    result = await agent.invoke_async("go", structured_output_model=Verdict)
    assert result.structured_output == Verdict(good=True)


async def test_what_another_hook_ends_the_turn_with_stays() -> None:
    agent = plan_agent(submit(ASK, returns=["a"], final=True), tools=[echo])

    def end(event: AfterToolsEvent) -> None:
        event.end_turn = "the hook's words"

    agent.add_hook(end, AfterToolsEvent)
    assert str(await agent.invoke_async("go")) == "the hook's words\n"


def redact(event: AfterToolCallEvent[Any]) -> None:
    if event.tool_use["name"] == TOOL_NAME:
        event.result["content"][0]["text"] = "[withheld]"


def replace(event: AfterToolCallEvent[Any]) -> None:
    if event.tool_use["name"] == TOOL_NAME:
        event.result = {**event.result, "content": [{"text": "[withheld]"}]}


def fail_it(event: AfterToolCallEvent[Any]) -> None:
    if event.tool_use["name"] == TOOL_NAME:
        event.result = {**event.result, "status": "error"}


def extend(event: AfterToolCallEvent[Any]) -> None:
    if event.tool_use["name"] == TOOL_NAME:
        event.result["content"].append({"text": "Mind the rules."})


@pytest.mark.parametrize("change", [redact, replace, fail_it, extend])
async def test_a_result_that_a_hook_changed_does_not_end_the_turn(change: Any) -> None:
    agent = plan_agent(
        submit(ASK, output="'secret ' & steps.a.n", final=True),
        "The model's words.",
        tools=[echo],
    )
    agent.add_hook(change, AfterToolCallEvent)
    assert str(await agent.invoke_async("go")) == "The model's words.\n"
    assert model_of(agent).calls == 2


@pytest.mark.parametrize("is_early", [False, True])
async def test_a_result_that_is_changed_after_the_batch_does_not_end_the_turn(
    is_early: bool,
) -> None:
    def withhold(event: AfterToolsEvent) -> None:
        event.message["content"][0]["toolResult"]["content"] = [{"text": "[withheld]"}]

    class Early(HookProvider):
        def register_hooks(self, registry: HookRegistry, **options: Any) -> None:
            registry.add_callback(AfterToolsEvent, withhold)

    agent = plan_agent(
        submit(ASK, output="'secret ' & steps.a.n", final=True),
        "The model's words.",
        tools=[echo],
        hooks=[Early()] if is_early else [],
    )
    if not is_early:
        agent.add_hook(withhold, AfterToolsEvent)
    assert str(await agent.invoke_async("go")) == "The model's words.\n"
    assert tool_results(agent)[0]["content"] == [{"text": "[withheld]"}]


async def test_a_result_that_a_middleware_changed_does_not_end_the_turn() -> None:
    stages = pytest.importorskip("strands.middleware")

    async def withhold(context: Any, next_fn: Any) -> Any:
        async for event in next_fn(context):
            if context.tool_use["name"] == TOOL_NAME and event.get("type") == "tool_result":
                event["tool_result"]["content"] = [{"text": "[withheld]"}]
            yield event

    agent = plan_agent(
        submit(ASK, output="'secret ' & steps.a.n", final=True),
        "The model's words.",
        tools=[echo],
    )
    agent.add_middleware(stages.ExecuteToolStage, withhold)
    assert str(await agent.invoke_async("go")) == "The model's words.\n"


async def test_a_result_that_was_moved_out_of_the_context_does_not_end_the_turn() -> None:
    long = {"id": "a", "tool": "echo", "args": {"value": "x" * 30_000}}
    agent = plan_agent(
        submit(long, output="steps.a", final=True),
        "It is long.",
        tools=[echo],
        plugins=[ContextOffloader()],
    )
    assert str(await agent.invoke_async("go")) == "It is long.\n"


async def test_a_hook_that_hands_an_equal_result_on_leaves_the_turn_to_end() -> None:
    def copy(event: AfterToolCallEvent[Any]) -> None:
        event.result = {**event.result, "content": [*event.result["content"]]}

    agent = plan_agent(submit(ASK, output="'told'", final=True), tools=[echo])
    agent.add_hook(copy, AfterToolCallEvent)
    assert str(await agent.invoke_async("go")) == "told\n"


async def test_the_turn_ends_although_a_middleware_gave_the_plan_a_copy_of_the_state() -> None:
    stages = pytest.importorskip("strands.middleware")

    async def isolate(context: Any, next_fn: Any) -> Any:
        apart = dataclasses.replace(context, invocation_state={**context.invocation_state})
        async for event in next_fn(apart):
            yield event

    agent = plan_agent(submit(ASK, output="'told'", final=True), tools=[echo])
    agent.add_middleware(stages.ExecuteToolStage, isolate)
    assert str(await agent.invoke_async("go")) == "told\n"


async def test_a_plan_that_a_hook_has_run_again_ends_the_turn_with_the_second_result() -> None:
    told: list[str] = []

    @tool
    async def count() -> int:
        """Count."""
        told.append("")
        return len(told)

    def again(event: AfterToolCallEvent[Any]) -> None:
        event.retry = event.tool_use["name"] == TOOL_NAME and len(told) < 2

    plan = submit({"id": "a", "tool": "count"}, output="steps.a", final=True)
    agent = plan_agent(plan, tools=[count])
    agent.add_hook(again, AfterToolCallEvent)
    assert str(await agent.invoke_async("go")) == "2\n"


async def test_a_conversation_goes_on_after_a_turn_that_a_plan_ended() -> None:
    agent = plan_agent(
        submit(ASK, output="'first'", final=True),
        submit(ASK, output="'second'", final=True),
        tools=[echo],
    )
    answers = [str(await agent.invoke_async(text)) for text in ("go", "again")]
    assert answers == ["first\n", "second\n"]
