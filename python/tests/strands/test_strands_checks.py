"""A plan is checked against the agent's own tools before anything runs, and may be mended."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest
from plan_agents import answer, plan_agent, refusal, submit, tool_results
from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent

from strands_plan_tool import (
    AgentInterruptedError,
    InvalidPlanShapeError,
    PlanStep,
    ToolNotPlannableError,
    WorkflowPlan,
)
from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin, coerce_plan
from strands_plan_tool.testing.scripted_model import ToolCall


class User(TypedDict):
    id: int
    name: str


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def tools(ran: list[str]) -> list[Any]:
    @tool
    def lookup(name: str, deep: bool = False) -> User:
        """Look a user up."""
        ran.append("lookup")
        return {"id": 7, "name": name}

    @tool
    def fetch(target: int) -> dict[str, Any]:
        """Fetch what a user has."""
        ran.append("fetch")
        return {"items": [{"sku": "a"}, {"sku": "b"}], "of": target}

    @tool
    def note(text: str) -> str:
        """Note."""
        ran.append("note")
        return f"noted {text}"

    return [lookup, fetch, note]


LOOKUP = {"id": "u", "tool": "lookup", "args": {"name": "ann"}}
FETCH = {"id": "f", "tool": "fetch", "bind": {"target": "steps.u.id"}}


async def told_by(tools: list[Any], plan: ToolCall) -> Agent:
    agent = plan_agent(plan, "ok", tools=tools)
    await agent.invoke_async("go")
    return agent


async def test_a_chain_of_three_tools_runs_in_one_model_call(
    tools: list[Any], ran: list[str]
) -> None:
    plan = submit(
        LOOKUP,
        FETCH,
        {"id": "n", "tool": "note", "bind": {"text": "$join(steps.f.items.sku, '+')"}},
        output="steps.n & ' for ' & steps.u.name",
        final=True,
    )
    agent = plan_agent(plan, tools=tools)
    assert str(await agent.invoke_async("go")) == "noted a+b for ann\n"
    assert ran == ["lookup", "fetch", "note"]


async def test_five_faults_of_five_kinds_are_told_at_once_and_no_tool_runs(
    tools: list[Any], ran: list[str]
) -> None:
    plan = submit(
        {"id": "u", "tool": "lookup", "args": {"nmae": "ann", "name": "ann"}},
        {"id": "f", "tool": "fetch", "bind": {"target": "steps.u.uid"}},
        {"id": "x", "tool": "lokup", "args": {"name": "bob"}},
        {"id": "n", "tool": "note", "bind": {"text": "steps.q.name"}},
        {"id": "m", "tool": "note", "args": {"text": "a"}, "when": "steps.u.id == 7"},
        returns=["f"],
    )
    text = refusal(await told_by(tools, plan))
    lines = text.splitlines()[1:]
    assert [line.rsplit("(", 1)[1] for line in lines] == [
        "unknown_argument)",
        "unknown_result_field)",
        "unknown_tool)",
        "unknown_step)",
        "foreign_syntax)",
    ]
    assert [line.split(":")[0] for line in lines] == [
        "/steps/0/args/nmae",
        "/steps/1/bind/target",
        "/steps/2/tool",
        "/steps/3/bind/text",
        "/steps/4/when",
    ]
    assert ran == []


async def test_a_refused_plan_is_mended_by_the_edit_that_it_names(
    tools: list[Any], ran: list[str]
) -> None:
    wrong = {"id": "f", "tool": "fetch", "bind": {"target": "steps.u.uid"}}
    agent = plan_agent(
        submit(LOOKUP, wrong, output="steps.f.of"),
        submit(LOOKUP, FETCH, output="steps.f.of", final=True),
        tools=tools,
    )
    assert str(await agent.invoke_async("go")) == "7\n"
    first, second = tool_results(agent)
    assert "id, name" in first["content"][0]["text"].replace('"', "")
    assert (first["status"], second["status"]) == ("error", "success")
    assert ran == ["lookup", "fetch"]


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"id": "a", "tool": "lookup"}, "missing_argument"),
        ({"id": "a", "tool": "lookup", "args": {"name": 5}}, "argument_type"),
        (
            {"id": "a", "tool": "lookup", "args": {"name": "x", "depe": True}},
            "unknown_argument",
        ),
        ({"id": "a", "tool": "nowhere"}, "unknown_tool"),
    ],
)
async def test_arguments_are_checked_against_the_tools_own_schema(
    tools: list[Any], ran: list[str], step: dict[str, Any], code: str
) -> None:
    text = refusal(await told_by(tools, submit(step, returns=["a"])))
    assert (f"({code})" in text, ran) == (True, [])


@pytest.mark.parametrize("field", ["bind", "when", "for_each"])
async def test_a_misspelled_path_fails_its_step_and_names_the_fields_there_are(
    tools: list[Any], ran: list[str], field: str
) -> None:
    fetched: dict[str, Any] = {"id": "f", "tool": "fetch", "args": {"target": 1}}
    step: dict[str, Any] = {"id": "n", "tool": "note", "bind": {"text": "'x'"}}
    step |= {"bind": {"text": "steps.f.itmes"}} if field == "bind" else {field: "steps.f.itmes"}
    agent = await told_by(tools, submit(fetched, step, returns=["n"]))
    (told,) = tool_results(agent)
    text = told["content"][0]["text"]
    assert text.startswith("n failed (no_value): ")
    assert "items" in text
    assert "of" in text
    assert ran == ["fetch"]


async def test_a_misspelled_path_in_output_is_told_and_the_results_stay(
    tools: list[Any],
) -> None:
    agent = await told_by(
        tools,
        submit(
            {"id": "f", "tool": "fetch", "args": {"target": 1}},
            returns=["f"],
            output="steps.f.itmes",
        ),
    )
    first, second = answer(agent).splitlines()
    assert first == '{"f":{"items":[{"sku":"a"},{"sku":"b"}],"of":1}}'
    assert second.startswith("output failed (no_value): ")


@pytest.mark.parametrize(
    "sent",
    [
        {"plan": {"steps": [LOOKUP], "returns": ["u"]}},
        {"steps": '[{"id": "u", "tool": "lookup", "args": {"name": "ann"}}]', "returns": "u"},
        '{"steps": [{"id": "u", "tool": "lookup", "args": {"name": "ann"}}], "returns": ["u"]}',
        {"steps": [{**LOOKUP, "when": None}], "returns": ["u"], "output": None},
    ],
    ids=["wrapped", "strings", "whole-text", "nulls"],
)
async def test_the_usual_slips_of_models_are_mended(tools: list[Any], sent: Any) -> None:
    agent = await told_by(tools, ToolCall(TOOL_NAME, sent))
    assert answer(agent) == '{"u":{"id":7,"name":"ann"}}'


async def test_a_literal_null_passes_where_null_is_the_default_of_an_optional_argument() -> (
    None
):
    @tool
    def search(text: str, limit: int | None = None) -> list[Any]:
        """Search."""
        return [text, limit]

    step = {"id": "s", "tool": "search", "args": {"text": "a", "limit": None}}
    agent = await told_by([search], submit(step, returns=["s"]))
    assert answer(agent) == '{"s":["a",null]}'


async def test_run_plan_takes_a_plan_in_every_form(tools: list[Any]) -> None:
    plugin = WorkflowPlanPlugin()
    agent = plan_agent(tools=tools, plugin=plugin)
    step = PlanStep(id="u", tool="lookup", args={"name": "ann"})
    plan = WorkflowPlan(steps=[step], returns=["u"])
    for form in (plan, plan.model_dump(), plan.model_dump_json()):
        result = await plugin.run_plan(form, agent=agent)
        assert result.returned == {"u": {"id": 7, "name": "ann"}}
    with pytest.raises(ToolNotPlannableError) as caught:
        await plugin.run_plan({"steps": [{"id": "a", "tool": "x"}], "returns": ["a"]})
    assert [problem.code for problem in caught.value.diagnostics] == ["unknown_tool"]


def test_a_plan_is_read_from_every_form() -> None:
    plan = WorkflowPlan(steps=[PlanStep(id="a", tool="t")], returns=["a"])
    plain = {"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]}
    text = '{"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]}'
    assert [coerce_plan(form) for form in (plan, plain, text, {"plan": plain})] == [plan] * 4
    with pytest.raises(InvalidPlanShapeError) as caught:
        coerce_plan({"returns": ["a"]})
    assert [(p.code, p.path) for p in caught.value.diagnostics] == [("missing_field", "")]


async def test_no_plan_runs_while_the_agent_waits_for_a_person(
    tools: list[Any], ran: list[str]
) -> None:
    plugin = WorkflowPlanPlugin(approvals="refuse")
    plan = submit(LOOKUP, returns=["u"])
    agent = plan_agent(plan, "I see.", tools=tools, plugin=plugin)

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == TOOL_NAME:
            event.interrupt("approval")

    agent.add_hook(ask, BeforeToolCallEvent)
    result = await agent.invoke_async("go")
    assert result.stop_reason == "interrupt"
    with pytest.raises(AgentInterruptedError):
        await plugin.run_plan(plan.input)
    assert result.interrupts is not None
    (interrupt,) = result.interrupts
    given: Any = {"interruptResponse": {"interruptId": interrupt.id, "response": "yes"}}
    await agent.invoke_async([given])
    assert "nothing ran" in refusal(agent)
    assert ran == []
