"""Plans for Strands agents: the plugin, and the parts of it that are of use alone.

    from strands import Agent
    from strands_plan_tool.strands_adapter import PLAN_NUDGE, WorkflowPlanPlugin

    agent = Agent(tools=[...], plugins=[WorkflowPlanPlugin()], system_prompt=PLAN_NUDGE)

Needs ``strands-agents`` 1.55.1 or later (``pip install 'strands-plan-tool[strands]'``).
"""

from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker
from strands_plan_tool.strands_adapter.plan_tool import describe_plan_failure
from strands_plan_tool.strands_adapter.plugin import WorkflowPlanPlugin, coerce_plan
from strands_plan_tool.strands_adapter.registry import ALL_TOOLS, resolve_plannable
from strands_plan_tool.strands_adapter.results import unwrap_tool_result
from strands_plan_tool.strands_adapter.spec import PLAN_NUDGE, TOOL_DESCRIPTION, TOOL_NAME

__all__ = [
    "ALL_TOOLS",
    "PLAN_NUDGE",
    "TOOL_DESCRIPTION",
    "TOOL_NAME",
    "AgentToolInvoker",
    "WorkflowPlanPlugin",
    "coerce_plan",
    "describe_plan_failure",
    "resolve_plannable",
    "unwrap_tool_result",
]
