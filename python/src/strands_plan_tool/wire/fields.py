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

__all__ = ["Fields", "Meant", "id_like"]

_LONGEST_EDIT: Final = 600
_MOST_EDITS: Final = 8
_ID: Final = re.compile(STEP_ID_PATTERN.removesuffix("$") + r"\Z")
_ID_LENGTH: Final = 32
_LEADING_STEPS: Final = re.compile(r"\$*\.?\$?steps\.([^.\[]*)")


class Meant(NamedTuple):
    """What an unknown field was meant for.

    Attributes:
        field: The field.
        edit: What to do with it: ``rename it to "args"``.
        named: The same with its name: ``rename "params" to "args"``.
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
        self._edits = _MOST_EDITS
        self._first = next((name for name in members if name not in self._known), None)
        self.meant: dict[str, Meant] = {}
        free = {name for name in self._known if members.get(name) is None}
        for name, value in members.items():
            if free and name not in self._known:
                meant = self._meant(name, value, free)
                if meant is not None:
                    self.meant[name] = meant
                    free.discard(meant.field)

    def hint(self, name: str) -> str:
        """The edit for an unknown field, in which nothing that counts gets lost."""
        meant = self.meant.get(name)
        if meant is not None:
            return meant.edit
        value = self._members[name]
        return (
            self._merged(name, value)
            or (self._into_step(name) if self._of_plan else self._moved(name, value))
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
        ids = (step.get("id") for step in steps or () if isinstance(step, dict))
        return {name for name in ids if isinstance(name, str)}

    def _meant(self, name: str, value: object, free: set[str]) -> Meant | None:
        fields = [field for field in self._fits(name, value) if field in free]
        if not fields:
            near = closest(name, [field for field in self._known if field in free])
            return None if near is None else _renamed(name, near)
        if fields == ["id", "tool"] and not self._names_a_tool():
            # `{"name": "search", "arguments": {...}}` is a call as other formats write it.
            what = 'to "tool" if it is the name of a tool, else to "id"'
            return Meant("tool", f"rename it {what}", f"rename {quoted(name)} {what}")
        if fields[0] != "id" or (isinstance(value, str) and _ID.match(value)):
            return _renamed(name, fields[0])
        slug = id_like(str(value))
        if slug is None:
            return None
        edit = f'write "id": {quoted(slug)} in'
        return Meant("id", f"{edit} its place", f"{edit} place of {quoted(name)}")

    def _names_a_tool(self) -> bool:
        """Whether another unknown field is the tool's name."""
        return any(
            "tool" in self._fits(name, value) and _folded(name) != "name"
            for name, value in self._members.items()
        )

    def _merged(self, name: str, value: Any) -> str | None:
        """Into a field that is there already, or that another is renamed to."""
        for field in self._fits(name, value):
            here = self._members.get(field)
            if field == "after":
                edit = 'move its ids into "after"'
                ids = [here] if isinstance(here, str) else here
                more = [value] if isinstance(value, str) else value
                if isinstance(ids, list) and are_ids(ids):
                    return self._exact(edit, field, list(dict.fromkeys([*ids, *more])))
                return edit
            if field in ("args", "bind"):
                edit = f'move its members into "{field}"'
                if not isinstance(here, dict) or not isinstance(value, dict):
                    return edit
                if any(key in here and here[key] != value[key] for key in value):
                    return f"{edit}, each under a name of its own"
                return self._exact(edit, field, {**here, **value})
            if field == "when":
                edit = 'move it into "when"'
                if isinstance(here, str) and isinstance(value, str):
                    return self._exact(edit, field, f"({here}) and ({value})")
                return edit
        return None

    def _exact(self, edit: str, field: str, value: Any) -> str:
        """An edit with what the field is then, unless that is long or one of very many."""
        self._edits -= 1
        whole = to_json_text(value) if self._edits >= 0 else ""
        return f'{edit}: write "{field}": {whole}' if 0 < len(whole) < _LONGEST_EDIT else edit

    def _into_step(self, name: str) -> str | None:
        known = name in PlanStep.model_fields
        return "move it into the step that it is about" if known else None

    def _moved(self, name: str, value: Any) -> str | None:
        """What a step holds that belongs elsewhere, or is written otherwise."""
        word = _folded(name)
        if name in ("final", "on_error") or (name == "returns" and isinstance(value, list)):
            return "move it to the plan: it is about all steps"
        if name == "steps":
            return 'move them to the "steps" of the plan: a step calls one tool'
        if name == "output" and is_expression(value):
            return "move it to the plan"
        if word == "unless" and isinstance(value, str) and self._members.get("when") is None:
            return f'write "when": {to_json_text(f"$not({value})")} in its place'
        if word == "function" and isinstance(value, dict):
            return self._call(value)
        return None

    def _call(self, function: Mapping[str, Any]) -> str | None:
        """``"function": {"name": ..., "arguments": ...}``, as other formats write a call."""
        tool, args = function.get("name"), to_json_text(function.get("arguments", {}))
        there = {"tool", "args"} & self._members.keys()
        if not isinstance(tool, str) or there or len(args) > _LONGEST_EDIT:
            return None
        return f'write "tool": {quoted(tool)}, "args": {args} in its place'

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


def _renamed(name: str, field: str) -> Meant:
    target = quoted(field)
    return Meant(field, f"rename it to {target}", f"rename {quoted(name)} to {target}")


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
    return (slug if slug[0] > "9" else f"s_{slug}")[:_ID_LENGTH].rstrip("_")
