"""Planner, executors, synthesizer: the plan and the run, apart from each other."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Generic

from pydantic import BaseModel
from typing_extensions import TypeVar

from strands_plan_tool.models import Diagnostic, TaskPlan
from strands_plan_tool.planner_executor.agents import (
    Executors,
    OneAgent,
    Source,
    model_source,
    thinker,
)
from strands_plan_tool.planner_executor.budget import (
    Budget,
    Meter,
    OutOfBudget,
    Price,
    RunOver,
)
from strands_plan_tool.planner_executor.conduct import Conduct
from strands_plan_tool.planner_executor.errors import (
    AllStepsFailedError,
    BudgetExceededError,
    PlannerExecutorError,
    PlannerFailedError,
    PlanRejectedError,
    PriceFailedError,
)
from strands_plan_tool.planner_executor.ledger import Ledger
from strands_plan_tool.planner_executor.options import (
    check_options,
    plan_given,
    plan_if_any,
    question_given,
    state_given,
    whole,
)
from strands_plan_tool.planner_executor.planning import ask_for_plan, planner_prompt
from strands_plan_tool.planner_executor.prompts import Prompts
from strands_plan_tool.planner_executor.record import (
    Answer,
    Attempt,
    Plan,
    Run,
    Usage,
    mended,
    told,
)
from strands_plan_tool.planner_executor.wall import Wall
from strands_plan_tool.planner_executor.work import Pace, Work, answered, carry_out
from strands_plan_tool.tasks import MAX_TASKS, check_tasks

__all__ = ["PlannerExecutor", "run_planner_executor"]

T = TypeVar("T", bound=BaseModel, default=Answer)

_log = logging.getLogger("strands_plan_tool")
_DEFAULTS = Prompts()
_BUDGET = Budget()


class PlannerExecutor(Generic[T]):
    """One agent writes a plan, code holds it to rules, executors carry it out, one answers.

    It keeps nothing of a run, so one may serve any number of runs, also at the same time.

    Args:
        planner: Writes the plan: an ``Agent``, a function that makes a new one, a model, or
            the id of one. Tools that it has are not offered to it.
        executors: Carry out the steps: one ``Agent``, of which each step gets a copy with an
            empty conversation; a function that makes a new agent; or either by step id, in a
            mapping in which ``"*"`` stands for the steps that it does not name.
        synthesizer: Writes the answer, and is given like the planner; by default an agent of
            ours on the planner's model.
        answer_type: The Pydantic model of the answer; by default ``Answer``.
        max_steps: Steps that a plan may have.
        retries: Plans that may be refused before it ends with ``PlanRejectedError``.
        max_concurrency: Steps that may run at once.
        waves: Whether a level of the plan starts only when the one before has ended; else
            each step starts as soon as what it needs is there.
        budget: What one run may use, all agents together.
        price: What a model request costs; needed if the budget limits the cost.
        prompts: The texts for the agents.

    Raises:
        TypeError: An argument is not what it has to be.
        ValueError: A limit makes no sense, the cost is limited without a ``price``, a key of
            ``executors`` can be no step id, or an agent keeps its conversation in a session,
            so that there can be no copy of it.
    """

    def __init__(
        self,
        planner: OneAgent,
        executors: Source | Mapping[str, Source],
        synthesizer: OneAgent | None = None,
        *,
        answer_type: type[T] = Answer,  # type: ignore[assignment]
        max_steps: int = MAX_TASKS,
        retries: int = 3,
        max_concurrency: int = 16,
        waves: bool = False,
        budget: Budget = _BUDGET,
        price: Price | None = None,
        prompts: Prompts = _DEFAULTS,
    ) -> None:
        check_options(
            answer_type=answer_type, waves=waves, budget=budget, price=price, prompts=prompts
        )
        self._max_steps = whole("max_steps", max_steps)
        self._retries = whole("retries", retries)
        self._pace = Pace(self._max_steps, whole("max_concurrency", max_concurrency), waves)
        self._planner = thinker(planner, prompts.planner_system, "planner")
        if synthesizer is None:
            synthesizer = model_source(planner, "planner")
        self._synthesizer = thinker(synthesizer, prompts.synthesizer_system, "synthesizer")
        # A replay has its own.
        self._executors = (
            executors if isinstance(executors, Executors) else Executors(executors)
        )
        self._answer_type = answer_type
        self._budget = budget
        self._price = price
        self._prompts = prompts

    def check(self, plan: TaskPlan | Mapping[str, Any]) -> tuple[Diagnostic, ...]:
        """What is wrong with a plan, here and for these executors; nothing if it may run.

        It sees the graph alone. That a step's words need a result which its ``depends_on``
        does not name, it cannot see.
        """
        if isinstance(plan, TaskPlan):
            # One that was made without validation is looked at like any other.
            plan = plan.model_dump(mode="json", warnings=False)
        return check_tasks(plan, max_steps=self._max_steps) or self._executors.unknown(
            TaskPlan.model_validate(plan)
        )

    async def plan(
        self, question: str, *, invocation_state: Mapping[str, Any] | None = None
    ) -> Plan:
        """Have a plan written, and run nothing.

        Args:
            question: What to answer.
            invocation_state: Passed to the planner, as Strands does.

        Raises:
            PlanRejectedError: So many plans were refused as ``retries`` says.
            PlannerFailedError: The planner or its model failed.
            BudgetExceededError: The budget ran out.
            PriceFailedError: ``price`` failed.
        """
        question, state = question_given(question), state_given(invocation_state)
        ledger = Ledger(question, self._meter(Usage()))
        offer = self._executors.offer()
        ledger.tools, ledger.named = offer.tools, offer.named
        planner = Conduct(self._planner(), "planner", ledger.meter, state)
        attempts: list[Attempt] = []
        prompt = planner_prompt(
            self._prompts, question, offer.tools, self._max_steps, offer.named
        )
        try:
            plan = await self._planned(planner, prompt, ledger, attempts)
        except RunOver as over:
            raise self._ended(over, ledger) from over.__cause__
        except Exception as error:
            raise PlannerFailedError(told(error), ledger.record(None)) from error
        if plan is None:
            raise PlanRejectedError(attempts, ledger.record(None))
        return Plan(
            question=question,
            plan=plan,
            tools=offer.tools,
            named=offer.named,
            attempts=tuple(attempts),
            runs=tuple(ledger.runs),
            usage=ledger.usage(),
        )

    async def run(
        self,
        plan: Plan | TaskPlan | Mapping[str, Any],
        *,
        question: str | None = None,
        invocation_state: Mapping[str, Any] | None = None,
    ) -> Run[T]:
        """Carry out a plan and answer its question.

        Args:
            plan: What ``plan`` gave; or steps written by somebody else, with the question;
                either as it is or as plain JSON.
            question: The question, if the plan does not have it.
            invocation_state: Passed to every agent of this run, as Strands does; each gets
                a dictionary of its own with these values.

        Returns:
            The record, with the answer.

        Raises:
            PlanRejectedError: The plan may not run.
            AllStepsFailedError: No step completed.
            BudgetExceededError: The budget ran out.
            PriceFailedError: ``price`` failed.
            AnswerFailedError: The synthesizer gave no answer.
            asyncio.CancelledError: The run was cancelled; what was in flight has ended.
        """
        fields, state = plan_given(plan, question), state_given(invocation_state)
        given = self._checked(fields)
        ledger = Ledger(given.question, self._meter(given.usage), given)
        work = Work(ledger, state, self._prompts)
        try:
            async with Wall(self._budget.wall_s, ledger.seconds_before):
                await carry_out(given, self._executors, self._pace, work)
                if not ledger.results:
                    raise AllStepsFailedError(ledger.record(None))
                answer = await answered(given, self._synthesizer(), self._answer_type, work)
        except RunOver as over:
            raise self._ended(over, ledger) from over.__cause__
        return ledger.record(answer)

    async def __call__(
        self, question: str, *, invocation_state: Mapping[str, Any] | None = None
    ) -> Run[T]:
        """Plan and run in one go; what may be raised is what ``plan`` and ``run`` raise."""
        planned = await self.plan(question, invocation_state=invocation_state)
        return await self.run(planned, invocation_state=invocation_state)

    def _checked(self, fields: Mapping[str, Any]) -> Plan:
        tasks = fields["plan"]
        if isinstance(tasks, TaskPlan):
            tasks = tasks.model_dump(mode="json", warnings=False)
        if found := self.check(tasks):
            read = plan_if_any(tasks)
            attempt = Attempt(plan=read, diagnostics=found)
            kept = None if read is None else Plan(question=fields["question"], plan=read)
            ledger = Ledger(fields["question"], self._meter(Usage()), kept)
            raise PlanRejectedError([attempt], ledger.record(None))
        plan = Plan.model_validate({**fields, "plan": mended(tasks)})
        if plan.tools or plan.attempts:
            return plan
        offer = self._executors.offer(all_known=False)
        return plan.model_copy(update={"tools": offer.tools, "named": offer.named})

    async def _planned(
        self, planner: Conduct, prompt: str, ledger: Ledger, attempts: list[Attempt]
    ) -> TaskPlan | None:
        try:
            async with Wall(self._budget.wall_s, ledger.seconds_before):
                return await ask_for_plan(
                    planner, prompt, self._prompts, self.check, self._retries, attempts
                )
        finally:
            ledger.attempts = tuple(attempts)
            ledger.ended(planner)

    def _meter(self, used: Usage) -> Meter:
        return Meter(self._budget, self._price, used)

    def _ended(self, over: RunOver, ledger: Ledger) -> PlannerExecutorError:
        if isinstance(over, OutOfBudget):
            return BudgetExceededError(over.limit, self._budget, ledger.record(None))
        return PriceFailedError(str(over), ledger.record(None))


async def run_planner_executor(
    question: str,
    *,
    planner: OneAgent,
    executors: Source | Mapping[str, Source],
    synthesizer: OneAgent | None = None,
    answer_type: type[T] = Answer,  # type: ignore[assignment]
    max_steps: int = MAX_TASKS,
    retries: int = 3,
    max_concurrency: int = 16,
    waves: bool = False,
    budget: Budget = _BUDGET,
    price: Price | None = None,
    prompts: Prompts = _DEFAULTS,
    invocation_state: Mapping[str, Any] | None = None,
) -> Run[T]:
    """Answer one question: plan, run and answer in one go.

    Args:
        question: What to answer.
        invocation_state: Passed to every agent of the run.

    All else is as for ``PlannerExecutor``, and what ``plan`` and ``run`` raise is raised.
    """
    made = PlannerExecutor(
        planner,
        executors,
        synthesizer,
        answer_type=answer_type,
        max_steps=max_steps,
        retries=retries,
        max_concurrency=max_concurrency,
        waves=waves,
        budget=budget,
        price=price,
        prompts=prompts,
    )
    return await made(question, invocation_state=invocation_state)
