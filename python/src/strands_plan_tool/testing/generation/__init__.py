"""Values, expressions and plans made by chance, over given tools and shapes.

Each maker takes its decisions from ``Choices``: from a seed, which is quick, or from
Hypothesis, which can make a find smaller. ``strands_plan_tool.testing.strategies`` is the door
for users.
"""

from __future__ import annotations

from strands_plan_tool.testing.generation.calls import CallableTool, Tools, callable_tools
from strands_plan_tool.testing.generation.choices import (
    Choices,
    FirstChoices,
    SeededChoices,
)
from strands_plan_tool.testing.generation.expressions import ExpressionMaker
from strands_plan_tool.testing.generation.fitting import Fitter, NoValueError, fitting
from strands_plan_tool.testing.generation.mutations import (
    mutated,
    mutated_expression,
    mutated_text,
)
from strands_plan_tool.testing.generation.plans import PlanMaker
from strands_plan_tool.testing.generation.sources import (
    Source,
    is_readable,
    shape_of,
    sources,
)
from strands_plan_tool.testing.generation.values import any_value
from strands_plan_tool.testing.generation.writing import as_models_write

__all__ = [
    "CallableTool",
    "Choices",
    "ExpressionMaker",
    "FirstChoices",
    "Fitter",
    "NoValueError",
    "PlanMaker",
    "SeededChoices",
    "Source",
    "Tools",
    "any_value",
    "as_models_write",
    "callable_tools",
    "fitting",
    "is_readable",
    "mutated",
    "mutated_expression",
    "mutated_text",
    "shape_of",
    "sources",
]
