"""How each step of a run ends, and who is told: the part of the schedule without a queue."""

from __future__ import annotations

import heapq

from strands_plan_tool.events import EventKind, OnEvent, PlanEvent
from strands_plan_tool.executor.calls import StepCall
from strands_plan_tool.executor.faults import Fault
from strands_plan_tool.executor.progress import Call, Progress, milliseconds
from strands_plan_tool.models import Join, JsonValue, OnError, StepStatus
from strands_plan_tool.validate import CheckedPlan

__all__ = ["Course"]

_KIND_OF = {status: EventKind(status.value) for status in StepStatus}
_ALL_WELL = {StepStatus.OK}
_BARRED = {StepStatus.FAILED, StepStatus.SKIPPED}


class Course:
    """The steps of one run, by position in the document.

    Args:
        plan: A plan that may run.
        results: Where the results of ``ok`` steps go, by step id; empty at first.
        endings: Where the status of each step that has ended goes, by step id.
        run_id: Names the run in events.
        on_event: Told of each event; it must not raise.

    Attributes:
        steps: How far each step is.
        now: The moment of the current event, in seconds of the run's clock.
        event: How many events there were before it.
        began: The moment of the first one.
        open: How many steps have not ended.
    """

    def __init__(
        self,
        plan: CheckedPlan,
        results: dict[str, JsonValue],
        endings: dict[str, StepStatus],
        *,
        run_id: str,
        on_event: OnEvent | None,
    ) -> None:
        self.steps = [Progress(step, len(step.dependencies)) for step in plan.steps]
        self.now = self.began = 0.0
        self.event = 0
        self._elapsed_s = 0.0
        self.open = len(self.steps)
        self._results = results
        self._endings = endings
        self._fails_fast = plan.plan.on_error is OnError.FAIL_FAST
        self._run_id = run_id
        self._on_event = on_event
        positions = {step.step.id: at for at, step in enumerate(plan.steps)}
        self._needs = [[positions[name] for name in s.dependencies] for s in plan.steps]
        self._feeds: list[list[int]] = [[] for _ in plan.steps]
        for position, needs in enumerate(self._needs):
            for need in needs:
                self._feeds[need].append(position)
        # What can be decided: the event that made it so, position of the step.
        self._decidable = [(0, at) for at, step in enumerate(self.steps) if not step.waits_for]

    def resume(self, elapsed_s: float) -> None:
        """Go on with steps that were put where a checkpoint says, before ``begin``."""
        self._elapsed_s = elapsed_s
        for position, progress in enumerate(self.steps):
            if progress.status is None:
                continue
            self._endings[progress.step.step.id] = progress.status
            self.open -= 1
            for fed in self._feeds[position]:
                self.steps[fed].waits_for -= 1
        self._decidable = [
            (0, at)
            for at, step in enumerate(self.steps)
            if step.status is None and not step.waits_for and not step.waiting
        ]

    def begin(self, now: float) -> None:
        """The run starts, or goes on: what it had taken at the pause counts, and no pause."""
        self.now, self.began = now, now - self._elapsed_s
        for progress in self.steps:
            if progress.waiting and progress.began_at is not None:
                progress.began_at += now

    def next_to_decide(self) -> tuple[int, int] | None:
        """The undecided step whose dependencies ended first, with the event of that."""
        while self._decidable and self.steps[self._decidable[0][1]].status is not None:
            heapq.heappop(self._decidable)
        return self._decidable[0] if self._decidable else None

    def decided(self) -> None:
        """What ``next_to_decide`` gave is being decided."""
        heapq.heappop(self._decidable)

    def decide_again(self, event: int, position: int) -> None:
        """It is not decided yet, and still in its place."""
        heapq.heappush(self._decidable, (event, position))

    def verdict(self, position: int) -> StepStatus | None:
        """How a step ends for the sake of its dependencies; ``None`` if it runs."""
        needs = self._needs[position]
        if not needs:
            return None
        ended = {self.steps[need].status for need in needs}
        if ended == _ALL_WELL:
            return None
        if StepStatus.OK in ended and self.steps[position].step.step.join is Join.ANY:
            return None
        return StepStatus.SKIPPED if ended & _BARRED else StepStatus.NOT_TAKEN

    def succeed(self, call: Call, value: JsonValue) -> None:
        """A call has its result."""
        progress = self.steps[call.position]
        if call.index is None:
            self._results[progress.step.step.id] = value
            return
        progress.results[call.index] = value
        progress.ok += 1
        # What was taken from memory has no attempt.
        self.tell(EventKind.OK, progress, index=call.index, attempt=call.attempts or None)

    def fail(self, call: Call, fault: Fault) -> None:
        """A call has failed for good."""
        progress = self.steps[call.position]
        progress.fault = progress.fault or fault
        if call.index is None:
            return
        progress.failed += 1
        progress.item_faults[call.index] = fault
        attempt = call.attempts or None
        self.tell(EventKind.FAILED, progress, fault, index=call.index, attempt=attempt)

    def lasting_fault(self, progress: Progress) -> Fault | None:
        """The fault that a failed step is known by: the first in time, or of lowest index."""
        if self._fails_fast or not progress.item_faults:
            return progress.fault
        return progress.item_faults[min(progress.item_faults)]

    def finish(self, position: int) -> None:
        """End a step of which nothing more runs or will."""
        progress = self.steps[position]
        if progress.items is None:
            self.end(position, StepStatus.FAILED if progress.fault else StepStatus.OK)
        elif progress.fault and (self._fails_fast or not progress.ok):
            progress.fault = self.lasting_fault(progress)
            self.end(position, StepStatus.FAILED)
        elif not progress.complete:
            self.end(position, StepStatus.SKIPPED)
        else:
            progress.fault = None
            self._results[progress.step.step.id] = progress.results
            self.end(position, StepStatus.OK)

    def end(self, position: int, status: StepStatus) -> None:
        """A step has ended; those that wait for it come closer to being decided."""
        progress = self.steps[position]
        progress.status = self._endings[progress.step.step.id] = status
        progress.ended_at = self.now
        self.open -= 1
        self.tell(_KIND_OF[status], progress, progress.fault)
        for fed in self._feeds[position]:
            self.steps[fed].waits_for -= 1
            if not self.steps[fed].waits_for:
                heapq.heappush(self._decidable, (self.event, fed))

    def tell(
        self,
        kind: EventKind,
        progress: Progress,
        fault: Fault | None = None,
        *,
        index: int | None = None,
        attempt: int | None = None,
    ) -> None:
        """Emit an event of this moment."""
        if self._on_event is None:
            return
        self._on_event(
            PlanEvent(
                kind=kind,
                run_id=self._run_id,
                step_id=progress.step.step.id,
                tool=progress.step.step.tool,
                at_ms=milliseconds(self.now - self.began),
                index=index,
                attempt=attempt,
                code=None if fault is None else fault.code,
                error=None if fault is None else fault.message,
            )
        )

    def tell_of(
        self, kind: EventKind, sent: StepCall, position: int, fault: Fault | None
    ) -> None:
        """Emit an event about one attempt."""
        self.tell(kind, self.steps[position], fault, index=sent.index, attempt=sent.attempt)
