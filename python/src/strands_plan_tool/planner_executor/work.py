"""The two parts of a run that is under way: the steps are carried out, the answer written."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from strands import Agent

from strands_plan_tool.events import EventKind, PlanEvent
from strands_plan_tool.models import JsonValue, TaskStep
from strands_plan_tool.planner_executor.agents import Executors
from strands_plan_tool.planner_executor.conduct import Conduct
from strands_plan_tool.planner_executor.errors import AnswerFailedError
from strands_plan_tool.planner_executor.ledger import Ledger
from strands_plan_tool.planner_executor.planning import REQUESTS
from strands_plan_tool.planner_executor.prompts import Prompts, filled, outcomes, results
from strands_plan_tool.planner_executor.record import Plan, told
from strands_plan_tool.tasks import run_tasks
from strands_plan_tool.values import well_formed

__all__ = ["Pace", "Work", "answered", "carry_out"]

T = TypeVar("T", bound=BaseModel)

_log = logging.getLogger("strands_plan_tool")


@dataclass(frozen=True, slots=True)
class Pace:
    """How steps are run: how many there may be, how many at once, and whether in waves."""

    max_steps: int
    max_concurrency: int
    waves: bool


@dataclass(frozen=True, slots=True)
class Work:
    """What everybody at work on one run has.

    Attributes:
        ledger: The run's account.
        state: The run's ``invocation_state``.
        prompts: The texts for the agents.
    """

    ledger: Ledger
    state: Mapping[str, Any]
    prompts: Prompts


async def carry_out(given: Plan, executors: Executors, pace: Pace, work: Work) -> None:
    """Carry out the steps of a plan; the ledger has what came of each.

    Raises:
        RunOver: The run ends.
    """
    ledger = work.ledger

    async def do(step: TaskStep, found: Mapping[str, JsonValue]) -> JsonValue:
        agent = executors.agent_for(step.id)
        conduct = Conduct(agent, f"executor.{step.id}", ledger.meter, work.state, step.id)
        prompt = filled(
            work.prompts.executor,
            {
                "question": given.question,
                "instruction": step.instruction,
                "results": results({name: str(text) for name, text in found.items()}),
            },
        )
        try:
            text = well_formed(str(await conduct.ask(prompt))).strip()
        finally:
            ledger.ended(conduct)
        if not text:
            raise ValueError("the executor gave no result")
        ledger.results[step.id] = text
        return text

    def tell(event: PlanEvent) -> None:
        ledger.saw(event)
        if event.kind is EventKind.FAILED:
            _log.warning("step %s failed: %s", event.step_id, ledger.failed[event.step_id])
        elif event.kind is EventKind.SKIPPED:
            _log.warning("step %s is skipped: one that it needs failed", event.step_id)

    await run_tasks(
        given.plan,
        do,
        max_steps=pace.max_steps,
        max_concurrency=pace.max_concurrency,
        waves=pace.waves,
        on_event=tell,
    )


async def answered(given: Plan, synthesizer: Agent, answer_type: type[T], work: Work) -> T:
    """The synthesizer's answer.

    Raises:
        AnswerFailedError: It gave none.
        RunOver: The run ends.
    """
    ledger = work.ledger
    conduct = Conduct(synthesizer, "synthesizer", ledger.meter, work.state)
    steps = outcomes(given.plan, ledger.results, ledger.failed)
    prompt = filled(work.prompts.synthesizer, {"question": given.question, "steps": steps})
    try:
        result = await conduct.ask(prompt, answer_type, at_most=REQUESTS)
    except Exception as error:
        ledger.ended(conduct)
        raise AnswerFailedError(told(error), ledger.record(None)) from error
    except BaseException:
        ledger.ended(conduct)
        raise
    ledger.ended(conduct)
    answer = result.structured_output
    if not isinstance(answer, answer_type):
        raise AnswerFailedError("the synthesizer gave no answer", ledger.record(None))
    return answer
