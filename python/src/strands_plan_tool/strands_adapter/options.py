"""The host's options, refused at once where a plan would stumble over them later."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from strands_plan_tool.models import JsonValue, Policy
from strands_plan_tool.values import ValueFault, ingest

Input: TypeAlias = (
    Mapping[str, JsonValue] | Callable[[dict[str, Any]], Mapping[str, JsonValue]]
)
"""The host's values, or what makes them from the invocation state of a run."""


def patterns_of(plannable: object) -> tuple[str, ...]:
    """The patterns that say which tools are plannable; one alone may stand without a list.

    Raises:
        TypeError: They are no strings.
    """
    if isinstance(plannable, str):
        return (plannable,)
    patterns = tuple(plannable) if isinstance(plannable, Iterable) else (plannable,)
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise TypeError(
                f"plannable holds {_kind(pattern)}; give tool names or patterns, for example "
                'plannable=["*", "!delete_file"]'
            )
    return patterns


def policy_of(policy: object, max_steps: object) -> Policy:
    """The policy, with a limit of steps of its own if one is given.

    Raises:
        TypeError: It is no policy.
        ValueError: ``max_steps`` is out of range, or no integer.
    """
    if policy is None:
        policy = Policy()
    if not isinstance(policy, Policy):
        raise TypeError(
            f"policy is {_kind(policy)}; give a Policy, for example "
            "policy=Policy(max_concurrency=4)"
        )
    if max_steps is None:
        return policy
    return Policy.model_validate({**dict(policy), "max_steps": max_steps})


def check_input(input: object) -> None:
    """Refuse what is neither plain JSON by name nor a function that makes it.

    Raises:
        TypeError: It is something else, or an async function, which nobody would wait for.
        ValueError: A value is not JSON.
    """
    if callable(input):
        _refuse_async(input, "input")
    elif input is not None:
        taken_in(input)


def check_on_event(on_event: object) -> None:
    """Refuse what cannot be called, and what would have to be awaited.

    Raises:
        TypeError: As said.
    """
    if on_event is not None and not callable(on_event):
        raise TypeError(f"on_event is {_kind(on_event)}; give a function that takes an event")
    _refuse_async(on_event, "on_event")


def taken_in(values: object) -> Mapping[str, JsonValue]:
    """The host's values as plans read them.

    Raises:
        TypeError: They are no mapping of names.
        ValueError: A value is not JSON.
    """
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise TypeError(
            f"input is {_kind(values)}; give a mapping of names to JSON values, or a function "
            "that makes one from the invocation state"
        )
    try:
        taken: dict[str, JsonValue] = ingest(dict(values))
    except ValueFault as fault:
        raise ValueError(f"input is not plain JSON: {fault.message}") from None
    return taken


def _refuse_async(function: object, name: str) -> None:
    called = getattr(function, "__call__", None)  # noqa: B004 - an object's method may be async
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called):
        raise TypeError(
            f"{name} is an async function, and nothing would await it; give a plain one, which "
            "may hand the work to asyncio.create_task"
        )


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
