"""The engine's times as ratios taken in one run, each with its spread and its target.

    python bench/bench_engine.py [--published PYTHON] [--langgraph PYTHON]

``PYTHON`` is the interpreter of an environment in which ``strands-plan-tool`` 0.4.0, or
LangGraph, is installed; without it that comparison is left out. Ends with 1 if a target is
missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strands_plan_tool import execute_plan
from strands_plan_tool.evaluate import Context, EvaluationError, Program, compile_tree
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.expressions.parser import library
from strands_plan_tool.models import Policy
from strands_plan_tool.validate import check_plan
from strands_plan_tool.values import ingest

PEERS = Path(__file__).with_name("peers.py")
ROUNDS = 9
PEER_ROUNDS = 5
MOST_BLOCK_MS = 50.0
FILTER = 'steps.a.rows[status = "open"].{"id": id, "name": name}'
_MANY = "$filter([1..1000], function($i){{$filter([1..1000], function($j){{({}; false)}})}})"
# What comes near the whole budget of steps, or near a limit of size, by different ways.
WORST = (
    _MANY.format("'' & 5e-324"),
    _MANY.format("[3, 1, 2]^($)"),
    _MANY.format("$string([0.5, 1.1])"),
    "$count($sort([1..100000], function($l, $r){$l % 1000 < $r % 1000}))",
    "($x := [1..100000]; $map([1..2000], function($i){$sum($x)}))",
    "$count($map([1..3000], function($i){$map([1..3000], function($j){$i * $j})}))",
    "$count($sort([1..100000], function($l, $r){$l < $r}))",
    "$count($keys($merge([1..100000].{$string($): $})))",
    "$map([1..100000], function($i){$map([1..90], function($j){{}})})",
)


class Report:
    """Prints each figure with its target."""

    def __init__(self) -> None:
        self.kept = True

    def ratio(self, title: str, ours: list[float], theirs: list[float], most: float) -> None:
        """Ours over theirs, of rounds that were taken in turn."""
        self.figure(title, [a / b for a, b in zip(ours, theirs, strict=True)], most, "x")

    def figure(self, title: str, found: list[float], most: float, unit: str) -> None:
        """A figure with its spread and the most it may be."""
        low, middle, high = statistics.quantiles(found, n=4, method="inclusive")
        holds = middle <= most
        self.kept &= holds
        print(
            f"{title:64} {middle:8.3f} {unit:2} (quartiles {low:.3f} to {high:.3f}),"
            f" at most {most:.3f}: {'holds' if holds else 'MISSED'}"
        )


def taken(run: Callable[[], object]) -> float:
    """Seconds of one call: the process's own, in which the turns of others do not count."""
    begun = time.process_time()
    run()
    return time.process_time() - begun


def in_turn(*ways: Callable[[], object], rounds: int = ROUNDS) -> list[list[float]]:
    """Seconds of each way, by rounds in which each has its turn; the first does not count."""
    found = [[taken(way) for way in ways] for _ in range(rounds + 1)][1:]
    return [list(column) for column in zip(*found, strict=True)]


def program(text: str) -> Program:
    """An expression, ready to run."""
    parsed, problems = parse_expression(text, Scope(ids=("a", "b")))
    assert parsed is not None, problems
    return compile_tree(parsed.tree)


def rows(count: int) -> Any:
    """A result of so many rows."""
    return ingest(
        [
            {
                "id": n,
                "name": f"name {n}",
                "status": "closed" if n % 3 else "open",
                "size": n / 2,
            }
            for n in range(count)
        ]
    )


def peer(python: str, *arguments: str) -> float:
    """The median round of a peer, in microseconds a step."""
    done = subprocess.run(
        [python, str(PEERS), *arguments], capture_output=True, text=True, check=True
    )
    rounds: list[float] = json.loads(done.stdout)
    return statistics.median(rounds)


def against_peers(report: Report, published: str | None, langgraph: str | None) -> None:
    """Chains and fans; processes take turns, so that a busy moment of the machine is shared."""
    wanted: list[tuple[str, str, str, str, float]] = []
    if published:
        wanted.append(("chain", published, "plan", "0.4.0", 1 / 8))
        wanted.append(("fan", published, "plan", "0.4.0", 1 / 2))
    if langgraph:
        wanted.append(("chain", langgraph, "langgraph", "LangGraph", 1 / 4))
    for shape, python, what, name, most in wanted:
        ours, theirs, hand = [], [], []
        for _ in range(PEER_ROUNDS):
            ours.append(peer(sys.executable, "plan", shape))
            theirs.append(peer(python, what, shape))
            hand.append(peer(sys.executable, "asyncio", shape))
        print(
            f"a {shape} of 200, microseconds a step: ours {statistics.median(ours):.1f},"
            f" {name} {statistics.median(theirs):.1f}, asyncio {statistics.median(hand):.1f}"
        )
        report.ratio(f"a {shape} of 200, to {name}", ours, theirs, most)


