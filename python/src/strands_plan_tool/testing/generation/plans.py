"""Plans that are accepted, over given tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
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
# How often an argument is a literal, and is computed.
_NEEDED: Final = ((35, (True, False)), (60, (False, True)), (5, (True, True)))
_OPTIONAL: Final = (
    *((40, (False, False)), (21, (True, False))),
    *((36, (False, True)), (3, (True, True))),
)


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
        steps: list[dict[str, Any]] = []
        # Not counted beforehand, so that Hypothesis can leave out any one of them.
        while made := choices.kept(lambda: self._next(steps)):
            step, self._readable = made
            steps.append(step)
        plan: dict[str, Any] = {"steps": steps}
        if choices.chance(30):
            plan["steps"] = choices.part(lambda: self._in_some_order(steps))
        if choices.chance(60):
            plan["output"] = choices.part(lambda: self._expression(self._readable))
        names = [step["id"] for step in plan["steps"]]
        if "output" not in plan or choices.chance(50):
            plan["returns"] = self._some(names, 3) or names[-1:]
        final = choices.one_of((75, None), (20, True), (5, False))
        on_error = choices.one_of((55, None), (30, "continue"), (15, "fail_fast"))
        if final is not None:
            plan["final"] = final
        if on_error is not None:
            plan["on_error"] = on_error
        self._readable = own
        return plan

    def _some(self, names: Sequence[str], most: int) -> list[str]:
        """Up to so many of them, as one decision."""
        sets = [some for count in range(most + 1) for some in combinations(names, count)]
        return list(self._choices.pick(sets))

    def _next(
        self, before: Sequence[dict[str, Any]]
    ) -> tuple[dict[str, Any], list[Source]] | None:
        """Another step, with what may be read after it; None if there is no other."""
        choices = self._choices
        if before and (len(before) >= self._max_steps or not choices.chance(80)):
            return None
        taken = [step["id"] for step in before]
        free = [id for id in _IDS if id not in taken]
        return self._step(choices.pick(free[:4]), taken)

    def _in_some_order(self, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        left = list(steps)
        return [left.pop(self._choices.below(len(left))) for _ in steps]

    def _step(self, id: str, before: Sequence[str]) -> tuple[dict[str, Any], list[Source]]:
        choices = self._choices
        tool = self._tools[choices.pick(list(self._tools))]
        step: dict[str, Any] = {"id": id, "tool": tool.name}
        members, needed = tool.way(choices)
        readable = self._readable
        telling = self._telling_lists(tool, members)
        if choices.chance(45 if telling else 20):
            step["for_each"], item = choices.part(lambda: self._list(telling))
            index = Source("index", "number", {}, {})
            readable = [item, *fields(item, "item."), index, *readable]
        for _ in range(_TRIES):
            args, bind = self._arguments(tool, members, needed, readable)
            if not tool.refuses({"args": args, "bind": bind}):
                break
        else:
            raise NoValueError(f"no arguments were found for {tool.name}")
        if choices.chance(20):
            step["when"] = choices.part(lambda: self._expression(self._readable, "boolean"))
        join = choices.one_of((80, None), (13, "any"), (7, "all"))
        if args or choices.chance(5):
            step["args"] = args
        if bind:
            step["bind"] = bind
        if before and choices.chance(30):
            step["after"] = self._some(before, 2)
        if join is not None:
            step["join"] = join
        made = list_of if "for_each" in step else sources
        return step, [*made(f"steps.{id}", tool.output), *self._readable]

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
            given, computed = choices.one_of(*(_NEEDED if name in needed else _OPTIONAL))
            if computed:
                kind = tool.kind(schema)
                bind[name] = choices.part(partial(self._bound, name, kind, readable))
            if given:
                value = choices.part(partial(tool.literal, choices, schema))
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
