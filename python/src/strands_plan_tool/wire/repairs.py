"""The ways in which models bend the JSON of a plan, put right before anything is checked.

The list is closed (section 3 of the plan language), works from the outside in, never
guesses at meaning, and leaves a note for each thing it changed. What the caller passed is
never touched: containers that change are copied.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel

from strands_plan_tool.diagnostics import Finding, Path, key_order, pointer, quoted
from strands_plan_tool.models import STEP_ID_PATTERN, Code, PlanStep, WorkflowPlan
from strands_plan_tool.values import number_to_text
from strands_plan_tool.wire.json_text import JsonTextError, loads

__all__ = ["MAX_SAFE_INTEGER", "Repaired", "as_list", "as_object", "repaired"]

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that a double tells from its neighbours."""

_SPACE: Final = " \t\n\r"
_DECODINGS: Final = 2
_BEGINNINGS: Final = frozenset('{["\ufeff')
_FENCE: Final = "```"
_FENCE_WORD: Final = re.compile(r"[A-Za-z0-9_-]*")
_STEP_ID: Final = re.compile(STEP_ID_PATTERN.removesuffix("$") + r"\Z")


def _never_null(model: type[BaseModel]) -> frozenset[str]:
    fields = model.model_fields.items()
    return frozenset(
        name for name, field in fields if not field.is_required() and field.default is not None
    )


# Where null is a value of the field (`when`, `for_each`, `output`) it is nothing to repair.
_PLAN_OPTIONAL: Final = _never_null(WorkflowPlan)
_STEP_OPTIONAL: Final = _never_null(PlanStep)
_STR: Final = frozenset({str})
_STEP_BENT: Final = _STEP_OPTIONAL | {"depends_on"}
_FIELDS: Final[dict[type, tuple[str, ...]]] = {
    model: tuple(model.model_fields) for model in (WorkflowPlan, PlanStep)
}


@dataclass(slots=True)
class Repaired:
    """A plan after repair.

    Attributes:
        value: The plan; its own containers may be shared with what was given.
        depth: Containers that stood around it and were taken off: they count as nesting.
        notes: What was changed, outermost first.
        findings: Texts that should have been JSON and are not.
        readable: Whether there is a value at all.
    """

    value: object
    depth: int = 0
    notes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    readable: bool = True

    def note(self, path: Path, what: str) -> None:
        self.notes.append(f"{pointer(path) or 'the plan'}: {what}")

    def fault(self, path: Path, fault: JsonTextError) -> None:
        self.findings.append(Finding(fault.code, path, fault.message, fault.hint))


def as_object(value: object) -> Mapping[str, object] | None:
    """The members of what stands for a JSON object: a mapping or a model; else None."""
    # What is commonest first: whether a thing is a mapping takes long to tell of a model.
    if type(value) is dict:
        return value
    fields = _FIELDS.get(type(value))
    if fields is not None or isinstance(value, WorkflowPlan | PlanStep):
        given = value.model_fields_set  # type: ignore[attr-defined]
        names = fields or tuple(type(value).model_fields)  # type: ignore[attr-defined]
        return {name: getattr(value, name) for name in names if name in given}
    return value if isinstance(value, Mapping) else None


def as_list(value: object) -> list[object] | tuple[object, ...] | None:
    """What stands for a JSON array, else None. A set has no order and is none."""
    return value if isinstance(value, list | tuple) else None


def repaired(given: object) -> Repaired:
    """Puts right what models are known to bend in a plan.

    Args:
        given: JSON text, a mapping, or a plan made in code.
    """
    plan = Repaired(given)
    if isinstance(given, str):
        _read_text(plan, given)
    if plan.readable:
        _unwrap(plan)
        members = as_object(plan.value)
        if members is not None:
            plan.value = _plan(plan, members)
    return plan


def _read_text(plan: Repaired, text: str) -> None:
    bare = _unfenced(plan, text)
    try:
        plan.value = loads(bare)
    except JsonTextError as fault:
        plan.fault((), _of_no_plan(bare, fault))
        plan.readable = False
        return
    if isinstance(plan.value, str):
        decoded = _decoded(plan, plan.value, (), whole_plan=True)
        if decoded is not None:
            plan.value = decoded
            plan.note((), "a JSON string was decoded")


def _of_no_plan(text: str, fault: JsonTextError) -> JsonTextError:
    """What is said of a text that does not begin as a plan does: prose, or one word."""
    if fault.code is not Code.JSON_SYNTAX or text.lstrip(_SPACE)[:1] in _BEGINNINGS:
        return fault
    hint = 'submit one JSON object with "steps"'
    if "{" in text:
        hint += ", with no text around it"
    return JsonTextError(fault.code, fault.message, hint)


