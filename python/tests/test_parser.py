"""The library's parser behind its door: what it may not do to the process or to a text."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from strands_plan_tool.expressions import Scope, parse_expression
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


@pytest.mark.skipif(
    sys.version_info < (3, 12) and sys.gettrace() is not None,
    reason="CPython 3.11 ends the process where a traced thread runs out of depth",
)
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


def test_room_for_deep_calls_is_shared_and_given_back_by_the_last() -> None:
    limit = sys.getrecursionlimit()
    with deep_calls():
        raised = sys.getrecursionlimit()
        with deep_calls():
            assert sys.getrecursionlimit() == raised > limit
        assert sys.getrecursionlimit() == raised
    assert sys.getrecursionlimit() == limit
