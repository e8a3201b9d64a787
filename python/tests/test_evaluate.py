"""Evaluation as such: what a program is, what it counts, and where it stops.

What expressions give is in conformance/cases/expressions.
"""

from __future__ import annotations

import copy
import threading
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strands_plan_tool.evaluate import Context, EvaluationError, Program, compile_tree
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.functions.sorting import ordered
from strands_plan_tool.models import Code
from strands_plan_tool.tree import Literal, Node
from strands_plan_tool.values import NOTHING, ingest
from strands_plan_tool.values.budget import deep_size
from strands_plan_tool.values.sequences import Sequence

ROWS = [
    {"id": n, "name": f"name {n}", "kind": "abc"[n % 3], "n": n % 7, "half": n / 2}
    | {"on": n % 2 == 0}
    for n in range(20)
]


def tree(text: str, *, root: bool = False) -> Node:
    scope = Scope(ids=("a", "b"), field="bind", has_item=True, inputs=None)
    expression, problems = parse_expression(text, None if root else scope)
    assert expression is not None, problems
    return expression.tree


def program(text: str, **options: Any) -> Program:
    return compile_tree(tree(text), **options)


def value(text: str, **steps: Any) -> Any:
    return program(text).run(Context(steps=ingest(steps), input={}))


def failure(text: str, **steps: Any) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        value(text, **steps)
    return caught.value


def test_a_program_runs_again_and_again() -> None:
    doubled = program("($x := item; $x * 2)")
    contexts = [Context(steps={}, input={}, item=n, index=0) for n in (1, 2, 3)]
    assert [doubled.run(context) for context in contexts] == [2, 4, 6]


