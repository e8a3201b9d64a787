"""Checking a plan: what is accepted and what is known of it, what is refused, misuse."""

from __future__ import annotations

import gc
import json
import pickle
from collections import UserDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strands_plan_tool.errors import InvalidPlanShapeError, PlanError
from strands_plan_tool.models import Code, PlanStep, Policy, WorkflowPlan
from strands_plan_tool.validate import (
    CheckedStep,
    ToolInfo,
    check_plan,
    parse_plan,
    validate_plan,
)
from strands_plan_tool.validate.collector import collection_put_off

STEP = {"id": "a", "tool": "t"}
PLAN = {
    "steps": [
        STEP,
        {
            "id": "b",
            "tool": "u",
            "args": {"n": 1.0},
            "bind": {"x": "item.v", "list": "steps.a.v", "maybe": "steps.a.v"},
            "when": "steps.a.ok",
            "for_each": "steps.a.rows",
        },
    ],
    "returns": "b",
    "output": "steps.b",
}
TOOLS: dict[str, Any] = {
    "t": None,
    "u": {
        "input_schema": {
            "properties": {
                "n": {},
                "x": {"type": "string"},
                "list": {"$ref": "#/$defs/L"},
                "maybe": {"type": ["array", "null"]},
            },
            "$defs": {"L": {"type": "array"}},
        }
    },
}


def codes(plan: object, **host: Any) -> list[tuple[str, str]]:
    return [(d.code.value, d.path) for d in validate_plan(plan, **host)]  # type: ignore[arg-type]


def test_a_checked_plan_holds_all_that_checking_found_out() -> None:
    policy = Policy(max_steps=2)
    checked = check_plan(PLAN, tools=TOOLS, policy=policy)
    first, second = checked.steps
    assert checked.plan == WorkflowPlan(
        steps=[
            PlanStep(id="a", tool="t"),
            PlanStep(
                id="b",
                tool="u",
                args={"n": 1},
                bind={"x": "item.v", "list": "steps.a.v", "maybe": "steps.a.v"},
                when="steps.a.ok",
                for_each="steps.a.rows",
            ),
        ],
        returns=["b"],
        output="steps.b",
    )
    assert first == CheckedStep(
        step=checked.plan.steps[0], position=0, level=0, dependencies=(), bind={}
    )
    assert (second.position, second.level, second.dependencies) == (1, 1, ("a",))
    assert {name: each.text for name, each in second.bind.items()} == second.step.bind
    assert second.when is not None
    assert second.for_each is not None
    assert (second.when.text, second.for_each.text) == ("steps.a.ok", "steps.a.rows")
    assert second.list_arguments == {"list"}
    assert checked.levels == (("a",), ("b",))
    assert checked.output is not None
    assert checked.output.text == "steps.b"
    assert checked.policy is policy
    assert checked.notes == ("/returns: one id was made a list",)


@pytest.mark.parametrize(
    "form",
    [
        json.dumps(PLAN),
        PLAN,
        UserDict(PLAN),
        parse_plan(json.dumps(PLAN)),
    ],
    ids=["text", "dict", "mapping", "model"],
)
def test_a_plan_may_be_given_in_any_form(form: Any) -> None:
    assert validate_plan(form, tools=TOOLS) == ()
    assert check_plan(form, tools=TOOLS).plan == check_plan(PLAN, tools=TOOLS).plan


def test_a_plan_that_was_changed_after_it_was_made_is_checked_as_it_is() -> None:
    plan = WorkflowPlan(steps=[PlanStep(id="a", tool="t", args={"x": 1})], returns=["a"])
    plan.steps[0].args["x"] = float("nan")
    assert codes(plan) == [("unsafe_number", "/steps/0/args/x")]


def test_a_checked_plan_shares_nothing_with_what_was_given() -> None:
    given_plan = json.loads(json.dumps(PLAN))
    checked = check_plan(given_plan)
    given_plan["steps"][1]["args"]["n"] = 2
    given_plan["steps"][1]["bind"]["x"] = "1"
    assert checked.plan == check_plan(PLAN).plan


def test_a_checked_plan_and_its_expressions_can_be_pickled() -> None:
    checked = check_plan(PLAN)
    assert pickle.loads(pickle.dumps(checked)) == checked


@pytest.mark.parametrize("steps", [1001, 3])
@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("on", [True, False])
def test_the_collector_of_garbage_is_left_as_the_host_had_it(
    steps: int, as_text: bool, on: bool
) -> None:
    plan: Any = {"steps": [{"id": f"s{n}", "tool": "t"} for n in range(steps)]}
    given_plan = json.dumps(plan) if as_text else plan
    policy = Policy(max_steps=steps)
    if not on:
        gc.disable()
    try:
        with pytest.raises(PlanError):
            check_plan(given_plan, policy=policy)
        assert gc.isenabled() is on
        plan["returns"] = ["s0"]
        checked = check_plan(json.dumps(plan) if as_text else plan, policy=policy)
        assert gc.isenabled() is on
    finally:
        gc.enable()
    assert checked.levels == (tuple(f"s{n}" for n in range(steps)),)


