"""What a person reads of a plan before approving it."""

from __future__ import annotations

import re

import pytest

from strands_plan_tool import (
    JsonataBinder,
    PlanPaused,
    Policy,
    StepPaused,
    check_plan,
    execute_plan,
    preview_plan,
)
from strands_plan_tool.executor.foreign import check_foreign_plan
from strands_plan_tool.graph import text_references
from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing import VirtualClock


def test_a_plan_of_another_language_is_shown_as_it_is_written() -> None:
    plan = {
        "steps": [
            {"id": "a", "tool": "t"},
            {"id": "b", "tool": "t", "bind": {"x": "$eval(steps.a)"}, "when": "steps.a.ok"},
        ],
        "returns": ["b"],
    }
    checked = check_foreign_plan(plan, references=text_references, tools=None, policy=Policy())
    assert preview_plan(checked) == (
        "1. a: t (may write)\n"
        "2. b: t (may write) with x from $eval(steps.a); only when steps.a.ok\n"
        "Returns: b\n"
        "On a failure: nothing more starts"
    )


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
def test_no_line_break_of_a_plan_begins_a_line(blank: str) -> None:
    text = f"steps.a.x &{blank}'{blank}2. b: harmless (reads)'"
    plan = {
        "steps": [
            {"id": "a", "tool": "t", "args": {f"n{blank}m": blank}},
            {"id": "b", "tool": "t", "bind": {f"n{blank}m": "steps.a.y"}, "after": ["a"]},
        ],
        "output": text if blank.isascii() and blank in "\r\n" else "steps.a",
    }
    shown = preview_plan(check_plan(plan))
    assert [re.match(r"\w+", line)[0] for line in shown.splitlines()] == [  # type: ignore[index]
        "1", "2", "Output", "On",
    ]  # fmt: skip


async def _ask(name: str, args: dict[str, JsonValue]) -> JsonValue:
    raise StepPaused


def test_a_run_with_another_binder_pauses_too() -> None:
    clock = VirtualClock()
    plan = {"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]}
    with pytest.raises(PlanPaused):
        clock.run(execute_plan(plan, _ask, clock=clock, binder=JsonataBinder(allow_eval=True)))
