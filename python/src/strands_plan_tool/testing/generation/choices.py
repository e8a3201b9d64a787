"""Where the decisions of a maker come from."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Choices", "SeededChoices"]

Item = TypeVar("Item")


class Choices(ABC):
    """Decisions, each a number below another; the smaller the number, the simpler."""

    @abstractmethod
    def below(self, count: int) -> int:
        """A number from 0 to one less than the count."""

    def between(self, least: int, most: int) -> int:
        """A number from the least to the most, both included."""
        return least + self.below(most - least + 1)

    def chance(self, percent: int) -> bool:
        """True so many times of a hundred; false is the simpler."""
        return self.below(100) >= 100 - percent

    def pick(self, among: Sequence[Item]) -> Item:
        """One of them; the first is the simplest."""
        return among[self.below(len(among))]

    def some(self, among: Sequence[Item], most: int) -> list[Item]:
        """Up to so many of them, none twice, in their order."""
        count = self.below(min(most, len(among)) + 1)
        left = list(range(len(among)))
        taken = sorted(left.pop(self.below(len(left))) for _ in range(count))
        return [among[at] for at in taken]


class SeededChoices(Choices):
    """Decisions of a seed: the same for the same seed, on every machine.

    Args:
        seed: Any number.
    """

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random

    def below(self, count: int) -> int:
        return int(self._next() * count)
