"""Evaluation of one expression: its tree made ready once, then run on contexts."""

from __future__ import annotations

from strands_plan_tool.evaluate.program import (
    Context,
    EvaluationError,
    Program,
    compile_tree,
)

__all__ = [
    "Context",
    "EvaluationError",
    "Program",
    "compile_tree",
]
