"""Plans, values and texts with mistakes in them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices
from strands_plan_tool.testing.generation.mistakes import (
    FRAGMENTS,
    FROM_TEXT,
    INTO_TEXT,
    NAMES,
    OTHER_NAMES,
    VALUES,
)

__all__ = ["mutated", "mutated_expression", "mutated_text"]

Place = tuple[Any, Any]


def mutated(choices: Choices, plan: JsonValue) -> JsonValue:
    """A value, in most cases a plan, after one to three mistakes."""
    whole = [copy.deepcopy(plan)]
    for _ in range(choices.between(1, 3)):
        if choices.chance(70) and (steps := _steps(whole[0])):
            choices.pick(_OF_PLANS)(choices, steps)
        else:
            _changed(choices, whole, choices.pick(list(_places(whole))))
    return whole[0] if whole else None


def mutated_text(choices: Choices, plan: JsonValue) -> str:
    """The JSON text of a value after one to three mistakes."""
    indent = choices.pick((None, 2))
    text = json.dumps(plan, ensure_ascii=choices.chance(30), indent=indent)
    for _ in range(choices.between(1, 3)):
        if choices.chance(40):
            old, new = choices.pick(FROM_TEXT)
            count = text.count(old)
            if count:
                at = -1
                for _ in range(choices.between(1, min(count, 8))):
                    at = text.index(old, at + 1)
                text = text[:at] + new + text[at + len(old) :]
        else:
            text = _edited(choices, text, INTO_TEXT)
    return text


def mutated_expression(choices: Choices, text: str) -> str:
    """An expression after one to three mistakes, such as other languages' habits."""
    for _ in range(choices.between(1, 3)):
        text = _edited(choices, text, FRAGMENTS)
    return text


def _edited(choices: Choices, text: str, fragments: tuple[str, ...]) -> str:
    at = choices.below(len(text) + 1)
    other = min(len(text), at + choices.pick((1, 1, 2, 3, 8)))
    if choices.chance(3):
        # So often that it comes up against a limit.
        piece = choices.pick(fragments) if choices.chance(50) else text[at:other]
        return text[:at] + piece * choices.pick((4, 66, 300)) + text[at:]
    match choices.below(6):
        case 0:
            return text[:at] + text[other:]
        case 1:
            return text[:at] + text[at:other] * 2 + text[other:]
        case 2:
            return text[:at]
        case 3:
            return text[:at] + choices.pick(fragments) + text[other:]
    return text[:at] + choices.pick(fragments) + text[at:]


def _places(container: Any, depth: int = 0) -> Iterator[Place]:
    """Every member and item, as what holds it and its key, except the outermost's own."""
    keys = list(container) if isinstance(container, dict) else range(len(container))
    for key in keys:
        yield container, key
        if isinstance(container[key], dict | list) and depth < 12:
            yield from _places(container[key], depth + 1)


def _steps(plan: Any) -> list[dict[str, Any]]:
    steps = plan.get("steps") if isinstance(plan, dict) else None
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []


def _changed(choices: Choices, whole: list[Any], place: Place) -> None:
    holder, key = place
    value = holder[key]
    if isinstance(value, str) and choices.chance(60):
        holder[key] = mutated_expression(choices, value)
        return
    match choices.below(9):
        case 0 | 1:
            holder[key] = copy.deepcopy(choices.pick(VALUES))
        case 2:
            if holder is not whole:
                del holder[key]
        case 3:
            other, at = choices.pick(list(_places(whole)))
            holder[key] = copy.deepcopy(other[at])
        case 4:
            wraps: tuple[Any, ...] = ([value], {"value": value}, json.dumps(value), str(value))
            holder[key] = choices.pick(wraps)
        case 5 if isinstance(holder, list) and holder is not whole:
            holder.insert(choices.below(len(holder) + 1), copy.deepcopy(value))
        case _:
            _renamed(choices, holder, key)


