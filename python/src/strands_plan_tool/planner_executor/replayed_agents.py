"""Agents that say again what recorded ones said, with tools that give what those gave."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel
from strands import Agent
from strands.agent import AgentResult
from strands.hooks import AfterToolsEvent, BeforeModelCallEvent
from strands.models import Model
from strands.types.tools import AgentTool

from strands_plan_tool.planner_executor.record import AgentRun, Tool, restored

__all__ = ["ReplayedAgent", "ReplayedModel"]

# What the SDK takes for the name of a tool.
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class ReplayedModel(Model):
    """Says what the model of a recorded agent said, in the same order, in one conversation.

    Args:
        run: The agent's record; None for one that said nothing.
        structured: What the agent gave as structured output. Strands calls the tool for it
            by the type's name here and by another in other languages, whose records are
            replayed too; what the agent called beside it stays what it was.

    Attributes:
        said: The recorded messages of the model.
        made: Requests so far.

    Where the record ends, it fails as the agent did.
    """

    def __init__(self, run: AgentRun | None, structured: type[BaseModel] | None = None) -> None:
        self._run = run
        self.made = 0
        messages = () if run is None else run.messages
        self.said = [restored(each) for each in messages if each["role"] == "assistant"]
        if run is None or structured is None:
            return
        for block in (block for message in self.said for block in message["content"]):
            if "toolUse" in block and block["toolUse"]["name"] not in run.tools_called:
                block["toolUse"] = {**block["toolUse"], "name": structured.__name__}

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
        """Say the next message; what was said before may have been taken out meanwhile.

        Raises:
            RuntimeError: The record has no further message.
        """
        at, self.made = self.made, self.made + 1
        if self._run is None or at >= len(self.said):
            error = None if self._run is None else self._run.error
            raise RuntimeError(error or "the record has no further answer of this agent")
        message = self.said[at]
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


class ReplayedAgent(Agent):
    """An executor that goes on as long as its record does, and then has the result in it.

    It may have ended otherwise than by words: by structured output, by a tool that ended the
    turn.

    Args:
        run: Its record; None for one that said nothing.
        result: What the step gave.
        tools: The tools of the run.
    """

    def __init__(self, run: AgentRun | None, result: str, tools: Sequence[Tool]) -> None:
        self._replayed = ReplayedModel(run)
        self._run = run
        self._result = result
        super().__init__(
            model=self._replayed,
            system_prompt=None if run is None else run.system_prompt,
            tools=list(_tools(run, tools)),
            callback_handler=None,
        )
        self.hooks.add_callback(BeforeModelCallEvent, self._before_model)
        self.hooks.add_callback(AfterToolsEvent, self._after_tools)

    async def invoke_async(self, prompt: Any = None, **options: Any) -> AgentResult:
        """Ask; where the SDK itself asked again in the recorded run, it is asked again."""
        try:
            result = await super().invoke_async(prompt, **options)
            while self._goes_on():
                result = await super().invoke_async(self._next_prompt(), **options)
        except _Ended:
            message: Any = {"role": "assistant", "content": [{"text": self._result}]}
            return AgentResult("end_turn", message, self.event_loop_metrics, {})
        return result

    def _goes_on(self) -> bool:
        made, said = self._replayed.made, len(self._replayed.said)
        run = self._run
        return run is not None and run.error is None and made < min(len(run.stop_reasons), said)

    def _next_prompt(self) -> str | None:
        messages = () if self._run is None else self._run.messages
        ends = [at for at, each in enumerate(messages) if each["role"] == "assistant"]
        following = messages[ends[self._replayed.made - 1] + 1]
        texts = [block["text"] for block in following["content"] if "text" in block]
        return "\n".join(texts) if following["role"] == "user" else None

    def _is_over(self) -> bool:
        run = self._run
        if run is None or run.error is not None:
            return False
        return self._replayed.made >= (len(run.stop_reasons) or len(self._replayed.said))

    def _before_model(self, event: BeforeModelCallEvent) -> None:
        if self._is_over():
            raise _Ended

    def _after_tools(self, event: AfterToolsEvent) -> None:
        said = self._replayed.said
        if self._is_over() and len(said) > self._replayed.made:
            # What ended the turn said it, and not the model.
            event.end_turn = [*said[-1]["content"]]


class _Ended(BaseException):
    """The record of an agent ends here; no ``Exception``, so that the SDK lets it through."""


def _tools(run: AgentRun | None, tools: Sequence[Tool]) -> list[AgentTool]:
    """Each tool of the run, and each other that the agent called."""
    messages = () if run is None else [restored(each) for each in run.messages]
    blocks = [block for message in messages for block in message["content"]]
    results = {
        block["toolResult"]["toolUseId"]: block["toolResult"]
        for block in blocks
        if "toolResult" in block
    }
    known = {_folded(tool.name): tool for tool in tools}
    for name in (str(block["toolUse"]["name"]) for block in blocks if "toolUse" in block):
        if _NAME.fullmatch(name):
            known.setdefault(_folded(name), Tool(name=name, description=""))
    return [_ReplayedTool(tool, results) for tool in known.values()]


def _folded(name: str) -> str:
    """A name as the SDK compares it."""
    return name.replace("-", "_")


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
