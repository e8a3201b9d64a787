"""What a host's policy says about one tool: how it may be retried, and what it does.

The policy itself is data (``models.Policy``). Its ``retry`` and ``effects`` are keyed by a
tool's name or by a pattern, in which ``*`` stands for any run of characters. Objects have no
order, so of several patterns that fit, the one with the most literal characters counts, and
of equals the first by code point.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

from strands_plan_tool.models import Effect, Policy, Retry

__all__ = ["ONCE", "backoff_after", "effect_of", "matches", "retry_for"]

Entry = TypeVar("Entry")

ONCE: Final = Retry(attempts=1)
"""How a tool is called that is never retried."""

_MOST_DOUBLINGS: Final = 60


def effect_of(policy: Policy, tool: str) -> Effect | None:
    """What the host declares a tool to do; ``None`` for a tool it does not declare."""
    return policy.effects.get(tool) or _by_pattern(policy.effects, tool)


def retry_for(policy: Policy, tool: str) -> Retry:
    """How often a tool may be called in all, and how long to wait in between.

    A tool that may write, which is one not declared ``read``, is retried only if ``retry``
    has its very name: a pattern says too little to repeat an effect.
    """
    named = policy.retry.get(tool)
    if named is not None:
        return named
    if not policy.retry or effect_of(policy, tool) is not Effect.READ:
        return ONCE
    return _by_pattern(policy.retry, tool) or ONCE


def backoff_after(retry: Retry, attempt: int) -> float:
    """Seconds between a failed attempt (from 1) and the next: doubling, without jitter."""
    # Beyond that the wait is longer than any run, and a double would overflow in the end.
    return float(retry.backoff_s) * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS)


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern; ``*`` is any run of characters and all else is itself."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == name
    *middle, last = rest
    if len(name) < len(first) + len(last) or not (
        name.startswith(first) and name.endswith(last)
    ):
        return False
    at, end = len(first), len(name) - len(last)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _by_pattern(table: Mapping[str, Entry], tool: str) -> Entry | None:
    fitting = [key for key in table if "*" in key and matches(key, tool)]
    if not fitting:
        return None
    return table[min(fitting, key=lambda key: (key.count("*") - len(key), key))]
