"""Failures: what they take down, what ends the run, and what the budget allows."""

from __future__ import annotations

import asyncio
import logging
import math
from decimal import Decimal
from typing import Any

import pytest
from planner_models import QUESTION, Model, agent, answer, does, plan, run, step, step_of
from strands import tool

from strands_plan_tool.planner_executor import (
    AllStepsFailedError,
    AnswerFailedError,
    Budget,
    BudgetExceededError,
    PlannerExecutor,
    PlannerFailedError,
    PlanRejectedError,
    PriceFailedError,
    Run,
    transcript,
)
from strands_plan_tool.testing import VirtualClock
from strands_plan_tool.testing.scripted_model import ModelRequest, ToolCall, tool_call

WHOLE = (step("a"), step("b"), step("c", "a"), step("d", "b"), step("e", "c", "d"))


def failing(*names: str) -> Model:
    def act(name: str) -> str:
        if name in names:
            raise RuntimeError(f"{name} broke")
        return f"{name} done"

    return does(act)


def team(executors: Any, *turns: Any, **options: Any) -> PlannerExecutor[Any]:
    return PlannerExecutor(
        Model(plan(*WHOLE), always=True), executors, Model(*turns or [answer()]), **options
    )


@pytest.mark.parametrize("waves", [False, True])
def test_a_failure_takes_down_only_what_needed_it(
    waves: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "strands_plan_tool"):
        record = run(team(agent(failing("a")), waves=waves)(QUESTION))
    assert record.results == {"b": "b done", "d": "d done"}
    assert record.failed == {"a": "a broke"}
    assert record.skipped == ("c", "e")
    assert record.waves == (("a", "b"), ("d",))
    assert record.answer.result == "done"
    warned = [each.getMessage() for each in caplog.records if each.name == "strands_plan_tool"]
    assert sorted(warned) == [
        "step a failed: a broke",
        "step c is skipped: one that it needs failed",
        "step e is skipped: one that it needs failed",
    ]


@pytest.mark.parametrize("stop", ["content_filtered", "guardrail_intervened", "max_tokens"])
def test_a_response_that_was_filtered_or_cut_off_fails_its_step(stop: str) -> None:
    cut = agent(Model("half a", always=True, stop=stop))
    record = run(team({"a": cut, "*": agent(does())})(QUESTION))
    assert list(record.failed) == ["a"]
    assert record.skipped == ("c", "e")
    assert next(each for each in record.runs if each.step == "a").stop_reasons == (stop,)


def test_an_executor_that_says_nothing_fails_its_step() -> None:
    record = run(team({"a": agent(Model("", always=True)), "*": agent(does())})(QUESTION))
    assert record.failed == {"a": "the executor gave no result"}


def test_nothing_completed_is_an_error_and_nobody_is_asked_for_an_answer() -> None:
    synthesizer = Model(answer())
    made = PlannerExecutor(Model(plan(*WHOLE)), agent(failing("a", "b")), synthesizer)
    with pytest.raises(AllStepsFailedError) as caught:
        run(made(QUESTION))
    assert caught.value.failed == {"a": "a broke", "b": "b broke"}
    assert caught.value.skipped == ("c", "d", "e")
    assert caught.value.record.waves == (("a", "b"),)
    assert synthesizer.calls == 0


def test_a_synthesizer_that_fails_leaves_the_record_of_the_steps() -> None:
    with pytest.raises(AnswerFailedError) as caught:
        run(team(agent(does()), "no", "no")(QUESTION))
    assert list(caught.value.record.results) == ["a", "b", "c", "d", "e"]
    assert caught.value.record.runs[-1].error


def test_cancelling_passes_through_and_leaves_nothing_running() -> None:
    ended: list[str] = []

    async def main() -> None:
        started = asyncio.Event()

        @tool
        async def hang() -> str:
            """Hang."""
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("hang")
            return ""

        def act(request: ModelRequest) -> str | ToolCall:
            return tool_call("hang")

        task = asyncio.ensure_future(team(agent(Model(act, always=True), hang))(QUESTION))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert ended


@pytest.mark.parametrize(("allowed", "planner", "steps"), [(2, 1, 1), (5, 1, 4), (6, 1, 5)])
def test_the_requests_of_all_agents_count_together(
    allowed: int, planner: int, steps: int
) -> None:
    executor = does()
    with pytest.raises(BudgetExceededError) as caught:
        run(team(agent(executor), budget=Budget(requests=allowed), max_concurrency=1)(QUESTION))
    error = caught.value
    assert (error.limit, executor.calls) == ("requests", steps)
    assert error.record.usage.requests == allowed == planner + steps
    assert len(error.record.results) == steps
    assert error.record.failed == {}
    assert str(error) == f"the budget is used up: requests may be at most {allowed}"


