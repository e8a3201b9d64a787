"""Levels and cycles of a graph whose steps are numbers and whose edges are dependencies.

All of it is linear and nothing recurses: a chain of ten thousand is a plan like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

__all__ = ["Dependencies", "components", "levels_of_graph", "shortest_cycle"]

Dependencies: TypeAlias = Sequence[tuple[int, ...]]
"""For each step the steps that it waits for, ascending."""


def levels_of_graph(dependencies: Dependencies) -> tuple[list[int], list[int]]:
    """The level of each step, and the steps that never become ready."""
    waiting = [len(each) for each in dependencies]
    # The readers of a step stand in one list, from its start to that of the next step.
    starts = [0] * (len(dependencies) + 1)
    for each in dependencies:
        for target in each:
            starts[target] += 1
    starts = list(accumulate(starts))
    readers = [0] * starts[-1]
    for step in range(len(dependencies) - 1, -1, -1):
        for target in dependencies[step]:
            starts[target] -= 1
            readers[starts[target]] = step
    levels = [0] * len(dependencies)
    ready = deque(step for step, count in enumerate(waiting) if count == 0)
    while ready:
        step = ready.popleft()
        for reader in readers[starts[step] : starts[step + 1]]:
            if levels[reader] <= levels[step]:
                levels[reader] = levels[step] + 1
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready.append(reader)
    return levels, [step for step, count in enumerate(waiting) if count > 0]


def components(dependencies: Dependencies, steps: Sequence[int]) -> list[frozenset[int]]:
    """The strongly connected components of more than one step (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[frozenset[int]] = []
    for root in steps:
        if root in index:
            continue
        work = [(root, iter(dependencies[root]))]
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        while work:
            step, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    path.append(target)
                    on_path.add(target)
                    work.append((target, iter(dependencies[target])))
                    break
                if target in on_path:
                    low[step] = min(low[step], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[step])
                if low[step] == index[step]:
                    at = _last_index(path, step)
                    members = path[at:]
                    del path[at:]
                    on_path.difference_update(members)
                    if len(members) > 1:
                        found.append(frozenset(members))
    return found


def _last_index(path: Sequence[int], step: int) -> int:
    at = len(path) - 1
    while path[at] != step:
        at -= 1
    return at


def shortest_cycle(dependencies: Dependencies, start: int, group: frozenset[int]) -> list[int]:
    """The shortest way from a step along dependencies back to it, ties to earlier ones."""
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        step = queue.popleft()
        for target in dependencies[step]:
            if target == start:
                way = [step]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if target in group and target not in came:
                came[target] = step
                queue.append(target)
    raise AssertionError("a component has a cycle through each of its steps")
