"""Trials made by Hypothesis, which makes a find smaller in its own way."""

from __future__ import annotations

from collections.abc import Callable

from chase import Chase
from finds import Commands, Find
from hypothesis import HealthCheck, Phase, given, seed, settings
from trials import Trial, expression_trial, plan_trial

from strands_plan_tool.testing.generation import Choices
from strands_plan_tool.testing.strategies import made_by

__all__ = ["hunt"]


def hunt(
    engines: Commands, *, examples: int, own_seed: int | None, reference: bool
) -> list[Find]:
    """What so many examples of plans, and as many of expressions, find: one each at most.

    Args:
        own_seed: Another start; without one it is the same at every run.
    """
    makers: list[Callable[[Choices], Trial]] = [
        plan_trial,
        lambda choices: expression_trial(choices, choices.below(1 << 32)),
    ]
    found = []
    with Chase(engines, reference=reference) as chase:
        for maker in makers:
            find = _first(chase, maker, examples, own_seed)
            if find is not None:
                found.append(chase.made_smaller(find))
    return found


def _first(
    chase: Chase, maker: Callable[[Choices], Trial], examples: int, own_seed: int | None
) -> Find | None:
    found: list[Find] = []

    @settings(
        max_examples=examples,
        derandomize=own_seed is None,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(made_by(maker))
    def both_answer_alike(trial: Trial) -> None:
        find = chase.differ(trial)
        if find is not None:
            found.append(find)
            raise AssertionError(find.place)

    test = both_answer_alike if own_seed is None else seed(own_seed)(both_answer_alike)
    try:
        test()
    except AssertionError:
        # Hypothesis tries its smallest example once more in the end.
        return found[-1]
    return None
