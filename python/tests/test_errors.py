"""Exceptions: one root, the published attributes, the class of the first problem."""

from __future__ import annotations

import copy
import pickle

import pytest

from strands_plan_tool.diagnostics import diagnostic
from strands_plan_tool.errors import (
    AgentInterruptedError,
    BindEvaluationError,
    DanglingReferenceError,
    DuplicateStepError,
    EvalNotAllowedError,
    InvalidPlanShapeError,
    PlanCycleError,
    PlanError,
    StepLimitError,
    ToolExecutionError,
    ToolNotPlannableError,
    error_for,
)
from strands_plan_tool.models import Code, Diagnostic
from strands_plan_tool.validate import check_plan

PROBLEM = diagnostic("syntax", ("output",), "why", "how")
ERRORS = [
    (PlanError("why"), {}, None),
    (PlanError("why", [PROBLEM]), {}, Code.SYNTAX),
    (InvalidPlanShapeError("why"), {"detail": "why"}, Code.WRONG_TYPE),
    (StepLimitError(40, 32), {"count": 40, "limit": 32}, Code.TOO_MANY_STEPS),
    (DuplicateStepError("a"), {"step_id": "a"}, Code.DUPLICATE_STEP),
    (
        ToolNotPlannableError("a", "t", ("x", "y")),
        {"step_id": "a", "tool": "t", "allowed": ("x", "y")},
        Code.TOOL_NOT_PLANNABLE,
    ),
    (
        DanglingReferenceError("a", "b", field="dependencies"),
        {"step_id": "a", "missing": "b", "field": "dependencies"},
        Code.UNKNOWN_STEP,
    ),
    (PlanCycleError(("a", "b")), {"remaining": ("a", "b")}, Code.CYCLE),
    (
        BindEvaluationError("a", "x", "steps.b", "no"),
        {"step_id": "a", "parameter": "x", "expression": "steps.b", "cause": "no"},
        Code.EVALUATION_FAILED,
    ),
    (ToolExecutionError("t", "no"), {"tool": "t", "detail": "no"}, Code.TOOL_FAILED),
    (AgentInterruptedError(), {}, None),
    (EvalNotAllowedError("no"), {}, Code.NOT_IN_PROFILE),
]


def name_of(case: object) -> str | None:
    return type(case).__name__ if isinstance(case, PlanError) else None


@pytest.mark.parametrize(("error", "attributes", "code"), ERRORS, ids=name_of)
def test_an_error_has_its_attributes_a_code_and_diagnostics(
    error: PlanError, attributes: dict[str, object], code: Code | None
) -> None:
    assert {name: getattr(error, name) for name in attributes} == attributes
    assert error.code == code
    assert error.diagnostics == ((PROBLEM,) if code is Code.SYNTAX else ())
    assert str(error) != ""
    assert isinstance(error, PlanError)


@pytest.mark.parametrize(("error", "attributes", "code"), ERRORS, ids=name_of)
def test_an_error_survives_copying_and_pickling(
    error: PlanError, attributes: dict[str, object], code: Code | None
) -> None:
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert (str(other), vars(other)) == (str(error), vars(error))


def test_what_eval_raises_is_a_permission_error_too() -> None:
    assert isinstance(EvalNotAllowedError("no"), PermissionError)


def problems(*codes: str) -> list[Diagnostic]:
    return [diagnostic(code, (), code, "") for code in codes]


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (["loose_ends", "cycle", "unknown_step", "unknown_tool"], ToolNotPlannableError),
        (["duplicate_step", "tool_not_plannable"], DuplicateStepError),
        (["duplicate_step", "too_many_steps"], StepLimitError),
        (["too_many_steps", "bad_pattern"], InvalidPlanShapeError),
        (["cycle", "unknown_step"], DanglingReferenceError),
        (["syntax", "cycle"], PlanCycleError),
        (["syntax", "self_reference"], PlanCycleError),
        (["syntax", "unknown_argument"], PlanError),
        (["nothing_returned"], PlanError),
        (["json_syntax"], InvalidPlanShapeError),
    ],
)
def test_the_class_is_that_of_the_first_problem_in_the_order_of_families(
    codes: list[str], kind: type[PlanError]
) -> None:
    error = error_for(problems(*codes))
    assert type(error) is kind
    assert error.diagnostics == tuple(problems(*codes))


