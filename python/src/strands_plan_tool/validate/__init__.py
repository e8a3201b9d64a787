"""Whether a plan may run: every check, all problems at once, or a checked plan."""

from __future__ import annotations

from strands_plan_tool.validate.check import (
    CheckedPlan,
    CheckedStep,
    ToolInfo,
    check_plan,
    parse_plan,
    validate_plan,
)

__all__ = [
    "CheckedPlan",
    "CheckedStep",
    "ToolInfo",
    "check_plan",
    "parse_plan",
    "validate_plan",
]
