"""Values meant to exhaust or crash what takes them in, and callers that leave little room."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any
from unittest.mock import Mock

import pytest

from strands_plan_tool.evaluate import Context, compile_tree
from strands_plan_tool.executor import execute_plan
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.models import Code, Policy, StepStatus
from strands_plan_tool.values import ValueFault, copy_out, ingest, json_size, to_json_text


class Raising(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise KeyError("gone")


class RaisingMembers(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("half a pair: \ud800")


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise ValueError


class RaisingWithoutWords(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise SpeechlessError


class Endless(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(1)


class EndlessMembers(dict[str, Any]):
    def items(self) -> Any:
        return itertools.repeat(("a", 1))


class Recurring(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter(list(self))


class Whole(int):
    def __int__(self) -> int:
        raise ZeroDivisionError


class Unbound:
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("outside of a request")


class Colour(StrEnum):
    RED = "red"


def fault_of(value: object, max_bytes: int | None = 1000) -> tuple[Code, str]:
    with pytest.raises(ValueFault) as caught:
        ingest(value, integers="exact", max_bytes=max_bytes)
    return caught.value.code, caught.value.message


def doubled(value: Any, make: Callable[[Any], Any]) -> Any:
    """A value of two parts that are one and the same, and so on, 40 levels deep."""
    for _ in range(40):
        value = make(value)
    return value


def at_depth(calls: int, act: Callable[[], Any]) -> Any:
    """What is done by a caller that has so many calls open."""
    return act() if calls == 0 else at_depth(calls - 1, act)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([Raising([1])], "at /0: a value that cannot be read ('gone')"),
        (Raising([1]), "a value that cannot be read ('gone')"),
        (
            {"a": RaisingMembers(b=1)},
            "at /a: a value that cannot be read (half a pair: \ufffd)",
        ),
        ([RaisingWithoutWords()], "at /0: a value that cannot be read"),
        ([Recurring([1])], "a value that cannot be read (maximum recursion depth exceeded"),
        ([Whole(3)], "at /0: a value that cannot be read"),
        ([Unbound()], "at /0: a value that cannot be read (outside of a request)"),
        (Mock(spec=dict), "a value that cannot be read ("),
    ],
)
def test_a_value_that_raises_as_it_is_read_is_no_json(value: object, why: str) -> None:
    code, message = fault_of(value)
    assert (code, message[: len(why)]) == (Code.NOT_JSON_RESULT, why)


def test_a_step_whose_result_raises_fails_and_the_others_are_kept() -> None:
    async def call(name: str, args: dict[str, Any]) -> Any:
        return Raising([1]) if name == "bad" else 7

    plan = {
        "steps": [{"id": "bad", "tool": "bad"}, {"id": "good", "tool": "good"}],
        "returns": ["good"],
        "on_error": "continue",
    }
    result = asyncio.run(execute_plan(plan, call))
    assert result.returned == {"good": 7}
    assert result.ledger[0].status is StepStatus.FAILED
    assert result.ledger[0].error == (
        "the result of step \"bad\" is not JSON: a value that cannot be read ('gone')"
    )


@pytest.mark.parametrize(
    "value",
    [
        doubled([1], lambda part: [part, part]),
        doubled({"a": 1}, lambda part: {"a": part, "b": part}),
        list(range(3_000_000)),
        ["x" * 1000] * 1_000_000,
        [{"k" * 1000: 1}] * 100_000,
        Endless(),
        EndlessMembers(),
    ],
    ids=["lists", "objects", "numbers", "one text", "one key", "endless", "endless members"],
)
def test_a_copy_that_would_be_too_large_is_given_up(value: object) -> None:
    message = "it is more than 1048576 bytes of JSON"
    assert fault_of(value, 2**20) == (Code.RESULT_TOO_LARGE, message)


def test_what_has_no_limit_of_its_own_is_given_up_all_the_same() -> None:
    message = "it is more than 16777216 bytes of JSON"
    assert fault_of(["x" * 2**20] * 16, None) == (Code.NOT_JSON_RESULT, message)


def test_a_step_whose_result_is_too_large_says_so() -> None:
    async def call(name: str, args: dict[str, Any]) -> Any:
        return doubled([1], lambda part: [part, part])

    result = asyncio.run(
        execute_plan(
            {"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]},
            call,
            policy=Policy(max_result_bytes=1000),
        )
    )
    assert (result.ledger[0].code, result.ledger[0].error) == (
        Code.RESULT_TOO_LARGE,
        'the result of step "a" is more than 1000 bytes of JSON, which is max_result_bytes; '
        "ask the tool for less",
    )


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ([1, 2], 5),
        ([None, None], 11),
        (["\x1f"], 10),
        ({"\U0001f600": "\u00e9"}, 13),
        ([2**64], 22),
        ([[], {}], 7),
        ([0.1, -1.5e-7], 13),
        ({"a": ["b", True, {"c": "d"}]}, 26),
    ],
)
def test_a_value_is_counted_to_the_byte(value: Any, size: int) -> None:
    assert json_size(value) == size
    assert ingest(value, integers="exact", max_bytes=size) == value
    message = f"it is more than {size - 1} bytes of JSON"
    assert fault_of(value, size - 1) == (Code.RESULT_TOO_LARGE, message)


def test_a_value_is_too_large_before_what_is_no_json_behind_it_is_seen() -> None:
    value = [[1, 2, 3], float("nan")]
    assert fault_of(value, 8)[0] is Code.RESULT_TOO_LARGE
    assert fault_of(value, 20)[0] is Code.NOT_JSON_RESULT


def test_subclasses_that_can_be_read_are_taken_in() -> None:
    ordered = OrderedDict(b=1, a=2)
    ordered.move_to_end("b")
    value = [ordered, defaultdict(list, x=[1]), {Colour.RED: Colour.RED}]
    taken = ingest(value, max_bytes=1000)
    assert to_json_text(taken) == '[{"a":2,"b":1},{"x":[1]},{"red":"red"}]'


NESTED = doubled(1, lambda part: {"a": [part]} if part == 1 else [part])
DEEP = sys.getrecursionlimit() - 80


@pytest.mark.parametrize("of", [600, DEEP])
def test_a_caller_deep_in_the_stack_has_room(of: int) -> None:
    program = _program('$string(steps.a) & $string($map([1..2], function($i){[$i, {"k": 1}]}))')
    told = at_depth(
        of,
        lambda: (
            copy_out(ingest(NESTED)),
            to_json_text(NESTED),
            program.run(Context(steps={"a": NESTED})),
        ),
    )
    assert told[:2] == (NESTED, to_json_text(NESTED))
    assert told[2] == to_json_text(NESTED) + '[[1,{"k":1}],[2,{"k":1}]]'


def _program(text: str) -> Any:
    parsed, problems = parse_expression(text, Scope(ids=("a",)))
    assert parsed is not None, problems
    return compile_tree(parsed.tree)


def test_a_run_by_a_caller_deep_in_the_stack_ends_as_any() -> None:
    async def call(name: str, args: dict[str, Any]) -> Any:
        return args or NESTED

    plan = {
        "steps": [
            {"id": "a", "tool": "t"},
            {"id": "b", "tool": "t", "bind": {"x": "steps.a", "y": "$string([steps.a, 1])"}},
            {"id": "c", "tool": "t", "for_each": "[1, 2]", "bind": {"v": "item"}},
        ],
        "returns": ["a", "b", "c"],
        "output": "steps.b",
    }
    shallow = asyncio.run(execute_plan(plan, call))
    deep = at_depth(DEEP, lambda: asyncio.run(execute_plan(plan, call)))
    assert (deep.returned, deep.output) == (shallow.returned, shallow.output)
    assert {outcome.status for outcome in deep.ledger} == {StepStatus.OK}
