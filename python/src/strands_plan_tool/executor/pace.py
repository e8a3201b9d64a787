"""How long a run may go on at once: what it asks before it evaluates an expression.

Evaluation holds the event loop, and meanwhile no timer rings. So the clock is read between
evaluations: what is due is seen there, and the loop is let go on before it was held for long.
On a clock that stands still during evaluation, as virtual time does, all of it is nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from strands_plan_tool.executor.progress import Attempt

__all__ = ["Pace"]

# Timers, cancellation and other tasks wait for about this long at most.
_HELD_S: Final = 0.02


class Pace:
    """The time of one run, as far as it bounds evaluation.

    Args:
        now: Tells the time.
        plan_timeout_s: Seconds for the whole run, if they are limited.

    Attributes:
        due: When the deadline of each attempt in flight comes; all have the same time, so
            the one that began first is due first.
    """

    def __init__(self, now: Callable[[], float], plan_timeout_s: float | None) -> None:
        self.now = now
        self.due: dict[Attempt, float] = {}
        self._plan_timeout_s = plan_timeout_s
        self._ends_at: float | None = None
        self._held = 0.0
        self._entered: float | None = None

    def begin(self, now: float) -> None:
        """The run starts, or started then, if it was paused since."""
        if self._plan_timeout_s is not None:
            self._ends_at = now + self._plan_timeout_s

    def enter(self) -> None:
        """From here on the loop is held."""
        self._entered = self.now()

    def leave(self) -> None:
        """The loop is let go, though whatever is ready may go on holding it."""
        if self._entered is not None:
            self._held += self.now() - self._entered
            self._entered = None

    def turned(self) -> None:
        """The loop had a turn."""
        self._held = 0.0

    def is_over(self, now: float) -> bool:
        """Whether the plan's deadline has passed; at the very moment its timer is to tell."""
        return self._ends_at is not None and now > self._ends_at

    def wants_turn(self, now: float) -> bool:
        """Whether the loop is to have a turn: it was held, or an attempt's timer is due."""
        held = self._held + (0.0 if self._entered is None else now - self._entered)
        is_due = False
        while self.due and (first := next(iter(self.due.items())))[1] < now:
            # One turn is enough for its timer to ring; nobody waits for one that does not.
            del self.due[first[0]]
            is_due = True
        return is_due or held > _HELD_S
