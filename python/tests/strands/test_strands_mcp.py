"""Tools of an MCP server: their declared results are checked against and computed with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plan_agents import answer, plan_agent, refusal, submit, tool_results

pytest.importorskip("mcp")

from mcp import StdioServerParameters, stdio_client
from strands.hooks import AfterToolCallEvent
from strands.tools.mcp import MCPClient

SERVER = Path(__file__).parent / "mcp_server.py"


@pytest.fixture(scope="module")
def tools() -> Iterator[list[Any]]:
    parameters = StdioServerParameters(command=sys.executable, args=[str(SERVER)])
    transport: Any = lambda: stdio_client(parameters)  # noqa: E731
    with MCPClient(transport) as client:
        yield list(client.list_tools_sync())


async def test_structured_results_flow_from_step_to_step(tools: list[Any]) -> None:
    plan = submit(
        {"id": "c", "tool": "cities", "args": {"country": "fr"}},
        {"id": "w", "tool": "weather", "for_each": "steps.c", "bind": {"city": "item"}},
        {"id": "l", "tool": "label", "bind": {"text": "steps.w[0].station"}},
        output="{'warm': steps.w.temp_c, 'label': steps.l}",
    )
    agent = plan_agent(plan, "ok", tools=tools)
    await agent.invoke_async("go")
    assert answer(agent) == '{"warm":[12.5,12.5],"label":"007"}'


async def test_a_path_that_the_output_schema_lacks_refuses_the_plan(tools: list[Any]) -> None:
    plan = submit(
        {"id": "w", "tool": "weather", "args": {"city": "Paris"}},
        {"id": "l", "tool": "label", "bind": {"text": "steps.w.temperature"}},
        returns=["l"],
    )
    agent = plan_agent(plan, "ok", tools=tools)
    await agent.invoke_async("go")
    text = refusal(agent)
    assert "/steps/1/bind/text" in text
    assert "unknown_result_field" in text
    assert "temp_c" in text


async def test_two_calls_are_at_the_server_at_one_time(tools: list[Any]) -> None:
    plan = submit(
        {"id": "a", "tool": "meet"}, {"id": "b", "tool": "meet"}, output="steps.a + steps.b"
    )
    agent = plan_agent(plan, "ok", tools=tools)
    await agent.invoke_async("go")
    assert answer(agent) == "2"


async def test_a_servers_error_fails_the_step(tools: list[Any]) -> None:
    agent = plan_agent(submit({"id": "a", "tool": "fail"}, returns=["a"]), "ok", tools=tools)
    await agent.invoke_async("go")
    (told,) = tool_results(agent)
    assert told["content"][0]["text"].startswith("a failed (tool_failed): ")
    assert "Error executing tool fail" in told["content"][0]["text"]


async def test_a_redaction_of_the_content_keeps_structured_content_from_the_plan(
    tools: list[Any],
) -> None:
    def redact(event: AfterToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "weather":
            event.result["content"][0]["text"] = '{"city": "***"}'

    plan = submit({"id": "w", "tool": "weather", "args": {"city": "Paris"}}, returns=["w"])
    agent = plan_agent(plan, "ok", tools=tools)
    agent.add_hook(redact, AfterToolCallEvent)
    await agent.invoke_async("go")
    assert answer(agent) == '{"w":{"city":"***"}}'
