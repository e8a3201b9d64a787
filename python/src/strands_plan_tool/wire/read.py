"""What a plan is read from: one plain JSON value, the same in every language.

Parsers differ in what they let through: lone halves of surrogate pairs, numbers that are
not exact, names that are special to one language. One set of rules decides here, before
any schema is looked at, and gives a copy: plain dicts and lists that nobody else holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from strands_plan_tool.diagnostics import Finding, Path, diagnostics_of, key_order, ordered
from strands_plan_tool.models import Code, Diagnostic, JsonValue
from strands_plan_tool.values import is_well_formed
from strands_plan_tool.wire.json_text import MAX_DEPTH
from strands_plan_tool.wire.repairs import MAX_SAFE_INTEGER, as_list, as_object, repaired

__all__ = ["MAX_ENTRIES", "Wire", "check_json", "read_plan"]

MAX_ENTRIES: Final = 10_000
"""Entries that one container may have."""

_FORBIDDEN: Final = "__proto__"
_TEXT: Final = frozenset({str})


@dataclass(frozen=True, slots=True)
class Wire:
    """A plan as it was read.

    Attributes:
        value: Plain JSON, repaired; meaningless if there are findings.
        notes: The repairs that were made, outermost first.
        findings: Breaches of the wire rules, in the order of the repaired plan.
    """

    value: JsonValue
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings as a caller sees them."""
        return diagnostics_of(self.findings)


def read_plan(given: object) -> Wire:
    """Reads and repairs a plan; never raises for a bad one.

    Args:
        given: JSON text, a mapping, or a ``WorkflowPlan``.
    """
    plan = repaired(given)
    value, findings = check_json(plan.value, depth=plan.depth) if plan.readable else (None, ())
    if plan.findings and not any(finding.code is Code.TOO_DEEP for finding in findings):
        findings = ordered([*plan.findings, *findings], plan.value)
    return Wire(value, tuple(plan.notes), findings)


def check_json(value: object, *, depth: int = 0) -> tuple[JsonValue, tuple[Finding, ...]]:
    """A value as plain JSON, and where it breaks the wire rules.

    Args:
        value: What should be JSON; mappings stand for objects, lists and tuples for arrays.
        depth: How many containers stand around it already.

    Returns:
        A deep copy with whole floats as integers and integer-like keys first, and the
        findings in the order of the value. The copy is meaningless if there are any.
    """
    reader = _Reader()
    try:
        plain = reader.read(value, depth)
    except _TooDeepError:
        finding = Finding(
            Code.TOO_DEEP,
            (),
            f"it nests over {MAX_DEPTH} levels",
            "flatten what nests deepest",
        )
        return None, (finding,)
    return plain, ordered(reader.findings, value)


class _TooDeepError(Exception):
    """Ends the walk at once: the text of such a value is not looked into either."""


class _Reader:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._trail: list[str | int] = []
        # Keys that were found to be free to stand anywhere, as nearly all are.
        self._ordinary: set[str] = set()

    def read(self, value: object, depth: int) -> JsonValue:
        # Exact types first: they are nearly all there is, and a plan may be large.
        kind = type(value)
        if kind is str:
            return self._text(value)  # type: ignore[arg-type]
        if value is None or kind is bool:
            return value  # type: ignore[return-value]
        if isinstance(value, str):
            return self._text(str.__str__(value))
        if isinstance(value, int):
            return self._integer(int(value))
        if isinstance(value, float):
            return self._number(float(value))
        members = as_object(value)
        items = as_list(value) if members is None else None
        if members is None and items is None:
            self._add(Code.NOT_JSON, "not a JSON value", "write JSON only")
            return None
        if depth >= MAX_DEPTH:
            raise _TooDeepError
        if len(members if items is None else items) > MAX_ENTRIES:  # type: ignore[arg-type]
            self._add(
                Code.TOO_MANY,
                f"over {MAX_ENTRIES} entries in one container",
                "shorten it, or let a tool give the data",
            )
            return None
        if members is not None:
            return self._object(members, depth + 1)
        return self._array(items or (), depth + 1)

    def _array(self, items: list[object] | tuple[object, ...], depth: int) -> JsonValue:
        result: list[JsonValue] = []
        trail = self._trail
        trail.append(0)
        for at, item in enumerate(items):
            trail[-1] = at
            result.append(self.read(item, depth))
        trail.pop()
        return result

    def _object(self, members: Mapping[str, object], depth: int) -> JsonValue:
        ordinary = type(members) is dict and self._ordinary.issuperset(members)
        if ordinary and _TEXT.issuperset(map(type, members)):
            return self._ordinary_object(members, depth)
        result: dict[str, JsonValue] = {}
        trail = self._trail
        indexes = False
        trail.append("")
        for written, item in members.items():
            key = written
            if type(written) is not str or not written.isascii() or written == _FORBIDDEN:
                if not self._allowed(written):
                    continue
                key = str.__str__(written)
            if "0" <= key < ":":
                indexes = True
            elif type(written) is str:
                self._ordinary.add(key)
            if type(item) is str and item.isascii():
                result[key] = item
            else:
                trail[-1] = key
                result[key] = self.read(item, depth)
        trail.pop()
        return {key: result[key] for key in key_order(result)} if indexes else result

    def _ordinary_object(self, members: Mapping[str, object], depth: int) -> JsonValue:
        result: dict[str, Any] = dict(members)
        trail = self._trail
        for key, item in members.items():
            if type(item) is not str or not item.isascii():
                trail.append(key)
                result[key] = self.read(item, depth)
                trail.pop()
        return result

    def _allowed(self, key: object) -> bool:
        """Whether an unusual key may stand; what is wrong with it is about its object."""
        if key == _FORBIDDEN:
            self._trail[-1] = _FORBIDDEN
            self._add(Code.FORBIDDEN_KEY, f"the key {_FORBIDDEN} is reserved", "remove it")
            return False
        if isinstance(key, str) and is_well_formed(key):
            return True
        mine = self._trail.pop()
        if isinstance(key, str):
            self._surrogate("a key")
        else:
            self._add(Code.NOT_JSON, "a key that is not a string", "write keys as strings")
        self._trail.append(mine)
        return False

    def _text(self, text: str) -> str:
        if not is_well_formed(text):
            self._surrogate("a string")
        return text

    def _surrogate(self, what: str) -> None:
        self._add(
            Code.BAD_UNICODE,
            f"{what} with half of a surrogate pair",
            "remove the half, or write both",
        )

    def _number(self, number: float) -> JsonValue:
        # Neither bound holds for NaN.
        if -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
            return int(number) if number.is_integer() else number
        return self._unsafe()

    def _integer(self, number: int) -> JsonValue:
        if -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
            return number
        return self._unsafe()

    def _unsafe(self) -> JsonValue:
        self._add(
            Code.UNSAFE_NUMBER,
            "a number beyond 9007199254740991, where integers are not exact",
            "write it as a string",
        )
        return None

    def _add(self, code: Code, message: str, hint: str) -> None:
        path: Path = tuple(self._trail)
        self.findings.append(Finding(code, path, message, hint))
