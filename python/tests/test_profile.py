"""What the profile makes of the library's tree, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from strands_plan_tool.expressions import Problem, Scope, parse_expression
from strands_plan_tool.expressions.listed import LISTED, MEANT, REFUSED, usage
from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.tree import (
    Apply,
    Array,
    Assign,
    Binary,
    Block,
    Call,
    Condition,
    Descendant,
    Fallback,
    FunctionName,
    Lambda,
    Literal,
    Name,
    Negate,
    Node,
    Object,
    Path,
    Range,
    Sort,
    SortTerm,
    Variable,
    Wildcard,
)

SCOPE = Scope(ids=("a", "b"), has_item=True)


def tree(text: str) -> Node:
    expression, problems = parse_expression(text, None)
    assert expression is not None, problems
    return expression.tree


def problems(text: str, scope: Scope = SCOPE) -> tuple[Problem, ...]:
    expression, found = parse_expression(text, scope)
    assert (expression is None) == bool(found)
    return found


def name(value: str, position: int, **parts: Any) -> Path:
    return Path(steps=(Name(value=value, position=position, **parts),), position=position)


def number(value: float, position: int) -> Literal:
    return Literal(value=value, position=position)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'x'", Literal(value="x")),
        ("-0", Literal(value=0, position=1)),
        ("-2.50", Literal(value=-2.5, position=1)),
        ("1e20", Literal(value=1e20)),
        ("null", Literal(value=None)),
        ("*", Wildcard()),
        ("**", Descendant()),
        ("$$", Variable(name="$")),
        ("-a", Negate(operand=name("a", 1))),
        (
            "(-$)",
            Block(statements=(Negate(operand=Variable(name="", position=2), position=1),)),
        ),
        ("a.'b'", Path(steps=(Name(value="a"), Name(value="b", position=2)))),
        ("and.or", Path(steps=(Name(value="and"), Name(value="or", position=4)))),
        (
            "a[0].b[1][]",
            Path(
                steps=(
                    Name(value="a", stages=(number(0, 2),)),
                    Name(value="b", position=5, stages=(number(1, 7),), keep_array=True),
                ),
                keep_singleton=True,
            ),
        ),
        (
            "a[]",
            Path(
                steps=(Name(value="a", keep_array=True),), keep_singleton=True, keep_array=True
            ),
        ),
        (
            "(a)[0].b",
            Path(
                steps=(
                    Block(statements=(name("a", 1),), predicates=(number(0, 4),)),
                    Name(value="b", position=7),
                )
            ),
        ),
        (
            "a.$.[b]",
            Path(
                steps=(
                    Name(value="a"),
                    Variable(name="", position=2),
                    Array(items=(name("b", 5),), cons=True, position=4),
                )
            ),
        ),
        (
            "[1..2, 3]",
            Array(
                items=(Range(first=number(1, 1), last=number(2, 4), position=2), number(3, 7))
            ),
        ),
        ("{'k': a}", Object(members=((Literal(value="k", position=1), name("a", 6)),))),
        ("a{b: c}", Path(steps=(Name(value="a"),), group=((name("b", 2), name("c", 5)),))),
        (
            "a^(>b, c)",
            Path(
                steps=(
                    Name(value="a"),
                    Sort(
                        terms=(
                            SortTerm(expression=name("b", 4), descending=True),
                            SortTerm(expression=name("c", 7), descending=False),
                        ),
                        position=1,
                    ),
                )
            ),
        ),
        ("1 + 2", Binary(operator="+", left=number(1, 0), right=number(2, 4), position=2)),
        (
            "-1 ?? 5",
            Fallback(operator="??", left=number(-1, 1), right=number(5, 6), position=3),
        ),
        (
            "a[1] ?: b ?? c",
            Fallback(
                operator="?:",
                left=name("a", 0, stages=(number(1, 2),)),
                right=Fallback(
                    operator="??", left=name("b", 8), right=name("c", 13), position=10
                ),
                position=5,
            ),
        ),
        (
            "a ? 1 : 2",
            Condition(test=name("a", 0), then=number(1, 4), otherwise=number(2, 8), position=2),
        ),
        ("a ? 1", Condition(test=name("a", 0), then=number(1, 4), position=2)),
        (
            "($x := 1; [$x])",
            Block(
                statements=(
                    Assign(name="x", value=number(1, 7), position=1),
                    Array(items=(Variable(name="x", position=11),), position=10),
                )
            ),
        ),
        (
            "([a].b)",
            Block(
                statements=(
                    Path(
                        steps=(
                            Array(items=(name("a", 2),), cons=True, position=1),
                            Name(value="b", position=5),
                        ),
                        position=1,
                    ),
                ),
                cons=True,
            ),
        ),
        (
            "$map(a, function($v, $i){$count($v)})[0]",
            Call(
                name="map",
                arguments=(
                    name("a", 5),
                    Lambda(
                        parameters=("v", "i"),
                        body=Call(
                            name="count",
                            arguments=(Variable(name="v", position=32),),
                            position=25,
                        ),
                        position=16,
                    ),
                ),
                predicates=(number(0, 38),),
            ),
        ),
        (
            "$map(a, $string)",
            Call(name="map", arguments=(name("a", 5), FunctionName(name="string", position=8))),
        ),
        (
            "a ~> $count",
            Apply(
                left=name("a", 0), call=Call(name="count", arguments=(), position=5), position=2
            ),
        ),
        (
            "a ~> $join('-')[]",
            Apply(
                left=name("a", 0),
                call=Call(
                    name="join", arguments=(Literal(value="-", position=11),), position=5
                ),
                position=2,
                keep_array=True,
            ),
        ),
    ],
)
def test_a_text_becomes_its_tree(text: str, expected: Node) -> None:
    assert tree(text) == expected


def test_lists_around_values_are_told_from_predicates_and_fields_from_rows() -> None:
    assert tree("[a][0]") == Array(items=(name("a", 1),), predicates=(number(0, 4),))
    assert tree("a.b.[0]") != tree("a.b[0]")


def test_every_problem_of_a_text_is_found_at_once() -> None:
    found = problems("$foo(steps.a) + $now() + $x + $map(steps.a.x, 1) + usr.name")
    assert [(problem.code, problem.position) for problem in found] == [
        ("unknown_function", 0),
        ("not_in_profile", 16),
        ("unknown_variable", 25),
        ("not_in_profile", 46),
        ("unknown_root", 51),
    ]


def test_an_argument_of_what_is_refused_is_looked_at_too() -> None:
    assert [problem.code for problem in problems("$eval($nope)")] == [
        "not_in_profile",
        "unknown_variable",
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("$cont(steps.a.x)", "write $count(list); corrected: $count(steps.a.x)"),
        ("$sums(steps.a.x)", "write $sum(numbers); corrected: $sum(steps.a.x)"),
        ("sum(steps.a.x)", "write $sum(numbers); corrected: $sum(steps.a.x)"),
        ("average(steps.a.x)", "write $average(numbers); corrected: $average(steps.a.x)"),
        (
            "len(steps.a.x)",
            "write $count(steps.a.x) for a list, $length(steps.a.x) for a text",
        ),
        (
            "steps.a.x[y > 1].upper()",
            "write $uppercase(text); corrected: $uppercase(steps.a.x[y > 1])",
        ),
        (
            "steps.a.x.join(', ')",
            "write $join(texts, separator?); corrected: $join(steps.a.x, ', ')",
        ),
        (
            "steps.a.x.first().y",
            "take one item by its index: x[0] is the first, x[-1] the last;"
            " corrected: (steps.a.x)[0].y",
        ),
        ("$b.x", "write steps.b; corrected: steps.b.x"),
        ("steps.a.x[y = $b.x]", "write $steps.b; corrected: steps.a.x[y = $steps.b.x]"),
        ("($total := 1; $totl)", "write $total; corrected: ($total := 1; $total)"),
        (
            "$map(steps.a.x, $round)",
            "write function($v){$round($v)};"
            " corrected: $map(steps.a.x, function($v){$round($v)})",
        ),
        (
            '"n: " & steps.a.x ?? steps.b.x ?? 0',
            'put what belongs together in parentheses; corrected: "n: "'
            " & (steps.a.x ?? steps.b.x ?? 0)",
        ),
        (
            "$count(steps.a.x[y = 1]) ?: steps.a.f.g[0] > 3",
            "put what belongs together in parentheses; corrected:"
            " ($count(steps.a.x[y = 1]) ?: steps.a.f.g[0]) > 3",
        ),
        ("$count(1, 2)", "write $count(list)"),
        ("$substring()", "write $substring(text, start, length?)"),
        ("$each(steps.a)", "write function($v, $k){...}"),
    ],
)
def test_a_hint_is_the_edit(text: str, hint: str) -> None:
    assert problems(text)[0].hint == hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$v := 1", "a `:=` stands only as a statement of a block"),
        ("($v := $w := 1; $v)", "one `:=` stands inside another"),
        (
            "($f := function($v){$v}; 1)",
            "a function cannot be kept in a variable, as here in $f",
        ),
        ("[function($v){$v}]", "a function stands only as an argument"),
        ("function($v){$v}(1)", "a function is called where it is written"),
        ("$sum[0]([1])", "what is called here is no function's name"),
        ("$count([1])(2)", "what is called here is no function's name"),
        ("($v := 1; $v(2))", "$v is a variable, and variables are not called"),
        ("($sum := 1; 2)", "$sum is the name of a listed function"),
        ("($steps := 1; 2)", "$steps is the name of what a plan reads"),
        ("$count[0]", "the function $count stands where a value belongs"),
        ("[1] ~> $reverse()[0]", "what follows `~>` is no plain call of a listed function"),
        ("[1] ~> $eval", "$eval is not allowed"),
        ("$eval('1')[0]", "$eval is not allowed"),
        ("/a/", "a regular expression stands only as the pattern of a call"),
        ("$count(/a/)", "a regular expression stands only as the pattern of a call"),
        (
            "$replace('a', /a/, /b/)",
            "a regular expression stands only as the pattern of a call",
        ),
        (
            "$match('a', 'a')",
            "argument 2 of $match is a regular expression, written out there",
        ),
        ("'a' ~> /a/", "what follows `~>` is no plain call of a listed function"),
        ("$match('a', /(?=a)/)", "the regular expression has a lookahead, (?="),
        ("$formatNumber(1, '0.0.0')", "the picture has a . where none can stand"),
        ("$fromMillis(0, '[Y]')", "$fromMillis is given 2 arguments"),
        ("$map([1], 2)", "argument 2 of $map is a function, written out there"),
        ("$each({'a': 1})", "argument 1 of $each is a function, written out there"),
        ("a|b|c|", "a transform `|...|...|` is not allowed"),
        ("a@$v", "a join with `@` is not allowed"),
        ("a#$i", "an index with `#` is not allowed"),
        ("a.%.b", "the parent `%` is not allowed"),
        ("$f(?)", "a call that leaves arguments open with `?` is not allowed"),
        ("$map([1], function($v)<n>{$v})", "a signature after function(...) is not allowed"),
        ("$a.b ?? 1 + 1", "an operation beside `??` needs parentheses: `??` takes it whole"),
    ],
)
def test_what_is_refused_is_told_in_words(text: str, message: str) -> None:
    _, found = parse_expression(text, None)
    assert (found[0].code, found[0].message) in [
        ("not_in_profile", message),
        ("unknown_variable", "there is no variable $a"),
    ]
    assert any(problem.message == message for problem in found)


def test_what_is_evaluated_is_listed_and_what_is_listed_is_not_refused() -> None:
    assert set(FUNCTIONS) == set(LISTED)
    assert not set(LISTED) & set(REFUSED)
    assert {meant for meant in MEANT.values() if meant} <= set(LISTED)
    assert len(LISTED) == 57


def test_usage_names_as_many_parameters_as_a_function_takes() -> None:
    for listed, function in FUNCTIONS.items():
        parameters = LISTED[listed]
        assert function.most is None or len(parameters) == function.most, listed
        assert usage(listed).startswith(f"${listed}(")


def test_every_evaluated_function_is_accepted_with_the_arguments_it_takes() -> None:
    for listed, function in FUNCTIONS.items():
        arguments = ["steps.a.x"] * max(function.least + function.signature.has_context, 1)
        if function.function_at is not None and listed != "replace":
            arguments = ["steps.a.x"] * function.function_at + ["function($p, $q){$p = $q}"]
        if function.pattern_at is not None:
            arguments[function.pattern_at] = "/a/"
        text = f"${listed}({', '.join(arguments)})"
        assert parse_expression(text, SCOPE)[1] == (), text


def test_a_bare_root_knows_neither_steps_nor_the_item() -> None:
    for text in ("$steps.a", "$item", "$input.x"):
        assert [p.code for p in parse_expression(text, None)[1]] == ["unknown_variable"]
    for text in ("steps", "item.x", "$", "$$.a", "**", "$string()", "x[steps.a = 1]", "Paris"):
        expression, found = parse_expression(text, None)
        assert expression is not None, found
        assert (expression.dependencies, expression.reads) == ((), ())


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("$match('a', /b(?=a)/)", "not_in_profile", 14),
        ("$match('a', /b[z-a]/)", "syntax", 15),
        ("$match('a', /é/i)", "not_in_profile", 13),
        ("$match('a', /a/ii)", "syntax", 16),
        ("$match('a', /a/g)", "syntax", 15),
        ("$formatNumber(1, '#0.0.0')", "not_in_profile", 22),
        (r"$formatNumber(1, '\u0023.0.0')", "not_in_profile", 17),
    ],
)
def test_a_literal_with_a_grammar_of_its_own_is_refused_where_it_is_wrong(
    text: str, code: str, position: int
) -> None:
    found = problems(text)
    assert [(problem.code, problem.position) for problem in found] == [(code, position)]


@pytest.mark.parametrize(
    "text",
    [
        "$contains(steps.a.x, /a/i)",
        "steps.a.x.$contains(/a/)",
        "steps.a.x.$match(/a/, 2)",
        "steps.a.x.$replace(/a/, 'b', 1)",
        "steps.a.x.$replace(/a/, function($m){$m.match}, 1)",
        "steps.a.x ~> $replace(/a/, function($m){$m.match})",
        "steps.a.x ~> $split(/,/, 2)",
        "$match(steps.a.x, /a/)[0].groups[1] ?? ''",
        "$formatNumber(steps.a.x, steps.a.picture)",
    ],
)
def test_a_regular_expression_stands_wherever_a_pattern_is_taken(text: str) -> None:
    assert problems(text) == ()


def test_a_search_of_the_root_cannot_be_told() -> None:
    for text in ("$contains(/a/)", "$match(/a/, 2)", "$replace(/a/, 'b', 1)"):
        assert [problem.code for problem in problems(text)] == ["unresolvable_reference"]


@pytest.mark.parametrize(
    ("body", "mended"),
    [
        ("($f($v))[0]", "$f($v)[0]"),
        ("($v.x ? ($f($v))[0] : $v)", "($v.x ? $f($v)[0] : $v)"),
        ("($x := $v; $f($x))[0]", "($value := ($x := $v; $f($x)); $value[0])"),
        ("($v ?? $f($v))[0][1]", "($value := ($v ?? $f($v)); $value[0][1])"),
        ("$f($v){'k': $}", "($value := $f($v); $value{'k': $})"),
        ("($f($v)){'k': $}", "($value := ($f($v)); $value{'k': $})"),
        ("$f($v)[]", "[$f($v)]"),
        ("$v.x ?? ($f($v))[]", "$v.x ?? [($f($v))]"),
        ("$k()", "$k($v)"),
        ("$v.x ? $f($v) : $pad(5)", "$v.x ? $f($v) : $pad($v, 5)"),
        ("$split(/,/, 2)", "$split($v, /,/, 2)"),
    ],
)
def test_what_is_lost_at_the_end_of_a_function_is_refused_with_the_edit(
    body: str, mended: str
) -> None:
    def whole(written: str) -> str:
        named = written.replace("$f", "$reverse").replace("$k", "$keys")
        return f"$map(steps.a.x, function($v){{{named}}})"

    (problem,) = problems(whole(body))
    assert problem.code == "not_in_profile"
    assert problem.hint.endswith(f"; corrected: {whole(mended)}")
    assert problems(whole(mended)) == ()


def test_what_follows_a_call_that_does_not_end_a_function_is_kept() -> None:
    for body in ("$keys($v)[0]", "($keys($v)[0])[0]", "($v.$keys())[0]", "$keys($v)[0][]"):
        assert problems(f"$map(steps.a.x, function($v){{{body}}})") == ()
    assert problems("steps.a.x.($keys($))[0]") == ()
