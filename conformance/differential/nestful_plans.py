"""Plans, stub tools and expectations made from the call sequences of NESTFUL.

A sequence is a list of calls. In an argument ``$var1.field$`` stands for a field of the result
of the call that bears the label ``var1``, alone, within a text, or in a sum of two. The last
entry, ``var_result``, names what is wanted in the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["Sequence", "sequences"]

_PARTS: Final = ("executable", "non-executable-glaive", "non-executable-sgd")
_REFERENCE: Final = re.compile(r"\$(var\d+)((?:\.[^$.]+)*)\$")
_SUM: Final = re.compile(r"(?P<left>.+?) (?P<sign>[-+*]) (?P<right>.+)")
_NUMBER: Final = re.compile(r"\d+")
_INDEX: Final = re.compile(r"\[(\d+)\]$")
_TYPES: Final = {"array", "boolean", "integer", "number", "object", "string"}

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence as a run.

    Attributes:
        name: The part of the corpus and the place in it.
        command: The run, as a command of the protocol.
        arguments: What each step must be called with; empty where that cannot be told.
        output: What must come out in the end.
    """

    name: str
    command: dict[str, Any]
    arguments: dict[str, Any]
    output: Any


def sequences(corpus: Path) -> Iterator[Sequence]:
    """Every sequence of the corpus."""
    for part in _PARTS:
        specs = json.loads((corpus / f"{part}-spec.json").read_text(encoding="utf-8"))
        data = json.loads((corpus / f"{part}-data.json").read_text(encoding="utf-8"))
        reckoned = {name for entry in data for call in entry["output"]
                    for name in _reckoned(call["arguments"])}  # fmt: skip
        by_name = _by_name(specs)
        tools = {name: _tool(name, same, reckoned) for name, same in by_name.items()}
        for at, entry in enumerate(data):
            yield _sequence(f"{part}/{at}", entry["output"], tools)


def _sequence(name: str, calls: list[Spec], tools: dict[str, Any]) -> Sequence:
    results: dict[str, Any] = {}
    steps, arguments = [], {}
    *calls, wanted = calls
    for call in calls:
        id = call["label"]
        args = {key: value for key, value in call["arguments"].items() if not _reads(value)}
        given = call["arguments"].items()
        bind = {key: _written(value, results) for key, value in given if _reads(value)}
        step = {"id": id, "tool": call["name"], "args": args, "bind": bind}
        steps.append({field: value for field, value in step.items() if value != {}})
        arguments[id] = _filled(call["arguments"], results)
        results[id] = tools.get(call["name"], {}).get("returns", {})
    plan = {"steps": steps, "output": _written(wanted["arguments"], results), "final": True}
    command = {"cmd": "run", "plan": plan, "tools": tools}
    return Sequence(name, command, arguments, _filled(wanted["arguments"], results))


def _by_name(specs: list[Spec]) -> dict[str, list[Spec]]:
    """The specs of each tool: some have two, which differ."""
    found: dict[str, list[Spec]] = {}
    for spec in specs:
        found.setdefault(spec["name"], []).append(spec)
    return found


def _reckoned(arguments: Spec) -> Iterator[str]:
    """The fields that are added or multiplied, some of which are declared to be texts."""
    for value in arguments.values():
        for part in (isinstance(value, str) and _sum(value)) or ():
            if found := _REFERENCE.fullmatch(part):
                yield found[2].rpartition(".")[2]


def _tool(name: str, specs: list[Spec], reckoned: set[str]) -> dict[str, Any]:
    """A stub that returns what the specs declare.

    Of its arguments nothing is said: the sequences do not keep to what the specs do.
    """
    gives: dict[str, Any] = {}
    for spec in specs:
        gives |= _shapes(spec["output_parameters"])
    output = {"type": "object", "properties": gives}
    return {
        "output_schema": output,
        "returns": _example(output, name, reckoned),
    }


def _shapes(declared: Spec) -> dict[str, Any]:
    return {name: _shape(field) for name, field in declared.items()}


def _shape(field: Any) -> dict[str, Any]:
    if not isinstance(field, dict):
        return {}
    kind = str(field.get("type", "")).lower()
    shape: dict[str, Any] = {"type": kind} if kind in _TYPES else {}
    if isinstance(field.get("properties"), dict):
        shape["properties"] = _shapes(field["properties"])
    if isinstance(field.get("items"), dict):
        shape["items"] = _shape(field["items"])
    return shape


