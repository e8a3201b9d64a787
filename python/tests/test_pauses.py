"""Runs that wait for an answer from outside, and go on from where they stood."""

from __future__ import annotations

import asyncio
import json
import pickle
import random
from collections.abc import Mapping
from typing import Any

import pytest

from strands_plan_tool import (
    Checkpoint,
    PlanEvent,
    PlanPaused,
    PlanResult,
    Policy,
    StepCall,
    StepPaused,
    ToolDeniedError,
    execute_plan,
    plan_hash,
)
from strands_plan_tool.models import JsonValue, WorkflowPlan
from strands_plan_tool.testing import Recorder, StubTools, VirtualClock
from strands_plan_tool.testing.tools import call_name

PLAN: dict[str, Any] = {
    "steps": [
        {"id": "find", "tool": "find"},
        {"id": "pay", "tool": "pay", "bind": {"to": "steps.find.to"}},
    ],
    "returns": ["pay"],
}
TOOLS: dict[str, Any] = {
    "find": {"returns": {"to": "ann"}, "takes_ms": 10},
    "pay": {"returns": "paid", "gate": True, "takes_ms": 20},
}
HASH = plan_hash(WorkflowPlan.model_validate(PLAN))


def run(
    plan: Any,
    tools: StubTools,
    clock: VirtualClock,
    *,
    answers: Mapping[str, bool | str] | None = None,
    **options: Any,
) -> PlanResult:
    """One round."""
    tools.answers = dict(answers or {})
    return clock.run(execute_plan(plan, tools, clock=clock, **options))


def paused(plan: Any, tools: StubTools, clock: VirtualClock, **options: Any) -> PlanPaused:
    """What a round raises that pauses."""
    with pytest.raises(PlanPaused) as seen:
        run(plan, tools, clock, **options)
    return seen.value


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def tools(clock: VirtualClock) -> StubTools:
    return StubTools(TOOLS, clock=clock)


def test_a_checkpoint_is_plain_json_without_defaults(
    tools: StubTools, clock: VirtualClock
) -> None:
    pause = paused(PLAN, tools, clock, run_id="r1")
    assert pause.checkpoint.model_dump(mode="json", exclude_defaults=True) == {
        "version": 1,
        "plan": HASH,
        "run_id": "r1",
        "elapsed_ms": 10,
        "steps": {
            "find": {"status": "ok", "result": {"to": "ann"}, "duration_ms": 10},
            "pay": {"waiting": [{"attempt": 1}]},
        },
    }


def test_a_half_done_list_holds_its_ended_items(clock: VirtualClock) -> None:
    by_args = [
        {"args": {"to": 1}, "returns": None},
        {"args": {"to": 2}, "returns": 2, "gate": True},
        {"args": {"to": 3}, "fails": "gone"},
    ]
    plan = {
        "steps": [
            {"id": "mail", "tool": "mail", "for_each": "input.ids", "bind": {"to": "item"}}
        ],
        "returns": ["mail"],
        "on_error": "continue",
    }
    tools = StubTools({"mail": {"by_args": by_args, "takes_ms": 5}}, clock=clock)
    pause = paused(plan, tools, clock, run_id="r1", input={"ids": [1, 2, 3]})
    written = pause.checkpoint.model_dump(mode="json", exclude_defaults=True)
    assert written["input"] == {"ids": [1, 2, 3]}
    assert written["steps"] == {
        "mail": {
            "duration_ms": 5,
            "counts": {"total": 3, "ok": 1, "failed": 1},
            "items": [{"index": 0}, {"index": 2, "code": "tool_failed", "error": "gone"}],
            "waiting": [{"index": 1, "attempt": 1}],
        }
    }


def test_a_pause_tells_the_calls_that_wait(tools: StubTools, clock: VirtualClock) -> None:
    pause = paused(PLAN, tools, clock, run_id="r1")
    key = tools.calls[1].key
    assert pause.waiting == (
        StepCall(
            run_id="r1", step_id="pay", index=None, attempt=1, key=key, tool="pay",
            args={"to": "ann"},
        ),
    )  # fmt: skip
    assert str(pause) == "the plan is paused: 1 call waits for an answer"


