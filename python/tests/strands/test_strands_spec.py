"""The specification that a model reads teaches the language, in words that hold."""

from __future__ import annotations

import json
import re

import pytest

from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.strands_adapter import PLAN_NUDGE, TOOL_DESCRIPTION
from strands_plan_tool.strands_adapter.spec import plan_tool_spec

EXPRESSIONS = re.findall(r"`([^`]+)`", TOOL_DESCRIPTION)


def test_expressions_are_found_in_the_description() -> None:
    assert len(EXPRESSIONS) >= 8


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_every_expression_of_the_description_is_one_of_the_language(text: str) -> None:
    ids = tuple(re.findall(r"steps\.(\w+)", text))
    scope = Scope(ids=ids, field="bind", has_item=True, inputs=None)
    expression, problems = parse_expression(text, scope)
    assert problems == ()
    assert expression is not None


@pytest.mark.parametrize(
    "told",
    [
        "A step that did not run is absent",
        "checked once, not per item",
        "In predicates x[...], not list constructors",
        "list in item order, not flattened",
        "(text as is, else JSON)",
    ],
)
def test_the_description_answers_what_writers_of_plans_asked(told: str) -> None:
    assert told in TOOL_DESCRIPTION


@pytest.mark.parametrize(
    "field", ["bind", "after", "when", "for_each", "join", "output", "final", "returns"]
)
def test_the_description_speaks_of_the_field(field: str) -> None:
    assert re.search(rf"\b{field}\b", TOOL_DESCRIPTION)


def test_the_input_is_the_plan_itself_without_any_reference() -> None:
    schema = plan_tool_spec()["inputSchema"]["json"]
    assert "steps" in schema["properties"]
    assert "$ref" not in json.dumps(schema)
    assert schema["properties"]["steps"]["items"]["properties"]["args"] == {"type": "object"}


def test_two_agents_do_not_share_one_schema() -> None:
    first, second = plan_tool_spec(), plan_tool_spec()
    first["inputSchema"]["json"]["properties"].clear()
    assert second["inputSchema"]["json"]["properties"]


def test_the_hosts_values_are_named_where_there_are_any() -> None:
    named = plan_tool_spec(["user_id", "today"])["description"]
    assert named == TOOL_DESCRIPTION + "\nAlso there to read: `input.user_id`, `input.today`."


def test_the_nudge_is_one_paragraph() -> None:
    assert "\n" not in PLAN_NUDGE
