"""The Python engine with one fault, as a process that speaks the protocol.

    python conformance/differential/faulty.py NAME

That comparing the engines can fail is shown by engines that are wrong on purpose; the package
itself has none of this.
"""

from __future__ import annotations

import heapq
import re
import sys
from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

from strands_plan_tool import cycles, graph, policy
from strands_plan_tool.evaluate import constructors
from strands_plan_tool.executor import schedule
from strands_plan_tool.executor.course import Course
from strands_plan_tool.executor.readings import Readings
from strands_plan_tool.functions import higher_order, operators, sorting
from strands_plan_tool.models import Retry
from strands_plan_tool.testing import executor
from strands_plan_tool.values import sequences
from strands_plan_tool.values.budget import spend
from strands_plan_tool.wire import json_text, repairs
from strands_plan_tool.wire.fields import Fields

__all__ = ["FAULTS"]


def sort_ties_reversed() -> None:
    """Items that compare as equal change their order."""
    merge_sorted = sorting.merge_sorted

    def merged(items: list[Any], follows: Callable[[Any, Any], bool]) -> list[Any]:
        return merge_sorted(items, lambda left, right: not follows(right, left))

    _put(sorting, "merge_sorted", merged)
    _put(higher_order, "merge_sorted", merged)
    # What sorts without comparing one by one leaves it to the merge sort.
    _put(sorting, "_at_once", lambda *_: None)
    _put(higher_order, "sorted_by", lambda *_: None)


def true_equals_one() -> None:
    """A boolean is a number where values are compared."""
    equal = sequences.equal

    def loosely(left: Any, right: Any) -> bool:
        both = isinstance(left, int | float) and isinstance(right, int | float)
        return equal(left, right) or (both and left == right)

    _put(operators, "equal", loosely)


def level_barrier() -> None:
    """A step waits until every step of a lower level has ended."""

    def next_to_decide(self: Any) -> tuple[int, int] | None:
        undecided = [one.step.level for one in self.steps if one.status is None]
        self.picked = min(
            (
                (event, position)
                for event, position in self._decidable
                if self.steps[position].status is None
                and self.steps[position].step.level == min(undecided)
            ),
            default=None,
        )
        return self.picked  # type: ignore[no-any-return]

    def decided(self: Any) -> None:
        self._decidable.remove(self.picked)
        heapq.heapify(self._decidable)

    _put(Course, "next_to_decide", next_to_decide)
    _put(Course, "decided", decided)


def dropped_null() -> None:
    """An argument that is bound to null is left out."""
    arguments = Readings.arguments

    def without_nulls(self: Readings, *given: Any) -> Any:
        found = arguments(self, *given)
        if not isinstance(found, dict):
            return found
        return {name: value for name, value in found.items() if value is not None}

    _put(Readings, "arguments", without_nulls)


def cycle_from_its_other_end() -> None:
    """A cycle is told from the last of its steps on, and not from the earliest."""
    shortest_cycle = cycles.shortest_cycle

    def from_its_end(*given: Any) -> list[int]:
        *others, last = shortest_cycle(*given)
        return [last, *others]

    _put(graph, "shortest_cycle", from_its_end)


def lost_failed_item() -> None:
    """A failed item leaves no null in the result."""
    finish = Course.finish

    def lossy(self: Any, position: int) -> None:
        progress = self.steps[position]
        if progress.failed:
            progress.results = [result for result in progress.results if result is not None]
        finish(self, position)

    _put(Course, "finish", lossy)


def step_count_off_by_one() -> None:
    """A range takes a step more."""
    numbers_from = operators.numbers_from

    def dearer(state: Any, first: Any, last: Any) -> Any:
        spend(state, 1)
        return numbers_from(state, first, last)

    _put(constructors, "numbers_from", dearer)


def repair_of_its_own() -> None:
    """A comma behind the last item of JSON text is overlooked, which no repair allows."""

    def lenient(text: str) -> Any:
        return json_text.loads(re.sub(r",(\s*[}\]])", r"\1", text))

    _put(repairs, "loads", lenient)


def retry_too_many() -> None:
    """A call that may be tried again is tried once more than the policy says."""
    retry_for = policy.retry_for

    def patient(*given: Any) -> Retry:
        retry = retry_for(*given)
        more = {"attempts": retry.attempts + 1}
        return retry.model_copy(update=more) if retry.attempts > 1 else retry

    _put(schedule, "retry_for", patient)


def wording_of_a_hint() -> None:
    """The hint for an unknown field has another word."""
    removed = Fields._removed
    _put(Fields, "_removed", lambda self, name: removed(self, name).replace("remove", "drop"))


def _put(holder: Any, name: str, value: Any) -> None:
    """Take the place of something that is there, for as long as the process lives."""
    patch.object(holder, name, value).start()


FAULTS: Final[dict[str, Callable[[], None]]] = {
    fault.__name__.replace("_", "-"): fault
    for fault in (
        sort_ties_reversed,
        true_equals_one,
        level_barrier,
        dropped_null,
        cycle_from_its_other_end,
        lost_failed_item,
        step_count_off_by_one,
        repair_of_its_own,
        retry_too_many,
        wording_of_a_hint,
    )
}
"""What may be wrong, by name."""


if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    executor.main()
