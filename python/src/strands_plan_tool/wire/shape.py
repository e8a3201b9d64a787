"""Whether a plain value has the shape of a plan, told in our own words.

The models decide; their library's errors are only read for what failed and where. Bounds,
patterns and words come out of those errors, so a changed schema changes the text too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from strands_plan_tool.diagnostics import (
    Finding,
    Path,
    any_of,
    closest,
    listing,
    ordered,
    pointer,
    quoted,
)
from strands_plan_tool.models import STEP_ID_PATTERN, Code, JsonValue, PlanStep, WorkflowPlan
from strands_plan_tool.values import number_to_text, to_json_text
from strands_plan_tool.wire.fields import ID_LENGTH, Fields, id_like
from strands_plan_tool.wire.spelled import as_expression, reads_something
from strands_plan_tool.wire.wording import kind_of, shown
from strands_plan_tool.wire.wrappers import plans_inside

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
_SEPARATORS: Final = re.compile("[, \t\n\r]+")
_SPACE: Final = " \t\n\r"
_WRITTEN: Final = {
    "steps": '"steps": [{"id": ..., "tool": ...}]',
    "id": '"id": a short name',
    "tool": '"tool": the name of a tool',
}
_LONGEST_EDIT: Final = 600
_TOOL_WANTED: Final = "write the name of a tool"
_PLAN_WANTED: Final = 'submit one JSON object with "steps"'


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
    known: dict[Path, Fields] = {}
    ids = cache(partial(_ids, value))
    faults = [
        _Fault(p["type"], p["loc"], p.get("ctx", {}), value, known, ids) for p in problems
    ]
    findings = [_finding(fault) for fault in faults if not _is_echo(fault, faults)]
    wrapped = _unwrapped(findings, plans_inside(value))
    if wrapped is not None:
        return None, (wrapped,)
    return None, ordered([*findings, *_missing(faults)], value)


def _unwrapped(findings: Iterable[Finding], plans: Sequence[Path]) -> Finding | None:
    """The one edit for what is no plan but has plans in it."""
    here = plans[0][:1] if plans else None
    first = next((finding for finding in findings if finding.path[:1] == here), None)
    if first is None:
        return None
    places = [quoted(str(path[0])) if len(path) == 1 else pointer(path) for path in plans]
    hint = f"submit what stands in {places[0]} alone"
    if len(places) > 1:
        hint = f"submit one plan at a time: what stands in {', then in '.join(places)}"
    return replace(first, path=plans[0][:1], hint=hint)


@dataclass(frozen=True, slots=True)
class _Fault:
    """One error of the models' library: its kind, its place, and the whole document.

    Attributes:
        known: What is said of unknown fields, for all faults of the document.
        ids: The ids of its steps, gathered once for all faults that ask for them.
    """

    kind: str
    path: Path
    context: dict[str, Any]
    document: JsonValue
    known: dict[Path, Fields]
    ids: Callable[[], set[str]]

    @property
    def value(self) -> Any:
        return self.owner[self.path[-1]] if self.path else self.document

    @property
    def owner(self) -> Any:
        """What holds the value."""
        here: Any = self.document
        for part in self.path[:-1]:
            here = here[part]
        return here

    @property
    def fields(self) -> Fields:
        """What is said of the unknown fields of the object that the fault is about."""
        path = self.path[:-1]
        if path not in self.known:
            self.known[path] = Fields(self.owner, of_plan=not path)
        return self.known[path]

    @property
    def name(self) -> str:
        """The field that a fault is in, as it is called in messages."""
        names = [part for part in self.path if isinstance(part, str)]
        if not names:
            return "the plan"
        if isinstance(self.path[-1], int):
            return "a step" if names[-1] == "steps" else f"a step id in {quoted(names[-1])}"
        return f"the binding {quoted(names[-1])}" if "bind" in names[:-1] else quoted(names[-1])

    @property
    def is_id(self) -> bool:
        """Whether the fault is in a step's id or in a reference to one."""
        return self.path[-1:] == ("id",) or (
            len(self.path) > 1 and self.path[-2] in ("after", "returns")
        )


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
    lacking: dict[Path, list[_Fault]] = {}
    for fault in faults:
        if fault.kind == "missing":
            lacking.setdefault(fault.path[:-1], []).append(fault)
    return [
        Finding(
            Code.MISSING_FIELD,
            path,
            f"{'a step' if path else 'the plan'} lacks "
            + listing(str(fault.path[-1]) for fault in every),
            _supplied(every),
        )
        for path, every in lacking.items()
    ]


def _supplied(lacking: Sequence[_Fault]) -> str:
    """The edit that gives an object what it lacks, of what it has under another name first."""
    if lacking[0].path == ("steps",) and lacking[0].owner.keys() & {"id", "tool"}:
        return 'put this step into a list: {"steps": [{"id": ..., "tool": ...}]}'
    fields = lacking[0].fields.meant.values()
    meant = {each.field: each.named for each in fields if each.named}
    names = [str(fault.path[-1]) for fault in lacking]
    edits = [meant[name] for name in names if name in meant]
    added = [_WRITTEN.get(name, quoted(name)) for name in names if name not in meant]
    return ", ".join([*edits, *([f"add {', '.join(added)}"] if added else [])])


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
            message = f"{fault.name} must be {bound}"
            return Finding(Code.OUT_OF_RANGE, fault.path, message, f"write {bound}")
        case "int_type":
            number = isinstance(fault.value, int | float) and not isinstance(fault.value, bool)
            return _wrong_type(fault, "an integer" if number else "a number")
        case kind:
            return _wrong_type(fault, _EXPECTED[kind])


