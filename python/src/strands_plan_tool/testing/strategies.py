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

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from hypothesis import reject
from hypothesis import strategies as st

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation import (
    CallableTool,
    Choices,
    ExpressionMaker,
    FirstChoices,
    Fitter,
    NoValueError,
    PlanMaker,
    Tools,
    any_value,
    as_models_write,
    callable_tools,
    is_readable,
    mutated,
    mutated_expression,
    mutated_text,
    shape_of,
    sources,
)
from strands_plan_tool.validate import validate_plan
from strands_plan_tool.validate.host_checks import check_input

__all__ = ["expressions", "json_values", "made_by", "malformed_plans", "plans"]

Made = TypeVar("Made")
Schema = Mapping[str, Any]

_LEFT_OUT_ONE_IN: Final = 50
_STEP_ID: Final = re.compile("[a-z][a-z0-9_]{0,31}")


def json_values(schema: Schema | bool | None = None) -> st.SearchStrategy[JsonValue]:
    """JSON values as a tool may return them.

    Args:
        schema: A JSON Schema that they fit. Read are ``type enum const``, ``properties
            required additionalProperties``, ``items prefixItems uniqueItems``, ``allOf anyOf
            oneOf not``, local ``$ref``, ``pattern``, the common formats, and the limits of
            numbers, texts, lists and objects; not read are ``if``, ``contains``,
            ``patternProperties`` and what depends on a member. Without one there may be
            anything.

    Raises:
        TypeError: It is no schema.
        ValueError: No value fits it.
    """
    if schema is None:
        return made_by(any_value)
    _check_schema(schema, "schema")
    fitter = Fitter(schema if isinstance(schema, Mapping) else {})
    if not fitter.can(schema):
        raise ValueError("no value fits the schema")
    return made_by(lambda choices: fitter.value(choices, schema))


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

    Raises:
        TypeError: A shape is no schema, or ``input`` no mapping.
        ValueError: No step can have an id.
    """
    check_input(input)
    for id, of in (shapes or {}).items():
        if not _STEP_ID.fullmatch(id):
            raise ValueError(
                f'"{id}" is no step id: a lower-case letter, then up to 31 lower-case letters,'
                " digits or underscores"
            )
        _check_schema(of, f"the shape of {id}")
    if item is not None:
        _check_schema(item, "item")
    readable = [
        *(one for id, of in (shapes or {}).items() for one in sources(f"steps.{id}", of)),
        *(
            one
            for k, v in (input or {}).items()
            if is_readable(k)
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
        max_steps: How many steps a plan has at most; more than 20 count as 20.
        as_written: In the bent ways in which models write a plan and which are read as the
            plan: an object, or a text.

    A tool of which no call would be accepted, such as one that needs what cannot be, is called
    by none of them.

    Raises:
        TypeError: An argument is not of its type.
        ValueError: No tool may be called by a plan, or ``max_steps`` is below 1.
    """
    known = _sure(tools, input, max_steps)

    def make(choices: Choices) -> JsonValue:
        plan = PlanMaker(choices, known, input=input, max_steps=max_steps).plan()
        return as_models_write(choices, plan) if as_written else plan

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
        max_steps: How many steps the plan has at most; more than 20 count as 20.

    Raises:
        TypeError: An argument is not of its type.
        ValueError: No tool may be called by a plan, or ``max_steps`` is below 1.
    """
    known = _sure(tools, input, max_steps)

    def make(choices: Choices) -> JsonValue:
        plan = PlanMaker(choices, known, input=input, max_steps=max_steps).plan()
        return mutated_text(choices, plan) if choices.chance(30) else mutated(choices, plan)

    return made_by(make)


def made_by(make: Callable[[Choices], Made]) -> st.SearchStrategy[Made]:
    """What a maker makes, each of its choices being one that Hypothesis can make smaller."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Made:
        try:
            return make(_Drawn(draw))
        except NoValueError:
            reject()

    return drawn()


def _check_schema(given: object, what: str) -> None:
    if not isinstance(given, Mapping | bool):
        raise TypeError(f"{what} must be a JSON Schema: an object, true or false")


def _sure(
    tools: Tools, input: Mapping[str, JsonValue] | None, max_steps: int
) -> dict[str, CallableTool]:
    """The tools of which a simple call is accepted; the arguments are checked with them."""
    check_input(input)
    if not isinstance(max_steps, int) or isinstance(max_steps, bool):
        raise TypeError("max_steps must be a whole number, such as 8")
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    if not isinstance(tools, Mapping | str):
        tools = list(tools)
    # Whatever is wrong with the tools themselves is told as everywhere.
    validate_plan({"steps": []}, tools=tools, input=input)
    known = callable_tools(tools)
    refusals = {name: _refusal(name, tool, tools) for name, tool in known.items()}
    found = {name: tool for name, tool in known.items() if refusals[name] is None}
    if not found:
        told = "; ".join(f"{name}: {why}" for name, why in refusals.items())
        raise ValueError(f"no tool may be called by a plan: {told}")
    return found


def _refusal(name: str, tool: CallableTool, tools: Tools) -> str | None:
    """Why the simplest call of a tool is refused; None if it is not."""
    try:
        plan = PlanMaker(FirstChoices(), {name: tool}).plan()
    except NoValueError as error:
        return str(error)
    found = validate_plan(plan, tools=tools)
    return found[0].message if found else None


class _Drawn(Choices):
    """Decisions that Hypothesis takes."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def _below(self, count: int) -> int:
        return self._draw(_numbers_below(count))

    def part(self, make: Callable[[], Made]) -> Made:
        return self._draw(_part(self, make))  # type: ignore[no-any-return]

    def kept(self, make: Callable[[], Made]) -> Made:
        def turn() -> tuple[Made, bool]:
            made = make()
            return made, made is None or self.below(_LEFT_OUT_ONE_IN) > 0

        # What a filter refuses is taken out whole when a find is made smaller.
        made, _ = self._draw(_part(self, turn).filter(_is_kept))
        return made  # type: ignore[no-any-return]

    def within(self, draw: st.DrawFn, make: Callable[[], Made]) -> Made:
        """What is made by draws that belong together."""
        outer, self._draw = self._draw, draw
        try:
            return make()
        finally:
            self._draw = outer

    def matching(self, pattern: str) -> str:
        try:
            return self._draw(st.from_regex(pattern))
        except re.error:
            return super().matching("")


@st.composite
def _part(draw: st.DrawFn, choices: _Drawn, make: Callable[[], Any]) -> Any:
    return choices.within(draw, make)


def _is_kept(turn: tuple[Any, bool]) -> bool:
    return turn[1]


_STRATEGIES: dict[int, st.SearchStrategy[int]] = {}


def _numbers_below(count: int) -> st.SearchStrategy[int]:
    # The same few counts come again and again, and a strategy takes long to make.
    return _STRATEGIES.setdefault(count, st.integers(0, count - 1))
