"""A chain and a fan of steps that do nothing, timed in whichever environment runs this.

    python peers.py plan|langgraph|asyncio chain|fan [--steps 200] [--rounds 15]

``plan`` is the ``strands_plan_tool`` that is installed there, of whatever version. Prints one
JSON list: microseconds a step, of each round.
"""

import argparse
import asyncio
import importlib
import json
import operator
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypedDict

Run = Callable[[], Awaitable[Any]]


async def no_op(name: str, args: dict[str, Any]) -> Any:
    """A tool."""
    return {"n": 1}


def of_plan(shape: str, steps: int) -> Run:
    """The plan, checked and run each time."""
    from strands_plan_tool import WorkflowPlan, execute_plan  # noqa: PLC0415

    made: list[dict[str, Any]] = [{"id": f"s{n}", "tool": "t"} for n in range(steps)]
    if shape == "chain":
        for n in range(1, steps):
            made[n]["bind"] = {"x": f"steps.s{n - 1}.n"}
    else:
        every = ", ".join(f"steps.s{n}.n" for n in range(steps))
        made.append({"id": "all", "tool": "t", "bind": {"every": f"[{every}]"}})
    plan = WorkflowPlan.model_validate_json(
        json.dumps({"steps": made, "returns": [made[-1]["id"]]})
    )

    async def run() -> None:
        result = await execute_plan(plan, no_op, max_steps=len(made))
        assert list(result.returned.values()) == [{"n": 1}], result

    return run


def of_langgraph(shape: str, steps: int) -> Run:
    """The graph, compiled once and run each time."""
    graphs: Any = importlib.import_module("langgraph.graph")

    class Chained(TypedDict):
        n: int

    class Fanned(TypedDict):
        n: Annotated[int, operator.add]

    graph: Any = graphs.StateGraph(Chained if shape == "chain" else Fanned)

    async def node(state: Any) -> dict[str, int]:
        return {"n": 1}

    names = [f"s{n}" for n in range(steps)]
    for name in [*names, "all"]:
        graph.add_node(name, node)
    if shape == "chain":
        for before, after in zip([graphs.START, *names], [*names, "all"], strict=True):
            graph.add_edge(before, after)
    else:
        for name in names:
            graph.add_edge(graphs.START, name)
        graph.add_edge(names, "all")
    graph.add_edge("all", graphs.END)
    compiled = graph.compile()

    async def run() -> None:
        await compiled.ainvoke({"n": 0}, {"recursion_limit": steps + 5})

    return run


def of_asyncio(shape: str, steps: int) -> Run:
    """The same by hand: a task for each call."""

    async def run() -> None:
        if shape == "chain":
            found = {"n": 0}
            for _ in range(steps):
                found = await asyncio.create_task(no_op("t", {"x": found["n"]}))
        else:
            every = await asyncio.gather(*(no_op("t", {}) for _ in range(steps)))
            await no_op("t", {"every": [each["n"] for each in every]})

    return run


async def measure(run: Run, steps: int, rounds: int) -> list[float]:
    """Microseconds a step, of each round; the first is not counted."""
    taken = []
    for _ in range(rounds + 1):
        begun = time.perf_counter()
        await run()
        taken.append((time.perf_counter() - begun) / steps * 1e6)
    return taken[1:]


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", choices=["plan", "langgraph", "asyncio"])
    options.add_argument("shape", choices=["chain", "fan"])
    options.add_argument("--steps", type=int, default=200)
    options.add_argument("--rounds", type=int, default=15)
    given = options.parse_args()
    of = {"plan": of_plan, "langgraph": of_langgraph, "asyncio": of_asyncio}[given.what]
    run = of(given.shape, given.steps)
    print(json.dumps(asyncio.run(measure(run, given.steps, given.rounds))))


if __name__ == "__main__":
    main()