def _unknown_field(fault: _Fault) -> Finding:
    name = str(fault.path[-1])
    what = "a plan" if len(fault.path) == 1 else "a step"
    message = f"{what} has no field {quoted(name)}"
    return Finding(Code.UNKNOWN_FIELD, fault.path, message, fault.fields.hint(name))


def _not_in_enum(fault: _Fault) -> Finding:
    words = _WORD.findall(fault.context["expected"])
    value = fault.value
    message = f"{fault.name} is {shown(value)}, not {any_of(words)}"
    meant = None
    if isinstance(value, str):
        folded = re.sub("[^a-z]+", "_", value.strip(_SPACE).lower())
        meant = folded if folded in words else closest(value, words)
    hint = f"change {shown(value)} to {quoted(meant)}" if meant else f"write {any_of(words)}"
    return Finding(Code.NOT_IN_ENUM, fault.path, message, hint)


def _bad_pattern(fault: _Fault) -> Finding:
    written = fault.value
    meant = _id_like(fault, written)
    hint = "write a short name"
    if meant:
        everywhere = ", here and wherever it is used" if fault.path[-1] == "id" else ""
        hint = f"change {quoted(written)} to {quoted(meant)}{everywhere}"
    return Finding(
        Code.BAD_PATTERN,
        fault.path,
        f"{quoted(written)} is no step id: a lower-case letter, then up to {ID_LENGTH - 1} "
        "lower-case letters, digits or underscores",
        hint,
    )


def _id_like(fault: _Fault, written: str) -> str | None:
    """The id that a text was probably meant to be; a path is meant for its step."""
    slug = id_like(written)
    if slug is None:
        return None
    taken = fault.ids() if fault.path[-1] == "id" else set()
    at = 2
    name = slug
    while name in taken:
        name = f"{slug[: ID_LENGTH - 1 - len(str(at))]}_{at}"
        at += 1
    return name


def _ids(document: Any) -> set[str]:
    steps = document.get("steps")
    every = (
        [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    )
    return {step["id"] for step in every if isinstance(step.get("id"), str)}


def _length(fault: _Fault, code: Code, words: str, bound: int) -> Finding:
    text = isinstance(fault.value, str)
    one, many = ("character", "characters") if text else ("entry", "entries")
    size = f"{words} {bound} {one if bound == 1 else many}"
    if code is Code.TOO_SHORT and bound == 1:
        hint = _TOOL_WANTED if text else "write at least one step"
        return Finding(code, fault.path, f"{fault.name} is empty", hint)
    return Finding(code, fault.path, f"{fault.name} must have {size}", f"write {size}")


def _wrong_type(fault: _Fault, expected: str) -> Finding:
    value = fault.value
    message = f"{fault.name} must be {expected}, not {kind_of(value)}"
    return Finding(Code.WRONG_TYPE, fault.path, message, _retyped(fault, value, expected))


def _retyped(fault: _Fault, value: Any, expected: str) -> str:
    """The edit that gives a value the type it should have."""
    if expected == "true or false" and isinstance(value, str):
        word = value.strip(_SPACE).lower()
        if word in ("true", "false"):
            return f"change {shown(value)} to {word}"
    if expected == "a string" and fault.is_id:
        written = "" if value is None or isinstance(value, dict | list) else shown(value)
        meant = _id_like(fault, written)
        return f"change {shown(value)} to {quoted(meant)}" if meant else "write a step id"
    if expected == "a string" and fault.path[-1] == "tool":
        return _TOOL_WANTED
    if expected == "a string" and not isinstance(value, dict | list):
        return f"change {shown(value)} to {quoted(to_json_text(value))}"
    if expected == "a string" and isinstance(value, dict | list):
        return _written_as_expression(fault, value)
    if expected == "an array" and fault.path[-1] != "steps":
        names = _SEPARATORS.split(value.strip(_SPACE)) if isinstance(value, str) else []
        if names and all(_ID.match(name) for name in names):
            return f"change {shown(value)} to {to_json_text(names)}"
        return "write an array of step ids"
    if not fault.path:
        listed = isinstance(value, list)
        return 'put it into "steps": {"steps": [...]}' if listed else _PLAN_WANTED
    if fault.kind == "model_type":
        return f"write an object with {listing(_required(fault.path))}"
    return f"write {expected}{' of steps' if expected == 'an array' else ''}"


def _written_as_expression(fault: _Fault, value: dict[str, Any] | list[Any]) -> str:
    """The edit for a list or an object where the text of an expression belongs."""
    field = str(fault.path[-1])
    bound = "bind" in fault.path
    if field == "output" and isinstance(value, list) and not fault.owner.get("returns"):
        names = [name for name in value if isinstance(name, str)]
        if len(names) == len(value) and _ids(fault.document).issuperset(names):
            return 'rename it to "returns"'
    if bound and not reads_something(value):
        return 'move it to "args"'
    if field == "when" and not bound:
        return 'write a condition as a string, such as "steps.a.n > 3"'
    text = to_json_text(as_expression(value))
    if len(text) < _LONGEST_EDIT:
        return f"write {quoted(field)}: {text}"
    return 'write one expression as a string, such as "[steps.a.x, steps.b.x]"'


def _required(path: Path) -> list[str]:
    owner: type[BaseModel] = PlanStep if path else WorkflowPlan
    return [name for name, field in owner.model_fields.items() if field.is_required()]
