"""Which tools plans may call, and what an agent must be like to have the plugin."""

from __future__ import annotations

import datetime
import functools
from typing import Any

import pytest
from plan_agents import answer, plan_agent, refusal, submit
from strands import tool
from strands.hooks import AfterToolsEvent
from strands.interventions import InterventionHandler, Proceed

from strands_plan_tool.strands_adapter import (
    ALL_TOOLS,
    TOOL_NAME,
    WorkflowPlanPlugin,
    resolve_plannable,
)
from strands_plan_tool.testing.scripted_model import ScriptedModel

READ = {"id": "a", "tool": "read", "args": {"name": "x"}}


@tool
def read(name: str) -> dict[str, Any]:
    """Read."""
    return {"name": name}


@tool
def delete(name: str) -> str:
    """Delete."""
    return f"deleted {name}"


class Gate(InterventionHandler):
    name = "gate"

    def before_tool_call(self, event: Any, **kwargs: Any) -> Any:
        return Proceed()


@pytest.mark.parametrize(
    ("patterns", "plannable"),
    [
        (ALL_TOOLS, {"read", "read_all", "delete"}),
        (["read"], {"read"}),
        (["read*"], {"read", "read_all"}),
        (["*", "!delete"], {"read", "read_all"}),
        (["!delete", "*"], {"read", "read_all"}),
        (["*", "!read*"], {"delete"}),
        (["!read"], set()),
        ([], set()),
        ("read", {"read"}),
        ([TOOL_NAME], set()),
        (["no_such"], set()),
    ],
)
def test_patterns_let_in_and_take_out(patterns: Any, plannable: set[str]) -> None:
    names = ["read", "read_all", "delete", TOOL_NAME]
    assert resolve_plannable(patterns, names) == plannable


async def later(given: Any) -> dict[str, Any]:
    """What nobody would await."""
    return {}


class Later:
    async def __call__(self, given: Any) -> None:
        """What nobody would await either."""


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        ("plannable", [1], "list of tool names and patterns"),
        ("plannable", 5, "list of tool names and patterns"),
        ("plannable", b"read", "list of tool names and patterns"),
        ("reusable", [1], "reusable must be a list of tool names and patterns"),
        ("approve_plan", "yes", "True or False"),
        ("policy", {"max_steps": 3}, r"Policy\(max_steps=8\)"),
        ("max_steps", "3", "integer"),
        ("input", 3, "mapping of names to JSON values"),
        ("input", "user", "mapping of names to JSON values"),
        ("input", {1: 2}, "mapping of names to JSON values"),
        ("input", later, "never awaited"),
        ("input", Later(), "never awaited"),
        ("on_event", 3, "on_event must be a function"),
        ("on_event", later, "never awaited"),
        ("on_event", functools.partial(later, 1), "never awaited"),
        ("on_event", Later(), "never awaited"),
    ],
)
def test_an_option_that_no_plan_could_run_with_is_refused_at_once(
    option: str, value: Any, wanted: str
) -> None:
    with pytest.raises(TypeError, match=wanted):
        WorkflowPlanPlugin(**{option: value})


def test_a_value_of_the_host_that_is_no_json_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="input must be plain JSON"):
        WorkflowPlanPlugin(input={"today": datetime.date(2026, 1, 2)})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"approvals": "later"}, '"pause" or "refuse"'),
        ({"approvals": True}, '"pause" or "refuse"'),
        ({"approve_plan": True, "approvals": "refuse"}, 'needs approvals="pause"'),
    ],
)
def test_options_that_no_plan_could_wait_with_are_refused_at_once(
    options: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(ValueError, match=wanted):
        WorkflowPlanPlugin(**options)


async def test_a_function_that_makes_no_mapping_is_the_hosts_fault_in_plain_words() -> None:
    plugin = WorkflowPlanPlugin(input=lambda state: None)  # type: ignore[arg-type]
    agent = plan_agent(tools=[read], plugin=plugin)
    with pytest.raises(TypeError, match="input must be a mapping"):
        await plugin.run_plan({"steps": [READ], "returns": ["a"]}, agent=agent)


def test_a_plan_that_calls_what_is_not_plannable_is_refused() -> None:
    plugin = WorkflowPlanPlugin(plannable=["*", "!delete"])
    step = {"id": "a", "tool": "delete", "args": {"name": "x"}}
    agent = plan_agent(submit(step, returns=["a"]), "ok", tools=[read, delete], plugin=plugin)
    agent("go")
    assert "tool_not_plannable" in refusal(agent)


def test_a_plan_in_a_plan_is_refused() -> None:
    inner = {"id": "a", "tool": TOOL_NAME, "args": {"steps": [READ], "returns": ["a"]}}
    agent = plan_agent(submit(inner, returns=["a"]), "ok", tools=[read])
    agent("go")
    assert "tool_not_plannable" in refusal(agent)


def test_a_tool_that_is_registered_later_can_be_planned() -> None:
    agent = plan_agent(submit(READ, returns=["a"]), "ok", tools=[])
    agent.tool_registry.process_tools([read])
    agent("go")
    assert answer(agent) == '{"a":{"name":"x"}}'


def test_where_no_plan_waits_an_agent_with_interventions_has_to_say_what_may_be_planned() -> (
    None
):
    gated: dict[str, Any] = {"tools": [read], "interventions": [Gate()]}
    with pytest.raises(ValueError, match=r"gate.*plannable"):
        plan_agent(**gated, plugin=WorkflowPlanPlugin(approvals="refuse"))
    plan_agent(**gated, plugin=WorkflowPlanPlugin(approvals="refuse", plannable=["*"]))


def test_where_plans_wait_an_agent_with_interventions_needs_to_say_nothing() -> None:
    plan_agent(tools=[read], interventions=[Gate()])


def test_a_missing_call_of_the_sdk_is_named_at_construction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(AfterToolsEvent, "end_turn")
    with pytest.raises(RuntimeError, match=r"1\.55\.1.*tool_executor\._execute.*end_turn"):
        plan_agent(tools=[read], tool_executor=object())


def test_the_model_is_offered_one_tool_more_and_chooses_freely() -> None:
    agent = plan_agent("hello", tools=[read])
    agent("go")
    assert isinstance(agent.model, ScriptedModel)
    (request,) = agent.model.requests
    assert sorted(spec["name"] for spec in request.tool_specs) == ["read", TOOL_NAME]
    assert request.options.get("tool_choice") is None


async def test_run_plan_needs_to_know_the_agent() -> None:
    plugin = WorkflowPlanPlugin()
    plan = {"steps": [READ], "returns": ["a"]}
    with pytest.raises(RuntimeError, match="no agent has this plugin"):
        await plugin.run_plan(plan)
    first = plan_agent(tools=[read], plugin=plugin)
    assert (await plugin.run_plan(plan)).returned == {"a": {"name": "x"}}
    second = plan_agent(tools=[read], plugin=plugin)
    with pytest.raises(RuntimeError, match="2 agents have this plugin"):
        await plugin.run_plan(plan)
    for agent in (first, second):
        assert (await plugin.run_plan(plan, agent=agent)).returned == {"a": {"name": "x"}}
