"""A run as Markdown, for a person to read from top to bottom."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from strands_plan_tool.planner_executor.record import AgentRun, Run, Usage
from strands_plan_tool.values import number_to_text

__all__ = ["transcript"]


def transcript(run: Run[Any]) -> str:
    """A run as Markdown: answer, plan, how each step ended, and every message."""
    return "\n\n".join(_parts(run)) + "\n"


def _parts(run: Run[Any]) -> Iterator[str]:
    yield f"# {' '.join(run.question.split())}"
    if run.answer is not None:
        yield f"## Answer\n\n{_fenced(_answer(run.answer), 'json')}"
    if run.plan is not None:
        yield "## Plan"
        rows = [
            _row(run, step.id, step.instruction, step.depends_on) for step in run.plan.steps
        ]
        yield "\n".join(["| step | instruction | needs | ended |", "|---|---|---|---|", *rows])
        waves = [f"{at}. {', '.join(wave)}" for at, wave in enumerate(run.waves, 1)]
        if waves:
            yield "Started together, by level:\n\n" + "\n".join(waves)
    refused = [each for each in run.attempts if each.diagnostics or each.problem]
    if refused:
        yield f"Plans refused before: {len(refused)}."
    yield f"Used in all: {_used(run.usage)}."
    for agent in run.runs:
        yield from _agent(agent)


def _row(run: Run[Any], name: str, instruction: str, needs: tuple[str, ...]) -> str:
    if name in run.results:
        ended = "ok"
    elif name in run.failed:
        ended = f"FAILED: {run.failed[name]}"
    else:
        ended = "SKIPPED" if name in run.skipped else "not begun or not ended"
    cells = [name, instruction, ", ".join(needs), ended]
    return (
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
    )


def _agent(agent: AgentRun) -> Iterator[str]:
    yield f"## {agent.name}"
    called = f" Tools called: {', '.join(agent.tools_called)}." if agent.tools_called else ""
    yield f"Used: {_used(agent.usage)}.{called}"
    if agent.error is not None:
        yield f"FAILED: {agent.error}"
    for message in agent.messages:
        yield f"**{message.get('role', '')}**"
        for block in message.get("content", []):
            yield _block(block)


def _block(block: Mapping[str, Any]) -> str:
    if "text" in block:
        return _fenced(str(block["text"]))
    if "toolUse" in block:
        use = block["toolUse"]
        return f"calls `{use['name']}`\n\n{_fenced(_json(use.get('input')), 'json')}"
    if "toolResult" in block:
        result = block["toolResult"]
        parts = [
            str(part["text"]) if "text" in part else _json(part)
            for part in result.get("content", [])
        ]
        return f"result ({result.get('status', '')})\n\n{_fenced(chr(10).join(parts))}"
    return _fenced(_json(block), "json")


def _fenced(text: str, language: str = "") -> str:
    """A text in a fence that is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _answer(answer: Any) -> str:
    return _json(answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer)


def _json(value: Any) -> str:
    return json.dumps(_whole(value), ensure_ascii=False, indent=2)


def _whole(value: Any) -> Any:
    """The same with whole numbers written alike in every language."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(part) for key, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list) else value


def _used(usage: Usage) -> str:
    requests = f"{usage.requests} request{'' if usage.requests == 1 else 's'}"
    cost = "" if usage.cost is None else f", cost {number_to_text(usage.cost)}"
    seconds = number_to_text(math.floor(usage.duration_s * 1000 + 0.5) / 1000)
    return f"{requests}, {usage.total_tokens} tokens{cost}, {seconds} s"
