"""Reading a plan: hostile text ends at once, repairs are noted, and what is read is a copy."""

from __future__ import annotations

import json
from enum import Enum
from types import MappingProxyType
from typing import Any

import pytest

from strands_plan_tool.models import Code, PlanStep, WorkflowPlan
from strands_plan_tool.wire import check_json, read_plan
from strands_plan_tool.wire.json_text import JsonTextError, loads

STEP = {"id": "a", "tool": "t"}


class Colour(Enum):
    RED = 1


def told(given: object) -> list[tuple[str, str]]:
    return [(d.code.value, d.path) for d in read_plan(given).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
        '[{"steps":' * 50_000 + "1" + "}]" * 50_000,
        '"' + '\\"' * 10 + '"' + "[" * 100_000,
    ],
    ids=["open", "closed", "objects", "mixed", "after-a-string"],
)
def test_a_hundred_thousand_brackets_are_too_deep_and_nothing_else(text: str) -> None:
    assert told(text) == [("too_deep", "")]


def test_a_hundred_thousand_brackets_as_a_field_are_too_deep_there() -> None:
    plan = {"steps": [{**STEP, "args": "[" * 100_000}], "returns": ["a"]}
    assert told(plan) == [("too_deep", "/steps/0/args")]


def test_an_object_that_holds_itself_is_too_deep() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    assert told({"steps": loop}) == [("too_deep", "")]


def test_an_unclosed_string_of_quotes_is_walked_once() -> None:
    assert told('{"a": "' + '\\"' * 200_000 + "[" * 70) == [("json_syntax", "")]


def test_an_integer_of_thousands_of_digits_is_unsafe_and_not_converted() -> None:
    text = '{"steps":[{"id":"a","tool":"t","args":{"x":' + "7" * 5_000 + "}}]}"
    assert told(text) == [("unsafe_number", "/steps/0/args/x")]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 2**53, 10**400])
def test_a_number_that_is_not_exact_everywhere_is_refused_in_an_object_too(number: Any) -> None:
    plan = {"steps": [{**STEP, "args": {"x": number}}]}
    assert told(plan) == [("unsafe_number", "/steps/0/args/x")]


@pytest.mark.parametrize(
    "value", [{1, 2}, object(), b"x", 1j, Colour.RED], ids=lambda v: type(v).__name__
)
def test_what_is_no_json_is_refused(value: object) -> None:
    assert told({"steps": [{**STEP, "args": {"x": value}}]}) == [
        ("not_json", "/steps/0/args/x")
    ]


def test_keys_that_are_no_strings_are_told_at_their_object() -> None:
    assert told({"steps": [{**STEP, "args": {1: "x", None: "y"}}]}) == [
        ("not_json", "/steps/0/args")
    ]


@pytest.mark.parametrize("given", [None, 7, True, b"{}", [], object()])
def test_nothing_that_is_given_raises(given: object) -> None:
    read_plan(given)


def test_what_is_read_is_a_plain_copy_of_what_was_given() -> None:
    class Name(str):
        __slots__ = ()

    args = {"x": [1.0, -0.0, (Name("n"), MappingProxyType({"k": True}))]}
    given = MappingProxyType({"steps": ({"id": "a", "tool": "t", "args": args},)})
    wire = read_plan(given)
    assert wire.value == {
        "steps": [{"id": "a", "tool": "t", "args": {"x": [1, 0, ["n", {"k": True}]]}}]
    }
    assert json.dumps(wire.value) == (
        '{"steps": [{"id": "a", "tool": "t", "args": {"x": [1, 0, ["n", {"k": true}]]}}]}'
    )
    copied: Any = wire.value
    copied["steps"][0]["args"]["x"].append("mine")
    assert len(args["x"]) == 3
    assert type(copied["steps"][0]["args"]["x"][2][0]) is str


def test_a_plan_made_in_code_is_read_as_it_was_written() -> None:
    step = PlanStep(id="a", tool="t", args={"n": 1.0}, join="any")
    plan = WorkflowPlan(steps=[step], returns=["a"], on_error="continue")
    wire = read_plan(plan)
    assert (wire.notes, wire.findings) == ((), ())
    assert wire.value == {
        "steps": [{"id": "a", "tool": "t", "args": {"n": 1}, "join": "any"}],
        "returns": ["a"],
        "on_error": "continue",
    }


