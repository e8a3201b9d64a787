"""What the makers of closures need of one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from strands_plan_tool.tree import Lambda, Node
from strands_plan_tool.values.budget import State
from strands_plan_tool.values.sequences import Sequence

__all__ = ["Bulk", "Closure", "Compile", "Link"]

Closure = Callable[[Any, State], Any]
"""What a node became: from a context and a run's state to a value."""

Link = Callable[[Any, Any, State], Any]
"""What follows a left operand: from its value, the context and the state to a value."""

Bulk = Callable[[list[Any], State], Sequence | None]
"""From all items of a list and the state to what is found, or None to go one by one."""


class Compile(Protocol):
    """What makes closures of the nodes in a node."""

    @property
    def shapes(self) -> bool:
        """Whether common shapes are run at once; see ``shapes`` and ``bulk``."""
        ...

    def closure(self, node: Node, /) -> Closure:
        """The closure of a node with all that it carries but its stages."""
        ...

    def constant(self, node: Node, /) -> Closure | None:
        """The closure of a node whose value does not depend on the context; else None."""
        ...

    def place(self, variable: str, /) -> int | None:
        """Where a variable of the expression's own is; None for one that the plan gives."""
        ...

    def body(self, node: Lambda, /, *, own_context: bool) -> tuple[list[int], Closure]:
        """The places of a lambda's parameters, and the closure of its body."""
        ...

    def selection(self, node: Lambda, /) -> Bulk | None:
        """A lambda as a filter of a whole list; None where it is none."""
        ...

    def projection(self, node: Lambda, /) -> Bulk | None:
        """A lambda as what makes rows of a whole list; None where it does not."""
        ...
