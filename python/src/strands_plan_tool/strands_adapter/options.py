"""The host's options, refused at once where a plan would stumble over them later."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias, cast

from strands_plan_tool.events import OnEvent
from strands_plan_tool.models import JsonValue, Policy
from strands_plan_tool.validate.host_checks import (
    check_listener,
    check_max_steps,
    check_policy,
)
from strands_plan_tool.values import ValueFault, ingest

Approvals: TypeAlias = Literal["pause", "refuse"]
"""What becomes of a step that needs a person's answer: the plan waits, or the step fails."""

Input: TypeAlias = Mapping[str, JsonValue] | Callable[[dict[str, Any]], Mapping[str, JsonValue]]
"""The host's values, or what makes them from the invocation state of a run."""


def patterns_of(given: Iterable[str], option: str = "plannable") -> tuple[str, ...]:
    """The patterns that say which tools are meant; one alone may stand without a list.

    Args:
        given: The patterns.
        option: What they were given as.

    Raises:
        TypeError: They are no strings.
    """
    if isinstance(given, str):
        return (given,)
    patterns = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise TypeError(
            f'{option} must be a list of tool names and patterns, such as ["*", "!delete_file"]'
        )
    return patterns


def approvals_of(approvals: str) -> Approvals:
    """What becomes of a step that needs a person's answer.

    Raises:
        ValueError: It is neither ``pause`` nor ``refuse``.
    """
    if approvals in ("pause", "refuse"):
        return cast("Approvals", approvals)
    raise ValueError('approvals must be "pause" or "refuse"')


def approve_plan_of(approve_plan: bool, approvals: Approvals) -> bool:
    """Whether each plan is shown to a person first.

    Raises:
        TypeError: It is no boolean.
        ValueError: Plans are not to wait for a person.
    """
    if not isinstance(approve_plan, bool):
        raise TypeError("approve_plan must be True or False")
    if approve_plan and approvals == "refuse":
        raise ValueError('approve_plan=True needs approvals="pause": a plan waits for approval')
    return approve_plan


def policy_of(policy: Policy | None, max_steps: int | None) -> Policy:
    """The policy, with a limit of steps of its own if one is given.

    Raises:
        TypeError: One of them is something else.
        ValueError: The limit is out of range.
    """
    check_policy(policy)
    check_max_steps(max_steps)
    policy = policy or Policy()
    return policy if max_steps is None else Policy(**{**dict(policy), "max_steps": max_steps})


def listener_of(on_event: OnEvent | None) -> OnEvent | None:
    """What is told of events.

    Raises:
        TypeError: It cannot be called, or would have to be awaited.
    """
    check_listener(on_event)
    return on_event


def input_of(given: Input | None) -> Input | None:
    """The host's values, or the function that makes them.

    Raises:
        TypeError: It is something else, or an async function, which nobody would await.
        ValueError: A value is not JSON.
    """
    if given is None:
        return None
    if not callable(given):
        # Read anew in each run: the host may change its values in between.
        taken_in(given)
        return given
    called = getattr(given, "__call__", None)  # noqa: B004 - an object's method may be async
    if inspect.iscoroutinefunction(given) or inspect.iscoroutinefunction(called):
        raise TypeError("input must be a plain function: it is never awaited")
    return given


def taken_in(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The host's values as plans read them: a copy that nobody else can change.

    Raises:
        TypeError: They are no mapping of names.
        ValueError: A value is not JSON.
    """
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise TypeError(
            "input must be a mapping of names to JSON values, or a function that makes one "
            "from the invocation state"
        )
    try:
        taken: dict[str, JsonValue] = ingest(dict(values))
    except ValueFault as fault:
        raise ValueError(f"input must be plain JSON: {fault.message}") from None
    return taken
