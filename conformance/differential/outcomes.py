"""What an expression comes to in our engine, and how that stands to the reference's answer.

The reference's answer is one of ``{"value": v}``, ``{"undefined": true}``, ``{"error": code}``
and ``{"odd": kind}``, a value that no JSON reader could take: ``function``, ``nonfinite``,
``unsafe``, ``surrogate`` or ``deep``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.expressions import parse_expression
from strands_plan_tool.testing import same_json
from strands_plan_tool.values import NOTHING, ValueFault, ingest

__all__ = ["ABSENT", "Outcome", "as_json", "odd_kind", "ours", "verdict"]

ABSENT: Final = object()
"""The input of an expression that has none."""

_MAX_SAFE_INTEGER: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an expression came to.

    Attributes:
        kind: ``refused`` before it ran, ``input`` if its data is no result of a tool,
            ``value``, ``nothing`` or ``error``.
        code: The code of a refusal or an error.
        message: Its message.
        value: The value.
    """

    kind: str
    code: str = ""
    message: str = ""
    value: Any = None

    @property
    def rule(self) -> str:
        """The code and the message without what the expression itself wrote in it."""
        words = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'|\d+", "…", self.message)
        words = re.sub(r"[$]\w+", "$…", words)
        return f"{self.code}: {words[:70]}"


def ours(expression: str, data: Any = ABSENT) -> Outcome:
    """Our engine's outcome, the data being the root."""
    parsed, problems = parse_expression(expression, None)
    if parsed is None or problems:
        return Outcome("refused", str(problems[0].code), problems[0].message)
    try:
        root = NOTHING if data is ABSENT else ingest(data)
    except ValueFault as fault:
        return Outcome("input", str(fault.code), str(fault))
    try:
        value = compile_tree(parsed.tree).run(Context.of_root(root))
    except EvaluationError as error:
        return Outcome("error", str(error.code), str(error))
    return Outcome("nothing") if value is NOTHING else Outcome("value", value=value)


# Which errors of ours stand where the reference gives a value: the places in which the
# language is stricter, as its page lists them.
_STRICTER: Final = (
    ("the limits", re.compile(r"^expression_limit|at most \d+ are allowed")),
    ("a comparator of $sort gives a boolean", re.compile(r"comparator|\$sort.*true or false")),
    ("non-finite and unsafe numbers", re.compile(r"^unsafe_number|finite")),
    ("a lone surrogate is never a result", re.compile(r"surrogate|half a character")),
    ("no key is __proto__", re.compile(r"__proto__")),
)
_BASE64: Final = re.compile(r"\$base64(en|de)code")
_DATES: Final = re.compile(r"\$(to|from)Millis")
_ASTRAL: Final = re.compile(r"[\ud800-\udfff\U00010000-\U0010ffff]|\\u[dD][89a-fA-F]")
# Names by which the reference knows its own objects, so that data can pass for them.
_MARKS: Final = frozenset(
    {"_jsonata_lambda", "_jsonata_function", "tupleStream", "outerWrapper", "sequence"}
)
# What JavaScript itself says is no error of the language.
_OWN_BUG: Final = re.compile(
    r"JS:TypeError|.*is not a function|Cannot (read|create|set) propert|.* is not iterable"
)
_FALLBACK_PATTERN: Final = re.compile(r"/.*/.*\?[?:]", re.DOTALL)
_PATTERN: Final = re.compile(r"\$(match|contains|replace|split)")
_ODD: Final = {
    "nonfinite": "non-finite and unsafe numbers",
    "unsafe": "non-finite and unsafe numbers",
    "surrogate": "a lone surrogate is never a result",
    "deep": "the limits",
    "function": "a function is never a result",
}


def verdict(
    expression: str,
    theirs: Mapping[str, Any],
    own: Outcome,
    *,
    data: Any = None,
    in_order: bool = True,
) -> tuple[str, str]:
    """How two outcomes stand to each other.

    Args:
        data: What the expression was evaluated on.
        in_order: Whether the order of the reference's keys is known.

    Returns:
        ``same``, ``strict`` or ``different``, and what is the same, or the strictness.
    """
    if "value" in theirs:
        if own.kind == "value" and same_json(own.value, as_json(theirs["value"])):
            if in_order and _order(own.value) != _order(theirs["value"]):
                return "different", "order of keys"
            return "same", "value"
    elif "undefined" in theirs:
        if own.kind == "nothing":
            return "same", "nothing"
    elif "error" in theirs and own.kind == "error":
        return "same", "error"
    stricter = _strictness(expression, theirs, own, data)
    return ("strict", stricter) if stricter else ("different", "")


def _strictness(
    expression: str, theirs: Mapping[str, Any], own: Outcome, data: Any
) -> str | None:
    if own.kind == "error":
        if "odd" in theirs:
            return _ODD[theirs["odd"]]
        told = f"{own.code}: {own.message}"
        for name, pattern in _STRICTER:
            if pattern.search(told):
                return name
    elif _OWN_BUG.match(str(theirs.get("error", ""))):
        return "the reference fails through a bug of its own"
    if any(isinstance(part, str) and part in _MARKS for part in _parts(data)):
        return "data is data, whatever its fields are called"
    if own.kind == "value" and _FALLBACK_PATTERN.search(expression):
        return "a regular expression left of ?? or ?: gives the evident value"
    if _BASE64.search(expression):
        return "base64 is UTF-8"
    if _DATES.search(expression) and own.kind == "error":
        return "dates are those of one form"
    if _PATTERN.search(expression) and any(
        isinstance(part, str) and _ASTRAL.search(part) for part in (expression, *_parts(data))
    ):
        return "regular expressions see code points"
    return None


def as_json(value: Any) -> Any:
    """A value of the reference with the numbers that ours would be: ``1.0`` is ``1``."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {name: as_json(item) for name, item in value.items()}
    return value


def odd_kind(value: Any) -> str | None:
    """Why a value of the reference is none that JSON could hold; None if it is one."""
    for part in _parts(value):
        if isinstance(part, str) and re.search(r"[\ud800-\udfff]", part):
            return "surrogate"
        if isinstance(part, (int, float)) and not isinstance(part, bool):
            if not math.isfinite(part):
                return "nonfinite"
            if part == int(part) and abs(part) > _MAX_SAFE_INTEGER:
                return "unsafe"
    return None


def _parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _parts(member)
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item)


def _order(value: Any) -> Any:
    if isinstance(value, dict):
        return [[name, _order(member)] for name, member in value.items()]
    return [_order(item) for item in value] if isinstance(value, list) else None
