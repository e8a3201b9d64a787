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
from settings import fan_out, input_values, policy, shape, signatures, stub_tools
from strains import STRAINS, memory

from strands_plan_tool.testing.generation import (
    Choices,
    ExpressionMaker,
    PlanMaker,
    SeededChoices,
    as_models_write,
    fitting,
    mutated,
    mutated_expression,
    mutated_text,
    sources,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.suite import load

__all__ = ["Command", "Trial", "expression_trial", "plan_trial", "plan_trials"]

Command = dict[str, Any]

_LONGEST: Final = 4000
# As many as Hypothesis takes with one likelihood: of more it takes the small ones rather.
_SEEDS: Final = 1 << 24


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
    return plan_trials(choices, 1)[0]


def plan_trials(choices: Choices, runs: int) -> list[Trial]:
    """A plan in so many surroundings: tools that do other things, policies, answers, memory."""
    if choices.chance(8):
        return [_known_plan(choices)]
    arounds = [_at_once(choices) for _ in range(runs)]
    tools = signatures(arounds[0])
    given = input_values(arounds[0])
    plannable = {name: tool for name, tool in tools.items() if tool.get("plannable", True)}
    plan = PlanMaker(choices, plannable, input=given, max_steps=choices.pick((3, 6, 10))).plan()
    first, *others = ((around, *_surrounded(around, plan, tools, given))
                      for around in arounds)  # fmt: skip
    _, host, strained = first
    match choices.below(10):
        case 0 | 1 | 2 | 3 | 4:
            made = [_plan("plan", {"plan": strained}, host)]
            made += [_plan("plan", {"plan": other}, of) for _, of, other in others]
            return made
        case 5:
            made = [_plan("bent plan", _written(as_models_write(choices, strained)), host)]
            for around, of, other in others:
                made.append(_plan("bent plan", _written(as_models_write(around, other)), of))
            return made
        case 6:
            text = {"plan_text": mutated_text(choices, strained)}
            return [_plan("text with mistakes", text, host, run=choices.chance(30))]
    written = as_models_write(choices, strained) if choices.chance(15) else strained
    spoilt = _written(mutated(choices, written))
    return [_plan("plan with mistakes", spoilt, host, run=choices.chance(30))]


def _surrounded(
    around: Choices,
    plan: Any,
    signed: Command,
    given: Command,
) -> tuple[Command, Any]:
    """What a plan is run with, and the plan, which may have been changed for it."""
    plan, tools = copy.deepcopy(plan), stub_tools(around, signed)
    host: Command = {"tools": tools, "policy": policy(around, tools)}
    if given or around.chance(50):
        host["input"] = given
    if around.chance(20):
        _add_fan_out(around, plan, tools)
    around.pick(STRAINS)(around, host, plan)
    if around.chance(10):
        host["memory"] = memory(around, plan)
    if around.chance(8):
        del host["tools"]
    if around.chance(5):
        host["run_id"] = around.pick(("r", "", "é😀", "another"))
    if around.chance(7):
        host["cancel_at_ms"] = around.pick((0, 1, 5, 10, 15, 30, 60))
    return host, plan


def _at_once(choices: Choices) -> Choices:
    """Choices that are all one: what surrounds a plan is made smaller as data, if at all."""
    return SeededChoices(choices.below(_SEEDS))


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
    around = _at_once(choices)
    shapes = {id: shape(around) for id in around.some(("a", "b", "c"), 3) or ["a"]}
    readable = [one for id, of in shapes.items() for one in sources(f"steps.{id}", of)]
    of_item, of_input = shape(around, 2), shape(around, 2)
    command: Command = {"cmd": "evaluate", "expression": "", "steps": {}}
    if around.chance(30):
        readable += sources("item", of_item)
        command |= {"item": fitting(around, of_item), "index": around.between(0, 3)}
    if around.chance(40):
        readable += sources("input.today", of_input)
        command["input"] = {"today": fitting(around, of_input)}
    for id, of in shapes.items():
        if not around.chance(5):
            command["steps"][id] = fitting(around, of)
    command["expression"] = text = ExpressionMaker(choices, readable).expression()
    if choices.chance(30):
        command["expression"] = mutated_expression(choices, text)
        return Trial("expression of a plan with mistakes", (command,))
    if "item" not in command and choices.chance(50):
        data = {"steps": command["steps"], "input": command.get("input", {})}
        root = {"cmd": "evaluate", "expression": text, "root": data}
        return Trial("expression of a plan", (command, root), (text, data))
    return Trial("expression of a plan", (command,))
