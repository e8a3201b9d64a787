"""The time that a run may take."""

from __future__ import annotations

import asyncio
from typing import Any

from strands_plan_tool.planner_executor.budget import OutOfBudget

__all__ = ["Wall"]


class Wall:
    """Ends what stands in it when the run's time is over, as the budget's other limits do.

    Args:
        allowed_s: How long the run may take; None for no limit.
        used_s: How long it took before.

    Raises:
        OutOfBudget: The time is over.
    """

    def __init__(self, allowed_s: float | None, used_s: float) -> None:
        self._timeout = asyncio.timeout(
            None if allowed_s is None else max(allowed_s - used_s, 0)
        )

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            await self._timeout.__aexit__(kind, error, traceback)
        except TimeoutError:
            if self._timeout.expired():
                raise OutOfBudget("wall_s") from None
            raise
