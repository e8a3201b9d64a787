"""The listed functions about numbers."""

from __future__ import annotations

import math
import re
from functools import reduce
from operator import add
from typing import Any, Final

from strands_plan_tool.functions.operators import finite
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import State, failed, spend
from strands_plan_tool.values.doubles import (
    EXACT_LIMIT,
    double,
    half_even,
    number_to_text,
    tidy,
)
from strands_plan_tool.values.power import power as raised

__all__ = [
    "absolute",
    "average",
    "ceil",
    "floor",
    "format_base",
    "largest",
    "number",
    "power",
    "round_",
    "smallest",
    "sqrt",
    "total",
]

_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?")
# The reference's own test of the other bases looks at one end of the text or at neither.
_OTHER_BASE: Final = re.compile(r"^0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+\Z")
_LITERAL: Final = re.compile(r"0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+")
_ECMASCRIPT_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_BASES: Final = {"x": 16, "o": 8, "b": 2}
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_MAX_BASE: Final = 36
_POWER_STEPS: Final = 16


def total(state: State, numbers: Any) -> Any:
    """``$sum``: added from left to right."""
    return NOTHING if numbers is NOTHING else finite(_sum(numbers), "$sum")


def _sum(numbers: list[Any]) -> float:
    if set(map(type, numbers)) == {int}:
        highest, lowest = max(numbers), min(numbers)
        if max(highest, -lowest) * len(numbers) <= EXACT_LIMIT:
            return float(sum(numbers))
    # Not sum(): it makes up for rounding, and the reference does not.
    return reduce(add, numbers, 0.0)


def average(state: State, numbers: Any) -> Any:
    """``$average``."""
    if numbers is NOTHING or not numbers:
        return NOTHING
    return finite(_sum(numbers) / len(numbers), "$average")


def largest(state: State, numbers: Any) -> Any:
    """``$max``."""
    return NOTHING if numbers is NOTHING or not numbers else double(max(numbers))


def smallest(state: State, numbers: Any) -> Any:
    """``$min``."""
    return NOTHING if numbers is NOTHING or not numbers else double(min(numbers))


def number(state: State, value: Any) -> Any:
    """``$number``: of a text of digits, a boolean or a number."""
    if value is NOTHING:
        return NOTHING
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, str):
        return double(value)
    # Some texts take their length many times over until the nearest double is found.
    spend(state, len(value))
    if _DECIMAL.fullmatch(value):
        result = float(value)
        if math.isfinite(result):
            return tidy(result)
    elif _OTHER_BASE.search(value):
        bare = value.strip(_ECMASCRIPT_SPACE)
        if _LITERAL.fullmatch(bare):
            return finite(_whole(bare[2:], _BASES[bare[1].lower()]), "$number")
    raise failed(
        "$number is given a text that is no number",
        'test it first, or give it digits alone, as in "-12.5"',
    )


def _whole(digits: str, base: int) -> float:
    try:
        return float(int(digits, base))
    except OverflowError:
        return math.inf


def absolute(state: State, value: Any) -> Any:
    """``$abs``."""
    return NOTHING if value is NOTHING else double(abs(value))


def floor(state: State, value: Any) -> Any:
    """``$floor``."""
    return NOTHING if value is NOTHING else double(math.floor(value))


def ceil(state: State, value: Any) -> Any:
    """``$ceil``."""
    return NOTHING if value is NOTHING else double(math.ceil(value))


def round_(state: State, value: Any, places: Any) -> Any:
    """``$round``: to so many places, ties to even."""
    if value is NOTHING:
        return NOTHING
    return finite(half_even(double(value), 0 if places is NOTHING else places), "$round")


def sqrt(state: State, value: Any) -> Any:
    """``$sqrt``."""
    if value is NOTHING:
        return NOTHING
    if value < 0:
        raise failed(
            f"$sqrt is given {number_to_text(value)}, which is below zero", "test it first"
        )
    return tidy(math.sqrt(value))


def power(state: State, base: Any, exponent: Any) -> Any:
    """``$power``."""
    if base is NOTHING:
        return NOTHING
    spend(state, _POWER_STEPS)
    result = math.nan if exponent is NOTHING else raised(base, exponent)
    return finite(result, "$power")


def format_base(state: State, value: Any, base: Any) -> Any:
    """``$formatBase``: the digits of a rounded number in a base from 2 to 36."""
    if value is NOTHING:
        return NOTHING
    whole = half_even(double(value), 0)
    radix = 10 if base is NOTHING else half_even(double(base), 0)
    if not 2 <= radix <= _MAX_BASE:
        raise failed(
            f"the base of $formatBase is {number_to_text(radix)}", "give a base from 2 to 36"
        )
    if radix == 10:
        digits = number_to_text(whole)
    else:
        digits = ("-" if whole < 0 else "") + _in_base(abs(whole), int(radix))
    spend(state, len(digits))
    return digits


def _in_base(whole: int | float, radix: int) -> str:
    """The digits of a whole number; the last ones of a large one are zeros, as in V8."""
    zeros = 0
    rest = float(whole)
    while rest / radix >= EXACT_LIMIT:
        rest /= radix
        zeros += 1
    digits = []
    while rest >= EXACT_LIMIT:
        digit = math.fmod(rest, radix)
        digits.append(int(digit))
        rest = (rest - digit) / radix
    exact = int(rest)
    while exact or not digits:
        exact, last = divmod(exact, radix)
        digits.append(last)
    return "".join([_DIGITS[digit] for digit in reversed(digits)]) + "0" * zeros
