"""What is kept of a run: enough to read it, to store it, and to run it again offline."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from strands_plan_tool.models import Diagnostic, TaskPlan
from strands_plan_tool.values import well_formed

__all__ = [
    "AgentRun",
    "Answer",
    "Attempt",
    "Plan",
    "Run",
    "Tool",
    "Usage",
    "mended",
    "plain",
    "restored",
    "told",
]

T = TypeVar("T")

_MEDIA: Final = ("image", "document", "video")


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Answer(_Kept):
    """The answer to the question."""

    result: str
    """The answer in words."""
    subject: str | None = None
    """What the answer is about, if it is one thing."""
    value: float | None = None
    """The number that the question asks for, if it asks for one."""


class Usage(_Kept):
    """What was used.

    Attributes:
        requests: Requests to models.
        input_tokens: Tokens that were sent.
        output_tokens: Tokens that were received.
        total_tokens: Both, as the provider counts them.
        cost: The price of it all; None where the host gave no prices.
        duration_s: Seconds.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cost: float | None = None
    duration_s: float = 0.0


class Tool(_Kept):
    """A tool of the executors, as the planner was told of it."""

    name: str
    description: str


class AgentRun(_Kept):
    """What one agent did.

    Attributes:
        name: ``planner_executor.planner``, ``planner_executor.executor.<step id>`` or
            ``planner_executor.synthesizer``.
        step: The step that it carried out, if it is an executor.
        model: The id of its model; empty if it has none.
        system_prompt: Its system prompt, if that is one text.
        prompt: What it was asked first.
        tools_called: Names of the tools that it called, in order.
        usage: What it used.
        stop_reasons: Why each response of its model ended.
        error: Why it failed, if it did.
        messages: Its whole conversation, in the form of Strands; bytes as base64 text under
            the one key ``$bytes``.
    """

    name: str
    step: str | None = None
    model: str = ""
    system_prompt: str | None = None
    prompt: str
    tools_called: tuple[str, ...] = ()
    usage: Usage = Usage()
    stop_reasons: tuple[str, ...] = ()
    error: str | None = None
    messages: tuple[dict[str, Any], ...] = ()


class Attempt(_Kept):
    """A plan that the planner handed in, and what was wrong with it.

    Attributes:
        plan: The plan; None if there was none.
        diagnostics: Why it was refused; nothing if it was accepted.
        problem: Why there was no plan.
    """

    plan: TaskPlan | None
    diagnostics: tuple[Diagnostic, ...] = ()
    problem: str | None = None


class Plan(_Kept):
    """A plan that may run, with the question it is for; it may be shown, stored, approved.

    Attributes:
        question: The question.
        plan: The steps.
        tools: What executors can do, as the planner was told.
        named: The ids that steps must have, each with the tools of its executor; None if they
            may have any.
        attempts: Every plan that the planner handed in, the accepted one last; empty if the
            plan was written by the host.
        runs: The planner's own record.
        usage: What planning used.
    """

    question: str
    plan: TaskPlan
    tools: tuple[Tool, ...] = ()
    named: dict[str, tuple[str, ...]] | None = None
    attempts: tuple[Attempt, ...] = ()
    runs: tuple[AgentRun, ...] = ()
    usage: Usage = Usage()


class Run(_Kept, Generic[T]):
    """A whole run.

    ``model_dump_json()`` stores it and ``Run[YourAnswer].model_validate_json(text)``
    reads it back; ``replayed`` makes of it what does the same run again offline.

    Attributes:
        question: The question.
        answer: The answer; None in the record of a run that did not come to one, which is
            a ``Run[None]``.
        plan: The plan; None if none was accepted.
        results: What the completed steps gave, by id.
        waves: The steps that started, by level: those of a level need none of each other.
        failed: Why each failed step failed, by id.
        skipped: The steps that did not run for another's failure.
        usage: What the run used in all.
        tools: What executors can do, as the planner was told.
        named: The ids that steps must have, each with the tools of its executor; None if they
            may have any.
        attempts: Every plan that the planner handed in.
        runs: The agents: planner, executors as they finished, synthesizer.
    """

    question: str
    answer: T
    plan: TaskPlan | None = None
    results: dict[str, str] = {}
    waves: tuple[tuple[str, ...], ...] = ()
    failed: dict[str, str] = {}
    skipped: tuple[str, ...] = ()
    usage: Usage = Usage()
    tools: tuple[Tool, ...] = ()
    named: dict[str, tuple[str, ...]] | None = None
    attempts: tuple[Attempt, ...] = ()
    runs: tuple[AgentRun, ...] = ()


def told(error: BaseException) -> str:
    """An error in its own words."""
    return well_formed(str(error)) or type(error).__name__


def mended(value: Any) -> Any:
    """A part of a message in which every text is well-formed."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {mended(key): mended(part) for key, part in value.items()}
    return [mended(part) for part in value] if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """A part of a message as JSON that shares nothing with it.

    Bytes become base64; what a tool gave beside JSON becomes a text.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, bytes | bytearray):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        return {well_formed(str(key)): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, set | frozenset):
        # In an order that is the same in every run.
        return [plain(part) for part in sorted(value, key=str)]
    return well_formed(str(value))


def restored(message: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded message as the SDK reads it, with the bytes of its media."""
    return {**message, "content": [_restored(block) for block in message["content"]]}


def _restored(block: Mapping[str, Any]) -> dict[str, Any]:
    if "toolResult" in block:
        result = block["toolResult"]
        parts = [_restored(part) for part in result.get("content", [])]
        return {"toolResult": {**result, "content": parts}}
    if "reasoning" in block:
        # So the twin in TypeScript has it.
        return {"reasoningContent": {"reasoningText": block["reasoning"]}}
    # Nowhere else: an object with the key "$bytes" may be a tool's own.
    for kind in _MEDIA:
        source = block[kind].get("source") if kind in block else None
        if isinstance(source, Mapping) and isinstance(source.get("bytes"), Mapping):
            given = base64.b64decode(source["bytes"]["$bytes"])
            return {kind: {**block[kind], "source": {**source, "bytes": given}}}
    return dict(block)
