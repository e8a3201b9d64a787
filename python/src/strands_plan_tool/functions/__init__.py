"""The listed functions: the one table of what may be called, with what, and what it does."""

from __future__ import annotations

from strands_plan_tool.functions.table import (
    FUNCTIONS,
    Function,
)

__all__ = [
    "FUNCTIONS",
    "Function",
]
