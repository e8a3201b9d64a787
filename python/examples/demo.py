"""The same three pieces of work, by the ordinary agent loop and by plans.

    python demo.py                           a scripted model, offline
    python demo.py --live PROVIDER MODEL     bedrock, anthropic, openai or ollama

The tools are real functions and really run; only the model is a script, which pauses before
each of its turns as a model would. Live, the model decides for itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from live_models import PROVIDERS, NotReadyError, live_model
from shop import LOOK_UP_S, TOOLS
from strands import Agent
from strands.hooks import BeforeModelCallEvent
from strands.models import Model
from strands.types.streaming import StreamEvent

from strands_plan_tool import PlanEvent
from strands_plan_tool.events import EventKind
from strands_plan_tool.strands_adapter import PLAN_NUDGE, TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, ToolCall, Turn, tool_call

THINKING_S = 0.4
BAR = 40
ENDS = (EventKind.OK, EventKind.FAILED, EventKind.SKIPPED, EventKind.NOT_TAKEN)
SHOP = "You answer questions about the customers of a shop. Answer in one short sentence."


class PausingModel(ScriptedModel):
    """A scripted model that takes its time before each turn."""

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[StreamEvent]:
        await asyncio.sleep(THINKING_S)
        async for event in super().stream(*args, **kwargs):
            yield event


@dataclass
class Work:
    """One request, and what the scripted model does about it either way."""

    title: str
    request: str
    loop: Sequence[Turn]
    plans: Sequence[dict[str, Any]]


@dataclass
class Run:
    """What one agent did about a request."""

    model_calls: int = 0
    seconds: float = 0
    answer: str = ""
    events: list[PlanEvent] = field(default_factory=list)
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The plans that the model wrote, by the id of the call."""
    refusals: dict[str, str] = field(default_factory=dict)
    """What was answered to those that were refused, by the same id."""


CHAIN_ANSWER = "Ann: A-22 comes with Otter Post, due Friday"
CHAIN_PLAN = {
    "steps": [
        {"id": "who", "tool": "find_customer", "args": {"email": "ann@example.org"}},
        {"id": "orders", "tool": "list_orders", "bind": {"customer_id": "steps.who.id"}},
        {"id": "parcel", "tool": "track", "bind": {"order_id": "steps.orders[-1].order_id"}},
    ],
    "output": "steps.who.name & ': ' & steps.orders[-1].order_id & ' comes with '"
    " & steps.parcel.carrier & ', due ' & steps.parcel.due",
    "final": True,
}
CHAIN_LOOP: list[Turn] = [
    tool_call("find_customer", email="ann@example.org"),
    tool_call("list_orders", customer_id=7),
    tool_call("track", order_id="A-22"),
    CHAIN_ANSWER,
]
# Three slips that models really make: a tool's name, a template among literals, a field.
FAULTY_PLAN = {
    "steps": [
        {"id": "who", "tool": "find_custmer", "args": {"email": "ann@example.org"}},
        {"id": "orders", "tool": "list_orders", "args": {"customer_id": "{{steps.who.id}}"}},
        {"id": "parcel", "tool": "track", "bind": {"order_id": "steps.orders[-1].order_id"}},
    ],
    "output": "steps.who.name & ': ' & steps.orders[-1].order_id & ' comes with '"
    " & steps.parcel.carier & ', due ' & steps.parcel.due",
    "final": True,
}
WORKS = [
    Work(
        "A chain of three",
        "When does Ann's latest order come? Her mail is ann@example.org.",
        CHAIN_LOOP,
        [CHAIN_PLAN],
    ),
    Work(
        "A look-up fanned out over a list of unknown length",
        "How much have our customers in Lyon spent in all?",
        [
            tool_call("list_customers", city="Lyon"),
            [tool_call("list_orders", customer_id=number) for number in (7, 8, 11, 12, 15)],
            "5 customers spent 200",
        ],
        [
            {
                "steps": [
                    {"id": "people", "tool": "list_customers", "args": {"city": "Lyon"}},
                    {
                        "id": "orders",
                        "tool": "list_orders",
                        "for_each": "steps.people",
                        "bind": {"customer_id": "item.id"},
                    },
                ],
                "output": "$count(steps.people) & ' customers spent '"
                " & $sum(steps.orders.total)",
                "final": True,
            }
        ],
    ),
    Work(
        "A plan that is refused, and repaired by its hints",
        "When does Ann's latest order come? Her mail is ann@example.org.",
        CHAIN_LOOP,
        [FAULTY_PLAN, CHAIN_PLAN],
    ),
]


