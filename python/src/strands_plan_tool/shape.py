"""Whether a plain value has the shape of a plan, told in our own words.

The models decide; their library's errors are only read for what failed and where. Bounds,
patterns and words come out of those errors, so a changed schema changes the text too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from strands_plan_tool.diagnostics import (
    Finding,
    Path,
    any_of,
    closest,
    listing,
    ordered,
    quoted,
)
from strands_plan_tool.models import STEP_ID_PATTERN, Code, JsonValue, PlanStep, WorkflowPlan
from strands_plan_tool.values import number_to_text, to_json_text

__all__ = ["read_shape"]

_EXPECTED: Final = {
    "string_type": "a string",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
}
_BOUNDS: Final = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_WORD: Final = re.compile("'([^']*)'")
_ID: Final = re.compile(STEP_ID_PATTERN.removesuffix("$") + r"\Z")
_ID_LENGTH: Final = 32
_LEADING_STEPS: Final = re.compile(r"\$*\.?\$?steps\.([^.\[]*)")
_SEPARATORS: Final = re.compile(r"[,\s]+")


def read_shape(value: JsonValue) -> tuple[WorkflowPlan | None, tuple[Finding, ...]]:
    """The plan that a value is, or what is wrong with its shape.

    Args:
        value: Plain JSON, as ``wire`` gives it.

    Returns:
        The plan and no findings, or None and the findings in the order of the value.
    """
    try:
        return WorkflowPlan.model_validate(value), ()
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
    faults = [_Fault(p["type"], p["loc"], p.get("ctx", {}), value) for p in problems]
    findings = [_finding(fault) for fault in faults if not _is_echo(fault, faults)]
    return None, ordered([*findings, *_missing(faults)], value)


@dataclass(frozen=True, slots=True)
class _Fault:
    """One error of the models' library: its kind, its place, and the whole document."""

    kind: str
    path: Path
    context: dict[str, Any]
    document: JsonValue

    @property
    def value(self) -> Any:
        here: Any = self.document
        for part in self.path:
            here = here[part]
        return here

    @property
    def name(self) -> str:
        """The field that a fault is in, as it is called in messages."""
        names = [part for part in self.path if isinstance(part, str)]
        if not names:
            return "the plan"
        if isinstance(self.path[-1], int):
            return "a step" if names[-1] == "steps" else f"a step id in {quoted(names[-1])}"
        return quoted(names[-1])


def _is_echo(fault: _Fault, faults: Sequence[_Fault]) -> bool:
    """Whether a fault only follows from others, or is told together with them.

    A tuple counts its valid items alone, so its length means something only once all of
    its items are valid.
    """
    if fault.kind == "missing":
        return True
    depth = len(fault.path)
    return fault.kind in ("too_short", "too_long") and any(
        len(other.path) > depth and other.path[:depth] == fault.path for other in faults
    )


def _missing(faults: Iterable[_Fault]) -> list[Finding]:
    lacking: dict[Path, list[str]] = {}
    for fault in faults:
        if fault.kind == "missing":
            lacking.setdefault(fault.path[:-1], []).append(str(fault.path[-1]))
    return [
        Finding(
            Code.MISSING_FIELD,
            path,
            f"{'a step' if path else 'the plan'} lacks {listing(names)}",
            f"add {_fields(names)}",
        )
        for path, names in lacking.items()
    ]


def _fields(names: Iterable[str]) -> str:
    written = {
        "steps": '"steps": [{"id": ..., "tool": ...}]',
        "id": '"id": a short name',
        "tool": '"tool": the name of a tool',
    }
    return ", ".join(written.get(name, quoted(name)) for name in names)


def _finding(fault: _Fault) -> Finding:
    match fault.kind:
        case "extra_forbidden":
            return _unknown_field(fault)
        case "enum":
            return _not_in_enum(fault)
        case "string_pattern_mismatch":
            return _bad_pattern(fault)
        case "string_too_short" | "too_short":
            return _length(fault, Code.TOO_SHORT, "at least", fault.context["min_length"])
        case "string_too_long" | "too_long":
            return _length(fault, Code.TOO_LONG, "at most", fault.context["max_length"])
        case kind if kind in _BOUNDS:
            key, words = _BOUNDS[kind]
            bound = f"{words} {number_to_text(fault.context[key])}"
            return Finding(
                Code.OUT_OF_RANGE, fault.path, f"{fault.name} must be {bound}", f"write {bound}"
            )
        case "int_type":
            number = isinstance(fault.value, int | float) and not isinstance(fault.value, bool)
            return _wrong_type(fault, "an integer" if number else "a number")
        case kind:
            return _wrong_type(fault, _EXPECTED[kind])


