"""One expression, from its text to what runs: limits, habits, syntax, profile, references."""

from __future__ import annotations

from strands_plan_tool.expressions.parse import (
    MAX_EXPRESSION_BYTES,
    MAX_EXPRESSIONS,
    Expression,
    Problem,
    Read,
    Reading,
    Scope,
    named_expression,
    parse_expression,
    read_expression,
    reads_a_step,
    repaired,
)

__all__ = [
    "MAX_EXPRESSIONS",
    "MAX_EXPRESSION_BYTES",
    "Expression",
    "Problem",
    "Read",
    "Reading",
    "Scope",
    "named_expression",
    "parse_expression",
    "read_expression",
    "reads_a_step",
    "repaired",
]
