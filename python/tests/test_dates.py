"""Dates: where a form is taken, its value is what jsonata 2.2.2 gives in Node."""

from __future__ import annotations

import datetime

import pytest

from strands_plan_tool.functions.dates import from_millis, to_millis
from strands_plan_tool.models import Code
from strands_plan_tool.values.budget import EvaluationError

MILLIS = [
    ("1970-01-01", 0),
    ("2024-02-29", 1709164800000),
    ("2000-02-29", 951782400000),
    ("1969-12-31", -86400000),
    ("0000-01-01", -62167219200000),
    ("0000-02-29", -62162121600000),
    ("9999-12-31", 253402214400000),
    ("1970-01-01T00:00:00Z", 0),
    ("2024-02-29T12:34:56Z", 1709210096000),
    ("2024-02-29T12:34:56.7Z", 1709210096700),
    ("2024-02-29T12:34:56.7899999999Z", 1709210096789),
    ("1969-12-31T23:59:59.9999Z", -1),
    ("2024-02-29T12:34:56+01:00", 1709206496000),
    ("2024-02-29T12:34:56-05:30", 1709229896000),
    ("2024-01-01T00:00:00-00:00", 1704067200000),
    ("0000-01-01T00:00:00+23:59", -62167305540000),
    ("9999-12-31T23:59:59.999-23:59", 253402387139999),
]


@pytest.mark.parametrize(("text", "millis"), MILLIS)
def test_a_date_is_so_many_milliseconds_from_1970(text: str, millis: int) -> None:
    assert to_millis(text) == millis


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29",
        "1900-02-29",
        "2024-02-30",
        "2024-04-31",
        "2024-00-10",
        "2024-13-01",
        "2024-01-00",
        "2024-01-32",
        "2024-01-01T24:00:00Z",
        "2024-01-01T12:60:00Z",
        "2024-01-01T12:00:60Z",
        "2024-01-01T12:00:00+24:00",
        "2024-01-01T12:00:00+01:60",
    ],
)
def test_a_day_or_a_time_that_does_not_exist_is_an_error(text: str) -> None:
    with pytest.raises(EvaluationError) as error:
        to_millis(text)

    assert error.value.code == Code.EVALUATION_FAILED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024",
        "2024-02",
        "20240229",
        "2024-2-29",
        "2024-W09-4",
        "2024-02-29T12:34:56",
        "2024-02-29T12:34Z",
        "2024-02-29 12:34:56Z",
        "2024-02-29t12:34:56z",
        "2024-02-29T12:34:56.Z",
        "2024-02-29T12:34:56,5Z",
        "2024-02-29T12:34:56+0100",
        "2024-02-29T12:34:56+01",
        "2024-02-29Z",
        "+002024-02-29",
        "2024-02-29\n",
        " 2024-02-29",
        "٢٠٢٤-02-29",
    ],
)
def test_a_date_in_another_form_is_an_error(text: str) -> None:
    with pytest.raises(EvaluationError) as error:
        to_millis(text)

    assert error.value.code == Code.EVALUATION_FAILED


def test_an_error_about_a_date_shows_it_and_the_forms_that_there_are() -> None:
    with pytest.raises(EvaluationError) as error:
        to_millis("2024-02-30" + "x" * 40)

    assert str(error.value) == (
        '$toMillis is given "2024-02-30xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...", '
        "which is no date that it takes; "
        "write 2024-02-29, or 2024-02-29T12:34:56Z with Z or an offset such as +01:00"
    )


SHOWN = [
    (0, "1970-01-01T00:00:00.000Z"),
    (1709210096789, "2024-02-29T12:34:56.789Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (1.7, "1970-01-01T00:00:00.001Z"),
    (-0.5, "1970-01-01T00:00:00.000Z"),
    (-1.5, "1969-12-31T23:59:59.999Z"),
    (-62167219200000, "0000-01-01T00:00:00.000Z"),
    (-62167219200000.5, "0000-01-01T00:00:00.000Z"),
    (253402300799999, "9999-12-31T23:59:59.999Z"),
    (253402300799999.9, "9999-12-31T23:59:59.999Z"),
]


@pytest.mark.parametrize(("millis", "text"), SHOWN)
def test_milliseconds_from_1970_are_a_date(millis: float, text: str) -> None:
    assert from_millis(millis) == text


@pytest.mark.parametrize("millis", [-62167219200001, 253402300800000, 8.64e15, 1e300, -1e300])
def test_milliseconds_outside_the_years_of_four_digits_are_an_error(millis: float) -> None:
    with pytest.raises(EvaluationError) as error:
        from_millis(millis)

    assert error.value.code == Code.EVALUATION_FAILED


def test_every_day_of_the_calendar_comes_back_as_it_went() -> None:
    day = datetime.date(1, 1, 1)
    for _ in range(0, 3_652_059, 97):
        assert to_millis(day.isoformat()) == (day - datetime.date(1970, 1, 1)).days * 86_400_000
        assert from_millis(to_millis(day.isoformat()))[:10] == day.isoformat()
        try:
            day += datetime.timedelta(97)
        except OverflowError:
            break
