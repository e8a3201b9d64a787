"""What is reported to go wrong with plans, run: each ends as the plan language says.

The reports are a corpus beside the checkout. What each must end in stands by its id in
``quirk_expectations.json``, in these words:

    refused    the diagnostics as [code, path], in order; then no tool is called
    calls      every call as [step, arguments], in the order they start
    ledger     how each step ends: its status, and the code if there is one
    returned   what goes back
    repaired   where the plan was put right
    ends_at_ms the virtual moment at which the run is over
    agent      the same seen from an agent: calls as [tool, arguments], told, model_calls
    names      texts that the words about what is wrong must hold
    covered_by tests that show it, as file::test
    reason     why, where the language says something else than the report proposes

and what the corpus only describes: ``policy``, ``infos`` (what the host knows of its tools),
``range_to`` and ``nested`` (data told in words).
"""

from __future__ import annotations

import ast
import asyncio
import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from strands_plan_tool import PlanError, PlanResult, Policy, execute_plan, validate_plan
from strands_plan_tool.models import Diagnostic
from strands_plan_tool.testing import StubTools, VirtualClock, same_json

HERE = Path(__file__).parent
CORPUS = Path(__file__).parents[3] / "shared" / "cases" / "quirks.jsonl"
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (HERE / "quirk_expectations.json").read_text(encoding="utf-8")
)

Quirk = dict[str, Any]


def reports() -> list[Quirk]:
    if not CORPUS.is_file():
        return []
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


REPORTS = reports()
OF_PLANS = [quirk for quirk in REPORTS if "agent" not in EXPECTED.get(quirk["id"], {})]
OF_AGENTS = [quirk for quirk in REPORTS if "agent" in EXPECTED.get(quirk["id"], {})]

beside_the_corpus = pytest.mark.skipif(
    not REPORTS, reason="the reports are not beside this checkout"
)


@beside_the_corpus
def test_every_report_has_an_expectation_and_none_is_left_over() -> None:
    assert [quirk["id"] for quirk in REPORTS] == list(EXPECTED)


@beside_the_corpus
@pytest.mark.parametrize("quirk", OF_PLANS, ids=lambda quirk: quirk["id"])
def test_a_reported_plan_ends_as_the_language_says(quirk: Quirk) -> None:
    expected = EXPECTED[quirk["id"]]
    seen, words = ending(as_told(quirk, expected), expected)
    wanted = {key: expected.get(key, EMPTY[key]) for key in EMPTY if key in seen}
    if "ends_at_ms" not in expected:
        seen.pop("ends_at_ms", None)
        wanted.pop("ends_at_ms", None)
    assert seen == wanted
    assert same_json(seen, wanted), "equal but for true and 1"
    assert [name for name in expected.get("names", ()) if name not in words] == []


