"""The table of listed functions, and how arguments are fitted to what they take."""

from __future__ import annotations

from typing import Any

import pytest

from strands_plan_tool.expressions.listed import LISTED
from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.functions.signatures import Signature
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import EvaluationError


def called(name: str, *arguments: object, context: object = NOTHING) -> Any:
    return FUNCTIONS[name].call([10_000_000, 10_000_000], list(arguments), context)


def failure(name: str, *arguments: object, context: object = NOTHING) -> tuple[str, str]:
    with pytest.raises(EvaluationError) as caught:
        called(name, *arguments, context=context)
    assert caught.value.code == "evaluation_failed"
    return caught.value.message, caught.value.hint


def test_each_function_that_runs_is_listed_with_all_its_parameters() -> None:
    named = {name: len(LISTED[name]) for name in FUNCTIONS}
    taken = {name: function.most or len(LISTED[name]) for name, function in FUNCTIONS.items()}
    assert named == taken


@pytest.mark.parametrize(
    ("name", "least", "most", "context_at"),
    [
        ("string", 0, 2, [0]),
        ("substring", 1, 3, [1]),
        ("replace", 2, 4, [2]),
        ("sum", 1, 1, []),
        ("zip", 1, None, []),
        ("error", 0, 1, []),
        ("each", 1, 2, [1]),
        ("lookup", 1, 2, [1]),
    ],
)
def test_a_function_takes_so_many_arguments(
    name: str, least: int, most: int | None, context_at: list[int]
) -> None:
    function = FUNCTIONS[name]
    assert (function.least, function.most) == (least, most)
    assert [count for count in range(least, 4) if function.takes_context(count)] == context_at


@pytest.mark.parametrize(
    ("name", "count", "place"),
    [("map", 2, 1), ("sort", 1, None), ("sort", 2, 1), ("each", 1, 0), ("each", 2, 1),
     ("reduce", 3, 1), ("sum", 1, None)],
)  # fmt: skip
def test_a_function_argument_has_its_place(name: str, count: int, place: int | None) -> None:
    assert FUNCTIONS[name].function_place(count) == place


def test_a_name_may_be_handed_on_only_where_no_more_is_handed_to_it_than_it_takes() -> None:
    assert "map" in FUNCTIONS["uppercase"].by_name_in
    assert "map" not in FUNCTIONS["round"].by_name_in
    assert FUNCTIONS["append"].by_name_in == {"reduce"}
    assert FUNCTIONS["map"].by_name_in == frozenset()
    assert FUNCTIONS["substring"].by_name_in == frozenset()


def test_a_single_value_stands_for_a_list_of_one() -> None:
    assert called("sum", 7) == 7
    assert called("join", "x") == "x"
    assert called("reverse", "x") == ["x"]


def test_a_first_argument_that_is_left_out_is_the_context() -> None:
    assert called("substring", 1, context="abc") == "bc"
    assert called("string", context=1.5) == "1.5"
    assert called("lookup", "k", context={"k": 1}) == 1


def test_an_argument_that_is_nothing_is_no_argument_left_out() -> None:
    assert called("uppercase", NOTHING, context="abc") is NOTHING


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("uppercase", (1,), "argument 1 of $uppercase must be text, and it is a number"),
        ("uppercase", (None,), "argument 1 of $uppercase must be text, and it is null"),
        ("uppercase", (["x"],), "argument 1 of $uppercase must be text, and it is a list"),
        ("floor", ("1",), "argument 1 of $floor must be a number, and it is text"),
        ("floor", ([1],), "argument 1 of $floor must be a number, and it is a list"),
        ("floor", ({},), "argument 1 of $floor must be a number, and it is an object"),
        (
            "number",
            (None,),
            "argument 1 of $number must be a number or text or true or false, and it is null",
        ),
        ("substring", ("x",), "argument 2 of $substring is missing"),
        ("sift", ("x", 1), "argument 1 of $sift must be an object, and it is text"),
        ("uppercase", ("x", "y"), "$uppercase is given 2 arguments and takes 1"),
        ("sum", ("x",), "argument 1 of $sum must be a list of numbers, and it is text"),
        (
            "sum",
            ([1, None],),
            "argument 1 of $sum must be a list of numbers, and it is a list with null in it",
        ),
        (
            "join",
            (["x", 1],),
            "argument 1 of $join must be a list of texts, and it is a list with a number in it",
        ),
        (
            "merge",
            ([{}, "x"],),
            "argument 1 of $merge must be a list of objects, and it is a list with text in it",
        ),
    ],
)
def test_a_wrong_argument_is_named(name: str, arguments: tuple[Any, ...], message: str) -> None:
    said, hint = failure(name, *arguments)
    assert said == message
    assert hint