def test_a_pause_survives_pickling(tools: StubTools, clock: VirtualClock) -> None:
    pause = paused(PLAN, tools, clock)
    again = pickle.loads(pickle.dumps(pause))
    assert (again.checkpoint, again.waiting, str(again)) == (
        pause.checkpoint,
        pause.waiting,
        str(pause),
    )


def test_a_run_goes_on_from_a_model_a_mapping_and_json(
    tools: StubTools, clock: VirtualClock
) -> None:
    kept = paused(PLAN, tools, clock).checkpoint
    forms = [kept, kept.model_dump(), json.loads(kept.model_dump_json())]
    results = [run(PLAN, tools, clock, resume=form, answers={"pay": True}) for form in forms]
    assert [result.returned for result in results] == [{"pay": "paid"}] * 3
    assert [call.step_id for call in tools.calls] == ["find", "pay", "pay", "pay", "pay"]


def test_the_input_and_the_run_id_are_those_of_the_checkpoint(clock: VirtualClock) -> None:
    plan = {
        "steps": [{"id": "pay", "tool": "pay", "bind": {"to": "input.to"}}],
        "returns": ["pay"],
    }
    tools = StubTools(TOOLS | {"pay": {"echo": True, "gate": True}}, clock=clock)
    kept = paused(plan, tools, clock, run_id="r1", input={"to": "ann"}).checkpoint
    result = run(
        plan, tools, clock,
        resume=kept, run_id="r2", input={"to": "bob", "more": 1}, answers={"pay": True},
    )  # fmt: skip
    assert result.returned == {"pay": {"to": "ann"}}
    assert {(call.run_id, call.key) for call in tools.calls} == {("r1", tools.calls[0].key)}


def test_a_checkpoint_shares_nothing_with_the_run(clock: VirtualClock) -> None:
    held: dict[str, JsonValue] = {"rows": [1]}

    async def invoke(name: str, args: dict[str, JsonValue]) -> JsonValue:
        if name == "find":
            return held
        raise StepPaused

    plan = {"steps": [{"id": "find", "tool": "find"}, {"id": "pay", "tool": "pay"}],
            "returns": ["find"]}  # fmt: skip
    with pytest.raises(PlanPaused) as seen:
        clock.run(execute_plan(plan, invoke, clock=clock, input={"a": held}))
    held["rows"] = []
    assert seen.value.checkpoint.steps["find"].result == {"rows": [1]}
    assert seen.value.checkpoint.input == {"a": {"rows": [1]}}


OTHER = "this checkpoint is of another plan: run the plan from its start"
NONE = "this is no checkpoint: run the plan from its start"


def kept(**changes: Any) -> dict[str, Any]:
    """A checkpoint of ``PLAN`` with other members."""
    steps = {
        "find": {"status": "ok", "result": {"to": "ann"}, "duration_ms": 10},
        "pay": {"waiting": [{"attempt": 1}]},
    }
    whole = {"version": 1, "plan": HASH, "run_id": "r1", "elapsed_ms": 10, "steps": steps}
    return {**whole, **changes}


