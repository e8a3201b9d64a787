"""An MCP server on stdin and stdout, for the tests: its tools declare what they return."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

try:
    module, name = importlib.import_module("mcp.server.mcpserver"), "MCPServer"
except ImportError:  # mcp 1.x
    module, name = importlib.import_module("mcp.server.fastmcp"), "FastMCP"

server: Any = getattr(module, name)("desk")
here = asyncio.Barrier(2)

Function = TypeVar("Function", bound=Callable[..., Any])


def offer(function: Function) -> Function:
    """Make a function a tool of the server."""
    server.tool()(function)
    return function


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    temp_c: float
    station: str


@offer
def weather(city: str) -> Weather:
    """The weather of a city."""
    return Weather(city=city, temp_c=12.5, station="007")


@offer
def cities(country: str) -> list[str]:
    """The cities of a country."""
    return [f"{country}-1", f"{country}-2"]


@offer
def label(text: str) -> str:
    """A label."""
    return text


@offer
async def meet() -> int:
    """Wait until two are here."""
    async with asyncio.timeout(10):
        await here.wait()
    return 1


@offer
def fail() -> int:
    """Fail."""
    raise ValueError("out of order")


if __name__ == "__main__":
    server.run("stdio")
