"""What puts a plan under strain in one way: retries, limits, failures, edits, gates, memory.

Each changes what surrounds a plan, and here and there the plan, so that things which rarely
meet by chance meet: many retries and one slot, a limit and a result of just that size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.testing.generation import Choices, any_value
from strands_plan_tool.values import ValueFault, ingest, json_size

__all__ = ["STRAINS", "answers", "memory"]

Host = dict[str, Any]
Plan = dict[str, Any]

_NEAR: Final = (0, 0, 0, -1, 1)
_BACKOFFS: Final = (0, 0, 0.005, 0.01)
_TIMES: Final = (0, 1, 5, 5, 10, 20)
_WORDS: Final = ("not now", "", "no: é😀")
_MOST_ROUNDS: Final = 3


def none(choices: Choices, host: Host, plan: Plan) -> None:
    """Nothing but what there is."""


def retries(choices: Choices, host: Host, plan: Plan) -> None:
    """Most calls fail at first, and there are few slots in which they can be tried again."""
    policy = host["policy"]
    policy["effects"] = {choices.pick(("*", "*", "f*")): "read"}
    policy["retry"] = {"*": {"attempts": choices.between(2, 4)}}
    policy["retry"]["*"]["backoff_s"] = choices.pick(_BACKOFFS)
    policy["max_concurrency"] = choices.between(1, 3)
    for tool in host["tools"].values():
        tool["takes_ms"] = choices.pick(_TIMES)
        if choices.chance(60):
            tool["fails_first"] = choices.between(1, 3)
        if choices.chance(15):
            tool["edits_args"] = True


def limits(choices: Choices, host: Host, plan: Plan) -> None:
    """A limit of bytes is what a result or an output takes, or next to it."""
    sizes = [size for tool in host["tools"].values() if (size := _size(tool.get("returns")))]
    if not sizes:
        return
    size = choices.pick(sizes)
    there = [step for step in plan["steps"] if "for_each" not in step]
    if there and choices.chance(60):
        step = choices.pick(there)
        size = _size(host["tools"].get(step["tool"], {}).get("returns")) or size
        plan["returns"] = [step["id"]]
        if choices.chance(50):
            plan["output"] = f"steps.{step['id']}"
        else:
            plan.pop("output", None)
    if choices.chance(35):
        host["policy"]["max_result_bytes"] = max(1, size + choices.pick(_NEAR))
    else:
        # Once as the output, or as the output and once more.
        most = size * choices.pick((1, 1, 2)) + choices.pick(_NEAR)
        host["policy"]["max_output_bytes"] = max(1, most)
    if choices.chance(50):
        plan["final"] = True


def failures(choices: Choices, host: Host, plan: Plan) -> None:
    """Many calls fail, steps wait for several others, and not all have to go well."""
    plan["on_error"] = choices.pick(("continue", "continue", "continue", "fail_fast"))
    for tool in host["tools"].values():
        if choices.chance(40):
            for name in ("returns", "echo"):
                tool.pop(name, None)
            if not {"cancels", "not_json", "by_args"} & tool.keys():
                tool["fails"] = choices.pick(("no luck", "gone", "é"))
        for entry in tool.get("by_args", ()) if choices.chance(50) else ():
            if "returns" in entry and choices.chance(70):
                del entry["returns"]
                entry["fails"] = choices.pick(("no luck", "gone", "not here"))
    if choices.chance(50):
        _add_failing_items(choices, host, plan)
    ids: list[str] = []
    for step in plan["steps"]:
        if ids and choices.chance(60):
            step["after"] = list({choices.pick(ids): None, choices.pick(ids): None})
            step["join"] = choices.pick(("any", "any", "any", "all"))
        if choices.chance(15):
            step["when"] = choices.pick(("false", "true", "1 = 2"))
        ids.append(step["id"])


def _add_failing_items(choices: Choices, host: Host, plan: Plan) -> None:
    """A step of which all items fail, or all but one, each with its words and in its time."""
    entries: list[dict[str, Any]] = [
        {"args": {"q": number}, "fails": f"no {number}", "takes_ms": choices.pick(_TIMES)}
        for number in range(1, choices.between(2, 4))
    ]
    if choices.chance(40):
        entries.append({"args": {"q": len(entries) + 1}, "returns": None})
    host["tools"]["fail"] = {"by_args": entries}
    items = f"[1..{len(entries)}]"
    step = {"id": "fails", "tool": "fail", "for_each": items, "bind": {"q": "item"}}
    plan["steps"].insert(choices.below(len(plan["steps"]) + 1), step)


def edits(choices: Choices, host: Host, plan: Plan) -> None:
    """Tools empty what they are given, which is to be seen nowhere else."""
    for tool in host["tools"].values():
        tool["edits_args"] = True
        # Any argument will do then, also one with a list in an object.
        tool.pop("input_schema", None)
        if "returns" in tool and choices.chance(50):
            # It answers before it fails, so the next attempt would see what it did.
            del tool["returns"]
            tool["fails"] = "spoilt"
    host["policy"]["effects"] = {"*": "read"}
    host["policy"]["retry"] = {"*": {"attempts": choices.between(2, 3)}}
    for step in plan["steps"]:
        step.setdefault("args", {})["deep"] = {"list": [1, {"n": "x"}], "none": None}
        if "for_each" not in step and choices.chance(25):
            step["for_each"] = "[1, 2]"


def gates(choices: Choices, host: Host, plan: Plan) -> None:
    """Tools wait for answers, which come in a few rounds or never."""
    for tool in host["tools"].values():
        if choices.chance(60):
            tool["gate"] = True
    host["answers"] = answers(choices, plan)


STRAINS: Final[tuple[Callable[[Choices, Host, Plan], None], ...]] = (
    *(none, none, none),
    *(retries, retries, limits, limits, failures, failures, edits, gates, gates),
)
"""Every strain, as often as it is tried; the first is none."""


def answers(choices: Choices, plan: Plan) -> list[dict[str, Any]]:
    """What each round after a pause knows: of steps, and of the first items of fan-outs."""
    names: list[str] = []
    for step in plan["steps"]:
        items = range(4) if "for_each" in step else ()
        names += [f"{step['id']}[{at}]" for at in items] or [step["id"]]
    return [
        {
            name: True if choices.chance(75) else choices.pick(_WORDS)
            for name in names
            if choices.chance(70)
        }
        for _ in range(choices.between(0, _MOST_ROUNDS))
    ]


def memory(choices: Choices, plan: Plan) -> list[dict[str, Any]]:
    """Calls that went well before: such as the plan will make, once or twice, and others."""
    made = [
        {"tool": step["tool"], "args": step.get("args", {}), "result": any_value(choices, 2)}
        for step in plan["steps"]
        if "bind" not in step and choices.chance(60)
    ]
    fans = [step for step in plan["steps"] if step["id"] == "fan"]
    for step in fans:
        for number in range(1, choices.between(1, 4)):
            made.append({"tool": step["tool"], "args": {"q": number}, "result": number})
    if made and choices.chance(40):
        made.append({**choices.pick(made), "result": "again"})
    return made


def _size(value: Any) -> int:
    """The bytes of a result; 0 if it is none."""
    try:
        return json_size(ingest(value))
    except ValueFault:
        return 0
