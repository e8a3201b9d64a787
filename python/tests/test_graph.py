"""Dependencies, levels and cycles, as the published functions give them and at any size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strands_plan_tool.cycles import components, levels_of_graph, shortest_cycle
from strands_plan_tool.errors import (
    DanglingReferenceError,
    DuplicateStepError,
    PlanCycleError,
    StepLimitError,
    ToolNotPlannableError,
)
from strands_plan_tool.graph import (
    Reference,
    build_graph,
    dependencies_of,
    plan_levels,
    text_references,
)
from strands_plan_tool.models import Code, PlanStep, WorkflowPlan


def step(id: str = "a", **fields: Any) -> PlanStep:
    return PlanStep(id=id, tool="t", **fields)


def plan(*steps: PlanStep, returns: Sequence[str] = ("a",)) -> WorkflowPlan:
    return WorkflowPlan(steps=steps, returns=tuple(returns))


def levels(*steps: PlanStep, **options: Any) -> list[list[str]]:
    return [[each.id for each in level] for level in plan_levels(plan(*steps), **options)]


def test_a_step_depends_on_what_its_expressions_read_and_on_after() -> None:
    reader = step(
        "x",
        bind={"p": "steps.a.v & steps.b", "q": '$lookup(steps, "c").v'},
        when="$steps.d.ok",
        for_each="steps.`e`.list",
        after=["f", "a"],
    )
    assert dependencies_of(reader) == frozenset("abcdef")


def test_dependencies_leave_out_the_step_itself_strings_and_comments() -> None:
    reader = step("x", bind={"p": 'steps.x.v & "steps.b" /* steps.c */'}, after=["x"])
    assert dependencies_of(reader) == frozenset()


def test_a_refused_expression_still_shows_what_it_reads() -> None:
    assert dependencies_of(step("x", when="steps.a.at < $now()")) == {"a"}
    assert dependencies_of(step("x", when="steps.a.n ==")) == {"a"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("steps.abc.x + steps.ab", ("abc", "ab")),
        ("$steps.abc and jobs.steps.abd and 'steps.abc'", ("abc", "abd")),
        ("{{ steps . abc }}", ("abc",)),
        ("steps.Abc, xsteps.abc, steps.9, steps.`abc`, steps.abc.", ("abc",)),
        ("steps." + "a" * 33, ()),
    ],
)
def test_in_a_foreign_language_references_are_found_by_their_looks(
    text: str, ids: tuple[str, ...]
) -> None:
    assert text_references(text) == ids


def test_levels_hold_the_steps_in_document_order() -> None:
    assert levels(
        step("d", after=["b"]), step("b", bind={"x": "steps.a.v"}), step("a"), step("c")
    ) == [["a", "c"], ["b"], ["d"]]


def test_levels_hold_the_plans_own_steps() -> None:
    given_plan = plan(step("a"), step("b", after=["a"]))
    assert plan_levels(given_plan) == ((given_plan.steps[0],), (given_plan.steps[1],))


@pytest.mark.parametrize(
    ("steps", "options", "error", "attributes"),
    [
        ([step(), step("b")], {"max_steps": 1}, StepLimitError, {"count": 2, "limit": 1}),
        ([step(), step()], {}, DuplicateStepError, {"step_id": "a"}),
        (
            [step(after=["z"])],
            {},
            DanglingReferenceError,
            {"step_id": "a", "missing": "z", "field": "dependencies"},
        ),
        (
            [step("b")],
            {},
            DanglingReferenceError,
            {"step_id": "a", "missing": "a", "field": "returns"},
        ),
        (
            [step(), step("b")],
            {"allowed_tools": iter(["y", "x", "y"])},
            ToolNotPlannableError,
            {"step_id": "a", "tool": "t", "allowed": ("x", "y")},
        ),
        (
            [step(after=["b"]), step("b", after=["a"]), step("c", after=["b"])],
            {},
            PlanCycleError,
            {"remaining": ("a", "b")},
        ),
        ([step(bind={"x": "steps.a.v"})], {}, PlanCycleError, {"remaining": ("a",)}),
    ],
)
def test_levels_of_a_plan_that_cannot_run_raise_as_published(
    steps: list[PlanStep],
    options: dict[str, Any],
    error: type[Exception],
    attributes: dict[str, object],
) -> None:
    with pytest.raises(error) as caught:
        plan_levels(plan(*steps), **options)
    assert type(caught.value) is error
    assert {name: getattr(caught.value, name) for name in attributes} == attributes


def test_allowed_tools_may_be_any_iterable_but_one_string() -> None:
    assert levels(step(), allowed_tools={"t"}) == [["a"]]
    assert levels(step(), allowed_tools=(name for name in ["t"])) == [["a"]]
    with pytest.raises(TypeError):
        levels(step(), allowed_tools="t")


def test_a_chain_of_ten_thousand_has_ten_thousand_levels() -> None:
    size = 10_000
    steps = [step("s0")]
    steps += [step(f"s{at}", bind={"x": f"steps.s{at - 1}.v"}) for at in range(1, size)]
    found = plan_levels(plan(*steps[::-1], returns=["s0"]), max_steps=size)
    assert [level[0].id for level in found] == [f"s{at}" for at in range(size)]


def test_a_ring_of_ten_thousand_is_one_cycle_of_them_all() -> None:
    size = 10_000
    steps = [step(f"s{at}", after=[f"s{(at + 1) % size}"]) for at in range(size)]
    with pytest.raises(PlanCycleError) as caught:
        plan_levels(plan(*steps, returns=["s0"]), max_steps=size)
    assert caught.value.remaining == tuple(f"s{at}" for at in range(size))
    assert len(caught.value.diagnostics) == 1
    assert len(caught.value.diagnostics[0].message) < 200


def graph(*edges: str, ids: str) -> list[tuple[str, tuple[str, ...]]]:
    """The cycles of steps with one-letter ids; ``"ab"`` is a that waits for b."""
    places = [("steps", ids.index(edge[0]), "after", edge[1]) for edge in edges]
    references = [
        Reference(ids.index(e[0]), e[1], p) for e, p in zip(edges, places, strict=True)
    ]
    found = build_graph(list(ids), references).findings
    return [(f.code.value, f.subject[0]) for f in found]  # type: ignore[misc]


def test_a_cycle_is_the_shortest_one_through_the_earliest_step() -> None:
    assert graph("ab", "bc", "ca", "ac", ids="abc") == [("cycle", ("a", "c"))]


def test_of_equally_short_cycles_the_one_of_earlier_dependencies_is_told() -> None:
    assert graph("ac", "ab", "ba", "ca", ids="abc") == [("cycle", ("a", "b"))]
    assert graph("ad", "ac", "cb", "db", "ba", ids="abcd") == [("cycle", ("a", "c", "b"))]


def test_a_cycle_is_listed_along_its_dependencies() -> None:
    assert graph("ac", "cb", "ba", ids="abc") == [("cycle", ("a", "c", "b"))]


def test_the_hint_of_a_cycle_names_a_place_that_closes_it() -> None:
    references = [Reference(0, "b", ("steps", 0, "when")), Reference(1, "a", ("steps", 1, "x"))]
    (finding,) = build_graph(["a", "b"], references).findings
    assert finding.code is Code.CYCLE
    assert finding.hint == 'break it, for example at /steps/1/x, which reads "a"'


def test_thousands_of_equal_ids_each_get_a_name_of_their_own() -> None:
    found = build_graph(["a"] * 10_000, []).findings
    hints = Counter(finding.hint for finding in found)
    assert len(hints) == 9_999


Edges = list[tuple[int, ...]]


@st.composite
def random_graphs(draw: st.DrawFn) -> Edges:
    size = draw(st.integers(1, 8))
    steps = st.lists(st.integers(0, size - 1), max_size=3)
    return [tuple(sorted({to for to in draw(steps) if to != at})) for at in range(size)]


def reachable(edges: Edges, start: int) -> set[int]:
    seen: set[int] = set()
    work = list(edges[start])
    while work:
        at = work.pop()
        if at not in seen:
            seen.add(at)
            work += edges[at]
    return seen


def cycles_through(edges: Edges, start: int) -> Iterator[tuple[int, ...]]:
    """Every simple cycle through a step, shortest first and then by positions."""
    ways: list[tuple[int, ...]] = [(start,)]
    while ways:
        for way in ways:
            if start in edges[way[-1]]:
                yield way
        ways = [(*way, to) for way in ways for to in edges[way[-1]] if to not in way]


@given(random_graphs())
def test_levels_and_cycles_are_those_that_a_search_of_all_finds(edges: Edges) -> None:
    reach = [reachable(edges, at) for at in range(len(edges))]
    knots = {
        frozenset(to for to in reach[at] if at in reach[to])
        for at in range(len(edges))
        if at in reach[at]
    }
    found, stuck = levels_of_graph(edges)
    assert (stuck == []) == (knots == set())
    assert set(components(edges, range(len(edges)))) == knots
    for knot in knots:
        assert tuple(shortest_cycle(edges, min(knot), knot)) == next(
            cycles_through(edges, min(knot))
        )
    if not knots:
        assert all(
            found[at] == 1 + max((found[to] for to in each), default=-1)
            for at, each in enumerate(edges)
        )
