"""``$formatNumber``: every text here is what jsonata 2.2.2 gives in Node."""

from __future__ import annotations

import pytest

from strands_plan_tool.functions.number_pictures import (
    NumberPicture,
    format_number,
    picture_problem,
)
from strands_plan_tool.models import Code
from strands_plan_tool.values.budget import EvaluationError

SHOWN = [
    # Digits.
    (5, "0", "5"),
    (0, "0", "0"),
    (0, "#", "0"),
    (5, "#", "5"),
    (5, "000", "005"),
    (1234, "0", "1234"),
    (1234, "#0", "1234"),
    # Places, with a tie going to the even neighbour.
    (1.5, "0", "2"),
    (2.5, "0", "2"),
    (0.125, "0.00", "0.12"),
    (1.005, "0.00", "1.00"),
    (2.675, "0.00", "2.68"),
    (5, "0.00", "5.00"),
    (5.1, "0.##", "5.1"),
    (5.126, "0.0#", "5.13"),
    (5, "0.#", "5"),
    (5, "0.", "5"),
    (0.5, "#.##", ".5"),
    (5, "#.##", "5.0"),
    (0, "#.##", ".0"),
    (0.5, ".00", ".50"),
    (0, ".##", ".0"),
    (0.1, "0.00000000000000000000", "0.10000000000000000555"),
    # Commas.
    (1234567.891, "#,##0.00", "1,234,567.89"),
    (123, "#,##0", "123"),
    (1234, "#,###", "1,234"),
    (5, "0,000", "0,005"),
    (0.5, "#,###.#", ".5"),
    (1234567, ",##0", "1,234,567"),
    (12345678, "#,##,##0", "123,45,678"),
    (5, "#,##,##0", ",5,"),
    (123.25, "##,#,##0.00", "1,23.2,5"),
    # Signs, percent and what stands around.
    (-5, "0.00", "-5.00"),
    (-5, "$0.00", "-$5.00"),
    (-0.001, "0.00", "-0.00"),
    (0.256, "0.0%", "25.6%"),
    (0.07, "0%", "7%"),
    (0.256, "0‰", "256‰"),
    (0.5, "‰ 0", "‰ 500"),
    (1234.5, "€ #,##0.00 USD", "€ 1,234.50 USD"),
    (3, "(0)", "(3)"),
    (1, "😀0\n", "😀1\n"),
    # Numbers at the ends of what there is.
    (9007199254740991, "#,##0", "9,007,199,254,740,991"),
    (1e20, "0.0", "100000000000000000000.0"),
    (5e-324, "0.00", "0.00"),
    (1e21, "0", "1e+21"),
    (1.5e30, "0.0", "1.5e+3"),
]


@pytest.mark.parametrize(("value", "picture", "text"), SHOWN)
def test_a_number_is_shown_as_its_picture_says(value: float, picture: str, text: str) -> None:
    assert format_number(value, picture) == text


REFUSED = [
    ("", 0),
    ("abc", 0),
    (".", 0),
    ("$%", 0),
    ("0;(0)", 1),
    ("0e0", 1),
    ("0.00 net", 6),
    ("-0", 0),
    ("0 -", 2),
    ("0#", 1),
    ("0.#0", 3),
    ("0.0.0", 3),
    ("0%%", 2),
    ("%0", 1),
    ("x1", 1),
    ("0 m2", 3),
    ("#,,##0", 1),
    ("##0,", 3),
    ("#,.0", 1),
    ("0.0,0", 3),
    ("‰0%", 0),
    ("‰0‰", 2),
    ("0." + "0" * 101, 2),
    ("#" * 257, 256),
]


@pytest.mark.parametrize(("picture", "position"), REFUSED)
def test_a_picture_outside_the_grammar_is_refused_where_it_leaves_it(
    picture: str, position: int
) -> None:
    problem = picture_problem(picture)

    assert problem is not None
    assert problem.position == position
    with pytest.raises(EvaluationError) as error:
        format_number(1, picture)
    assert error.value.code == Code.EVALUATION_FAILED


def test_a_refusal_names_what_is_wrong_and_the_edit_that_mends_it() -> None:
    problem = picture_problem("#,##0.00;(#)")

    assert problem is not None
    assert (problem.message, problem.hint) == (
        "The picture has a second one for negative numbers after ;",
        'Write one, and choose it first: x < 0 ? $formatNumber(-x, "(0)") : '
        '$formatNumber(x, "0").',
    )
    with pytest.raises(EvaluationError) as error:
        format_number(1, "0.00 net")
    assert str(error.value) == (
        "the picture has an e, which would mean an exponent; join such text with &"
    )


def test_a_number_that_becomes_infinite_is_an_error() -> None:
    # The reference shows the letters of NaN and Infinity.
    for picture in ("0.00", "0%"):
        with pytest.raises(EvaluationError) as error:
            format_number(1.7e308, picture)
        assert error.value.code == Code.EVALUATION_FAILED


def test_a_picture_is_read_once_for_many_numbers() -> None:
    picture = NumberPicture("#,##0.0")

    assert [picture.text(value) for value in (1, 1234.56, -0.04)] == ["1.0", "1,234.6", "-0.0"]
