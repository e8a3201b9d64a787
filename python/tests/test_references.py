"""What an expression reads, and which of its names are strict."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from strands_plan_tool.expressions import (
    Expression,
    Problem,
    Read,
    Scope,
    parse_expression,
    read_expression,
)
from strands_plan_tool.tree import Name, Node

SCOPE = Scope(ids=("a", "b", "late"), has_item=True, inputs=("today", "user-id"))


def read(text: str, scope: Scope = SCOPE) -> Expression:
    expression, problems = parse_expression(text, scope)
    assert expression is not None, problems
    return expression


def problem(text: str, scope: Scope = SCOPE) -> Problem:
    expression, problems = parse_expression(text, scope)
    assert expression is None
    assert len(problems) == 1
    return problems[0]


def nodes(node: object) -> Iterator[Node]:
    if isinstance(node, tuple):
        for each in node:
            yield from nodes(each)
    elif dataclasses.is_dataclass(node):
        if isinstance(node, Node):
            yield node
        for field in dataclasses.fields(node):
            yield from nodes(getattr(node, field.name))


def strict(text: str) -> set[tuple[str, str]]:
    names = [node for node in nodes(read(text).tree) if isinstance(node, Name)]
    return {(name.strict, name.value) for name in names if name.strict is not None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("steps.a", set()),
        ("steps.a.x.y", {("steps.a", "x"), ("steps.a.x", "y")}),
        ("steps.`a`.`x y`.z", {("steps.a", "x y"), ("steps.a.`x y`", "z")}),
        ("$steps.a.x", {("steps.a", "x")}),
        ("$.steps.a.x", {("steps.a", "x")}),
        ("$$.steps.a.x", {("steps.a", "x")}),
        ("(steps).a.x", {("steps.a", "x")}),
        ("(steps.a).x", {("steps.a", "x")}),
        ("((steps.a.x)).y", {("steps.a", "x"), ("steps.a.x", "y")}),
        ('$lookup(steps, "a").x', {("steps.a", "x")}),
        ('$lookup(($steps), ("a")).x', {("steps.a", "x")}),
        ("input.today.x", {("input.today", "x")}),
        ("item.x", {("item", "x")}),
        ("$item.x & $.item.y & $$.item.z", {("item", "x"), ("item", "y"), ("item", "z")}),
        ("steps.a[0].x", set()),
        ("steps.a.x[y = 1].z", {("steps.a", "x")}),
        ("steps.a.x[].y", {("steps.a", "x")}),
        ("steps.a.x.*.y", {("steps.a", "x")}),
        ("steps.a.x^(y).z", {("steps.a", "x")}),
        ("steps.a.x.(y.z)", {("steps.a", "x")}),
        ("steps.a.x{y: z}", {("steps.a", "x")}),
        ("(steps.a.x)[0].y", {("steps.a", "x")}),
        ("(1; steps.a.x).y", {("steps.a", "x")}),
        ("($v := steps.a.x; $v.y)", {("steps.a", "x")}),
        ("$sum(steps.a.x)", {("steps.a", "x")}),
        ("steps.a.x ~> $sum", {("steps.a", "x")}),
        ("steps.a.x[y = $steps.b.z]", {("steps.a", "x"), ("steps.b", "z")}),
        ("$map(steps.a.x, function($item){$item.y})", {("steps.a", "x")}),
        ("($item := steps.a.x; $item.y)", {("steps.a", "x")}),
        ("(($item := 1; $item.y); $item.z)", {("item", "z")}),
        ("steps.a.x ?? steps.b.y", {("steps.b", "y")}),
        ("steps.a.x ?: steps.b.y", {("steps.b", "y")}),
        ("(steps.a.x & steps.a.y) ?? steps.b.z", {("steps.b", "z")}),
        ("$exists(steps.a.x)", set()),
        ("$exists($sum(steps.a.x[y = $steps.b.z]))", set()),
        ("steps.a.x ~> $exists()", set()),
        ("$not($exists(steps.a.x)) and steps.b.y", {("steps.b", "y")}),
        ("steps.a.x ? steps.a.y : steps.b.z", {("steps.a", "y"), ("steps.b", "z")}),
        ("(steps.a.x) ? 1 : 2", set()),
        ("steps.a.x = 1 ? 1 : 2", {("steps.a", "x")}),
        ("$exists(steps.a.x ? steps.a.y : 1)", set()),
    ],
)
def test_names_up_to_the_first_operator_are_strict(
    text: str, expected: set[tuple[str, str]]
) -> None:
    assert strict(text) == expected


def test_reads_stand_in_the_order_of_the_text_with_their_strict_names() -> None:
    found = read(
        "{'k': steps.b.x[y = $steps.a.z.w]} & (steps.late.v ?? item.n.m) & input.today"
    )
    assert found.reads == (
        Read("steps", "b", ("x",), 12),
        Read("steps", "a", ("z", "w"), 27),
        Read("steps", "late", (), 44),
        Read("item", "", ("n", "m"), 54),
        Read("input", "today", (), 72),
    )
    assert found.dependencies == ("b", "a", "late")
    assert found.inputs == ("today",)
    assert found.uses_item


def test_the_index_is_the_item_s_and_no_read() -> None:
    found = read("steps.a.x[$index] & index")
    assert found.uses_item
    assert [each.root for each in found.reads] == ["steps"]
    assert not read("$map([1], function($index){$index})").uses_item


def test_an_unknown_step_is_read_like_any_other() -> None:
    assert read("steps.nobody.x").dependencies == ("nobody",)


def test_what_a_refused_expression_reads_is_told_as_far_as_it_is_understood() -> None:
    found = read_expression("$foo(steps.nobody.x) + steps.a.y", SCOPE)
    assert found.expression is None
    assert found.reads == (Read("steps", "nobody", ("x",), 11), Read("steps", "a", ("y",), 29))
    assert read_expression("steps.a.x ==", SCOPE).reads == ()


@pytest.mark.parametrize(
    ("text", "code", "position", "hint"),
    [
        (
            "steps[1].x",
            "unresolvable_reference",
            0,
            "name the step that is meant, as in steps.b",
        ),
        (
            "$keys(steps)",
            "unresolvable_reference",
            6,
            "name the step that is meant, as in steps.a, or each of several, as in"
            " [steps.a, steps.b]",
        ),
        ("$number()", "unresolvable_reference", 0, "write $number(value)"),
        (
            "steps.a.x[y = steps.b.z]",
            "relative_steps",
            14,
            "write $steps; the row's own field is $.steps;"
            " corrected: steps.a.x[y = $steps.b.z]",
        ),
        (
            "steps.a.x.(input.today)",
            "relative_steps",
            11,
            "write $input; the row's own field is $.input; corrected: steps.a.x.($input.today)",
        ),
        ("input.tody", "unknown_root", 6, "write input.today; corrected: input.today"),
        ("$input.zone", "unknown_root", 7, "the host passed input.today, input.`user-id`"),
        ("lat.x", "unknown_root", 0, "write steps.late; corrected: steps.late.x"),
        ("$$.lat.x", "unknown_root", 3, "write steps.late; corrected: steps.late.x"),
        (
            "jobs.x",
            "unknown_root",
            0,
            "an expression reads steps.<id>, input.<name>, item and index; text stands between"
            " quotes",
        ),
        ("b.x", "foreign_syntax", 0, "write steps.b; corrected: steps.b.x"),
        ("$.b", "foreign_syntax", 2, "write steps.b; corrected: steps.b"),
        (
            "steps.a.x-y-z",
            "foreign_syntax",
            10,
            "put a field's name that has a hyphen in backticks; corrected: steps.a.`x-y-z`",
        ),
    ],
)
def test_a_name_that_means_nothing_is_told_what_is_meant(
    text: str, code: str, position: int, hint: str
) -> None:
    _, problems = parse_expression(text, SCOPE)
    first = problems[0]
    assert (first.code, first.position, first.hint) == (code, position, hint)


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("bind", "give the step a `for_each` that makes the list, or read a step: steps.<id>"),
        (
            "when",
            "`when` is decided once for the step and not for each item: filter the list in"
            " `for_each`, as in steps.a.rows[size > 3]",
        ),
        (
            "for_each",
            "filter or shape the list itself, as in steps.a.rows[size > 3]; `item` is there in"
            " `bind`, for each entry of it",
        ),
        (
            "output",
            "read the results: steps.<id> is the list that a step with `for_each` gave",
        ),
    ],
)
def test_the_item_is_only_in_bind_under_for_each(field: str, hint: str) -> None:
    scope = Scope(ids=("a",), field=field)  # type: ignore[arg-type]
    assert problem("item.x", scope) == Problem(
        "unknown_root", "there is no `item` here", hint, 0
    )
    assert problem("$item.x", scope) == Problem(
        "unknown_variable", "there is no variable $item", hint, 0
    )


def test_a_step_that_is_called_like_a_root_is_read_through_steps() -> None:
    scope = Scope(ids=("item", "input"))
    assert read("steps.item.x & steps.input.y", scope).dependencies == ("item", "input")
    assert problem("item.x", scope).hint == "write steps.item; corrected: steps.item.x"


def test_any_input_is_accepted_where_the_host_s_are_not_known() -> None:
    assert read("input.x.y", Scope(ids=())).inputs == ("x",)
    assert read("$lookup(input, 'x')", Scope(ids=())).inputs == ("x",)
    assert problem("input.x", Scope(ids=(), inputs=())).hint == (
        "the host passed no input: read a step, or write the value itself"
    )
