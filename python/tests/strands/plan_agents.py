"""Agents with a scripted model for the tests of the Strands plugin, and what they then said."""

from __future__ import annotations

import asyncio
from typing import Any

from strands import Agent

from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, ToolCall, Turn, tool_call

GUARD_S = 10.0
"""How long a test waits for what never takes any time, before it is called hung."""


def submit(*steps: dict[str, Any], **fields: Any) -> ToolCall:
    """The model's call of the plan tool."""
    return tool_call(TOOL_NAME, steps=list(steps), **fields)


def plan_agent(
    *turns: Turn, tools: list[Any], plugin: WorkflowPlanPlugin | None = None, **options: Any
) -> Agent:
    """An agent with the plugin, whose model says these turns."""
    return Agent(
        model=ScriptedModel(*turns),
        tools=tools,
        plugins=[plugin or WorkflowPlanPlugin(), *options.pop("plugins", [])],
        callback_handler=None,
        **options,
    )


def model_of(agent: Agent) -> ScriptedModel:
    """The agent's scripted model."""
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


def tool_results(agent: Agent) -> list[dict[str, Any]]:
    """Every tool result in the conversation, without its id."""
    return [
        {"status": block["toolResult"]["status"], "content": block["toolResult"]["content"]}
        for message in agent.messages
        for block in message["content"]
        if "toolResult" in block
    ]


def answer(agent: Agent) -> str:
    """The text of the only tool result in the conversation, which went well."""
    (result,) = tool_results(agent)
    assert result["status"] == "success", result
    return str(result["content"][0]["text"])


def refusal(agent: Agent) -> str:
    """The text of the only tool result in the conversation, which is an error."""
    (result,) = tool_results(agent)
    assert result["status"] == "error", result
    return str(result["content"][0]["text"])


async def soon(waited: Any) -> Any:
    """Wait for what must come without any time going by."""
    return await asyncio.wait_for(waited, GUARD_S)
