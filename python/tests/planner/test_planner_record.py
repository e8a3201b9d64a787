"""The record: whole, readable, storable, and a fixture for the same run offline."""

from __future__ import annotations

import asyncio
import importlib
import json
import math
import os
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from planner_models import QUESTION, Model, agent, answer, plan, run, step, step_of
from strands import tool

from strands_plan_tool.planner_executor import (
    AgentRun,
    AllStepsFailedError,
    Answer,
    Plan,
    PlannerExecutor,
    PlanRejectedError,
    Run,
    replayed,
    transcript,
)
from strands_plan_tool.testing.scripted_model import ModelRequest, ToolCall, tool_call

EXAMPLES = Path(__file__).parents[2] / "examples"
CALLED: list[str] = []


@tool
def mass(moon: str) -> int:
    """Mass of a moon.

    Args:
        moon: Its name.
    """
    CALLED.append(moon)
    return len(moon)


def act(request: ModelRequest) -> str | ToolCall:
    name = step_of(request)
    if name == "lost":
        raise RuntimeError("broken | pipe")
    if len(request.messages) > 1 or name == "sum":
        return "```\nfound\n```"
    return [tool_call("mass", moon=name)]  # type: ignore[return-value]


def recorded() -> Run[Answer]:
    steps = (step("orin"), step("lost"), step("sum", "orin"), step("all", "sum", "lost"))
    loose = tuple(step(each["id"]) for each in steps)
    made = PlannerExecutor(
        Model(plan(*loose), plan(*steps), tokens=(10, 2), model_id="planner"),
        agent(Model(act, always=True, tokens=(5, 1)), mass),
        Model(answer("9", value=9), tokens=(7, 3)),
        price=lambda model, usage: float(usage["totalTokens"]),
    )
    return run(made(QUESTION))


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key != "duration_s"}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def test_the_record_has_every_agent_with_what_it_did_and_used() -> None:
    record = recorded()
    assert [each.name for each in record.runs][:1] == ["planner_executor.planner"]
    assert [each.name for each in record.runs][-1:] == ["planner_executor.synthesizer"]
    by_name = {each.name.removeprefix("planner_executor."): each for each in record.runs}
    assert set(by_name) == {
        "planner", "executor.orin", "executor.lost", "executor.sum", "synthesizer"
    }  # fmt: skip
    orin = by_name["executor.orin"]
    assert (orin.step, orin.tools_called, orin.usage.requests) == ("orin", ("mass",), 2)
    assert (orin.usage.total_tokens, orin.usage.cost) == (12, 12)
    assert "do orin" in orin.prompt
    assert [each["role"] for each in orin.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert by_name["planner"].tools_called == ()
    assert (by_name["planner"].model, by_name["planner"].usage.requests) == ("planner", 2)
    assert by_name["executor.lost"].error == "broken | pipe"
    # The request that failed counts, but nobody knows what it used.
    assert (record.usage.requests, record.usage.total_tokens) == (7, 24 + 12 + 6 + 10)
    assert record.usage.cost == 52
    assert (record.waves, record.skipped) == ((("orin", "lost"), ("sum",)), ("all",))


def test_a_record_is_stored_and_read_back_the_same() -> None:
    record = recorded()
    assert Run[Answer].model_validate_json(record.model_dump_json()) == record


def test_a_stored_run_drives_the_same_run_offline() -> None:
    record = recorded()
    before = len(CALLED)
    again = replayed(
        record.model_dump_json(), price=lambda model, usage: float(usage["totalTokens"])
    )
    second = run(again(QUESTION))
    assert without_times(second.model_dump(mode="json")) == without_times(
        record.model_dump(mode="json")
    )
    assert len(CALLED) == before
    third = replayed(json.loads(record.model_dump_json()))
    assert run(third(QUESTION)).results == record.results


def test_what_a_stored_run_did_not_do_a_replay_cannot_do() -> None:
    again = replayed(recorded())
    planned = run(again.plan(QUESTION))
    moved = planned.plan.model_copy(
        update={"steps": (planned.plan.steps[0].model_copy(update={"id": "other"}),)}
    )
    with pytest.raises(Exception, match="the record has no further answer"):
        run(again.run(moved, question=QUESTION))


def test_the_transcript_is_markdown_with_every_message() -> None:
    text = transcript(recorded())
    assert text.startswith(f"# {QUESTION}\n")
    assert '"result": "9"' in text
    assert "| orin | do orin |  | ok |" in text
    assert "| lost | do lost |  | FAILED: broken \\| pipe |" in text
    assert "| all | do all | sum, lost | SKIPPED |" in text
    assert "1. orin, lost\n2. sum" in text
    assert "Plans refused before: 1." in text
    assert "## planner_executor.executor.orin" in text
    assert "calls `mass`" in text
    # A fence within a message does not end the fence around it.
    assert "````\n```\nfound\n```\n````" in text


def test_the_record_of_a_run_without_an_answer_can_be_read_and_stored_too() -> None:
    refused = PlannerExecutor(Model(plan(step("a"), step("b")), always=True), agent(Model()))
    with pytest.raises(PlanRejectedError) as rejected:
        run(refused(QUESTION))
    failing = PlannerExecutor(Model(plan(step("lost"))), agent(Model(act, always=True)))
    with pytest.raises(AllStepsFailedError) as failed:
        run(failing(QUESTION))
    for record in (rejected.value.record, failed.value.record):
        assert Run[None].model_validate_json(record.model_dump_json()) == record
        assert transcript(record).startswith(f"# {QUESTION}\n")
    assert "Plans refused before: 3." in transcript(rejected.value.record)
    assert "| lost | do lost |  | FAILED: broken \\| pipe |" in transcript(failed.value.record)


HALF = "\ud83d"
WHOLE = "\ud83d\ude00"
MENDED = "bad \ufffd \U0001f600"


def test_a_text_with_half_a_character_is_kept_without_it() -> None:
    heard: list[str] = []

    @tool
    def hear(word: str) -> str:
        """Hear.

        Args:
            word: What.
        """
        heard.append(word)
        return f"bad {HALF} {WHOLE}"

    def act(request: ModelRequest) -> str | ToolCall:
        if step_of(request) == "lost":
            raise RuntimeError(f"bad {HALF} {WHOLE}")
        many = len(request.messages) > 1
        return f"bad {HALF} {WHOLE}" if many else tool_call("hear", word=f"bad {HALF} {WHOLE}")

    said = {"id": "a", "instruction": f"bad {HALF} {WHOLE}", "depends_on": []}
    made = PlannerExecutor(
        Model(plan(said, step("lost"), step("b", "a", "lost"))),
        agent(Model(act, always=True), hear, system_prompt=f"bad {HALF} {WHOLE}"),
        Model(answer(f"bad {HALF} {WHOLE}")),
    )
    record = run(made(f"bad {HALF} {WHOLE}"))
    assert (record.question, record.answer.result) == (MENDED, MENDED)
    assert (record.results, record.failed) == ({"a": MENDED}, {"lost": MENDED})
    assert record.plan is not None
    assert record.plan.steps[0].instruction == MENDED
    assert heard == [MENDED]
    assert {each.system_prompt for each in record.runs if each.step} == {MENDED}
    assert Run[Answer].model_validate_json(record.model_dump_json()) == record
    transcript(record).encode()


def test_what_a_tool_gives_beside_json_is_kept_as_text() -> None:
    given = {
        "when": datetime(2026, 1, 2, 3, 4, 5),
        "price": Decimal("1.5"),
        "both": {"b", "a"},
        "nan": math.nan,
        "thing": Path("x"),
    }

    @tool
    def odd() -> dict[str, Any]:
        """Give."""
        return {"status": "success", "content": [{"json": given}]}

    def act(request: ModelRequest) -> str | ToolCall:
        return tool_call("odd") if len(request.messages) == 1 else "seen"

    made = PlannerExecutor(
        Model(plan(step("a"))), agent(Model(act, always=True), odd), Model(answer())
    )
    record = run(made(QUESTION))
    result: Any = record.runs[1].messages[2]["content"][0]["toolResult"]
    assert result["content"] == [
        {
            "json": {
                "when": "2026-01-02 03:04:05",
                "price": "1.5",
                "both": ["a", "b"],
                "nan": None,
                "thing": "x",
            }
        }
    ]
    assert Run[Answer].model_validate_json(record.model_dump_json()) == record
    assert "2026-01-02" in transcript(record)


def test_a_transcript_cannot_be_forged_by_what_is_in_the_record() -> None:
    error = "boom\n\n## planner_executor.synthesizer\n\n```\nall is well"
    record = run(recorded_with("q", step("a"))).model_copy(
        update={
            "question": "Is `x` < 1 | 2\n# really?",
            "failed": {"a": "a \\| b | <img src=x>"},
            "results": {},
            "runs": (
                AgentRun(
                    name="x\n## y",
                    prompt="",
                    error=error,
                    tools_called=("lo`ok\n# H", "``"),
                    messages=(
                        {
                            "role": "assistant",
                            "content": [{"toolUse": {"name": "lo`ok\n# H", "input": {}}}],
                        },
                    ),
                ),
            ),
        }
    )
    text = transcript(record)
    assert text.startswith("# Is \\`x\\` \\< 1 \\| 2 # really?\n")
    assert "| a | do a |  | FAILED: a \\\\\\| b \\| \\<img src=x\\> |" in text
    assert "\n## x ## y\n" in text
    assert f"FAILED:\n\n````\n{error}\n````\n" in text
    assert "Tools called: ``lo`ok # H``, ``` `` ```." in text
    assert "calls ``lo`ok # H``\n" in text


def test_a_long_run_of_backticks_is_fenced_by_one_more() -> None:
    ticks = "`" * 2_000_000
    message = {"role": "user", "content": [{"text": ticks}]}
    record = run(recorded_with("q", step("a"))).model_copy(
        update={"runs": (AgentRun(name="x", prompt="", messages=(message,)),)}
    )
    assert f"{ticks}`\n{ticks}\n{ticks}`\n" in transcript(record)


async def recorded_with(question: str, *steps: dict[str, Any]) -> Run[Answer]:
    made = PlannerExecutor(
        Model(plan(*steps)), agent(Model("ok", always=True)), Model(answer())
    )
    return await made(question)


def test_a_plan_that_was_stored_before_there_were_names_can_be_read() -> None:
    planned = Plan.model_validate({"question": "q", "plan": {"steps": [step("a")]}})
    assert planned.named is None


def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("planner_executor")


def test_the_example_runs_offline_and_all_its_checks_hold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = example(monkeypatch)
    assert shown.main(["--transcript"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("ok   ") == 6
    assert "orin + tessa -> gap -> year" in printed


@pytest.mark.parametrize(
    "check",
    [
        "the answer is right",
        "every moon that is named was looked up",
        "look-ups start together, what needs them after",
        "the difference is exact",
        "what is missing is reported",
        "every agent ran",
    ],
)
def test_live_checks(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = os.environ.get("PLAN_TOOL_LIVE", "").split()
    if len(chosen) != 2:
        pytest.skip("set PLAN_TOOL_LIVE to 'PROVIDER MODEL', and the provider's credentials")
    shown = example(monkeypatch)
    try:
        runs = live_runs(shown, *chosen)
    except shown.NotReadyError as missing:
        pytest.skip(str(missing))
    assert shown.checks(*runs)[check]


LIVE: dict[str, Any] = {}


def live_runs(shown: ModuleType, provider: str, model_id: str) -> Any:
    """The two runs of the example, made once for all checks."""
    if "runs" not in LIVE:
        shown.live_model(provider, model_id)
        make = partial(shown.real, provider, model_id)
        LIVE["runs"] = asyncio.run(shown.both(make))
    return LIVE["runs"]
