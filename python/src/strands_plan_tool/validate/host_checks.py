"""What a host passes beside a plan, checked where it is passed.

A bad plan is data, told in diagnostics; a host's own mistake is a ``TypeError`` at once,
with the same text wherever it is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from strands_plan_tool.models import Policy

__all__ = [
    "check_binder",
    "check_clock",
    "check_input",
    "check_invoker",
    "check_listener",
    "check_max_steps",
    "check_memory",
    "check_policy",
    "check_run_id",
]


def check_policy(policy: object) -> None:
    """A policy is a ``Policy`` or left out: a mapping is not read as one.

    Raises:
        TypeError: It is anything else.
    """
    if policy is not None and not isinstance(policy, Policy):
        raise TypeError("policy must be a Policy, such as Policy(max_steps=8)")


def check_input(given: object) -> None:
    """Input is a mapping or left out.

    Raises:
        TypeError: It is anything else.
    """
    if given is not None and not isinstance(given, Mapping):
        raise TypeError("input must be a mapping of names to JSON values")


def check_max_steps(count: object) -> None:
    """A limit of steps is an integer or left out.

    Raises:
        TypeError: It is anything else.
    """
    if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
        raise TypeError("max_steps must be an integer")


def check_run_id(run_id: object) -> None:
    """A run's name is text or left out.

    Raises:
        TypeError: It is anything else.
    """
    if run_id is not None and not isinstance(run_id, str):
        raise TypeError("run_id must be a string")


def check_listener(on_event: object) -> None:
    """What is told of events is a plain function: nobody would await a coroutine.

    Raises:
        TypeError: It cannot be called, or what it gives would have to be awaited.
    """
    if on_event is None:
        return
    if not callable(on_event):
        raise TypeError("on_event must be a function that takes an event")
    if any(map(inspect.iscoroutinefunction, (on_event, getattr(on_event, "__call__", None)))):  # noqa: B004
        raise TypeError("on_event must be a plain function: it is never awaited")


def check_invoker(invoker: object) -> None:
    """What calls the tools is a function or has ``invoke_step``.

    Raises:
        TypeError: It is neither.
    """
    if not callable(invoker) and not _has(invoker, "invoke_step"):
        raise TypeError("invoker must be an async function, or an object with invoke_step")


def check_binder(binder: object) -> None:
    """A binder has ``bind``.

    Raises:
        TypeError: It has not.
    """
    if binder is not None and not _has(binder, "bind"):
        raise TypeError("binder must be an object with bind")


def check_clock(clock: object) -> None:
    """A clock has ``now`` and ``sleep``.

    Raises:
        TypeError: It has not.
    """
    if clock is not None and not (_has(clock, "now") and _has(clock, "sleep")):
        raise TypeError("clock must be an object with now and sleep")


def check_memory(memory: object) -> None:
    """A memory is a ``CallMemory`` or left out.

    Raises:
        TypeError: It is anything else.
    """
    if memory is not None and not (_has(memory, "take") and _has(memory, "note")):
        raise TypeError("memory must be a CallMemory")


def _has(given: object, method: str) -> bool:
    return callable(getattr(given, method, None))
