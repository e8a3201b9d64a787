"""The tools that a plan may call, and the arguments that each takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from strands_plan_tool.models import JsonValue
from strands_plan_tool.testing.generation.choices import Choices
from strands_plan_tool.testing.generation.fitting import Fitter
from strands_plan_tool.testing.generation.schemas import Schema, Way
from strands_plan_tool.testing.generation.sources import KINDS, Kind
from strands_plan_tool.testing.generation.values import any_value
from strands_plan_tool.validate import ToolInfo
from strands_plan_tool.validate.tool_checks import Arguments
from strands_plan_tool.values import ValueFault, ingest, to_json_text

__all__ = ["CallableTool", "Tools", "as_expression", "callable_tools", "is_read"]

Tools: TypeAlias = Mapping[str, ToolInfo | Mapping[str, Any] | None] | Iterable[str]
"""Tools as ``validate_plan`` takes them."""

_ARGUMENTS: Final = ("a", "b", "query", "1", "constructor", "x y")
_ANY: Final = Way()
# Within what begins a template.
_OPENER: Final = re.compile(r"(?<=[{$])(?=[{%])")


class CallableTool:
    """A tool, and how it can be called.

    Args:
        name: What plans call it.
        info: What a host knows of it.

    Attributes:
        name: What plans call it.
        output: The schema of its result; ``{}`` if that is unknown.
    """

    def __init__(self, name: str, info: ToolInfo) -> None:
        self.name = name
        self.output: Schema = info.output_schema or {}
        schema = info.input_schema
        self._known = schema is not None
        self._fitter = Fitter(schema if isinstance(schema, Mapping) else {})
        self._checks = None if schema is None else Arguments(name, schema)
        self._ways = [_ANY] if schema is None else self._fitter.objects(schema)

    @property
    def can_be_called(self) -> bool:
        """Whether any arguments fit its schema."""
        return bool(self._ways)

    def way(self, choices: Choices) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Arguments that it takes together, with their schemas, and those that it needs."""
        if not self._known:
            return dict.fromkeys(choices.some(_ARGUMENTS, 3), True), ()
        way = choices.pick(self._ways)
        names = dict.fromkeys((*way.members, *way.needed))
        members = {name: way.member(name) for name in names}
        there = {
            name: member
            for name, member in members.items()
            if name in way.needed or (_may_be_a_key(name) and self._fitter.can(member))
        }
        return there, way.needed

    def kind(self, schema: object) -> Kind:
        """What an argument of this schema is."""
        types = {kind for way in self._fitter.ways(schema) for kind in way.kinds or ("any",)}
        kinds = {KINDS.get(name, "any") for name in types - {"null"}}
        return kinds.pop() if len(kinds) == 1 else "any"

    def literal(self, choices: Choices, schema: object) -> JsonValue:
        """A value for an argument of this schema.

        Raises:
            NoValueError: None was found.
        """
        if schema is True and not self._known:
            return any_value(choices, 2)
        return self._fitter.value(choices, schema)

    def refuses(self, step: Mapping[str, Any]) -> bool:
        """Whether the checks find anything wrong with the arguments of a step."""
        return self._checks is not None and any(self._checks.findings(0, step))


def is_read(value: JsonValue) -> bool:
    """Whether a literal may look as if it read something, which ``args`` never do."""
    text = json.dumps(value)
    return any(sign in text for sign in ("steps", "item", "{{", "${"))


def as_expression(value: JsonValue) -> str:
    """An expression that gives a literal."""
    # A text alone would be taken for an expression between quotes.
    return f'"" & {_written(value)}' if isinstance(value, str) else _written(value)


def _written(value: JsonValue) -> str:
    if isinstance(value, str):
        # Nowhere in a text may a template begin.
        return " & ".join(map(to_json_text, _OPENER.split(value)))
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        members = (f"({_written(name)}): {_written(one)}" for name, one in value.items())
        return f"{{{', '.join(members)}}}"
    return to_json_text(value)


def _may_be_a_key(name: str) -> bool:
    try:
        ingest({name: None})
    except ValueFault:
        return False
    return True


def callable_tools(tools: Tools) -> dict[str, CallableTool]:
    """The tools that a plan may call, by name.

    Raises:
        ValueError: There is none.
    """
    named = tools.items() if isinstance(tools, Mapping) else ((name, None) for name in tools)
    infos = {name: _info(given) for name, given in named}
    made = {name: CallableTool(name, info) for name, info in infos.items() if info.plannable}
    found = {name: tool for name, tool in made.items() if tool.can_be_called}
    if not found:
        why = ", ".join(f"no arguments fit the input schema of {name}" for name in made)
        raise ValueError("no tool may be called by a plan" + (f": {why}" if why else ""))
    return found


def _info(given: ToolInfo | Mapping[str, Any] | None) -> ToolInfo:
    if isinstance(given, ToolInfo):
        return given
    known = ("input_schema", "output_schema", "plannable")
    of_tool = given or {}
    return ToolInfo(**{key: of_tool[key] for key in known if key in of_tool})
