"""Time as the scheduler sees it, so that a caller can put another in its place.

A run asks one clock for the time and lets one clock wait: step and plan timeouts, backoffs
and durations all come from it. ``testing.VirtualClock`` is a clock that jumps.
"""

from __future__ import annotations

import asyncio
from typing import Protocol, runtime_checkable

__all__ = ["AsyncioClock", "Clock"]


@runtime_checkable
class Clock(Protocol):
    """What a run needs of time."""

    def now(self) -> float:
        """Seconds from any fixed moment, never going back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return once that many seconds have gone by; with 0 still by a timer of the loop."""
        ...


class AsyncioClock:
    """The running event loop's own time: what a run uses unless it is given another clock."""

    def now(self) -> float:
        """Seconds by the running loop's clock."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Wait by a timer of the running loop, for 0 seconds too."""
        # asyncio.sleep(0) is no timer: it would overtake timers that are due already.
        loop = asyncio.get_running_loop()
        due: asyncio.Future[None] = loop.create_future()
        timer = loop.call_later(seconds, _arrive, due)
        try:
            await due
        finally:
            timer.cancel()


def _arrive(due: asyncio.Future[None]) -> None:
    if not due.done():
        due.set_result(None)
