"""Which of an agent's tools a plan may call, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from strands.types.tools import AgentTool

from strands_plan_tool.policy import matches
from strands_plan_tool.strands_adapter.options import patterns_of
from strands_plan_tool.strands_adapter.shapes import checked_schema, input_schema
from strands_plan_tool.strands_adapter.spec import TOOL_NAME
from strands_plan_tool.validate import ToolInfo

if TYPE_CHECKING:
    from strands import Agent

ALL_TOOLS: Final = ("*",)
"""The patterns that make every tool plannable, but the plan tool itself."""


def resolve_plannable(patterns: Iterable[str], registered: Iterable[str]) -> frozenset[str]:
    """Which registered tools the patterns let into plans.

    Args:
        patterns: Tool names, in which ``*`` stands for any run of characters; one that starts
            with ``!`` takes out instead of letting in, wherever it stands in the list.
        registered: The names of the agent's tools.

    Returns:
        The names that some pattern lets in and none takes out; never the plan tool's own.

    Raises:
        TypeError: A pattern is no string.
    """
    meant = named_by(patterns)
    return frozenset(tool for tool in registered if tool != TOOL_NAME and meant(tool))


def named_by(patterns: Iterable[str], option: str = "plannable") -> Callable[[str], bool]:
    """Whether patterns name a tool: see ``resolve_plannable``.

    Args:
        patterns: The patterns.
        option: What they were given as.

    Raises:
        TypeError: A pattern is no string.
    """
    names = patterns_of(patterns, option)
    included = [name for name in names if not name.startswith("!")]
    excluded = [name[1:] for name in names if name.startswith("!")]

    def meant(tool: str) -> bool:
        return any(matches(pattern, tool) for pattern in included) and not any(
            matches(pattern, tool) for pattern in excluded
        )

    return meant


def registered_tools(agent: Agent) -> dict[str, AgentTool]:
    """The agent's tools by name, as they are now: tools may come and go between two plans."""
    tools = {**agent.tool_registry.registry, **agent.tool_registry.dynamic_tools}
    return {n: tool for n, tool in tools.items() if tool.tool_type != "structured_output"}


def find_tool(agent: Agent, name: str) -> AgentTool | None:
    """The tool that a call by this name reaches."""
    return agent.tool_registry.dynamic_tools.get(name) or agent.tool_registry.registry.get(name)


def tool_infos(agent: Agent, patterns: Iterable[str]) -> dict[str, ToolInfo]:
    """What plans for this agent are checked against."""
    tools = registered_tools(agent)
    plannable = resolve_plannable(patterns, tools)
    # The plan tool stays in the list, so that a plan in a plan is told what is wrong with it.
    return {
        name: ToolInfo(
            input_schema=input_schema(tool),
            output_schema=checked_schema(tool),
            plannable=name in plannable,
        )
        for name, tool in tools.items()
    }