def run_agent(request: str, model: Model, *, planning: bool) -> Run:
    """Give one request to a fresh agent, with or without the plan tool."""
    run = Run()
    agent = Agent(
        model=model,
        tools=[*TOOLS],
        plugins=[WorkflowPlanPlugin(on_event=run.events.append)] if planning else [],
        system_prompt=f"{SHOP}\n\n{PLAN_NUDGE}" if planning else SHOP,
        callback_handler=None,
    )

    def count(event: BeforeModelCallEvent) -> None:
        run.model_calls += 1

    agent.add_hook(count, BeforeModelCallEvent)
    start = time.perf_counter()
    run.answer = str(agent(request)).strip()
    run.seconds = time.perf_counter() - start
    for block in (block for message in agent.messages for block in message["content"]):
        use, result = block.get("toolUse"), block.get("toolResult")
        if use and use["name"] == TOOL_NAME:
            run.plans[use["toolUseId"]] = use["input"]
        if result and result["status"] == "error" and result["toolUseId"] in run.plans:
            texts = [part["text"] for part in result["content"] if "text" in part]
            run.refusals[result["toolUseId"]] = "\n".join(texts)
    return run


def print_ledger(events: Sequence[PlanEvent]) -> None:
    """One line for each step and each of its items: its end, and a bar from start to end."""
    last = max((event.at_ms for event in events), default=0) or 1
    print(f"    {'step':10}{'tool':16}{'status':10}{'ms':>4}  timeline")
    for end in (event for event in events if event.kind in ENDS):
        starts = [
            event.at_ms
            for event in events
            if event.kind is EventKind.START
            and event.step_id == end.step_id
            and end.index in (None, event.index)
        ]
        first = min(starts, default=end.at_ms)
        left, right = (round(moment / last * BAR) for moment in (first, end.at_ms))
        bar = " " * left + "#" * max(right - left, 1)
        name = end.step_id if end.index is None else f"  item {end.index}"
        tool = end.tool if end.index is None else ""
        took = end.at_ms - first
        print(f"    {name:10}{tool:16}{end.kind.value:10}{took:>4.0f}  |{bar:{BAR}}|")


def print_plan(plan: dict[str, Any]) -> None:
    """A plan as JSON, one step a line."""
    steps = ",\n        ".join(json.dumps(step) for step in plan["steps"])
    rest = {key: value for key, value in plan.items() if key != "steps"}
    print(f'    {{"steps": [\n        {steps}],\n     {json.dumps(rest)[1:]}\n')


def print_run(name: str, run: Run) -> None:
    calls = f"{run.model_calls} model call{'s' if run.model_calls != 1 else ''}"
    print(f"  {name}: {calls}, {run.seconds:.2f} s")
    for call, plan in run.plans.items():
        print_plan(plan)
        if call in run.refusals:
            print(textwrap.indent(run.refusals[call], "    ") + "\n")
    if run.events:
        print_ledger(run.events)
    print(f"    answer: {run.answer}")


def demo(model_for: Callable[[Work, bool], Model]) -> list[tuple[Run, Run]]:
    """Do all the work both ways, tell of it, and return each pair of runs."""
    pairs = []
    for number, work in enumerate(WORKS, start=1):
        print(f"\n{number}. {work.title}\n  request: {work.request}\n")
        pair = []
        for name, planning in (("ordinary loop", False), ("with a plan", True)):
            pair.append(run_agent(work.request, model_for(work, planning), planning=planning))
            print_run(name, pair[-1])
        pairs.append((pair[0], pair[1]))
    print("\nModel calls and seconds, the loop against the plan:")
    for work, (loop, plan) in zip(WORKS, pairs, strict=True):
        print(
            f"  {loop.model_calls} against {plan.model_calls}, "
            f"{loop.seconds:.2f} s against {plan.seconds:.2f} s   {work.title}"
        )
    return pairs


def scripted(work: Work, planning: bool) -> Model:
    plans = [ToolCall(TOOL_NAME, plan) for plan in work.plans]
    return PausingModel(*(plans if planning else work.loop))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; 2 if a live model cannot be used yet."""
    parser = argparse.ArgumentParser(description="The same work by the loop and by plans.")
    parser.add_argument(
        "--live", nargs=2, metavar=("PROVIDER", "MODEL"), help="/".join(PROVIDERS)
    )
    live = parser.parse_args(arguments).live
    if live is None:
        print(f"The model is a script that pauses {THINKING_S} s before each of its turns.")
        print(f"The tools are functions that really run; each takes {LOOK_UP_S} s.")
        demo(scripted)
        return 0
    try:
        model = live_model(*live)
    except NotReadyError as error:
        print(error, file=sys.stderr)
        return 2
    demo(lambda work, planning: model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
