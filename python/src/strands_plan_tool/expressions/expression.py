"""An expression that may run, as its reader hands it on."""

from __future__ import annotations

from strands_plan_tool.expressions.paths import reads_of_paths, tree_of_paths
from strands_plan_tool.expressions.references import Read
from strands_plan_tool.tree import Node

__all__ = ["Expression"]


class Expression:
    """An expression that may run.

    Attributes:
        text: As written.
        inputs: The names of the host's input it reads, by first appearance.
        plain_path: Whether it is wholly a plain path.
        uses_item: Whether it reads ``item`` or ``index``.
        by_names: Whether it is wholly a plain path, or a list of several, each of names
            alone: then ``reads`` says all there is to it, and its tree is only made when
            asked for.
    """

    __slots__ = (
        "_reads",
        "_tree",
        "by_names",
        "inputs",
        "plain_path",
        "text",
        "uses_item",
    )

    def __init__(
        self,
        text: str,
        tree: Node | None,
        inputs: tuple[str, ...],
        reads: tuple[Read, ...],
        plain_path: bool,
        uses_item: bool,
    ) -> None:
        self.text = text
        self._tree = tree
        self.inputs = inputs
        # A plan may have ten thousand paths, and their texts say it all.
        self._reads = None if tree is None else reads
        self.plain_path = plain_path
        self.uses_item = uses_item
        self.by_names = tree is None

    @property
    def reads(self) -> tuple[Read, ...]:
        """Each place where it reads a step, an input or the item, from left to right."""
        reads = self._reads
        return reads_of_paths(self.text) if reads is None else reads

    @property
    def dependencies(self) -> tuple[str, ...]:
        """The ids of the steps it reads, by first appearance."""
        if self.by_names and self.plain_path:
            parts = self.text.split(".", 2)
            return (parts[1],) if parts[0] == "steps" else ()
        return tuple(dict.fromkeys(read.id for read in self.reads if read.root == "steps"))

    @property
    def tree(self) -> Node:
        """What it is evaluated from."""
        tree = self._tree
        if tree is None:
            tree = self._tree = tree_of_paths(self.text)
        return tree

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def _parts(self) -> tuple[object, ...]:
        told = (self.inputs, self.reads, self.plain_path, self.uses_item)
        return self.text, self.tree, told
