"""Fields that models call otherwise than the plan language does, each with its edit.

An unknown field is refused, and nothing is read into it; but most of them hold what a
field of another name was meant for, and that must not get lost when the hint is followed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from strands_plan_tool.diagnostics import closest, listing, quoted
from strands_plan_tool.models import STEP_ID_PATTERN, PlanStep, WorkflowPlan
from strands_plan_tool.values import to_json_text
from strands_plan_tool.wire.aliases import (
    PLAN_NAMES,
    STEP_NAMES,
    STORED,
    THE_HOSTS,
    are_ids,
    is_expression,
)

__all__ = ["ID_LENGTH", "Fields", "Meant", "id_like"]

_LONGEST_EDIT: Final = 600
_MERGED: Final = {
    "args": 'move its members into "args"',
    "bind": 'move its members into "bind"',
    "after": 'move its ids into "after"',
    "when": 'move it into "when"',
}
_ID: Final = re.compile(STEP_ID_PATTERN.removesuffix("$") + r"\Z")
ID_LENGTH: Final = 1 + int(STEP_ID_PATTERN.rpartition(",")[2].removesuffix("}$"))
"""How long a step's id may be, as its pattern says."""
_LEADING_STEPS: Final = re.compile(r"\$*\.?\$?steps\.([^.\[]*)")


class Meant(NamedTuple):
    """What an unknown field was meant for.

    Attributes:
        field: The field.
        edit: What to do with it: ``rename it to "args"``.
        named: The same with its name, ``rename "params" to "args"``; ``""`` if the edit
            does not say for certain which field it gives.
    """

    field: str
    edit: str
    named: str


