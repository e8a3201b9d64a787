"""When each step of a plan starts and what stops it: a state machine without time or tasks.

What happens outside (the start, an attempt that ended, a timer) comes in by a method with
the moment it happened at; what must happen outside (start this attempt, wake this call
later, stop that attempt) goes out as actions, to be carried out in their order. So the
order of everything is settled here, at one place and synchronously.

Between two evaluations it may stop: when the plan's deadline has passed, or to let the event
loop have a turn (``Turn``). What is left to decide and to start waits in its queues, so that
other reports may come in between.

Nothing recurs over steps, and a run costs O(n log n) in steps, dependencies and items.
"""

from __future__ import annotations

from strands_plan_tool.events import EventKind, OnEvent
from strands_plan_tool.executor import faults
from strands_plan_tool.executor.actions import Action, Rest, Start, Stop, Turn
from strands_plan_tool.executor.calls import StepCall, call_key
from strands_plan_tool.executor.deciding import Deciding
from strands_plan_tool.executor.faults import Fault
from strands_plan_tool.executor.line import Line
from strands_plan_tool.executor.pace import Pace
from strands_plan_tool.executor.progress import Attempt, Call, Progress
from strands_plan_tool.executor.readings import Readings
from strands_plan_tool.executor.stops import CANCELLED, Stops
from strands_plan_tool.memory import CallMemory
from strands_plan_tool.models import Code, JsonValue, OnError
from strands_plan_tool.policy import backoff_after, retry_for
from strands_plan_tool.validate import CheckedPlan
from strands_plan_tool.values import ValueFault, copy_out, ingest

__all__ = ["Schedule"]