def bindings(report: Report) -> None:
    """Evaluation over a large result, and beside one."""
    many = rows(10_000)
    path = program("steps.b.name")
    beside = [
        Context(steps={"a": {"rows": around}, "b": {"name": "x"}}) for around in (many, rows(1))
    ]
    large, small = in_turn(*(lambda c=c: [path.run(c) for _ in range(2000)] for c in beside))
    report.ratio("a path beside 10,000 rows, to the same beside one", large, small, 1.5)
    ready = program(FILTER)
    theirs = library().Jsonata(FILTER)
    data = {"steps": {"a": {"rows": many}}}

    def by_hand() -> object:
        return [
            {"id": row["id"], "name": row["name"]} for row in many if row["status"] == "open"
        ]

    assert ready.run(beside[0]) == by_hand()
    own, hand = in_turn(lambda: ready.run(beside[0]), by_hand)
    report.ratio("filter and project 10,000 rows, to a comprehension", own, hand, 8)
    own, other = in_turn(lambda: ready.run(beside[0]), lambda: theirs.evaluate(data), rounds=5)
    report.ratio("filter and project 10,000 rows, to jsonata-python", own, other, 1 / 15)


def chain(steps: int) -> dict[str, Any]:
    """A plan of so many steps."""
    made: list[dict[str, Any]] = [{"id": f"s{n}", "tool": "t"} for n in range(steps)]
    for n in range(1, steps):
        made[n]["bind"] = {"x": f"steps.s{n - 1}.n", "y": f"steps.s{n - 1}.n + {n % 500}"}
    return {"steps": made, "returns": ["s0"]}


def paths(steps: int) -> dict[str, Any]:
    """A plan whose every binding is a plain path: of others there may be 1,000."""
    plan = chain(steps)
    for step in plan["steps"]:
        step.get("bind", {}).pop("y", None)
    return plan


def checking(report: Report) -> None:
    """How the check grows, and how long it takes."""
    policy = Policy(max_steps=10_000)
    for of, to in ((100, 1000), (1000, 10_000)):
        plans = paths(of), paths(to)
        few, more = in_turn(
            lambda plan=plans[0]: check_plan(plan, policy=policy),  # type: ignore[misc]
            lambda plan=plans[1]: check_plan(plan, policy=policy),  # type: ignore[misc]
            rounds=5,
        )
        report.ratio(f"checking {to:,} steps, to {of:,}", more, few, 12)
    plan, whole = paths(1000), chain(1000)
    block, most = in_turn(
        lambda: check_plan(plan, policy=policy), lambda: check_plan(whole, policy=policy)
    )
    title = "longest block: checking 1,000 steps, a path each"
    report.figure(title, [seconds * 1000 for seconds in block], MOST_BLOCK_MS, "ms")
    print(
        "the worst that the limits of one plan allow, 1,000 expressions that are no paths"
        f" beside as many paths: {statistics.median(most) * 1000:.0f} ms"
    )


async def longest_block(plan: dict[str, Any], result: Any) -> float:
    """The longest time, in milliseconds, that the loop did not turn while a plan ran."""
    longest = 0.0
    over = False

    async def watch() -> None:
        nonlocal longest
        while not over:
            before = time.perf_counter()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - before)

    async def call(name: str, args: dict[str, Any]) -> Any:
        return result if name == "rows" else {}

    watching = asyncio.create_task(watch())
    done = await execute_plan(plan, call)
    assert all(each.status == "ok" for each in done.ledger), done.ledger
    over = True
    await watching
    return longest * 1000


def blocking(report: Report) -> None:
    """How long the loop stands still."""
    made = [
        {"id": "a", "tool": "rows"},
        {"id": "b", "tool": "t", "bind": {"open": FILTER.replace("steps.a.rows", "steps.a")}},
    ]
    plan = {"steps": made, "returns": ["b"]}
    plain = [dict(row) for row in rows(10_000)]
    found = [asyncio.run(longest_block(plan, plain)) for _ in range(ROUNDS)]
    title = "longest block: taking in 10,000 rows and binding them"
    report.figure(title, found, MOST_BLOCK_MS, "ms")
    print("the worst that the default budget, which the bindings of a call share, allows:")
    worst = 0.0
    for text in WORST:
        ready = program(text)
        begun = time.process_time()
        try:
            _, steps = ready.run_counted(Context(steps={}))
            ended = f"a value after {steps:,} steps"
        except EvaluationError as error:
            ended = str(error.code)
        taken_s = time.process_time() - begun
        worst = max(worst, taken_s)
        print(f"  {taken_s:6.2f} s  {ended}: {text}")
    calls = Policy().max_concurrency
    print(
        f"so one call holds the loop for up to {worst:.1f} s, and the {calls} that start in one"
        f" moment for {worst * calls:.0f} s; a plan of {Policy().max_steps} steps, each with"
        f" `when`, `for_each` and bindings of one item, for"
        f" {3 * worst * Policy().max_steps:.0f} s in all"
    )


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--published")
    options.add_argument("--langgraph")
    given = options.parse_args()
    report = Report()
    against_peers(report, given.published, given.langgraph)
    bindings(report)
    checking(report)
    blocking(report)
    print("kept" if report.kept else "BROKEN")
    return 0 if report.kept else 1


if __name__ == "__main__":
    sys.exit(main())
