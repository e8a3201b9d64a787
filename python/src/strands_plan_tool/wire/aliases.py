"""What fields of plans and steps are called elsewhere, and what they hold if they are meant.

Names are folded: in lower case, without signs. A name that has several fields stands in
the order in which they are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

__all__ = [
    "PLAN_NAMES",
    "STEP_NAMES",
    "STORED",
    "THE_HOSTS",
    "Alias",
    "are_ids",
    "is_expression",
]

_SPACE: Final = " \t\n\r"


def _is_object(value: object) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, str) and value.lstrip(_SPACE)[:1] == "{"
    )


def _is_list(value: object) -> bool:
    if isinstance(value, dict):
        return "id" in value or "tool" in value
    return isinstance(value, list) or (
        isinstance(value, str) and value.lstrip(_SPACE)[:1] == "["
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_condition(value: object) -> bool:
    return _is_text(value) or isinstance(value, bool)


def _is_source(value: object) -> bool:
    return _is_text(value) or isinstance(value, list)


def are_ids(value: object) -> bool:
    names = value if isinstance(value, list) else [value]
    return all(isinstance(name, str) and name != "" for name in names)


def is_expression(value: object) -> bool:
    return isinstance(value, str) and ("steps" in value or "$" in value)


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


class Alias(NamedTuple):
    """A field's other names, and what one must hold to be meant for it."""

    field: str
    fits: Callable[[object], bool]
    names: str


_OF_STEPS: Final = (
    Alias(
        "args",
        _is_object,
        "arguments argument params param parameters parameter input inputs kwargs toolinput "
        "toolargs toolarguments toolparams payload with",
    ),
    Alias("bind", _is_object, "bindings binding binds expressions mapping mappings"),
    Alias("when", _is_condition, "condition conditions if where onlyif runif guard"),
    Alias("for_each", _is_source, "foreach each loop map for forloop over items iterate"),
    Alias(
        "after",
        are_ids,
        "needs need requires require dependencies dependency dependson depends deps waitfor "
        "waitsfor prerequisites runafter",
    ),
    Alias("tool", _is_text, "function action toolname functionname call uses method"),
    Alias("id", _is_name, "name stepid step stepname"),
    Alias("tool", _is_text, "name"),
)
_OF_PLANS: Final = (
    Alias("steps", _is_list, "tasks task plan actions workflow nodes calls toolcalls step"),
    Alias(
        "returns",
        are_ids,
        "return result results returned returnsteps outputs answer "
        "finalanswer finalresult finaloutput",
    ),
    Alias(
        "output",
        is_expression,
        "return result results returned outputs answer response "
        "finalanswer finalresult finaloutput",
    ),
)


def _by_name(aliases: tuple[Alias, ...]) -> dict[str, list[Alias]]:
    table: dict[str, list[Alias]] = {}
    for alias in aliases:
        for name in alias.names.split():
            table.setdefault(name, []).append(alias)
    return table


STEP_NAMES: Final = _by_name(_OF_STEPS)
PLAN_NAMES: Final = _by_name(_OF_PLANS)

_STORED: Final = (
    "output outputs outputkey outputvar outputas result results resultkey returns saveas as "
    "store storeas assign assignto variable var"
)
STORED: Final = frozenset(_STORED.split())
"""Where other formats keep the result of a step."""

_THE_HOSTS: Final = (
    "retry retries maxretries timeout timeouts timeoutms backoff maxattempts attempts parallel "
    "concurrency maxconcurrency maxparallel maxsteps"
)
THE_HOSTS: Final = frozenset(_THE_HOSTS.split())
"""What other formats let a plan say and is the policy's here."""
