"""The strategies: what they make is what they say, and Hypothesis can make it smaller."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings

from strands_plan_tool import (
    JsonValue,
    PlanError,
    ToolInfo,
    check_plan,
    testing,
    validate_plan,
)
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.testing.scripted_model import ScriptedModel
from strands_plan_tool.testing.strategies import (
    expressions,
    json_values,
    malformed_plans,
    plans,
)
from strands_plan_tool.values import ingest, json_size

ROW = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["n"],
}
FOUND = {
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
        "total": {"type": "number"},
        "done": {"type": "boolean"},
    },
    "$defs": {"row": ROW},
}
TAKES = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "kind": {"enum": ["x", "y"]},
    },
    "required": ["query"],
}
TOOLS: dict[str, Any] = {
    "find": {"input_schema": TAKES, "output_schema": FOUND},
    "note": ToolInfo(),
    "any": None,
    "hidden": {"plannable": False},
}
INPUT: dict[str, JsonValue] = {"today": "2024-02-29", "user": {"id": 7, "names": ["ann"]}}

examples = settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@examples
@given(plans(TOOLS, input=INPUT))
def test_a_plan_passes_the_checks(plan: Any) -> None:
    assert validate_plan(plan, tools=TOOLS, input=INPUT) == ()


@examples
@given(plans(["search", "mail"], max_steps=3))
def test_names_of_tools_are_enough(plan: Any) -> None:
    assert 1 <= len(plan["steps"]) <= 3
    assert validate_plan(plan, tools=["search", "mail"]) == ()


@examples
@given(plans(TOOLS, as_written=True))
def test_a_plan_as_a_model_writes_it_is_read_as_a_plan(plan: Any) -> None:
    assert check_plan(plan, tools=TOOLS).steps


@examples
@given(malformed_plans(TOOLS, input=INPUT))
def test_a_malformed_plan_is_refused_with_diagnostics_or_runs(plan: Any) -> None:
    try:
        check_plan(plan, tools=TOOLS, input=INPUT)
    except PlanError as error:
        assert error.diagnostics


@examples
@given(expressions({"a": FOUND, "b": {}}, input=INPUT, item=ROW))
def test_an_expression_is_accepted_where_it_may_stand(text: str) -> None:
    scope = Scope(ids=("a", "b"), field="bind", has_item=True, inputs=tuple(INPUT))
    assert parse_expression(text, scope)[1] == ()


@examples
@given(expressions({"a": FOUND}, malformed=True))
def test_a_malformed_expression_raises_nothing(text: str) -> None:
    parse_expression(text, Scope(ids=("a",), field="bind", has_item=False, inputs=()))


@examples
@given(json_values())
def test_a_value_is_what_a_tool_may_return(value: Any) -> None:
    assert json_size(ingest(value)) > 0


@examples
@given(json_values(TAKES))
def test_a_value_fits_its_schema(value: Any) -> None:
    assert isinstance(value["query"], str)
    assert 1 <= value.get("limit", 1) <= 50
    assert all(isinstance(id, int) for id in value.get("ids", []))
    assert value.get("kind", "x") in ("x", "y")
    assert value.keys() <= TAKES["properties"].keys()  # type: ignore[attr-defined]


@pytest.mark.parametrize("strategy", [plans, malformed_plans])
def test_without_a_tool_that_a_plan_may_call_there_are_no_plans(strategy: Any) -> None:
    with pytest.raises(ValueError, match="no tool"):
        strategy({"hidden": {"plannable": False}})


def test_a_find_is_made_smaller() -> None:
    def fans_out(plan: Any) -> bool:
        return any("for_each" in step for step in plan["steps"])

    found = find(plans(["t"]), fans_out, settings=settings(examples, max_examples=500))
    assert len(found["steps"]) == 1


def test_the_scripted_model_is_there_where_strands_is() -> None:
    assert testing.ScriptedModel is ScriptedModel
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = testing.nothing
