"""What a corrected plan takes over from the plans before it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from strands_plan_tool import CallMemory, execute_plan, render_for_model
from strands_plan_tool.memory import Remembered
from strands_plan_tool.testing import StubTools, VirtualClock
from strands_plan_tool.validate import parse_plan


def taken(memory: CallMemory, tool: str, args: dict[str, Any]) -> Any:
    found = memory.take(tool, args)
    return None if found is None else found.result


def test_what_is_noted_can_be_taken_after_a_batch_that_failed() -> None:
    memory = CallMemory()
    memory.note("pay", {"n": 1}, "paid")
    assert memory.take("pay", {"n": 1}) is None
    memory.settle(failed=True)
    assert memory.take("pay", {"n": 1}) == Remembered("pay", {"n": 1}, "paid")
    assert memory.take("pay", {"n": 1}) is None


def test_a_batch_that_went_well_forgets_everything() -> None:
    memory = CallMemory()
    memory.note("pay", {}, 1)
    memory.settle(failed=True)
    memory.note("mail", {}, 2)
    memory.settle(failed=False)
    assert (memory.available, memory.pending) == ((), ())


def test_what_a_corrected_plan_did_not_take_is_kept_for_the_next_one() -> None:
    memory = CallMemory()
    memory.note("pay", {}, 1)
    memory.note("mail", {}, 2)
    memory.settle(failed=True)
    assert taken(memory, "pay", {}) == 1
    memory.note("pay", {}, 1)
    memory.settle(failed=True)
    assert [taken(memory, tool, {}) for tool in ("pay", "mail", "pay")] == [1, 2, None]


def test_equal_calls_are_taken_in_the_order_they_were_noted() -> None:
    memory = CallMemory()
    for result in ("first", "second"):
        memory.note("t", {"a": 1, "b": 2}, result)
    memory.settle(failed=True)
    assert [taken(memory, "t", {"b": 2, "a": 1}) for _ in range(3)] == [
        "first",
        "second",
        None,
    ]


def test_only_reusable_tools_are_kept() -> None:
    memory = CallMemory(lambda tool: tool.startswith("get_"))
    memory.note("pay", {}, 1)
    memory.note("get_user", {}, 2)
    memory.settle(failed=True)
    assert memory.available == (Remembered("get_user", {}, 2),)


def test_forgetting_leaves_nothing() -> None:
    memory = CallMemory()
    memory.note("a", {}, 1)
    memory.settle(failed=True)
    memory.note("b", {}, 2)
    memory.forget()
    assert memory.to_json() == {"available": [], "pending": []}


def test_a_memory_goes_over_json_with_every_digit() -> None:
    memory = CallMemory()
    memory.note("a", {"id": 9007199254740993}, [1, None])
    memory.settle(failed=True)
    memory.note("b", {}, {"x": 12345678901234567890})
    written = memory.to_json()
    assert written == {
        "available": [{"tool": "a", "args": {"id": 9007199254740993}, "result": [1, None]}],
        "pending": [{"tool": "b", "args": {}, "result": {"x": 12345678901234567890}}],
    }
    again = CallMemory.from_json(json.loads(json.dumps(written)))
    assert again.to_json() == written
    assert taken(again, "a", {"id": 9007199254740992}) is None
    assert taken(again, "a", {"id": 9007199254740993}) == [1, None]


def test_a_memory_that_is_read_keeps_to_what_is_reusable() -> None:
    data = {"available": [{"tool": "pay", "args": {}, "result": 1}]}
    assert CallMemory.from_json(data, lambda tool: False).take("pay", {}) is None


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"available": [1]},
        {"pending": [{"tool": "a"}]},
        {"pending": [{"tool": 1, "args": {}, "result": 1}]},
        {"pending": [{"tool": "a", "args": [], "result": 1}]},
        {"available": 1},
    ],
)
def test_what_is_no_memory_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r"^this is no memory that to_json wrote$"):
        CallMemory.from_json(data)


def test_a_corrected_plan_calls_only_what_did_not_go_well() -> None:
    clock, memory = VirtualClock(), CallMemory()
    spec: dict[str, Any] = {
        "pay": {"returns": "paid"},
        "mail": {"by_args": [{"args": {"to": 1}, "returns": 1}]},
    }
    tools = StubTools(spec, clock=clock)

    def plan(to: int) -> dict[str, Any]:
        pay = {"id": "pay", "tool": "pay"}
        mail = {"id": "mail", "tool": "mail", "args": {"to": to}, "after": ["pay"]}
        return {"steps": [pay, mail], "returns": ["pay", "mail"]}

    first = clock.run(execute_plan(plan(2), tools, clock=clock, memory=memory))
    memory.settle(failed=True)
    second = clock.run(execute_plan(plan(1), tools, clock=clock, memory=memory))
    memory.settle(failed=False)
    assert [outcome.reused for outcome in second.ledger] == [1, 0]
    assert second.returned == {"pay": "paid", "mail": 1}
    assert [call.step_id for call in tools.calls] == ["pay", "mail", "mail"]
    assert render_for_model(first, parse_plan(plan(2)), remembered=["pay", "mail"]) == (
        '{"pay":"paid"}\n'
        "mail failed (tool_failed): no answer for these arguments\n"
        "Ran ok, kept for a corrected plan: pay"
    )


def test_steps_that_are_not_kept_are_named_first() -> None:
    clock = VirtualClock()
    spec: dict[str, Any] = {"ok": {"returns": 1}, "bad": {"fails": "broken"}}
    steps: list[Any] = [{"id": name, "tool": "ok"} for name in "abc"]
    steps.append({"id": "d", "tool": "bad", "after": ["a"]})
    plan = {"steps": steps, "returns": ["d"]}
    result = clock.run(execute_plan(plan, StubTools(spec, clock=clock), clock=clock))
    assert render_for_model(result, parse_plan(plan), remembered={"b"}) == (
        "d failed (tool_failed): broken\n"
        "Ran ok, do not repeat: a, c\n"
        "Ran ok, kept for a corrected plan: b"
    )
