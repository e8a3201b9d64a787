"""The strategies: what they make is what they say, and Hypothesis can make it smaller."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings

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


NUMBER = {"type": "integer"}
TEXT = {"type": "string"}
NODE = {
    "type": "object",
    "properties": {"v": NUMBER, "next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}},
    "required": ["v", "next"],
}
TREE = {
    "type": "object",
    "properties": {
        side: {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]} for side in "abc"
    },
    "required": ["a", "b", "c"],
}
KIDS = {
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
    "required": ["kids"],
}


def of(definition: dict[str, Any]) -> dict[str, Any]:
    return {"$defs": {"N": definition}, "$ref": "#/$defs/N"}


def is_node(value: Any) -> bool:
    return value.keys() == {"v", "next"} and (value["next"] is None or is_node(value["next"]))


def is_tree(value: Any) -> bool:
    return value.keys() == {"a", "b", "c"} and all(
        side is None or is_tree(side) for side in value.values()
    )


def has_kids(value: Any) -> bool:
    return value.keys() == {"kids"} and all(map(has_kids, value["kids"]))


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


FITS: list[tuple[Any, Any]] = [
    ({"type": "object", "additionalProperties": NUMBER},
     lambda v: all(map(is_integer, v.values()))),
    ({"type": "object", "additionalProperties": False}, lambda v: v == {}),
    ({"type": "object", "properties": {}, "additionalProperties": False}, lambda v: v == {}),
    ({"type": "object", "required": ["z"]}, lambda v: "z" in v),
    ({"type": "array", "prefixItems": [TEXT, NUMBER], "minItems": 2, "maxItems": 2},
     lambda v: isinstance(v[0], str) and is_integer(v[1]) and len(v) == 2),
    ({"type": "array", "prefixItems": [TEXT], "items": False}, lambda v: len(v) <= 1),
    ({"allOf": [TEXT]}, lambda v: isinstance(v, str)),
    ({"allOf": [{"properties": {"a": NUMBER}, "required": ["a"]},
                {"properties": {"b": TEXT}, "required": ["b"]}]},
     lambda v: is_integer(v["a"]) and isinstance(v["b"], str)),
    ({"type": "integer", "multipleOf": 5}, lambda v: v % 5 == 0),
    ({"type": "number", "multipleOf": 0.25, "minimum": 0.1, "maximum": 0.6},
     lambda v: v in (0.25, 0.5)),
    ({"type": "array", "uniqueItems": True, "items": NUMBER}, lambda v: len(set(v)) == len(v)),
    ({"type": "array", "uniqueItems": True, "items": {"type": "boolean"}, "minItems": 2},
     lambda v: sorted(v) == [False, True]),
    ({"type": "integer", "exclusiveMinimum": 1000, "maximum": 1001}, lambda v: v == 1001),
    ({"type": "integer", "exclusiveMinimum": 1000, "exclusiveMaximum": 1002},
     lambda v: v == 1001),
    ({"type": "integer", "minimum": 10.5, "maximum": 11.5}, lambda v: v == 11),
    ({"type": "integer", "not": {"enum": [0, 1, 2]}}, lambda v: v not in (0, 1, 2)),
    ({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 5}]},
     lambda v: not 0 <= v <= 5),
    ({"type": "object", "minProperties": 3, "additionalProperties": {"type": "boolean"}},
     lambda v: len(v) >= 3),
    ({"properties": {"a": {}, "b": {}, "c": {}}, "maxProperties": 1}, lambda v: len(v) <= 1),
    ({"type": "object", "properties": {"a": NUMBER}, "required": ["a"],
      "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, lambda v: is_integer(v["a"])),
    ({"type": "string", "enum": ["a", 1, None]}, lambda v: v == "a"),
    ({"type": "string", "pattern": "^[a-z]{3}$"}, lambda v: len(v.rstrip("\n")) == 3),
    ({"type": "string", "format": "date"}, lambda v: v[4] == "-"),
    ({"type": "string", "minLength": 3, "maxLength": 5}, lambda v: 3 <= len(v) <= 5),
    ({"properties": {"a": True, "b": False}, "required": ["a"]},
     lambda v: "a" in v and "b" not in v),
    (True, lambda v: True),
    (of(NODE), is_node),
    (of(TREE), is_tree),
    (of(KIDS), has_kids),
    (of({"anyOf": [{"$ref": "#/$defs/N"}, NUMBER]}), is_integer),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "fits"), FITS, ids=lambda one: str(one)[:60])
def test_values_fit_what_a_schema_says(schema: Any, fits: Any) -> None:
    @examples
    @given(json_values(schema))
    def fit(value: Any) -> None:
        assert fits(value), value
        assert json_size(ingest(value)) > 0

    fit()


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"enum": []},
        {"type": "number", "minimum": 1e30},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"allOf": [{"type": "string"}, {"type": "number"}]},
        {"type": "object", "required": ["__proto__"]},
        of({"$ref": "#/$defs/N"}),
        of({"properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"]}),
    ],
    ids=str,
)
def test_a_schema_that_nothing_fits_is_told_of_at_once(schema: Any) -> None:
    with pytest.raises(ValueError, match="no value fits the schema"):
        json_values(schema)


def takes(**schema: Any) -> dict[str, Any]:
    return {"t": {"input_schema": {"type": "object", **schema}, "output_schema": FOUND}}


ODD_NAMES = ["x y", "a`b", "", "steps", "and", "é", "10", "a\nb", "$x", "__proto__", "{{x}}"]
ODD_TOOLS: list[dict[str, Any]] = [
    {"t": {"input_schema": {"$ref": "#/$defs/A", "$defs": {"A": TAKES}}}},
    takes(required=["a"]),
    takes(properties={"p": {"type": "object", "required": ["z"]}}, required=["p"]),
    takes(properties={"p": {**TEXT, "anyOf": [{"enum": ["x"]}, {"const": 1}]}}, required=["p"]),
    takes(anyOf=[{"properties": {"a": NUMBER}, "required": ["a"]}, {"required": ["b"]}]),
    takes(allOf=[{"properties": {"a": NUMBER}}, {"required": ["a"]}]),
    takes(properties={"k": {"const": "steps.a.x"}}, required=["k"]),
    takes(properties={"k": {"enum": ["{{steps.a}}", "item.id", {"x": "${steps.a.n}"}]}},
          required=["k"]),
    takes(properties={"k": {"enum": [["steps.a", "steps.b"]]}}, required=["k"]),
    takes(properties=dict.fromkeys(ODD_NAMES, NUMBER), additionalProperties=False),
    takes(properties={"a": True, "b": False}),
    takes(properties={"n": of(TREE)}, required=["n"], **{"$defs": {"N": TREE}}),
    {"t": {"output_schema": {"properties": dict.fromkeys(ODD_NAMES, True)}}},
    {"t": {"output_schema": of(TREE)}},
    {"": None, "t": None, "u": takes(properties={"a": False}, required=["a"])["t"]},
]  # fmt: skip


@pytest.mark.parametrize("tools", ODD_TOOLS, ids=lambda one: str(one)[:60])
def test_a_plan_passes_the_checks_whatever_the_tools_declare(tools: dict[str, Any]) -> None:
    input: dict[str, JsonValue] = {"x y": 1, "a`b": 2, "": 3, "__proto__": 4}

    @examples
    @given(plans(tools, input=input))
    def passes(plan: Any) -> None:
        assert validate_plan(plan, tools=tools, input=input) == ()

    passes()


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        ({"": None}, '"tool" is empty'),
        (takes(properties={"a": False}, required=["a"]), "no arguments fit .* of t"),
        (takes(required=["__proto__"]), "no arguments fit .* of t"),
        ({"t": {"input_schema": {"type": "array"}}}, "no arguments fit .* of t"),
    ],
)
@pytest.mark.parametrize("strategy", [plans, malformed_plans])
def test_tools_that_no_plan_can_call_are_told_of_at_once(
    strategy: Any, tools: Any, told: str
) -> None:
    with pytest.raises(ValueError, match=f"no tool may be called by a plan: .*{told}"):
        strategy(tools)


@pytest.mark.parametrize(
    ("strategy", "given", "options", "error", "told"),
    [
        (plans, (["t"],), {"max_steps": 0}, ValueError, "max_steps must be at least 1, not 0"),
        (malformed_plans, (["t"],), {"max_steps": -2}, ValueError, "at least 1, not -2"),
        (plans, (["t"],), {"max_steps": 2.5}, TypeError, "max_steps must be a whole number"),
        (plans, (["t"],), {"max_steps": "3"}, TypeError, "max_steps must be a whole number"),
        (plans, (["t"],), {"max_steps": True}, TypeError, "max_steps must be a whole number"),
        (plans, (["t"],), {"input": 5}, TypeError, "input must be a mapping"),
        (plans, ("t",), {}, TypeError, "not one string"),
        (plans, ({"t": {"inputSchema": {}}},), {}, TypeError, "ToolInfo has no inputSchema"),
        (expressions, ({"A-b": {}},), {}, ValueError, '"A-b" is no step id: a lower-case'),
        (expressions, ({"a": 5},), {}, TypeError, "the shape of a must be a JSON Schema"),
        (expressions, (), {"item": 5}, TypeError, "item must be a JSON Schema"),
        (expressions, (), {"input": 5}, TypeError, "input must be a mapping"),
        (json_values, (5,), {}, TypeError, "schema must be a JSON Schema"),
    ],
)
def test_what_is_asked_for_wrongly_is_told_with_a_message(
    strategy: Any, given: Any, options: Any, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        strategy(*given, **options)


def test_a_plan_has_at_most_as_many_steps_as_it_may() -> None:
    @examples
    @given(plans(["t"], max_steps=40))
    def few(plan: Any) -> None:
        assert len(plan["steps"]) <= 20

    few()


@pytest.mark.parametrize("strategy", [plans, malformed_plans])
def test_without_a_tool_that_a_plan_may_call_there_are_no_plans(strategy: Any) -> None:
    with pytest.raises(ValueError, match="no tool"):
        strategy({"hidden": {"plannable": False}})


ORDERS: dict[str, Any] = {
    "orders": {
        "input_schema": {"properties": {"customer": NUMBER}, "required": ["customer"]},
        "output_schema": {
            "type": "array",
            "items": {"properties": {"id": TEXT, "qty": NUMBER}, "required": ["id", "qty"]},
        },
    },
    "ship": {
        "input_schema": {"properties": {"id": TEXT, "qty": NUMBER}, "required": ["id"]},
        "output_schema": {"properties": {"parcels": NUMBER}},
    },
    "other": None,
}


def ships(plan: Any) -> list[Any]:
    return [step for step in plan["steps"] if step["tool"] == "ship"]


def ships_each(plan: Any) -> bool:
    return any(step.get("bind", {}).get("id") == "item.id" for step in ships(plan))


@pytest.mark.parametrize(
    ("interesting", "most"),
    [
        (ships, 1),
        (ships_each, 2),
        (lambda plan: any("qty" in step.get("bind", {}) for step in ships(plan)), 2),
        (lambda plan: "steps." in plan.get("output", ""), 1),
        (lambda plan: any("for_each" in step for step in plan["steps"]), 1),
    ],
)
def test_a_find_is_made_smaller(interesting: Any, most: int) -> None:
    found = find(plans(ORDERS), interesting, settings=settings(examples, max_examples=500))
    assert len(found["steps"]) <= most
    assert not any({"when", "join", "after"} & step.keys() for step in found["steps"])


def test_a_list_is_mostly_given_on_item_by_item_where_the_names_tell_it() -> None:
    reached = 0
    for number in range(5):

        @seed(number)
        @settings(examples, derandomize=False, max_examples=100, phases=[Phase.generate])
        @given(plans(ORDERS))
        def reaches(plan: Any) -> None:
            assert not ships_each(plan)

        try:
            reaches()
        except AssertionError:
            reached += 1
    assert reached == 5


def test_the_scripted_model_is_there_where_strands_is() -> None:
    assert testing.ScriptedModel is ScriptedModel
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = testing.nothing