def test_every_code_has_an_error() -> None:
    for code in Code:
        error = error_for(problems(code.value))
        assert error.code == code
        assert isinstance(error, PlanError)


def test_the_message_names_the_problem_its_place_its_edit_and_how_many_more() -> None:
    one = diagnostic("cycle", ("steps", 0), "why", "how")
    assert str(error_for([one])) == "/steps/0: why; how"
    two = diagnostic("syntax", (), "why", "how")
    assert str(error_for([two, one, one])) == "/steps/0: why; how (and 2 more problems)"
    assert str(error_for([two])) == "the plan: why; how"


STEP = {"id": "a", "tool": "t"}


@pytest.mark.parametrize(
    ("plan", "kind", "attributes"),
    [
        ({"steps": [STEP, STEP], "returns": ["a"]}, DuplicateStepError, {"step_id": "a"}),
        (
            {"steps": [{**STEP, "id": f"s{n}"} for n in range(33)], "returns": ["s0"]},
            StepLimitError,
            {"count": 33, "limit": 32},
        ),
        (
            {"steps": [{**STEP, "tool": "zzz"}], "returns": ["a"]},
            ToolNotPlannableError,
            {"step_id": "a", "tool": "zzz", "allowed": ("t", "u")},
        ),
        (
            {"steps": [{**STEP, "tool": "hidden"}], "returns": ["a"]},
            ToolNotPlannableError,
            {"step_id": "a", "tool": "hidden", "allowed": ("t", "u")},
        ),
        (
            {"steps": [{**STEP, "after": ["b"]}], "returns": ["a"]},
            DanglingReferenceError,
            {"step_id": "a", "missing": "b", "field": "dependencies"},
        ),
        (
            {"steps": [{**STEP, "bind": {"x": "steps.b.y"}}], "returns": ["a"]},
            DanglingReferenceError,
            {"step_id": "a", "missing": "b", "field": "dependencies"},
        ),
        (
            {"steps": [STEP], "returns": ["b"]},
            DanglingReferenceError,
            {"step_id": "b", "missing": "b", "field": "returns"},
        ),
        (
            {"steps": [STEP], "output": "steps.b"},
            DanglingReferenceError,
            {"step_id": "b", "missing": "b", "field": "output"},
        ),
        (
            {
                "steps": [
                    {**STEP, "after": ["c"]},
                    {**STEP, "id": "b", "after": ["a"]},
                    {**STEP, "id": "c", "after": ["b"]},
                    {**STEP, "id": "d", "after": ["a"]},
                ],
                "returns": ["a"],
            },
            PlanCycleError,
            {"remaining": ("a", "c", "b")},
        ),
        (
            {"steps": [{**STEP, "after": ["a"]}], "returns": ["a"]},
            PlanCycleError,
            {"remaining": ("a",)},
        ),
        (
            {"steps": [], "returns": ["a"]},
            InvalidPlanShapeError,
            {"detail": '"steps" is empty'},
        ),
    ],
)
def test_a_refused_plan_raises_with_the_facts_of_its_first_problem(
    plan: dict[str, object], kind: type[PlanError], attributes: dict[str, object]
) -> None:
    tools = {"u": None, "t": None, "hidden": {"plannable": False}}
    with pytest.raises(PlanError) as caught:
        check_plan(plan, tools=tools)
    assert type(caught.value) is kind
    assert {name: getattr(caught.value, name) for name in attributes} == attributes
    assert caught.value.code == caught.value.diagnostics[0].code
