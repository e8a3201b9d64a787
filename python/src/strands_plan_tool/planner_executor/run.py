"""Planner, executors, synthesizer: the plan and the run, apart from each other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Generic

from pydantic import BaseModel
from strands import Agent
from typing_extensions import TypeVar

from strands_plan_tool.events import EventKind, PlanEvent
from strands_plan_tool.models import Diagnostic, JsonValue, TaskPlan, TaskStep
from strands_plan_tool.planner_executor.agents import Executors, OneAgent, Source, thinker
from strands_plan_tool.planner_executor.budget import Budget, Meter, OutOfBudget, Price
from strands_plan_tool.planner_executor.conduct import Conduct
from strands_plan_tool.planner_executor.errors import (
    AllStepsFailedError,
    AnswerFailedError,
    BudgetExceededError,
    PlanRejectedError,
)
from strands_plan_tool.planner_executor.ledger import Ledger
from strands_plan_tool.planner_executor.planning import ask_for_plan, planner_prompt
from strands_plan_tool.planner_executor.prompts import Prompts, filled, outcomes, results
from strands_plan_tool.planner_executor.record import Answer, Attempt, Plan, Run, Usage
from strands_plan_tool.tasks import MAX_TASKS, check_tasks, run_tasks

__all__ = ["PlannerExecutor", "run_planner_executor"]

T = TypeVar("T", bound=BaseModel, default=Answer)

_log = logging.getLogger("strands_plan_tool")
_DEFAULTS = Prompts()
_BUDGET = Budget()


class PlannerExecutor(Generic[T]):
    """One agent writes a plan, code holds it to rules, executors carry it out, one answers.

    It keeps nothing of a run, so one may serve any number of runs, also at the same time.

    Args:
        planner: Writes the plan: an ``Agent``, a model, or the id of one. Tools that it has
            are not offered to it.
        executors: Carry out the steps: one ``Agent``, of which each step gets a copy with an
            empty conversation; a function that makes a new agent; or either by step id, in a
            mapping in which ``"*"`` stands for the steps that it does not name.
        synthesizer: Writes the answer; by default an agent of ours on the planner's model.
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
        ValueError: A limit makes no sense, the cost is limited without a ``price``, or an
            agent keeps its conversation in a session, so that there can be no copy of it.
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
        if min(max_steps, retries, max_concurrency) < 1:
            raise ValueError("max_steps, retries and max_concurrency must be at least 1")
        if budget.cost is not None and price is None:
            raise ValueError("the budget limits the cost: give price(model, usage) too")
        answering = synthesizer
        if answering is None:
            answering = planner.model if isinstance(planner, Agent) else planner
        self._planner = thinker(planner, prompts.planner_system)
        self._executors = Executors(executors)
        self._synthesizer = thinker(answering, prompts.synthesizer_system)
        self._answer_type = answer_type
        self._max_steps = max_steps
        self._retries = retries
        self._max_concurrency = max_concurrency
        self._waves = waves
        self._budget = budget
        self._price = price
        self._prompts = prompts

    def check(self, plan: TaskPlan) -> tuple[Diagnostic, ...]:
        """What is wrong with a plan, here and for these executors; nothing if it may run.

        It sees the graph alone. That a step's words need a result which its ``depends_on``
        does not name, it cannot see.
        """
        return check_tasks(plan, max_steps=self._max_steps) or self._executors.unknown(plan)

    async def plan(
        self, question: str, *, invocation_state: Mapping[str, Any] | None = None
    ) -> Plan:
        """Have a plan written, and run nothing.

        Args:
            question: What to answer.
            invocation_state: Passed to the planner, as Strands does.

        Raises:
            PlanRejectedError: So many plans were refused as ``retries`` says.
            BudgetExceededError: The budget ran out.
        """
        ledger = Ledger(question, self._meter(Usage()))
        tools = self._executors.tools()
        ledger.tools = tools
        planner = Conduct(self._planner(), "planner", ledger.meter, invocation_state or {})
        attempts: list[Attempt] = []
        prompt = planner_prompt(
            self._prompts, question, tools, self._max_steps, self._executors.told()
        )
        try:
            async with _Wall(self._budget, ledger):
                plan = await ask_for_plan(
                    planner, prompt, self._prompts, self.check, self._retries, attempts
                )
        except OutOfBudget as end:
            ledger.attempts = tuple(attempts)
            ledger.ended(planner)
            raise self._exceeded(end, ledger) from None
        ledger.attempts = tuple(attempts)
        ledger.ended(planner)
        if plan is None:
            raise PlanRejectedError(attempts, ledger.record(None))
        return Plan(
            question=question,
            plan=plan,
            tools=tools,
            attempts=tuple(attempts),
            runs=tuple(ledger.runs),
            usage=ledger.usage(),
        )

    async def run(
        self,
        plan: Plan | TaskPlan,
        *,
        question: str | None = None,
        invocation_state: Mapping[str, Any] | None = None,
    ) -> Run[T]:
        """Carry out a plan and answer its question.

        Args:
            plan: What ``plan`` gave; or steps written by somebody else, with the question.
            question: The question, if the plan does not have it.
            invocation_state: Passed to every agent of this run, as Strands does; each gets
                a dictionary of its own with these values.

        Returns:
            The record, with the answer.

        Raises:
            PlanRejectedError: The plan may not run.
            AllStepsFailedError: No step completed.
            BudgetExceededError: The budget ran out.
            AnswerFailedError: The synthesizer gave no answer.
            asyncio.CancelledError: The run was cancelled; what was in flight has ended.
        """
        given = _with_question(plan, question)
        ledger = Ledger(given.question, self._meter(given.usage), given)
        if found := self.check(given.plan):
            attempt = Attempt(plan=given.plan, diagnostics=found)
            raise PlanRejectedError([attempt], ledger.record(None))
        state = dict(invocation_state or {})
        try:
            async with _Wall(self._budget, ledger):
                await self._carry_out(given, ledger, state)
                if not ledger.results:
                    raise AllStepsFailedError(ledger.record(None))
                answer = await self._answer(given, ledger, state)
        except OutOfBudget as end:
            raise self._exceeded(end, ledger) from None
        return ledger.record(answer)

    async def __call__(
        self, question: str, *, invocation_state: Mapping[str, Any] | None = None
    ) -> Run[T]:
        """Plan and run in one go; what may be raised is what ``plan`` and ``run`` raise."""
        planned = await self.plan(question, invocation_state=invocation_state)
        return await self.run(planned, invocation_state=invocation_state)

    async def _carry_out(self, given: Plan, ledger: Ledger, state: Mapping[str, Any]) -> None:
        async def do(step: TaskStep, found: Mapping[str, JsonValue]) -> JsonValue:
            agent = self._executors.agent_for(step.id)
            name = f"executor.{step.id}"
            conduct = Conduct(agent, name, ledger.meter, state, step.id)
            prompt = filled(
                self._prompts.executor,
                {
                    "question": given.question,
                    "instruction": step.instruction,
                    "results": results({name: str(text) for name, text in found.items()}),
                },
            )
            try:
                text = str(await conduct.ask(prompt)).strip()
            finally:
                ledger.ended(conduct)
            if not text:
                raise ValueError("the executor gave no result")
            ledger.results[step.id] = text
            return text

        def tell(event: PlanEvent) -> None:
            ledger.saw(event)
            if event.kind is EventKind.FAILED:
                _log.warning("step %s failed: %s", event.step_id, event.error)
            elif event.kind is EventKind.SKIPPED:
                _log.warning("step %s is skipped: one that it needs failed", event.step_id)

        await run_tasks(
            given.plan,
            do,
            max_steps=self._max_steps,
            max_concurrency=self._max_concurrency,
            waves=self._waves,
            on_event=tell,
        )

    async def _answer(self, given: Plan, ledger: Ledger, state: Mapping[str, Any]) -> T:
        conduct = Conduct(self._synthesizer(), "synthesizer", ledger.meter, state)
        done = outcomes(given.plan, ledger.results, ledger.failed)
        prompt = filled(self._prompts.synthesizer, {"question": given.question, "steps": done})
        try:
            result = await conduct.ask(prompt, self._answer_type)
        except Exception as error:
            ledger.ended(conduct)
            raise AnswerFailedError(str(error), ledger.record(None)) from error
        except BaseException:
            ledger.ended(conduct)
            raise
        ledger.ended(conduct)
        answer = result.structured_output
        if not isinstance(answer, self._answer_type):
            raise AnswerFailedError("the synthesizer gave no answer", ledger.record(None))
        return answer

    def _meter(self, used: Usage) -> Meter:
        return Meter(self._budget, self._price, used)

    def _exceeded(self, end: OutOfBudget, ledger: Ledger) -> BudgetExceededError:
        return BudgetExceededError(end.args[0], self._budget, ledger.record(None))


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


class _Wall:
    """Ends what stands in it when the run's time is over, as the budget's other limits do."""

    def __init__(self, budget: Budget, ledger: Ledger) -> None:
        left = None if budget.wall_s is None else budget.wall_s - ledger.seconds_before
        self._timeout = asyncio.timeout(None if left is None else max(left, 0))

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            await self._timeout.__aexit__(kind, error, traceback)
        except TimeoutError:
            if self._timeout.expired():
                raise OutOfBudget("wall_s") from None
            raise


def _with_question(plan: Plan | TaskPlan, question: str | None) -> Plan:
    if isinstance(plan, Plan):
        return plan
    if question is None:
        raise ValueError("a TaskPlan alone has no question: give question= too")
    return Plan(question=question, plan=plan)
