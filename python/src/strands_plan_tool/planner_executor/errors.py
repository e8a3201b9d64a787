"""How a run may end without an answer; each error carries the record of what was done.

PlanError
└── PlanRejectedError         no plan was accepted
PlannerExecutorError
├── PlannerFailedError        the planner itself failed
├── AllStepsFailedError       no step completed
├── BudgetExceededError       the budget ran out
├── PriceFailedError          the host's price failed
└── AnswerFailedError         the synthesizer gave no answer
"""

from __future__ import annotations

from collections.abc import Sequence

from strands_plan_tool.errors import PlanError
from strands_plan_tool.planner_executor.budget import Budget, Limit
from strands_plan_tool.planner_executor.prompts import reasons
from strands_plan_tool.planner_executor.record import Attempt, Run

__all__ = [
    "AllStepsFailedError",
    "AnswerFailedError",
    "BudgetExceededError",
    "PlanRejectedError",
    "PlannerExecutorError",
    "PlannerFailedError",
    "PriceFailedError",
]


class PlanRejectedError(PlanError):
    """Every plan was refused, and nothing has run.

    Args:
        attempts: Every plan that was handed in, with what was wrong with it.
        record: What was done.
    """

    def __init__(self, attempts: Sequence[Attempt], record: Run[None]) -> None:
        told = [
            f"plan {at} of {len(attempts)}:\n{each.problem or reasons(each.diagnostics)}"
            for at, each in enumerate(attempts, 1)
        ]
        last = attempts[-1].diagnostics if attempts else ()
        super().__init__("\n".join(["no plan was accepted", *told]), last)
        self.attempts = tuple(attempts)
        self.record = record


class PlannerExecutorError(Exception):
    """A run ended without an answer.

    Args:
        message: Why.
        record: What was done.
    """

    def __init__(self, message: str, record: Run[None]) -> None:
        super().__init__(message)
        self.record = record


class PlannerFailedError(PlannerExecutorError):
    """The planner or its model failed; ``record`` has the plans that were refused before."""


class AllStepsFailedError(PlannerExecutorError):
    """No step completed, so there is nothing to answer from."""

    def __init__(self, record: Run[None]) -> None:
        told = "; ".join(f"{name}: {error}" for name, error in record.failed.items())
        super().__init__(f"no step completed: {told}", record)
        self.failed = dict(record.failed)
        self.skipped = record.skipped


class BudgetExceededError(PlannerExecutorError):
    """The budget of the run is used up.

    Args:
        limit: Which limit it was.
        budget: The budget.
        record: What was done.
    """

    def __init__(self, limit: Limit, budget: Budget, record: Run[None]) -> None:
        allowed = getattr(budget, limit)
        super().__init__(f"the budget is used up: {limit} may be at most {allowed}", record)
        self.limit = limit
        self.budget = budget


class PriceFailedError(PlannerExecutorError):
    """The host's ``price`` failed, or gave what is no finite number of 0 or more."""


class AnswerFailedError(PlannerExecutorError):
    """The steps ended, but the synthesizer failed; ``record`` has their results."""