def _renamed(choices: Choices, holder: Any, key: Any) -> None:
    """Another name for a member, or a further member; of a list the items change places."""
    if isinstance(holder, list):
        at = choices.below(len(holder))
        holder[key], holder[at] = holder[at], holder[key]
        return
    name = choices.pick(NAMES) if choices.chance(60) else mutated_expression(choices, key)
    if choices.chance(50):
        holder[name] = copy.deepcopy(choices.pick([holder[key], *VALUES]))
        return
    members = [(name if old == key else old, value) for old, value in holder.items()]
    holder.clear()
    holder.update(members)


def _an_id(choices: Choices, steps: list[dict[str, Any]]) -> Any:
    return choices.pick(steps).get("id", "a")


def _an_expression(choices: Choices, steps: list[dict[str, Any]]) -> None:
    places = [(step, key) for step in steps for key in ("when", "for_each")]
    places += [(bind, key) for step in steps if isinstance(bind := step.get("bind"), dict)
               for key in bind]  # fmt: skip
    written = [(holder, key) for holder, key in places if isinstance(holder.get(key), str)]
    if written:
        holder, key = choices.pick(written)
        holder[key] = mutated_expression(choices, holder[key])


def _waits_for_any(choices: Choices, steps: list[dict[str, Any]]) -> None:
    """Cycles, steps that wait for themselves."""
    for _ in range(choices.between(1, 3)):
        step, after = choices.pick(steps), _an_id(choices, steps)
        ids = step.get("after")
        step["after"] = [*ids, after] if isinstance(ids, list) else [after]


def _reads_any(choices: Choices, steps: list[dict[str, Any]]) -> None:
    step, id = choices.pick(steps), _an_id(choices, steps)
    bind = step.get("bind")
    if not isinstance(bind, dict):
        bind = step["bind"] = {}
    bind[choices.pick(list(bind) or ["a"])] = f"steps.{id}{choices.pick(('', '.n', '.rows.n'))}"


def _same_id(choices: Choices, steps: list[dict[str, Any]]) -> None:
    choices.pick(steps)["id"] = _an_id(choices, steps)


def _template(choices: Choices, steps: list[dict[str, Any]]) -> None:
    id, step = _an_id(choices, steps), choices.pick(steps)
    args = step.get("args")
    if not isinstance(args, dict):
        args = step["args"] = {}
    ways = (
        *(
            "{{steps.%s}}",
            "steps.%s.n",
            "${%s.n}",
            "of {{ steps.%s.s }}!",
            "$steps.%s",
            "{{%s}}",
        ),
        *("Hi {{item.name}} and ${steps.%s.n}", "steps.%s.rows[0]", "item.id", "{{%s.rows}}"),
    )
    text: Any = choices.pick(ways).replace("%s", str(id))
    args[choices.pick(list(args) or ["a"])] = choices.pick((text, [text], {"x": {"y": text}}))


def _another_name(choices: Choices, steps: list[dict[str, Any]]) -> None:
    """A field of a step under the name that another format has for it."""
    step = choices.pick(steps)
    there = [name for name in step if name in OTHER_NAMES]
    if there:
        field = choices.pick(there)
        name = choices.pick(OTHER_NAMES[field])
        members = {name if key == field else key: value for key, value in step.items()}
        step.clear()
        step.update(members)


def _unknown_tool(choices: Choices, steps: list[dict[str, Any]]) -> None:
    step = choices.pick(steps)
    step["tool"] = mutated_expression(choices, str(step.get("tool", "")))


def _argument(choices: Choices, steps: list[dict[str, Any]]) -> None:
    field = choices.pick(("args", "bind"))
    members = choices.pick(steps).get(field)
    if isinstance(members, dict) and members:
        name = choices.pick(list(members))
        value = members.pop(name)
        if choices.chance(60):
            members[mutated_expression(choices, name)] = value


_OF_PLANS: Final[tuple[Callable[[Choices, list[dict[str, Any]]], None], ...]] = (
    _an_expression,
    _an_expression,
    _an_expression,
    _waits_for_any,
    _reads_any,
    _same_id,
    _template,
    _unknown_tool,
    _argument,
    _another_name,
)
