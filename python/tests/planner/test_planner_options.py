"""What a host passes: what is no good is refused at once, with what to write instead."""

from __future__ import annotations

import math
from typing import Any

import pytest
from planner_models import QUESTION, Model, agent, answer, does, plan, run, step, task_plan
from strands import Agent

from strands_plan_tool.planner_executor import (
    AllStepsFailedError,
    Budget,
    PlannerExecutor,
    PlanRejectedError,
    Prompts,
    TaskPlan,
    TaskStep,
)

ONE = (step("a"),)
WHOLE_NUMBER = "must be a whole number, 1 or more"


def team(executors: Any = None, **options: Any) -> PlannerExecutor[Any]:
    return PlannerExecutor(
        Model(plan(*ONE), always=True),
        executors or agent(does()),
        Model(answer(), always=True),
        **options,
    )


@pytest.mark.parametrize("name", ["max_steps", "retries", "max_concurrency"])
@pytest.mark.parametrize(
    ("given", "kind"),
    [("6", TypeError), (None, TypeError), (True, TypeError), (0, ValueError),
     (2.5, ValueError), (math.nan, ValueError), (math.inf, ValueError), (2**53, ValueError)],
)  # fmt: skip
def test_a_limit_is_a_whole_number(name: str, given: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        team(**{name: given})
    assert str(caught.value) == f"{name} {WHOLE_NUMBER}"


def test_a_whole_number_may_be_written_as_a_float() -> None:
    made = team(max_steps=2.0, retries=1.0, max_concurrency=1.0, budget=Budget(tokens=2e5))  # type: ignore[arg-type]
    assert run(made(QUESTION)).answer.result == "done"
    assert repr(Budget(tokens=2e5).tokens) == "200000"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({"requests": "5"}, TypeError, f"requests {WHOLE_NUMBER}"),
        ({"tokens": True}, TypeError, f"tokens {WHOLE_NUMBER}"),
        ({"requests": 1.5}, ValueError, f"requests {WHOLE_NUMBER}"),
        ({"tokens": -1}, ValueError, f"tokens {WHOLE_NUMBER}"),
        ({"wall_s": "1"}, TypeError, "wall_s must be a finite number above 0"),
        ({"cost": math.nan}, ValueError, "cost must be a finite number above 0"),
        ({"cost": True}, TypeError, "cost must be a finite number above 0"),
    ],
)
def test_a_limit_of_the_budget_is_a_number(
    given: Any, kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind) as caught:
        Budget(**given)
    assert str(caught.value) == f"budget: {told}; None is no limit"


async def _later(model: str, usage: Any) -> float:
    return 1.0


A_BUDGET = "budget must be a Budget, such as Budget(requests=20)"
A_PRICE = "price must be a plain function: price(model, usage) gives a number"
A_TYPE = "answer_type must be a class derived from pydantic's BaseModel"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"budget": {"cost": 1}}, A_BUDGET),
        ({"budget": None}, A_BUDGET),
        (
            {"prompts": {"planner": "x"}},
            'prompts must be Prompts, such as Prompts(planner="...")',
        ),
        ({"waves": "no"}, "waves must be True or False"),
        ({"price": 5}, A_PRICE),
        ({"price": _later}, A_PRICE),
        ({"answer_type": dict}, A_TYPE),
        ({"answer_type": None}, A_TYPE),
    ],
)
def test_an_option_of_the_wrong_kind_is_refused(options: Any, told: str) -> None:
    with pytest.raises(TypeError) as caught:
        team(**options)
    assert str(caught.value) == told


def test_a_prompt_is_a_text() -> None:
    with pytest.raises(TypeError, match="prompts: planner must be a text"):
        Prompts(planner=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, 5, {}, [], "", object()])
def test_who_thinks_is_an_agent_or_a_model(given: Any) -> None:
    kinds = "an Agent, a function that makes one, a model, or the id of one"
    with pytest.raises(TypeError, match=f"planner: {kinds}"):
        PlannerExecutor(given, agent(does()))
    if given is not None:
        with pytest.raises(TypeError, match=f"synthesizer: {kinds}"):
            PlannerExecutor(Model(), agent(does()), given)