def test_steps_made_in_code_may_stand_in_a_mapping() -> None:
    wire = read_plan({"steps": [PlanStep(id="a", tool="t")], "returns": ("a",)})
    assert wire.value == {"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]}


def test_each_repair_has_a_note_outermost_first() -> None:
    inner = {
        "steps": {
            "id": "a",
            "tool": "t",
            "args": None,
            "bind": '{"n": 5, "y": true}',
            "depends_on": "b",
        },
        "returns": '["a"]',
        "final": None,
    }
    text = f"```json\n{json.dumps({'plan': json.dumps(inner)})}\n```"
    wire = read_plan(text)
    assert wire.value == {
        "steps": [
            {"id": "a", "tool": "t", "bind": {"n": "5", "y": "true"}, "after": ["b"]},
        ],
        "returns": ["a"],
    }
    assert wire.notes == (
        "the plan: a code fence was removed",
        'the plan: the wrapper "plan" was removed',
        "the plan: a JSON string was decoded",
        "/steps: one step was made a list",
        "/steps/0/args: null was left out",
        "/steps/0/bind: a JSON string was decoded",
        '/steps/0/bind/n: 5 was made the expression "5"',
        '/steps/0/bind/y: true was made the expression "true"',
        '/steps/0/after: "depends_on" was read as "after"',
        "/steps/0/after: one id was made a list",
        "/returns: a JSON string was decoded",
        "/final: null was left out",
    )


def test_a_repair_changes_nothing_that_the_caller_holds() -> None:
    given: dict[str, Any] = {
        "steps": [{**STEP, "args": None, "bind": {"x": 1}, "depends_on": "b"}],
        "returns": "a",
    }
    before = json.dumps(given)
    read_plan(given)
    assert json.dumps(given) == before


def test_broken_text_in_a_field_is_told_beside_other_breaches() -> None:
    plan = {"steps": [{**STEP, "args": "{oops}", "bind": {"x": 2**60}}]}
    assert told(plan) == [
        ("json_syntax", "/steps/0/args"),
        ("unsafe_number", "/steps/0/bind/x"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('{"a":1,}', 'position 7, at "}": a comma before }', "remove the comma"),
        ("[1,]", 'position 3, at "]": a value must be before ]', "remove the comma or"),
        ("{a:1}", 'position 1, at "a:1}": a key without quotes', 'change a to "a"'),
        ("{'a':1}", "position 1, at \"'a':1}\": single quotes", "use double quotes"),
        ("[1 2]", 'position 3, at "2]": a comma is missing', "put a comma before it"),
        ('{"a" 1}', 'position 5, at "1}": a colon is missing', "put a colon before it"),
        ("[True]", 'position 1, at "True]": True is not JSON', "change True to true"),
        ("[NaN]", 'position 1, at "NaN]": NaN is not JSON', "change NaN to null"),
        ("[yes]", 'position 1, at "yes]": text without quotes', 'change yes to "yes"'),
        ("[01]", 'position 1, at "01]": not a number', "write it like 0, -12 or 3.5"),
        ("[1e]", 'position 1, at "1e]": not a number', "write it like 0, -12 or 3.5"),
        ('["a\nb"]', 'position 3, at "\\nb\\"]": a raw control character', "write \\n for"),
        ('["\\x"]', 'position 2, at "\\\\x\\"]": a wrong escape', "write two backslashes"),
        ('{"a":[1', "position 7: it ends too early", "add ]} at its end"),
        ('["a', "position 3: a string is not closed", 'close it with "'),
        ("[1}", 'position 2, at "}": } stands where ] closes', "change } to ]"),
        ("{} {}", 'position 3, at "{}": more text follows', "remove what follows it"),
        ("[1]//x", 'position 3, at "//x": more text follows', "remove what follows it"),
        ("[/*x*/]", 'position 1, at "/*x*/]": a comment', "remove the comment"),
        ("\ufeff[]", 'position 0, at "\ufeff[]": a byte order mark', "remove it"),
        ("{,}", 'position 1, at ",}": a key must be here', "write a key in double quotes"),
        ("[:]", 'position 1, at ":]": a value must be here', "write a value"),
        ("", "position 0: it ends too early", "write the rest of it"),
    ],
)
def test_broken_json_is_told_with_its_place_and_its_edit(
    text: str, message: str, hint: str
) -> None:
    with pytest.raises(JsonTextError) as caught:
        loads(text)
    assert caught.value.code is Code.JSON_SYNTAX
    assert caught.value.message.startswith(f"not JSON at {message}")
    assert caught.value.hint.startswith(hint)


def test_a_value_may_stand_in_containers_that_count_as_nesting() -> None:
    value: Any = 1
    for _ in range(10):
        value = [value]
    assert check_json(value, depth=54) == (value, ())
    assert [f.code for f in check_json(value, depth=55)[1]] == [Code.TOO_DEEP]