def test_the_tests_that_are_named_for_a_report_exist() -> None:
    named = {test for expected in EXPECTED.values() for test in expected.get("covered_by", ())}
    there = {
        f"{path.relative_to(HERE).as_posix()}::{node.name}"
        for path in HERE.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert named - there == set()


EMPTY: dict[str, Any] = {
    "refused": [],
    "calls": [],
    "ledger": {},
    "returned": {},
    "repaired": [],
    "ends_at_ms": 0,
}


def as_told(quirk: Quirk, expected: Mapping[str, Any]) -> Quirk:
    """The report with the data that it only tells of in words."""
    told = copy.deepcopy(quirk)
    if "range_to" in expected:
        told["tool_results"]["lookup"]["items"] = list(range(1, expected["range_to"] + 1))
    if "nested" in expected:
        deep: dict[str, Any] = {}
        for _ in range(expected["nested"] - 1):
            deep = {"n": deep}
        told["plan"]["steps"][0]["args"]["deep"] = deep
    return told


def stub(result: Any) -> dict[str, Any]:
    """A tool of the corpus as the data of a stub tool."""
    if not isinstance(result, dict):
        return {"returns": result}
    if "__delay__" in result:
        return {**stub(result["value"]), "takes_ms": result["__delay__"] * 1000}
    if "__error__" in result:
        return {"fails": result["__error__"]}
    if "__cancel__" in result:
        return {"cancels": True}
    if "__echo__" in result:
        return {"echo": True}
    return {"returns": result}


def ending(quirk: Quirk, expected: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """How a report's plan ends, and all that is said of what is wrong with it."""
    clock = VirtualClock()
    tools = StubTools({n: stub(r) for n, r in quirk["tool_results"].items()}, clock=clock)
    policy = Policy.model_validate(expected.get("policy", {}))
    infos = expected.get("infos")
    plan = quirk["plan"]
    found = validate_plan(plan, tools=infos, policy=policy)
    try:
        running = execute_plan(plan, tools, policy=policy, tools=infos, clock=clock)
        result = clock.run(running)
    except PlanError as refused:
        assert (refused.diagnostics, tools.calls) == (found, [])
        return {"refused": places(found)}, said(found)
    assert found == ()
    seen = {
        "calls": [[call.step_id, call.args] for call in tools.calls],
        "ledger": ledger(result),
        "returned": result.returned,
        "repaired": [note.partition(": ")[0] for note in result.notes],
        "ends_at_ms": clock.now() * 1000,
    }
    for call in tools.calls:
        assert_plain(call.args)
    return seen, "\n".join(entry.error for entry in result.ledger if entry.error is not None)


def places(found: tuple[Diagnostic, ...]) -> list[list[str]]:
    return [[problem.code.value, problem.path] for problem in found]


def said(found: tuple[Diagnostic, ...]) -> str:
    return "\n".join(f"{problem.path} {problem.message} {problem.hint}" for problem in found)


def ledger(result: PlanResult) -> dict[str, str]:
    return {
        entry.id: entry.status.value + (f" {entry.code.value}" if entry.code else "")
        for entry in result.ledger
    }


def assert_plain(value: Any) -> None:
    """No subclass of a list or an object reaches a tool."""
    if isinstance(value, dict | list):
        assert type(value) in (dict, list)
        for inner in value.values() if isinstance(value, dict) else value:
            assert_plain(inner)


# The reports about agents: the plan goes through a real agent with the plugin.


@beside_the_corpus
@pytest.mark.parametrize("quirk", OF_AGENTS, ids=lambda quirk: quirk["id"])
async def test_an_agent_meets_a_reported_plan_as_the_language_says(quirk: Quirk) -> None:
    expected = EXPECTED[quirk["id"]]
    seen = await agent_told(quirk)
    told = seen["told"]
    if "told" not in expected["agent"]:
        del seen["told"]
    assert seen == {"calls": [], **expected["agent"]}
    assert [name for name in expected.get("names", ()) if name not in told] == []


async def agent_told(quirk: Quirk) -> dict[str, Any]:
    """What an agent's tools are called with when its model submits the plan."""
    strands = pytest.importorskip("strands")
    from strands.hooks import AfterToolCallEvent  # noqa: PLC0415

    from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin  # noqa: PLC0415
    from strands_plan_tool.testing.scripted_model import ScriptedModel, ToolCall  # noqa: PLC0415

    calls: list[list[Any]] = []

    def note(event: AfterToolCallEvent[Any]) -> None:
        if event.tool_use["name"] != TOOL_NAME:
            calls.append([event.tool_use["name"], event.tool_use["input"]])

    model = ScriptedModel(ToolCall(TOOL_NAME, quirk["plan"]), "ok")
    agent = strands.Agent(
        model=model,
        tools=agent_tools(strands, quirk["tool_results"]),
        plugins=[WorkflowPlanPlugin()],
        callback_handler=None,
    )
    agent.add_hook(note, AfterToolCallEvent)
    running = agent.invoke_async("go", invocation_state={"tenant": "t1"})
    await asyncio.wait_for(running, 10)
    (told,) = [
        block["toolResult"]
        for message in agent.messages
        for block in message["content"]
        if "toolResult" in block
    ]
    return {
        "calls": sorted(calls, key=lambda call: str(call[0])),
        "told": told["content"][0]["text"],
        "status": told["status"],
        "model_calls": model.calls,
    }


def agent_tools(strands: Any, results: Mapping[str, Any]) -> list[Any]:
    """The report's tools: most give what the corpus says, some it describes in words."""
    both = asyncio.Barrier(2)

    async def slow_a() -> str:
        # Passes only where both steps are in their tools at one time.
        await both.wait()
        return "a"

    async def slow_b() -> str:
        await both.wait()
        return "b"

    def mcp() -> Any:
        return results["mcp"]

    def ret() -> Any:
        return results["ret"]

    def lookup() -> Any:
        return results["lookup"]

    def fetch(x: Any = None, sku: Any = None) -> Any:
        return results["fetch"]

    def note(user_message_override: str, body: str) -> dict[str, str]:
        return {"user_message_override": user_message_override, "body": body}

    def ctx(tool_context: Any) -> dict[str, str]:
        return {"tenant": tool_context.invocation_state["tenant"]}

    def typed(n: int, flag: bool = False, name: str = "dflt") -> int:
        return n

    every = [slow_a, slow_b, mcp, ret, lookup, fetch, note, typed]
    made = [strands.tool(description="A tool.")(each) for each in every]
    made.append(strands.tool(description="A tool.", context=True)(ctx))
    return [each for each in made if each.tool_name in results]
