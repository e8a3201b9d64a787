"""Whether a step runs once its dependencies have ended, and which calls that makes."""

from __future__ import annotations

from collections.abc import Callable

from strands_plan_tool.executor.faults import Fault, too_many_items
from strands_plan_tool.executor.line import Line
from strands_plan_tool.executor.progress import Call
from strands_plan_tool.executor.readings import Readings
from strands_plan_tool.executor.stops import Stops
from strands_plan_tool.models import Policy, StepStatus

__all__ = ["Deciding"]


class Deciding:
    """Decides the steps of one run.

    Args:
        course: The steps.
        readings: What evaluates conditions and lists.
        line: Where calls wait for a slot.
        policy: How many items a list may have.
        fail: What fails a step, with all that follows from it.
    """

    def __init__(
        self,
        course: Stops,
        readings: Readings,
        line: Line,
        policy: Policy,
        fail: Callable[[Call, Fault], None],
    ) -> None:
        self._course = course
        self._readings = readings
        self._line = line
        self._policy = policy
        self._fail = fail

    def decide(self, event: int, position: int) -> None:
        """Decide the step that ``next_to_decide`` gave."""
        self._course.decided()
        progress = self._course.steps[position]
        if not progress.taken and not self._is_taken(position):
            return
        step = progress.step.step
        if step.for_each is None:
            self._line.add(event, position)
        elif step.when is not None and not progress.taken:
            # Its list is another evaluation: it comes next, if there is time for it.
            progress.taken = True
            self._course.decide_again(event, position)
        else:
            self._spread(event, position)

    def _is_taken(self, position: int) -> bool:
        """Whether a step runs; if it does not, it ends here."""
        verdict = self._course.verdict(position)
        if verdict is not None:
            self._course.end(position, verdict)
            return False
        step = self._course.steps[position].step
        taken = self._readings.condition(step) if step.step.when is not None else True
        if isinstance(taken, Fault):
            self._fail(Call(position, None), taken)
            return False
        if not taken:
            self._course.end(position, StepStatus.NOT_TAKEN)
        return taken

    def _spread(self, event: int, position: int) -> None:
        """Put a call for each item of the step's list in line."""
        progress = self._course.steps[position]
        items = self._readings.items(progress.step)
        if isinstance(items, Fault):
            self._fail(Call(position, None), items)
        elif len(items) > self._policy.max_items:
            step = progress.step.step
            too_many = too_many_items(step.id, step.for_each or "", len(items), self._policy)
            self._fail(Call(position, None), too_many)
        else:
            progress.items, progress.results = items, [None] * len(items)
            if items:
                self._line.add(event, position)
            else:
                self._course.finish(position)