def test_the_collector_goes_on_when_the_last_that_put_it_off_leaves() -> None:
    with collection_put_off():
        with collection_put_off():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_equal_expressions_are_read_once() -> None:
    steps = [
        STEP,
        *({"id": f"s{n}", "tool": "t", "bind": {"x": "steps.a.v"}} for n in range(3)),
    ]
    checked = check_plan({"steps": steps, "returns": ["a"]})
    assert len({id(step.bind["x"]) for step in checked.steps[1:]}) == 1


def test_parse_plan_repairs_and_checks_the_shape_alone() -> None:
    text = '```json\n{"steps": {"id": "a", "tool": "t", "after": "zzz"}}\n```'
    assert parse_plan(text) == WorkflowPlan(steps=[PlanStep(id="a", tool="t", after=["zzz"])])


@pytest.mark.parametrize(
    ("text", "code"),
    [("{", "json_syntax"), ("[]", "wrong_type"), ("{}", "missing_field"), ("", "json_syntax")],
)
def test_parse_plan_raises_for_what_is_no_plan(text: str, code: str) -> None:
    with pytest.raises(InvalidPlanShapeError) as caught:
        parse_plan(text)
    assert caught.value.code == code
    assert [d.code.value for d in caught.value.diagnostics] == [code]


def test_check_plan_raises_with_every_diagnostic_of_validate_plan() -> None:
    plan = {"steps": [{**STEP, "after": ["b", "c"]}], "returns": ["d"]}
    with pytest.raises(PlanError) as caught:
        check_plan(plan)
    assert caught.value.diagnostics == validate_plan(plan)
    assert len(caught.value.diagnostics) == 3


@pytest.mark.parametrize(
    ("host", "what"),
    [
        ({"tools": "t"}, "one string"),
        ({"tools": 5}, "iterable"),
        ({"tools": {"t": 5}}, "tool t"),
        ({"tools": {"t": {"inputSchema": {}}}}, "inputSchema"),
        ({"tools": {5: None}}, "string"),
        ({"policy": {"max_steps": 1}}, "Policy"),
        ({"input": ["user"]}, "input"),
    ],
)
def test_misuse_by_the_host_is_a_plain_type_error(host: dict[str, Any], what: str) -> None:
    with pytest.raises(TypeError, match=what) as caught:
        validate_plan(PLAN, **host)
    assert not isinstance(caught.value, PlanError)


def test_tools_may_be_names_or_facts_about_them() -> None:
    plan = {"steps": [{**STEP, "args": {"x": 1}}], "returns": ["a"]}
    assert codes(plan, tools=["t"]) == []
    assert codes(plan, tools=(name for name in ["u"])) == [("unknown_tool", "/steps/0/tool")]
    assert codes(plan, tools={"t": ToolInfo()}) == []
    assert codes(plan, tools={"t": ToolInfo(plannable=False)}) == [
        ("tool_not_plannable", "/steps/0/tool")
    ]
    assert codes(plan, tools={"t": UserDict(input_schema=UserDict(properties={}))}) == [
        ("unknown_argument", "/steps/0/args/x")
    ]
    assert codes(plan, tools=[]) == [("unknown_tool", "/steps/0/tool")]


def test_a_schema_that_refers_to_itself_for_ever_says_nothing() -> None:
    schema = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}
    plan = {"steps": [{**STEP, "args": {"x": 1}}], "returns": ["a"]}
    assert codes(plan, tools={"t": ToolInfo(input_schema=schema, output_schema=schema)}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"type": ["integer", 5]},
        {"type": "strange"},
        {"properties": []},
        {"required": "x"},
        {"required": [5]},
        {"enum": "abc"},
        {"properties": {"x": True}},
        {"properties": {"x": {"$ref": 5}}},
        {"properties": {"x": {"$ref": "#/a/~1/%41"}}},
        {"properties": {"x": {"$ref": "#anchor"}}},
        {"properties": {"x": {"items": [{"type": "string"}]}}},
        {"properties": {"x": {"type": "integer", "nullable": True}}},
    ],
)
def test_a_schema_that_is_odd_raises_nothing(schema: Any) -> None:
    for value in (None, [1], {"y": 1}):
        plan = {
            "steps": [
                {**STEP, "args": {"x": value}},
                {"id": "b", "tool": "t", "args": {"x": 1}, "bind": {"x": "steps.a.x.y"}},
            ],
            "returns": ["a"],
        }
        validate_plan(plan, tools={"t": ToolInfo(input_schema=schema, output_schema=schema)})


def test_a_reference_in_a_schema_may_be_escaped() -> None:
    schema = {
        "properties": {"x": {"$ref": "#/$defs/a~1b%20c/0"}},
        "$defs": {"a/b c": [{"type": "string"}]},
    }
    plan = {"steps": [{**STEP, "args": {"x": 1}}], "returns": ["a"]}
    assert codes(plan, tools={"t": ToolInfo(input_schema=schema)}) == [
        ("argument_type", "/steps/0/args/x")
    ]


