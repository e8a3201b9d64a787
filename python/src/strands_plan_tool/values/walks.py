"""What a walk through nested lists remembers of those that it meets again.

What holds one list in many places is small to keep and may be endless to walk through. A
walk that counts steps is not made again where its outcome and its steps are known: the
steps are taken at once, as many as the walk would take.
"""

from __future__ import annotations

from typing import Any, Final

from strands_plan_tool.values.budget import LEFT, State

__all__ = ["Walks"]

# Fewer steps than this are sooner walked than remembered.
_LARGE: Final = 64


class Walks:
    """The walks of one call: lists by identity, which live as long as what holds them."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int, Any]] = {}

    def known(self, state: State, value: list[Any], depth: int) -> tuple[int, Any] | None:
        """The steps and the outcome of a walk, if it fits the budget; else it is to be made.

        Args:
            state: The run, from which nothing is taken yet.
            value: The list.
            depth: How deep it stands: what fitted may be too deep in another place.
        """
        seen = self._known.get(id(value))
        if seen is None or depth > seen[1] or state[LEFT] < seen[0]:
            return None
        return seen[0], seen[2]

    def keep(self, value: list[Any], steps: int, depth: int, outcome: Any) -> None:
        """Remember a walk that ended.

        Args:
            value: The list.
            steps: What it took.
            depth: How deep the list stood.
            outcome: What it gave.
        """
        if steps >= _LARGE:
            self._known[id(value)] = (steps, depth, outcome)
