"""The order of a run as a machine: reports go in, actions come out, no loop and no clock."""

from __future__ import annotations

from typing import Any

import pytest

from strands_plan_tool.events import EventKind
from strands_plan_tool.executor.actions import Action, Rest, Start, Stop, Turn
from strands_plan_tool.executor.pace import Pace
from strands_plan_tool.executor.progress import Attempt
from strands_plan_tool.executor.readings import ProfileEngine, Readings
from strands_plan_tool.executor.schedule import Schedule
from strands_plan_tool.models import Code, JsonValue, Policy, Retry, StepStatus
from strands_plan_tool.testing import Recorder
from strands_plan_tool.validate import check_plan

CHAIN = {"steps": [{"id": "a", "tool": "t"}, {"id": "b", "tool": "t", "after": ["a"]}]}


class Bench:
    """A schedule with all that it leans on."""

    def __init__(
        self, plan: dict[str, Any], policy: Policy | None = None, pace: Pace | None = None
    ) -> None:
        checked = check_plan({"returns": ["a"], **plan}, policy=policy)
        self.results: dict[str, JsonValue] = {}
        self.told = Recorder()
        readings = Readings(checked, ProfileEngine(checked, self.results, {}))
        self.schedule = Schedule(
            checked, readings, self.results, run_id="r", on_event=self.told, pace=pace
        )

    @property
    def statuses(self) -> list[StepStatus | None]:
        return [progress.status for progress in self.schedule.steps]


def started(actions: list[Action]) -> list[Attempt]:
    return [action.attempt for action in actions if isinstance(action, Start)]


def test_a_result_starts_what_waited_for_it() -> None:
    bench = Bench(CHAIN)
    (first,) = started(bench.schedule.begin(10))
    (second,) = started(bench.schedule.returned(first, {"v": 1}, 11))
    assert second.sent.step_id == "b"
    assert bench.schedule.returned(second, 2, 12.5) == []
    assert bench.schedule.finished
    assert bench.results == {"a": {"v": 1}, "b": 2}
    assert bench.told.timeline == [
        [0, "start", "a"],
        [1000, "ok", "a"],
        [1000, "start", "b"],
        [2500, "ok", "b"],
    ]


def test_a_report_that_comes_late_changes_nothing() -> None:
    bench = Bench({"steps": [{"id": "a", "tool": "t"}, {"id": "b", "tool": "t"}]})
    late, other = started(bench.schedule.begin(0))
    assert bench.schedule.overdue(late, 1) == [Stop(late)]
    for report in (
        bench.schedule.returned(late, 1, 2),
        bench.schedule.raised(late, "too late", 2),
        bench.schedule.overdue(late, 2),
        bench.schedule.rested(late.call, 2),
    ):
        assert report == []
    assert bench.schedule.returned(other, 1, 3) == []
    assert bench.schedule.expired(4) == []
    assert bench.statuses == [StepStatus.FAILED, StepStatus.OK]
    assert bench.schedule.steps[0].fault is not None
    assert bench.schedule.steps[0].fault.code is Code.TIMEOUT


def test_a_failed_attempt_rests_and_starts_again() -> None:
    policy = Policy(retry={"t": Retry(attempts=2, backoff_s=3)})
    bench = Bench({"steps": [{"id": "a", "tool": "t"}]}, policy)
    (first,) = started(bench.schedule.begin(0))
    assert bench.schedule.raised(first, "no", 1) == [Rest(first.call, 3)]
    (second,) = started(bench.schedule.rested(first.call, 4))
    assert (second.sent.attempt, second.sent.key) == (2, first.sent.key)
    assert bench.schedule.rested(first.call, 4) == []
    assert bench.schedule.raised(second, "no", 5) == []
    assert bench.statuses == [StepStatus.FAILED]


def test_the_plan_s_deadline_stops_what_runs() -> None:
    bench = Bench(CHAIN)
    (first,) = started(bench.schedule.begin(0))
    assert bench.schedule.expired(1) == [Stop(first)]
    assert bench.statuses == [StepStatus.FAILED, StepStatus.SKIPPED]


def test_cancelling_tells_of_each_attempt_that_ran_and_ends_no_step() -> None:
    bench = Bench(CHAIN)
    (first,) = started(bench.schedule.begin(0))
    bench.schedule.cancelled(1)
    last = bench.told.events[-1]
    assert (last.kind, last.step_id, last.code) == (EventKind.CANCELLED, "a", Code.CANCELLED)
    assert bench.schedule.returned(first, 1, 2) == []
    assert bench.statuses == [None, None]


@pytest.mark.parametrize("count", [3000])
def test_a_failure_winds_up_a_long_plan_in_one_pass(count: int) -> None:
    steps = [{"id": f"s{n}", "tool": "t"} for n in range(count)]
    bench = Bench({"steps": steps, "returns": ["s0"]}, Policy(max_steps=count))
    first = started(bench.schedule.begin(0))
    assert len(first) == 16
    for attempt in first:
        assert started(bench.schedule.raised(attempt, "no", 1)) == []
    assert bench.statuses == [StepStatus.FAILED] * 16 + [StepStatus.SKIPPED] * (count - 16)


def test_what_was_ready_before_a_turn_stays_ahead_of_what_became_ready_in_it() -> None:
    time = [0.0]

    def now() -> float:
        # So long that only the first evaluation after a turn is within the time.
        time[0] += 0.015
        return time[0]

    pace = Pace(now, None)
    steps = [
        {"id": "late", "tool": "t", "after": ["a"]},
        {"id": "a", "tool": "t"},
        {"id": "b", "tool": "t"},
    ]
    bench = Bench({"steps": steps}, Policy(max_concurrency=1), pace)
    schedule = bench.schedule
    pace.enter()
    assert schedule.begin(0) == [Turn()]
    pace.leave()
    pace.enter()
    assert schedule.resumed(1) == [Turn()]
    pace.leave()
    pace.enter()
    (first,) = started(schedule.resumed(2))
    pace.leave()
    # It ends while a turn is asked for: nothing is evaluated until that is over.
    pace.enter()
    assert schedule.returned(first, 1, 3) == [Turn()]
    pace.leave()
    order = [first.sent.step_id]
    running: Attempt | None = None
    while not schedule.finished:
        pace.enter()
        actions = schedule.resumed(4) if running is None else schedule.returned(running, 1, 4)
        pace.leave()
        running = next(iter(started(actions)), None)
        order += [] if running is None else [running.sent.step_id]
    assert order == ["a", "b", "late"]


def test_a_plan_that_is_over_evaluates_nothing_and_asks_for_no_turn() -> None:
    time = [0.0]
    pace = Pace(lambda: time[0], 5)
    bench = Bench(CHAIN, Policy(plan_timeout_s=5), pace)
    (first,) = started(bench.schedule.begin(0))
    time[0] = 5.0
    # At the very moment the timer is to tell.
    (second,) = started(bench.schedule.returned(first, 1, 5))
    assert second.sent.step_id == "b"
    bench = Bench(CHAIN, Policy(plan_timeout_s=5), pace)
    time[0] = 0.0
    (first,) = started(bench.schedule.begin(0))
    time[0] = 5.5
    assert bench.schedule.returned(first, 1, 5.5) == []
    assert bench.statuses == [StepStatus.OK, StepStatus.SKIPPED]
