"""Hypothesis strategies: plans, expressions and values over given tools and shapes.

    from hypothesis import given
    from strands_plan_tool import validate_plan
    from strands_plan_tool.testing.strategies import plans

    TOOLS = {"search": {"input_schema": {...}, "output_schema": {...}}}

    @given(plans(TOOLS))
    def test_every_plan_is_accepted(plan):
        assert validate_plan(plan, tools=TOOLS) == ()

Needs the extra ``testing``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hypothesis import strategies as st

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation import (
    Choices,
    ExpressionMaker,
    PlanMaker,
    Tools,
    any_value,
    as_models_write,
    fitting,
    mutated,
    mutated_expression,
    mutated_text,
    shape_of,
    sources,
)

__all__ = ["expressions", "json_values", "made_by", "malformed_plans", "plans"]

Made = TypeVar("Made")
Schema = Mapping[str, Any]


def json_values(schema: Schema | None = None) -> st.SearchStrategy[JsonValue]:
    """JSON values as a tool may return them.

    Args:
        schema: A JSON Schema that they fit. Read are ``type enum const properties required
            items anyOf oneOf``, local ``$ref``, and the limits of numbers, texts and lists;
            without one there may be anything.
    """
    if schema is None:
        return made_by(any_value)
    return made_by(lambda choices: fitting(choices, schema))


def expressions(
    shapes: Mapping[str, Schema] | None = None,
    *,
    input: Mapping[str, JsonValue] | None = None,
    item: Schema | None = None,
    malformed: bool = False,
) -> st.SearchStrategy[str]:
    """Expressions that are accepted, and read what they may.

    Args:
        shapes: The steps that may be read, by id, each with the JSON Schema of its result;
            ``{}`` if that is unknown.
        input: The values that the host passes with the run.
        item: The schema of an item, where the expression stands in the ``bind`` of a
            ``for_each`` step.
        malformed: With mistakes in it, such as the habits of other languages; it may then
            be refused.
    """
    readable = [
        *(one for id, of in (shapes or {}).items() for one in sources(f"steps.{id}", of)),
        *(
            one
            for k, v in (input or {}).items()
            for one in sources(f"input.`{k}`", shape_of(v))
        ),
        *(() if item is None else sources("item", item)),
    ]

    def make(choices: Choices) -> str:
        text = ExpressionMaker(choices, readable).expression()
        return mutated_expression(choices, text) if malformed else text

    return made_by(make)


def plans(
    tools: Tools,
    *,
    input: Mapping[str, JsonValue] | None = None,
    max_steps: int = 8,
    as_written: bool = False,
) -> st.SearchStrategy[Any]:
    """Plans that pass the checks for these tools, in every shape that plans have.

    They have chains and fan-outs over the data that the tools' output schemas declare,
    conditions, joins, literals, outputs, and both ways to treat errors. What a plan comes to
    when it runs depends on what the tools return.

    Args:
        tools: The tools as ``validate_plan`` takes them.
        input: The values that the host passes with the run.
        max_steps: How many steps a plan has at most, up to 20.
        as_written: In the bent ways in which models write a plan and which are read as the
            plan: an object, or a text.

    Raises:
        ValueError: No tool may be called by a plan.
    """

    def make(choices: Choices) -> JsonValue:
        maker = PlanMaker(choices, tools, input=input, max_steps=max_steps)
        plan = maker.plan()
        return as_models_write(choices, plan) if as_written else plan

    PlanMaker(_First(), tools)
    return made_by(make)


def malformed_plans(
    tools: Tools, *, input: Mapping[str, JsonValue] | None = None, max_steps: int = 8
) -> st.SearchStrategy[JsonValue]:
    """Plans with one to three mistakes: in their values, or in their JSON text.

    Most are refused; a few mistakes make another plan that is accepted. No plan makes the
    checks raise anything but ``PlanError``.

    Args:
        tools: The tools as ``validate_plan`` takes them.
        input: The values that the host passes with the run.
        max_steps: How many steps the plan has at most, up to 20.
    """

    def make(choices: Choices) -> JsonValue:
        plan = PlanMaker(choices, tools, input=input, max_steps=max_steps).plan()
        return mutated_text(choices, plan) if choices.chance(30) else mutated(choices, plan)

    PlanMaker(_First(), tools)
    return made_by(make)


def made_by(make: Callable[[Choices], Made]) -> st.SearchStrategy[Made]:
    """What a maker makes, each of its choices being one that Hypothesis can make smaller."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Made:
        return make(_Drawn(draw))

    return drawn()


class _Drawn(Choices):
    """Decisions that Hypothesis takes."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(_below(count))


class _First(Choices):
    """Always the simplest."""

    def below(self, count: int) -> int:
        return 0


_STRATEGIES: dict[int, st.SearchStrategy[int]] = {}


def _below(count: int) -> st.SearchStrategy[int]:
    # The same few counts come again and again, and a strategy takes long to make.
    return _STRATEGIES.setdefault(count, st.integers(0, count - 1))
