"""What a schedule wants done outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from strands_plan_tool.executor.progress import Attempt, Call

__all__ = ["Action", "Rest", "Start", "Stop", "Turn"]


@dataclass(slots=True)
class Start:
    """Begin this attempt; set its deadline before that, if the policy has one."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Rest:
    """Report ``rested`` for this call in so many seconds, by a timer even if they are 0."""

    call: Call
    seconds: float


@dataclass(frozen=True, slots=True)
class Stop:
    """Nobody waits for this attempt any more: stop it, if it can be stopped."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Turn:
    """Give the event loop a turn, then report ``resumed``."""


Action: TypeAlias = Start | Rest | Stop | Turn