class Fields:
    """What is said of the unknown fields of one object, looked through once.

    Args:
        members: The object, a plan or a step.
        of_plan: Whether it is the plan.

    Attributes:
        meant: The unknown fields that were meant for one that is lacking, by name.
    """

    def __init__(self, members: Mapping[str, Any], *, of_plan: bool) -> None:
        self._members = members
        self._of_plan = of_plan
        self._known = list((WorkflowPlan if of_plan else PlanStep).model_fields)
        self._names = PLAN_NAMES if of_plan else STEP_NAMES
        self._edits: dict[str, tuple[str, str]] = {}
        self._first = next((name for name in members if name not in self._known), None)
        self._merged: dict[str, list[str]] = {}
        self.meant: dict[str, Meant] = {}
        self._look_through()

    def _look_through(self) -> None:
        free = {name for name in self._known if self._members.get(name) is None}
        for name, value in self._members.items():
            if name in self._known:
                continue
            meant = self._meant(name, value, free)
            if meant is not None:
                self.meant[name] = meant
                free.discard(meant.field)
                self._merged.setdefault(meant.field, []).append(name)
                continue
            field = next((each for each in self._fits(name, value) if each in _MERGED), None)
            if field is not None:
                self._merged.setdefault(field, []).append(name)

    def hint(self, name: str) -> str:
        """The edit for an unknown field, in which nothing that counts gets lost."""
        return (
            self._merging(name)
            or (self.meant[name].edit if name in self.meant else None)
            or (self._into_step(name) if self._of_plan else self._moved(name))
            or self._removed(name)
        )

    def _fits(self, name: str, value: object) -> list[str]:
        """The fields that a name may stand for, given what it holds."""
        fields = [each.field for each in self._names.get(_folded(name), ()) if each.fits(value)]
        if isinstance(value, str) and "returns" in fields and value not in self._ids:
            fields.remove("returns")
        return fields

    @cached_property
    def _ids(self) -> set[str]:
        """The ids of the steps of a plan."""
        steps = self._members.get("steps")
        steps = steps if isinstance(steps, list) else []
        ids = (step.get("id") for step in steps if isinstance(step, dict))
        return {name for name in ids if isinstance(name, str)}

    def _meant(self, name: str, value: object, free: set[str]) -> Meant | None:
        if _folded(name) == "function" and isinstance(value, dict) and "tool" in free:
            return self._call(value)
        fields = [field for field in self._fits(name, value) if field in free]
        if not fields:
            if _folded(name) in self._names:
                return None
            near = closest(name, [field for field in self._known if field in free])
            return None if near is None else _renamed(name, near)
        if fields == ["id", "tool"] and not self._names_a_tool():
            # `{"name": "search", "arguments": {...}}` is a call as other formats write it.
            return Meant("tool", 'rename it to "tool" if it names one, else to "id"', "")
        if fields[0] != "id" or (isinstance(value, str) and _ID.match(value)):
            return _renamed(name, fields[0])
        slug = id_like(str(value))
        if slug is None:
            return None
        return _written("id", f'"id": {quoted(slug)}', name)

    def _names_a_tool(self) -> bool:
        """Whether another unknown field is the tool's name."""
        return any(
            "tool" in self._fits(name, value) and _folded(name) != "name"
            for name, value in self._members.items()
        )

    def _merging(self, name: str) -> str | None:
        """Into one field with what stands in it, or what others of its names hold."""
        for field, names in self._merged.items():
            there = [field] if self._members.get(field) is not None else []
            if field in _MERGED and name in names and len(there + names) > 1:
                if field not in self._edits:
                    self._edits[field] = _MERGED[field], self._whole([*there, *names], field)
                return "".join(self._edits[field])
        return None

    def _whole(self, names: list[str], field: str) -> str:
        """What a field is then, unless that cannot be told or is long."""
        values = [self._members[name] for name in names]
        text = ""
        if field == "when" and all(isinstance(value, str) for value in values):
            text = to_json_text(" and ".join(f"({value})" for value in values))
        elif field == "after" and all(map(are_ids, values)):
            lists = [value if isinstance(value, list) else [value] for value in values]
            text = to_json_text(list(dict.fromkeys(each for ids in lists for each in ids)))
        elif field in ("args", "bind") and all(isinstance(value, dict) for value in values):
            whole: dict[str, Any] = {}
            for value in values:
                if any(key in whole and not _same(whole[key], value[key]) for key in value):
                    return ", each under a name of its own"
                whole |= value
            text = to_json_text(whole)
        return f': write "{field}": {text}' if 0 < len(text) < _LONGEST_EDIT else ""

    def _into_step(self, name: str) -> str | None:
        known = name in PlanStep.model_fields
        return "move it into the step that it is about" if known else None

    def _moved(self, name: str) -> str | None:
        """What a step holds that belongs elsewhere, or is written otherwise."""
        word, value = _folded(name), self._members[name]
        if name in ("final", "on_error") or (name == "returns" and isinstance(value, list)):
            return "move it to the plan: it is about all steps"
        if name == "steps":
            return 'move them to the "steps" of the plan: a step calls one tool'
        if name == "output" and is_expression(value):
            return "move it to the plan"
        if word == "unless" and isinstance(value, str) and self._members.get("when") is None:
            return f'write "when": {to_json_text(f"$not({value})")} in its place'
        if any(alias.field == "args" for alias in STEP_NAMES.get(word, ())):
            return 'move it into "args" or "bind", under the name of an argument'
        return None

    def _call(self, function: Mapping[str, Any]) -> Meant | None:
        """``"function": {"name": ..., "arguments": ...}``, as other formats write a call."""
        tool, args = function.get("name"), to_json_text(function.get("arguments", {}))
        if not isinstance(tool, str) or "args" in self._members or len(args) > _LONGEST_EDIT:
            return None
        return _written("tool", f'"tool": {quoted(tool)}, "args": {args}', "function")

    def _removed(self, name: str) -> str:
        word = _folded(name)
        if word in THE_HOSTS:
            return "remove it: limits, retries and concurrency are the host's to set"
        if not self._of_plan and word in STORED:
            own = self._members.get("id")
            read = own if isinstance(own, str) and _ID.match(own) else "<id>"
            return f"remove it: the result of the step is read as steps.{read}"
        if name == self._first:
            what = "a plan" if self._of_plan else "a step"
            return f"remove it; {what} has {listing(self._known)}"
        return "remove it"


def _same(one: Any, other: Any) -> bool:
    return to_json_text(one) == to_json_text(other)


def _renamed(name: str, field: str) -> Meant:
    target = quoted(field)
    return Meant(field, f"rename it to {target}", f"rename {quoted(name)} to {target}")


def _written(field: str, what: str, name: str) -> Meant:
    edit = f"write {what} in"
    return Meant(field, f"{edit} its place", f"{edit} place of {quoted(name)}")


def _folded(name: str) -> str:
    """A field's name without what only tells one way of writing from another."""
    return re.sub("[^a-z0-9]+", "", name.lower())


def id_like(written: str) -> str | None:
    """The id that a text was probably meant to be; a path is meant for its step."""
    path = _LEADING_STEPS.match(written)
    if path and _ID.match(path[1]):
        return path[1]
    slug = re.sub("[^a-z0-9]+", "_", written.lower()).strip("_")
    if not slug:
        return None
    return (slug if slug[0] > "9" else f"s_{slug}")[:ID_LENGTH].rstrip("_")