class Schedule:
    """The order of one run.

    Args:
        plan: A plan that may run.
        readings: What evaluates the plan's expressions over ``results``.
        results: Where the results of ``ok`` steps go, by step id; empty at first.
        run_id: Names the run in calls, keys and events.
        on_event: Told of each event; it must not raise.
        pace: Says when evaluation has to stop; without it, it never does.
        memory: What earlier plans did; what this one does is noted there.

    Attributes:
        steps: How far each step is, in document order.
    """

    def __init__(
        self,
        plan: CheckedPlan,
        readings: Readings,
        results: dict[str, JsonValue],
        *,
        run_id: str,
        on_event: OnEvent | None = None,
        pace: Pace | None = None,
        memory: CallMemory | None = None,
    ) -> None:
        self._course = Stops(plan, readings, results, run_id=run_id, on_event=on_event)
        self.steps = self._course.steps
        self._policy = plan.policy
        self._fails_fast = plan.plan.on_error is OnError.FAIL_FAST
        self._readings = readings
        self._run_id = run_id
        self._line = Line(self.steps)
        self._deciding = Deciding(self._course, readings, self._line, plan.policy, self._fail)
        self._free = plan.policy.max_concurrency
        self._pace = pace
        self._memory = memory
        self._turning = False
        # Whether a call has ever waited for an answer.
        self._asked = False
        self._actions: list[Action] = []

    @property
    def finished(self) -> bool:
        """Whether every step has ended."""
        return not self._course.open

    @property
    def is_over(self) -> bool:
        """Whether every step has ended, or the run has paused."""
        return not self._course.open or (self._asked and self.is_paused)

    @property
    def is_paused(self) -> bool:
        """Whether calls wait for an answer and nothing else is left to happen."""
        return (
            not self._turning
            and not self._line
            and self._free == self._policy.max_concurrency
            and self._course.open > 0
            and not any(progress.resting for progress in self.steps)
        )

    @property
    def span(self) -> tuple[float, float]:
        """The moments of the start, pauses left out, and of the current event."""
        return self._course.began, self._course.now

    def resume(self, elapsed_s: float) -> None:
        """Go on with steps that were put where a checkpoint says, after so many seconds."""
        self._asked = True
        self._course.resume(elapsed_s)

    # What happens outside.

    def begin(self, now: float) -> list[Action]:
        """The run starts, or goes on after a pause."""
        self._course.begin(now)
        if self._pace is not None:
            self._pace.begin(self._course.began)
        if self._asked:
            # The calls that waited are in line before all that follows.
            for progress in self.steps:
                for call in progress.waiting:
                    self._line.add_again(call, 0)
        return self._react()

    def returned(self, attempt: Attempt, value: object, now: float) -> list[Action]:
        """An attempt's tool gave a result; a late one is discarded."""
        if attempt.over:
            return []
        self._note(now)
        self._leave(attempt)
        try:
            kept = ingest(value, integers="exact", max_bytes=self._policy.max_result_bytes)
        except ValueFault as fault:
            if fault.code is Code.RESULT_TOO_LARGE:
                refused = faults.result_too_large(attempt.sent, self._policy)
            else:
                refused = faults.result_is_no_json(attempt.sent, str(fault))
            self._fail(attempt.call, refused)
        else:
            self._succeed(attempt.call, kept, attempt.sent.tool, attempt.noted)
        return self._react()

    def raised(
        self, attempt: Attempt, message: str, now: float, *, denied: bool = False
    ) -> list[Action]:
        """An attempt's tool failed with this message, or somebody refused the call."""
        if attempt.over:
            return []
        self._note(now)
        self._leave(attempt)
        fault = Fault(Code.TOOL_FAILED, message)
        if denied:
            self._fail(attempt.call, fault)
        else:
            self._fail_attempt(attempt, fault)
        return self._react()

    def waited(self, attempt: Attempt, now: float) -> list[Action]:
        """An attempt cannot go on before somebody outside has answered."""
        if attempt.over:
            return []
        self._note(now)
        self._leave(attempt)
        self._asked = True
        call = attempt.call
        self._course.tell_of(EventKind.WAITING, attempt.sent, call.position, None)
        # It was no attempt: the one that follows the answer is.
        call.attempts -= 1
        if self._course.halted:
            self._course.drop(call)
        else:
            self.steps[call.position].waiting[call] = attempt.sent
        return self._react()

    def overdue(self, attempt: Attempt, now: float) -> list[Action]:
        """An attempt's deadline has come."""
        if attempt.over:
            return []
        self._note(now)
        self._leave(attempt)
        self._actions.append(Stop(attempt))
        self._fail_attempt(attempt, faults.step_timed_out(attempt.sent, self._policy))
        return self._react()

    def rested(self, call: Call, now: float) -> list[Action]:
        """A call's backoff is over: it queues again, behind all that wait."""
        if call not in self.steps[call.position].resting:
            return []
        self._note(now)
        self._line.add_again(call, self._course.event)
        return self._react()

    def resumed(self, now: float) -> list[Action]:
        """The loop had its turn: what an event began goes on, and is no new event."""
        self._turning = False
        if self._pace is not None:
            self._pace.turned()
        if self.finished:
            return []
        self._course.now = now
        return self._react()

    def expired(self, now: float) -> list[Action]:
        """The plan's deadline has come: what has begun fails, the rest is skipped."""
        if self.finished:
            return []
        self._expire_all(now)
        return self._react()

    def cancelled(self, now: float) -> None:
        """The run was cancelled, and the running attempts have been stopped."""
        self._note(now)
        self._halt()
        for position, progress in enumerate(self.steps):
            for attempt in progress.running:
                attempt.over = True
                self._course.tell_of(EventKind.CANCELLED, attempt.sent, position, CANCELLED)

    # What follows from it.

    def _note(self, now: float) -> None:
        """A new event, at this moment."""
        self._course.now = now
        self._course.event += 1

    def _react(self) -> list[Action]:
        """Decide what can be decided, then fill a slot, and again until nothing follows."""
        while True:
            ready = self._course.next_to_decide()
            if ready is None and not (self._free and self._line):
                break
            if not self._may_go_on():
                break
            # The plan's deadline may just have come: then nothing is left to do.
            if ready is not None and self.steps[ready[1]].status is None:
                self._deciding.decide(*ready)
            elif self._line:
                self._fill()
        actions, self._actions = self._actions, []
        return actions

    def _may_go_on(self) -> bool:
        """Whether there is time to evaluate; if there is none, see to what is due."""
        if self._pace is None:
            return True
        now = self._pace.now()
        if not self._course.halted and self._pace.is_over(now):
            self._expire_all(now)
        elif self._turning:
            return False
        elif self._pace.wants_turn(now):
            self._turning = True
            self._actions.append(Turn())
            return False
        return True

    def _fill(self) -> None:
        """Give a free slot to what waits longest, if it does not fail before it can start."""
        call = self._line.next()
        progress = self.steps[call.position]
        progress.resting.pop(call, None)
        progress.waiting.pop(call, None)
        items, index = progress.items, call.index
        item = None if items is None or index is None else items[index]
        args = self._readings.arguments(progress.step, item, call.index)
        if isinstance(args, Fault):
            self._fail(call, args)
        elif self._memory is None or not self._memory.keeps(progress.step.step.tool):
            self._start(call, progress, args)
        elif (done := self._memory.take(progress.step.step.tool, args)) is None:
            self._start(call, progress, args, noted=copy_out(args))
        else:
            progress.reused += 1
            self._succeed(call, done.result, done.tool, args)

    def _succeed(
        self, call: Call, value: JsonValue, tool: str, noted: dict[str, JsonValue] | None
    ) -> None:
        """A call has its result, which is remembered with the arguments that are noted."""
        if self._memory is not None and noted is not None:
            self._memory.note(tool, noted, value)
        self._course.succeed(call, value)
        self._course.settle(call.position)

    def _start(
        self,
        call: Call,
        progress: Progress,
        args: dict[str, JsonValue],
        *,
        noted: dict[str, JsonValue] | None = None,
    ) -> None:
        step = progress.step.step
        call.attempts += 1
        sent = StepCall(
            run_id=self._run_id,
            step_id=step.id,
            index=call.index,
            attempt=call.attempts,
            key=call_key(self._run_id, step.id, call.index),
            tool=step.tool,
            args=args,
        )
        attempt = Attempt(call, sent, noted=noted)
        if progress.began_at is None:
            progress.began_at = self._course.now
        progress.running[attempt] = None
        self._free -= 1
        self._course.tell_of(EventKind.START, sent, call.position, None)
        self._actions.append(Start(attempt))

    def _leave(self, attempt: Attempt) -> None:
        """An attempt gives its slot back."""
        attempt.over = True
        del self.steps[attempt.call.position].running[attempt]
        self._free += 1

    # What fails, and what that stops.

    def _fail_attempt(self, attempt: Attempt, fault: Fault) -> None:
        """An attempt failed in a way that a retry could mend."""
        call = attempt.call
        retry = retry_for(self._policy, attempt.sent.tool)
        if self._course.halted or call.attempts >= retry.attempts:
            self._fail(call, fault)
            return
        call.fault = fault
        self.steps[call.position].resting[call] = None
        self._course.tell_of(EventKind.RETRY, attempt.sent, call.position, fault)
        self._actions.append(Rest(call, backoff_after(retry, call.attempts)))

    def _fail(self, call: Call, fault: Fault) -> None:
        """A call, or what had to be read before it, failed for good."""
        self._course.fail(call, fault)
        if not self._fails_fast or self._course.halted:
            self._course.settle(call.position)
            return
        self._halt()
        self._course.stop_for(call.position)

    def _expire_all(self, now: float) -> None:
        """End the run for the plan's timeout."""
        self._note(now)
        self._halt()
        for attempt in self._course.expire():
            attempt.over = True
            self._free += 1
            self._actions.append(Stop(attempt))

    def _halt(self) -> None:
        """From now on nothing starts."""
        self._line.clear()
        self._course.halt()
