"""``$toMillis`` and ``$fromMillis``: dates of ISO 8601 as milliseconds since 1970, in UTC.

The calendar is counted out here: what a date library takes, and which years it knows,
differs from language to language.
"""

from __future__ import annotations

import math
import re
from typing import Final

from strands_plan_tool.values.budget import failed
from strands_plan_tool.values.doubles import Number, number_to_text

__all__ = ["from_millis", "to_millis"]

_DATE: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:(Z)|([+-])([0-9]{2}):([0-9]{2})))?"
)
_SHOWN: Final = 40
_SECOND: Final = 1000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_EARLIEST: Final = -62_167_219_200_000
_LATEST: Final = 253_402_300_799_999

_DAYS_OF_MONTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_OF_AN_ERA: Final = 146_097
_YEARS_OF_AN_ERA: Final = 400
_DAYS_TO_1970: Final = 719_468
"""From the first of March of the year 0, from which the years of an era are counted."""


def to_millis(text: str) -> int:
    """The milliseconds from 1970 to a date.

    Args:
        text: ``YYYY-MM-DD``, which is midnight in UTC, or
            ``YYYY-MM-DDThh:mm:ss[.f](Z|±hh:mm)``, of which it cuts what is below a
            millisecond.

    Raises:
        EvaluationError: It has another form, or there is no such date.
    """
    match = _DATE.fullmatch(text)
    if match is None:
        raise _bad(text, "which is no date that it takes")
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    if not 1 <= month <= 12 or not 1 <= day <= _days_of(year, month):
        raise _bad(text, "and the calendar has no such day")
    millis = _days(year, month, day) * _DAY
    if match[4] is None:
        return millis
    hour, minute, second = int(match[4]), int(match[5]), int(match[6])
    hours, minutes = int(match[10] or 0), int(match[11] or 0)
    if max(hour, hours) > 23 or max(minute, second, minutes) > 59:
        raise _bad(text, "and the clock has no such time")
    millis += hour * _HOUR + minute * _MINUTE + second * _SECOND
    millis += int((match[7] or "")[:3].ljust(3, "0"))
    offset = hours * _HOUR + minutes * _MINUTE
    return millis + offset if match[9] == "-" else millis - offset


def from_millis(millis: Number) -> str:
    """The date that lies so many milliseconds after 1970: ``2024-02-29T12:34:56.789Z``.

    Args:
        millis: Of which it cuts what is below a millisecond, towards 1970.

    Raises:
        EvaluationError: The date lies before the year 0 or after the year 9999.
    """
    whole = math.trunc(millis)
    if not _EARLIEST <= whole <= _LATEST:
        raise failed(
            f"$fromMillis is given {number_to_text(millis)}, which is no date of the years "
            "0000 to 9999",
            "give it milliseconds since 1970; multiply seconds by 1000",
        )
    days, rest = divmod(whole, _DAY)
    year, month, day = _date(days)
    hour, rest = divmod(rest, _HOUR)
    minute, rest = divmod(rest, _MINUTE)
    second, milli = divmod(rest, _SECOND)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"


def _bad(text: str, why: str) -> Exception:
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return failed(
        f'$toMillis is given "{shown}", {why}',
        "write 2024-02-29, or 2024-02-29T12:34:56Z with Z or an offset such as +01:00",
    )


def _days_of(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS_OF_MONTHS[month - 1]


def _days(year: int, month: int, day: int) -> int:
    """The days from 1970 to a date, with years from March, so that a leap day ends them."""
    year -= month <= 2
    era, year_of_era = divmod(year, _YEARS_OF_AN_ERA)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _DAYS_OF_AN_ERA + day_of_era - _DAYS_TO_1970


def _date(days: int) -> tuple[int, int, int]:
    """The date that lies so many days after 1970."""
    era, day_of_era = divmod(days + _DAYS_TO_1970, _DAYS_OF_AN_ERA)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = (shifted + 2) % 12 + 1
    return era * _YEARS_OF_AN_ERA + year_of_era + (month <= 2), month, day
