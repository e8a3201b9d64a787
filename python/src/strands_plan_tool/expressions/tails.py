"""Calls that end a lambda, which the reference runs only once the lambda has ended.

What follows such a call from outside, such as a predicate behind parentheses around it, is
then applied to the call that is still to be run, and lost; and the context that the call
takes for an argument left out is null.
"""

from __future__ import annotations

from collections.abc import Iterator

from strands_plan_tool.expressions.listed import leaves_context
from strands_plan_tool.tree import Block, Call, Condition, Fallback, Node

__all__ = ["calls_at_end", "lost_contexts", "lost_endings"]


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


def lost_endings(body: Node) -> Iterator[Node]:
    """The nodes at the end of a lambda behind which something is lost.

    A predicate, a group or a `[]` behind parentheses; a group or a `[]` behind a call.
    """
    match body:
        case Call():
            if (body.group is not None or body.keep_array) and not body.predicates:
                yield body
        case Condition():
            yield from lost_endings(body.then)
            if body.otherwise is not None:
                yield from lost_endings(body.otherwise)
        case Fallback():
            yield from lost_endings(body.left)
            yield from lost_endings(body.right)
        case Block(statements=(*_, last)):
            if not (body.predicates or body.group is not None or body.keep_array):
                yield from lost_endings(last)
            elif any(True for _ in calls_at_end(last)):
                yield body


def lost_contexts(body: Node) -> Iterator[Call]:
    """The calls at the end of a lambda that leave their first argument to the context."""
    for call in calls_at_end(body):
        if leaves_context(call.name, len(call.arguments), first=call.arguments[:1]):
            yield call
