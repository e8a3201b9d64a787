"""Whether a plain value has the shape of a task plan, told in our own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from strands_plan_tool.diagnostics import Finding, Path, any_of, closest, listing, quoted
from strands_plan_tool.models import (
    SCHEMA_MAX_STEPS,
    STEP_ID_PATTERN,
    Code,
    TaskPlan,
    TaskStep,
)
from strands_plan_tool.wire.fields import id_like
from strands_plan_tool.wire.wording import kind_of

__all__ = ["shape_findings"]

_ID: Final = re.compile(STEP_ID_PATTERN.removesuffix("$") + r"\Z")
_PLAN_FIELDS: Final = tuple(TaskPlan.model_fields)
_STEP_FIELDS: Final = tuple(TaskStep.model_fields)
_WRITTEN: Final = {
    "steps": '"steps": [{"id": ..., "instruction": ...}]',
    "id": '"id": a short name',
    "instruction": '"instruction": what to do',
}


def shape_findings(value: Any) -> Iterator[Finding]:
    """Where a value is not of the shape of a task plan; nothing if it is."""
    if not isinstance(value, Mapping):
        yield _wrong_type((), "the plan", "an object", value, 'write {"steps": [...]}')
        return
    yield from _fields((), value, "the plan", _PLAN_FIELDS, ("steps",))
    if "steps" in value:
        yield from _steps(value["steps"])


def _steps(steps: Any) -> Iterator[Finding]:
    path: Path = ("steps",)
    if not isinstance(steps, list | tuple):
        yield _wrong_type(path, '"steps"', "an array", steps, "write an array of steps")
    elif not steps:
        yield Finding(Code.TOO_SHORT, path, '"steps" is empty', "write at least one step")
    elif len(steps) > SCHEMA_MAX_STEPS:
        hint = f"write at most {SCHEMA_MAX_STEPS} steps"
        yield Finding(Code.TOO_LONG, path, f"{len(steps)} steps", hint)
    else:
        for at, step in enumerate(steps):
            yield from _step((*path, at), step)


def _step(path: Path, step: Any) -> Iterator[Finding]:
    if not isinstance(step, Mapping):
        hint = 'write an object with "id", "instruction"'
        yield _wrong_type(path, "a step", "an object", step, hint)
        return
    yield from _fields(path, step, "a step", _STEP_FIELDS, ("id", "instruction"))
    if "id" in step:
        yield from _id((*path, "id"), step["id"])
    if "instruction" in step:
        yield from _instruction((*path, "instruction"), step["instruction"])
    if "depends_on" in step:
        yield from _depends_on((*path, "depends_on"), step["depends_on"])


def _instruction(path: Path, text: Any) -> Iterator[Finding]:
    if not isinstance(text, str):
        hint = "write in words what to do"
        yield _wrong_type(path, '"instruction"', "a string", text, hint)
    elif not text:
        hint = "write in words what to do"
        yield Finding(Code.TOO_SHORT, path, '"instruction" is empty', hint)


def _depends_on(path: Path, names: Any) -> Iterator[Finding]:
    if not isinstance(names, list | tuple):
        hint = "write an array of step ids"
        yield _wrong_type(path, '"depends_on"', "an array", names, hint)
        return
    if len(names) > SCHEMA_MAX_STEPS:
        hint = f"write at most {SCHEMA_MAX_STEPS} step ids"
        yield Finding(Code.TOO_LONG, path, f"{len(names)} step ids", hint)
        return
    for at, name in enumerate(names):
        yield from _id((*path, at), name)


def _id(path: Path, name: Any) -> Iterator[Finding]:
    if not isinstance(name, str):
        yield _wrong_type(path, "a step id", "a string", name, "write a step id")
    elif not _ID.match(name):
        meant = id_like(name)
        everywhere = ", here and wherever it is used" if path[-1] == "id" else ""
        yield Finding(
            Code.BAD_PATTERN,
            path,
            f"{quoted(name)} is no step id: a lower-case letter, then up to 31 lower-case "
            "letters, digits or underscores",
            f"change {quoted(name)} to {quoted(meant)}{everywhere}"
            if meant
            else "write a short name",
        )


def _fields(
    path: Path,
    value: Mapping[str, Any],
    owner: str,
    known: tuple[str, ...],
    required: tuple[str, ...],
) -> Iterator[Finding]:
    for name in value:
        if name not in known:
            meant = closest(name, [each for each in known if each not in value])
            yield Finding(
                Code.UNKNOWN_FIELD,
                (*path, name),
                f"{owner} has no field {quoted(name)}",
                f"rename it to {quoted(meant)}"
                if meant
                else f"remove it; {owner} has {any_of(known)}",
            )
    if lacking := [name for name in required if name not in value]:
        yield Finding(
            Code.MISSING_FIELD,
            path,
            f"{owner} lacks {listing(lacking)}",
            f"add {', '.join(_WRITTEN[name] for name in lacking)}",
        )


def _wrong_type(path: Path, name: str, expected: str, value: Any, hint: str) -> Finding:
    message = f"{name} must be {expected}, not {kind_of(value)}"
    return Finding(Code.WRONG_TYPE, path, message, hint)
