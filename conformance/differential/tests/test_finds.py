"""A find is a case of the suite as it is printed, and as small as what shows it."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

DIFFERENTIAL = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(DIFFERENTIAL), str(DIFFERENTIAL.parent)]

from chase import Chase  # noqa: E402 - the folder is no package
from finds import Find, ready_case, told  # noqa: E402
from pipelines import Pipe  # noqa: E402
from ready import case_of, is_a_case, run_again  # noqa: E402
from shrinking import shrunk  # noqa: E402
from trials import Trial, expression_trial, plan_trials  # noqa: E402

from harness.schemas import fault  # noqa: E402
from harness.verdicts import run_suite  # noqa: E402
from strands_plan_tool import PlanError, check_plan  # noqa: E402
from strands_plan_tool.testing import executor  # noqa: E402
from strands_plan_tool.testing.generation import SeededChoices  # noqa: E402

SOUND = [sys.executable, "-m", "strands_plan_tool.testing.executor"]
BOTH = (("first", SOUND), ("second", SOUND))
LOSSY = [sys.executable, str(DIFFERENTIAL / "faulty.py"), "dropped-null"]

TOOLS = {
    "give": {"returns": {"n": 1}},
    "fail": {"fails": "no luck"},
    "wait": {"returns": 2, "gate": True, "takes_ms": 5},
}
STEP = {"id": "a", "tool": "give"}
RUN: dict[str, Any] = {"cmd": "run", "tools": TOOLS}
COMMANDS: list[dict[str, Any]] = [
    {**RUN, "plan": {"steps": [STEP], "output": "steps.a.n", "returns": ["a"], "final": True}},
    {**RUN, "plan": {"steps": [STEP], "output": "null"}},
    {**RUN, "plan": {"steps": [STEP], "output": "steps.a.n.x + 1"}},
    {**RUN, "plan": {"steps": {**STEP, "tool": "fail"}, "returns": "a"}},
    {**RUN, "plan_text": '{"steps": [{"id": "a", "tool": "wait"}], "returns": ["a"]}'},
    {**RUN, "plan": {"steps": [{**STEP, "tool": "wait"}], "returns": ["a"]},
     "answers": [{"a": "no"}], "memory": [], "run_id": "r"},
    {**RUN, "plan": {"steps": [{**STEP, "for_each": "[1, 2]"}, {"id": "b", "tool": "fail",
     "after": ["a"], "for_each": "steps.a"}], "output": "steps.b", "on_error": "continue"},
     "memory": [{"tool": "give", "args": {}, "result": None}],
     "policy": {"max_output_bytes": 3, "max_concurrency": 1}},
    {**RUN, "plan": {"steps": [STEP], "returns": ["b"]}, "run_id": "r", "cancel_at_ms": 1,
     "answers": [], "memory": []},
    {**RUN, "plan": {"steps": [{**STEP, "tool": "wait"}], "returns": ["a"]}, "cancel_at_ms": 0},
    {"cmd": "validate", "plan": {"steps": {**STEP}, "returns": "a"}},
    {"cmd": "validate", "plan": {"steps": [STEP], "returns": ["c"]}, "tools": TOOLS},
    {"cmd": "validate", "plan": {"steps": [STEP], "output": "null"}, "tools": TOOLS},
    {"cmd": "evaluate", "expression": "steps.a.x", "steps": {"a": {"x": "\ud800"}}},
    {"cmd": "evaluate", "expression": "n + 1", "root": {"n": 2}},
    {"cmd": "evaluate", "expression": "item.x[", "steps": {}, "item": None, "index": 2},
    {"cmd": "evaluate", "expression": "missing", "root": None},
]  # fmt: skip


def find_of(command: dict[str, Any]) -> Find:
    line = json.dumps(executor.answer({"seq": 1, **command})).encode() + b"\n"
    return Find("plan", command, "result", {"first": line, "second": line})


def is_taken(raw: dict[str, Any]) -> bool:
    """Whether a file of the suite may hold the case."""
    document = {"description": "Found.", "cases": [raw]}
    return fault(document, "case.schema.json", "CaseFile") is None


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: json.dumps(one)[-60:])
def test_a_find_is_printed_as_a_case_that_the_suite_takes_and_the_engine_keeps(
    command: dict[str, Any],
) -> None:
    lines = told(find_of(command), BOTH).splitlines()
    raw = json.loads(lines[1])
    assert (
        fault({"description": "Found.", "cases": [raw]}, "case.schema.json", "CaseFile") is None
    )
    assert lines[-1].endswith("first passed, second passed, both answer alike")


def test_a_case_states_no_default_and_no_text_that_the_suite_states_nowhere() -> None:
    raw = ready_case(find_of(COMMANDS[2]))
    assert raw["expect"]["result"] == {
        "levels": 1,
        "ledger": [{"id": "a", "tool": "give", "status": "ok", "level": 0, "duration_ms": 0}],
        "output_error": {"code": "no_value"},
    }


def test_two_finds_have_two_ids_and_one_find_has_one() -> None:
    ids = [ready_case(find_of(command))["id"] for command in COMMANDS]
    assert len(set(ids)) == len(COMMANDS)
    assert ids == [ready_case(find_of(command))["id"] for command in COMMANDS]


def test_where_the_first_engine_crashed_the_case_expects_what_the_other_says() -> None:
    found = find_of(COMMANDS[0])
    (line,) = {*found.answers.values()}
    crashed = Find(
        "plan", found.command, "no answer", {"first": "ended with 3", "second": line}
    )
    assert ready_case(crashed) == ready_case(found)
    errored = b'{"seq": 1, "errored": {"message": "boom"}}\n'
    silent = Find("plan", found.command, "no answer", {"first": errored, "second": "hangs"})
    assert not silent.answered
    raw = ready_case(silent)
    assert (
        fault({"description": "Found.", "cases": [raw]}, "case.schema.json", "CaseFile") is None
    )


def test_what_is_run_again_is_refused_for_what_the_suite_would_refuse() -> None:
    raw = ready_case(find_of(COMMANDS[0]))
    raw["expect"]["result"]["output_error"] = None
    assert run_again(raw, BOTH).startswith("no case of the suite: cases/regressions/")


@cache
def some_trials() -> list[Trial]:
    plans = [one for seed in range(60) for one in plan_trials(SeededChoices(seed), 2)]
    return plans + [expression_trial(SeededChoices(seed), seed) for seed in range(60)]


def test_every_trial_can_stand_in_the_suite() -> None:
    commands = [command for trial in some_trials() for command in trial.commands]
    assert [one for one in commands if not is_a_case(one)] == []


def test_an_engine_keeps_every_case_that_a_trial_becomes() -> None:
    from harness.engine import Engine  # noqa: PLC0415 - beside the one process that it starts
    from harness.suite import read_case  # noqa: PLC0415

    commands = [command for trial in some_trials() for command in trial.commands]
    lines = [json.dumps({"seq": 1, **command}).encode() + b"\n" for command in commands]
    with Pipe("sound", SOUND) as pipe:
        answers = [json.loads(line) for line in pipe.ask(lines)]
    raws = [case_of(command, answer) for command, answer in zip(commands, answers, strict=True)]
    cases = [read_case(raw, "regressions/found-by-chance") for raw in raws]
    with Engine("sound", SOUND) as engine:
        outcomes = run_suite(engine, cases, [])
    assert [one.case.id for one in outcomes if one.failed] == []
    assert {case.kind for case in cases} == {"evaluate", "validate", "run"}


def binds_null(command: dict[str, Any]) -> bool:
    """Whether a plan is accepted, as it is written, and a step of it binds null."""
    try:
        plan = check_plan(command["plan"] if "plan" in command else command["plan_text"])
    except PlanError:
        return False
    return any("null" in step.step.bind.values() for step in plan.steps)


LARGE = {
    "steps": [
        {"id": "a", "tool": "t", "args": {"x": [1, 2, {"y": "long text"}]}},
        {"id": "b", "tool": "t", "bind": {"x": "steps.a.y"}, "when": "steps.a.n > 1"},
        {"id": "c", "tool": "t", "bind": {"x": "null"}, "after": ["b"]},
    ],
    "output": "steps.b",
    "returns": ["a", "b"],
}


@pytest.mark.parametrize(
    "given",
    [
        {"plan": LARGE},
        {"plan": {"workflow": LARGE}},
        {"plan": {"input": json.dumps(LARGE)}},
        {"plan": {**LARGE, "steps": json.dumps(LARGE["steps"])}},
        {"plan_text": json.dumps(LARGE)},
        {"plan_text": f"```json\n{json.dumps(LARGE, indent=1)}\n```"},
    ],
    ids=["plain", "wrapped", "wrapped text", "steps as text", "text", "fenced text"],
)
def test_a_plan_is_made_smaller_however_it_is_written(given: dict[str, Any]) -> None:
    command = {"cmd": "run", **given, "policy": {"max_steps": 9}, "run_id": "r"}
    found = shrunk(command, lambda commands: list(map(binds_null, commands)))
    (step,) = found["plan"]["steps"]
    assert found == {"cmd": "run", "plan": {"steps": [step], "returns": [step["id"]]}}
    assert step.keys() == {"id", "tool", "bind"}
    assert list(step["bind"].values()) == ["null"]


def test_a_text_that_is_no_json_loses_what_it_can_lose() -> None:
    text = json.dumps(LARGE)[:-1] + ",}"
    found = shrunk(
        {"cmd": "validate", "plan_text": text},
        lambda commands: [",}" in str(one.get("plan_text")) for one in commands],
    )
    assert found == {"cmd": "validate", "plan_text": ",}"}


def test_a_find_between_engines_is_small_and_stays_a_case() -> None:
    tools = {"t": {"returns": {"n": 2, "y": None}}, "u": {"echo": True}}
    command = {
        "cmd": "run",
        "plan": {"workflow": {**LARGE, "steps": LARGE["steps"]}},
        "tools": tools,
        "policy": {"max_steps": 9, "max_concurrency": 2},
        "cancel_at_ms": 5000,
    }
    with Chase([("lossy", LOSSY), ("sound", SOUND)], reference=False) as chase:
        found = chase.differ([Trial("plan", (command,))])
        assert found is not None
        small = chase.made_smaller(found)
    assert small.answered
    assert len(small.command["plan"]["steps"]) == 1
    assert small.command.keys() == {"cmd", "plan"}
    again = run_again(ready_case(small), [("lossy", LOSSY), ("sound", SOUND)])
    assert again.startswith("lossy passed, sound different, they differ at ")
