"""Task plans on the scheduler: what cases made of data do not show."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strands_plan_tool.errors import PlanCycleError, PlanError, StepLimitError
from strands_plan_tool.models import JsonValue, TaskPlan, TaskStep
from strands_plan_tool.tasks import check_tasks, run_tasks, task_levels


def plan(**needs: list[str]) -> TaskPlan:
    """A plan by step id: what each step needs."""
    return TaskPlan(
        steps=[
            TaskStep(id=name, instruction=f"do {name}", depends_on=names)
            for name, names in needs.items()
        ]
    )


async def echo(step: TaskStep, results: Mapping[str, JsonValue]) -> JsonValue:
    return {"id": step.id, "given": dict(results)}


def test_a_plan_that_may_not_run_raises_the_class_of_its_first_problem() -> None:
    with pytest.raises(PlanCycleError):
        asyncio.run(run_tasks(plan(a=["b"], b=["a"]), echo))
    with pytest.raises(StepLimitError):
        asyncio.run(run_tasks(plan(a=[], b=["a"]), echo, max_steps=1))
    with pytest.raises(PlanError) as caught:
        asyncio.run(run_tasks({"steps": 1}, echo))
    assert [(found.code, found.path) for found in caught.value.diagnostics] == [
        ("wrong_type", "/steps")
    ]


def test_a_plan_and_the_plain_object_of_it_are_checked_alike() -> None:
    loose = plan(a=[], b=[])
    assert check_tasks(loose) == check_tasks(loose.model_dump(mode="json"))
    assert task_levels(plan(b=["a"], a=[])) == (("a",), ("b",))


def test_the_longest_chain_a_plan_may_have_is_checked_and_run_in_both_modes() -> None:
    names = [f"s{at}" for at in range(1_000)]
    chain = plan(**{name: names[max(at - 1, 0) : at] for at, name in enumerate(names)})
    for waves in (False, True):

        async def count(step: TaskStep, results: Mapping[str, JsonValue]) -> JsonValue:
            return 1 + sum(n for n in results.values() if isinstance(n, int))

        run = asyncio.run(run_tasks(chain, count, max_steps=1_000, waves=waves))
        assert run.results["s999"] == 1_000
        assert len(run.waves) == 1_000


@pytest.mark.parametrize("waves", [False, True])
def test_what_is_no_json_or_too_large_fails_its_step_and_nobody_gets_it(waves: bool) -> None:
    async def do(step: TaskStep, results: Mapping[str, JsonValue]) -> JsonValue:
        given: dict[str, JsonValue] = {"a": float("nan"), "b": "x" * 2_000_000}
        return given.get(step.id, "ok")

    run = asyncio.run(run_tasks(plan(a=[], b=[], c=[], d=["a", "b", "c"]), do, waves=waves))
    assert run.results == {"c": "ok"}
    assert list(run.failed) == ["a", "b"]
    assert run.skipped == ("d",)


@pytest.mark.parametrize("waves", [False, True])
def test_what_is_no_exception_ends_the_whole_run(waves: bool) -> None:
    class Over(BaseException):
        pass

    stopped: list[str] = []

    async def do(step: TaskStep, results: Mapping[str, JsonValue]) -> JsonValue:
        if step.id == "a":
            await asyncio.sleep(0)
            raise Over
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(step.id)
        return None

    with pytest.raises(Over):
        asyncio.run(run_tasks(plan(a=[], b=[], c=["a", "b"]), do, waves=waves))
    assert stopped == ["b"]


NAMES = [f"s{at}" for at in range(7)]


@st.composite
def failing_plans(draw: st.DrawFn) -> tuple[TaskPlan, frozenset[str]]:
    """A plan with one final step, and the steps that will fail."""
    count = draw(st.integers(1, len(NAMES)))
    needs = {name: draw(st.lists(st.sampled_from(NAMES[:at]), unique=True, max_size=3))
             for at, name in enumerate(NAMES[:count]) if at} | {NAMES[0]: []}  # fmt: skip
    last = NAMES[count - 1]
    read = {name for names in needs.values() for name in names}
    needs[last] = [*needs[last], *(name for name in needs if name not in {*read, last})]
    order = draw(st.permutations(list(needs)))
    failing = draw(st.frozensets(st.sampled_from(list(needs))))
    return plan(**{name: needs[name] for name in order}), failing


@settings(max_examples=60, deadline=None)
@given(failing_plans(), st.booleans(), st.integers(1, 3))
def test_whatever_fails_takes_down_what_needs_it_and_nothing_else(
    drawn: tuple[TaskPlan, frozenset[str]], waves: bool, slots: int
) -> None:
    tasks, failing = drawn
    assert check_tasks(tasks, max_steps=len(NAMES)) == ()
    running = 0

    async def do(step: TaskStep, results: Mapping[str, JsonValue]) -> JsonValue:
        nonlocal running
        running += 1
        assert running <= slots
        assert list(results) == list(step.depends_on)
        await asyncio.sleep(0)
        running -= 1
        if step.id in failing:
            raise ValueError(step.id)
        return step.id

    run = asyncio.run(
        run_tasks(tasks, do, max_steps=len(NAMES), waves=waves, max_concurrency=slots)
    )
    ended: dict[str, str] = {}
    for level in task_levels(tasks):
        for step in (each for each in tasks.steps if each.id in level):
            well = all(ended[name] == "ok" for name in step.depends_on)
            ended[step.id] = ("failed" if step.id in failing else "ok") if well else "skipped"
    ids = [step.id for step in tasks.steps]
    assert list(run.results) == [name for name in ids if ended[name] == "ok"]
    assert list(run.failed) == [name for name in ids if ended[name] == "failed"]
    assert list(run.skipped) == [name for name in ids if ended[name] == "skipped"]
    assert [name for wave in run.waves for name in wave] == [
        name for level in task_levels(tasks) for name in level if ended[name] != "skipped"
    ]
