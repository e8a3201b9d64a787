"""Where the decisions of a maker come from."""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

__all__ = ["Choices", "FirstChoices", "SeededChoices"]

Item = TypeVar("Item")

_TEXTS: Final = (
    "",
    "a",
    "abc",
    "A",
    "0",
    "10",
    "a1",
    "x y",
    "a-b",
    "a_b",
    "A1B2",
    "2024-02-29",
)


class Choices(ABC):
    """Decisions, each a number below another; the smaller the number, the simpler."""

    @abstractmethod
    def _below(self, count: int) -> int:
        """A number from 0 to one less than the count, which is 2 or more."""

    def below(self, count: int) -> int:
        """A number from 0 to one less than the count."""
        return self._below(count) if count > 1 else 0

    def between(self, least: int, most: int) -> int:
        """A number from the least to the most, both included."""
        return least + self.below(most - least + 1)

    def chance(self, percent: int) -> bool:
        """True so many times of a hundred; false is the simpler."""
        return self.below(100) >= 100 - percent

    def one_of(self, *shares: tuple[int, Item]) -> Item:
        """One of several, each so many times as its share says; the first is the simplest."""
        at = self.below(sum(share for share, _ in shares))
        for share, item in shares:
            at -= share
            if at < 0:
                return item
        raise ValueError("there is nothing to choose from")

    def part(self, make: Callable[[], Item]) -> Item:
        """What is made, as a part that can be left out as a whole."""
        return make()

    def kept(self, make: Callable[[], Item]) -> Item:
        """What is made in a turn of a loop; a turn can be left out as if it had not been.

        What is made changes nothing that another turn knows of.
        """
        return make()

    def pick(self, among: Sequence[Item]) -> Item:
        """One of them; the first is the simplest."""
        return among[self.below(len(among))]

    def some(self, among: Sequence[Item], most: int) -> list[Item]:
        """Up to so many of them, none twice, in their order."""
        count = self.below(min(most, len(among)) + 1)
        left = list(range(len(among)))
        taken = sorted(left.pop(self.below(len(left))) for _ in range(count))
        return [among[at] for at in taken]

    def matching(self, pattern: str) -> str:
        """A text that may have a match of a regular expression: one of a few known."""
        found = [text for text in _TEXTS if re.search(pattern, text)]
        return self.pick(found or _TEXTS)


class SeededChoices(Choices):
    """Decisions of a seed: the same for the same seed, on every machine.

    Args:
        seed: Any number.
    """

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random

    def _below(self, count: int) -> int:
        return int(self._next() * count)


class FirstChoices(Choices):
    """Always the simplest."""

    def _below(self, count: int) -> int:
        return 0
