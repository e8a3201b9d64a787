"""The planner: what it is told, what is refused, and how often it may try."""

from __future__ import annotations

import pytest
from planner_models import (
    QUESTION,
    Model,
    agent,
    answer,
    does,
    plan,
    run,
    step,
    task_plan,
    text_of,
)
from strands import tool

from strands_plan_tool.planner_executor import (
    Answer,
    Plan,
    PlannerExecutor,
    PlanRejectedError,
    Prompts,
    run_planner_executor,
)
from strands_plan_tool.testing.scripted_model import tool_call

WHOLE = (step("orin"), step("tessa"), step("sum", "orin", "tessa"))
FORGETFUL = (step("orin"), step("tessa"), step("sum"))
EDIT = 'make "sum" the final step: write "depends_on": ["orin","tessa"] in step "sum"'


@tool
def mass(moon: str) -> int:
    """Mass of a moon,
    in tons.

    Args:
        moon: Its name.
    """
    raise AssertionError(moon)


def team(planner: Model, **options: object) -> PlannerExecutor[Answer]:
    return PlannerExecutor(planner, agent(does(), mass), **options)  # type: ignore[arg-type]


def test_the_planner_is_told_the_question_the_tools_and_how_many_steps_there_may_be() -> None:
    planner = Model(plan(*WHOLE))
    run(team(planner, max_steps=4).plan(QUESTION))
    asked = text_of(planner.requests[0])
    assert QUESTION in asked
    assert "- mass: Mass of a moon, in tons." in asked
    assert "at most 4 steps" in asked


def test_the_planner_is_offered_no_tool_but_the_plan() -> None:
    model = Model(plan(*WHOLE))
    run(PlannerExecutor(agent(model, mass), agent(does(), mass)).plan(QUESTION))
    assert [spec["name"] for spec in model.requests[0].tool_specs] == ["TaskPlan"]


def test_a_good_plan_takes_one_request_and_runs_nothing() -> None:
    planner, executor = Model(plan(*WHOLE)), does()
    planned = run(PlannerExecutor(planner, agent(executor)).plan(QUESTION))
    assert planned.plan == task_plan(*WHOLE)
    assert (planner.calls, executor.calls, planned.usage.requests) == (1, 0, 1)
    assert Plan.model_validate_json(planned.model_dump_json()) == planned


def test_a_planner_that_mends_its_plan_at_the_first_hint_makes_two_requests() -> None:
    planner = Model(plan(*FORGETFUL), plan(*WHOLE))
    planned = run(team(planner).plan(QUESTION))
    assert planner.calls == 2
    assert EDIT in text_of(planner.requests[1], -1)
    assert planned.plan == task_plan(*WHOLE)
    assert [bool(each.diagnostics) for each in planned.attempts] == [True, False]


def test_a_refusal_stands_with_the_result_of_the_plans_call_so_that_roles_alternate() -> None:
    planner = Model(plan(*FORGETFUL), plan(*FORGETFUL), plan(*WHOLE))
    planned = run(team(planner).plan(QUESTION))
    roles = ["user", "assistant", "user", "assistant", "user"]
    assert [each["role"] for each in planner.requests[2].messages] == roles
    assert [list(part) for part in planner.requests[2].messages[2]["content"]] == [
        ["toolResult"],
        ["text"],
    ]
    kept = planned.runs[0].messages
    assert [each["role"] for each in kept] == [*roles, "assistant", "user"]
    assert [list(part) for part in kept[2]["content"]] == [["toolResult"], ["text"]]


def test_three_forgetful_plans_are_three_refusals_and_an_error_that_shows_them_all() -> None:
    planner = Model(plan(*FORGETFUL), always=True)
    with pytest.raises(PlanRejectedError) as caught:
        run(team(planner).plan(QUESTION))
    assert planner.calls == 3
    assert [each.plan for each in caught.value.attempts] == [task_plan(*FORGETFUL)] * 3
    assert [d.code for each in caught.value.attempts for d in each.diagnostics] == [
        "loose_ends"
    ] * 3
    assert str(caught.value).count(EDIT) == 3
    assert caught.value.record.usage.requests == 3
    assert [agent.name for agent in caught.value.record.runs] == ["planner_executor.planner"]


