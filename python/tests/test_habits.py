"""Habits of other languages: each is told, and its text is corrected."""

from __future__ import annotations

import pytest

from strands_plan_tool.expressions import Scope, parse_expression, reads_a_step, repaired
from strands_plan_tool.expressions.templates import Template, names_a_step, templates

IDS = ("a", "b", "user")
SCOPE = Scope(ids=IDS)
ITEM = Scope(ids=IDS, has_item=True)

FOREIGN = [
    ("steps.a.x == 42", "steps.a.x = 42"),
    ("steps.a.x===42", "steps.a.x=42"),
    ("steps.a.x !== 42", "steps.a.x != 42"),
    ("steps.a.rows[n==2].m", "steps.a.rows[n=2].m"),
    ("!steps.a.ok", "$not(steps.a.ok)"),
    ("!(steps.a.ok or steps.b.ok)", "$not(steps.a.ok or steps.b.ok)"),
    ("!(steps.a).ok", "$not((steps.a).ok)"),
    ("!!steps.a.x", "$boolean(steps.a.x)"),
    ("!!!steps.a.x", "$not(steps.a.x)"),
    ("! $exists(steps.a.x[n = 1].m) = true", "$not($exists(steps.a.x[n = 1].m)) = true"),
    ("!steps.a.ok && !steps.b.ok", "$not(steps.a.ok) and $not(steps.b.ok)"),
    ("steps.a.x>1&&steps.b.y<2", "steps.a.x>1 and steps.b.y<2"),
    ("steps.a.ok || steps.b.ok", "steps.a.ok ?: steps.b.ok"),
    ("steps.a.ok || steps.b.n > 1", "steps.a.ok or steps.b.n > 1"),
    ("steps.a.ok = True", "steps.a.ok = true"),
    ("[False, None, undefined]", "[false, null, null]"),
    ("steps.a.x == True && !None", "steps.a.x = true and $not(null)"),
    ("{{steps.a.x}}", "steps.a.x"),
    ("{{ a.x }}", "steps.a.x"),
    ("${steps.a.x}", "steps.a.x"),
    ("${a.x} & '!'", "steps.a.x & '!'"),
    ("{{ steps.a.x ?? 1 }} + 1", "(steps.a.x ?? 1) + 1"),
    ("{{$steps.a.x}}", "$steps.a.x"),
    ("'{{steps.a.x}}'", "steps.a.x"),
    ('"Dear {{user.name}}!"', '"Dear " & steps.user.name & "!"'),
    ("'${a.x} and ${b.y}'", "steps.a.x & ' and ' & steps.b.y"),
    ("\"n: ${steps.a.n + 1}\" = 'x'", "(\"n: \" & (steps.a.n + 1)) = 'x'"),
    ("'{% steps.a.x %}'", "steps.a.x"),
    ('`Hi ${user.name}, "you"`', '"Hi " & steps.user.name & ", \\"you\\""'),
    ("Hello {{user.name}}, welcome", '"Hello " & steps.user.name & ", welcome"'),
    ("{% steps.a.x %}", "steps.a.x"),
    ("{%steps.a.x == 1%}", "steps.a.x = 1"),
    ("steps.a..x", "steps.a.**.x"),
    ("$.steps.a.rows[*].n", "$.steps.a.rows.n"),
    ("steps.a.rows[*][*].n", "steps.a.rows.n"),
    ("steps.a.rows[?(@.n > 2)].m", "steps.a.rows[n > 2].m"),
    ("steps.a.rows[?@.n == 2 && @.m != 1].m", "steps.a.rows[n = 2 and m != 1].m"),
    ("steps.a.rows[?(@ > 1)]", "steps.a.rows[$ > 1]"),
    ("steps['a']['x y'].z", "steps.a.`x y`.z"),
    ('steps["a"]["and"]', "steps.a.`and`"),
    ("$['steps'].a", "$.steps.a"),
    ("a.x", "steps.a.x"),
    ("$count(user.rows[n = 1])", "$count(steps.user.rows[n = 1])"),
    ("a.x & b.y", "steps.a.x & steps.b.y"),
    ("$.a.x", "steps.a.x"),
    ("'steps.a.x'", "steps.a.x"),
    ('"steps.a.x > 1"', "steps.a.x > 1"),
    ("Paris", '"Paris"'),
    ("$.Paris", '"Paris"'),
    ("steps.a.city = Paris", 'steps.a.city = "Paris"'),
    ("{name: steps.a.n, 'k': 1}", "{\"name\": steps.a.n, 'k': 1}"),
    ("New York", '"New York"'),
    ("Say hello, then stop.", '"Say hello, then stop."'),
    ("2026-01-05", '"2026-01-05"'),
    ("2026-11-10", '"2026-11-10"'),
    ("2026-01-05T10:00:00Z", '"2026-01-05T10:00:00Z"'),
    ("ann@example.org", '"ann@example.org"'),
    ("https://example.org/a?b=c#d", '"https://example.org/a?b=c#d"'),
    ("f'{a.x} of {steps.b.y}'", "steps.a.x & ' of ' & steps.b.y"),
    ("steps.a.time-zone", "steps.a.`time-zone`"),
]

