"""One budget over all agents of a run: what is allowed, what was used, and when it is out."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.planner_executor.record import Usage, told

__all__ = ["Budget", "Limit", "Meter", "NoPrice", "OutOfBudget", "Price", "RunOver"]

Limit: TypeAlias = Literal["requests", "tokens", "wall_s", "cost"]

Price: TypeAlias = Callable[[str, Mapping[str, Any]], float]
"""What one model request costs, from the model's id and the usage that Strands tells of it.

The usage has ``inputTokens``, ``outputTokens`` and ``totalTokens``, and where the provider
says so ``cacheReadInputTokens`` and ``cacheWriteInputTokens``. The unit is the host's own. An
error of it, or what is no finite number of 0 or more, ends the run with ``PriceFailedError``.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one run may use, all its agents together.

    A run never returns having used more: at a limit no further request is made, and a
    response that goes beyond one ends the run. What is counted are the requests of planner,
    executors and synthesizer. An agent that one of them calls as a tool makes requests of its
    own, which are not counted.

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
        for name in ("requests", "tokens"):
            limit = getattr(self, name)
            if limit is None:
                continue
            if isinstance(limit, float) and limit.is_integer():
                object.__setattr__(self, name, limit := int(limit))
            wrong = f"budget: {name} must be a whole number, 1 or more; None is no limit"
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise TypeError(wrong)
            if isinstance(limit, float) or limit < 1:
                raise ValueError(wrong)
        for name in ("wall_s", "cost"):
            limit = getattr(self, name)
            if limit is None:
                continue
            wrong = f"budget: {name} must be a finite number above 0; None is no limit"
            if isinstance(limit, bool) or not isinstance(limit, int | float):
                raise TypeError(wrong)
            if not (limit > 0 and math.isfinite(limit)):
                raise ValueError(wrong)


class RunOver(BaseException):
    """The run ends here: the scheduler ends it for this, as it is no ``Exception``."""


class OutOfBudget(RunOver):
    """The budget is used up.

    Args:
        limit: Which limit it was.
    """

    def __init__(self, limit: Limit) -> None:
        super().__init__(f"the budget is used up: {limit}")
        self.limit = limit


class NoPrice(RunOver):
    """The host's ``price`` failed, or gave what is no price."""


class Meter:
    """Counts what the agents of one run use.

    Args:
        budget: What they may use.
        price: What a request costs, if the host says so.
        used: What was used before, while planning.

    Attributes:
        prices: Whether requests have prices.
        over: What ends the run, once a response does.
    """

    def __init__(self, budget: Budget, price: Price | None, used: Usage) -> None:
        self._budget = budget
        self._price = price
        self._requests, self._cost = used.requests, used.cost or 0.0
        self._input, self._output = used.input_tokens, used.output_tokens
        self._total = used.total_tokens
        self.prices = price is not None
        self.over: RunOver | None = None

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
            RunOver: It may not be made; what was asked before may still be answered.
        """
        self.check()
        budget = self._budget
        if budget.requests is not None and self._requests >= budget.requests:
            raise OutOfBudget("requests")
        if budget.tokens is not None and self._total >= budget.tokens:
            raise OutOfBudget("tokens")
        if budget.cost is not None and self._cost >= budget.cost:
            raise OutOfBudget("cost")
        self._requests += 1

    def response(self, model: str, usage: Mapping[str, Any]) -> float:
        """A response has come; gives its price, 0 without prices.

        If it went beyond the budget, or has no price, ``check`` raises from now on.
        """
        sent, received = int(usage.get("inputTokens", 0)), int(usage.get("outputTokens", 0))
        self._input += sent
        self._output += received
        self._total += int(usage.get("totalTokens", 0)) or sent + received
        cost = self._cost_of(model, usage)
        self._cost += cost
        if self._budget.tokens is not None and self._total > self._budget.tokens:
            self.over = self.over or OutOfBudget("tokens")
        if self._budget.cost is not None and self._cost > self._budget.cost:
            self.over = self.over or OutOfBudget("cost")
        return cost

    def check(self) -> None:
        """Go on only while no response has ended the run.

        Raises:
            RunOver: One has.
        """
        if self.over is not None:
            raise self.over.with_traceback(None)

    def _cost_of(self, model: str, usage: Mapping[str, Any]) -> float:
        if self._price is None:
            return 0.0
        called = f"price({quoted(model)}, usage)"
        try:
            given: object = self._price(model, usage)
        except Exception as error:
            failed = NoPrice(f"{called} failed: {told(error)}")
            failed.__cause__ = error
            self.over = self.over or failed
            return 0.0
        if inspect.iscoroutine(given):
            given.close()
        cost = _finite(given)
        if cost is None:
            wrong = f"{called} must give a finite number, 0 or more"
            self.over = self.over or NoPrice(wrong)
        return cost or 0.0


def _finite(given: object) -> float | None:
    """A number of 0 or more, of whatever kind; None if it is something else."""
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):
        return None
    try:
        number = float(given)
    except (OverflowError, ValueError):
        return None
    return number if number >= 0 and math.isfinite(number) else None