def test_a_context_of_the_wrong_kind_is_named() -> None:
    message, hint = failure("uppercase", context=5)
    assert message == (
        "$uppercase is given no value, and the context, which it then takes, is a number"
    )
    assert hint == "write the value that it is to take, as in $uppercase($x)"


def test_arguments_are_fitted_alike_the_second_time() -> None:
    signature = Signature("pad", "<s-ns?:s>")
    for _ in range(2):
        assert signature.fit(["x", 3], "ctx") == ["x", 3, NOTHING]
        assert signature.fit([3], "ctx") == ["ctx", 3, NOTHING]
        assert signature.fit(["x", 3, "-"], "ctx") == ["x", 3, "-"]


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("substring", ("hello", NOTHING), "hello"),
        ("substring", ("hello", NOTHING, 2), ""),
        ("substring", ("hello", -2), "lo"),
        ("substring", ("hello", 1e300), ""),
        ("substringBefore", ("an undefined name", NOTHING), "an "),
        ("substringAfter", ("abc", NOTHING), "abc"),
        ("pad", ("x", NOTHING), "x"),
        ("replace", ("abc", "b", NOTHING), "aundefinedc"),
        ("split", ("a,b", ",", 2**32), []),
        ("split", ("a\U0001f600", "\ude00"), ["a\ud83d", ""]),
        ("substringBefore", ("a\U0001f600b", "\ude00"), "a\ud83d"),
        ("contains", ("\U0001f600", "\ud83d"), True),
        ("lookup", ({"undefined": 1}, NOTHING), 1),
        ("formatBase", (2.0**60, 7), "2031000661631341064200"),
        ("formatBase", (1e21, 10), "1e+21"),
        ("number", (" 0b11",), 3),
        ("power", (2, 3), 8),
        ("spread", ([{}],), []),
        ("distinct", ([],), []),
        ("zip", ([1], [2], [3, 4]), [[1, 2, 3]]),
        ("type", ([],), "array"),
    ],
)
def test_odd_arguments_give_what_the_reference_gives(
    name: str, arguments: tuple[Any, ...], result: object
) -> None:
    assert called(name, *arguments) == result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("substringAfter", ("an undefined name", NOTHING)),
        ("split", ("a", NOTHING)),
        ("replace", ("a", NOTHING, "x")),
        ("power", (2, NOTHING)),
        ("sift", ({"x": 1},)),
        ("error", ()),
        ("error", ("stop here",)),
        ("assert", (False,)),
    ],
)
def test_what_the_reference_cannot_do_fails(name: str, arguments: tuple[Any, ...]) -> None:
    assert failure(name, *arguments)[0]


def test_an_error_has_its_own_words() -> None:
    assert failure("error", "stop here") == ("stop here", "")
    assert failure("assert", False, "no rows") == ("no rows", "")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pad", ("x", 10**9)),
        ("pad", ("x", -(10**9), "ab")),
        ("split", ("," * 100_000, ",")),
        ("split", ("x" * 100_001, "")),
        ("replace", ("a" * 1_000_000, "a", "bb")),
        ("join", (["x" * 600_000, "y" * 600_000],)),
        ("uppercase", ("\u0149" * 400_000,)),
        ("append", ([1] * 60_000, [1] * 60_000)),
        ("zip", ([1] * 100_001,)),
        ("reverse", ([1] * 100_001,)),
        ("spread", ([{"x": 1}] * 100_001,)),
        ("string", (["x" * 1000] * 1100,)),
    ],
)
def test_what_would_be_too_large_is_not_made(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(EvaluationError) as caught:
        called(name, *arguments)
    assert caught.value.code == "expression_limit"
