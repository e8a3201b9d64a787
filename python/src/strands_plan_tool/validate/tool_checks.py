"""Whether a step calls its tool as the tool can be called: the tool, and its arguments."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from strands_plan_tool.diagnostics import Finding, Path, Speller, listing, quoted
from strands_plan_tool.graph import ToolNames, allowed_names
from strands_plan_tool.models import Code, JsonValue
from strands_plan_tool.validate.schemas import (
    Schema,
    describe,
    has_type,
    in_key_order,
    is_closed,
    is_optional,
    items_of,
    properties_of,
    required_of,
    resolved,
    same_json,
    types_of,
)
from strands_plan_tool.wire import check_json
from strands_plan_tool.wire.json_text import JsonTextError, loads
from strands_plan_tool.wire.wording import kind_of, one_of, shown

__all__ = ["Arguments", "ToolInfo", "Tools"]

_NONE: Final[Mapping[str, Any]] = {}
_LIST: Final = ("array",)


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What a host knows of a tool.

    Attributes:
        input_schema: JSON Schema of its arguments; None if unknown.
        output_schema: JSON Schema of its result; None if unknown.
        plannable: Whether a plan may call it.
    """

    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    plannable: bool = True


class Tools:
    """The tools that a host names.

    Args:
        given: Tools by name, each as ``ToolInfo``, as a mapping with its attributes, or None
            where only the name is known; or names alone.

    Raises:
        TypeError: It is nothing of that.
    """

    def __init__(self, given: Mapping[str, Any] | Iterable[str]) -> None:
        if isinstance(given, Mapping):
            self._infos = {name: _info(name, info) for name, info in given.items()}
        else:
            self._infos = {name: ToolInfo() for name in allowed_names(given)}
        for name in self._infos:
            if not isinstance(name, str):
                raise TypeError("a tool's name must be a string")
        self._plannable = ToolNames(
            name for name, info in self._infos.items() if info.plannable
        )
        self._arguments: dict[str, Arguments | None] = {}

    def get(self, name: str) -> ToolInfo | None:
        """What is known of a tool; None if there is none of that name."""
        return self._infos.get(name)

    def arguments(self, name: str) -> Arguments | None:
        """What is known of a tool's arguments, if anything is."""
        if name not in self._arguments:
            info = self._infos.get(name)
            schema = info.input_schema if info is not None else None
            self._arguments[name] = None if schema is None else Arguments(name, schema)
        return self._arguments[name]

    def refusal(self, at: int, step_id: str, tool: str) -> Finding | None:
        """Why a step may not call a tool, if it may not."""
        info = self._infos.get(tool)
        if info is None:
            return self._plannable.unknown(at, step_id, tool)
        if info.plannable:
            return None
        choice = self._plannable.choice
        instead = f", or use {choice}" if choice else ""
        return Finding(
            Code.TOOL_NOT_PLANNABLE,
            ("steps", at, "tool"),
            f"{quoted(tool)} may not be called inside a plan",
            f"remove the step and call the tool directly{instead}",
            (step_id, tool, self._plannable.sorted),
        )


def _info(name: object, given: object) -> ToolInfo:
    if given is None:
        return ToolInfo()
    if isinstance(given, ToolInfo):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"tool {name}: a ToolInfo, a mapping or None is wanted")
    unknown = [key for key in given if key not in ToolInfo.__slots__]
    if unknown:
        raise TypeError(f"tool {name}: ToolInfo has no {', '.join(map(str, unknown))}")
    return ToolInfo(**given)


class Arguments:
    """What a tool's input schema says of its arguments, looked up once for all its steps.

    Args:
        tool: The tool's name.
        root: Its input schema.
    """

    def __init__(self, tool: str, root: Schema) -> None:
        self._tool = tool
        self._root = root
        schema = resolved(root, root) or {}
        self._properties = _members(schema)
        self._required = _needed(schema, root)
        self._closed = is_closed(schema)
        known = {name: resolved(each, root) or {} for name, each in self._properties.items()}
        self._types = {name: types_of(each) for name, each in known.items()}
        self._worded = {name for name, each in known.items() if "enum" in each}
        self._lists = frozenset(name for name, types in self._types.items() if types == _LIST)

    def lists(self, names: Iterable[str]) -> frozenset[str]:
        """Those of the names whose type is exactly ``array``: they are given a list, always."""
        return self._lists.intersection(names) if self._lists else self._lists

    def findings(
        self, at: int, step: Mapping[str, Any], unread: Container[object] = ()
    ) -> Iterator[Finding]:
        """What is wrong with the arguments of a step.

        Args:
            at: The step's position.
            step: The step as the repaired plan has it.
            unread: Arguments in ``args`` whose values are not looked at.
        """
        args: Mapping[str, JsonValue] = step.get("args", _NONE)
        bind: Mapping[str, str] = step.get("bind", _NONE)
        properties = self._properties
        missing = [name for name in self._required if name not in args and name not in bind]
        if missing:
            yield Finding(
                Code.MISSING_ARGUMENT,
                ("steps", at, "args") if "args" in step else ("steps", at),
                f"{quoted(self._tool)} needs {listing(missing)}",
                f'add {_wanted(missing, properties, self._root)} to "args" or "bind"',
            )
        if self._closed:
            for holder, names in (("args", args), ("bind", bind)):
                for name in names:
                    if name not in properties:
                        yield self._unknown(("steps", at, holder, name), {*args, *bind})
        for name, value in args.items():
            # A binding of the same name wins, so such a literal never reaches the tool.
            if name not in properties or name in bind or name in unread:
                continue
            # Nearly every literal is a scalar of the right type: nothing more to ask.
            is_scalar = not isinstance(value, dict | list) and name not in self._worded
            if not is_scalar or not has_type(value, self._types[name]):
                path = ("steps", at, "args", name)
                yield from _check(value, properties[name], self._root, path)

    def _unknown(self, path: Path, given: Container[str]) -> Finding:
        free = [name for name in self._properties if name not in given]
        return _unknown(path, self._tool, self._properties, Speller(free))


