"""Expressions one by one, and languages other than the engine's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from strands_plan_tool.binder import (
    Binder,
    JsonataBinder,
    listed,
    references_by_library,
)
from strands_plan_tool.errors import (
    DanglingReferenceError,
    EvalNotAllowedError,
    PlanCycleError,
    PlanError,
    ToolNotPlannableError,
)
from strands_plan_tool.evaluate import EvaluationError
from strands_plan_tool.executor import execute_plan
from strands_plan_tool.executor.calls import StepCall, StepInvoker, ToolInvoker
from strands_plan_tool.executor.clock import Clock
from strands_plan_tool.models import Code, JsonValue, PlanResult, WorkflowPlan
from strands_plan_tool.testing import StubTools, VirtualClock, call_row
from strands_plan_tool.values import NOTHING

ENV: dict[str, JsonValue] = {"steps": {"a": {"n": 2, "none": None}}, "input": {"name": "Ann"}}
TOOLS = {"t": {"echo": True, "takes_ms": 10}}


class Names:
    """A foreign language: `steps.a` and the name of a field, with a blank between."""

    def __init__(self) -> None:
        self.seen: list[Mapping[str, JsonValue]] = []

    def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
        self.seen.append(env)
        step, _, field = expression.removeprefix("steps.").partition(" ")
        steps: Any = env["steps"]
        if step not in steps:
            raise LookupError(f"no result of {step}")
        value: JsonValue = steps[step] if not field else steps[step].get(field)
        return value


def run(plan: Any, binder: Any, **more: Any) -> tuple[PlanResult, list[dict[str, JsonValue]]]:
    clock = VirtualClock()
    tools = StubTools(TOOLS, clock=clock)
    result = clock.run(execute_plan(plan, tools, binder=binder, clock=clock, **more))
    return result, [call_row(call) for call in tools.calls]


def step(step_id: str, **more: Any) -> dict[str, Any]:
    return {"id": step_id, "tool": "t", **more}


# One expression


def test_bind_gives_the_value_of_an_expression() -> None:
    binder = JsonataBinder()
    assert binder.bind("steps.a.n + 1", ENV) == 3
    assert binder.bind("input.name & '!'", ENV) == "Ann!"
    assert binder.bind("item.v * index", {"steps": {}, "item": {"v": 2}, "index": 3}) == 6


def test_bind_takes_in_what_it_is_given_as_a_run_does() -> None:
    binder = JsonataBinder()
    given: Any = {"steps": {"a": {"b": -0.0, "2": 1.0, "1": 2}}, "input": {"x": 2.0}}
    assert binder.bind("$string(steps.a)", given) == '{"1":2,"2":1,"b":0}'
    assert binder.bind("$keys(a)", {"a": {"z": 1, "10": 1, "9": 1}}) == ["9", "10", "z"]
    assert binder.bind("$string(input.x & '' & steps.a.b)", given) == "20"
    assert given == {"steps": {"a": {"b": -0.0, "2": 1.0, "1": 2}}, "input": {"x": 2.0}}


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"steps": {"a": {"x": {1}}}}, "steps.a: at /x: a value of type set"),
        ({"steps": {1: 2}}, "steps: a key is not text"),
        ({"steps": {}, "input": {"x": float("nan")}}, "input: at /x: a number that is not"),
        ({"steps": {}, "item": object()}, "item: a value of type object"),
        ({"steps": {}, "item": 1, "index": 1j}, "index: a value of type complex"),
        ({"a": "\ud800"}, "env: at /a: text with a lone surrogate"),
    ],
)
def test_bind_refuses_what_is_no_json(env: Any, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        JsonataBinder().bind("1", env)
    assert caught.value.code is Code.NOT_JSON_RESULT
    assert caught.value.diagnostics[0].message.startswith(message)


def test_an_integer_that_is_not_safe_is_told_of_and_not_rounded() -> None:
    with pytest.raises(EvaluationError) as caught:
        JsonataBinder().bind("steps.a", {"steps": {"a": 2**53 + 1}})
    assert caught.value.code is Code.UNSAFE_NUMBER


def test_bind_gives_none_for_nothing_and_for_null() -> None:
    binder = JsonataBinder()
    assert binder.bind("steps.a.none", ENV) is None
    assert binder.bind("steps.a.missing", ENV) is None
    assert binder.bind("steps.b.n", ENV) is None
    assert binder.find("steps.a.none", ENV) is None
    assert binder.find("steps.a.missing", ENV) is NOTHING


def test_bind_reads_any_object_by_name_where_there_are_no_steps() -> None:
    assert JsonataBinder().bind("a.b", {"a": {"b": 1}}) == 1
    assert JsonataBinder().bind("nope", {}) is None


def test_eval_is_refused_with_a_permission_error() -> None:
    with pytest.raises(PermissionError) as caught:
        JsonataBinder().bind('$eval("1 + 1")', ENV)
    assert isinstance(caught.value, EvalNotAllowedError)
    assert isinstance(caught.value, PlanError)
    assert [d.code for d in caught.value.diagnostics] == [Code.NOT_IN_PROFILE]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("steps.a.n +", Code.SYNTAX),
        ("$now()", Code.NOT_IN_PROFILE),
        ("$summ(steps.a.n)", Code.UNKNOWN_FUNCTION),
        ("steps.a.n == 2", Code.FOREIGN_SYNTAX),
    ],
)
def test_what_the_profile_lacks_is_refused_with_its_diagnostic(text: str, code: Code) -> None:
    with pytest.raises(PlanError) as caught:
        JsonataBinder().bind(text, ENV)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_a_failing_expression_raises_an_evaluation_error() -> None:
    with pytest.raises(EvaluationError) as caught:
        JsonataBinder().bind("steps.a.n + 'x'", ENV)
    assert caught.value.code == Code.EVALUATION_FAILED


def test_what_bind_gives_is_a_copy() -> None:
    env: dict[str, JsonValue] = {"steps": {"a": {"list": [1]}}}
    value: Any = JsonataBinder().bind("steps.a.list", env)
    value.append(2)
    assert env == {"steps": {"a": {"list": [1]}}}


@pytest.mark.parametrize(
    ("value", "made"),
    [(NOTHING, []), ([], []), ([1, 2], [1, 2]), (None, None), (0, [0]), ({"a": 1}, [{"a": 1}])],
)
def test_the_list_rule(value: Any, made: JsonValue) -> None:
    assert listed(value) == made


# The whole of the library


def test_with_allow_eval_the_whole_library_is_there() -> None:
    binder = JsonataBinder(allow_eval=True)
    assert binder.bind('$eval("steps.a.n * 2")', ENV) == 4
    assert binder.bind("$steps.a.n", ENV) == 2
    assert binder.find("steps.a.none", ENV) is None
    assert binder.find("steps.a.missing", ENV) is NOTHING


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("steps.a.b", {"a"}),
        ("$steps.a", {"a"}),
        ("$.steps.a & $$.steps.b", {"a", "b"}),
        ('steps."a"[id = $$.steps.`b`.id].c', {"a", "b"}),
        ('$lookup(steps, "a").x', {"a"}),
        ('$lookup($$.steps, "a").x', {"a"}),
        ("$map(steps.a, function($v){$v + $$.steps.b})", {"a", "b"}),
        ("steps.a{steps.b: $sum(steps.c)}^(x)", {"a", "b", "c"}),
        ('steps.a ~> |x|{"y": steps.b}|', {"a", "b"}),
        ("jobs.steps.a", set()),
        ('/* steps.b */ "steps.a"', set()),
        ("steps.*.a", set()),
    ],
)
def test_with_allow_eval_references_are_read_off_the_tree(text: str, read: set[str]) -> None:
    assert set(references_by_library(text) or ()) == read


def test_with_allow_eval_a_plan_runs_what_the_profile_refuses() -> None:
    plan = {
        "steps": [
            step("a", args={"rows": [{"n": 1}]}),
            step("b", bind={"x": '$eval("steps.a.rows.n + 1")'}, after=["a"]),
            step("c", bind={"x": "steps.`a`.rows ~> |$|{'n': 9}|"}),
        ],
        "returns": ["a", "b", "c"],
    }
    result, _ = run(plan, JsonataBinder(allow_eval=True))
    assert result.returned == {
        "a": {"rows": [{"n": 1}]},
        "b": {"x": 2},
        "c": {"x": [{"n": 9}]},
    }


def test_with_allow_eval_nothing_still_fails_its_step() -> None:
    plan = {"steps": [step("a"), step("b", bind={"x": "steps.a.nope"})], "returns": ["b"]}
    result, calls = run(plan, JsonataBinder(allow_eval=True))
    assert (result.ledger[1].code, len(calls)) == (Code.NO_VALUE, 1)


def test_with_allow_eval_bad_syntax_refuses_the_plan() -> None:
    plan = {"steps": [step("a"), step("b", bind={"x": "steps.a.("})], "returns": ["b"]}
    with pytest.raises(PlanError) as caught:
        run(plan, JsonataBinder(allow_eval=True))
    assert [(d.code, d.path) for d in caught.value.diagnostics] == [
        (Code.SYNTAX, "/steps/1/bind/x")
    ]


# A language of the host's own


def test_a_foreign_binder_runs_a_plan_in_its_own_language() -> None:
    plan = {
        "steps": [
            step("a", args={"n": 1, "go": True, "list": [{"v": 1}, {"v": 2}]}),
            step("b", bind={"x": "steps.a n"}, when="steps.a go"),
            step("c", for_each="steps.a list", bind={"x": "steps.b x"}),
        ],
        "returns": ["b", "c"],
        "output": "steps.c",
    }
    result, calls = run(plan, Names())
    assert result.returned == {"b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]}
    assert result.output == [{"x": 1}, {"x": 1}]
    assert [call["step"] for call in calls] == ["a", "b", "c", "c"]
    assert [entry.level for entry in result.ledger] == [0, 1, 2]


def test_none_of_a_foreign_binder_is_null() -> None:
    plan = {
        "steps": [step("a"), step("b", bind={"x": "steps.a nope"})],
        "output": "steps.a nope",
        "returns": ["b"],
    }
    result, _ = run(plan, Names())
    assert (result.returned, result.output, result.has_output) == (
        {"b": {"x": None}},
        None,
        True,
    )


def test_a_foreign_null_is_no_condition_and_no_list() -> None:
    plan = {
        "steps": [
            step("a"),
            step("b", when="steps.a nope"),
            step("c", for_each="steps.a nope"),
        ],
        "returns": ["a"],
        "on_error": "continue",
    }
    result, _ = run(plan, Names())
    assert [entry.code for entry in result.ledger] == [None, Code.NOT_BOOLEAN, Code.NOT_A_LIST]


def test_a_foreign_binder_s_exception_fails_the_step_in_its_own_words() -> None:
    plan = {"steps": [step("a", bind={"x": "b"})], "returns": ["a"], "output": "c"}
    result, calls = run(plan, Names())
    assert (result.ledger[0].code, calls) == (Code.EVALUATION_FAILED, [])
    assert "no result of b" in (result.ledger[0].error or "")
    assert result.output_error is not None
    assert result.output_error.code == Code.EVALUATION_FAILED


def test_a_foreign_value_that_is_no_json_fails_the_step() -> None:
    class Odd:
        def bind(self, expression: str, env: Mapping[str, JsonValue]) -> Any:
            return {1, 2}

    result, _ = run({"steps": [step("a", bind={"x": "x"})], "returns": ["a"]}, Odd())
    assert result.ledger[0].code == Code.EVALUATION_FAILED


def test_a_foreign_binder_sees_a_copy() -> None:
    class Vandal(Names):
        def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
            value = super().bind(expression, env)
            steps: Any = env["steps"]
            steps.clear()
            return value

    plan = {
        "steps": [step("a", args={"n": 1}), step("b", bind={"x": "steps.a", "y": "steps.a n"})],
        "returns": ["a", "b"],
    }
    result, _ = run(plan, Vandal())
    assert result.returned == {"a": {"n": 1}, "b": {"x": {"n": 1}, "y": 1}}


def test_a_foreign_plan_is_still_checked_for_its_graph_and_tools() -> None:
    with pytest.raises(DanglingReferenceError) as dangling:
        run({"steps": [step("a", bind={"x": "steps.z n"})], "returns": ["a"]}, Names())
    assert (dangling.value.step_id, dangling.value.missing) == ("a", "z")
    assert dangling.value.diagnostics[0].path == "/steps/0/bind/x"
    around = [step("a", bind={"x": "steps.b"}), step("b", when="steps.a")]
    with pytest.raises(PlanCycleError):
        run({"steps": around, "returns": ["a"]}, Names())
    one = {"steps": [step("a", after=[], join="any")], "returns": ["a"]}
    no_tools: list[dict[str, Any]] = [
        {"allowed_tools": ["other"]},
        {"tools": {"other": None}},
        {"tools": {"t": {"plannable": False}}},
        {"tools": {"t": None}, "allowed_tools": ["other"]},
    ]
    for more in no_tools:
        with pytest.raises(ToolNotPlannableError):
            run(one, Names(), **more)
    assert run(one, Names(), tools={"t": {"input_schema": {}}})[0].returned == {"a": {}}
    for bad in ({"steps": [step("a")]}, {"steps": [step("A")], "returns": ["A"]}, "{"):
        with pytest.raises(PlanError):
            run(bad, Names())
    with pytest.raises(DanglingReferenceError):
        run({"steps": [step("a", after=["b"])], "returns": ["a"]}, Names())


def test_a_foreign_step_that_names_itself_does_not_wait_for_itself() -> None:
    plan = {"steps": [step("a", bind={"x": "steps.b"}), step("b")], "returns": ["a"]}
    itself = {"steps": [step("b", when="steps.b")], "returns": ["b"]}
    assert run(plan, Names())[0].ledger[1].level == 1
    assert run(itself, Names())[0].ledger[0].code == Code.EVALUATION_FAILED


def test_a_foreign_plan_is_repaired_and_may_come_as_text_or_model() -> None:
    text = '```json\n{"steps": {"id": "a", "tool": "t"}, "returns": "a"}\n```'
    result, _ = run(text, Names())
    assert (result.returned, len(result.notes)) == ({"a": {}}, 3)
    model = WorkflowPlan.model_validate({"steps": [step("a")], "returns": ["a"]})
    assert run(model, Names())[0].returned == {"a": {}}


def test_a_subclass_of_the_binder_is_a_language_of_its_own() -> None:
    class Shouts(JsonataBinder):
        def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
            return f"{super().bind(expression, env)}!"

    plan = {"steps": [step("a", args={"n": "x"}), step("b", bind={"y": "steps.a.n"})]}
    result, _ = run({**plan, "returns": ["b"]}, Shouts())
    assert result.returned == {"b": {"y": "x!"}}


def test_the_engine_s_own_binder_may_be_named() -> None:
    seen: list[StepCall] = []

    class Tools:
        async def invoke_step(self, call: StepCall) -> JsonValue:
            seen.append(call)
            return {"n": 1}

    plan = {"steps": [step("a"), step("b", bind={"x": "steps.a.n"})], "returns": ["b"]}
    VirtualClock().run(execute_plan(plan, Tools(), binder=JsonataBinder()))
    assert [call.args for call in seen] == [{}, {"x": 1}]


def test_what_has_the_methods_of_a_protocol_is_an_instance_of_it() -> None:
    async def invoker(name: str, args: dict[str, JsonValue]) -> JsonValue:
        return None

    assert isinstance(JsonataBinder(), Binder)
    assert not isinstance(invoker, Binder)
    assert isinstance(invoker, ToolInvoker)
    assert not isinstance({"t": 1}, ToolInvoker)
    tools = StubTools({}, clock=VirtualClock())
    assert isinstance(tools, StepInvoker)
    assert not isinstance(invoker, StepInvoker)
    assert isinstance(VirtualClock(), Clock)
