"""A stored run as a fixture: its agents say again what they said, and nothing is called.

Models answer with the recorded messages and tools with the recorded results, so that the
code around a run can be tested without a network, and costs and limits tried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from strands import Agent
from typing_extensions import TypeVar

from strands_plan_tool.models import TaskPlan
from strands_plan_tool.planner_executor.agents import Executors, Offer
from strands_plan_tool.planner_executor.conduct import ROOT
from strands_plan_tool.planner_executor.record import AgentRun, Answer, Run
from strands_plan_tool.planner_executor.replayed_agents import ReplayedAgent, ReplayedModel
from strands_plan_tool.planner_executor.run import PlannerExecutor

__all__ = ["replayed"]

T = TypeVar("T", bound=BaseModel, default=Answer)


def replayed(
    run: Run[Any] | Mapping[str, Any] | str,
    *,
    answer_type: type[T] = Answer,  # type: ignore[assignment]
    **options: Any,
) -> PlannerExecutor[T]:
    """A ``PlannerExecutor`` that does offline what a stored run did.

    Args:
        run: The record, as it is, as plain JSON or as its text.
        answer_type: The type of the answer, as in the run.
        **options: The other arguments of ``PlannerExecutor``.

    Raises:
        ValidationError: It is no record of a run.
    """
    if isinstance(run, str):
        run = Run[Any].model_validate_json(run)
    elif not isinstance(run, Run):
        run = Run[Any].model_validate(run)
    agents = {agent.name: agent for agent in run.runs}

    def planner() -> Agent:
        return _thinking(agents.get(f"{ROOT}.planner"), TaskPlan)

    def synthesizer() -> Agent:
        return _thinking(agents.get(f"{ROOT}.synthesizer"), answer_type)

    executors: Any = _Recorded(run)
    return PlannerExecutor(planner, executors, synthesizer, answer_type=answer_type, **options)


class _Recorded(Executors):
    """The executors of a recorded run."""

    def __init__(self, run: Run[Any]) -> None:
        self._run = run
        self._agents = {agent.step: agent for agent in run.runs}

    def offer(self, *, all_known: bool = True) -> Offer:
        return Offer(self._run.tools, self._run.named)

    @property
    def steps(self) -> tuple[str, ...] | None:
        return None if self._run.named is None else tuple(self._run.named)

    def agent_for(self, step: str) -> Agent:
        agent = self._agents.get(step)
        if agent is None and step in self._run.failed:
            # What should have made its agent failed.
            raise RuntimeError(self._run.failed[step])
        return ReplayedAgent(agent, self._run.results.get(step, ""), self._run.tools)


def _thinking(run: AgentRun | None, answer: type[BaseModel]) -> Agent:
    system_prompt = None if run is None else run.system_prompt
    model = ReplayedModel(run, answer)
    return Agent(model=model, system_prompt=system_prompt, callback_handler=None)
