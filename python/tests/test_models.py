"""The generated models: what they accept from Python code, what they refuse and keep."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
import typing_user
from pydantic import BaseModel, ValidationError

from strands_plan_tool import models
from strands_plan_tool._base import Model
from strands_plan_tool.models import (
    Code,
    Diagnostic,
    Effect,
    ItemCheckpoint,
    ItemCounts,
    Join,
    OnError,
    PlanResult,
    PlanStep,
    Policy,
    Retry,
    StepCheckpoint,
    StepOutcome,
    StepStatus,
    WaitingCall,
    WorkflowPlan,
)

PLAN = {
    "steps": [
        {"id": "a", "tool": "t", "args": {"x": [1, 2.5, None]}},
        {"id": "b", "tool": "u", "bind": {"y": "steps.a"}, "after": ["a"], "join": "any"},
    ],
    "returns": ["b"],
    "on_error": "continue",
}
RESULT: dict[str, Any] = {
    "returned": {},
    "ledger": (),
    "levels": 1,
    "inference_passes_saved": 0,
}


def problems(model: type[BaseModel], value: object) -> list[tuple[str, tuple[str | int, ...]]]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    return [(error["type"], error["loc"]) for error in caught.value.errors()]


def step(**fields: object) -> dict[str, object]:
    return {"id": "a", "tool": "t", **fields}


def test_a_list_is_stored_as_a_tuple_and_a_text_as_its_enum_member() -> None:
    plan = typing_user.lists_and_strings()
    assert plan.steps[0].after == ("x",)
    assert plan.steps[1].join is Join.ANY
    assert plan.returns == ("a",)
    assert plan.on_error is OnError.CONTINUE


def test_tuples_and_members_are_accepted_as_they_are() -> None:
    plan = typing_user.tuples_and_members()
    assert plan == WorkflowPlan(
        steps=[PlanStep(id="a", tool="t", after=["x"], join="any")],
        returns=["a"],
        on_error="continue",
    )
    assert typing_user.stored_types(plan) == ("a",)


def test_values_of_roughly_known_types_are_accepted() -> None:
    plan = typing_user.variables(["a", "b"], "any", {"n": 1})
    assert [(s.id, s.join, s.args) for s in plan.steps] == [
        ("a", Join.ANY, {"n": 1}),
        ("b", Join.ANY, {"n": 1}),
    ]


def test_results_policies_and_diagnostics_are_made_from_lists_and_texts() -> None:
    result = typing_user.results()
    assert [entry.status for entry in result.ledger] == [StepStatus.FAILED, StepStatus.OK]
    assert result.ledger[0].items == ItemCounts(total=2, ok=0, failed=2)
    assert result.notes == ("a note",)
    policy = typing_user.policy({"x": "write"})
    assert policy.effects == {"x": Effect.WRITE, "get_*": Effect.READ, "send": Effect.WRITE}
    assert typing_user.diagnostic().code is Code.CYCLE


@pytest.mark.parametrize("number", range(len(typing_user.refused())))
def test_what_the_type_checker_refuses_is_refused_at_run_time(number: int) -> None:
    with pytest.raises(ValidationError):
        typing_user.refused()[number]()


def test_plain_data_gives_the_same_plan_from_python_and_from_json() -> None:
    plan = WorkflowPlan.model_validate(PLAN)
    assert plan == WorkflowPlan.model_validate_json(json.dumps(PLAN))
    assert plan.steps[1] == PlanStep(
        id="b", tool="u", bind={"y": "steps.a"}, after=("a",), join=Join.ANY
    )


def test_a_plan_survives_a_round_trip_through_json() -> None:
    plan = WorkflowPlan.model_validate(PLAN)
    assert WorkflowPlan.model_validate_json(plan.model_dump_json()) == plan
    assert WorkflowPlan.model_validate(plan.model_dump()) == plan
    assert WorkflowPlan.model_validate(plan.model_dump(mode="json")) == plan


def test_a_plan_survives_pickling_and_copying() -> None:
    plan = WorkflowPlan.model_validate(PLAN)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert copy.deepcopy(plan) == plan
    assert plan.model_copy(update={"final": True}).final is True


def test_a_plan_is_read_inside_a_model_of_somebody_else() -> None:
    class Request(BaseModel):
        plan: WorkflowPlan

    assert Request.model_validate({"plan": PLAN}).plan == WorkflowPlan.model_validate(PLAN)


@pytest.mark.parametrize(
    "value",
    [{"x"}, frozenset({"x"}), {"x": 1}, "x", iter(["x"]), {"x": 1}.keys(), None],
    ids=["set", "frozenset", "dict", "text", "iterator", "keys", "none"],
)
def test_only_a_list_stands_for_a_tuple(value: object) -> None:
    assert problems(PlanStep, step(after=value)) == [("tuple_type", ("after",))]


@pytest.mark.parametrize("value", ["ALL", "Any", "", b"any", 1, True, None, ["any"]])
def test_only_the_text_of_a_member_stands_for_it(value: object) -> None:
    assert problems(PlanStep, step(join=value)) == [("enum", ("join",))]


@pytest.mark.parametrize("value", ["1", True, 1.0, 1.5, None])
def test_an_integer_is_not_made_from_anything_else(value: object) -> None:
    assert problems(Retry, {"attempts": value}) == [("int_type", ("attempts",))]


@pytest.mark.parametrize("value", ["1", True, None])
def test_a_number_is_not_made_from_anything_else(value: object) -> None:
    retry = {"attempts": 1, "backoff_s": value}
    assert problems(Retry, retry) == [("float_type", ("backoff_s",))]


@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_a_boolean_is_not_made_from_anything_else(value: object) -> None:
    assert problems(WorkflowPlan, {**PLAN, "final": value}) == [("bool_type", ("final",))]


@pytest.mark.parametrize("value", [1, True, b"x", ["x"]])
def test_a_text_is_not_made_from_anything_else(value: object) -> None:
    assert problems(PlanStep, step(when=value)) == [("string_type", ("when",))]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, (1,), b"x", object()])
def test_what_is_not_json_is_refused_inside_arguments(value: object) -> None:
    with pytest.raises(ValidationError):
        PlanStep.model_validate(step(args={"x": value}))


def test_bounds_of_integers_are_what_every_language_holds() -> None:
    assert Retry(attempts=2**53 - 1).attempts == 2**53 - 1
    assert problems(Retry, {"attempts": 2**53}) == [("less_than_equal", ("attempts",))]
    assert problems(Retry, {"attempts": 0}) == [("greater_than_equal", ("attempts",))]
    assert problems(Policy, {"step_timeout_s": 0}) == [("greater_than", ("step_timeout_s",))]


@pytest.mark.parametrize("text", ["a\n", "A", "1a", "", "a-b", "é", "a" * 33, "a\u0660"])
def test_an_id_has_the_shape_of_an_id(text: str) -> None:
    assert problems(PlanStep, step(id=text)) == [("string_pattern_mismatch", ("id",))]


def test_unknown_fields_are_refused() -> None:
    assert problems(PlanStep, step(depends_on=["b"])) == [("extra_forbidden", ("depends_on",))]
    assert problems(Policy, {"max_step": 1}) == [("extra_forbidden", ("max_step",))]


ALL_MODELS = sorted(Model.__subclasses__(), key=lambda model: model.__name__)
NULLABLE: dict[type[BaseModel], set[str]] = {
    PlanStep: {"when", "for_each"},
    WorkflowPlan: {"output"},
    Policy: {"step_timeout_s", "plan_timeout_s"},
    StepOutcome: {"error", "code", "items"},
    StepCheckpoint: {"status", "result", "code", "error", "counts"},
    ItemCheckpoint: {"result", "code", "error"},
    WaitingCall: {"index", "code", "error"},
    PlanResult: {"output", "output_error"},
}


@pytest.mark.parametrize("model", ALL_MODELS)
def test_null_is_accepted_for_these_fields_alone(model: type[BaseModel]) -> None:
    refused = {loc[0] for _, loc in problems(model, dict.fromkeys(model.model_fields))}
    assert model.model_fields.keys() - refused == NULLABLE.get(model, set())


def test_a_model_cannot_be_changed() -> None:
    plan = WorkflowPlan.model_validate(PLAN)
    with pytest.raises(ValidationError):
        plan.final = True  # type: ignore[misc]


def test_defaults_are_not_shared_between_instances() -> None:
    first, second = PlanStep(id="a", tool="t"), PlanStep(id="a", tool="t")
    first.args["x"] = 1
    assert second.args == {}
    assert PlanStep(id="a", tool="t").args == {}


def test_the_defaults_are_those_of_the_language() -> None:
    assert Policy().model_dump() == {
        "max_steps": 32,
        "max_concurrency": 16,
        "max_items": 1000,
        "single_final_step": False,
        "step_timeout_s": None,
        "plan_timeout_s": None,
        "retry": {},
        "effects": {},
        "max_expression_steps": 10_000_000,
        "max_result_bytes": 1_048_576,
        "max_output_bytes": 65_536,
        "integers": "portable",
    }
    assert PlanResult(**RESULT).model_dump() == {
        "returned": {},
        "ledger": (),
        "levels": 1,
        "inference_passes_saved": 0,
        "final": False,
        "output": None,
        "has_output": False,
        "output_error": None,
        "ends_turn": False,
        "notes": (),
    }
    assert (models.MAX_STEPS, models.SCHEMA_MAX_STEPS) == (32, 10_000)


def test_a_result_holds_an_integer_of_any_size() -> None:
    result = PlanResult(**{**RESULT, "returned": {"a": 2**70}})
    assert result.returned == {"a": 2**70}


def test_a_plan_of_ten_thousand_steps_is_read_and_one_more_is_refused() -> None:
    steps = [step(id=f"s{number}") for number in range(models.SCHEMA_MAX_STEPS)]
    assert len(WorkflowPlan.model_validate({"steps": steps}).steps) == len(steps)
    assert problems(WorkflowPlan, {"steps": [*steps, step(id="one_more")]}) == [
        ("too_long", ("steps",))
    ]


def test_a_word_is_its_text_wherever_text_is_wanted() -> None:
    assert json.dumps({"code": Code.CYCLE, "status": StepStatus.NOT_TAKEN}) == (
        '{"code": "cycle", "status": "not_taken"}'
    )
    assert f"{Join.ANY}" == "any"
    assert Diagnostic(code="cycle", path="", message="m", hint="h").model_dump_json() == (
        '{"code":"cycle","path":"","message":"m","hint":"h"}'
    )


def test_the_json_schema_of_a_model_names_and_describes_its_words() -> None:
    schema = PlanStep.model_json_schema()
    assert schema["$defs"]["Join"]["enum"] == ["all", "any"]
    assert schema["properties"]["id"]["description"] == "Unique name of this step."
