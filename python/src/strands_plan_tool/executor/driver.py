"""Does on an event loop what a schedule decides: tasks for attempts, sleeps for timers."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Any

from strands_plan_tool.errors import StepPaused, ToolDeniedError
from strands_plan_tool.executor.actions import Action, Rest, Start, Stop
from strands_plan_tool.executor.calls import Invoke
from strands_plan_tool.executor.clock import Clock
from strands_plan_tool.executor.faults import tool_message
from strands_plan_tool.executor.pace import Pace
from strands_plan_tool.executor.progress import Attempt
from strands_plan_tool.executor.schedule import Schedule

__all__ = ["Driver"]

# What only has to be told that it is time, or over, is done within a few turns of the loop.
_TURNS = 10
# A deadline that comes this late came to a loop that was blocked.
_LATE_S = 0.05


class Driver:
    """Drives one run from its start to its end.

    Args:
        schedule: Decides what starts, and hears of what ended.
        invoke: Calls a tool.
        clock: What timers go by.
        pace: Bounds how long the schedule evaluates at once; told here what it goes by.
        step_timeout_s: Seconds for one attempt, if they are limited.
        plan_timeout_s: Seconds that are left for the whole run, if they are limited.
    """

    def __init__(
        self,
        schedule: Schedule,
        invoke: Invoke,
        clock: Clock,
        pace: Pace,
        *,
        step_timeout_s: float | None,
        plan_timeout_s: float | None,
    ) -> None:
        self._schedule = schedule
        self._invoke = invoke
        self._clock = clock
        self._pace = pace
        self._step_timeout_s = step_timeout_s
        self._plan_timeout_s = plan_timeout_s
        self._loop = asyncio.get_running_loop()
        # What one tool leaves in context variables must not reach the next.
        self._context = contextvars.copy_context()
        self._running: dict[Attempt, asyncio.Task[Any]] = {}
        self._deadlines: dict[Attempt, asyncio.Task[None]] = {}
        self._timers: set[asyncio.Task[None]] = set()
        self._stopped: set[asyncio.Task[Any]] = set()
        # Overdue attempts whose end may be under way.
        self._spared = 0
        self._over: asyncio.Future[None] = self._loop.create_future()

    async def run(self) -> None:
        """Return once every step has ended, or the run has paused.

        Raises:
            asyncio.CancelledError: The run was cancelled and what was in flight has ended.
            BaseException: An attempt raised what is no ``Exception``; likewise.
        """
        try:
            if self._plan_timeout_s is not None:
                self._set_timer(self._plan_timeout_s, self._schedule.expired)
            self._hear(self._schedule.begin)
            await self._over
        except BaseException:
            await self._stop_everything()
            raise
        finally:
            await self._clear_away()

    def _hear(self, report: Callable[[float], list[Action]]) -> None:
        """Tell the schedule of something and do what it then wants done."""
        if self._over.done():
            return
        try:
            self._pace.enter()
            for action in report(self._clock.now()):
                self._act(action)
            self._pace.leave()
            # A listener may have cancelled the run at its very last event.
            if self._schedule.is_over and not self._over.done():
                self._over.set_result(None)
        except BaseException as error:
            # Callbacks of the loop have nobody above them: what fails here fails the run.
            self._fail(error)

    def _act(self, action: Action) -> None:
        if isinstance(action, Start):
            self._start(action.attempt)
        elif isinstance(action, Rest):
            self._set_timer(action.seconds, partial(self._schedule.rested, action.call))
        elif isinstance(action, Stop):
            self._stop(action.attempt)
        else:
            self._set_timer(0, self._turned)

    def _turned(self, now: float) -> list[Action]:
        """The loop had a turn; what began to end in it ends before more is evaluated."""
        if self._spared:
            self._set_timer(0, self._turned)
            return []
        return self._schedule.resumed(now)

    def _fail(self, error: BaseException) -> None:
        if not self._over.done():
            self._over.set_exception(error)

    def _start(self, attempt: Attempt) -> None:
        if attempt.over:
            # The plan's deadline came before it could be called.
            return
        if self._step_timeout_s is not None:
            # Set before the call, so that of two that are due together it comes first.
            due = self._pace.due[attempt] = self._clock.now() + self._step_timeout_s
            report = partial(self._overdue, attempt, due)
            self._deadlines[attempt] = self._set_timer(self._step_timeout_s, report)
        task = self._loop.create_task(self._call(attempt), context=self._context.copy())
        self._running[attempt] = task
        task.add_done_callback(partial(self._ended, attempt), context=self._context)

    def _overdue(self, attempt: Attempt, due: float, now: float) -> list[Action]:
        """An attempt's deadline has come; on a blocked loop its end may be under way."""
        self._pace.due.pop(attempt, None)
        if now - due <= _LATE_S:
            return self._schedule.overdue(attempt, now)
        self._spared += 1
        self._after_turns(_TURNS, partial(self._schedule.overdue, attempt))
        return []

    def _after_turns(self, turns: int, report: Callable[[float], list[Action]]) -> None:
        if turns:
            self._loop.call_soon(self._after_turns, turns - 1, report, context=self._context)
        else:
            self._spared -= 1
            self._hear(report)

    async def _call(self, attempt: Attempt) -> Any:
        return await self._invoke(attempt.sent)

    def _ended(self, attempt: Attempt, task: asyncio.Task[Any]) -> None:
        if self._running.pop(attempt, None) is None:
            return
        self._drop_deadline(attempt)
        error = None if task.cancelled() else task.exception()
        if error is None and not task.cancelled():
            self._hear(partial(self._schedule.returned, attempt, task.result()))
        elif isinstance(error, StepPaused):
            self._hear(partial(self._schedule.waited, attempt))
        elif error is None or isinstance(error, Exception):
            denied = isinstance(error, ToolDeniedError)
            failed = partial(self._schedule.raised, denied=denied)
            self._hear(partial(failed, attempt, tool_message(error)))
        else:
            self._fail(error)

    def _drop_deadline(self, attempt: Attempt) -> None:
        self._pace.due.pop(attempt, None)
        deadline = self._deadlines.pop(attempt, None)
        if deadline is not None:
            deadline.cancel()

    def _stop(self, attempt: Attempt) -> None:
        """Let go of an attempt: whatever it still does, nobody hears of it."""
        task = self._running.pop(attempt, None)
        self._drop_deadline(attempt)
        if task is not None:
            self._stopped.add(task)
            task.add_done_callback(self._forget)
            task.cancel()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._stopped.discard(task)
        if not task.cancelled():
            task.exception()

    def _set_timer(
        self, seconds: float, report: Callable[[float], list[Action]]
    ) -> asyncio.Task[None]:
        task = self._loop.create_task(self._clock.sleep(seconds), context=self._context.copy())
        self._timers.add(task)
        task.add_done_callback(partial(self._rang, report), context=self._context)
        return task

    def _rang(self, report: Callable[[float], list[Action]], task: asyncio.Task[None]) -> None:
        self._timers.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._hear(report)
        else:
            self._fail(error)

    async def _stop_everything(self) -> None:
        """Stop the attempts in flight, wait until each has ended, and say so."""
        running = [*self._running.values()]
        self._running.clear()
        self._over.cancel()
        for task in running:
            task.cancel()
        while pending := [task for task in running if not task.done()]:
            try:
                await asyncio.wait(pending)
            except asyncio.CancelledError:
                # Asked again: pass it on, but leave nothing behind.
                for task in pending:
                    task.cancel()
        for task in running:
            if not task.cancelled():
                task.exception()
        self._schedule.cancelled(self._clock.now())

    async def _clear_away(self) -> None:
        """Leave no timer behind, nor a stopped attempt that is about to end."""
        timers = [*self._timers]
        for timer in timers:
            timer.cancel()
        for _ in range(_TURNS):
            if not self._stopped and all(timer.done() for timer in timers):
                return
            await asyncio.sleep(0)
