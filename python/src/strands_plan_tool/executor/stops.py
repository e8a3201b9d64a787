"""What is stopped before its time: by a failure, the plan's deadline, a cancellation."""

from __future__ import annotations

from strands_plan_tool.events import OnEvent
from strands_plan_tool.executor import faults
from strands_plan_tool.executor.course import Course
from strands_plan_tool.executor.faults import Fault
from strands_plan_tool.executor.progress import Attempt, Call, Progress
from strands_plan_tool.executor.readings import Readings
from strands_plan_tool.models import Code, JsonValue, StepStatus
from strands_plan_tool.validate import CheckedPlan

__all__ = ["CANCELLED", "Stops"]

CANCELLED = Fault(Code.CANCELLED, "the run was cancelled")


class Stops(Course):
    """The steps of one run, and how those end that may not go on.

    Args:
        plan: A plan that may run.
        readings: Is kept up with how steps ended.
        results: See ``Course``.
        run_id: See ``Course``.
        on_event: See ``Course``.

    Attributes:
        halted: Whether nothing starts any more.
    """

    def __init__(
        self,
        plan: CheckedPlan,
        readings: Readings,
        results: dict[str, JsonValue],
        *,
        run_id: str,
        on_event: OnEvent | None,
    ) -> None:
        super().__init__(plan, results, readings.endings, run_id=run_id, on_event=on_event)
        self.halted = False
        self._policy = plan.policy

    def settle(self, position: int) -> None:
        """End a step if nothing of it runs, rests or is left to start."""
        progress = self.steps[position]
        if not progress.busy and (self.halted or progress.complete):
            self.finish(position)

    def halt(self) -> None:
        """From now on nothing starts; calls that wait for an answer are dropped."""
        self.halted = True
        for progress in self.steps:
            if not progress.waiting:
                continue
            for call in progress.waiting:
                # It was tried before, so that it has not only waited.
                if call.fault is not None:
                    progress.resting[call] = None
            progress.waiting.clear()
            _begin_not(progress)

    def stop_for(self, position: int) -> None:
        """The failure of this step stops the plan, which is halted already."""
        self._wind_up(position)
        self.skip_unbegun()
        for other, progress in enumerate(self.steps):
            if progress.status is None:
                self._wind_up(other)

    def drop(self, call: Call) -> None:
        """A call would wait for an answer although the plan is halted."""
        progress = self.steps[call.position]
        if call.fault is not None:
            self.fail(call, call.fault)
        else:
            _begin_not(progress)
        if progress.unbegun:
            self.end(call.position, StepStatus.SKIPPED)
        else:
            self.settle(call.position)

    def skip_unbegun(self) -> None:
        """Skip every step of which no call was carried out."""
        for position, progress in enumerate(self.steps):
            if progress.unbegun:
                self.end(position, StepStatus.SKIPPED)

    def expire(self) -> list[Attempt]:
        """End every step for the plan's timeout; the plan is halted already.

        Returns:
            The attempts that nobody waits for any more.
        """
        stopped: list[Attempt] = []
        for position, progress in enumerate(self.steps):
            if progress.status is None and not progress.unbegun:
                stopped += self._expire(position, progress)
        self.skip_unbegun()
        return stopped

    def _wind_up(self, position: int) -> None:
        """Fail the calls that wait to be tried again, and end the step if none runs."""
        progress = self.steps[position]
        for call in sorted(progress.resting, key=_index_of):
            self.fail(call, call.fault or CANCELLED)
        progress.resting.clear()
        self.settle(position)

    def _expire(self, position: int, progress: Progress) -> list[Attempt]:
        """Fail a begun step for the plan's timeout."""
        timeout = faults.plan_timed_out(progress.step.step.id, self._policy)
        known = self.lasting_fault(progress)
        stopped = [*progress.running]
        calls = [*(attempt.call for attempt in stopped), *progress.resting]
        progress.running.clear()
        progress.resting.clear()
        for call in sorted(calls, key=_index_of):
            self.fail(call, timeout)
        progress.fault = known or timeout
        self.end(position, StepStatus.FAILED)
        return stopped


def _begin_not(progress: Progress) -> None:
    """A step of which every call only waited, or was taken from memory, has not begun."""
    if not progress.busy and not progress.failed and progress.ok == progress.reused:
        progress.began_at = None


def _index_of(call: Call) -> int:
    return call.index or 0
