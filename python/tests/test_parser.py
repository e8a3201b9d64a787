"""The library's parser behind its door: what it may not do to the process or to a text."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.evaluate.closures import Compiler
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.expressions import parse as parse_module
from strands_plan_tool.expressions.parser import UnreadableError, library, parse
from strands_plan_tool.expressions.scan import scan
from strands_plan_tool.recursion import deep_calls

SCOPE = Scope(ids=("a",))


def in_a_new_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout


def test_the_library_is_imported_on_first_use_and_leaves_the_recursion_limit() -> None:
    seen = in_a_new_process(
        "import sys; sys.setrecursionlimit(1234)\n"
        "from strands_plan_tool.expressions import Scope, parse_expression\n"
        "scope = Scope(ids=('a',))\n"
        "parse_expression('steps.a.x', scope), parse_expression('[steps.a.x]', scope)\n"
        "print('jsonata' in sys.modules)\n"
        "parse_expression('steps.a.x + 1', scope)\n"
        "print('jsonata' in sys.modules, sys.getrecursionlimit())"
    )
    assert seen.split() == ["False", "True", "1234"]


def test_nothing_is_printed_for_text_that_the_library_complains_about() -> None:
    seen = in_a_new_process(
        "from strands_plan_tool.expressions import Scope, parse_expression\n"
        "for text in ('steps.a.x()', 'a b', '1 +', '$f(', '|a|b|', '$$$', 'a@b', '%'):\n"
        "    assert parse_expression(text, Scope(ids=('a',)))[0] is None\n"
        "    parse_expression(text, None)"
    )
    assert seen == ""


def test_the_library_is_unchanged_for_its_other_users() -> None:
    parse_expression("steps.a.x ?? 1", SCOPE)
    other = library().Jsonata("a[0] ?? 1").ast
    assert (other.type, other.condition.procedure.value) == ("condition", "exists")


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("a b", "S0201", 1),
        ("a +", "S0207", 2),
        ("{'a' 1}", "S0202", 2),
        ("+ 1", "S0211", 0),
        ("a ~ b", "S0204", 1),
        ("function(1){2}", "S0208", 2),
        ("a{b: c}{d: e}", "S0210", 6),
        ("1 := 2", "S0212", 0),
        ("a.1", "S0213", 2),
    ],
)
def test_what_cannot_be_parsed_is_told_by_its_token(text: str, code: str, at: int) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse(scan(text))
    assert (caught.value.code, caught.value.at) == (code, at)


def test_positions_are_starts_of_tokens_in_code_points() -> None:
    tree = parse(scan('"😀" & a[1] & {"k": -$v}'))
    assert (tree.position, tree.lhs.position, tree.rhs.position) == (11, 4, 13)
    assert tree.lhs.lhs.position == 0
    assert tree.rhs.lhs_object[0][1].position == 19


def texts_as_deep_as_allowed() -> dict[str, str]:
    level = "1 or 1 and 1=1&1*$steps.a.("
    return {
        "precedences": level * 63 + "1" + ")" * 63,
        "operators": "((((((1" + "+1" * 250 + (")" + "+1" * 250) * 6,
        "fallbacks": "((1" + "??1" * 250 + ")" + "??1" * 250 + ")" + "??1" * 250,
        "chains": "(1)" + "??(1)" * 250,
        "paths": "(((($steps.a" + ".x" * 250 + (").x" + ".x" * 250) * 4,
        "conditions": "1?2:" * 64 + "3",
        "predicates": "$steps.a[" * 64 + "1" + "]" * 64,
        "functions": "$map([1],function($v){" * 21 + "1" + "})" * 21,
    }


@pytest.mark.parametrize("name", texts_as_deep_as_allowed())
def test_text_within_the_limits_is_read_however_deep_it_is(name: str) -> None:
    limit = sys.getrecursionlimit()
    expression, problems = parse_expression(texts_as_deep_as_allowed()[name], SCOPE)
    assert expression is not None, problems
    assert sys.getrecursionlimit() == limit


def test_a_caller_deep_in_its_own_calls_is_served() -> None:
    def deep(levels: int) -> Any:
        return (
            parse_expression("$sum(steps.a.x[y > 1].(z * 2))", SCOPE)
            if levels == 0
            else deep(levels - 1)
        )

    assert deep(sys.getrecursionlimit() - 150)[0] is not None


def test_threads_read_side_by_side_and_leave_the_limit_as_it_was() -> None:
    limit = sys.getrecursionlimit()
    deep = texts_as_deep_as_allowed()
    texts = [f"steps.a[x = {n}].y & 'z'" for n in range(20)] + list(deep.values())
    expected = [parse_expression(text, SCOPE)[0] for text in texts]
    start = threading.Barrier(4)

    def read(_: int) -> bool:
        start.wait()
        found = [parse_expression(text, SCOPE)[0] for text in texts]
        return [e.text for e in found if e] == [e.text for e in expected if e]

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(read, range(4)))
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("name", texts_as_deep_as_allowed())
def test_deep_text_runs_and_reading_it_opens_no_more_calls_than_are_reckoned(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reckoned: list[int] = []
    measured = 0

    @contextmanager
    def room(calls: int) -> Iterator[None]:
        nonlocal measured
        reckoned.append(calls)
        with deep_calls():
            open_calls = deepest = 0

            def count(frame: Any, event: str, _: Any) -> None:
                nonlocal deepest, open_calls
                if event == "call":
                    open_calls += 1
                    deepest = max(deepest, open_calls)
                elif event == "return":
                    open_calls -= 1

            sys.setprofile(count)
            try:
                yield
            finally:
                sys.setprofile(None)
            measured = max(measured, deepest)

    monkeypatch.setattr(parse_module, "room_for", room)
    expression, problems = parse_expression(texts_as_deep_as_allowed()[name], SCOPE)
    assert expression is not None, problems
    assert 0 < measured < max(reckoned)
    limit = sys.getrecursionlimit()
    with suppress(EvaluationError):
        compile_tree(expression.tree).run(Context({"a": {"x": 1}}))
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$$.steps.a[", "]"),
        ("$$.steps.a[x = ", "]"),
        ('{"a":', "}"),
        ('{"a" & ', ':1}."a1"'),
        ("steps.a{x: ", "}"),
        ("(", ")"),
        ("[", "]"),
        ("$map([1], function($v){", "})"),
        ("$filter($$.steps.a, function($v){$v.x = ", "})"),
        ("steps.a^(", ")"),
        ("steps.a.(", ")"),
        ("(1 = 1 ? ", " : 2)"),
    ],
)
def test_making_closures_takes_each_node_once_however_deep_it_nests(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    plain = Compiler._closure

    def counted(self: Compiler, node: Any) -> Any:
        nonlocal made
        made += 1
        return plain(self, node)

    monkeypatch.setattr(Compiler, "_closure", counted)
    counts = []
    for levels in (1, 3, 5):
        expression, problems = parse_expression(before * levels + "(1)" + after * levels, None)
        assert expression is not None, problems
        made = 0
        compile_tree(expression.tree)
        counts.append(made)
    assert counts[2] - counts[1] == counts[1] - counts[0]


def test_room_for_deep_calls_is_shared_and_given_back_by_the_last() -> None:
    limit = sys.getrecursionlimit()
    with deep_calls():
        raised = sys.getrecursionlimit()
        with deep_calls():
            assert sys.getrecursionlimit() == raised > limit
        assert sys.getrecursionlimit() == raised
    assert sys.getrecursionlimit() == limit
