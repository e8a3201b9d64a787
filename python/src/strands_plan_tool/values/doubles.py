"""Numbers as ECMAScript has them: IEEE doubles, their text and their rounding.

A number is an ``int`` if it is whole and within ±2^53 and a ``float`` otherwise, so that
one value has one form: ``4/2`` is ``2`` and ``-0`` is ``0``. A whole number beyond that
range that a tool returned stays a ``WideInteger`` until an operation makes a double of it.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

__all__ = [
    "EXACT_LIMIT",
    "SAFE_LIMIT",
    "Number",
    "WideInteger",
    "all_numbers",
    "double",
    "doublings",
    "half_even",
    "is_number",
    "number_to_text",
    "rounded_to_15_digits",
    "tidy",
]

Number = int | float

SAFE_LIMIT: Final = 2**53 - 1
"""The largest whole number that a double tells from its neighbours."""

EXACT_LIMIT: Final = 2**53
"""The largest whole number up to which every one is a double."""

_DIGITS_OF_A_DOUBLE: Final = 15
# Far beyond what moving a point can make of a double.
_FAR: Final = 1000
_FIFTEEN: Final = Context(prec=_DIGITS_OF_A_DOUBLE, rounding=ROUND_HALF_UP)


class WideInteger(int):
    """A whole number beyond ±(2^53−1), with all the digits that a tool gave it."""

    __slots__ = ()


_NUMBERS: Final = (int, float)
_NUMBER_TYPES: Final = frozenset({int, float, WideInteger})


def is_number(value: Any) -> bool:
    """Whether a value is a number; a boolean is none."""
    return isinstance(value, _NUMBERS) and type(value) is not bool


def all_numbers(values: list[Any]) -> bool:
    """Whether all values of a list are numbers."""
    return _NUMBER_TYPES.issuperset(map(type, values))


def tidy(value: float) -> Number:
    """A double in the one form of its value; what is not finite stays as it is."""
    if value.is_integer() and -EXACT_LIMIT <= value <= EXACT_LIMIT:
        return int(value)
    return value


def double(value: Number) -> Number:
    """The double that a number is, in the one form of its value."""
    if type(value) is int and -EXACT_LIMIT <= value <= EXACT_LIMIT:
        return value
    return tidy(float(value))


def doublings(large: float, small: float) -> int:
    """By how many powers of two a number, whatever its sign, lies over another.

    Args:
        large: A finite number.
        small: A finite number.

    Returns:
        The difference of their exponents; 0 if it would be negative or one of them is 0.
    """
    if not large or not small:
        return 0
    return max(math.frexp(large)[1] - math.frexp(small)[1], 0)


def number_to_text(value: Number) -> str:
    """The text of a number, as ECMAScript's ``Number::toString`` writes it.

    Args:
        value: A finite number.
    """
    if isinstance(value, int):
        if -EXACT_LIMIT <= value <= EXACT_LIMIT:
            return int.__repr__(value)
        value = float(value)
    text = float.__repr__(value)
    if "e" not in text:
        return text.removesuffix(".0")
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa[0] == "-" else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = whole + fraction.rstrip("0")
    point = int(exponent) + 1
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'-' if point < 1 else '+'}{abs(point - 1)}"


def rounded_to_15_digits(value: float) -> float:
    """The double nearest to a double's first 15 digits, as ``$string`` shows it."""
    digits = f"{value:.24e}"
    # Only what ends in a 5 and no more is rounded otherwise there, or may be.
    if digits.lstrip("-")[16:].startswith("50000000"):
        return float(_FIFTEEN.create_decimal(Decimal(value)))
    return float(f"{value:.14e}")


def half_even(value: Number, places: Number) -> Number:
    """``$round``: to so many decimal places, a tie going to the even neighbour.

    Args:
        value: A finite number.
        places: Whole; negative for tens, hundreds and so on.

    Returns:
        The rounded number, or NaN where ``places`` is not whole.
    """
    shifted = _shifted(value, places) if places else value
    if type(shifted) is float:
        if not math.isfinite(shifted):
            return shifted
        whole: Number = math.floor(shifted)
        excess = shifted - whole
        if excess > 0.5 or (excess == 0.5 and whole % 2 == 1):
            whole += 1
    else:
        whole = shifted
    whole = double(whole)
    return _shifted(whole, -places) if places else whole


def _shifted(value: Number, places: Number) -> Number:
    """A number with its decimal point moved in its text, where no digit is lost."""
    if type(places) is int and -_FAR < places < _FAR:
        digits, _, power = repr(value).partition("e")
        return tidy(float(f"{digits}e{int(power or 0) + places}"))
    mantissa, _, exponent = number_to_text(value).partition("e")
    moved = number_to_text(tidy(float((int(exponent) if exponent else 0) + places)))
    try:
        return tidy(float(f"{mantissa}e{moved}"))
    except ValueError:
        return math.nan
