"""Comparators of ``$sort`` that compare one field of both items, or the items themselves."""

from __future__ import annotations

from typing import Final

from strands_plan_tool.evaluate.shapes import fields_of
from strands_plan_tool.functions.sorting import Order
from strands_plan_tool.tree import Binary, Lambda, Node, Variable

__all__ = ["order_of"]

_DESCENDING: Final = {">": False, "<": True}


def order_of(node: Lambda) -> Order | None:
    """The order that ``function($l, $r){$l.x > $r.x}`` and the like say; else None."""
    body = node.body
    if len(set(node.parameters)) != 2 or len(node.parameters) != 2:
        return None
    if not isinstance(body, Binary) or body.operator not in _DESCENDING or _carries(body):
        return None
    left, right = _field(body.left), _field(body.right)
    if left is None or right is None or left[1] != right[1]:
        return None
    descending = _DESCENDING[body.operator]
    if (left[0], right[0]) == node.parameters:
        return Order(left[1], descending)
    if (right[0], left[0]) == node.parameters:
        return Order(left[1], not descending)
    return None


def _field(node: Node) -> tuple[str | None, tuple[str, ...]] | None:
    """The variable that a side begins with, and the names after it."""
    if isinstance(node, Variable):
        return None if _carries(node) else (node.name, ())
    return fields_of(node)


def _carries(node: Node) -> bool:
    held = node.predicates or node.stages or node.keep_array
    return bool(held) or node.group is not None