def expressions(count: int, text: str) -> dict[str, Any]:
    return {
        "steps": [
            {"id": "a", "tool": "t"},
            *(
                {"id": f"s{n}", "tool": "t", "bind": {f"x{m}": text for m in range(100)}}
                for n in range(count // 100)
            ),
        ],
        "returns": ["a"],
    }


def test_a_thousand_expressions_are_allowed_and_one_more_is_told_where_it_stands() -> None:
    plan = expressions(1000, "steps.a.v + 1")
    assert codes(plan) == []
    plan["output"] = "1 + 1"
    assert codes(plan) == [("expression_limit", "/output")]


def test_plain_paths_are_not_counted_and_are_still_read_behind_the_limit() -> None:
    plan = expressions(1000, "steps.a.v + 1")
    plan["steps"][0]["bind"] = {"y": "1"}
    plan["steps"].append(
        {"id": "z", "tool": "t", "bind": {"p": "steps.a.v", "q": "steps.no.v"}}
    )
    assert codes(plan) == [
        ("expression_limit", "/steps/10/bind/x99"),
        ("unknown_step", "/steps/11/bind/q"),
    ]
    assert codes(expressions(3000, "steps.a.v")) == []


def test_expressions_have_64_kib_together() -> None:
    text = '"' + "é" * 1022 + '"'
    assert len(text.encode()) == 2046
    steps = [{"id": f"s{n}", "tool": "t", "bind": {"x": text}} for n in range(32)]
    plan = {"steps": steps, "returns": ["s0"]}
    assert codes(plan) == []
    plan["output"] = "1" * 65
    assert codes(plan) == [("expression_limit", "/output")]


def test_behind_the_limit_of_expressions_no_loose_end_is_told() -> None:
    plan = expressions(1000, "steps.a.v + 1")
    plan["output"] = "1 + 1"
    policy = Policy(single_final_step=True)
    assert codes(plan, policy=policy) == [("expression_limit", "/output")]


def literals(texts: list[str]) -> list[tuple[str, str]]:
    args = {f"x{at}": text for at, text in enumerate(texts)}
    return codes({"steps": [STEP, {"id": "b", "tool": "t", "args": args}], "returns": ["a"]})


def test_strings_that_only_look_like_expressions_are_read_up_to_a_limit() -> None:
    template, path, call = "{{steps.a.v}}", "steps.a.v", "$sum(steps.a.v)"
    found = [("template_in_args", f"/steps/1/args/x{at}") for at in range(1003)]
    assert literals([call]) == found[:1]
    assert literals(["steps and steps"] * 999 + [call, call]) == found[999:1000]
    assert literals(["steps and steps"] * 1000 + [template, path, call]) == found[1000:1002]


def test_a_literal_is_looked_at_as_a_template_once_however_many_braces_it_has() -> None:
    assert literals(["{{" * 100_000 + "}}", "{{steps.a.v " * 20_000, "${steps.a.v"]) == []
    assert literals(["{{" * 100_000 + "steps.a.v}}"]) == [
        ("template_in_args", "/steps/1/args/x0")
    ]


def test_a_bind_that_no_plan_could_hold_is_not_written_out() -> None:
    plan = {
        "steps": [STEP, {"id": "b", "tool": "t", "args": {"x": "{{steps.a.v}}" * 2_000}}],
        "returns": ["a"],
    }
    (found,) = validate_plan(plan)
    assert found.hint == 'write it in "bind", as an expression'


def test_a_plan_of_ten_thousand_bad_steps_is_told_whole() -> None:
    steps = [
        {"id": f"s{n}", "tool": f"tool_{n}", "after": [f"x{n}"], "bind": {"y": f"steps.z{n}"}}
        for n in range(10_000)
    ]
    found = validate_plan({"steps": steps}, tools=[f"tool_{n}x" for n in range(10_000)])
    counts = {code: sum(d.code is code for d in found) for code in {d.code for d in found}}
    assert counts == {
        Code.UNKNOWN_TOOL: 10_000,
        Code.UNKNOWN_STEP: 20_000,
        Code.TOO_MANY_STEPS: 1,
        Code.NOTHING_RETURNED: 1,
    }


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["steps.a.v", "{{steps.a.v}}", "a", "item.x", "[", '{"a": 1}', '"', "`"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*PlanStep.model_fields, *WorkflowPlan.model_fields, "a"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_no_value_makes_checking_raise(value: Any, as_text: bool) -> None:
    given_plan = json.dumps(value) if as_text else value
    for diagnostic in validate_plan(given_plan, tools=["t"]):
        assert diagnostic.message
        assert diagnostic.hint
    step = {"id": "a", "tool": "t", **(value if isinstance(value, dict) else {"args": value})}
    validate_plan({"steps": [step], "returns": ["a"]}, tools={"t": {"input_schema": {}}})
