"""What a plan is read from: one plain JSON value, the same in every language."""

from __future__ import annotations

from strands_plan_tool.wire.read import (
    check_json,
    read_plan,
)

__all__ = [
    "check_json",
    "read_plan",
]
