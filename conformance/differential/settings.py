"""What surrounds a random plan: stub tools, a policy, input."""

from __future__ import annotations

from typing import Any, Final

from strands_plan_tool.testing.generation import Choices, any_value, fitting
from strands_plan_tool.testing.generation.mistakes import VALUES

__all__ = ["fan_out", "input_values", "policy", "shape", "signatures", "stub_tools"]

Schema = dict[str, Any]

_FIELDS: Final = (
    *("n", "s", "ok", "name", "rows", "tags", "id", "x y", "1", "é", "length", "constructor"),
    *("steps", "10", "keys"),
)
_TOOLS: Final = ("find", "list", "get", "mail", "constructor", "find_one", "toString", "é t")
_TIMES: Final = (0, 0, 1, 5, 10, 10, 20, 50, 100)

_OWN_WAYS: Final[tuple[Schema, ...]] = (
    {"cancels": True},
    {"not_json": "nan"},
    {"not_json": "object"},
)


def shape(choices: Choices, depth: int = 3) -> Schema:
    """A schema of a result."""
    match choices.below(10 if depth > 0 else 5):
        case 0 | 1:
            return {"type": choices.pick(("number", "integer"))}
        case 2 | 3:
            return {"type": "string"}
        case 4:
            return {"type": "boolean"} if choices.chance(70) else {}
        case 5 | 6:
            return {"type": "array", "items": shape(choices, depth - 1)}
    made: Schema = {"type": "object", "properties": {}}
    for name in choices.some(_FIELDS, 5) or ["n"]:
        made["properties"][name] = shape(choices, depth - 1)
    if choices.chance(40):
        made["required"] = choices.some(list(made["properties"]), 2)
    if choices.chance(10):
        made["additionalProperties"] = choices.pick((False, True, {}))
    return made


def _of_arguments(choices: Choices) -> Schema:
    names = choices.some(("q", "limit", "ids", "to", "who", "1", "constructor"), 4)
    made: Schema = {"type": "object", "properties": {n: shape(choices, 1) for n in names}}
    if choices.chance(60):
        made["required"] = choices.some(names, 2)
    if choices.chance(20) and names:
        made["properties"][names[0]] = {"enum": ["x", "y", 1, None]}
    return made


def _result(choices: Choices, of: Schema) -> Any:
    if choices.chance(3):
        return choices.pick(VALUES)
    return any_value(choices) if choices.chance(8) else fitting(choices, of)


def signatures(choices: Choices) -> dict[str, Schema]:
    """Tools by name, in most cases with their schemas; the shapes of all of them are known."""
    tools: dict[str, Schema] = {}
    for name in choices.some(_TOOLS, 4) or ["find"]:
        result, arguments = shape(choices), _of_arguments(choices)
        tool = tools[name] = {"shapes": (result, arguments)}
        if choices.chance(75):
            tool["output_schema"] = result
        if choices.chance(70):
            tool["input_schema"] = arguments
        if choices.chance(3) and len(tools) > 1:
            tool["plannable"] = False
    return tools


def stub_tools(choices: Choices, signed: dict[str, Schema]) -> dict[str, Schema]:
    """Tools made of data: what those of these signatures do."""
    tools: dict[str, Schema] = {}
    for name, signature in signed.items():
        result, arguments = signature["shapes"]
        tool: Schema = {}
        match choices.below(25):
            case 0 | 1 | 2:
                tool = {"echo": True}
            case 3:
                tool = {"fails": choices.pick(("no luck", "", "é\n"))}
            case 4:
                entry = {
                    "args": fitting(choices, arguments),
                    "returns": _result(choices, result),
                }
                tool = {"by_args": [entry, {"args": {}, "fails": "empty"}]}
            case 5:
                tool = dict(choices.pick(_OWN_WAYS))
            case _:
                tool = {"returns": _result(choices, result)}
        tool["takes_ms"] = choices.pick(_TIMES)
        if choices.chance(15):
            tool["fails_first"] = choices.between(1, 3)
        if choices.chance(5):
            tool["edits_args"] = True
        declared = {key: value for key, value in signature.items() if key != "shapes"}
        tools[name] = {**tool, **declared}
    return tools


def fan_out(choices: Choices) -> tuple[Schema, Schema]:
    """A step that calls a tool for a few items, and that tool, which treats each its way."""
    count = choices.between(1, 6)
    entries = []
    for number in range(1, count + 1):
        entry: Schema = {"args": {"q": number}, "takes_ms": choices.pick(_TIMES)}
        if choices.chance(30):
            entry["fails"] = choices.pick(("no luck", "not here"))
        else:
            entry["returns"] = choices.pick((number, None, {"n": number}, [], str(number)))
        if choices.chance(15):
            entry["fails_first"] = choices.between(1, 3)
        entries.append(entry)
    step = {"id": "fan", "tool": "each", "for_each": f"[1..{count}]", "bind": {"q": "item"}}
    return step, {"by_args": entries}


def policy(choices: Choices, tools: dict[str, Schema]) -> Schema:
    """A policy that says something of a few things."""
    made: Schema = {}
    if choices.chance(35):
        made["max_concurrency"] = choices.between(1, 3)
    if choices.chance(15):
        made["step_timeout_s"] = choices.pick((0.005, 0.01, 0.02, 0.05))
    if choices.chance(10):
        made["plan_timeout_s"] = choices.pick((0.005, 0.01, 0.03, 0.1))
    if choices.chance(35):
        name = choices.pick([*tools, "*", "f*", "*t"])
        made["retry"] = {name: {"attempts": choices.between(1, 4)}}
        if choices.chance(50):
            made["retry"][name]["backoff_s"] = choices.pick((0, 0.005, 0.01, 0.02))
    if choices.chance(25):
        name = choices.pick([*tools, "*", "f*"])
        made["effects"] = {name: choices.pick(("read", "read", "write"))}
    for field, percent, values in _LIMITS:
        if choices.chance(percent):
            made[field] = choices.pick(values)
    return made


_LIMITS: Final[tuple[tuple[str, int, tuple[Any, ...]], ...]] = (
    ("max_items", 8, (1, 2, 3)),
    ("max_steps", 4, (1, 2, 4)),
    ("single_final_step", 4, (True, False)),
    ("max_expression_steps", 12, (1, 5, 20, 60, 200, 1000)),
    ("max_result_bytes", 6, (2, 10, 50, 200)),
    ("max_output_bytes", 10, (1, 10, 50, 200, 1000)),
    ("integers", 5, ("exact", "portable")),
)


def input_values(choices: Choices) -> dict[str, Any]:
    """What a host passes with a run."""
    made: dict[str, Any] = {}
    for name in choices.some(("today", "user", "list", "n", "x y"), 3):
        made[name] = fitting(choices, shape(choices, 2))
    return made
