"""What running a plan does beside the timelines that the conformance cases pin."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import hashlib
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from unittest.mock import AsyncMock

import pytest

from strands_plan_tool.errors import (
    PlanError,
    StepLimitError,
    ToolExecutionError,
    ToolNotPlannableError,
)
from strands_plan_tool.evaluate import Context, compile_tree
from strands_plan_tool.events import PlanEvent
from strands_plan_tool.executor import execute_plan, levels_of, summarize
from strands_plan_tool.executor.calls import StepCall, call_key
from strands_plan_tool.executor.readings import Call, ProfileEngine
from strands_plan_tool.models import (
    Code,
    JsonValue,
    PlanResult,
    PlanStep,
    Policy,
    Retry,
    StepOutcome,
    StepStatus,
    WorkflowPlan,
)
from strands_plan_tool.testing import Recorder, RecordingInvoker, StubTools, VirtualClock
from strands_plan_tool.validate import ToolInfo, check_plan

ECHO = {"t": {"echo": True, "takes_ms": 10}}


def step(step_id: str, tool: str = "t", **more: Any) -> dict[str, Any]:
    return {"id": step_id, "tool": tool, **more}


def plan_of(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"steps": list(steps), "returns": [steps[0]["id"]], **more}


def run(plan: Any, using: Any = None, **more: Any) -> PlanResult:
    clock = VirtualClock()
    invoker = using if callable(using) else StubTools(using or ECHO, clock=clock)
    return clock.run(execute_plan(plan, invoker, clock=clock, **more))


def codes_of(error: PlanError) -> list[Code]:
    return [diagnostic.code for diagnostic in error.diagnostics]


def statuses(result: PlanResult) -> dict[str, str]:
    return {outcome.id: outcome.status.value for outcome in result.ledger}


# What may be given


@pytest.mark.parametrize("form", [dict, json.dumps, WorkflowPlan.model_validate, check_plan])
def test_a_plan_may_come_in_any_form(form: Callable[[dict[str, Any]], Any]) -> None:
    plan = plan_of(step("a", args={"n": 1}), step("b", bind={"n": "steps.a.n"}))
    assert run(form(plan)).returned == {"a": {"n": 1}}


def test_a_checked_plan_runs_as_it_was_checked() -> None:
    checked = check_plan(plan_of(step("a")), policy=Policy(step_timeout_s=0.005))
    assert run(checked).ledger[0].code == Code.TIMEOUT
    given: list[dict[str, Any]] = [
        {"policy": Policy()},
        {"max_steps": 3},
        {"tools": ["t"]},
        {"allowed_tools": []},
    ]
    for more in given:
        with pytest.raises(ValueError, match="as it was checked"):
            run(checked, **more)


def test_a_checked_plan_may_run_again_and_again() -> None:
    checked = check_plan(plan_of(step("a", args={"n": 1}), step("b", bind={"n": "steps.a.n"})))
    assert run(checked) == run(checked)


def test_a_plan_that_may_not_run_calls_nothing_and_names_all_that_is_wrong() -> None:
    recorder = Recorder()
    plan = plan_of(step("a", after=["z"]), step("b", bind={"x": "steps.a +"}))
    with pytest.raises(PlanError) as caught:
        run(plan, on_event=recorder)
    assert codes_of(caught.value) == [Code.UNKNOWN_STEP, Code.SYNTAX]
    assert recorder.events == []


def test_max_steps_wins_over_the_policy() -> None:
    plan = plan_of(*(step(f"s{n}") for n in range(3)))
    with pytest.raises(StepLimitError) as caught:
        run(plan, max_steps=2, policy=Policy(max_steps=100))
    assert (caught.value.count, caught.value.limit) == (3, 2)
    assert len(run(plan, max_steps=3, policy=Policy(max_steps=1)).ledger) == 3
    with pytest.raises(StepLimitError):
        run(plan, policy=Policy(max_steps=2))
    with pytest.raises(StepLimitError):
        run(plan_of(*(step(f"s{n}") for n in range(33))))


def test_allowed_tools_wins_over_tools() -> None:
    tools = {"t": {"input_schema": {"type": "object", "properties": {"n": {}}}}, "u": None}
    refused: list[dict[str, Any]] = [
        {"allowed_tools": ["u"]},
        {"allowed_tools": ["u"], "tools": tools},
        {"allowed_tools": ["t"], "tools": {"t": ToolInfo(plannable=False)}},
        {"tools": ["u"]},
    ]
    for more in refused:
        with pytest.raises(ToolNotPlannableError):
            run(plan_of(step("a")), **more)
    accepted: list[dict[str, Any]] = [
        {},
        {"allowed_tools": ["t"]},
        {"allowed_tools": ["t"], "tools": tools},
        {"allowed_tools": ["t"], "tools": {"u": None}},
        {"allowed_tools": iter(["t"]), "tools": ["u"]},
        {"tools": tools},
    ]
    for more in accepted:
        assert run(plan_of(step("a")), **more).returned == {"a": {}}
    with pytest.raises(PlanError) as caught:
        run(plan_of(step("a", args={"m": 1})), allowed_tools=["t"], tools=tools)
    assert codes_of(caught.value) == [Code.UNKNOWN_ARGUMENT]
    with pytest.raises(TypeError):
        run(plan_of(step("a")), allowed_tools="t", tools=tools)


@pytest.mark.parametrize(
    ("host", "what"),
    [
        ({"input": "x"}, "input must be a mapping of names to JSON values"),
        ({"input": []}, "input must be a mapping of names to JSON values"),
        ({"policy": {}}, "policy must be a Policy"),
        ({"policy": {"max_steps": 3}}, "policy must be a Policy"),
        ({"max_steps": "a"}, "max_steps must be an integer"),
        ({"max_steps": True}, "max_steps must be an integer"),
        ({"run_id": 7}, "run_id must be a string"),
        ({"on_event": 5}, "on_event must be a function"),
        ({"on_event": AsyncMock()}, "on_event must be a plain function"),
        ({"binder": "jsonata"}, "binder must be an object with bind"),
        ({"allowed_tools": "t"}, "must be a list of strings"),
        ({"tools": 5}, "iterable"),
    ],
)
def test_a_host_s_own_mistake_is_a_type_error_before_anything_runs(
    host: dict[str, Any], what: str
) -> None:
    tools = StubTools(ECHO, clock=VirtualClock())
    with pytest.raises(TypeError, match=what) as caught:
        asyncio.run(execute_plan(plan_of(step("a")), tools, **host))
    assert not isinstance(caught.value, PlanError)
    assert tools.calls == []


def test_an_invoker_and_a_clock_are_looked_at_before_the_run_too() -> None:
    plan = plan_of(step("a"))
    invoker: Any = {"t": 1}
    with pytest.raises(TypeError, match="invoker must be an async function"):
        asyncio.run(execute_plan(plan, invoker))
    clock: Any = 5.0
    with pytest.raises(TypeError, match="clock must be an object with now and sleep"):
        asyncio.run(execute_plan(plan, StubTools(ECHO, clock=VirtualClock()), clock=clock))


def test_a_listener_that_would_have_to_be_awaited_is_refused() -> None:
    async def hears(event: PlanEvent) -> None: ...

    class Hears:
        async def __call__(self, event: PlanEvent) -> None: ...

    for on_event in (hears, functools.partial(hears), Hears()):
        with pytest.raises(TypeError, match="it is never awaited"):
            run(plan_of(step("a")), on_event=on_event)


BRANCHES = {
    "t": {"returns": {"n": 1}},
    "bad": {"fails": "no"},
}


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "steps.f.n",
            'it matches nothing, as step "f" failed; give a default with `??`',
        ),
        (
            "steps.s.n",
            'it matches nothing, as step "s" was skipped; give a default with `??`',
        ),
        (
            "steps.n.n",
            'it matches nothing, as step "n" was not taken; give a default with `??`',
        ),
        (
            "steps.f.n ?? steps.n.n",
            'it matches nothing, as step "f" failed, step "n" was not taken; '
            "give a default with `??`",
        ),
        (
            "$error(steps.s.n & '!')",
            '!; step "s" was skipped',
        ),
        (
            "steps.a.n[$ > 1]",
            "it matches nothing; check its names and predicates against what the tools return, "
            "or give a default with `??`",
        ),
    ],
)
def test_an_output_that_has_no_value_says_which_steps_gave_none(output: str, told: str) -> None:
    plan = plan_of(
        step("a"),
        step("f", "bad"),
        step("s", after=["f"]),
        step("n", when="steps.a.n = 2"),
        output=output,
        on_error="continue",
    )
    error = run(plan, BRANCHES).output_error
    assert error is not None
    assert error.message.partition('": ')[2] == told


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"bind": {"x": "steps.f.n"}},
            'it matches nothing, as step "f" failed; give a default with `??`',
        ),
        (
            {"when": "steps.f.n"},
            'it matches nothing, as step "f" failed; '
            "write (steps.f.n) ?? false if that means no",
        ),
    ],
)
def test_a_step_that_joins_any_says_which_steps_gave_it_nothing(
    fields: dict[str, Any], told: str
) -> None:
    joined = step("j", join="any", after=["a"], **fields)
    plan = plan_of(step("a"), step("f", "bad"), joined, on_error="continue")
    outcome = run(plan, BRANCHES).ledger[-1]
    assert outcome.code == Code.NO_VALUE
    assert (outcome.error or "").partition('": ')[2] == told


def test_input_that_is_no_json_is_refused() -> None:
    with pytest.raises(PlanError) as caught:
        run(plan_of(step("a")), input={"x": float("nan")})
    assert codes_of(caught.value) == [Code.NOT_JSON_RESULT]


def test_input_is_taken_in_before_the_run() -> None:
    given: dict[str, Any] = {"list": [1]}

    async def spoils(name: str, args: dict[str, JsonValue]) -> JsonValue:
        given["list"].append(2)
        return args

    plan = plan_of(step("a"), step("b", bind={"x": "input.list"}, after=["a"]), returns=["b"])
    assert run(plan, spoils, input=given).returned == {"b": {"x": [1]}}


# The seam


def test_an_object_with_invoke_step_gets_everything_about_the_call() -> None:
    clock = VirtualClock()
    invoker = RecordingInvoker(StubTools(ECHO, clock=clock))
    plan = plan_of(step("a", args={"n": 1}), step("f", for_each="[5]", bind={"n": "item"}))
    clock.run(execute_plan(plan, invoker, run_id="r", clock=clock))
    assert invoker.calls == [
        StepCall(
            run_id="r",
            step_id="a",
            index=None,
            attempt=1,
            key=call_key("r", "a", None),
            tool="t",
            args={"n": 1},
        ),
        StepCall(
            run_id="r",
            step_id="f",
            index=0,
            attempt=1,
            key=call_key("r", "f", 0),
            tool="t",
            args={"n": 5},
        ),
    ]


def test_a_mock_stands_for_a_function_of_name_and_arguments() -> None:
    invoker = AsyncMock(return_value={"ok": True})
    assert run(plan_of(step("a", args={"n": 1})), invoker).returned == {"a": {"ok": True}}
    invoker.assert_awaited_once_with("t", {"n": 1})


def test_a_key_is_the_hash_of_the_names_as_json() -> None:
    # printf '%s' '["r1","pay",null]' | sha256sum
    assert call_key("r1", "pay", None) == (
        "6cefd93d0616126024562f423f2d0dad2d32617fdb1eaea60217c6fcb84a1a30"
    )
    text = '["r\\"\u00e4","a",3]'.encode()
    assert call_key('r"\u00e4', "a", 3) == hashlib.sha256(text).hexdigest()


def test_each_run_has_an_id_of_its_own_unless_it_is_given_one() -> None:
    ids = []
    for _ in range(2):
        recorder = Recorder()
        run(plan_of(step("a")), on_event=recorder)
        ids.append({event.run_id for event in recorder.events})
    assert all(len(each) == 1 for each in ids)
    assert ids[0] != ids[1]


def test_arguments_results_and_what_goes_back_are_nobody_else_s() -> None:
    held: list[Any] = []

    async def holds(name: str, args: dict[str, JsonValue]) -> JsonValue:
        result: dict[str, JsonValue] = {"args": args, "list": [1]}
        held.extend([args, result])
        return result

    checked = check_plan(
        plan_of(
            step("a", args={"deep": {"x": 1}}),
            step("b", bind={"y": "steps.a.list"}),
            returns=["a", "b"],
            output="steps.a.list",
        )
    )
    clock = VirtualClock()
    first = clock.run(execute_plan(checked, holds))
    for value in held:
        value.clear()
    result: Any = clock.run(execute_plan(checked, holds))
    assert result == first
    result.returned["a"]["list"].append(2)
    result.output.append(3)
    assert result.returned["b"] == {"args": {"y": [1]}, "list": [1]}
    assert first.output == [1]


def test_large_integers_go_back_as_plain_integers() -> None:
    async def gives(name: str, args: dict[str, JsonValue]) -> JsonValue:
        return {"id": 2**70}

    result: Any = run(plan_of(step("a")), gives)
    assert (result.returned, type(result.returned["a"]["id"])) == ({"a": {"id": 2**70}}, int)


def test_with_exact_integers_a_plain_path_passes_them_on() -> None:
    plan = plan_of(
        step("a", "gives"),
        step("b", bind={"id": "steps.a.id"}),
        returns=["b"],
        output="steps.a.id",
    )
    tools = {"gives": {"returns": {"id": 2**60}}, **ECHO}
    exact: Any = run(plan, tools, policy=Policy(integers="exact"))
    assert (exact.returned, exact.output) == ({"b": {"id": 2**60}}, 2**60)
    assert type(exact.returned["b"]["id"]) is int
    assert run(plan, tools).ledger[1].code == Code.UNSAFE_NUMBER


# Failures


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("it broke"), "it broke"),
        (ToolExecutionError("t", "the detail"), "the detail"),
        (RuntimeError(), "the tool failed without a message"),
        (RuntimeError("half \ud800"), "half \ufffd"),
        (asyncio.CancelledError(), "the tool cancelled its own call"),
    ],
)
def test_a_failure_is_told_in_the_tool_s_own_words(error: BaseException, message: str) -> None:
    async def fails(name: str, args: dict[str, JsonValue]) -> JsonValue:
        raise error

    outcome = run(plan_of(step("a")), fails).ledger[0]
    assert (outcome.status, outcome.code, outcome.error) == (
        StepStatus.FAILED,
        Code.TOOL_FAILED,
        message,
    )


def test_an_exception_that_cannot_tell_what_it_is_is_still_data() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def fails(name: str, args: dict[str, JsonValue]) -> Awaitable[JsonValue]:
        raise MuteError

    assert run(plan_of(step("a")), fails).ledger[0].error == "the tool failed without a message"


def test_what_is_no_exception_ends_the_run_once_the_rest_has_stopped() -> None:
    class Abort(BaseException):
        pass

    stopped: list[str] = []

    async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
        if name == "aborts":
            await asyncio.sleep(1)
            raise Abort
        try:
            await asyncio.sleep(10)
        finally:
            stopped.append(name)
        return None

    recorder = Recorder()
    with pytest.raises(Abort):
        run(plan_of(step("a", "aborts"), step("b", "slow")), tool, on_event=recorder)
    assert stopped == ["slow"]
    assert recorder.timeline[-1] == [1000, "cancelled", "b"]


@pytest.mark.parametrize(
    ("policy", "input_", "named"),
    [
        (Policy(step_timeout_s=0.005), {}, ["a", "step_timeout_s", "0.005"]),
        (Policy(plan_timeout_s=0.005), {}, ["a", "plan_timeout_s", "0.005"]),
        (Policy(max_result_bytes=1), {}, ["a", "max_result_bytes", "more than 1 bytes"]),
    ],
)
def test_a_limit_names_itself_its_value_and_the_step(
    policy: Policy, input_: Any, named: list[str]
) -> None:
    error = run(plan_of(step("a")), policy=policy, input=input_).ledger[0].error or ""
    assert [part for part in named if part not in error] == []


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (1, "a number"),
        (0.5, "a number"),
        ("true", "a string"),
        ([True], "a list"),
        ({"a": True}, "an object"),
    ],
)
def test_a_condition_that_is_no_boolean_says_what_it_gave(value: Any, kind: str) -> None:
    error = run(plan_of(step("a", when="input.flag")), input={"flag": value}).ledger[0].error
    assert f"gave {kind};" in (error or "")


def test_a_failing_binding_names_step_argument_expression_and_the_edit() -> None:
    plan = plan_of(step("a", args={"name": "x"}), step("b", bind={"to": "steps.a.nmae"}))
    error = run(plan).ledger[1].error or ""
    assert [part for part in ('"b"', '"to"', "steps.a.nmae", "name") if part not in error] == []
    nothing = run(plan_of(step("a", when="input.list[5]")), input={"list": []}).ledger[0]
    assert "(input.list[5]) ?? false" in (nothing.error or "")


# Time, tasks and contexts


def test_eight_calls_run_at_once() -> None:
    async def main() -> PlanResult:
        barrier = asyncio.Barrier(8)

        async def meets(name: str, args: dict[str, JsonValue]) -> JsonValue:
            async with asyncio.timeout(30):
                await barrier.wait()
            return name

        plan = plan_of(*(step(f"s{n}") for n in range(8)))
        return await execute_plan(plan, meets)

    assert set(statuses(asyncio.run(main())).values()) == {"ok"}


def test_nothing_is_left_behind() -> None:
    async def main() -> None:
        clock_tasks = asyncio.all_tasks()
        tools = StubTools({"t": {"returns": 1, "takes_ms": 50}, "bad": {"fails": "x"}})
        policy = Policy(
            step_timeout_s=0.02,
            plan_timeout_s=9,
            retry={"bad": Retry(attempts=2, backoff_s=60)},
        )
        plan = plan_of(step("a"), step("b", "bad"), on_error="fail_fast")
        await execute_plan(plan, tools, policy=policy)
        assert asyncio.all_tasks() == clock_tasks

    VirtualClock().run(main())


def test_a_call_that_timed_out_is_stopped_and_its_late_result_is_not_heard() -> None:
    stopped: list[str] = []

    async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append(name)
        return "late"

    result = run(plan_of(step("a")), tool, policy=Policy(step_timeout_s=1))
    assert (statuses(result), result.returned, stopped) == ({"a": "failed"}, {}, ["t"])


def test_a_call_that_will_not_stop_does_not_hold_up_the_run() -> None:
    async def main() -> tuple[PlanResult, float]:
        async def stubborn(name: str, args: dict[str, JsonValue]) -> JsonValue:
            deadline = clock.now() + 100
            while clock.now() < deadline:
                try:
                    await clock.sleep(1)
                except asyncio.CancelledError:
                    continue
            raise RuntimeError("nobody hears this")

        policy = Policy(plan_timeout_s=5)
        result = await execute_plan(plan_of(step("a")), stubborn, policy=policy)
        ended = clock.now()
        await clock.sleep(200)
        return result, ended

    clock = VirtualClock()
    result, ended = clock.run(main())
    assert (result.ledger[0].code, ended) == (Code.TIMEOUT, 5)


def test_cancelling_waits_until_what_is_in_flight_has_ended() -> None:
    log: list[str] = []

    async def tidies(name: str, args: dict[str, JsonValue]) -> JsonValue:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(3)
            log.append(f"{name} tidied at {clock.now()}")
        return None

    async def main() -> None:
        running = asyncio.ensure_future(execute_plan(plan_of(step("a"), step("b")), tidies))
        await clock.sleep(1)
        running.cancel()
        await clock.sleep(1)
        with pytest.raises(asyncio.CancelledError):
            await running
        log.append(f"raised at {clock.now()}")

    clock = VirtualClock()
    clock.run(main())
    assert log == ["t tidied at 4.0", "t tidied at 4.0", "raised at 4.0"]


def test_cancelling_again_is_passed_on() -> None:
    async def slow_to_tidy(name: str, args: dict[str, JsonValue]) -> JsonValue:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(1000)
        return None

    async def main() -> float:
        running = asyncio.ensure_future(execute_plan(plan_of(step("a")), slow_to_tidy))
        for _ in range(2):
            await clock.sleep(1)
            running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return clock.now()

    clock = VirtualClock()
    assert clock.run(main()) == 2


def test_what_a_stopped_call_still_gives_or_raises_is_not_heard() -> None:
    async def defiant(name: str, args: dict[str, JsonValue]) -> JsonValue:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if name == "raises":
                raise RuntimeError("no") from None
        return "late"

    async def main() -> None:
        plan = plan_of(step("a", "raises"), step("b", "returns"))
        running = asyncio.ensure_future(execute_plan(plan, defiant, on_event=recorder))
        await asyncio.sleep(1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    recorder = Recorder()
    VirtualClock().run(main())
    assert recorder.timeline[2:] == [[1000, "cancelled", "a"], [1000, "cancelled", "b"]]


def test_a_tool_s_own_cancellation_is_not_the_run_s() -> None:
    async def quits(name: str, args: dict[str, JsonValue]) -> JsonValue:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(1)
        return None

    result = run(plan_of(step("a"), step("b"), on_error="continue"), quits)
    assert statuses(result) == {"a": "failed", "b": "failed"}


def test_what_a_tool_sets_in_a_context_variable_stays_with_it() -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")

    async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
        seen = who.get()
        who.set(name)
        return seen

    async def main() -> PlanResult:
        who.set("the host")
        plan = plan_of(step("a"), step("b", after=["a"]), returns=["a", "b"])
        return await execute_plan(plan, tool)

    assert asyncio.run(main()).returned == {"a": "the host", "b": "the host"}


def test_a_tool_that_blocks_the_thread_delays_others_and_changes_nothing() -> None:
    async def blocks(name: str, args: dict[str, JsonValue]) -> JsonValue:
        threading.Event().wait(0.01)
        return name

    result = run(plan_of(step("a"), step("b"), returns=["a", "b"]), blocks)
    assert result.returned == {"a": "t", "b": "t"}


def test_a_call_that_ended_in_time_is_no_timeout_though_the_loop_was_blocked() -> None:
    class Blocked:
        """The loop stands still for a second; then deadline and tool are told at once."""

        def __init__(self) -> None:
            self.time = 0.0
            self.over = asyncio.Event()

        def now(self) -> float:
            return self.time

        async def sleep(self, seconds: float) -> None:
            await self.over.wait()

    async def main() -> PlanResult:
        clock = Blocked()

        async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
            if name == "blocks":
                await asyncio.sleep(0)
                clock.time += 1
                clock.over.set()
            elif name == "hangs":
                await asyncio.Event().wait()
            else:
                await asyncio.gather(asyncio.wait_for(clock.over.wait(), 60))
            return name

        plan = plan_of(step("a", "waits"), step("b", "blocks"), step("c", "hangs"))
        policy = Policy(step_timeout_s=0.5)
        return await execute_plan(plan, tool, policy=policy, clock=clock)

    assert statuses(asyncio.run(main())) == {"a": "ok", "b": "ok", "c": "failed"}


def test_a_clock_needs_only_now_and_sleep() -> None:
    class Held:
        def __init__(self) -> None:
            self.time = 5.0

        def now(self) -> float:
            return self.time

        async def sleep(self, seconds: float) -> None:
            await asyncio.Event().wait()

    async def main() -> PlanResult:
        clock = Held()

        async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
            clock.time += 0.25
            return 1

        policy = Policy(step_timeout_s=60, plan_timeout_s=60)
        return await execute_plan(plan_of(step("a")), tool, policy=policy, clock=clock)

    assert asyncio.run(main()).ledger[0].duration_ms == 250


def test_a_clock_that_fails_ends_the_run() -> None:
    class Broken:
        def now(self) -> float:
            return 0

        async def sleep(self, seconds: float) -> None:
            raise OSError("no clock")

    async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
        await asyncio.sleep(60)
        return 1

    policy = Policy(step_timeout_s=60)
    with pytest.raises(OSError, match="no clock"):
        asyncio.run(execute_plan(plan_of(step("a")), tool, policy=policy, clock=Broken()))


# Size


def test_the_longest_chain_runs_without_recursion() -> None:
    count = 2000
    steps = [step(f"s{n}", after=[f"s{n - 1}"] if n else []) for n in range(count)]
    result = run(plan_of(*steps), {"t": {"returns": 1}}, max_steps=count)
    assert result.levels == count
    assert set(statuses(result).values()) == {"ok"}


def test_a_chain_of_untaken_steps_is_decided_without_recursion() -> None:
    count = 2000
    steps = [step(f"s{n}", after=[f"s{n + 1}"]) for n in range(count - 1)]
    steps.append(step(f"s{count - 1}", when="1 = 2"))
    result = run(plan_of(*steps), max_steps=count)
    assert set(statuses(result).values()) == {"not_taken"}


def test_a_wide_fan_and_its_join_run() -> None:
    count = 1000
    steps = [step(f"s{n}") for n in range(count)]
    steps.append(step("join", after=[f"s{n}" for n in range(count)]))
    result = run(plan_of(*steps, returns=["join"]), max_steps=count + 1)
    assert (result.levels, result.returned) == (2, {"join": {}})


# Telling of it


def test_levels_of_gives_the_steps_by_level() -> None:
    plan = WorkflowPlan.model_validate(plan_of(step("b", after=["a"]), step("a"), step("c")))
    levels = [[each.id for each in level] for level in levels_of(plan)]
    assert levels == [["a", "c"], ["b"]]
    assert all(isinstance(each, PlanStep) for level in levels_of(plan) for each in level)
    with pytest.raises(PlanError):
        levels_of(WorkflowPlan.model_validate(plan_of(step("a", after=["z"]))))


def test_summarize_has_a_line_for_each_step() -> None:
    plan = plan_of(
        step("fetch", "get"),
        step("all", "get", for_each="[1, 2]"),
        step("pay", "pay", when="1 = 2"),
        step("bad", "bad"),
        step("last", "get", after=["bad"]),
        on_error="continue",
    )
    tools = {"get": {"returns": 1, "takes_ms": 12.25}, "bad": {"fails": "no money"}, "pay": {}}
    assert summarize(run(plan, tools)).splitlines() == [
        "L0 ok        fetch            get                       12.3 ms",
        "L0 ok        all              get                       12.3 ms  2 of 2 items",
        "L0 not_taken pay              pay                        0.0 ms",
        "L0 FAILED    bad              bad                        0.0 ms  no money",
        "L1 skipped   last             get                        0.0 ms",
    ]


def test_an_outcome_says_how_a_step_went() -> None:
    assert run(plan_of(step("a"))).ledger == (
        StepOutcome(id="a", tool="t", status="ok", level=0, duration_ms=10),
    )


READINGS = [
    "steps.a.text",
    "steps.a.n",
    "steps.a.none",
    "[steps.a.n, steps.a.text]",
    "[steps.a.n, steps.a.n, steps.a.long]",
    "steps.a.long",
    "item.n",
    "[item.n, steps.a.long]",
    "item",
]


@pytest.mark.parametrize("text", READINGS)
def test_a_binding_that_is_quickly_read_counts_what_the_evaluator_counts(text: str) -> None:
    found: JsonValue = {"text": "x", "n": 1, "none": None, "long": "y" * 200}
    plan = check_plan(
        plan_of(
            step("a", "a"),
            step("b", for_each="[{'n': 1}]", bind={"x": text}),
            returns=["b"],
        )
    )
    expression = plan.steps[1].bind["x"]
    results: dict[str, JsonValue] = {"a": found}
    quick, call = ProfileEngine(plan, results, {}), Call({"n": 1}, 0)
    value = quick.value(text, expression, call)

    context = Context(steps=results, input={}, item={"n": 1}, index=0)
    counted = compile_tree(expression.tree).run_counted(context)
    assert (value, call.taken) == counted


def test_bindings_that_are_over_the_budget_together_say_so() -> None:
    bind = {"x": "input.n", "y": "input.n"}
    result = run(
        plan_of(step("a", bind=bind)), policy=Policy(max_expression_steps=5), input={"n": 1}
    )
    alone = run(
        plan_of(step("a", bind=bind)), policy=Policy(max_expression_steps=2), input={"n": 1}
    )
    hint = "filter the list first, avoid a loop inside a loop, or let a tool do the work"
    errors = [each.ledger[0].error or "" for each in (result, alone)]
    assert errors[0].endswith(
        f"with the bindings before it, it takes more than 5 steps, which is "
        f"max_expression_steps; {hint}"
    )
    assert errors[1].endswith(
        f": it takes more than 2 steps, which is max_expression_steps; {hint}"
    )


# Time that evaluation takes


class Leaping:
    """A clock as real as a test can hold: it stands still but for what a test makes it leap.

    A sleep that is due is over at the loop's next turns; one that is not goes on.
    """

    def __init__(self) -> None:
        self.time = 100.0
        self._sleeps: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self.time

    def leap(self, seconds: float) -> None:
        self.time += seconds
        loop = asyncio.get_running_loop()
        loop.call_soon(self._ring)

    async def sleep(self, seconds: float) -> None:
        over = asyncio.get_running_loop().create_future()
        self._sleeps.append((self.time + seconds, over))
        asyncio.get_running_loop().call_soon(self._ring)
        await over

    def _ring(self) -> None:
        for due, over in sorted(self._sleeps, key=lambda sleep: sleep[0]):
            if due <= self.time and not over.done():
                over.set_result(None)


class SlowBinder:
    """Each evaluation takes so long; what is written is a number, a list, or true."""

    def __init__(self, clock: Leaping, seconds: float) -> None:
        self.clock = clock
        self.seconds = seconds
        self.seen: list[str] = []
        self.on_third: Callable[[], object] | None = None

    def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
        self.seen.append(expression)
        if self.on_third is not None and len(self.seen) == 3:
            asyncio.get_running_loop().call_soon(self.on_third)
        self.clock.leap(self.seconds)
        value: JsonValue = json.loads(expression)
        return value


async def tool_of_name(name: str, args: dict[str, JsonValue]) -> JsonValue:
    return name


FAN = {"steps": [step("a", for_each="[1,2,3,4,5]", bind={"x": "1"}), step("b", after=["a"])]}


def test_the_plan_s_deadline_is_seen_between_two_evaluations() -> None:
    async def main() -> tuple[PlanResult, list[str], list[Any]]:
        clock, told = Leaping(), Recorder()
        binder = SlowBinder(clock, 0.009)
        result = await execute_plan(
            {**FAN, "returns": ["a"]},
            tool_of_name,
            binder=binder,
            clock=clock,
            policy=Policy(plan_timeout_s=0.02),
            on_event=told,
        )
        return result, binder.seen, told.timeline

    result, seen, timeline = asyncio.run(main())
    # The third evaluation ends past the deadline, and there is no fourth.
    assert seen == ["[1,2,3,4,5]", "1", "1"]
    assert statuses(result) == {"a": "failed", "b": "skipped"}
    assert result.ledger[0].code is Code.TIMEOUT
    assert result.ledger[0].error == (
        'step "a" had not ended when the plan reached plan_timeout_s, which is 0.02'
    )
    assert [entry[1] for entry in timeline] == [
        "start",
        "start",
        "failed",
        "failed",
        "failed",
        "skipped",
    ]


@pytest.mark.parametrize(
    ("plan", "seen"),
    [
        (plan_of(step("a", when="true", for_each="[1]", bind={"x": "1"})), ["true"]),
        (plan_of(step("a", for_each="[1]", bind={"x": "1"})), ["[1]"]),
        (plan_of(step("a", when="true"), step("b", when="true")), ["true"]),
        (plan_of(step("a", bind={"x": "1"}), step("b", bind={"x": "2"})), ["1"]),
    ],
)
def test_nothing_is_evaluated_past_the_plan_s_deadline(
    plan: dict[str, Any], seen: list[str]
) -> None:
    async def main() -> tuple[PlanResult, list[str]]:
        clock = Leaping()
        binder = SlowBinder(clock, 1)
        policy = Policy(plan_timeout_s=0.5)
        result = await execute_plan(
            plan, tool_of_name, binder=binder, clock=clock, policy=policy
        )
        return result, binder.seen

    result, evaluated = asyncio.run(main())
    assert evaluated == seen
    assert {outcome.status.value for outcome in result.ledger} <= {"failed", "skipped"}


def test_evaluation_lets_the_loop_have_its_turns() -> None:
    async def main() -> tuple[list[str], list[str]]:
        clock = Leaping()
        binder = SlowBinder(clock, 0.015)
        called: list[str] = []

        async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
            called.append(f"{len(binder.seen)} evaluated")
            return name

        plan = {**FAN, "returns": ["a"]}
        await execute_plan(plan, tool, binder=binder, clock=clock)
        return called, binder.seen

    called, seen = asyncio.run(main())
    assert len(seen) == 6
    # Every second evaluation is over the time that the loop may be held.
    assert called == [f"{n} evaluated" for n in (2, 4, 4, 6, 6, 6)]


def test_a_run_is_cancelled_while_it_evaluates() -> None:
    async def main() -> list[str]:
        clock = Leaping()
        binder = SlowBinder(clock, 0.1)
        plan = {**FAN, "returns": ["a"]}
        running = asyncio.ensure_future(
            execute_plan(plan, tool_of_name, binder=binder, clock=clock)
        )
        binder.on_third = running.cancel
        with pytest.raises(asyncio.CancelledError):
            await running
        return binder.seen

    assert len(asyncio.run(main())) == 3


def test_an_attempt_s_deadline_is_seen_while_others_are_evaluated() -> None:
    async def main() -> tuple[PlanResult, list[int]]:
        clock = Leaping()
        binder = SlowBinder(clock, 0.015)
        stopped: list[int] = []

        async def tool(name: str, args: dict[str, JsonValue]) -> JsonValue:
            if args["x"] == 1:
                try:
                    await asyncio.Event().wait()
                finally:
                    stopped.append(len(binder.seen))
            return name

        plan = plan_of(
            step("a", bind={"x": "1"}),
            step("b", for_each="[1,2,3,4,5,6]", bind={"x": "2"}),
            on_error="continue",
        )
        policy = Policy(step_timeout_s=0.01)
        result = await execute_plan(plan, tool, binder=binder, clock=clock, policy=policy)
        return result, stopped

    result, stopped = asyncio.run(main())
    assert statuses(result) == {"a": "failed", "b": "ok"}
    assert stopped[0] < 8


@pytest.mark.parametrize("error", [ValueError(), RuntimeError("")])
def test_a_binder_that_fails_without_a_word_is_no_tool(error: Exception) -> None:
    class Mute:
        def bind(self, expression: str, env: Mapping[str, JsonValue]) -> JsonValue:
            raise error

    result = run(plan_of(step("a", bind={"x": "1"})), binder=Mute())
    assert result.ledger[0].error == (
        '"x" of step "a", "1": the binder failed without a message'
    )


@pytest.mark.parametrize("taken", [True, False])
def test_a_run_that_is_cancelled_at_its_very_last_event_is_cancelled(taken: bool) -> None:
    async def main() -> list[dict[str, Any]]:
        wrong: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: wrong.append(what))

        def cancel(event: PlanEvent) -> None:
            if event.kind.value != "start":
                running.cancel()

        plan = plan_of(step("a") if taken else step("a", when="1 = 2"))
        running = asyncio.ensure_future(execute_plan(plan, tool_of_name, on_event=cancel))
        with pytest.raises(asyncio.CancelledError):
            await running
        return wrong

    assert asyncio.run(main()) == []
