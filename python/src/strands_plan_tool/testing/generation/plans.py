"""Plans that are accepted, over given tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices
from strands_plan_tool.testing.generation.expressions import ExpressionMaker
from strands_plan_tool.testing.generation.sources import (
    Kind,
    Source,
    fields,
    kind_of,
    list_of,
    shape_of,
    sources,
)
from strands_plan_tool.testing.generation.values import any_value, fitting, resolved
from strands_plan_tool.validate import ToolInfo

__all__ = ["PlanMaker", "Tools"]

Schema = Mapping[str, Any]
Tools: TypeAlias = Mapping[str, ToolInfo | Mapping[str, Any] | None] | Iterable[str]
"""Tools as ``validate_plan`` takes them."""

_IDS: Final = (
    *(
        "a",
        "b",
        "c",
        "d",
        "user",
        "orders",
        "page",
        "x1",
        "x10",
        "x2",
        "find_all",
        "constructor",
    ),
    *("a_b", "item", "index", "steps", "t", "input", "and", "length", "in"),
)
_ARGUMENTS: Final = ("a", "b", "query", "1", "constructor", "x y")


class PlanMaker:
    """Makes plans that pass the checks for these tools.

    Args:
        choices: Where its decisions come from.
        tools: The tools as ``validate_plan`` takes them.
        input: The values that the host passes with the run.
        max_steps: How many steps a plan has at most, up to 20.

    Raises:
        ValueError: No tool may be called by a plan.
    """

    def __init__(
        self,
        choices: Choices,
        tools: Tools,
        *,
        input: Mapping[str, JsonValue] | None = None,
        max_steps: int = 8,
    ) -> None:
        self._choices = choices
        self._tools = _plannable(tools)
        if not self._tools:
            raise ValueError("no tool may be called by a plan")
        self._max_steps = min(max_steps, len(_IDS))
        self._readable: list[Source] = []
        for name, value in (input or {}).items():
            self._readable += sources(f"input.`{name}`", shape_of(value))

    def plan(self) -> dict[str, Any]:
        """A plan."""
        choices, own = self._choices, list(self._readable)
        ids = [*_IDS]
        steps: list[dict[str, Any]] = []
        # Not counted beforehand, so that Hypothesis can leave out any one of them.
        while not steps or (len(steps) < self._max_steps and choices.chance(80)):
            id = ids.pop(choices.below(min(len(ids), 4)))
            steps.append(self._step(id, [step["id"] for step in steps]))
        plan: dict[str, Any] = {"steps": self._in_some_order(steps)}
        if choices.chance(60):
            plan["output"] = self._expression(self._readable)
        names = [step["id"] for step in plan["steps"]]
        if "output" not in plan or choices.chance(50):
            plan["returns"] = choices.some(names, 3) or names[-1:]
        if choices.chance(25):
            plan["final"] = choices.chance(90)
        if choices.chance(45):
            plan["on_error"] = choices.pick(("continue", "continue", "fail_fast"))
        self._readable = own
        return plan

    def _in_some_order(self, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not self._choices.chance(30):
            return steps
        left = list(steps)
        return [left.pop(self._choices.below(len(left))) for _ in steps]

    def _step(self, id: str, before: Sequence[str]) -> dict[str, Any]:
        choices = self._choices
        tool = choices.pick(list(self._tools))
        step: dict[str, Any] = {"id": id, "tool": tool}
        readable = self._readable
        if choices.chance(25):
            step["for_each"], item = self._list()
            index = Source("index", "number", {}, {})
            readable = [item, *fields(item, "item."), index, *readable]
        args, bind = self._arguments(self._tools[tool].input_schema, readable)
        if choices.chance(20):
            step["when"] = self._expression(self._readable, "boolean")
        if args or choices.chance(10):
            step["args"] = args
        if bind:
            step["bind"] = bind
        if before and choices.chance(30):
            step["after"] = choices.some(before, 2)
        if choices.chance(20):
            step["join"] = choices.pick(("any", "any", "all"))
        shape = self._tools[tool].output_schema or {}
        made = list_of if "for_each" in step else sources
        self._readable = [*made(f"steps.{id}", shape), *self._readable]
        return step

    def _list(self) -> tuple[str, Source]:
        """The text of a ``for_each``, and an item of what it gives."""
        lists = [one for one in self._readable if one.kind in ("list", "any")]
        if lists and self._choices.chance(75):
            found = self._choices.pick(lists)
            return found.text, found.items.named("item")
        return self._expression(self._readable, "list"), Source("item", "any", {}, {})

    def _expression(self, readable: Sequence[Source], kind: Kind | None = None) -> str:
        # Rather something to read than a literal, since a plan is about what its steps give.
        shown = [one for one in readable if kind in (None, "any", one.kind)]
        if shown and self._choices.chance(45):
            return self._choices.pick(shown).text
        return ExpressionMaker(self._choices, readable).expression(kind)

    def _arguments(
        self, schema: Schema | None, readable: Sequence[Source]
    ) -> tuple[dict[str, JsonValue], dict[str, str]]:
        """The literal and the computed arguments of a call."""
        choices = self._choices
        args: dict[str, JsonValue] = {}
        bind: dict[str, str] = {}
        given = _declared(schema)
        if schema is None:
            given = {name: {} for name in choices.some(_ARGUMENTS, 3)}
        required = (schema or {}).get("required", ())
        for name, shape in given.items():
            if name not in required and schema is not None and not choices.chance(60):
                continue
            computed = choices.chance(65)
            if computed:
                whole = resolved(shape, schema or {})
                bind[name] = self._expression(readable, kind_of(whole))
            if not computed or choices.chance(5):
                args[name] = fitting(choices, shape, schema) if shape else any_value(choices, 2)
        return args, bind


def _declared(schema: Schema | None) -> dict[str, Schema]:
    return {
        name: shape if isinstance(shape, Mapping) else {}
        for name, shape in (schema or {}).get("properties", {}).items()
    }


def _plannable(tools: Tools) -> dict[str, ToolInfo]:
    named = tools.items() if isinstance(tools, Mapping) else ((name, None) for name in tools)
    known = ("input_schema", "output_schema", "plannable")
    infos = {}
    for name, given in named:
        if isinstance(given, ToolInfo):
            infos[name] = given
        else:
            of_tool = given or {}
            infos[name] = ToolInfo(**{key: of_tool[key] for key in known if key in of_tool})
    return {name: info for name, info in infos.items() if info.plannable}
