"""Trials made by Hypothesis, which makes a find smaller in its own way."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Final

from chase import Chase
from finds import Commands, Find
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from trials import Trial, expression_trial, plan_trials

from strands_plan_tool.testing.generation import Choices
from strands_plan_tool.testing.strategies import made_by

__all__ = ["hunt"]

# In how many surroundings a plan is run, and how many expressions there are at once: what
# Hypothesis takes longest for is to make them.
_RUNS: Final = 4
_EXPRESSIONS: Final = 6
_PATIENCE_S: Final = 5.0


def hunt(
    engines: Commands, *, examples: int, own_seed: int | None, reference: bool
) -> list[Find]:
    """What so many examples find: one of plans and one of expressions at most.

    An example is a plan in a few surroundings, or a few expressions.

    Args:
        own_seed: Another start; without one it is the same at every run.
    """
    makers = (lambda choices: plan_trials(choices, _RUNS), _expression_trials)
    with Chase(engines, reference=reference) as chase:
        found = [_first(chase, maker, examples, own_seed or 0) for maker in makers]
    return [find for find in found if find is not None]


def _expression_trials(choices: Choices) -> list[Trial]:
    """A few expressions, since one is quickly made and tried."""
    trials: list[Trial] = []

    def another() -> Trial | None:
        if len(trials) == _EXPRESSIONS or (trials and not choices.chance(90)):
            return None
        return expression_trial(choices, choices.below(1 << 24))

    while trial := choices.kept(another):
        trials.append(trial)
    return trials


class _Evenly(HypothesisProvider):
    """Takes every decision with one likelihood for each of its ends.

    Of itself Hypothesis begins with the simplest, and makes most examples by changing a part
    of the one before, which finds little where several rare things must meet.
    """

    chance = Random(0)

    def draw_integer(
        self, min_value: int | None = None, max_value: int | None = None, **others: Any
    ) -> int:
        if min_value is None or max_value is None:
            return super().draw_integer(min_value, max_value, **others)
        return self.chance.randint(min_value, max_value)


class _AFindError(Exception):
    """Two engines answer unlike each other."""


class _EnoughError(KeyboardInterrupt):
    """A find has been made smaller for long enough: Hypothesis lets only this through."""


AVAILABLE_PROVIDERS["evenly"] = _Evenly


def _first(
    chase: Chase, maker: Callable[[Choices], list[Trial]], examples: int, own_seed: int
) -> Find | None:
    """The first find of so many examples, made smaller."""
    found: list[Find] = []
    until = math.inf
    _Evenly.chance = Random(own_seed)

    @seed(own_seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        backend="evenly",
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(made_by(maker))
    def both_answer_alike(trials: list[Trial]) -> None:
        nonlocal until
        if time.monotonic() > until:
            raise _EnoughError
        find = chase.differ(trials)
        if find is not None:
            found.append(find)
            until = min(until, time.monotonic() + _PATIENCE_S)
            raise _AFindError

    with suppress(_AFindError, _EnoughError):
        both_answer_alike()
    if not found:
        return None
    return chase.made_smaller(min(found, key=lambda find: len(json.dumps(find.command))))
