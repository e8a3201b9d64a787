"""``$formatNumber``: a number as its picture shows it.

A picture is read once, and refused if the reference would read it as something else than
it seems to be. What is done with the digits follows the reference to the letter, such as
where it puts commas that stand at irregular places.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import reduce
from itertools import accumulate
from typing import Final

from strands_plan_tool.values.budget import failed
from strands_plan_tool.values.doubles import Number, double, half_even, number_to_text, tidy

__all__ = ["NumberPicture", "Picture", "PictureError", "format_number", "picture_problem"]

_LITERAL: Final = "[^#0-9,.%;e-]*"
_PICTURE: Final = re.compile(
    rf"(?P<prefix>{_LITERAL})(?P<whole>[#,]*[0,]*)(?P<point>\.(?P<fraction>0*#*))?"
    rf"(?P<percent>%?)(?P<suffix>{_LITERAL})"
)
_PER_MILLE: Final = "\u2030"
_MAX_PICTURE: Final = 256
_MAX_PLACES: Final = 100
_WIDE: Final = 1e21
_EXACT: Final = Context(prec=500, rounding=ROUND_HALF_UP)

_SHAPE: Final = (
    "Write # and 0 for digits, with commas, a decimal point and % if wanted, "
    'as in "#,##0.00" or "$0.00".'
)


class PictureError(Exception):
    """A picture of ``$formatNumber`` is outside the grammar.

    Args:
        position: Where, in code points.
        message: What is wrong.
        hint: The edit that mends it.
    """

    def __init__(self, position: int, message: str, hint: str) -> None:
        super().__init__(f"{message}. {hint}")
        self.position = position
        self.message = message
        self.hint = hint


def picture_problem(source: str) -> PictureError | None:
    """Why a picture may not be used; None if it may."""
    try:
        NumberPicture(source)
    except PictureError as fault:
        return fault
    return None


class Picture(str):
    """The text of a picture that is known to be in the grammar, read once for all its uses."""

    __slots__ = ("shape",)

    shape: NumberPicture

    def __new__(cls, source: str) -> Picture:
        """The picture of a text.

        Raises:
            PictureError: It is outside the grammar.
        """
        made = super().__new__(cls, source)
        made.shape = NumberPicture(source)
        return made


def format_number(value: Number, picture: str) -> str:
    """A number as a picture shows it.

    Raises:
        EvaluationError: The picture is outside the grammar, or the number becomes infinite.
    """
    if isinstance(picture, Picture):
        return picture.shape.text(value)
    try:
        shape = NumberPicture(picture)
    except PictureError as fault:
        message = fault.message[:1].lower() + fault.message[1:]
        hint = fault.hint[:1].lower() + fault.hint[1:].removesuffix(".")
        raise failed(message, hint) from None
    return shape.text(value)


class NumberPicture:
    """A picture, taken apart.

    Args:
        source: As written: ``$#,##0.00``.

    Raises:
        PictureError: It is outside the grammar.
    """

    def __init__(self, source: str) -> None:
        if len(source) > _MAX_PICTURE:
            raise PictureError(
                _MAX_PICTURE,
                f"The picture has {len(source)} characters; at most {_MAX_PICTURE} are allowed",
                "Shorten it.",
            )
        match = _PICTURE.match(source)
        assert match is not None
        whole, fraction = match["whole"], match["fraction"] or ""
        if match.end() < len(source) or not (set(whole + fraction) & set("#0")):
            raise _misshapen(source, match)
        _check_commas(match)
        if len(fraction) > _MAX_PLACES:
            raise PictureError(
                match.start("fraction"),
                f"The picture has {len(fraction)} places after the point; "
                f"at most {_MAX_PLACES} are allowed",
                "Leave out the last ones.",
            )
        self._factor = _factor(source, match)
        self._prefix = match["prefix"]
        self._suffix = match["percent"] + match["suffix"]
        self._point = match["point"] is not None
        self._most_places = len(fraction)
        self._least_places = fraction.count("0")
        self._least_digits = whole.count("0")
        if not self._least_digits and not self._least_places:
            if self._most_places:
                self._least_places = 1
            else:
                self._least_digits = 1
        # For each comma how many digits follow it before the point.
        groups = whole.split(",")
        self._commas = list(accumulate(map(len, reversed(groups[1:]))))[::-1]
        self._every = _regular(self._commas)

    def text(self, value: Number) -> str:
        """A number as the picture shows it.

        Args:
            value: A finite number.

        Raises:
            EvaluationError: It becomes infinite on the way.
        """
        value = double(value)
        scaled = value if self._factor == 1 else tidy(float(value) * self._factor)
        rounded = half_even(scaled, self._most_places) if math.isfinite(scaled) else scaled
        if not math.isfinite(rounded):
            raise failed(
                f"$formatNumber is given {number_to_text(value)}, which becomes infinite there",
                "give it a smaller number",
            )
        sign = "-" if value < 0 else ""
        return sign + self._prefix + self._digits(abs(rounded)) + self._suffix

    def _digits(self, value: Number) -> str:
        digits = _fixed(value, self._most_places)
        if "." not in digits:
            digits += "."
        digits = digits.lstrip("0").rstrip("0")
        point = digits.index(".")
        places = len(digits) - point - 1
        digits = (
            "0" * (self._least_digits - point) + digits + "0" * (self._least_places - places)
        )
        digits = self._grouped(digits, digits.index("."))
        if not self._point or digits.endswith("."):
            digits = digits[:-1]
        return digits

    def _grouped(self, digits: str, point: int) -> str:
        if self._every:
            first = (point - 1) % self._every + 1 if point else 0
            groups = [digits[:first]]
            groups += [digits[at : at + self._every] for at in range(first, point, self._every)]
            return ",".join(groups) + digits[point:]
        for place in self._commas:
            # Where there are fewer digits than the comma's place, this counts from the end,
            # as it does in the reference.
            at = point - place
            digits = f"{digits[:at]},{digits[at:]}"
            point += 1
        return digits


def _misshapen(source: str, match: re.Match[str]) -> PictureError:
    if match.end() == len(source):
        return PictureError(0, "The picture has no # and no 0 for a digit", _SHAPE)
    at = match.end()
    mark = source[at]
    if mark in "123456789":
        message = f"The picture has the digit {mark}, which is no sign of a picture"
        return PictureError(at, message, _SHAPE)
    if mark == ";":
        return PictureError(
            at,
            "The picture has a second one for negative numbers after ;",
            'Write one, and choose it first: x < 0 ? $formatNumber(-x, "(0)") : '
            '$formatNumber(x, "0").',
        )
    if mark == "e":
        return PictureError(
            at, "The picture has an e, which would mean an exponent", "Join such text with &."
        )
    if mark == "-":
        return PictureError(
            at, "The picture has a -", "Leave it out: a negative number has its - by itself."
        )
    return PictureError(at, f"The picture has a {mark} where none can stand", _SHAPE)


def _check_commas(match: re.Match[str]) -> None:
    whole = match["whole"]
    twice = whole.find(",,")
    if twice >= 0:
        raise PictureError(
            match.start("whole") + twice, "The picture has two commas together", "Write one."
        )
    if whole.endswith(","):
        raise PictureError(
            match.end("whole") - 1, "The picture has a comma after its last digit", "Remove it."
        )


def _factor(source: str, match: re.Match[str]) -> int:
    found = source.count(_PER_MILLE)
    if found > 1 or (found and match["percent"]):
        raise PictureError(
            source.rindex(_PER_MILLE), "The picture has % or ‰ more than once", "Write one."
        )
    return 1000 if found else 100 if match["percent"] else 1


def _regular(places: list[int]) -> int:
    """How many digits stand between commas; 0 if that differs or there are none."""
    if not places:
        return 0
    step = reduce(math.gcd, places)
    wanted = {step * nth for nth in range(1, len(places) + 1)}
    return step if wanted <= set(places) else 0


def _fixed(value: Number, places: int) -> str:
    """A number that is not negative, as ECMAScript's ``toFixed`` writes it."""
    if value >= _WIDE:
        return number_to_text(value)
    exact = Decimal(value).quantize(Decimal(1).scaleb(-places), context=_EXACT)
    return f"{exact:f}"
