"""What one evaluation may use: its steps, and the size of what it makes.

A run keeps its state in one flat list, which is what closures reach fastest. Its first
entries are named here; after them come the variables of the expression, each in a place
that was fixed when the expression was compiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from strands_plan_tool.models import Code
from strands_plan_tool.values.doubles import number_to_text
from strands_plan_tool.values.plain import MAX_NESTING

__all__ = [
    "DEFAULT_MAX_STEPS",
    "FIRST_VARIABLE",
    "LEFT",
    "MAX_LIST",
    "MAX_NESTING",
    "MAX_RESULT",
    "MAX_STEPS_ALLOWED",
    "MAX_TEXT",
    "OUTER",
    "ROOT",
    "EvaluationError",
    "OutOfStepsError",
    "State",
    "deep_size",
    "failed",
    "list_too_long",
    "made_list",
    "made_text",
    "nests_too_deep",
    "out_of_steps",
    "result_too_large",
    "size",
    "sizes",
    "spend",
    "text_size",
    "text_too_long",
]

State = list[Any]
"""One run's state: see the places below."""

LEFT: Final = 0
"""The place of the steps that are left."""
MAX_STEPS_ALLOWED: Final = 1
"""The place of the steps that there were."""
ROOT: Final = 2
"""The place of ``$$``."""
OUTER: Final = 3
"""The place of the variables that the plan gives: ``steps``, ``input``, ``item``, ``index``."""
FIRST_VARIABLE: Final = 4
"""The place of the expression's own first variable."""

DEFAULT_MAX_STEPS: Final = 10_000_000
MAX_LIST: Final = 100_000
"""Items in a made list."""
MAX_TEXT: Final = 1_048_576
"""Bytes of a made text in UTF-8."""

MAX_RESULT: Final = 1_000_000
"""The whole size of what an expression gives."""

# Fewer characters than this cannot fill 64 bytes.
_SHORT: Final = 16
_CONTAINERS: Final = (dict, list)
_OF_NO_SIZE: Final = frozenset({int, float, bool, type(None)})
# A part of a value that is worth remembering when a value is walked through.
_LARGE: Final = 64


class EvaluationError(Exception):
    """An expression failed while it was evaluated.

    Args:
        code: ``no_value``, ``evaluation_failed``, ``expression_limit`` or ``unsafe_number``.
        message: What went wrong.
        hint: The edit that would mend it.
    """

    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.code = code
        self.message = message
        self.hint = hint


class OutOfStepsError(EvaluationError):
    """The budget of steps is used up.

    Args:
        allowed: The steps that there were.
        before: What else they were for, as the message begins.
    """

    def __init__(self, allowed: int, before: str = "") -> None:
        super().__init__(
            Code.EXPRESSION_LIMIT,
            f"{before}it takes more than {number_to_text(allowed)} steps, "
            "which is max_expression_steps",
            "filter the list first, avoid a loop inside a loop, or let a tool do the work",
        )


def failed(message: str, hint: str) -> EvaluationError:
    """An expression that cannot give a value."""
    return EvaluationError(Code.EVALUATION_FAILED, message, hint)


def out_of_steps(state: State) -> OutOfStepsError:
    """The budget of steps is used up."""
    return OutOfStepsError(state[MAX_STEPS_ALLOWED])


def list_too_long() -> EvaluationError:
    """A made list has too many items."""
    return EvaluationError(
        Code.EXPRESSION_LIMIT,
        f"it makes a list of more than {MAX_LIST} items",
        "filter the list first, or let a tool return less",
    )


def text_too_long() -> EvaluationError:
    """A made text is too long."""
    return EvaluationError(
        Code.EXPRESSION_LIMIT,
        f"it makes a text of more than {MAX_TEXT} bytes",
        "join fewer or shorter texts, or let a tool do the work",
    )


def result_too_large() -> EvaluationError:
    """What an expression gives is too much in all."""
    return EvaluationError(
        Code.EXPRESSION_LIMIT,
        f"it gives more than {MAX_RESULT} items, members and pieces of 64 bytes of text in all",
        "give less: filter the list first, or pick the fields that are needed",
    )


def nests_too_deep() -> EvaluationError:
    """A made value nests too deep."""
    return EvaluationError(
        Code.EXPRESSION_LIMIT,
        f"it makes a value that nests over {MAX_NESTING} levels",
        "put the values side by side in one list",
    )


def spend(state: State, steps: int) -> None:
    """Take steps from the budget.

    Raises:
        EvaluationError: Fewer were left.
    """
    left = state[LEFT] - steps
    state[LEFT] = left
    if left < 0:
        raise out_of_steps(state)


def text_size(text: str) -> int:
    """One for each full 64 bytes of UTF-8; half a surrogate pair is three bytes."""
    if len(text) < _SHORT:
        return 0
    if text.isascii():
        return len(text) >> 6
    return len(text.encode("utf-8", "surrogatepass")) >> 6


def size(value: Any) -> int:
    """What a value adds for itself: its items, its members, or its text."""
    if isinstance(value, str):
        return text_size(value)
    if isinstance(value, _CONTAINERS):
        return len(value)
    return 0


def sizes(values: Iterable[Any]) -> int:
    """What several values add."""
    total = 0
    for value in values:
        kind = type(value)
        if kind is int or kind is float:
            continue
        if isinstance(value, str):
            if len(value) >= _SHORT:
                total += text_size(value)
        elif isinstance(value, _CONTAINERS):
            total += len(value)
    return total


def deep_size(value: Any) -> int:
    """What a value adds at every depth.

    What holds one value in many places is small to keep and may be endless to walk
    through, so larger parts are counted once and remembered.

    Raises:
        EvaluationError: It nests too deep.
    """
    if isinstance(value, str):
        return text_size(value)
    if isinstance(value, _CONTAINERS):
        return _deep(value, {}, 1)
    return 0


def _deep(value: Any, known: dict[int, tuple[int, int]], depth: int) -> int:
    if depth > MAX_NESTING:
        raise nests_too_deep()
    total = len(value)
    if total >= _LARGE and isinstance(value, list) and _OF_NO_SIZE.issuperset(map(type, value)):
        return total
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, str):
            if len(item) >= _SHORT:
                total += text_size(item)
        elif isinstance(item, _CONTAINERS):
            seen = known.get(id(item)) if known else None
            # What was found to fit may still stand too deep in another place.
            fits = seen is not None and depth < seen[1]
            total += seen[0] if seen and fits else _deep(item, known, depth + 1)
    if total >= _LARGE:
        known[id(value)] = (total, depth)
    return total


def made_list(items: list[Any]) -> list[Any]:
    """A list that was made, if it may be so long.

    Raises:
        EvaluationError: It is too long.
    """
    if len(items) > MAX_LIST:
        raise list_too_long()
    return items


def made_text(text: str) -> str:
    """A text that was made, if it may be so long.

    Raises:
        EvaluationError: It is too long.
    """
    if len(text) * 4 > MAX_TEXT and not text.isascii():
        if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT:
            raise text_too_long()
    elif len(text) > MAX_TEXT:
        raise text_too_long()
    return text
