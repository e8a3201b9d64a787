"""How long eight independent tools of 250 ms take: in one plan, in the plain loop, by hand.

    python bench/bench_strands.py

Needs the extra `strands`. Ends with 1 if a plan of async tools takes over 0.40 s, or a plan of
blocking tools over 1.15 times what the plain loop takes for the same eight calls in one turn.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from strands import Agent, tool

from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, ToolCall

STEPS = 8
WAIT_S = 0.25
ROUNDS = 5
MOST_ASYNC_S = 0.40
MOST_BLOCKING = 1.15


@tool
async def wait_async(n: int) -> dict[str, int]:
    """Wait without blocking."""
    await asyncio.sleep(WAIT_S)
    return {"n": n}


@tool
def wait_blocking(n: int) -> dict[str, int]:
    """Wait and block the thread."""
    time.sleep(WAIT_S)
    return {"n": n}


async def in_a_plan(waiting: Any) -> None:
    steps = [{"id": f"s{n}", "tool": waiting.tool_name, "args": {"n": n}} for n in range(STEPS)]
    plan = {
        "steps": steps,
        "output": f"$sum([{', '.join(f'steps.s{n}.n' for n in range(STEPS))}])",
    }
    model = ScriptedModel(ToolCall(TOOL_NAME, {**plan, "final": True}))
    agent = Agent(
        model=model, tools=[waiting], plugins=[WorkflowPlanPlugin()], callback_handler=None
    )
    result = await agent.invoke_async("go")
    assert str(result).strip() == "28", result


async def in_the_plain_loop(waiting: Any) -> None:
    calls = [ToolCall(waiting.tool_name, {"n": n}) for n in range(STEPS)]
    agent = Agent(model=ScriptedModel(calls, "28"), tools=[waiting], callback_handler=None)
    await agent.invoke_async("go")


async def by_hand(waiting: Any) -> None:
    if waiting is wait_async:
        await asyncio.gather(*(waiting(n=n) for n in range(STEPS)))
    else:
        await asyncio.gather(*(asyncio.to_thread(waiting, n=n) for n in range(STEPS)))


async def best_of(way: Callable[[Any], Awaitable[None]], waiting: Any) -> float:
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        await way(waiting)
        taken.append(time.perf_counter() - begun)
    return min(taken)


async def main() -> int:
    """Measure, print, judge."""
    # The first agent of a process pays for imports that belong to none of the ways.
    await in_a_plan(wait_async)
    kept = True
    print(f"{STEPS} independent tools of {WAIT_S * 1000:.0f} ms, best of {ROUNDS}, seconds")
    for name, waiting in (("async", wait_async), ("blocking", wait_blocking)):
        plan, loop, hand = [
            await best_of(way, waiting) for way in (in_a_plan, in_the_plain_loop, by_hand)
        ]
        print(
            f"{name:9} plan {plan:.3f}   plain loop {loop:.3f} (x{plan / loop:.2f})"
            f"   asyncio.gather {hand:.3f} (x{plan / hand:.2f})"
        )
        kept &= plan <= MOST_ASYNC_S if name == "async" else plan <= MOST_BLOCKING * loop
    print(
        f"{'kept' if kept else 'BROKEN'}: async plan at most {MOST_ASYNC_S:.2f} s, "
        f"blocking plan at most x{MOST_BLOCKING} of the plain loop"
    )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
