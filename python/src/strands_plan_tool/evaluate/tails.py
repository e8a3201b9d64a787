"""Calls that end a lambda, which the reference runs only once the lambda has ended.

What follows such a call from outside, a predicate or a group behind parentheses around it,
is then applied to the call that is still to be run, and lost; and the context that the call
takes for an argument left out is null.
"""

from __future__ import annotations

from collections.abc import Iterator

from strands_plan_tool.tree import Block, Call, Condition, Fallback, Node

__all__ = ["calls_at_end", "ends_in_call", "lost_endings"]


def calls_at_end(body: Node) -> Iterator[Call]:
    """The calls that a lambda may end in."""
    match body:
        case Call():
            if not body.predicates:
                yield body
        case Condition():
            yield from calls_at_end(body.then)
            if body.otherwise is not None:
                yield from calls_at_end(body.otherwise)
        case Fallback():
            yield from calls_at_end(body.left)
            yield from calls_at_end(body.right)
        case Block(statements=(*_, last)):
            yield from calls_at_end(last)


def ends_in_call(block: Node) -> bool:
    """Whether parentheses, whatever follows them, end in a call."""
    return isinstance(block, Block) and any(True for _ in calls_at_end(block))


def lost_endings(body: Node) -> Iterator[Node]:
    """The nodes at the end of a lambda behind which a predicate or a group is lost."""
    match body:
        case Call():
            if body.group is not None and not body.predicates:
                yield body
        case Condition():
            yield from lost_endings(body.then)
            if body.otherwise is not None:
                yield from lost_endings(body.otherwise)
        case Fallback():
            yield from lost_endings(body.left)
            yield from lost_endings(body.right)
        case Block(statements=(*_, last)):
            if not (body.predicates or body.group is not None):
                yield from lost_endings(last)
            elif ends_in_call(body):
                yield body
