"""The bent ways in which models write a plan, each of which is read as the plan."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices

__all__ = ["as_models_write"]

_FENCES: Final = ("```json\n{}\n```", "```\n{}\n```", "\n```json\n{}\n```\n", "```JSON\n{}```")
_WRAPPERS: Final = ("plan", "workflow", "input", "arguments")
_OPTIONAL: Final = ("args", "bind", "after", "when", "for_each", "join")


def as_models_write(choices: Choices, plan: dict[str, Any]) -> JsonValue:
    """A plan in a form that the repairs of the language read: an object or a text."""
    bent = copy.deepcopy(plan)
    for _ in range(choices.between(1, 3)):
        choices.pick(_BENDS)(choices, bent)
    if choices.chance(25):
        bent = {choices.pick(_WRAPPERS): json.dumps(bent) if choices.chance(50) else bent}
    if choices.chance(40):
        text = json.dumps(bent, indent=choices.pick((None, 1)), ensure_ascii=False)
        return choices.pick(_FENCES).replace("{}", text) if choices.chance(50) else text
    return bent


def _step(choices: Choices, plan: dict[str, Any]) -> dict[str, Any]:
    steps = plan["steps"]
    if isinstance(steps, str):
        return {}
    return choices.pick(steps) if isinstance(steps, list) else steps


def _left_out_as_null(choices: Choices, plan: dict[str, Any]) -> None:
    where = _step(choices, plan) if choices.chance(60) else plan
    names = ("output", "final", "on_error", "returns") if where is plan else _OPTIONAL
    where.setdefault(choices.pick(names), None)


def _one_without_its_list(choices: Choices, plan: dict[str, Any]) -> None:
    step = _step(choices, plan)
    for where, name in ((step, "after"), (plan, "returns"), (plan, "steps")):
        value = where.get(name)
        if isinstance(value, list) and len(value) == 1 and choices.chance(80):
            where[name] = value[0]


def _another_name(choices: Choices, plan: dict[str, Any]) -> None:
    step = _step(choices, plan)
    if "after" in step:
        step["depends_on"] = step.pop("after")


def _as_text(choices: Choices, plan: dict[str, Any]) -> None:
    step = _step(choices, plan)
    places = [(plan, "steps"), (plan, "returns")]
    places += [(step, name) for name in ("args", "bind", "after")]
    there = [
        (where, name) for where, name in places if isinstance(where.get(name), list | dict)
    ]
    if there:
        where, name = choices.pick(there)
        where[name] = json.dumps(where[name])


def _bare_in_bind(choices: Choices, plan: dict[str, Any]) -> None:
    bind = _step(choices, plan).get("bind")
    if isinstance(bind, dict) and bind:
        bind[choices.pick(list(bind))] = choices.pick((1, True, False, 0.5, -3))


_BENDS: Final[tuple[Callable[[Choices, dict[str, Any]], None], ...]] = (
    _left_out_as_null,
    _one_without_its_list,
    _another_name,
    _as_text,
    _bare_in_bind,
)
