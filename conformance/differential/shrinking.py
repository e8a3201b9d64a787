"""A command made smaller, as long as two engines answer it unlike each other."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

__all__ = ["Command", "shrunk"]

Command = dict[str, Any]
Path = tuple[Any, ...]
# What was done to a command, so that within a pass it is not tried again in vain.
Edit = tuple[Any, ...]

# Members that a command can do without, the largest first.
_OPTIONAL: Final = ("policy", "memory", "answers", "cancel_at_ms", "run_id", "input", "tools",
                    "steps", "item", "index")  # fmt: skip
_INPUTS: Final = ("plan", "plan_text", "expression", "tools", "policy", "input", "answers",
                  "memory", "steps", "root", "item")  # fmt: skip
_AT_ONCE: Final = 40
_PATIENCE_S: Final = 10.0
_FENCED: Final = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
# A member or an item of JSON text, broken as it may be, that holds no other brackets.
_INNERMOST: Final = re.compile(r',?\s*(?:"[^"]*"\s*:\s*)?[\[{][^\[\]{}]*[\]}]')
_MEMBER: Final = re.compile(r',?\s*"[^"]*"\s*:\s*(?:"[^"]*"|[\w.+-]+)\s*,?')


def shrunk(command: Command, differ: Callable[[list[Command]], list[bool]]) -> Command:
    """A smaller command that the engines still answer unlike each other.

    Args:
        differ: Whether they do, for several commands at once.
    """
    until = time.monotonic() + _PATIENCE_S
    improved = True
    while improved:
        improved = False
        tried: set[Edit] = set()
        while time.monotonic() < until:
            some = _next(command, tried)
            if not some:
                break
            verdicts = differ([one for _, one in some])
            for (edit, smaller), is_find in zip(some, verdicts, strict=True):
                tried.add(edit)
                if is_find:
                    command, improved = smaller, True
                    break
        if time.monotonic() >= until:
            break
    return command


def _next(command: Command, tried: set[Edit]) -> list[tuple[Edit, Command]]:
    """The next few edits that were not tried."""
    found: list[tuple[Edit, Command]] = []
    for edit, smaller in _smaller(command):
        if edit not in tried:
            found.append((edit, smaller))
            if len(found) == _AT_ONCE:
                break
    return found


def _smaller(command: Command) -> Iterator[tuple[Edit, Command]]:
    """The command after each edit that makes it smaller or simpler, large ones first."""
    for name in _OPTIONAL:
        if name in command:
            gone = {name, "index"} if name == "item" else {name}
            left = {key: value for key, value in command.items() if key not in gone}
            yield ("without", name), left
    if "plan_text" in command:
        others = {key: value for key, value in command.items() if key != "plan_text"}
        for how, plan in _read(command["plan_text"]):
            yield ("read", how), {**others, "plan": plan}
        for text in _smaller_texts(command["plan_text"]):
            yield ("text", text), {**others, "plan_text": text}
    if "plan" in command:
        for edit, plan in _smaller_plans(command["plan"]):
            yield edit, {**command, "plan": plan}
    inputs = {name: command[name] for name in _INPUTS if name in command}
    for path in sorted(_paths(inputs), key=lambda path: -len(str(_at(inputs, path)))):
        if len(path) > 1:
            yield ("remove", path), {**command, **_with(inputs, path, None, remove=True)}
    for path in sorted(_paths(inputs), key=len):
        if path != ("plan_text",):
            for other in _instead(_at(inputs, path)):
                yield ("instead", path, repr(other)), {**command, **_with(inputs, path, other)}


def _read(text: str) -> Iterator[tuple[str, Any]]:
    """What a text holds if it is JSON, in a fence or not."""
    fenced = _FENCED.fullmatch(text)
    for how, inner in (("plain", text), ("fenced", fenced[1] if fenced else "")):
        try:
            yield how, json.loads(inner)
        except ValueError:
            continue


def _smaller_texts(text: str) -> Iterator[str]:
    """A text without a fence, without each part of its JSON, or without what looks like one."""
    if fenced := _FENCED.fullmatch(text):
        yield fenced[1]
    for _, value in _read(text):
        holder = {"": value}
        for path in sorted(_paths(holder), key=lambda path: -len(str(_at(holder, path)))):
            if len(path) > 1:
                yield json.dumps(_with(holder, path, None, remove=True)[""])
        return
    for pattern in (_INNERMOST, _MEMBER):
        for found in pattern.finditer(text):
            yield text[: found.start()] + text[found.end() :]
    yield from _halved(text)


def _smaller_plans(plan: Any) -> Iterator[tuple[Edit, Any]]:
    """A plan taken out of what wraps it, its texts read, or without one of its steps."""
    if not isinstance(plan, dict):
        return
    if len(plan) == 1:
        ((name, inner),) = plan.items()
        if isinstance(inner, dict):
            yield ("unwrapped", name), inner
        elif isinstance(inner, str):
            yield from ((("unwrapped", name, how), read) for how, read in _read(inner))
    for path in _paths(plan):
        value = _at(plan, path)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            for _, read in _read(value):
                yield ("unwritten", path), _with(plan, path, read)
    steps = plan.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return
    ids = [step.get("id") for step in steps]
    for at, id in enumerate(ids):
        if len(ids) > 1 and isinstance(id, str):
            yield ("step", id), _without_step(plan, at, id)
    for id in ids:
        if plan.get("returns") != [id] or "output" in plan:
            others = {name: value for name, value in plan.items() if name != "output"}
            yield ("returns", id), {**others, "returns": [id]}


def _without_step(plan: Any, at: int, id: str) -> Any:
    """A plan without a step, and without what reads it: null stands there."""
    reads = re.compile(rf"steps\.`?{re.escape(id)}\b")

    def unread(value: Any) -> Any:
        if isinstance(value, str):
            return "null" if reads.search(value) else value
        if isinstance(value, list):
            return [unread(item) for item in value if item != id]
        if isinstance(value, dict):
            return {name: unread(member) for name, member in value.items()}
        return value

    made = {name: unread(value) for name, value in plan.items() if name != "steps"}
    steps = [step for other, step in enumerate(plan["steps"]) if other != at]
    made["steps"] = [
        {name: value if name == "id" else unread(value) for name, value in step.items()}
        for step in steps
    ]
    if made.get("returns") == []:
        made["returns"] = [steps[0].get("id")]
    return made


def _instead(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield from _halved(value)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float) and value not in (0, 1):
        yield from (0, 1)


def _halved(text: str) -> Iterator[str]:
    """A text without a half, a quarter and so on, down to single characters."""
    size = (len(text) + 1) // 2
    while size:
        for at in range(0, len(text), size):
            yield text[:at] + text[at + size :]
        size = size // 2


def _paths(value: Any) -> Iterator[Path]:
    if not isinstance(value, dict | list):
        return
    keys: Sequence[Any] = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield (key,)
        yield from ((key, *below) for below in _paths(value[key]))


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _with(inputs: Any, path: Path, other: Any, *, remove: bool = False) -> Any:
    made = copy.deepcopy(inputs)
    holder = _at(made, path[:-1])
    if remove:
        del holder[path[-1]]
    else:
        holder[path[-1]] = other
    return made
