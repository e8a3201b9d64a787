"""A Strands model that says what it was told to say: for tests and demos without a network.

    model = ScriptedModel(
        tool_call("submit_workflow_plan", steps=[...], returns=["a"]),
        "Done.",
    )
    agent = Agent(model=model, tools=[...], plugins=[WorkflowPlanPlugin()])

Needs the extra ``strands``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from strands.models import Model
from strands.types.content import Messages
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolSpec

__all__ = ["ModelRequest", "ScriptedModel", "ToolCall", "Turn", "tool_call"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for.

    Attributes:
        name: The tool's name.
        input: Its input: any JSON value, since models get that wrong too.
        id: The id of the call; by default made from its place in the script.
    """

    name: str
    input: Any
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What the agent sent for one turn.

    Attributes:
        messages: The conversation so far, as it was then.
        tool_specs: The tools on offer.
        system_prompt: The system prompt, if it is one text.
        options: Whatever else the SDK passed, such as ``tool_choice``.
    """

    messages: Messages
    tool_specs: tuple[ToolSpec, ...]
    system_prompt: str | None
    options: Mapping[str, Any] = field(default_factory=dict)


Said: TypeAlias = str | ToolCall | Sequence[ToolCall | str]
Turn: TypeAlias = Said | Callable[[ModelRequest], Said]
"""One answer: a text, which ends the turn; calls, with texts between them; or what makes it."""


def tool_call(name: str, /, **input: Any) -> ToolCall:
    """A call with its arguments by name."""
    return ToolCall(name, input)


class ScriptedModel(Model):
    """Answers each request of an agent with the next turn of a script.

    Args:
        turns: The answers, in order.

    Attributes:
        requests: What the agent sent, one entry a model call.
    """

    def __init__(self, *turns: Turn) -> None:
        self.requests: list[ModelRequest] = []
        self._turns = list(turns)
        self._config: dict[str, Any] = {"model_id": "scripted"}

    @property
    def calls(self) -> int:
        """How often the model was called."""
        return len(self.requests)

    def update_config(self, **model_config: Any) -> None:
        """Take over configuration, which changes nothing of the script."""
        self._config.update(model_config)

    def get_config(self) -> dict[str, Any]:
        """The configuration."""
        return self._config

    def structured_output(
        self, *args: Any, **kwargs: Any
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Not scripted: an agent's ``structured_output_model`` asks by a tool call instead."""
        raise NotImplementedError("script a call of the structured output tool instead")

    async def stream(
        self,
        messages: Messages,
        tool_specs: list[ToolSpec] | None = None,
        system_prompt: str | None = None,
        **options: Any,
    ) -> AsyncIterable[StreamEvent]:
        """Say the next turn of the script.

        Raises:
            AssertionError: The script has no further turn.
        """
        request = ModelRequest(
            messages=copy.deepcopy(messages),
            tool_specs=tuple(copy.deepcopy(tool_specs or ())),
            system_prompt=system_prompt,
            options=options,
        )
        self.requests.append(request)
        if len(self.requests) > len(self._turns):
            raise AssertionError(
                f"the script has {len(self._turns)} turns and the agent asked for another"
            )
        turn = self._turns[len(self.requests) - 1]
        said = turn(request) if callable(turn) else turn
        parts = [said] if isinstance(said, str | ToolCall) else list(said)

        yield {"messageStart": {"role": "assistant"}}
        for place, part in enumerate(parts):
            for event in _block(part, f"call_{len(self.requests)}_{place}"):
                yield event
        asks = any(isinstance(part, ToolCall) for part in parts)
        yield {"messageStop": {"stopReason": "tool_use" if asks else "end_turn"}}
        yield {
            "metadata": {
                "usage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0},
                "metrics": {"latencyMs": 0},
            }
        }


def _block(part: str | ToolCall, call_id: str) -> list[StreamEvent]:
    if isinstance(part, str):
        return [
            {"contentBlockStart": {"start": {}}},
            {"contentBlockDelta": {"delta": {"text": part}}},
            {"contentBlockStop": {}},
        ]
    start = {"name": part.name, "toolUseId": part.id or call_id}
    return [
        {"contentBlockStart": {"start": {"toolUse": start}}},  # type: ignore[typeddict-item]
        {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(part.input)}}}},
        {"contentBlockStop": {}},
    ]