def _unfenced(plan: Repaired, text: str) -> str:
    bare = text.strip(_SPACE)
    if len(bare) < 2 * len(_FENCE) or not (bare.startswith(_FENCE) and bare.endswith(_FENCE)):
        return text
    inside = bare[len(_FENCE) : -len(_FENCE)]
    word = _FENCE_WORD.match(inside)
    plan.note((), "a code fence was removed")
    return inside[word.end() if word else 0 :]


def _decoded(plan: Repaired, text: str, path: Path, *, whole_plan: bool = False) -> object:
    """The array or object that a string holds; None if it holds none.

    A provider may encode twice, so a string that holds a string is looked into once more.
    """
    for _ in range(_DECODINGS):
        inner = _unfenced(plan, text) if whole_plan else text
        first = inner.lstrip(_SPACE)[:1]
        if first not in ("{", "[", '"'):
            return None
        try:
            value = loads(inner)
        except JsonTextError as fault:
            if first != '"':
                plan.fault(path, fault)
            return None
        if not isinstance(value, str):
            return value
        text = value
    return None


def _unwrap(plan: Repaired) -> None:
    members = as_object(plan.value)
    if members is None or len(members) != 1:
        return
    name, inner = next(iter(members.items()))
    if not isinstance(name, str) or name in WorkflowPlan.model_fields:
        return
    # Its own notes, so that the wrapper's, which is further out, comes first.
    inside = Repaired(inner)
    if isinstance(inner, str):
        inside.value = _decoded(inside, inner, (name,), whole_plan=True)
        if inside.value is not None:
            inside.note((), "a JSON string was decoded")
    unwrapped = as_object(inside.value)
    if unwrapped is not None and "steps" in unwrapped:
        plan.value = inside.value
        plan.depth = 1
        plan.note((), f"the wrapper {quoted(name)} was removed")
        plan.notes += inside.notes
    else:
        plan.findings += inside.findings


def _plan(plan: Repaired, members: Mapping[str, object]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in members.items():
        path: Path = (name,)
        if value is None and name in _PLAN_OPTIONAL:
            plan.note(path, "null was left out")
        elif name == "steps":
            result[name] = _steps(plan, _whole(plan, value, path), path)
        elif name == "returns":
            result[name] = _ids(plan, value, path)
        else:
            result[name] = value
    return result


def _steps(plan: Repaired, value: object, path: Path) -> object:
    single = as_object(value)
    if single is not None and ("id" in single or "tool" in single):
        plan.note(path, "one step was made a list")
        value = [single]
    steps = as_list(value)
    if steps is None:
        return value
    return [_step(plan, step, (*path, at)) for at, step in enumerate(steps)]


def _step(plan: Repaired, step: object, path: Path) -> object:
    members = as_object(step)
    if members is None or (members is step and _is_straight(members)):
        return step
    result: dict[str, object] = {}
    alias = members.get("after") is None
    for written, value in members.items():
        name = written
        if written == "depends_on" and alias:
            name = "after"
            if value is not None:
                plan.note((*path, name), '"depends_on" was read as "after"')
        if value is None and name in _STEP_OPTIONAL:
            plan.note((*path, written), "null was left out")
        elif name == "after":
            result[name] = _ids(plan, value, (*path, name))
        elif name == "bind":
            result[name] = _bind(plan, _whole(plan, value, (*path, name)), (*path, name))
        elif name == "args":
            result[name] = _whole(plan, value, (*path, name))
        else:
            result[name] = value
    return result


def _is_straight(members: Mapping[str, object]) -> bool:
    """Whether a step has nothing to repair, as most have."""
    bent = _STEP_BENT.intersection(members)
    if not bent:
        return True
    bind = members.get("bind")
    return len(bent) == 1 and type(bind) is dict and _STR.issuperset(map(type, bind.values()))


def _whole(plan: Repaired, value: object, path: Path) -> object:
    """A field's value, decoded if it is a JSON string."""
    if isinstance(value, str):
        decoded = _decoded(plan, value, path)
        if decoded is not None:
            plan.note(path, "a JSON string was decoded")
            return decoded
    return value


def _ids(plan: Repaired, value: object, path: Path) -> object:
    value = _whole(plan, value, path)
    if isinstance(value, str) and _STEP_ID.match(value):
        plan.note(path, "one id was made a list")
        return [value]
    return value


def _bind(plan: Repaired, value: object, path: Path) -> object:
    members = as_object(value)
    if members is None or all(isinstance(item, str) for item in members.values()):
        return value
    result: dict[str, object] = {}
    for name in key_order(members):
        item = members[name]
        text = _scalar_text(item)
        result[name] = item if text is None else text
        if text is not None:
            plan.note((*path, name), f"{text} was made the expression {quoted(text)}")
    return result


def _scalar_text(value: object) -> str | None:
    """The JSON text of a boolean or of a number that is exact, else None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value)) if abs(value) <= MAX_SAFE_INTEGER else None
    if isinstance(value, float) and math.isfinite(value):
        exact = not value.is_integer() or abs(value) <= MAX_SAFE_INTEGER
        return number_to_text(value + 0.0) if exact else None
    return None