@pytest.mark.parametrize(
    ("resume", "words"),
    [
        (kept(plan="0" * 64), OTHER),
        (kept(steps={"other": {"status": "ok"}}), OTHER),
        (kept(steps={"pay": {"waiting": [{"attempt": 1, "index": 0}]}}), OTHER),
        (kept(steps={"pay": {"waiting": []}}), OTHER),
        (kept(steps={"pay": {"waiting": [{"attempt": 1}], "items": [{"index": 0}]}}), OTHER),
        (kept(version=2), NONE),
        (kept(more=1), NONE),
        (kept(elapsed_ms=-1), NONE),
        (kept(steps={"find": {"status": "ok", "result": {"__proto__": 1}}}), NONE),
        ({}, NONE),
    ],
)
def test_what_is_no_checkpoint_of_the_plan_is_refused(
    tools: StubTools, clock: VirtualClock, resume: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        run(PLAN, tools, clock, resume=resume)
    assert tools.calls == []


@pytest.mark.parametrize(
    "step",
    [
        {"waiting": [{"attempt": 1, "index": 0}], "counts": {"total": 2, "ok": 0, "failed": 0}},
        {"waiting": [{"attempt": 1, "index": 0}], "counts": {"total": 3, "ok": 1, "failed": 0},
         "items": [{"index": 1}, {"index": 2}]},
        {"waiting": [{"attempt": 1, "index": 0}], "counts": {"total": 2, "ok": 1, "failed": 0},
         "items": [{"index": 0}]},
        {"waiting": [{"attempt": 1}], "counts": {"total": 2, "ok": 1, "failed": 0},
         "items": [{"index": 0}, {"index": 1}]},
        {"waiting": [], "counts": {"total": 2, "ok": 2, "failed": 0},
         "items": [{"index": 0}, {"index": 1}]},
        {"waiting": [{"attempt": 1, "index": 0}], "items": [{"index": 1}]},
    ],
)  # fmt: skip
def test_a_list_that_does_not_fit_its_checkpoint_is_refused(
    tools: StubTools, clock: VirtualClock, step: dict[str, Any]
) -> None:
    plan = {"steps": [{"id": "pay", "tool": "pay", "for_each": "[1, 2]"}], "returns": ["pay"]}
    own = plan_hash(WorkflowPlan.model_validate(plan))
    with pytest.raises(ValueError, match=f"^{OTHER}$"):
        run(plan, tools, clock, resume=kept(plan=own, steps={"pay": step}))


@pytest.mark.parametrize("resume", ["{}", [], 1])
def test_another_type_is_no_checkpoint(
    tools: StubTools, clock: VirtualClock, resume: Any
) -> None:
    words = f"resume must be a Checkpoint or a mapping, not {type(resume).__name__}"
    with pytest.raises(TypeError, match=words):
        run(PLAN, tools, clock, resume=resume)


def test_a_host_that_gives_no_memory_is_told() -> None:
    with pytest.raises(TypeError, match=r"^memory must be a CallMemory$"):
        asyncio.run(execute_plan(PLAN, StubTools(TOOLS), memory={}))  # type: ignore[arg-type]


def test_a_refusal_says_its_own_words(clock: VirtualClock) -> None:
    calls: list[str] = []

    async def invoke(name: str, args: dict[str, JsonValue]) -> JsonValue:
        calls.append(name)
        raise ToolDeniedError(name, "not today")

    policy = Policy.model_validate({"retry": {"pay": {"attempts": 5}}})
    plan = {"steps": [{"id": "pay", "tool": "pay"}], "returns": ["pay"]}
    result = clock.run(execute_plan(plan, invoke, clock=clock, policy=policy))
    (entry,) = result.ledger
    assert (entry.status, entry.code, entry.error) == ("failed", "tool_failed", "not today")
    assert calls == ["pay"]


def test_the_event_of_a_waiting_call_tells_its_attempt(
    tools: StubTools, clock: VirtualClock
) -> None:
    recorder = Recorder()
    paused(PLAN, tools, clock, run_id="r1", on_event=recorder)
    assert recorder.events[-1] == PlanEvent(
        kind="waiting", run_id="r1", step_id="pay", tool="pay", at_ms=10, attempt=1,  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_deadline_that_passed_before_the_answer_starts_nothing(
    tools: StubTools, clock: VirtualClock
) -> None:
    policy = Policy(plan_timeout_s=1)
    result = run(PLAN, tools, clock, resume=kept(elapsed_ms=1001), policy=policy)
    assert [(entry.id, entry.status, entry.duration_ms) for entry in result.ledger] == [
        ("find", "ok", 10),
        ("pay", "skipped", 0),
    ]
    assert tools.calls == []


def test_cancelling_leaves_nothing_behind_when_a_call_waits(clock: VirtualClock) -> None:
    tools = StubTools(TOOLS | {"slow": {"returns": 1, "takes_ms": 1000}}, clock=clock)
    plan = {"steps": [{"id": "pay", "tool": "pay"}, {"id": "slow", "tool": "slow"}],
            "returns": ["pay"]}  # fmt: skip

    async def main() -> int:
        running = asyncio.ensure_future(execute_plan(plan, tools, clock=clock))
        await clock.sleep(0.5)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return len(asyncio.all_tasks())

    assert clock.run(main()) == 1


@pytest.mark.parametrize(
    ("plan", "written"),
    [
        ({"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]},
         "c9fce51038d67e438d8778f25565cdfc91cf88ca063a4dd0c6e40b10c0c95b92"),
        ({"returns": ["a"], "final": False, "on_error": "fail_fast", "output": None,
          "steps": [{"tool": "t", "id": "a", "args": {}, "when": None, "join": "all"}]},
         "c9fce51038d67e438d8778f25565cdfc91cf88ca063a4dd0c6e40b10c0c95b92"),
    ],
)  # fmt: skip
def test_a_plan_s_hash_is_that_of_its_compact_json(plan: Any, written: str) -> None:
    assert plan_hash(WorkflowPlan.model_validate(plan)) == written


def test_plans_that_differ_have_different_hashes() -> None:
    plans = [
        PLAN,
        PLAN | {"final": True},
        PLAN | {"returns": ["find"]},
        PLAN | {"steps": list(reversed(PLAN["steps"]))},
        PLAN | {"steps": [PLAN["steps"][0], PLAN["steps"][1] | {"args": {"n": 1}}]},
        PLAN | {"steps": [PLAN["steps"][0], PLAN["steps"][1] | {"args": {"n": "1"}}]},
    ]
    hashes = {plan_hash(WorkflowPlan.model_validate(plan)) for plan in plans}
    assert len(hashes) == len(plans)


def random_plan(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A plan of a few steps with lists, branches, failures; and its tools, ungated."""
    ids = [f"s{at}" for at in range(rng.randint(2, 8))]
    steps: list[dict[str, Any]] = []
    for at, id_ in enumerate(ids):
        step: dict[str, Any] = {
            "id": id_,
            "tool": rng.choice(["plain", "slow", "flaky", "bad"]),
        }
        before = rng.sample(ids[:at], min(at, rng.randint(0, 2)))
        step["args"] = {"own": id_}
        if before and rng.random() < 0.5:
            step["bind"] = {name: f"steps.{name}.own ?? 0" for name in before}
        else:
            step["after"] = before
        if rng.random() < 0.4:
            step["for_each"] = f"[1..{rng.randint(1, 4)}]"
            step["bind"] = step.get("bind", {}) | {"item": "item"}
        if rng.random() < 0.2:
            step["join"] = "any"
        steps.append(step)
    rng.shuffle(steps)
    plan = {"steps": steps, "returns": ids, "on_error": "continue"}
    tools = {
        "plain": {"echo": True, "takes_ms": rng.randint(0, 20)},
        "slow": {"echo": True, "takes_ms": rng.randint(20, 90)},
        "flaky": {"echo": True, "takes_ms": 5, "fails_first": 1},
        "bad": {"fails": "broken", "takes_ms": rng.randint(0, 20)},
    }
    return plan, tools


POLICY = Policy.model_validate(
    {"retry": {"flaky": {"attempts": 2, "backoff_s": 0.01}}, "max_concurrency": 2}
)


@pytest.mark.parametrize("seed", range(200))
def test_a_random_plan_with_random_gates_ends_as_without_them(seed: int) -> None:
    rng = random.Random(seed)
    plan, spec = random_plan(rng)
    clock = VirtualClock()
    free = StubTools(spec, clock=clock)
    wanted = run(plan, free, clock, policy=POLICY)
    gated = {name: tool | {"gate": rng.random() < 0.6} for name, tool in spec.items()}
    tools = StubTools(gated, clock=clock)
    answers: dict[str, bool | str] = {}
    checkpoint: Checkpoint | None = None
    made: list[tuple[str, int]] = []
    for _ in range(500):
        asked = len(tools.calls)
        try:
            result = run(plan, tools, clock, policy=POLICY, answers=answers, resume=checkpoint)
        except PlanPaused as pause:
            open_ = {(call_name(call), call.attempt) for call in pause.waiting}
            made += [pair for pair in named(tools.calls[asked:]) if pair not in open_]
            checkpoint = Checkpoint.model_validate_json(pause.checkpoint.model_dump_json())
            names = sorted(name for name, _ in open_)
            answers = dict.fromkeys(rng.sample(names, rng.randint(1, len(names))), True)
        else:
            made += named(tools.calls[asked:])
            break
    assert sorted(made) == sorted(named(free.calls))
    assert outcome(result) == outcome(wanted)


def named(calls: list[StepCall]) -> list[tuple[str, int]]:
    return [(call_name(call), call.attempt) for call in calls]


def outcome(result: PlanResult) -> Any:
    """All of a result but how long it took."""
    whole = result.model_dump(mode="json")
    for entry in whole["ledger"]:
        del entry["duration_ms"]
    return whole