def test_a_run_may_use_all_of_its_budget() -> None:
    record = run(team(agent(does()), budget=Budget(requests=7))(QUESTION))
    assert record.usage.requests == 7


def test_tokens_count_together_and_running_out_stops_what_is_in_flight() -> None:
    stopped: list[str] = []

    async def main() -> None:
        @tool
        async def hang() -> str:
            """Hang."""
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append("hang")
            return ""

        def act(request: ModelRequest) -> str | ToolCall:
            return tool_call("hang") if step_of(request) == "b" else "a done"

        spender = agent(Model(act, always=True, tokens=(60, 40)), hang)
        with pytest.raises(BudgetExceededError) as caught:
            await team(spender, budget=Budget(tokens=250))(QUESTION)
        assert caught.value.limit == "tokens"
        assert caught.value.record.usage.total_tokens == 300
        assert caught.value.record.failed == {}
        assert caught.value.record.results == {"a": "a done"}

    run(main())
    assert stopped == ["hang"]


def test_the_time_of_a_run_may_be_limited() -> None:
    clock = VirtualClock()

    @tool
    async def rest() -> str:
        """Rest."""
        await asyncio.sleep(3)
        return "rested"

    def act(request: ModelRequest) -> str | ToolCall:
        return tool_call("rest") if len(request.messages) == 1 else "ok"

    made = team(agent(Model(act, always=True), rest), budget=Budget(wall_s=5))
    with pytest.raises(BudgetExceededError) as caught:
        clock.run(made(QUESTION))
    assert caught.value.limit == "wall_s"
    assert list(caught.value.record.results) == ["a", "b"]
    assert caught.value.record.usage.duration_s == 5


def test_a_planner_may_run_out_of_budget() -> None:
    made = PlannerExecutor(
        Model(plan(step("a"), step("b")), always=True), agent(does()), budget=Budget(requests=2)
    )
    with pytest.raises(BudgetExceededError) as caught:
        run(made.plan(QUESTION))
    assert len(caught.value.record.attempts) == 2


def test_the_cost_is_what_the_hosts_prices_add_up_to() -> None:
    def price(model: str, usage: Any) -> float:
        assert model == "dear"
        return float(usage["inputTokens"]) * 0.25

    def priced(*turns: Any) -> Model:
        return Model(*turns, always=True, tokens=(2, 1), model_id="dear")

    def act(request: ModelRequest) -> str:
        return "ok"

    made = PlannerExecutor(
        priced(plan(step("a"))), agent(priced(act)), priced(answer()), price=price,
        budget=Budget(cost=1.5),
    )  # fmt: skip
    record = run(made(QUESTION))
    assert record.usage.cost == 1.5
    assert [each.usage.cost for each in record.runs] == [0.5, 0.5, 0.5]
    short = PlannerExecutor(
        priced(plan(step("a"))), agent(priced(act)), priced(answer()), price=price,
        budget=Budget(cost=1.25),
    )  # fmt: skip
    with pytest.raises(BudgetExceededError) as caught:
        run(short(QUESTION))
    assert caught.value.limit == "cost"
    assert caught.value.record.results == {"a": "ok"}


def test_a_cost_budget_without_prices_is_refused_at_construction() -> None:
    with pytest.raises(ValueError, match="price"):
        PlannerExecutor(Model(), agent(does()), budget=Budget(cost=1))


def test_a_response_beyond_the_budget_ends_the_run_before_its_tools_are_called() -> None:
    @tool
    def pay() -> str:
        """Pay."""
        raise AssertionError("it must not be called")

    payer = agent(Model(tool_call("pay"), always=True, tokens=(90, 20)), pay)
    made = PlannerExecutor(Model(plan(step("a"))), payer, budget=Budget(tokens=100))
    with pytest.raises(BudgetExceededError) as caught:
        run(made(QUESTION))
    kept = caught.value.record.runs[-1]
    assert (kept.error, kept.tools_called) == ("the budget is used up: tokens", ("pay",))
    assert [each["role"] for each in kept.messages] == ["user", "assistant"]


@pytest.mark.parametrize("limit", ["requests", "tokens", "wall_s", "cost"])
def test_a_budget_of_nothing_is_refused(limit: str) -> None:
    with pytest.raises(ValueError, match=limit):
        Budget(**{limit: 0})


NO_PRICE = 'price("scripted", usage) must give a finite number, 0 or more'


@pytest.mark.parametrize("given", [math.nan, math.inf, -5, None, "1", True, 10**400])
@pytest.mark.parametrize("cost", [None, 1])
def test_what_is_no_price_ends_the_run_with_the_record(given: Any, cost: float | None) -> None:
    made = team(agent(does()), price=lambda model, usage: given, budget=Budget(cost=cost))
    with pytest.raises(PriceFailedError) as caught:
        run(made(QUESTION))
    assert str(caught.value) == NO_PRICE
    record = caught.value.record
    assert (record.usage.requests, record.usage.cost, record.runs[0].error) == (1, 0, NO_PRICE)
    assert Run[None].model_validate_json(record.model_dump_json()) == record


