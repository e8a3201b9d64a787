"""Plans that are accepted, over given tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.calls import (
    CallableTool,
    Tools,
    as_expression,
    callable_tools,
    is_read,
)
from strands_plan_tool.testing.generation.choices import Choices
from strands_plan_tool.testing.generation.expressions import ExpressionMaker
from strands_plan_tool.testing.generation.fitting import NoValueError
from strands_plan_tool.testing.generation.sources import (
    Kind,
    Source,
    fields,
    is_readable,
    list_of,
    shape_of,
    sources,
)

__all__ = ["PlanMaker"]

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
_MOST_STEPS: Final = 20
_TRIES: Final = 4


class PlanMaker:
    """Makes plans that pass the checks for these tools.

    Args:
        choices: Where its decisions come from.
        tools: The tools as ``validate_plan`` takes them, or what ``callable_tools`` read.
        input: The values that the host passes with the run.
        max_steps: How many steps a plan has at most, up to 20.

    Raises:
        ValueError: No tool may be called by a plan.
    """

    def __init__(
        self,
        choices: Choices,
        tools: Tools | Mapping[str, CallableTool],
        *,
        input: Mapping[str, JsonValue] | None = None,
        max_steps: int = 8,
    ) -> None:
        self._choices = choices
        self._tools = _read(tools)
        self._max_steps = min(max_steps, _MOST_STEPS)
        self._readable: list[Source] = []
        for name, value in (input or {}).items():
            if is_readable(name):
                self._readable += sources(f"input.`{name}`", shape_of(value))

    def plan(self) -> dict[str, Any]:
        """A plan.

        Raises:
            NoValueError: By these choices no arguments were found for a tool.
        """
        choices, own = self._choices, list(self._readable)
        ids = [*_IDS]
        steps: list[dict[str, Any]] = []
        # Not counted beforehand, so that Hypothesis can leave out any one of them.
        while not steps or (len(steps) < self._max_steps and choices.chance(80)):
            id = ids.pop(choices.below(min(len(ids), 4)))
            steps.append(self._step(id, [step["id"] for step in steps]))
        shuffled, output, returns, final, on_error = choices.flags(30, 60, 50, 25, 45)
        plan: dict[str, Any] = {"steps": self._in_some_order(steps) if shuffled else steps}
        if output:
            plan["output"] = self._expression(self._readable)
        names = [step["id"] for step in plan["steps"]]
        if returns or not output:
            plan["returns"] = choices.some(names, 3) or names[-1:]
        if final:
            plan["final"] = choices.pick((True, True, True, False))
        if on_error:
            plan["on_error"] = choices.pick(("continue", "continue", "fail_fast"))
        self._readable = own
        return plan

    def _in_some_order(self, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        left = list(steps)
        return [left.pop(self._choices.below(len(left))) for _ in steps]

    def _step(self, id: str, before: Sequence[str]) -> dict[str, Any]:
        choices = self._choices
        tool = self._tools[choices.pick(list(self._tools))]
        step: dict[str, Any] = {"id": id, "tool": tool.name}
        members, needed = tool.way(choices)
        readable = self._readable
        telling = self._telling_lists(tool, members)
        for_each, when, after, join, empty = choices.flags(45 if telling else 20, 20, 30, 20, 5)
        if for_each:
            step["for_each"], item = self._list(telling)
            index = Source("index", "number", {}, {})
            readable = [item, *fields(item, "item."), index, *readable]
        for _ in range(_TRIES):
            args, bind = self._arguments(tool, members, needed, readable)
            if not tool.refuses({"args": args, "bind": bind}):
                break
        else:
            raise NoValueError(f"no arguments were found for {tool.name}")
        if when:
            step["when"] = self._expression(self._readable, "boolean")
        if args or empty:
            step["args"] = args
        if bind:
            step["bind"] = bind
        if before and after:
            step["after"] = choices.some(before, 2)
        if join:
            step["join"] = choices.pick(("any", "any", "all"))
        made = list_of if for_each else sources
        self._readable = [*made(f"steps.{id}", tool.output), *self._readable]
        return step

    def _telling_lists(self, tool: CallableTool, members: Mapping[str, Any]) -> list[Source]:
        """Lists whose items have a field of the name and kind of an argument."""
        kinds = {name: tool.kind(schema) for name, schema in members.items()}
        return [
            one
            for one in self._readable
            if one.kind == "list"
            and any(
                _is_alike(name, field.text.rpartition(".")[2]) and kind in (field.kind, "any")
                for field in fields(one.items, "item.")
                for name, kind in kinds.items()
            )
        ]

    def _list(self, telling: Sequence[Source]) -> tuple[str, Source]:
        """The text of a ``for_each``, and an item of what it gives."""
        if telling and self._choices.chance(70):
            found = self._choices.pick(telling)
            return found.text, found.items.named("item")
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

    def _bound(self, name: str, kind: Kind, readable: Sequence[Source]) -> str:
        """An expression for an argument: rather a result that is called as the argument is."""
        alike = [
            one
            for one in readable
            if kind in ("any", one.kind) and _is_alike(name, one.text.rpartition(".")[2])
        ]
        if alike and self._choices.chance(65):
            return self._choices.pick(alike).text
        return self._expression(readable, kind)

    def _arguments(
        self,
        tool: CallableTool,
        members: Mapping[str, Any],
        needed: Sequence[str],
        readable: Sequence[Source],
    ) -> tuple[dict[str, JsonValue], dict[str, str]]:
        """The literal and the computed arguments of a call."""
        choices = self._choices
        args: dict[str, JsonValue] = {}
        bind: dict[str, str] = {}
        for name, schema in members.items():
            given, computed, both = choices.flags(100 if name in needed else 60, 65, 5)
            if not given:
                continue
            if computed:
                bind[name] = self._bound(name, tool.kind(schema), readable)
            if not computed or both:
                value = tool.literal(choices, schema)
                if not is_read(value):
                    args[name] = value
                elif not computed:
                    bind[name] = as_expression(value)
        return args, bind


def _is_alike(name: str, field: str) -> bool:
    """Whether an argument and a field are called the same, or one as the other's end."""
    one, other = name.strip("`").lower(), field.strip("`").lower()
    return len(min(one, other, key=len)) > 1 and (one.endswith(other) or other.endswith(one))


def _read(tools: Tools | Mapping[str, CallableTool]) -> Mapping[str, CallableTool]:
    if isinstance(tools, Mapping) and all(
        isinstance(one, CallableTool) for one in tools.values()
    ):
        return tools  # type: ignore[return-value]
    return callable_tools(tools)