def _members(schema: Schema) -> Mapping[str, Any]:
    """The members that a schema knows: a name that it only requires is known as well."""
    known = properties_of(schema) or {}
    required: Schema = {name: {} for name in required_of(schema) if name not in known}
    return in_key_order({**known, **required})


def _needed(schema: Schema, root: Schema) -> list[str]:
    """The names that a value of a schema must have: those required and without a default."""
    properties = properties_of(schema) or {}
    return [name for name in required_of(schema) if not is_optional(properties.get(name), root)]


def _check(value: JsonValue, schema: object, root: Schema, path: Path) -> Iterator[Finding]:
    known = resolved(schema, root)
    if known is None:
        return
    if value is None and "default" in known and known["default"] is None:
        # What the tool takes for this property when nobody gives it.
        return
    types = types_of(known)
    if types and not has_type(value, types):
        wanted = describe(types)
        yield Finding(
            Code.ARGUMENT_TYPE,
            path,
            f"{_called(path)} must be {wanted}, not {kind_of(value)}",
            _retyped(value, types, wanted),
        )
        return
    words = known.get("enum")
    if isinstance(words, list | tuple) and not any(same_json(value, word) for word in words):
        yield _not_a_word(value, words, path)
        return
    if isinstance(value, dict):
        yield from _check_members(value, known, root, path)
    items = items_of(known)
    if isinstance(value, list) and items is not None:
        for at, item in enumerate(value):
            yield from _check(item, items, root, (*path, at))


def _check_members(
    value: Mapping[str, JsonValue], schema: Schema, root: Schema, path: Path
) -> Iterator[Finding]:
    properties = _members(schema)
    missing = [name for name in _needed(schema, root) if name not in value]
    if missing:
        yield Finding(
            Code.MISSING_ARGUMENT,
            path,
            f"{_called(path)} needs {listing(missing)}",
            f"add {_wanted(missing, properties, root)} to it",
        )
    speller = None
    for name, member in value.items():
        if name in properties:
            yield from _check(member, properties[name], root, (*path, name))
        elif is_closed(schema):
            speller = speller or Speller(each for each in properties if each not in value)
            yield _unknown((*path, name), _name(path), properties, speller)


def _wanted(names: Iterable[str], properties: Schema, root: Schema) -> str:
    """Missing arguments with what each must be, as far as the schema says."""
    shown = []
    for name in names:
        known = resolved(properties.get(name), root) or {}
        words = known.get("enum")
        if isinstance(words, list | tuple) and words:
            what = f" ({one_of(words)})"
        else:
            what = f" ({describe(types_of(known))})" if types_of(known) else ""
        shown.append(quoted(name) + what)
    return ", ".join(shown)


def _unknown(path: Path, owner: str, properties: Schema, speller: Speller) -> Finding:
    name = str(path[-1])
    meant = speller.closest(name)
    if meant is not None:
        hint = f"rename it to {quoted(meant)}"
    elif properties:
        hint = f"remove it; {quoted(owner)} takes {listing(properties)}"
    else:
        hint = f"remove it; {quoted(owner)} takes none"
    return Finding(Code.UNKNOWN_ARGUMENT, path, f"there is no argument {quoted(name)}", hint)


def _not_a_word(value: JsonValue, words: Iterable[Any], path: Path) -> Finding:
    every = list(words)
    texts = [word for word in every if isinstance(word, str)]
    meant = None
    if isinstance(value, str):
        folded = [word for word in texts if word.lower() == value.lower()]
        meant = folded[0] if folded else Speller(texts).closest(value)
    hint = f"write {one_of(every)}"
    if meant is not None:
        hint = f"change {shown(value)} to {quoted(meant)}"
    return Finding(
        Code.ARGUMENT_TYPE,
        path,
        f"{_called(path)} is {shown(value)}, not {one_of(every)}",
        hint,
    )


def _name(path: Path) -> str:
    """The name of the argument, or of the member in it, that a place belongs to."""
    return next(part for part in reversed(path) if isinstance(part, str))


def _called(path: Path) -> str:
    """How a message calls what stands at a place."""
    here = path[-1]
    return f"item {here} of {quoted(_name(path))}" if isinstance(here, int) else quoted(here)


def _retyped(value: JsonValue, types: tuple[str, ...], wanted: str) -> str:
    """The edit that gives a literal one of the types."""
    if isinstance(value, str):
        try:
            meant = loads(value)
        except JsonTextError:
            meant = value
        plain, faults = check_json(meant)
        if not isinstance(plain, str) and not faults and has_type(plain, types):
            return f"change {shown(value)} to {shown(plain)}"
    if "string" in types and not isinstance(value, dict | list):
        return f"change {shown(value)} to {quoted(shown(value))}"
    listed = isinstance(value, str) and "," in value
    if "array" in types and not listed and not isinstance(value, dict | list):
        return f"change {shown(value)} to [{shown(value)}]"
    return f"write {wanted}"
