"""What comes in and goes out as plain JSON, and numbers as ECMAScript writes them."""

from __future__ import annotations

import json
from collections import OrderedDict
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strands_plan_tool.models import Code
from strands_plan_tool.values import (
    NOTHING,
    ValueFault,
    copy_out,
    ingest,
    json_size,
    to_json_text,
)
from strands_plan_tool.values.doubles import WideInteger, half_even, number_to_text
from strands_plan_tool.values.power import power


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text()
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_nothing_is_not_null_and_is_false() -> None:
    assert NOTHING is not None
    assert not NOTHING
    assert repr(NOTHING) == "NOTHING"


def test_whole_floats_become_integers_and_minus_zero_becomes_zero() -> None:
    taken = ingest([1.0, -0.0, 2.5, 1e300])
    assert [(type(n), n) for n in taken] == [(int, 1), (int, 0), (float, 2.5), (float, 1e300)]


def test_integer_like_keys_come_first_in_ascending_order() -> None:
    taken = ingest({"b": 1, "10": 2, "9": 3, "01": 4, "a": 5})
    assert list(taken) == ["9", "10", "b", "01", "a"]


def test_what_is_taken_in_is_a_copy() -> None:
    given_value = {"rows": [{"x": 1}]}
    taken = ingest(given_value)
    given_value["rows"][0]["x"] = 2
    assert taken == {"rows": [{"x": 1}]}


def test_a_shared_part_is_taken_in_twice() -> None:
    part = {"x": 1}
    taken = ingest([part, part])
    assert taken[0] is not taken[1]


def test_an_integer_beyond_the_safe_ones_keeps_its_digits_only_if_exact() -> None:
    exact = ingest({"id": 9007199254740993}, integers="exact")
    assert (type(exact["id"]), exact["id"]) == (WideInteger, 9007199254740993)
    assert ingest([9007199254740993]) == [9007199254740992]


def test_subclasses_of_what_json_has_become_plain() -> None:
    given_value = OrderedDict({Colour.RED: [Level.HIGH, Colour.RED]})
    taken = ingest(given_value)
    assert taken == {"red": [3, "red"]}
    assert type(taken) is dict
    assert [type(key) for key in taken] == [str]
    assert [type(item) for item in taken["red"]] == [int, str]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "a number that is not finite"),
        ({"a": [1, float("inf")]}, "at /a/1: a number that is not finite"),
        ({"a": {"__proto__": 1}}, "at /a: the key __proto__"),
        ({1: "x"}, "a key is not text"),
        ([{"x/y": (1, 2)}], "at /0/x~1y: a value of type tuple"),
        ({"x": {1, 2}}, "at /x: a value of type set"),
        (["ok", "\ud800"], "at /1: text with a lone surrogate"),
        ({"x": "\udc00"}, "at /x: text with a lone surrogate"),
        ("\ud83d", "text with a lone surrogate"),
        ({"\ud800": 1}, "a key with a lone surrogate"),
        (10**400, "a number larger than a double can be"),
        (nested(65), "at " + "/0" * 64 + ": it nests over 64 levels"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(value: object, message: str) -> None:
    with pytest.raises(ValueFault) as caught:
        ingest(value)
    assert (caught.value.code, str(caught.value)) == (Code.NOT_JSON_RESULT, message)


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueFault, match="nests over 64 levels"):
        ingest(value)


def test_sixty_four_levels_are_taken_in() -> None:
    assert ingest(nested(64)) == nested(64)


@given(PLAIN)
def test_plain_json_is_taken_in_as_it_is(value: object) -> None:
    try:
        taken = ingest(value)
    except ValueFault:
        assert any(mark in json.dumps(value) for mark in ("__proto__", "\\ud", "\\uD"))
    else:
        assert taken == value
        assert copy_out(taken) == value


def test_a_copy_out_is_of_plain_types_and_shares_nothing() -> None:
    stored = ingest({"id": 2**60, "rows": [{"x": 1}]}, integers="exact")
    copied = copy_out(stored)
    copied["rows"][0]["x"] = 2
    assert type(copied["id"]) is int
    assert stored == {"id": 2**60, "rows": [{"x": 1}]}


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-1.5, "-1.5"),
        (100.0, "100"),
        (1e16, "10000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (1.5e21, "1.5e+21"),
        (-1.25e300, "-1.25e+300"),
        (0.0001, "0.0001"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (9007199254740993, "9007199254740992"),
        (2**70, "1.1805916207174113e+21"),
    ],
)
def test_a_number_is_written_as_ecmascript_writes_it(number: float, text: str) -> None:
    assert number_to_text(number) == text


def test_json_text_is_that_of_ecmascript_and_keeps_the_digits_of_integers() -> None:
    value = [1e16, 1.0, 1e-7, 2**60, "1e+16 is 1.0", {"k": "\u00e9\u2028\x7f\n"}, None, True]
    assert to_json_text(value) == (
        '[10000000000000000,1,1e-7,1152921504606846976,"1e+16 is 1.0",'
        '{"k":"\u00e9\u2028\x7f\\n"},null,true]'
    )


def test_a_json_size_is_of_bytes() -> None:
    assert json_size({"k": "\u00e9"}) == len('{"k":"\u00e9"}'.encode())
    assert json_size([1, 2]) == 5


@pytest.mark.parametrize(
    ("number", "places", "rounded"),
    [
        (2.5, 0, 2),
        (3.5, 0, 4),
        (-2.5, 0, -2),
        (-0.5, 0, 0),
        (0.49999999999999994, 0, 0),
        (1.005, 2, 1),
        (2.345, 2, 2.34),
        (1255, -1, 1260),
        (1e21, 0, 1e21),
        (1.5e-7, 7, 2e-7),
    ],
)
def test_a_tie_is_rounded_to_the_even_neighbour(
    number: float, places: int, rounded: float
) -> None:
    assert half_even(number, places) == rounded


@pytest.mark.parametrize(
    ("base", "exponent", "result"),
    [
        (2, 10, 1024),
        (10, -4, 9.999999999999999e-05),
        (0.51, 7, 0.00897410677851),
        (2, 0.5, 1.4142135623730951),
        (-2, 3, -8),
        (-2, 2, 4),
        (-1, 5, -1),
        (-1, 4, 1),
        (0, 2, 0),
        (0, -1, float("inf")),
        (5, 0, 1),
        (4, -1, 0.25),
        (7, 1, 7),
        (1.0000001, 1e10, float("inf")),
        (0.5, 2e9, 0),
        (1.5, 3e9, float("inf")),
        (5e-324, 0.25, 1.4908919308538353e-81),
        (10, 308, 1e308),
        (1.0000000001, 1e10, 2.7182820532347876),
        (1.0000001, 3e9, 1.9423975992963885e130),
        (0.9999999, 3e9, 5.148123812906097e-131),
        (2, -1080, 0),
        (10, 309, float("inf")),
    ],
)
def test_a_power_is_the_references_to_the_last_bit(
    base: float, exponent: float, result: float
) -> None:
    assert power(base, exponent) == result


def test_a_root_of_a_negative_number_is_no_number() -> None:
    assert power(-8, 1 / 3) != power(-8, 1 / 3)