def test_how_many_plans_may_be_refused_is_the_hosts_to_say() -> None:
    planner = Model(plan(*FORGETFUL), always=True)
    with pytest.raises(PlanRejectedError):
        run(team(planner, retries=1).plan(QUESTION))
    assert planner.calls == 1


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([step("a"), step("a"), step("b", "a")], "duplicate_step"),
        ([step("a", "zzz")], "unknown_step"),
        ([step("a", "a")], "self_reference"),
        ([step("a", "b"), step("b", "a")], "cycle"),
        ([*(step(f"s{n}") for n in range(6)), step("e", *(f"s{n}" for n in range(6)))],
         "too_many_steps"),
        ([step("a"), step("b")], "loose_ends"),
    ],
)  # fmt: skip
def test_each_fault_of_a_plan_is_refused_before_anything_runs(
    steps: list[dict[str, object]], code: str
) -> None:
    executor = does()
    with pytest.raises(PlanRejectedError) as caught:
        run(PlannerExecutor(Model(plan(*steps), always=True), agent(executor))(QUESTION))
    assert [found.code for found in caught.value.diagnostics] == [code]
    assert executor.calls == 0


def test_a_planner_that_answers_instead_is_asked_for_a_plan() -> None:
    # A text is first followed by the SDK's own request for the structured output.
    planner = Model("I know: 9.", "Really: 9.", plan(*WHOLE))
    planned = run(team(planner).plan(QUESTION))
    assert planned.attempts[0].plan is None
    assert planned.attempts[0].problem
    assert "You handed in no plan" in text_of(planner.requests[2], -1)
    assert planned.plan == task_plan(*WHOLE)


def test_a_plan_of_another_shape_goes_back_to_the_planner() -> None:
    planner = Model(tool_call("TaskPlan", steps=[{"id": "Look Up"}]), plan(*WHOLE))
    assert run(team(planner).plan(QUESTION)).plan == task_plan(*WHOLE)
    assert planner.calls == 2


def test_plans_of_another_shape_do_not_go_on_for_ever() -> None:
    planner = Model(tool_call("TaskPlan", steps=[]), always=True)
    with pytest.raises(PlanRejectedError, match="no such answer in 3 requests") as caught:
        run(team(planner, retries=2).plan(QUESTION))
    assert planner.calls == 6
    assert [each.plan for each in caught.value.attempts] == [None, None]


def test_prompts_may_be_replaced_and_what_is_filled_in_is_not_looked_at() -> None:
    planner = Model(plan(step("a")))
    prompts = Prompts(planner_system="Plan!", planner="{question} | {max_steps} | {other}")
    run(team(planner, prompts=prompts).plan("What is {max_steps}?"))
    assert text_of(planner.requests[0]) == "What is {max_steps}? | 6 | {other}"
    assert planner.requests[0].system_prompt == "Plan!"


def test_a_planner_keeps_the_system_prompt_that_it_has() -> None:
    model = Model(plan(step("a")))
    run(PlannerExecutor(agent(model, system_prompt="Mine."), agent(does())).plan(QUESTION))
    assert model.requests[0].system_prompt == "Mine."


def test_with_executors_by_step_the_ids_are_told_and_checked() -> None:
    planner = Model(plan(step("orinn")), plan(step("orin")))
    mapped = PlannerExecutor(planner, {"orin": agent(does(), mass), "tessa": agent(does())})
    planned = run(mapped.plan(QUESTION))
    assert "must be among: orin (mass), tessa (no tools)" in text_of(planner.requests[0])
    assert [(d.code, d.path, d.hint) for d in planned.attempts[0].diagnostics] == [
        ("not_in_enum", "/steps/0/id", 'change "orinn" to "orin"')
    ]


def test_a_plan_may_be_shown_and_stored_and_then_run() -> None:
    planner, executor = Model(plan(*WHOLE)), does()
    made = PlannerExecutor(planner, agent(executor), Model(answer("9")))
    stored = run(made.plan(QUESTION)).model_dump_json()
    assert executor.calls == 0
    record = run(made.run(Plan.model_validate_json(stored)))
    assert record.answer.result == "9"
    assert (executor.calls, record.usage.requests) == (3, 5)


def test_a_plan_of_the_hosts_own_is_checked_and_needs_a_question() -> None:
    made = PlannerExecutor(Model(answer("9")), agent(does()))
    with pytest.raises(PlanRejectedError, match="make"):
        run(made.run(task_plan(*FORGETFUL), question=QUESTION))
    with pytest.raises(ValueError, match="question"):
        run(made.run(task_plan(*WHOLE)))
    record = run(made.run(task_plan(*WHOLE), question=QUESTION))
    assert [each.name for each in record.runs][-1] == "planner_executor.synthesizer"


def test_all_in_one_call_answers_the_question() -> None:
    record = run(
        run_planner_executor(
            QUESTION,
            planner=Model(plan(*WHOLE)),
            executors=agent(does()),
            synthesizer=Model(answer("9", subject="both", value=9)),
        )
    )
    assert record.answer.model_dump() == {"result": "9", "subject": "both", "value": 9}
