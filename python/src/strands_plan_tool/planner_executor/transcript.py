"""A run as Markdown, for a person to read from top to bottom."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from strands_plan_tool.planner_executor.record import AgentRun, Run, Usage
from strands_plan_tool.values import number_to_text

__all__ = ["transcript"]

# What would be more than a letter in a line of Markdown.
_ACTIVE: Final = re.compile(r"[\\`*<>&|\[\]]")
_TICKS: Final = re.compile("`+")


def transcript(run: Run[Any]) -> str:
    """A run as Markdown: answer, plan, how each step ended, and every message."""
    return "\n\n".join(_parts(run)) + "\n"


def _parts(run: Run[Any]) -> Iterator[str]:
    yield f"# {_line(run.question)}"
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
    return f"| {' | '.join(map(_line, cells))} |"


def _agent(agent: AgentRun) -> Iterator[str]:
    yield f"## {_line(agent.name)}"
    called = ", ".join(map(_name, agent.tools_called))
    yield f"Used: {_used(agent.usage)}.{f' Tools called: {called}.' if called else ''}"
    if agent.error is not None:
        yield f"FAILED:\n\n{_fenced(agent.error)}"
    for message in agent.messages:
        yield f"**{_line(str(message.get('role', '')))}**"
        for block in message.get("content", []):
            yield _block(block)


def _block(block: Mapping[str, Any]) -> str:
    if "text" in block:
        return _fenced(str(block["text"]))
    if "toolUse" in block:
        use = block["toolUse"]
        name = _name(str(use["name"]))
        return f"calls {name}\n\n{_fenced(_json(use.get('input')), 'json')}"
    if "toolResult" in block:
        result = block["toolResult"]
        parts = [
            str(part["text"]) if "text" in part else _json(part)
            for part in result.get("content", [])
        ]
        status = _line(str(result.get("status", "")))
        return f"result ({status})\n\n{_fenced(chr(10).join(parts))}"
    return _fenced(_json(block), "json")


def _fenced(text: str, language: str = "") -> str:
    """A text in a fence that is longer than any in it."""
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _name(text: str) -> str:
    """A name as code on one line, in a span that it cannot end."""
    line = " ".join(text.split())
    ticks = "`" * (_longest(line) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{edge}{line}{edge}{ticks}"


def _line(text: str) -> str:
    """A text on one line, as it is: no markup, and no end of a cell."""
    return _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))


def _longest(text: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, _TICKS.findall(text)), default=0)


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
