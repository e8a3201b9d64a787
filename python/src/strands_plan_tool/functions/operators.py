"""What the operators do with two values, types checked first, from left to right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import (
    MAX_LIST,
    MAX_TEXT,
    State,
    deep_size,
    failed,
    list_too_long,
    made_text,
    size,
    spend,
    text_size,
    text_too_long,
)
from strands_plan_tool.values.doubles import (
    Number,
    double,
    doublings,
    is_number,
    number_to_text,
)
from strands_plan_tool.values.sequences import Sequence, equal, identical, kind
from strands_plan_tool.values.text import concat, precedes, written

__all__ = ["DOUBLINGS_OF_A_STEP", "OPERATORS", "finite", "negated", "numbers_from"]


def finite(value: Number, operation: str) -> Number:
    """A result that must be a finite number, in the one form of its value.

    Args:
        value: What was computed.
        operation: What computed it, for the message.

    Raises:
        EvaluationError: It is NaN or infinite.
    """
    if not math.isfinite(value):
        raise failed(
            f"{operation} gives no finite number",
            "test the numbers first, as in `b != 0 ? a / b : 0`",
        )
    return double(value)


def _operands(operator: str, left: Any, right: Any) -> bool:
    """Whether both sides of an arithmetic operator are there, once they prove to be numbers."""
    for side, value in (("left", left), ("right", right)):
        if value is not NOTHING and not is_number(value):
            raise failed(
                f"`{operator}` needs numbers, and its {side} side is {kind(value)}",
                _arithmetic_hint(operator, value),
            )
    return left is not NOTHING and right is not NOTHING


def _arithmetic_hint(operator: str, value: Any) -> str:
    if isinstance(value, str):
        joined = "join texts with `&`, or " if operator == "+" else ""
        return f"{joined}make a number of it with $number(...)"
    if isinstance(value, list):
        return "take one item, as in x[0], or use $sum(...) or $map(...)"
    if value is None:
        return "say what null stands for, as in `x = null ? 0 : x`"
    return "give it a number"


def _add(state: State, left: Any, right: Any) -> Any:
    if not _operands("+", left, right):
        return NOTHING
    return finite(float(left) + float(right), "`+`")


def _subtract(state: State, left: Any, right: Any) -> Any:
    if not _operands("-", left, right):
        return NOTHING
    return finite(float(left) - float(right), "`-`")


def _multiply(state: State, left: Any, right: Any) -> Any:
    if not _operands("*", left, right):
        return NOTHING
    return finite(float(left) * float(right), "`*`")


def _divide(state: State, left: Any, right: Any) -> Any:
    if not _operands("/", left, right):
        return NOTHING
    if right == 0:
        return finite(math.inf, "division by zero")
    return finite(float(left) / float(right), "`/`")


def _remainder(state: State, left: Any, right: Any) -> Any:
    if not _operands("%", left, right):
        return NOTHING
    if right == 0:
        return finite(math.nan, "the remainder of a division by zero")
    spend(state, doublings(left, right) // DOUBLINGS_OF_A_STEP)
    return finite(math.fmod(float(left), float(right)), "`%`")


def negated(value: Any) -> Any:
    """Prefix ``-``."""
    if value is NOTHING:
        return NOTHING
    if not is_number(value):
        raise failed(
            f"prefix `-` needs a number, and it is given {kind(value)}",
            _arithmetic_hint("-", value),
        )
    return double(-value)


def _ordered(operator: str, left: Any, right: Any) -> bool:
    """Whether both sides of a comparison are there, once they prove to be comparable."""
    for side, value in (("left", left), ("right", right)):
        if value is not NOTHING and not isinstance(value, str) and not is_number(value):
            raise failed(
                f"`{operator}` compares numbers or texts, and its {side} side is {kind(value)}",
                _comparison_hint(value),
            )
    if left is NOTHING or right is NOTHING:
        return False
    if isinstance(left, str) is not isinstance(right, str):
        raise failed(
            f"`{operator}` compares {kind(left)} with {kind(right)}",
            "make both sides numbers with $number(...), or both texts with $string(...)",
        )
    return True


def _comparison_hint(value: Any) -> str:
    if value is None:
        return "say what null stands for, as in `x != null and x > 3`"
    if isinstance(value, list):
        return "compare its length, as in `$count(x) > 3`, or one item, as in `x[0] > 3`"
    if isinstance(value, dict):
        return "compare one of its fields, as in `x.size > 3`"
    return "compare it with `=`"


def _comparison(operator: str) -> Callable[[State, Any, Any], Any]:
    upward = operator in ("<", "<=")
    strict = operator in ("<", ">")

    def compare(state: State, left: Any, right: Any) -> Any:
        if not _ordered(operator, left, right):
            return NOTHING
        spend(state, size(left) + size(right))
        first, second = (left, right) if upward else (right, left)
        if isinstance(left, str):
            return precedes(first, second) if strict else not precedes(second, first)
        first, second = double(first), double(second)
        return first < second if strict else first <= second

    return compare


def _equals(state: State, left: Any, right: Any) -> bool:
    _spend_deep(state, left, right)
    return left is not NOTHING and right is not NOTHING and equal(left, right)


def _differs(state: State, left: Any, right: Any) -> bool:
    _spend_deep(state, left, right)
    return left is not NOTHING and right is not NOTHING and not equal(left, right)


def _spend_deep(state: State, left: Any, right: Any) -> None:
    spend(state, deep_size(left))
    spend(state, deep_size(right))


def _concat(state: State, left: Any, right: Any) -> str:
    _spend_deep(state, left, right)
    first = "" if left is NOTHING else written(state, left)
    second = "" if right is NOTHING else written(state, right)
    if len(first) + len(second) > MAX_TEXT:
        raise text_too_long()
    made = made_text(concat(first, second))
    spend(state, text_size(made))
    return made


def _is_in(state: State, left: Any, right: Any) -> bool:
    spend(state, size(left) + size(right))
    if left is NOTHING or right is NOTHING:
        return False
    if not isinstance(right, list):
        return identical(left, right)
    if isinstance(left, str):
        # One item may be compared to its last character.
        spend(state, text_size(left) * len(right))
    return any(identical(left, item) for item in right)


def numbers_from(state: State, first: Any, last: Any) -> Any:
    """``first..last``: a sequence of whole numbers, nothing if there are none.

    Raises:
        EvaluationError: An end is not a whole number, or the list would be too long.
    """
    for side, value in (("left", first), ("right", last)):
        if value is not NOTHING and not _is_whole(value):
            raise failed(
                f"`..` needs whole numbers, and its {side} side is {_number_or_kind(value)}",
                "round it with $round(...), or make a number of a text with $number(...)",
            )
    if first is NOTHING or last is NOTHING or first > last:
        return NOTHING
    length = double(last) - double(first) + 1
    if length > MAX_LIST:
        raise list_too_long()
    if isinstance(first, float) or isinstance(last, float):
        raise failed("`..` counts beyond ±9007199254740992", "use smaller numbers")
    spend(state, int(length))
    if first >= 0 and last < len(_NUMBERS):
        return Sequence(_NUMBERS[first : last + 1])
    return Sequence(range(first, last + 1))


# Ranges share these numbers: a list of them then costs its references alone.
_NUMBERS: Final = list(range(MAX_LIST + 1))


def _is_whole(value: Any) -> bool:
    return is_number(value) and float(value).is_integer()


def _number_or_kind(value: Any) -> str:
    return number_to_text(value) if is_number(value) else kind(value)


DOUBLINGS_OF_A_STEP: Final = 32
"""Of the powers of two that a remainder goes down by, as many as take one step."""

Operation = Callable[[State, Any, Any], Any]

OPERATORS: Final[dict[str, Operation]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _remainder,
    "=": _equals,
    "!=": _differs,
    "<": _comparison("<"),
    "<=": _comparison("<="),
    ">": _comparison(">"),
    ">=": _comparison(">="),
    "&": _concat,
    "in": _is_in,
}
"""What each operator does, types and budget included; ``and`` and ``or`` are closures."""