def _example(shape: Spec, name: str, reckoned: set[str]) -> Any:
    """A value of some shape, of its own for each field: it is made of the field's path."""
    match shape.get("type"):
        case "object":
            below = shape.get("properties", {})
            return {key: _example(one, f"{name}.{key}", reckoned) for key, one in below.items()}
        case "array":
            items = shape.get("items", {})
            return [_example(items, f"{name}[{at}]", reckoned) for at in range(2)]
        case "boolean":
            return len(name) % 2 == 0
        case "integer" | "number":
            return sum(map(ord, name))
    return str(sum(map(ord, name))) if name.rpartition(".")[2] in reckoned else name


def _reads(value: Any) -> bool:
    """Whether a value refers to an earlier call, at any depth."""
    if isinstance(value, str):
        return _REFERENCE.search(value) is not None
    parts = value.values() if isinstance(value, dict) else value
    return isinstance(value, dict | list) and any(map(_reads, parts))


def _written(value: Any, results: Mapping[str, Any]) -> str:
    """A value with references as an expression."""
    if isinstance(value, dict):
        members = (f"{json.dumps(k)}: {_written(v, results)}" for k, v in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_item(item, results) for item in value) + "]"
    if not isinstance(value, str) or not _reads(value):
        return json.dumps(value, ensure_ascii=False)
    if whole := _REFERENCE.fullmatch(value):
        return _path(whole)
    if reckoned := _sum(value):
        sides = ((part, _REFERENCE.fullmatch(part)) for part in reckoned)
        return " ".join(f"$number({_path(found)})" if found else part for part, found in sides)
    return " & ".join(
        _path(found) if (found := _REFERENCE.fullmatch(piece)) else json.dumps(piece)
        for piece in _pieces(value)
    )


def _item(value: Any, results: Mapping[str, Any]) -> str:
    """An item of a list: a list that is read stays one in it only between brackets."""
    text = _written(value, results)
    is_list = isinstance(value, str) and isinstance(_filled(value, results), list)
    return f"[{text}]" if is_list else text


def _filled(value: Any, results: Mapping[str, Any]) -> Any:
    """What a value with references comes to, told apart from any engine."""
    if isinstance(value, dict):
        return {key: _filled(member, results) for key, member in value.items()}
    if isinstance(value, list):
        return [_filled(item, results) for item in value]
    if not isinstance(value, str) or not _reads(value):
        return value
    if whole := _REFERENCE.fullmatch(value):
        return _looked_up(whole, results)
    if reckoned := _sum(value):
        left, sign, right = reckoned
        one, other = _number(left, results), _number(right, results)
        if one is None or other is None:
            return None
        return {"+": one + other, "-": one - other, "*": one * other}[sign]
    return "".join(
        _as_text(_looked_up(found, results))
        if (found := _REFERENCE.fullmatch(piece))
        else piece
        for piece in _pieces(value)
    )


def _sum(text: str) -> tuple[str, str, str] | None:
    """The sides and the sign of a text that is an operation on numbers."""
    found = _SUM.fullmatch(text)
    if found is None:
        return None
    left, sign, right = found["left"], found["sign"], found["right"]
    sides = all(_NUMBER.fullmatch(one) or _REFERENCE.fullmatch(one) for one in (left, right))
    return (left, sign, right) if sides else None


def _number(text: str, results: Mapping[str, Any]) -> Any:
    found = _REFERENCE.fullmatch(text)
    value = text if found is None else _looked_up(found, results)
    return None if value is None else int(value)


def _pieces(text: str) -> list[str]:
    """A text, cut before and behind each reference."""
    pieces, at = [], 0
    for found in _REFERENCE.finditer(text):
        pieces += [text[at : found.start()], found[0]]
        at = found.end()
    return [piece for piece in (*pieces, text[at:]) if piece]


def _names(found: re.Match[str]) -> Iterator[str | int]:
    """The fields and places that a reference goes through."""
    for part in found[2].split(".")[1:]:
        index = _INDEX.search(part)
        yield part[: index.start()] if index else part
        if index:
            yield int(index[1])


def _path(found: re.Match[str]) -> str:
    path = f"steps.{found[1]}"
    for name in _names(found):
        path += f"[{name}]" if isinstance(name, int) else f".`{name}`"
    return path


def _looked_up(found: re.Match[str], results: Mapping[str, Any]) -> Any:
    value: Any = results.get(found[1])
    for name in _names(found):
        if isinstance(name, str) and isinstance(value, list):
            value = [item[name] for item in value]
            continue
        try:
            value = value[name]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
