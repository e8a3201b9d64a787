"""What a run tells while it goes on."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from strands_plan_tool.events import EventKind, PlanEvent
from strands_plan_tool.executor import execute_plan
from strands_plan_tool.models import Code, PlanResult, Policy, Retry
from strands_plan_tool.testing import Recorder, StubTools, VirtualClock

PLAN = {
    "steps": [
        {"id": "a", "tool": "flaky"},
        {"id": "f", "tool": "t", "for_each": "[1, 2]", "bind": {"n": "item"}},
        {"id": "b", "tool": "t", "after": ["a"], "when": "1 = 2"},
    ],
    "returns": ["a"],
    "on_error": "continue",
}
TOOLS: dict[str, dict[str, Any]] = {
    "flaky": {"returns": 1, "takes_ms": 10, "fails_first": 1, "fails": "not yet"},
    "t": {
        "by_args": [
            {"args": {"n": 1}, "returns": 1, "takes_ms": 1.5},
            {"args": {"n": 2}, "fails": "two is bad", "takes_ms": 2},
        ]
    },
}
POLICY = Policy(retry={"flaky": Retry(attempts=2, backoff_s=1)})


def run(on_event: object) -> PlanResult:
    clock = VirtualClock()
    return clock.run(
        execute_plan(
            PLAN,
            StubTools(TOOLS, clock=clock),
            policy=POLICY,
            run_id="r",
            on_event=on_event,  # type: ignore[arg-type]
            clock=clock,
        )
    )


def event(kind: EventKind, step_id: str, tool: str, at_ms: float, **more: object) -> PlanEvent:
    return PlanEvent(
        kind=kind,
        run_id="r",
        step_id=step_id,
        tool=tool,
        at_ms=at_ms,
        **more,  # type: ignore[arg-type]
    )


def test_every_start_and_end_is_told_in_order_with_what_it_is_about() -> None:
    recorder = Recorder()
    run(recorder)
    two = {"code": Code.TOOL_FAILED, "error": "two is bad"}
    not_yet = {"code": Code.TOOL_FAILED, "error": "not yet"}
    assert recorder.events == [
        event(EventKind.START, "a", "flaky", 0, attempt=1),
        event(EventKind.START, "f", "t", 0, index=0, attempt=1),
        event(EventKind.START, "f", "t", 0, index=1, attempt=1),
        event(EventKind.OK, "f", "t", 1.5, index=0, attempt=1),
        event(EventKind.FAILED, "f", "t", 2, index=1, attempt=1, **two),
        event(EventKind.OK, "f", "t", 2),
        event(EventKind.RETRY, "a", "flaky", 10, attempt=1, **not_yet),
        event(EventKind.START, "a", "flaky", 1010, attempt=2),
        event(EventKind.OK, "a", "flaky", 1020),
        event(EventKind.NOT_TAKEN, "b", "t", 1020),
    ]
    assert recorder.timeline[3:6] == [
        [1.5, "ok", "f", 0],
        [2, "failed", "f", 1],
        [2, "ok", "f"],
    ]


def test_a_callback_that_raises_loses_neither_the_run_nor_later_events(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[PlanEvent] = []

    def fails(event: PlanEvent) -> None:
        seen.append(event)
        raise RuntimeError("the progress bar is gone")

    with caplog.at_level(logging.ERROR, logger="strands_plan_tool"):
        result = run(fails)
    told, quiet = Recorder(), run(None)
    assert result == run(told) == quiet
    assert seen == told.events
    assert [record.name for record in caplog.records] == ["strands_plan_tool"]
    assert "the progress bar is gone" in caplog.text


def test_a_callback_may_end_the_run_by_what_is_no_exception() -> None:
    class Stop(BaseException):
        pass

    def stops(event: PlanEvent) -> None:
        if event.kind is EventKind.RETRY:
            raise Stop

    with pytest.raises(Stop):
        run(stops)
