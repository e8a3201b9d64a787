"""This engine as a process that speaks the protocol of the conformance suite.

    python -m strands_plan_tool.testing.executor

JSON Lines: a command a line in, its answer a line out, as ``conformance/README.md`` tells.
What a tool or a library prints goes to stderr, since stdout carries the protocol alone.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TextIO

from strands_plan_tool.errors import PlanError
from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.expressions import Problem, Scope, parse_expression
from strands_plan_tool.models import Diagnostic, Policy
from strands_plan_tool.preview import preview_plan
from strands_plan_tool.recursion import deep_calls
from strands_plan_tool.render import render_for_model
from strands_plan_tool.testing.recording import call_row
from strands_plan_tool.testing.rounds import run_rounds
from strands_plan_tool.testing.task_commands import tasks_checked, tasks_executed
from strands_plan_tool.testing.tools import StubTools
from strands_plan_tool.validate import check_plan, parse_plan, validate_plan
from strands_plan_tool.values import NOTHING, ValueFault, ingest

__all__ = ["PROTOCOL", "answer", "serve"]

PROTOCOL: Final = 1
"""The version of the protocol that this speaks."""

Message = dict[str, Any]


def serve(commands: TextIO, answers: TextIO) -> None:
    """Answer each command in turn until ``stop`` or the end of the input."""
    for line in commands:
        command: Any = None
        try:
            # Data may nest deeper than what a plan may hold, so that it is refused here.
            with deep_calls():
                command = json.loads(line)
            if command["cmd"] == "stop":
                return
            reply = answer(command)
            text = json.dumps(reply, allow_nan=False)
        except Exception as error:
            text = json.dumps(_errored(command, error))
        answers.write(text + "\n")
        answers.flush()


def answer(command: Mapping[str, Any]) -> Message:
    """The answer to one command; what the engine itself does wrong is raised."""
    kind = command["cmd"]
    if kind == "start":
        return _started(command["protocol"])
    answers = {
        "evaluate": _evaluated,
        "validate": _validated,
        "run": _executed,
        "check_tasks": tasks_checked,
        "run_tasks": tasks_executed,
    }
    if kind not in answers:
        raise ValueError(f"there is no command {kind!r}")
    return {"seq": command["seq"], **answers[kind](command)}


def _started(protocol: int) -> Message:
    if protocol != PROTOCOL:
        raise ValueError(f"protocol {protocol} is not spoken here, only {PROTOCOL}")
    try:
        own = version("strands-plan-tool")
    except PackageNotFoundError:
        own = "source"
    engine = {"name": "python", "version": own, "runtime": platform.python_version()}
    return {"protocol": PROTOCOL, "engine": engine}


def _errored(command: Any, error: Exception) -> Message:
    told = {"message": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
    return {"seq": command.get("seq") if isinstance(command, dict) else None, "errored": told}


def _evaluated(command: Mapping[str, Any]) -> Message:
    has_item, has_root = "item" in command, "root" in command
    scope = Scope(
        ids=tuple(command.get("steps", {})), field="bind", has_item=has_item, inputs=None
    )
    text = command["expression"]
    expression, problems = parse_expression(text, None if has_root else scope)
    if expression is None or problems:
        return {"refused": _diagnostic(problems[0])}
    seen: Message = {"dependencies": list(expression.dependencies)}
    try:
        context = _context(command)
        program = compile_tree(expression.tree)
        value, seen["steps_used"] = program.run_counted(context)
    except ValueFault as fault:
        return seen | {"error": _error(fault.code, fault.message)}
    except EvaluationError as error:
        return seen | {"error": _error(error.code, error.message, error.hint)}
    if value is NOTHING:
        return seen | {"error": _error("no_value", "it matches nothing")}
    return seen | {"value": value}


def _context(command: Mapping[str, Any]) -> Context:
    if "root" in command:
        return Context.of_root(ingest(command["root"]))
    has_item = "item" in command
    return Context(
        steps=ingest(command.get("steps", {})),
        input=ingest(command.get("input", {})),
        item=ingest(command["item"]) if has_item else NOTHING,
        index=command.get("index", 0) if has_item else NOTHING,
    )


def _error(code: str, message: str, hint: str = "") -> Message:
    return {"code": str(code), "message": message, "hint": hint}


def _diagnostic(problem: Problem) -> Message:
    made = Diagnostic(code=problem.code, path="", message=problem.message, hint=problem.hint)
    return made.model_dump(mode="json")


def _validated(command: Mapping[str, Any]) -> Message:
    given = _plan(command)
    host: Message = {
        "tools": StubTools(command["tools"]).infos if "tools" in command else None,
        "policy": Policy.model_validate(command.get("policy", {})),
        "input": command.get("input"),
    }
    seen: Message = {
        "diagnostics": [found.model_dump(mode="json") for found in validate_plan(given, **host)]
    }
    with suppress(PlanError):
        plan = check_plan(given, **host)
        seen["levels"] = [list(level) for level in plan.levels]
        seen["dependencies"] = {step.step.id: list(step.dependencies) for step in plan.steps}
        seen["repairs"] = list(plan.notes)
        seen["preview"] = preview_plan(plan)
    return seen


def _executed(command: Mapping[str, Any]) -> Message:
    try:
        run = run_rounds(command)
    except PlanError as refusal:
        return {"diagnostics": [one.model_dump(mode="json") for one in refusal.diagnostics]}
    calls = [call_row(call) | {"key": call.key} for call in run.tools.calls]
    seen: Message = {"calls": calls, "timeline": run.recorder.timeline}
    if run.pauses:
        seen |= {"pauses": run.pauses, "checkpoints": run.checkpoints}
    if run.memory is not None:
        seen["memory"] = [
            {"tool": call.tool, "args": call.args, "result": call.result} for call in run.memory
        ]
    if run.result is None:
        return seen | ({"cancelled": True} if run.cancelled else {"paused": True})
    kept = [] if run.memory is None else [entry.id for entry in run.result.ledger]
    text = render_for_model(run.result, parse_plan(_plan(command)), remembered=kept)
    return seen | {"result": run.result.model_dump(mode="json"), "model_text": text}


def _plan(command: Mapping[str, Any]) -> Any:
    return command["plan"] if "plan" in command else command["plan_text"]


def main() -> None:
    """Serve on this process's stdin and stdout."""
    protocol = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", newline="\n")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    commands = os.fdopen(sys.stdin.fileno(), encoding="utf-8", newline="\n", closefd=False)
    serve(commands, protocol)


if __name__ == "__main__":
    main()
