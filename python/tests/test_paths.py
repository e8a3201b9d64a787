"""Plain paths are read without the library's parser, to the tree that it would lead to."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.expressions import parse as front
from strands_plan_tool.expressions.parser import parse
from strands_plan_tool.expressions.paths import is_plain_path, read_plain, read_plain_list
from strands_plan_tool.expressions.profile import tree_of
from strands_plan_tool.expressions.references import references
from strands_plan_tool.expressions.scan import scan
from strands_plan_tool.functions import FUNCTIONS

SCOPE = Scope(ids=("a", "b1", "steps", "item"), has_item=True)

words = st.one_of(
    st.sampled_from(["a", "b1", "steps", "item", "index", "x_y", "True", "length", "function"]),
    st.sampled_from(["and", "or", "in", "true", "null", "order", "nullable", "inner", "_"]),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True),
)
parts = st.one_of(
    words.map(lambda word: "." + word),
    st.integers(0, 10**15).map(lambda index: f"[{index}]"),
    st.sampled_from(["[00]", "[-1]", "[x]", "[]", ".`a b`", " .x", ".x ", ".1", "..x", "."]),
)
roots = st.one_of(
    words.map(lambda word: "steps." + word), st.sampled_from(["item", "steps", "items"])
)
paths = st.builds(lambda root, rest: root + "".join(rest), roots, st.lists(parts, max_size=6))
around = st.sampled_from(
    [("", ""), ("[", "]"), ("(", ")"), ("$nope(", ")"), ("[", ")"), ("", "]"), ("-", "")]
    + [(f"${name}(", ")") for name in FUNCTIONS]
)
texts = st.builds(lambda pair, path: pair[0] + path + pair[1], around, paths)


@settings(max_examples=2000, deadline=None)
@given(texts)
def test_a_plain_path_has_the_tree_and_the_reads_of_the_library_s_route(text: str) -> None:
    plain = read_plain(text, SCOPE)
    if plain is None:
        return
    scanned = scan(text)
    assert scanned.fault is None
    tree, faults = tree_of(parse(scanned), scanned, SCOPE)
    found = references(tree, scanned, SCOPE)
    assert (faults, found.faults) == ([], [])
    assert plain == (tree, found.reads[0])
    assert found.reads == [plain[1]]
    assert found.uses_item == (plain[1].root == "item")


@settings(max_examples=500, deadline=None)
@given(texts)
def test_an_expression_is_the_same_whichever_way_it_is_read(text: str) -> None:
    read_both_ways(text)


def read_both_ways(text: str) -> None:
    fast = parse_expression(text, SCOPE)
    slow = front._examined(text, SCOPE)
    assert (fast[0] is None) == bool(slow.faults)
    if fast[0] is not None and slow.tree is not None:
        assert fast[0] == front._expression(text, slow.tree, slow.references)


lists = st.builds(
    lambda items, between, end: "[" + between.join(items) + end,
    st.lists(paths, min_size=1, max_size=5),
    st.sampled_from([",", ", ", ",  ", " ,", ",\n"]),
    st.sampled_from(["]", ",]", " ]", ", ]", "", "]]"]),
)


@settings(max_examples=1500, deadline=None)
@given(lists)
def test_a_list_of_plain_paths_is_the_same_whichever_way_it_is_read(text: str) -> None:
    read_both_ways(text)


def test_a_list_of_plain_paths_is_read_without_the_parser() -> None:
    every = ", ".join(f"steps.s{n}.x[0]" for n in range(200))
    for text in (f"[{every}]", "[steps.a.x,item]"):
        plain = read_plain_list(text, SCOPE)
        assert plain is not None
        assert len(plain[1]) == text.count(",") + 1
    for text in (
        "[steps.a]",
        "[steps.a,]",
        "[steps.a, ]",
        "[steps.a, 1]",
        "[steps.a,b]",
        "[,]",
    ):
        assert read_plain_list(text, SCOPE) is None, text
    assert read_plain_list("[item, steps.a]", Scope(ids=("a",))) is None


def test_the_common_forms_are_read_without_the_parser() -> None:
    for text in (
        "steps.a",
        "steps.a.x.y",
        "steps.a[0].x",
        "item",
        "item.x[1][2]",
        "[steps.a.x]",
        "[item]",
        "$count(steps.a.rows)",
        "$exists(item.x)",
        "$sort(steps.a.x)",
    ):
        assert read_plain(text, SCOPE) is not None, text


def test_other_forms_are_left_to_the_parser() -> None:
    for text in (
        "steps",
        "steps[0]",
        "steps.null",
        "items.x",
        "item.and",
        "steps.a .x",
        "steps.a[-1]",
        "steps.a[01]",
        "$lookup(steps.a)",
        "$map(item)",
        "$each(item)",
        "$nope(item)",
        "[steps.a",
        "(steps.a)",
        "steps.a" + ".x" * 500,
        "$eval(item)",
        "",
    ):
        assert read_plain(text, SCOPE) is None, text
    assert read_plain("item.x", Scope(ids=("a",))) is None


def test_what_is_wholly_a_plain_path_does_not_depend_on_who_read_it() -> None:
    for text in ("steps.a", "item.x[0].y", " steps.a.x", "steps.`a`.x[1]", "steps . a"):
        expression, _ = parse_expression(text, SCOPE)
        assert expression is not None
        assert expression.plain_path, text
    for text in (
        "[steps.a.x]",
        "$count(steps.a)",
        "$steps.a",
        "(steps.a)",
        "steps.a[x]",
        "steps.a.*",
        "steps.a[]",
        "steps.a[1.5]",
        "input.x",
        "index",
        "1",
    ):
        expression, problems = parse_expression(text, SCOPE)
        assert expression is not None, problems
        assert not expression.plain_path, text
        assert not is_plain_path(expression.tree)