def test_a_price_may_be_a_number_of_any_kind() -> None:
    made = team(agent(does()), price=lambda model, usage: Decimal("0.5"))
    assert run(made(QUESTION)).usage.cost == 3.5


def test_an_error_of_the_price_ends_the_run_wherever_it_comes() -> None:
    def price(model: str, usage: Any) -> float:
        return {"scripted": 1.0}[model]

    dear = agent(Model("ok", always=True, model_id="dear"))
    with pytest.raises(PriceFailedError) as caught:
        run(team({"a": dear, "*": agent(does())}, price=price, max_concurrency=1)(QUESTION))
    assert str(caught.value) == "price(\"dear\", usage) failed: 'dear'"
    assert isinstance(caught.value.__cause__, KeyError)
    record = caught.value.record
    assert (record.failed, record.results, record.usage.cost) == ({}, {}, 1)
    assert record.runs[-1].error == str(caught.value)
    made = PlannerExecutor(Model(plan(step("a")), model_id="dear"), agent(does()), price=price)
    with pytest.raises(PriceFailedError) as planning:
        run(made.plan(QUESTION))
    assert planning.value.record.usage.requests == 1


@pytest.mark.parametrize("stop", ["content_filtered", "guardrail_intervened", "max_tokens"])
def test_a_plan_that_was_filtered_or_cut_off_is_a_refused_one(stop: str) -> None:
    planner = Model(plan(*WHOLE), always=True, stop=stop)
    with pytest.raises(PlanRejectedError) as caught:
        run(PlannerExecutor(planner, agent(does()), retries=2).plan(QUESTION))
    told = f"the agent stopped: {stop}"
    assert [each.problem for each in caught.value.attempts] == [told, told]
    assert planner.calls == 2
    kept = caught.value.record.runs[0]
    assert (kept.stop_reasons, kept.error) == ((stop, stop), told)
    roles = [each["role"] for each in kept.messages]
    assert (roles[:2], roles.count("assistant")) == (["user", "assistant"], 2)


@pytest.mark.parametrize("stop", ["content_filtered", "max_tokens"])
def test_an_answer_that_was_filtered_or_cut_off_is_none(stop: str) -> None:
    synthesizer = Model(answer(), always=True, stop=stop)
    made = PlannerExecutor(Model(plan(*WHOLE)), agent(does()), synthesizer)
    with pytest.raises(AnswerFailedError, match=f"^the agent stopped: {stop}$"):
        run(made(QUESTION))
    assert synthesizer.calls == 1


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_failure_of_the_planners_model_is_told_with_what_was_refused_before(
    before: int,
) -> None:
    def broken(_: ModelRequest) -> str:
        raise ConnectionError("network is down")

    loose = plan(step("a"), step("b"))
    shapeless = [tool_call("TaskPlan", steps=[])] * before
    with pytest.raises(PlannerFailedError) as caught:
        run(PlannerExecutor(Model(loose, *shapeless, broken), agent(does())).plan(QUESTION))
    assert str(caught.value) == "network is down"
    record = caught.value.record
    assert [len(each.diagnostics) for each in record.attempts] == [1]
    assert (record.runs[0].error, record.usage.requests) == ("network is down", 2 + before)
    assert transcript(record)


def test_an_answer_of_another_shape_is_asked_for_three_times_and_not_for_ever() -> None:
    synthesizer = Model(tool_call("Answer", value="x"), always=True)
    made = PlannerExecutor(Model(plan(*WHOLE)), agent(does()), synthesizer)
    with pytest.raises(AnswerFailedError) as caught:
        run(made(QUESTION))
    assert str(caught.value) == "no such answer in 3 requests"
    assert caught.value.record.runs[-1].error == "no such answer in 3 requests"
    assert synthesizer.calls == 3


def test_a_step_that_has_its_last_answer_when_another_may_ask_no_more_is_kept() -> None:
    @tool
    def look() -> str:
        """Look."""
        return "seen"

    def act(request: ModelRequest) -> str | ToolCall:
        return tool_call("look") if len(request.messages) == 1 else "done"

    steps = (step("a"), step("b"), step("c"), step("z", "a", "b", "c"))
    executor = agent(Model(act, always=True), look)
    made = PlannerExecutor(Model(plan(*steps)), executor, budget=Budget(requests=6))
    with pytest.raises(BudgetExceededError) as caught:
        run(made(QUESTION))
    # Whose tool ends first is not settled; two may still ask, and both had their answer.
    assert sorted(caught.value.record.results.values()) == ["done", "done"]
