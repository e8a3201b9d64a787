"""A stored run as a fixture: its agents say again what they said, and nothing is called.

Models answer with the recorded messages and tools with the recorded results, so that the
code around a run can be tested without a network, and costs and limits tried out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from strands import Agent
from strands.models import Model
from strands.types.tools import AgentTool
from typing_extensions import TypeVar

from strands_plan_tool.models import TaskPlan
from strands_plan_tool.planner_executor.agents import ANY_STEP, Source
from strands_plan_tool.planner_executor.conduct import ROOT
from strands_plan_tool.planner_executor.record import AgentRun, Answer, Run, Tool
from strands_plan_tool.planner_executor.run import PlannerExecutor

__all__ = ["ReplayedModel", "replayed"]

T = TypeVar("T", bound=BaseModel, default=Answer)


def replayed(
    run: Run[Any] | Mapping[str, Any] | str,
    *,
    answer_type: type[T] = Answer,  # type: ignore[assignment]
    **options: Any,
) -> PlannerExecutor[T]:
    """A ``PlannerExecutor`` that does offline what a stored run did.

    Args:
        run: The record, as it is, as plain JSON or as its text.
        answer_type: The type of the answer, as in the run.
        **options: The other arguments of ``PlannerExecutor``.

    Raises:
        ValidationError: It is no record of a run.
    """
    if isinstance(run, str):
        run = Run[Any].model_validate_json(run)
    elif not isinstance(run, Run):
        run = Run[Any].model_validate(run)
    agents = {agent.name: agent for agent in run.runs}
    executors: dict[str, Source] = {
        agent.step: _maker(agent, run.tools) for agent in run.runs if agent.step is not None
    }
    executors[ANY_STEP] = _maker(None, run.tools)
    return PlannerExecutor(
        ReplayedModel(agents.get(f"{ROOT}.planner"), TaskPlan),
        executors,
        ReplayedModel(agents.get(f"{ROOT}.synthesizer"), answer_type),
        answer_type=answer_type,
        **options,
    )


class ReplayedModel(Model):
    """Says what the model of a recorded agent said, in the same order.

    Args:
        run: The agent's record; None for one that said nothing.
        structured: What the agent gave as structured output, of which a planner and a
            synthesizer give nothing else. Strands calls the tool for it by the type's name
            here and by another in other languages, whose records are replayed too.

    Where the record ends, it fails as the agent did.
    """

    def __init__(self, run: AgentRun | None, structured: type[BaseModel] | None = None) -> None:
        self._run = run
        said = () if run is None else run.messages
        self._said = [_restored(each) for each in said if each["role"] == "assistant"]
        if structured is not None:
            for message in self._said:
                for block in message["content"]:
                    if "toolUse" in block:
                        block["toolUse"]["name"] = structured.__name__

    def update_config(self, **model_config: Any) -> None:
        """There is nothing to configure."""

    def get_config(self) -> dict[str, Any]:
        """The id of the recorded model, so that prices are the same."""
        return {"model_id": self._run.model if self._run else ""}

    def structured_output(
        self, *args: Any, **kwargs: Any
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Not asked for: agents get structured output by a tool call."""
        raise NotImplementedError

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterable[Any]:
        """Say the message that followed as many as there are now.

        Raises:
            RuntimeError: The record has no further message.
        """
        at = sum(1 for each in messages if each["role"] == "assistant")
        if self._run is None or at >= len(self._said):
            error = None if self._run is None else self._run.error
            raise RuntimeError(error or "the record has no further answer of this agent")
        message = self._said[at]
        yield {"messageStart": {"role": "assistant"}}
        for block in message["content"]:
            for event in _events(block):
                yield event
        stops = self._run.stop_reasons
        asks = any("toolUse" in block for block in message["content"])
        stop = stops[at] if at < len(stops) else "tool_use" if asks else "end_turn"
        yield {"messageStop": {"stopReason": stop}}
        metadata = message.get("metadata", {})
        usage = metadata.get("usage") or {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 0}}}


class _ReplayedTool(AgentTool):
    """Gives the recorded result of each of its calls."""

    def __init__(self, tool: Tool, results: Mapping[str, Any]) -> None:
        super().__init__()
        self._tool = tool
        self._results = results

    @property
    def tool_name(self) -> str:
        return self._tool.name

    @property
    def tool_type(self) -> str:
        return "replayed"

    @property
    def tool_spec(self) -> Any:
        return {
            "name": self._tool.name,
            "description": self._tool.description,
            "inputSchema": {"json": {"type": "object", "properties": {}}},
        }

    async def stream(
        self, tool_use: Any, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        use_id = tool_use["toolUseId"]
        missing = {"status": "error", "content": [{"text": "the record has no result of this"}]}
        yield {**self._results.get(use_id, missing), "toolUseId": use_id}


def _maker(run: AgentRun | None, tools: Sequence[Tool]) -> Callable[[], Agent]:
    results = {
        block["toolResult"]["toolUseId"]: block["toolResult"]
        for message in (() if run is None else run.messages)
        for block in _restored(message)["content"]
        if "toolResult" in block
    }

    def make() -> Agent:
        return Agent(
            model=ReplayedModel(run),
            system_prompt=None if run is None else run.system_prompt,
            tools=[_ReplayedTool(tool, results) for tool in tools],
            callback_handler=None,
        )

    return make


def _events(block: Mapping[str, Any]) -> list[Any]:
    if "toolUse" in block:
        use = block["toolUse"]
        start: Any = {"toolUse": {"name": use["name"], "toolUseId": use["toolUseId"]}}
        deltas: list[Any] = [{"toolUse": {"input": json.dumps(use.get("input", {}))}}]
    elif "reasoningContent" in block:
        start, deltas = {}, [{"reasoningContent": part} for part in _reasoning(block)]
    else:
        start, deltas = {}, [{"text": block.get("text", "")}]
    return [
        {"contentBlockStart": {"start": start}},
        *({"contentBlockDelta": {"delta": delta}} for delta in deltas),
        {"contentBlockStop": {}},
    ]


def _reasoning(block: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = block["reasoningContent"].get("reasoningText", {})
    return [{key: text[key]} for key in ("text", "signature") if key in text]


def _restored(value: Any) -> Any:
    """A part of a message with its bytes."""
    if isinstance(value, dict):
        if value.keys() == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        return {key: _restored(part) for key, part in value.items()}
    return [_restored(part) for part in value] if isinstance(value, list) else value
