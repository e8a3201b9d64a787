"""One budget over all agents of a run: what is allowed, what was used, and when it is out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from strands_plan_tool.planner_executor.record import Usage

__all__ = ["Budget", "Limit", "Meter", "OutOfBudget", "Price"]

Limit: TypeAlias = Literal["requests", "tokens", "wall_s", "cost"]

Price: TypeAlias = Callable[[str, Mapping[str, Any]], float]
"""What one model request costs, from the model's id and the usage that Strands tells of it.

The usage has ``inputTokens``, ``outputTokens`` and ``totalTokens``, and where the provider
says so ``cacheReadInputTokens`` and ``cacheWriteInputTokens``. The unit is the host's own.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use, all its agents together.

    A run never returns having used more: at a limit no further request is made, and a
    response that goes beyond one ends the run.

    Attributes:
        requests: Requests to models.
        tokens: Tokens, those sent and those received.
        wall_s: Seconds, without the time between ``plan()`` and ``run()``.
        cost: What the prices of all requests may add up to; needs a ``price``.
    """

    requests: int | None = 40
    tokens: int | None = 200_000
    wall_s: float | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("requests", "tokens", "wall_s", "cost"):
            limit = getattr(self, name)
            if limit is not None and not (limit > 0 and math.isfinite(limit)):
                raise ValueError(f"budget: {name} must be more than 0; None is no limit")


class OutOfBudget(BaseException):
    """The budget is used up: the scheduler ends the run for it, as it is no ``Exception``."""


class Meter:
    """Counts what the agents of one run use.

    Args:
        budget: What they may use.
        price: What a request costs, if the host says so.
        used: What was used before, while planning.

    Attributes:
        prices: Whether requests have prices.
        out: The limit that was reached, once one was.
    """

    def __init__(self, budget: Budget, price: Price | None, used: Usage) -> None:
        self._budget = budget
        self._price = price
        self._requests, self._cost = used.requests, used.cost or 0.0
        self._input, self._output = used.input_tokens, used.output_tokens
        self._total = used.total_tokens
        self.prices = price is not None
        self.out: Limit | None = None

    def usage(self, duration_s: float) -> Usage:
        """What was used in all."""
        return Usage(
            requests=self._requests,
            input_tokens=self._input,
            output_tokens=self._output,
            total_tokens=self._total,
            cost=None if self._price is None else self._cost,
            duration_s=duration_s,
        )

    def request(self) -> None:
        """A request is about to be made.

        Raises:
            OutOfBudget: It may not be made.
        """
        budget = self._budget
        if budget.requests is not None and self._requests >= budget.requests:
            self._end("requests")
        if budget.tokens is not None and self._total >= budget.tokens:
            self._end("tokens")
        if budget.cost is not None and self._cost >= budget.cost:
            self._end("cost")
        self._requests += 1

    def response(self, model: str, usage: Mapping[str, Any]) -> float:
        """A response has come; gives its price, 0 without prices.

        If it went beyond the budget, ``check`` raises from now on.
        """
        sent, received = int(usage.get("inputTokens", 0)), int(usage.get("outputTokens", 0))
        self._input += sent
        self._output += received
        self._total += int(usage.get("totalTokens", 0)) or sent + received
        cost = 0.0 if self._price is None else float(self._price(model, usage))
        self._cost += cost
        if self._budget.tokens is not None and self._total > self._budget.tokens:
            self.out = self.out or "tokens"
        if self._budget.cost is not None and self._cost > self._budget.cost:
            self.out = self.out or "cost"
        return cost

    def check(self) -> None:
        """Go on only while no limit was reached.

        Raises:
            OutOfBudget: One was.
        """
        if self.out is not None:
            raise OutOfBudget(self.out)

    def _end(self, limit: Limit) -> None:
        self.out = self.out or limit
        raise OutOfBudget(limit)
