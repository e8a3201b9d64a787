"""One expression as a whole: what reading it gives, and the corpora where they are present."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from strands_plan_tool.expressions import (
    MAX_EXPRESSION_BYTES,
    MAX_EXPRESSIONS,
    Expression,
    Problem,
    Read,
    Reading,
    Scope,
    parse_expression,
    read_expression,
)
from strands_plan_tool.expressions.listed import LISTED
from strands_plan_tool.expressions.problems import Field
from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.models import Code

SCOPE = Scope(ids=("a", "b"), has_item=True)
FIELDS: tuple[Field, ...] = ("when", "for_each")
CASES = Path(__file__).parents[3] / "shared" / "cases"


def test_an_expression_tells_all_that_a_check_asks() -> None:
    expression, problems = parse_expression("$sum(steps.b.x[id = $item.id].n) + input.y", SCOPE)
    assert problems == ()
    assert expression == Expression(
        text="$sum(steps.b.x[id = $item.id].n) + input.y",
        tree=expression.tree if expression else None,
        inputs=("y",),
        reads=(
            Read("steps", "b", ("x",), 11),
            Read("item", "", ("id",), 20),
            Read("input", "y", (), 41),
        ),
        plain_path=False,
        uses_item=True,
    )
    assert expression is not None
    assert expression.dependencies == ("b",)


def test_a_refused_text_is_no_expression_and_tells_why() -> None:
    assert read_expression("steps.a.x +", SCOPE) == Reading(
        expression=None,
        problems=(
            Problem(
                code="syntax",
                message="the expression ends after `+`, where something is missing"
                " (position 10)",
                hint="write what belongs there, or remove what stands last",
                position=10,
            ),
        ),
        reads=(),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b'", "`b'` follows `a` with no operator between them (position 2)"),
        ("{'a', 1}", "`,` stands where `:` is due (position 4)"),
        ("$sum(1 2)", "`2` stands where `)` is due (position 7)"),
        ("1 + + 2", "`+` stands where a value is due (position 4)"),
        ("a ~ b", "`~` is no operator (position 2)"),
        ("a{b: 1}{c: 2}", "a `{` cannot come right after a group {...} (position 7)"),
        ("'\\q'", "`\\q` is no escape in a string (position 1)"),
        ("", "the expression is empty (position 0)"),
        ("\ud800", "half of a surrogate pair is no character (position 0)"),
    ],
)
def test_syntax_is_told_by_place_in_our_own_words(text: str, message: str) -> None:
    assert parse_expression(text, None)[1][0].message == message


@pytest.mark.parametrize("field", ["bind", "when", "for_each", "output"])
def test_an_empty_text_is_refused_in_every_field(field: Any) -> None:
    for text in ("", " \n", "/* nothing */"):
        found = parse_expression(text, Scope(ids=(), field=field))[1]
        assert [problem.code for problem in found] == ["syntax"]


def test_every_code_is_one_of_the_closed_list() -> None:
    codes = {code.value for code in Code}
    for text in (
        "a ==",
        "$x",
        "$f()",
        "$now()",
        "steps.*",
        "x.y",
        "a[steps.b = 1]",
        "1 +",
        "(" * 70,
    ):
        found = parse_expression(text, SCOPE)[1]
        assert found
        assert {problem.code for problem in found} <= codes


def test_nothing_of_a_library_is_shown() -> None:
    for text in (
        "a b",
        "{",
        "'",
        "a.1",
        "function(a){b}",
        "|a|",
        "1e999",
        "$",
        "%",
        "~",
        "a@b",
        "??",
    ):
        for problem in parse_expression(text, SCOPE)[1]:
            shown = (problem.message + problem.hint).lower()
            assert not any(
                word in shown for word in ("jsonata", "s02", "error", "exception", "none")
            )


def test_the_limits_of_a_whole_plan_are_there_for_its_check() -> None:
    assert (MAX_EXPRESSIONS, MAX_EXPRESSION_BYTES) == (1000, 65536)


def test_deep_text_is_read_alike_by_a_caller_with_little_room() -> None:
    text = "((((1" + "+1" * 200 + (")" + "+1" * 200) * 4

    def deep(levels: int) -> Any:
        return parse_expression(text, SCOPE) if levels == 0 else deep(levels - 1)

    room = sys.getrecursionlimit() - 200
    assert deep(room)[1] == deep(0)[1] == ()


def rows(name: str) -> list[dict[str, Any]]:
    text = (CASES / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


present = pytest.mark.skipif(
    not CASES.is_dir(), reason="the cases are not beside this checkout"
)


@present
def test_dependencies_are_those_of_the_parity_cases() -> None:
    accepted = 0
    for row in rows("parity.jsonl"):
        expression, _ = parse_expression(row["expr"], SCOPE)
        if expression is not None and "deps" in row:
            accepted += 1
            assert sorted(expression.dependencies) == row["deps"]["ids"], row["expr"]
            assert not row["deps"]["all"], row["expr"]
    assert accepted >= 600


@present
def test_parity_cases_that_do_not_parse_are_refused() -> None:
    for row in rows("parity.jsonl"):
        if str(row["js"].get("error", "")).startswith("S"):
            assert parse_expression(row["expr"], None)[0] is None, row["expr"]


@present
def test_the_planner_s_expressions_are_accepted() -> None:
    later = {f"${name}(" for name in set(LISTED) - set(FUNCTIONS)}
    for row in json.loads((CASES / "planner" / "plans.json").read_text(encoding="utf-8")):
        plan = row["plan"]
        ids = tuple(step["id"] for step in plan["steps"])
        texts: list[tuple[Field, str, bool]] = []
        if "output" in plan:
            texts.append(("output", plan["output"], False))
        for step in plan["steps"]:
            each = "for_each" in step
            texts += [("bind", text, each) for text in step.get("bind", {}).values()]
            texts += [(field, step[field], False) for field in FIELDS if field in step]
        for field, text, has_item in texts:
            _, problems = parse_expression(text, Scope(ids=ids, field=field, has_item=has_item))
            if not any(name in text for name in later):
                assert problems == (), text
