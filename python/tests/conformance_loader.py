"""Runs the files under conformance/cases in process, so that a debugger works.

What a case may say is in conformance/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from strands_plan_tool.errors import PlanError
from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.models import PlanResult, Policy
from strands_plan_tool.preview import preview_plan
from strands_plan_tool.testing import StubTools, call_row
from strands_plan_tool.testing.rounds import run_rounds
from strands_plan_tool.testing.task_commands import tasks_checked, tasks_executed
from strands_plan_tool.validate import check_plan, validate_plan
from strands_plan_tool.values import NOTHING, ingest

CASES = Path(__file__).parents[2] / "conformance" / "cases"

Case = Mapping[str, Any]
Outcome = dict[str, Any]

RESULT: Outcome = {"returned": {}, "output": None, "output_error": None, "notes": []}
RESULT |= {"final": False, "ends_turn": False}
ENDS = {"value", "refused", "error", "cancelled", "paused", "pauses"}
RUN = {"result", "cancelled", "paused", "calls", "timeline"}
ENTRY = {"error": None, "code": None, "items": None, "reused": 0}


def load() -> Iterator[Case]:
    """Every case of an engine, file by file; each knows the file's topic by its id."""
    for path in sorted(p for p in CASES.rglob("*.json") if p.parent.name != "unwrap"):
        place = path.relative_to(CASES).with_suffix("").as_posix()
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            assert case["id"].startswith(place), f"{case['id']} stands in {place}.json"
            yield case


def run(case: Case) -> tuple[Outcome, Outcome]:
    """What the engine makes of a case, in the words of its expectation, and that in full."""
    expected = dict(case["expect"])
    if "task_plan" in case:
        seen = tasks_executed(case) if "executors" in case else _tasks_checked(case)
        expected.get("diagnostics", []).sort(key=_place)
    elif "expression" in case:
        seen = _evaluated(case)
    elif RUN & expected.keys():
        seen = _executed(case, expected)
    else:
        seen = _validated(case)
        expected.get("diagnostics", []).sort(key=_place)
    return {key: seen[key] for key in seen if key in expected or key in ENDS}, expected


def _tasks_checked(case: Case) -> Outcome:
    seen = tasks_checked(case)
    for found in seen["diagnostics"]:
        del found["message"]
    seen["diagnostics"].sort(key=_place)
    return seen


def _evaluated(case: Case) -> Outcome:
    steps, item, rootless = case.get("steps", {}), "item" in case, "root" not in case
    scope = Scope(ids=tuple(steps), field="bind", has_item=item, inputs=None)
    expression, problems = parse_expression(case["expression"], scope if rootless else None)
    if expression is None or problems:
        return {"refused": problems[0].code}
    context = Context(
        steps=ingest(steps),
        input=ingest(case.get("input", {})),
        item=ingest(case["item"]) if item else NOTHING,
        index=case.get("index", 0) if item else NOTHING,
    )
    if not rootless:
        context = Context.of_root(ingest(case["root"]))
    seen: Outcome = {"dependencies": list(expression.dependencies)}
    try:
        value, seen["steps_used"] = compile_tree(expression.tree).run_counted(context)
    except EvaluationError as error:
        return seen | {"error": error.code}
    return seen | ({"error": "no_value"} if value is NOTHING else {"value": value})


def _validated(case: Case) -> Outcome:
    given = case["plan"] if "plan" in case else case["plan_text"]
    tools = StubTools(case["tools"]).infos if "tools" in case else None
    policy, data = Policy.model_validate(case.get("policy", {})), case.get("input")
    found = validate_plan(given, tools=tools, policy=policy, input=data)
    seen: Outcome = {
        "diagnostics": sorted(({"code": d.code, "path": d.path} for d in found), key=_place)
    }
    with suppress(PlanError):
        plan = check_plan(given, tools=tools, policy=policy, input=data)
        seen["levels"] = [list(level) for level in plan.levels]
        seen["dependencies"] = {step.step.id: list(step.dependencies) for step in plan.steps}
        seen["repairs"] = len(plan.notes)
        seen["preview"] = preview_plan(plan)
    return seen


def _executed(case: Case, expected: Outcome) -> Outcome:
    run = run_rounds(case)
    keyed = any("key" in call for call in expected.get("calls", []))
    calls = [call_row(call) | ({"key": call.key} if keyed else {}) for call in run.tools.calls]
    seen: Outcome = {"calls": calls, "timeline": run.recorder.timeline}
    if run.pauses:
        seen["pauses"] = run.pauses
    if run.memory is not None:
        seen["memory"] = [
            {"tool": call.tool, "args": call.args, "result": call.result} for call in run.memory
        ]
    if run.result is None:
        return seen | ({"cancelled": True} if run.cancelled else {"paused": True})
    if "result" in expected:
        seen["result"], expected["result"] = _compared(run.result, expected["result"])
    return seen


def _compared(result: PlanResult, wanted: Outcome) -> tuple[Outcome, Outcome]:
    """The two results with every member in both, but for texts that no case states."""
    seen = result.model_dump(mode="json")
    passes = max(wanted["levels"] - 1, 0)
    full = (
        RESULT | {"inference_passes_saved": passes, "has_output": "output" in wanted} | wanted
    )
    full["ledger"] = [ENTRY | entry for entry in full["ledger"]]
    for entry, outcome in zip(full["ledger"], seen["ledger"], strict=False):
        if entry["code"] is not None and entry["error"] is None:
            entry["error"] = outcome["error"]
    if seen["output_error"] is not None:
        del seen["output_error"]["message"]
    seen["notes"] = [note.partition(": ")[0] for note in seen["notes"]]
    return seen, full


def _place(row: Case) -> tuple[str, str]:
    return row["code"], row["path"]
