"""What waits for a slot, in the order in which it became ready."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from strands_plan_tool.executor.progress import Call, Progress

__all__ = ["Line"]


class Line:
    """The calls of one run that are in line for a slot; true while there are any.

    Args:
        steps: How far each step is, in document order.
    """

    def __init__(self, steps: Sequence[Progress]) -> None:
        self._steps = steps
        # Event of readiness, position of the step, index, the call if it was in line before.
        self._queue: list[tuple[int, int, int, Call | None]] = []

    def __bool__(self) -> bool:
        return bool(self._queue)

    def add(self, event: int, position: int) -> None:
        """Put the call of a step in line, or one for each of its items."""
        heapq.heappush(self._queue, (event, position, 0, None))

    def add_again(self, call: Call, event: int) -> None:
        """Put a call in line once more."""
        heapq.heappush(self._queue, (event, call.position, call.index or 0, call))

    def next(self) -> Call:
        """Take out what waits longest; something must."""
        event, position, index, call = heapq.heappop(self._queue)
        if call is not None:
            return call
        items = self._steps[position].items
        if items is None:
            return Call(position, None)
        if index + 1 < len(items):
            # The next item waits where this one waited.
            heapq.heappush(self._queue, (event, position, index + 1, None))
        return Call(position, index)

    def clear(self) -> None:
        """Let nothing wait any more."""
        self._queue.clear()