@pytest.mark.parametrize("given", [None, 5, "x", [agent(does())], {"a": 5}])
def test_executors_are_agents_or_make_them(given: Any) -> None:
    with pytest.raises(TypeError, match="an Agent, a function that makes one, or a mapping"):
        PlannerExecutor(Model(), given)


@pytest.mark.parametrize(
    ("name", "edit"), [("Moon", 'change it to "moon"'), ("!", "write a short name")]
)
def test_a_key_of_the_executors_that_can_be_no_step_id_is_refused(name: str, edit: str) -> None:
    with pytest.raises(ValueError, match="is no step id") as caught:
        team({name: agent(does())})
    assert str(caught.value).startswith(f'executors: "{name}" is no step id: a lower-case')
    assert str(caught.value).endswith(edit)
    with pytest.raises(TypeError, match="keys of the mapping must be step ids"):
        team({1: agent(does())})


async def _agent_later() -> Agent:
    return agent(does())


@pytest.mark.parametrize("make", [lambda: None, lambda: 5, _agent_later])
def test_a_function_that_gives_no_agent_is_told_what_it_should_give(make: Any) -> None:
    told = "executors: the function must return an Agent, and is never awaited"
    with pytest.raises(TypeError, match=told):
        run(team(make).plan(QUESTION))
    with pytest.raises(AllStepsFailedError) as caught:
        run(team(make).run(task_plan(*ONE), question=QUESTION))
    assert caught.value.failed == {"a": told}


def test_a_planner_may_be_made_by_a_function_and_its_model_answers() -> None:
    made: list[Model] = []

    def make() -> Agent:
        made.append(Model(*([answer("9")] if made else [plan(*ONE)])))
        return agent(made[-1], system_prompt="Mine.")

    record = run(PlannerExecutor(make, agent(does()))(QUESTION))
    assert record.answer.result == "9"
    assert [each.requests[0].system_prompt == "Mine." for each in made] == [True, False]


@pytest.mark.parametrize("question", [None, 5, b"x"])
def test_a_question_is_a_text(question: Any) -> None:
    with pytest.raises(TypeError, match="question must be a text"):
        run(team().plan(question))


def test_the_invocation_state_is_a_mapping() -> None:
    with pytest.raises(TypeError, match="invocation_state must be a mapping"):
        run(team().plan(QUESTION, invocation_state=5))  # type: ignore[arg-type]


def test_the_record_of_a_run_is_no_plan() -> None:
    record = run(team()(QUESTION))
    for given in (record, record.model_dump(mode="json")):
        with pytest.raises(TypeError, match="this is the record of a run"):
            run(team().run(given))  # type: ignore[arg-type]


def test_a_plan_for_one_question_is_not_run_for_another() -> None:
    planned = run(team().plan(QUESTION))
    with pytest.raises(ValueError, match="the plan is for another question"):
        run(team().run(planned, question="Another?"))
    assert run(team().run(planned, question=QUESTION)).answer.result == "done"


@pytest.mark.parametrize("given", [None, 5, "x", '{"steps": []}'])
def test_what_is_run_is_a_plan(given: Any) -> None:
    with pytest.raises(TypeError, match="the plan must be a Plan, or a TaskPlan with its"):
        run(team().run(given, question=QUESTION))


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"steps": []}, ("too_short", "/steps")),
        ({}, ("missing_field", "")),
        (TaskPlan.model_construct(steps=()), ("too_short", "/steps")),
    ],
)
def test_a_plan_of_another_shape_is_refused_with_the_edit(given: Any, found: Any) -> None:
    with pytest.raises(PlanRejectedError) as caught:
        run(team().run(given, question=QUESTION))
    assert [(each.code, each.path) for each in caught.value.diagnostics] == [found]
    assert caught.value.attempts[0].plan is None
    assert caught.value.record.plan is None


def test_a_plan_may_be_plain_json() -> None:
    plain = {"steps": [{"id": "a", "instruction": "do a"}]}
    record = run(team().run(plain, question=QUESTION))
    assert record.plan == TaskPlan(steps=[TaskStep(id="a", instruction="do a")])
    planned = run(team().plan(QUESTION))
    again = run(team().run(planned.model_dump(mode="json")))
    assert (again.answer.result, again.usage.requests) == ("done", 3)