SLIPS = [
    ("$map(steps.a.rows, r => r.n)", "$map(steps.a.rows, function($r){$r.n})"),
    ("steps.a.rows.map(r => r.n + 1)", "$map(steps.a.rows, function($r){$r.n + 1})"),
    (
        "steps.a.rows.filter((r, i) => r.n > i).length",
        "$filter(steps.a.rows, function($r, $i){$r.n > $i}).length",
    ),
    (
        "steps.a.rows.find(x => x.id = 'x')",
        "$filter(steps.a.rows, function($x){$x.id = 'x'})[0]",
    ),
    ("$map(steps.a.rows, function(r){r.r})", "$map(steps.a.rows, function($r){$r.r})"),
    ("not steps.a.ok", "$not(steps.a.ok)"),
    ("steps.a.ok AND steps.b.ok OR true", "steps.a.ok and steps.b.ok or true"),
    ("steps.a.x is None", "steps.a.x = null"),
    ("steps.a.x is not null", "steps.a.x != null"),
    ("steps.a.x <> 1", "steps.a.x != 1"),
    ("steps.a?.x?.y", "steps.a.x.y"),
    ("steps.a.rows.0.n", "steps.a.rows[0].n"),
    ("steps.a.rows.0.1", "steps.a.rows[0][1]"),
    ("$sort(steps.a.rows)[0:3]", "$sort(steps.a.rows)[[0..2]]"),
    ("steps.a.rows[0..2]", "steps.a.rows[[0..2]]"),
    ("steps.a.@type", "steps.a.`@type`"),
    ("= steps.a.x", "steps.a.x"),
    ("steps.a.x;", "steps.a.x"),
    ("steps.a.rows[name='O'Brien']", 'steps.a.rows[name="O\'Brien"]'),
    ("steps.a.null", "steps.a.`null`"),
    ("(x := 1; $x)", "($x := 1; $x)"),
    ("steps.a.rows^(n) / 2", "(steps.a.rows^(n)) / 2"),
    ("steps.a.x[] / 2", "(steps.a.x[]) / 2"),
    ("steps.a.x</parameter>\n<parameter>", "steps.a.x"),
    ("$sum(steps.a.x", "$sum(steps.a.x)"),
    ("steps.a.x)", "steps.a.x"),
]


@pytest.mark.parametrize(("text", "corrected"), FOREIGN)
def test_a_habit_is_foreign_syntax_with_the_whole_text_corrected(
    text: str, corrected: str
) -> None:
    expression, problems = parse_expression(text, SCOPE)
    assert expression is None
    assert {problem.code for problem in problems} == {"foreign_syntax"}
    assert all(problem.hint.endswith(f"; corrected: {corrected}") for problem in problems)
    assert parse_expression(corrected, SCOPE)[1] == ()


@pytest.mark.parametrize(("text", "corrected"), SLIPS)
def test_a_slip_is_syntax_with_the_whole_text_corrected(text: str, corrected: str) -> None:
    expression, problems = parse_expression(text, SCOPE)
    assert expression is None
    assert problems[0].code in ("syntax", "foreign_syntax")
    assert problems[0].hint.endswith(f"; corrected: {corrected}")
    assert parse_expression(corrected, SCOPE)[1] == ()


