"""What reads a hint knows its words and nothing of the fault: it makes the edit as written."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable
from typing import Any

from strands_plan_tool.models import Diagnostic

__all__ = ["at", "edited", "parts_of"]

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_SAMPLES = {
    "an integer": 1,
    "a number": 0.5,
    "a string": "text",
    "true or false": True,
    "an array": [],
    "an object": {},
}


def edited(plan: Any, diagnostics: Iterable[Diagnostic]) -> Any:
    """A copy of a plan with the edit of every hint made."""
    made = copy.deepcopy(plan)
    # From the end, so that what is removed moves nothing that is still to be edited.
    for diagnostic in reversed([*diagnostics]):
        _edit(made, diagnostic)
    return made


def parts_of(path: str) -> list[str | int]:
    """A pointer's parts, those of lists as numbers."""
    names = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    return [int(name) if name.isdigit() else name for name in names]


def at(value: Any, parts: Iterable[str | int]) -> Any:
    """What stands in a place."""
    for part in parts:
        value = value[part]
    return value


def _edit(plan: Any, diagnostic: Diagnostic) -> None:
    parts, hint = parts_of(diagnostic.path), diagnostic.hint
    owner, last = at(plan, parts[:-1]), parts[-1] if parts else ""
    verb, _, rest = hint.partition(" ")
    if "; corrected: " in hint:
        owner[last] = hint.partition("; corrected: ")[2]
    elif verb == "change":
        owner[last] = _changed(owner[last], rest)
    elif verb == "rename":
        owner[_read(rest.removeprefix("it to "))] = owner.pop(last)
    elif verb == "remove":
        del owner[last]
    elif verb == "add":
        here = at(plan, parts)
        in_args = len(parts) > 3 or last == "args"
        _add(here if in_args else at(plan, parts[:2]).setdefault("args", {}), rest)
    elif verb == "write":
        _write(plan, parts, rest)
    elif verb == "let":
        named = rest.removeprefix('"output" read ').partition(" too")[0]
        names = json.loads(f"[{named}]")
        more = "".join(f", steps.{name}" for name in names)
        plan["output"] = f"[{plan['output']}{more}]"
    else:
        assert verb == "make", hint


def _read(text: str) -> Any:
    return json.JSONDecoder().raw_decode(text)[0]


def _changed(written: Any, rest: str) -> Any:
    """``change x to y``, or to the first of several: the whole, or a word of it."""
    old, end = json.JSONDecoder().raw_decode(rest)
    new = _read(re.sub(r"^ to (one of )?", "", rest[end:]))
    if written == old:
        return new
    return re.sub(rf"\b{re.escape(str(old))}\b", lambda _: str(new), written)


def _add(owner: dict[str, Any], rest: str) -> None:
    """``add "n" (an integer), "m" to ...``: of each the first that it may be."""
    named = re.match(rf"(?:{_QUOTED}(?: \([^)]*\))?(?:, )?)+", rest)
    assert named is not None
    for name, kind in re.findall(rf"({_QUOTED})(?: \(([^)]*)\))?", named[0]):
        first = kind.removeprefix("one of ").split(" or null")[0]
        owner[json.loads(name)] = _SAMPLES[first] if first in _SAMPLES else _read(first or "0")


def _write(plan: Any, parts: list[str | int], rest: str) -> None:
    """``write "bind": {...}``, in the step of the fault or ``in step "c"``."""
    name, end = json.JSONDecoder().raw_decode(rest)
    value, end = json.JSONDecoder().raw_decode(rest, end + 2)
    named = re.match(r' in step "(.*)"', rest[end:])
    if named is not None:
        (holder,) = [step for step in plan["steps"] if step["id"] == named[1]]
    else:
        holder = at(plan, parts[:2])
    holder[name] = value
