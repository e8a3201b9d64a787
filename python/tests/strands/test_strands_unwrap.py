"""Each SDK's own shape of a tool's result gives a plan the same value."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strands import tool
from strands.types.tools import AgentTool

from strands_plan_tool.errors import ToolExecutionError
from strands_plan_tool.strands_adapter import unwrap_tool_result
from strands_plan_tool.strands_adapter.blocks import Blocks

FOLDER = Path(__file__).parents[3] / "conformance" / "cases" / "unwrap"

Case = dict[str, Any]


def cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            assert case["id"].rpartition("/")[0] == f"unwrap/{path.stem}", case["id"]
            yield case


def tool_of(case: Case) -> AgentTool:
    """A function that does what the case says, as a tool."""

    @tool
    def made() -> Any:
        """Do so."""
        if "raises" in case:
            raise ValueError(case["raises"])
        return copy.deepcopy(case["returns"])

    return made


async def called(case: Case) -> tuple[dict[str, Any], BaseException | None]:
    """What the SDK makes of a call, and what the tool raised."""
    if "mcp" in case:
        return mcp_result(case["mcp"]), None
    use: Any = {"toolUseId": "t", "name": "made", "input": {}}
    events: list[Any] = [event async for event in tool_of(case).stream(use, {})]
    return dict(events[-1]["tool_result"]), getattr(events[-1], "exception", None)


def mcp_result(told: Any) -> dict[str, Any]:
    """What the SDK's client makes of what a server answers."""
    types = pytest.importorskip("mcp.types")
    client = pytest.importorskip("strands.tools.mcp").MCPClient(lambda: None)
    answer = types.CallToolResult.model_validate(told)
    result = dict(client._handle_tool_result("t", answer))
    # Told beside the status by some versions of the SDK and not by others.
    result.pop("isError", None)
    return result


def as_data(part: Any) -> Any:
    """The same, its bytes as the cases write them."""
    if isinstance(part, bytes):
        return base64.b64encode(part).decode()
    if isinstance(part, dict):
        return {name: as_data(inner) for name, inner in part.items()}
    return [as_data(inner) for inner in part] if isinstance(part, list) else part


def unwrapped(result: Any, case: Case, exception: BaseException | None = None) -> Any:
    """The value that a plan gets, or what it is told of a failure."""
    schema, blocks = case.get("output_schema"), Blocks()
    try:
        value = unwrap_tool_result(
            "t", result, output_schema=schema, blocks=blocks, exception=exception
        )
    except ToolExecutionError as failed:
        return {"error": failed.detail}
    return {"value": value}


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case["id"])
async def test_each_sdks_shape_of_a_result_gives_the_same_value(case: Case) -> None:
    told = {**case["results"]["python"], "toolUseId": "t"}
    exception: BaseException | None = None
    if case.keys() & {"returns", "raises", "mcp"}:
        real, exception = await called(case)
        assert as_data(real) == told
    assert unwrapped(told, case, exception) == case["expect"]