@pytest.mark.parametrize(
    "text",
    [
        "'a == b && !c'",
        "steps.a.True & steps.a.None",
        "steps.a.`==`",
        "/* == */ steps.a.x",
        "'Dear {{name}}, ${amount}'",
        "'{{stepsa.x}} {{steps.other.x}} {{ab.x}} {{item.x}}'",
        "steps.a.rows[ok]",
        "steps.a.rows[n = m].(p & q)",
        "steps.a.rows.[*]",
        "[1..3]",
        "steps.a.rows[[0..1]]",
        "$sum(steps.a.rows.n) / 2",
        "'steps.a.x is 1'",
        "'steps.other.x'",
        "'item'",
        "steps.a.time - steps.b.zone",
        "{'steps': 1}",
        "1 != -1",
    ],
)
def test_what_only_looks_like_a_habit_is_accepted(text: str) -> None:
    assert parse_expression(text, SCOPE)[1] == ()


def test_the_item_is_named_in_templates_and_quotes_only_under_for_each() -> None:
    for text, corrected in [
        ("{{item.x}}", "item.x"),
        ("'n: {{ item.x }}'", "'n: ' & item.x"),
        ("'item.x'", "item.x"),
    ]:
        assert repaired(text, ITEM) == corrected
        assert parse_expression(text, ITEM)[1][0].code == "foreign_syntax"
    assert parse_expression("'item.x'", SCOPE)[1] == ()


def test_a_habit_stands_in_place_of_what_the_parser_and_the_profile_would_say() -> None:
    for text in ("steps.a.x == $now()", "steps.a.x == ", "!(steps.*)", "True == |a|b|"):
        assert {p.code for p in parse_expression(text, SCOPE)[1]} == {"foreign_syntax"}


def test_several_habits_are_told_from_left_to_right() -> None:
    _, problems = parse_expression("!steps.a.ok && steps.a.x == None", SCOPE)
    assert [problem.position for problem in problems] == [0, 12, 25, 28]


def test_what_cannot_be_mended_wholly_is_hinted_without_a_corrected_text() -> None:
    for text in ("$..name", "{{ steps.a.x | title }}", "steps.a.x == $nope", "!"):
        _, problems = parse_expression(text, SCOPE)
        assert "corrected" not in problems[0].hint
        assert repaired(text, SCOPE) == ""
    assert "steps.a.**.name" in parse_expression("$..name", SCOPE)[1][0].hint


def test_a_corrected_text_stands_in_one_line() -> None:
    assert repaired("steps.a.x\n  == /* one */ 'b\n'", SCOPE) == "steps.a.x = /* one */ 'b\n'"


def test_a_long_text_is_hinted_without_a_corrected_text() -> None:
    _, problems = parse_expression("steps.a.x == " + "1 + " * 200 + "1", SCOPE)
    assert problems[0].hint == "compare with `=`"


def test_words_are_fields_where_any_root_is_given() -> None:
    assert parse_expression("None = True", None)[1] == ()
    assert parse_expression("'{{steps.a.x}}'", None)[1] == ()
    assert [p.code for p in parse_expression("a == b", None)[1]] == ["foreign_syntax"]


def test_templates_are_found_in_linear_time_however_many_do_not_end() -> None:
    text = "{{a.x}} " + "${ {{ " * 50_000
    assert list(templates(text, SCOPE)) == [Template(0, 7, "steps.a.x")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (" steps.a.x ", "steps.a.x"),
        ("steps.a", "steps.a"),
        ("a.x", "steps.a.x"),
        ("a", None),
        ("steps.ab", None),
        ("steps.other.x", None),
        ("ab.x", None),
        ("item.x", None),
        ("", None),
        ("1", None),
    ],
)
def test_a_template_names_a_step_by_how_it_begins(content: str, expected: str | None) -> None:
    assert names_a_step(content, SCOPE) == expected


def test_a_text_that_is_an_expression_reading_a_step_is_told_from_prose() -> None:
    for text in ("steps.a.x", " steps.a ", "$sum(steps.a.x)", "steps.other.x & steps.a.x"):
        assert reads_a_step(text, SCOPE), text
    for text in (
        "steps",
        "steps.other.x",
        "follow the steps.a",
        "steps.a.x == 1",
        "item.x",
        "",
        "steps.a." + "x" * 5000,
        "(" * 4000 + "steps.a",
    ):
        assert not reads_a_step(text, SCOPE), text
    assert reads_a_step("item.x", ITEM)
    assert not reads_a_step("item", ITEM)
