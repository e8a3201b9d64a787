"""For questions whose pieces of work depend on the question, and need agents.

One agent writes the plan, code holds it to rules, executors carry it out on the engine's
scheduler, and a last one answers. Needs the extra ``strands``.
"""

from __future__ import annotations

from strands_plan_tool.models import TaskPlan, TaskStep
from strands_plan_tool.planner_executor.budget import Budget, Price
from strands_plan_tool.planner_executor.errors import (
    AllStepsFailedError,
    AnswerFailedError,
    BudgetExceededError,
    PlannerExecutorError,
    PlannerFailedError,
    PlanRejectedError,
    PriceFailedError,
)
from strands_plan_tool.planner_executor.prompts import Prompts
from strands_plan_tool.planner_executor.record import (
    AgentRun,
    Answer,
    Attempt,
    Plan,
    Run,
    Tool,
    Usage,
)
from strands_plan_tool.planner_executor.replay import replayed
from strands_plan_tool.planner_executor.run import PlannerExecutor, run_planner_executor
from strands_plan_tool.planner_executor.transcript import transcript
from strands_plan_tool.tasks import MAX_TASKS, check_tasks

__all__ = [
    "MAX_TASKS",
    "AgentRun",
    "AllStepsFailedError",
    "Answer",
    "AnswerFailedError",
    "Attempt",
    "Budget",
    "BudgetExceededError",
    "Plan",
    "PlanRejectedError",
    "PlannerExecutor",
    "PlannerExecutorError",
    "PlannerFailedError",
    "Price",
    "PriceFailedError",
    "Prompts",
    "Run",
    "TaskPlan",
    "TaskStep",
    "Tool",
    "Usage",
    "check_tasks",
    "replayed",
    "run_planner_executor",
    "transcript",
]
