"""What is put to the engines: random plans and expressions, as commands of the protocol."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from calls import call
from generator import Generator
from settings import fan_out, input_values, policy, shape, stub_tools

from strands_plan_tool.testing.generation import (
    Choices,
    ExpressionMaker,
    PlanMaker,
    as_models_write,
    fitting,
    mutated,
    mutated_expression,
    mutated_text,
    sources,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.suite import load

__all__ = ["Command", "Trial", "expression_trial", "plan_trial"]

Command = dict[str, Any]

_LONGEST: Final = 4000


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing to be tried.

    Attributes:
        what: What kind of thing it is, for the tally.
        commands: What is put to each engine.
        asked: An expression and its data, if the reference is asked for it as well.
    """

    what: str
    commands: tuple[Command, ...]
    asked: tuple[str, Any] | None = None


def plan_trial(choices: Choices) -> Trial:
    """A plan that is checked and run: as it was made, bent, or with mistakes in it."""
    if choices.chance(8):
        return _known_plan(choices)
    tools, given = stub_tools(choices), input_values(choices)
    host: Command = {"tools": tools, "policy": policy(choices, tools)}
    plannable = {name: tool for name, tool in tools.items() if tool.get("plannable", True)}
    if given or choices.chance(50):
        host["input"] = given
    plan = PlanMaker(choices, plannable, input=given, max_steps=choices.pick((3, 6, 10))).plan()
    if choices.chance(20):
        _add_fan_out(choices, plan, tools)
    if choices.chance(8):
        del host["tools"]
    if choices.chance(5):
        host["run_id"] = choices.pick(("r", "", "é😀", "another"))
    if choices.chance(7):
        host["cancel_at_ms"] = choices.pick((0, 1, 5, 10, 15, 30, 60))
    match choices.below(10):
        case 0 | 1 | 2 | 3:
            return _plan("plan", {"plan": plan}, host)
        case 4:
            return _plan("bent plan", _written(as_models_write(choices, plan)), host)
        case 5:
            text = {"plan_text": mutated_text(choices, plan)}
            return _plan("text with mistakes", text, host, run=choices.chance(30))
    written = as_models_write(choices, plan) if choices.chance(15) else plan
    spoilt = _written(mutated(choices, written))
    return _plan("plan with mistakes", spoilt, host, run=choices.chance(30))


def _add_fan_out(choices: Choices, plan: Any, tools: Command) -> None:
    """Before all steps or behind them, and in most cases read by another."""
    step, tool = fan_out(choices)
    others = [one["id"] for one in plan["steps"]]
    if choices.chance(40):
        step["after"] = [choices.pick(others)]
        plan["steps"].append(step)
    else:
        plan["steps"].insert(0, step)
    if choices.chance(70):
        reader = {"id": "read", "tool": step["tool"], "bind": {"q": "steps.fan[0]"}}
        plan["steps"].append(reader)
    plan["returns"] = ["fan"]
    tools[step["tool"]] = tool


def expression_trial(choices: Choices, seed: int) -> Trial:
    """An expression on data: with a plan's names, or with data as its root."""
    match choices.below(10):
        case 0 | 1 | 2:
            made = Generator(seed)
            return _on_data("expression", made.expression(), made.data())
        case 3 | 4:
            return _on_data("call", call(choices), Generator(seed).data())
        case 5:
            case = choices.pick(_known("expression"))
            command = copy.deepcopy({"cmd": "evaluate", **case})
            command["expression"] = mutated_expression(choices, command["expression"])
            return Trial("known expression with mistakes", (command,))
    return _in_a_plan(choices)


def _plan(what: str, given: Command, host: Command, *, run: bool = True) -> Trial:
    """The check of a plan, and its run, which of a refused plan shows little else."""
    checked = {key: value for key, value in host.items() if key in ("tools", "policy", "input")}
    validate = {"cmd": "validate", **given, **checked}
    return Trial(what, (validate, {"cmd": "run", **given, **host}) if run else (validate,))


def _written(plan: Any) -> Command:
    return {"plan_text": plan} if isinstance(plan, str) else {"plan": plan}


def _known_plan(choices: Choices) -> Trial:
    """A plan of the suite with mistakes in it."""
    given = dict(choices.pick(_known("plan")))
    if "plan" in given:
        given["plan"] = mutated(choices, given["plan"])
    else:
        given["plan_text"] = mutated_expression(choices, given["plan_text"])
    plan: Command = {key: given.pop(key) for key in ("plan", "plan_text") if key in given}
    return _plan("known plan with mistakes", plan, given)


@cache
def _known(kind: str) -> list[Mapping[str, Any]]:
    """What cases of the suite give to an engine: expressions or plans, none of the longest."""
    members = {"expression"} if kind == "expression" else {"plan", "plan_text"}
    given = (case.given for case in load())
    return [one for one in given if members & one.keys() and len(str(one)) < _LONGEST]


def _on_data(what: str, text: str, data: Any) -> Trial:
    command = {"cmd": "evaluate", "expression": text, "root": data}
    return Trial(what, (command,), (text, data))


def _in_a_plan(choices: Choices) -> Trial:
    """An expression over results of steps, whose shapes are known."""
    shapes = {id: shape(choices) for id in choices.some(("a", "b", "c"), 3) or ["a"]}
    readable = [one for id, of in shapes.items() for one in sources(f"steps.{id}", of)]
    of_item, of_input = shape(choices, 2), shape(choices, 2)
    command: Command = {"cmd": "evaluate", "expression": "", "steps": {}}
    if choices.chance(30):
        readable += sources("item", of_item)
        command |= {"item": fitting(choices, of_item), "index": choices.between(0, 3)}
    if choices.chance(40):
        readable += sources("input.today", of_input)
        command["input"] = {"today": fitting(choices, of_input)}
    for id, of in shapes.items():
        if not choices.chance(5):
            command["steps"][id] = fitting(choices, of)
    command["expression"] = text = ExpressionMaker(choices, readable).expression()
    if choices.chance(30):
        command["expression"] = mutated_expression(choices, text)
        return Trial("expression of a plan with mistakes", (command,))
    if "item" not in command and choices.chance(50):
        data = {"steps": command["steps"], "input": command.get("input", {})}
        root = {"cmd": "evaluate", "expression": text, "root": data}
        return Trial("expression of a plan", (command, root), (text, data))
    return Trial("expression of a plan", (command,))
