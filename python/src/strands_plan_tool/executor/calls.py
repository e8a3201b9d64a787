"""The seam through which each call of a tool leaves the engine."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from inspect import getattr_static
from typing import Protocol, cast, runtime_checkable

from strands_plan_tool.models import JsonValue
from strands_plan_tool.step_call import StepCall
from strands_plan_tool.values import json_string

__all__ = ["Invoke", "StepCall", "StepInvoker", "ToolInvoker", "call_key", "invocation"]


@runtime_checkable
class ToolInvoker(Protocol):
    """The simplest form of the seam: a tool's name and its arguments."""

    async def __call__(self, name: str, args: dict[str, JsonValue], /) -> JsonValue:
        """Call the tool and return its result as plain JSON.

        Raises:
            StepPaused: The call waits for an answer from outside; nothing was carried out.
            ToolDeniedError: Somebody refused the call: it fails and is not tried again.
            Exception: The call failed; the exception's text becomes the step's ``error``.
                Anything that is no ``Exception`` ends the whole run and is raised from it,
                once what is in flight has been stopped.
        """
        ...


@runtime_checkable
class StepInvoker(Protocol):
    """The whole seam: an invoker with this method is given the ``StepCall`` instead."""

    async def invoke_step(self, call: StepCall) -> JsonValue:
        """Carry out one attempt; results and exceptions as for ``ToolInvoker``."""
        ...


Invoke = Callable[[StepCall], Awaitable[JsonValue]]


def invocation(invoker: ToolInvoker | StepInvoker) -> Invoke:
    """The one function that starts an attempt, whichever form the invoker has."""
    # A mock has every method that it is asked for; the simplest form is what it stands for.
    if getattr_static(invoker, "invoke_step", None) is not None:
        return cast("StepInvoker", invoker).invoke_step
    by_name = cast("ToolInvoker", invoker)
    return lambda call: by_name(call.tool, call.args)


def call_key(run_id: str, step_id: str, index: int | None) -> str:
    """The idempotency key of a call: SHA-256, in lower-case hex, of its names.

    What is hashed is the UTF-8 text of the compact JSON array ``[run_id, step_id, index]``,
    in which a call without an item has ``null`` for the index: ``["r1","pay",null]``.
    """
    place = "null" if index is None else index
    # An id of a step has nothing that JSON would escape.
    named = f'[{json_string(run_id)},"{step_id}",{place}]'
    return hashlib.sha256(named.encode()).hexdigest()