def _unknown_field(fault: _Fault) -> Finding:
    name = str(fault.path[-1])
    owner: type[BaseModel] = WorkflowPlan if len(fault.path) == 1 else PlanStep
    what = "a plan" if owner is WorkflowPlan else "a step"
    fields = list(owner.model_fields)
    beside = fault.document
    for part in fault.path[:-1]:
        beside = beside[part]  # type: ignore[index, call-overload]
    unused = [field for field in fields if field not in (beside or ())]  # type: ignore[operator]
    meant = closest(name, unused)
    hint = f"rename it to {quoted(meant)}" if meant else f"remove it; {what} has {listing(fields)}"
    return Finding(
        Code.UNKNOWN_FIELD, fault.path, f"{what} has no field {quoted(name)}", hint
    )


def _not_in_enum(fault: _Fault) -> Finding:
    words = _WORD.findall(fault.context["expected"])
    value = fault.value
    message = f"{fault.name} is {_shown(value)}, not {any_of(words)}"
    meant = None
    if isinstance(value, str):
        folded = re.sub("[^a-z]+", "_", value.strip().lower())
        meant = folded if folded in words else closest(value, words)
    hint = f"change {_shown(value)} to {quoted(meant)}" if meant else f"write {any_of(words)}"
    return Finding(Code.NOT_IN_ENUM, fault.path, message, hint)


def _bad_pattern(fault: _Fault) -> Finding:
    written = fault.value
    meant = _id_like(written, _ids(fault.document))
    change = f"change {quoted(written)} to {quoted(meant)}" if meant else "write a short name"
    everywhere = " here and wherever it is used" if fault.path[-1] == "id" and meant else ""
    return Finding(
        Code.BAD_PATTERN,
        fault.path,
        f"{quoted(written)} is no step id: a lower-case letter, then up to {_ID_LENGTH - 1} "
        "lower-case letters, digits or underscores",
        change + everywhere,
    )


def _ids(document: Any) -> set[str]:
    steps = document.get("steps")
    ids = [step.get("id") for step in steps if isinstance(step, dict)]
    return {name for name in ids if isinstance(name, str)}


def _id_like(written: str, taken: set[str]) -> str | None:
    """The id that a text was probably meant to be; a path is meant for its step."""
    path = _LEADING_STEPS.match(written)
    if path and _ID.match(path[1]):
        return path[1]
    slug = re.sub("[^a-z0-9]+", "_", written.lower()).strip("_")
    slug = slug if slug[:1].isalpha() else f"s_{slug}".rstrip("_")
    slug = slug[:_ID_LENGTH].rstrip("_")
    if slug in taken and written in taken:
        return None
    return slug if len(written) > 0 and slug != "s" else None


def _length(fault: _Fault, code: Code, words: str, bound: int) -> Finding:
    text = isinstance(fault.value, str)
    one, many = ("character", "characters") if text else ("entry", "entries")
    size = f"{words} {bound} {one if bound == 1 else many}"
    if code is Code.TOO_SHORT and bound == 1:
        hint = "write the name of a tool" if text else "write at least one step"
        return Finding(code, fault.path, f"{fault.name} is empty", hint)
    return Finding(code, fault.path, f"{fault.name} must have {size}", f"write {size}")


def _wrong_type(fault: _Fault, expected: str) -> Finding:
    value = fault.value
    message = f"{fault.name} must be {expected}, not {_kind(value)}"
    return Finding(Code.WRONG_TYPE, fault.path, message, _retyped(fault, value, expected))


def _retyped(fault: _Fault, value: Any, expected: str) -> str:
    """The edit that gives a value the type it should have."""
    if expected == "true or false" and isinstance(value, str):
        word = value.strip().lower()
        if word in ("true", "false"):
            return f"change {_shown(value)} to {word}"
    if expected == "a string":
        if isinstance(value, bool | int | float):
            return f"change {_shown(value)} to {quoted(to_json_text(value))}"
        if "bind" in fault.path:
            return 'write an expression as a string, or move the value to "args"'
    if expected == "an array" and fault.path[-1] != "steps":
        names = _SEPARATORS.split(value.strip()) if isinstance(value, str) else []
        if names and all(_ID.match(name) for name in names):
            return f"change {_shown(value)} to {to_json_text(names)}"
        return "write an array of step ids"
    if fault.kind == "model_type":
        return f"write an object with {listing(_required(fault.path))}"
    return f"write {expected}" + (" of steps" if expected == "an array" else "")


def _required(path: Path) -> list[str]:
    owner: type[BaseModel] = PlanStep if path else WorkflowPlan
    return [name for name, field in owner.model_fields.items() if field.is_required()]


def _shown(value: Any) -> str:
    """A scalar as JSON; what holds others by its kind."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict | list):
        return _kind(value)
    return to_json_text(value)


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"
        case _:
            return "a number"