def test_a_program_runs_in_several_threads_at_once() -> None:
    counted = program("$sum($map([1..2000], function($v){$v * item}))")
    seen: dict[int, Any] = {}
    start = threading.Barrier(4)

    def run(factor: int) -> None:
        start.wait()
        seen[factor] = counted.run(Context(steps={}, input={}, item=factor, index=0))

    threads = [threading.Thread(target=run, args=(factor,)) for factor in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {factor: 2001000 * factor for factor in range(4)}


def test_a_context_sees_results_that_come_later() -> None:
    results: dict[str, Any] = {}
    context = Context(steps=results, input={})
    read = program("steps.a")
    assert read.run(context) is NOTHING
    results["a"] = 1
    assert read.run(context) == 1


def test_steps_may_be_any_mapping() -> None:
    context = Context(steps=MappingProxyType({"a": {"x": 1}}), input=MappingProxyType({"n": 2}))
    assert program("steps.a.x + input.n").run(context) == 3


def test_a_result_is_a_copy_that_shares_nothing_with_what_is_stored() -> None:
    stored = {"a": {"rows": [{"x": [1]}]}}
    read = program("[steps.a.rows[0], steps.a.rows[0]]")
    first = read.run(Context(steps=stored, input={}))
    first[0]["x"].append(2)
    assert first[1] == {"x": [1]}
    assert stored == {"a": {"rows": [{"x": [1]}]}}


def test_a_result_holds_plain_lists_only() -> None:
    result = value("{'k': steps.a.x, 'l': $keys(steps.a)[]}", a=[{"x": 1}, {"x": 2}])
    assert (type(result), type(result["k"]), type(result["l"])) == (dict, list, list)
    assert type(value("steps.a.x", a=[{"x": 1}, {"x": 2}])) is list
    assert type(value("steps.a.{'x': x}", a=[{"x": 1}, {"x": 2}])) is list


@pytest.mark.parametrize(
    "text",
    [
        "steps.a.rows^(>n){kind: $count($)}",
        "$sort(steps.a.rows, function($l, $r){$l.n < $r.n})",
        "$append(steps.a.rows, steps.a.rows) ~> $reverse",
        "$merge(steps.a.rows)",
        "$reduce(steps.a.rows, function($k, $v){$append($k, $v.n)}, [])",
        "steps.a.empty{'k': $count($)}",
        "steps.a.rows.{'k': $}[0]",
        "steps.a.**",
    ],
)
def test_no_expression_changes_what_it_reads(text: str) -> None:
    stored = {"a": {"rows": copy.deepcopy(ROWS), "empty": []}}
    before = copy.deepcopy(stored)
    program(text).run(Context(steps=stored, input={}))
    assert stored == before


def test_an_array_as_root_is_one_context() -> None:
    read = compile_tree(tree("$count($) & '/' & $count($$)", root=True))
    assert read.run(Context.of_root([1, 2, 3])) == "3/3"
    assert compile_tree(tree("$string()", root=True)).run(Context.of_root([1])) == "[1]"


# Budget


def test_steps_used_are_counted_and_a_budget_of_as_many_is_enough() -> None:
    counted = program("$count(steps.a.rows[n > 3].name) & '!'")
    context = Context(steps={"a": {"rows": ROWS}}, input={})
    found, used = counted.run_counted(context)
    assert found == "8!"
    assert counted.run_counted(context, used) == (found, used)
    with pytest.raises(EvaluationError) as caught:
        counted.run(context, used - 1)
    assert caught.value.code == Code.EXPRESSION_LIMIT
    assert str(used - 1) in caught.value.message


def test_the_final_copy_counts_before_anything_is_copied() -> None:
    doubled = "($x := {'k': 1}; " + "$x := {'a': $x, 'b': $x}; " * 50 + "$x)"
    error = failure(doubled)
    assert (error.code, "1000000 items" in error.message) == (Code.EXPRESSION_LIMIT, True)
    wide = program("$map([1..1000], function($i){[1..900]})")
    with pytest.raises(EvaluationError, match="more than 1000000 steps"):
        wide.run(Context(steps={}, input={}), 1_000_000)


def test_what_is_given_is_bounded_in_all() -> None:
    """Its whole size: 1000 lists and 999 objects in each are the most that fit."""
    given = "($x := [1..%d].({}); $map([1..1000], function($i){$x}))"
    assert len(value(given % 999)) == 1000
    error = failure(given % 1000)
    assert (error.code, "1000000 items" in error.message) == (Code.EXPRESSION_LIMIT, True)


SHARED = "($a := []; " + "$a := [[$a], [$a]]; " * 12 + "%s)"


@pytest.mark.parametrize(
    "use", ["{'q': $a}.*", "$a ? 1 : 2", "$a.x", "$keys($a)", "$spread($a)", "$a.**", "$a = $b"]
)
def test_lists_that_share_their_parts_count_as_if_they_were_written_out(use: str) -> None:
    def steps(text: str, **given: Any) -> int:
        return program(text).run_counted(Context(steps=given, input={}))[1]

    plain = value(SHARED % "$a")
    text = SHARED % ("$b := [[$a[0]], [$a[1]]]; " + "%s")
    alone, used = steps(text % "1"), steps(text % use)
    apart = {"a": plain, "b": ingest(plain)}
    written = "($a := steps.a; $b := steps.b; %s)"
    assert used - alone == steps(written % use, **apart) - steps(written % "1", **apart)


def test_endless_lists_that_share_their_parts_end_by_the_budget() -> None:
    endless = SHARED.replace("* 12", "").replace("%s", "$a := [[$a], [$a]]; " * 18 + "%s")
    for use in ("{'q': $a}.*", "$a ? 1 : 2", "$a.x", "$keys($a)", "$spread($a)", "$a.**"):
        assert failure(endless % use).code == Code.EXPRESSION_LIMIT, use


SHAPES = [
    "steps.a.rows.name",
    "steps.a.rows[kind = 'b'].name",
    "steps.a.rows[kind != 'b'].id",
    "steps.a.rows[n >= 3 and kind = 'a'].id",
    "steps.a.rows[n < 3].{'id': id, 'label': name}",
    "steps.a.rows[name > 'name 3'].id",
    "steps.a.rows[on = true].id",
    "steps.a.rows[on != false].half",
    "steps.a.rows[gone = null].id",
    "steps.a.rows[gone != 1].id",
    "steps.a.rows[owner.login = 'x'].id",
    "steps.a.rows[id = $steps.b].name",
    "steps.a.rows[id = $item].name",
    "steps.a.rows[$item].name",
    "steps.a.rows[-$item - 1].name",
    "steps.a.rows[$item > 2].name",
    "steps.a.rows[$steps.b].name",
    "steps.a.rows.{'k': kind}",
    "steps.a.rows.{'k': kind, 'n': n, 'x': gone}",
    "steps.a.rows.{'k': kind & '!', 'n': n}",
    "steps.a.rows.{'1': kind, 'n': n}",
    "steps.a.rows.{kind: n}",
    "$filter(steps.a.rows, function($r){$r.kind = 'a'}).id",
    "$filter(steps.a.rows, function($r){$r.n > 2 and $r.on = true}).id",
    "$filter(steps.a.rows, function($r){$r.kind = $item}).id",
    "$filter(steps.a.rows, function($r){$r.kind = $r.name})",
    "$map(steps.a.rows, function($r){{'id': $r.id, 'k': $r.kind}})",
    "$map(steps.a.rows, function($r){{'id': $r.id, 'item': $item}})",
    "$map(steps.a.rows, function($r){$r.owner.login})",
    "$map(steps.a.rows, function($r){$r.n * 2})",
    "$map(steps.a.rows, function($r){$r.name & $r.kind})",
    "$map([1..3], function($i){steps.a.rows[$i].name})",
    "steps.a.rows^(n).id",
    "steps.a.rows^(kind, >n).id",
    "steps.a.rows^(>name).id",
    "steps.a.rows^(gone, n).id",
    "steps.a.rows{kind: $sum(n)}",
    "steps.a.rows.(n * 2 - 1)",
    "steps.a.rows.(kind = 'a' ? n : id)",
    "($r := steps.a.rows.{'k': kind}; [$r, $r])",
    "{'x': steps.a.rows.{'k': kind}}",
    "$sort(steps.a.rows, function($l, $r){$l.n > $r.n}).id",
    "$sort(steps.a.rows, function($l, $r){$l.n < $r.n}).id",
    "$sort(steps.a.rows, function($l, $r){$r.kind > $l.kind}).id",
    "$sort(steps.a.rows.n, function($l, $r){$r < $l})",
    "$sort([1, 'a'], function($l, $r){$l > $r})",
    "steps.a.owner.login",
    "steps.a.owner",
    "($o := steps.a.owner; $o.login & $o.name.first)",
]


def odd_rows() -> list[Any]:
    rows: list[Any] = copy.deepcopy(ROWS[:6])
    rows[0]["owner"] = {"login": "x" * 70}
    rows[1]["name"] = "\u00e9" * 40
    rows[2]["kind"] = ["a", "b"]
    rows[3]["n"] = None
    del rows[4]["kind"]
    return [*rows, [rows[0]], 5, "text", None]


@pytest.mark.parametrize("text", SHAPES)
@pytest.mark.parametrize(
    "rows", [ROWS, odd_rows(), ROWS[:1], []], ids=["plain", "odd", "one", "none"]
)
def test_a_shape_gives_and_counts_what_the_plain_tree_does(text: str, rows: list[Any]) -> None:
    """Also with every smaller budget: a limit is reached by both or by neither."""
    steps = {"a": {"rows": rows, "owner": {"login": "x", "name": {"first": "y"}}}, "b": 3}
    context = Context(steps=ingest(steps), input={}, item=2, index=0)
    quick, plain = program(text), program(text, shapes=False)

    def outcome(run: Program, budget: int) -> object:
        try:
            return run.run_counted(context, budget)
        except EvaluationError as error:
            return error.code, error.message

    whole = outcome(plain, 10_000)
    assert outcome(quick, 10_000) == whole
    used = whole[1] if isinstance(whole, tuple) and isinstance(whole[1], int) else 60
    for budget in range(0, used, max(used // 40, 1)):
        assert outcome(quick, budget) == outcome(plain, budget)


KEYS = st.one_of(
    st.integers(0, 4),
    st.sampled_from(["a", "b", "\uff5e", "\U0001f600"]),
    st.just(NOTHING),
    st.just(1.5),
)


@given(st.lists(st.tuples(KEYS, KEYS), min_size=2, max_size=12), st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_sorting_at_once_gives_and_counts_what_comparing_does(
    items: list[tuple[Any, Any]], first_down: bool, second_down: bool
) -> None:
    def key(place: int) -> Any:
        def run(item: Any, state: list[Any]) -> Any:
            state[0] -= 2
            return item[place]

        return run

    def odd_key(place: int) -> Any:
        # A cost that differs from item to item rules sorting at once out.
        def run(item: Any, state: list[Any]) -> Any:
            extra = 1 if item is items[0] else 0
            state[0] -= 2 + extra
            counted.append(extra)
            return item[place]

        return run

    counted: list[int] = []
    outcomes = []
    for make in (key, odd_key):
        state: list[Any] = [10_000, 10_000]
        terms = [(make(0), first_down), (make(1), second_down)]
        try:
            found: Any = ordered(Sequence(items), terms, state)
        except EvaluationError as error:
            found = error.message
        outcomes.append((found, state[0]))
    assert outcomes[0][0] == outcomes[1][0]
    assert outcomes[0][1] >= outcomes[1][1]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40))
def test_a_sort_counts_two_keys_for_each_comparison_of_the_merge_sort(keys: list[int]) -> None:
    compared = 0

    def merge(part: list[int]) -> list[int]:
        nonlocal compared
        if len(part) < 2:
            return part
        left, right = merge(part[: len(part) // 2]), merge(part[len(part) // 2 :])
        merged = []
        while left and right:
            compared += 1
            merged.append((right if left[0] > right[0] else left).pop(0))
        return merged + left + right

    expected = merge(keys)
    state: list[Any] = [10_000, 10_000]

    def key(item: int, state: list[Any]) -> int:
        state[0] -= 3
        return item

    assert ordered(keys, [(key, False)], state) == expected
    assert state[0] == 10_000 - compared * 6


def test_a_part_that_is_held_in_many_places_is_sized_in_each() -> None:
    part = [1] * 100
    assert deep_size([part, part, [part]]) == 3 + 1 + 3 * 100


# Limits


NEST = "$reduce([1..5000], function($k, $v){[[$k]]}, 1)"


@pytest.mark.parametrize(
    "text",
    [
        NEST,
        f"($x := {NEST}; $x.name)",
        f"($x := {NEST}; $x ? 1 : 2)",
        f"($x := {NEST}; $x = $x)",
        f"($x := {NEST}; $x & '')",
        f"($x := {NEST}; $distinct([$x, 1]))",
        f"($x := {NEST}; $x.**)",
        f"($x := {NEST}; {{'k': $x}}.*)",
        f"($x := {NEST}; $keys($x))",
        f"($x := {NEST}; $spread($x))",
        f"($x := {NEST}; $string($x))",
    ],
)
def test_a_value_that_nests_too_deep_is_refused_where_it_is_gone_through(text: str) -> None:
    error = failure(text)
    assert (error.code, error.message) == (
        Code.EXPRESSION_LIMIT,
        "it makes a value that nests over 64 levels",
    )


@pytest.mark.parametrize(
    "text",
    [
        "[1..100001]",
        "($x := [1..60000]; [$x, $x])",
        "[1..1000].([1..1000])",
        "([1..100000])[[0, 0]] ~> $append([1..99999])",
        "$append([1..60000], [1..60000])",
        "$reduce([1..18], function($k, $v){$append($k, $k)}, [1])",
        "[[1..60000], [1..60000]]{'k': $}",
        "{'a': [1..60000], 'b': [1..60000]}.*",
        "{'a': [1..60000], 'b': [1..60000]}.**",
    ],
)
def test_a_list_that_would_be_too_long_is_not_made(text: str) -> None:
    assert failure(text).code == Code.EXPRESSION_LIMIT


@pytest.mark.parametrize(
    "text",
    [
        "($a := $pad('', 600000, 'x'); $a & $a)",
        "$join([1..100000].('abcdefghijkl'))",
        "$replace($pad('', 1000000, 'a'), 'a', 'bb')",
        "$string($map([1..100000], function($v){'abcdefghij'}))",
        "$pad('x', 1000000000)",
    ],
)
def test_a_text_that_would_be_too_long_is_not_made(text: str) -> None:
    assert failure(text).code == Code.EXPRESSION_LIMIT


@pytest.mark.parametrize(
    "text",
    [
        "$map([1..600], function($i){[1..100000]})",
        "$map([1..2000], function($i){$sum([1..100000])})",
        "($x := [{'i': [1..50000]}, {'i': [1..50000]}]; $map([1..99999], function($i){$x.i}))",
        "($x := [1..99999]; $map($x, function($i){$i in $x}))",
        "($x := [1..99999]; $x[$x])",
        "($s := $pad('', 1000000, 'a'); $map([1..99999], function($i){$s < $s}))",
        "$reduce([1..99999], $append)",
        "($x := [[]]; " + "$x := [[$x], [$x]]; " * 50 + "$x ? 1 : 2)",
    ],
)
def test_what_would_take_too_long_ends_with_the_budget(text: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        program(text).run(Context(steps={}, input={}), 300_000)
    assert caught.value.code == Code.EXPRESSION_LIMIT


def test_long_rows_of_operators_do_not_nest() -> None:
    brackets = "(" * 15 + "1" + (")" + "+1" * 120) * 15
    assert compile_tree(tree(brackets, root=True)).run(Context.of_root(None)) == 1801
    defaults = "??".join(["gone"] * 250) + "??5"
    assert compile_tree(tree(defaults, root=True)).run(Context.of_root({})) == 5
    chained = "1" + "~>$string()" * 100
    assert compile_tree(tree(chained, root=True)).run(Context.of_root({})) == "1"


# Messages


@pytest.mark.parametrize(
    ("text", "steps", "message", "hint"),
    [
        (
            "steps.a.nmae",
            {"a": {"name": 1, "id": 2}},
            '`steps.a.nmae` names no field; the fields of `steps.a` are "name", "id"',
            "write one of these, or give a default with `??` if the field may be missing",
        ),
        (
            "steps.a.rows.length",
            {"a": {"rows": [{"x": 1}, {"y": 2}]}},
            '`steps.a.rows.length` names no field; the fields of `steps.a.rows` are "x", "y"',
            "for its length write $count(steps.a.rows)",
        ),
        (
            "steps.a.name.length",
            {"a": {"name": "x"}},
            "`steps.a.name.length` names no field: `steps.a.name` is text, not an object",
            "for its length write $length(steps.a.name)",
        ),
        (
            "steps.a.line-1",
            {"a": {"line-1": "x"}},
            '`steps.a.line` names no field; the fields of `steps.a` are "line-1"',
            "a name with a hyphen stands in backticks: steps.a.`line-1`",
        ),
        (
            "steps.a.x.y",
            {"a": {"x": None}},
            "`steps.a.x.y` names no field: `steps.a.x` is null, not an object",
            "use `steps.a.x` itself, or give a default with `??`",
        ),
        (
            "steps.a.x",
            {"a": {}},
            "`steps.a.x` names no field: `steps.a` is an object without fields",
            "give a default with `??`, or let the tool return the field",
        ),
        (
            "steps.a.`x y`",
            {"a": "t"},
            "`steps.a.`x y`` names no field: `steps.a` is text, not an object",
            "use `steps.a` itself, or let the tool return an object",
        ),
    ],
)
def test_a_strict_name_says_what_there_is(
    text: str, steps: dict[str, Any], message: str, hint: str
) -> None:
    error = failure(text, **steps)
    assert (error.code, error.message, error.hint) == (Code.NO_VALUE, message, hint)
    assert str(error) == f"{message}; {hint}"


def test_a_strict_name_shows_twenty_fields_by_first_appearance() -> None:
    rows = [{f"f{n}": n} for n in range(30)]
    message = failure("steps.a.x", a=rows).message
    assert '"f0", "f1"' in message
    assert '"f19" and 10 more' in message


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "steps.a & 1 + 'x'",
            "`+` needs numbers, and its left side is text",
            "join texts with `&`, or make a number of it with $number(...)",
        ),
        (
            "1 - null",
            "`-` needs numbers, and its right side is null",
            "say what null stands for, as in `x = null ? 0 : x`",
        ),
        (
            "null > 3",
            "`>` compares numbers or texts, and its left side is null",
            "say what null stands for, as in `x != null and x > 3`",
        ),
        (
            "'1' > 3",
            "`>` compares text with a number",
            "make both sides numbers with $number(...), or both texts with $string(...)",
        ),
        (
            "1 / 0",
            "division by zero gives no finite number",
            "test the numbers first, as in `b != 0 ? a / b : 0`",
        ),
        (
            "[1..'3']",
            "`..` needs whole numbers, and its right side is text",
            "round it with $round(...), or make a number of a text with $number(...)",
        ),
        (
            "{1: 2}",
            "a key of an object must be a text, and it is a number",
            "make a text of it with $string(...)",
        ),
        (
            "$sort([2, 1], function($l, $r){$l - $r})",
            "the comparator of $sort must give true or false, and it gives a number",
            "compare with `>`, as in function($l, $r){$l.size > $r.size}",
        ),
    ],
)
def test_a_failure_says_what_was_wrong_and_what_to_write(
    text: str, message: str, hint: str
) -> None:
    error = failure(text, a="x")
    assert (error.code, error.message, error.hint) == (Code.EVALUATION_FAILED, message, hint)


# Numbers that lose digits


def test_an_integer_beyond_the_safe_ones_is_no_result() -> None:
    error = failure("steps.a.id", a={"id": 9007199254740993})
    assert (error.code, error.hint) == (
        Code.UNSAFE_NUMBER,
        "let the tool return ids as text",
    )


def test_a_plain_path_passes_such_an_integer_on_if_the_host_says_exact() -> None:
    stored = ingest({"a": {"ids": [9007199254740993]}}, integers="exact")
    context = Context(steps=stored, input={})
    found = program("steps.a.ids").run(context, integers="exact")
    assert found == [9007199254740993]
    assert [type(item) for item in found] == [int]
    for text in ("[steps.a.ids]", "steps.a.ids[0] + 0"):
        with pytest.raises(EvaluationError) as caught:
            program(text).run(context, integers="exact")
        assert caught.value.code == Code.UNSAFE_NUMBER


def test_within_an_expression_such_an_integer_is_the_nearest_double() -> None:
    stored = ingest({"a": 9007199254740993, "b": 9007199254740992}, integers="exact")
    context = Context(steps=stored, input={})
    assert program("steps.a = steps.b").run(context) is True
    assert program("'' & steps.a").run(context) == "9007199254740992"
    assert program("steps.a - steps.b").run(context) == 0
    assert program("$count($distinct([steps.a, steps.b]))").run(context) == 1


def test_a_literal_beyond_the_exact_integers_is_the_nearest_double() -> None:
    text = compile_tree(Literal(value=9007199254740993)).run_counted
    with pytest.raises(EvaluationError):
        text(Context.of_root(None))


# Where the reference is not followed


def test_a_call_that_ends_a_lambda_has_null_for_its_context() -> None:
    """As in the reference; only a call whose arguments fit no other way takes it then."""
    error = failure("steps.a.$map([1], function($v){$replace($v.x, 'b', 1)})", a={"x": 1})
    assert error.message.startswith("$replace is given no value")
    assert value("steps.a.$map([1], function($v){$string() & ''})", a={"x": 1}) == '{"x":1}'


def test_data_that_looks_like_the_references_own_marks_is_data() -> None:
    marked = {"_jsonata_lambda": True, "sequence": True, "outerWrapper": True, "x": 1}
    assert value("steps.a.x", a=marked) == 1
    assert value("$count($keys(steps.a))", a=marked) == 4


def test_a_list_is_never_equal_to_an_object() -> None:
    assert value("[] = {'length': 0}") is False
