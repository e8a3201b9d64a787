"""Time that a test holds: an event loop whose clock jumps to the next timer that is due.

Everything that waits by the loop (``asyncio.sleep``, timeouts, this clock's ``sleep``) waits
in virtual time, so a plan that takes an hour runs in a moment and takes exactly an hour.
"""

from __future__ import annotations

import asyncio
import heapq
import selectors
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context
from typing import Any, TypeVar, TypeVarTuple

from strands_plan_tool.executor.clock import AsyncioClock

__all__ = ["VirtualClock"]

Result = TypeVar("Result")
Ts = TypeVarTuple("Ts")

_PER_SECOND = 1_000_000


class VirtualClock:
    """A clock for ``execute_plan`` and stub tools, and the loop that it is the time of.

    A timer fires only when nothing else can run, and one at a time: of timers that are due
    together the one set first fires first, with all that follows from it before the next.
    Time is kept in whole microseconds, so that sums come out even. It starts at 0 and goes
    on from one ``run`` to the next.

    Work that the loop gave to a thread takes no virtual time: the clock stands still for it,
    so such work must not itself wait for virtual time.

    Example:
        >>> clock = VirtualClock()
        >>> clock.run(clock.sleep(3600))
        >>> clock.now()
        3600.0
    """

    def __init__(self) -> None:
        self._micros = 0

    def now(self) -> float:
        """Virtual seconds since the clock was made."""
        return self._micros / _PER_SECOND

    async def sleep(self, seconds: float) -> None:
        """Wait in virtual time; with 0 seconds still until every timer set before has fired.

        Raises:
            RuntimeError: The running loop is not this clock's.
        """
        loop = asyncio.get_running_loop()
        if not isinstance(loop, _VirtualLoop) or loop.clock is not self:
            raise RuntimeError("a VirtualClock sleeps only inside its own run()")
        await AsyncioClock.sleep(_LOOP_TIME, seconds)

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine to its end in virtual time, as ``asyncio.run`` does in real time."""
        with asyncio.Runner(loop_factory=lambda: _VirtualLoop(self)) as runner:
            return runner.run(main)

    def _advance(self, micros: int) -> None:
        self._micros = max(self._micros, micros)


_LOOP_TIME = AsyncioClock()


class _VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that keeps its own timers and asks its selector to fire the next one."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self._timers: list[tuple[int, int, asyncio.TimerHandle]] = []
        self._timers_set = 0
        self._in_threads = 0
        super().__init__(_VirtualSelector(self.fire_next))

    def time(self) -> float:
        return self.clock.now()

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timers_set += 1
        due = round(when * _PER_SECOND)
        heapq.heappush(self._timers, (due, self._timers_set, handle))
        return handle

    def run_in_executor(
        self, executor: Any, func: Callable[[*Ts], Result], *args: *Ts
    ) -> asyncio.Future[Result]:
        work = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        work.add_done_callback(self._thread_done)
        return work

    def _thread_done(self, _work: asyncio.Future[Any]) -> None:
        self._in_threads -= 1

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        # Python 3.12 and later limit this by a timer, to which virtual time would jump.
        await super().shutdown_default_executor()

    def fire_next(self) -> bool:
        """Jump to the timer that is due next and let it run; false if nothing can."""
        while self._timers and not self._in_threads:
            due, _, handle = heapq.heappop(self._timers)
            if not handle.cancelled():
                self.clock._advance(due)
                self.call_soon(_fire, handle)
                return True
        return False


def _fire(handle: asyncio.TimerHandle) -> None:
    # Cancelled since, by something that was ready before it.
    if not handle.cancelled():
        handle._run()


class _VirtualSelector(selectors.BaseSelector):
    """A selector that fires a virtual timer where a real one would wait.

    The loop asks it to wait only when nothing is ready to run.
    """

    def __init__(self, fire_next: Callable[[], bool]) -> None:
        self._fire_next = fire_next
        self._real = selectors.DefaultSelector()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready or (timeout is not None and timeout <= 0) or self._fire_next():
            return ready
        return self._real.select(timeout)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()
