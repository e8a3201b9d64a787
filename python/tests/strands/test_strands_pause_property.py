"""Plans with random gates, answers, denials and restarts run every step once at most, and end
as the same plans end without gates."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pause_agents import replies, step_of
from plan_agents import plan_agent, submit
from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent
from strands.session import FileSessionManager

PLANS = 200
GROUPS = 8


class Case:
    """One random plan, and who is asked what."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        count = self.random.randint(1, 7)
        self.steps = [self._step(number) for number in range(count)]
        calls = [call for step in self.steps for call in self._calls(step)]
        self.gated = {call for call in calls if self.random.random() < 0.4}
        self.denied = {call for call in self.gated if self.random.random() < 0.25}
        self.calls: Counter[str] = Counter()

    def _step(self, number: int) -> dict[str, Any]:
        step: dict[str, Any] = {
            "id": f"s{number}",
            "tool": "act",
            "args": {"name": f"s{number}"},
        }
        before = [f"s{at}" for at in range(number) if self.random.random() < 0.35]
        if before:
            if self.random.random() < 0.5:
                step["bind"] = {"given": f"[steps.{', steps.'.join(before)}]"}
            else:
                step["after"] = before
            if self.random.random() < 0.2:
                step["join"] = "any"
                step["after"] = before
                step.pop("bind", None)
        kind = self.random.random()
        if kind < 0.15:
            step["args"]["fails"] = True
        elif kind < 0.25:
            step["when"] = "false"
        elif kind < 0.5:
            step["for_each"] = str(list(range(self.random.randint(0, 4))))
            step.setdefault("bind", {})["item"] = "item"
        return step

    def _calls(self, step: dict[str, Any]) -> list[str]:
        if "for_each" not in step:
            return [step["id"]]
        return [f"{step['id']}-{item}" for item in json.loads(step["for_each"])]

    @property
    def plan(self) -> Any:
        """The model's call."""
        names = [step["id"] for step in self.steps]
        return submit(*self.steps, returns=names, on_error="continue")

    def agent(self, folder: Path | None, *turns: Any, gates: bool = True) -> Agent:
        """An agent, of the session in a folder if there is one."""
        case = self

        @tool
        async def act(
            name: str, given: Any = None, item: Any = None, fails: bool = False
        ) -> Any:
            """Act."""
            case.calls[name if item is None else f"{name}-{item}"] += 1
            await asyncio.sleep(0)
            if fails:
                raise ValueError(f"{name} fails")
            return {"name": name, "given": given, "item": item}

        def ask(event: BeforeToolCallEvent[Any]) -> None:
            if event.tool_use["name"] != "act":
                return
            name, item = event.tool_use["input"]["name"], event.tool_use["input"].get("item")
            call = name if item is None else f"{name}-{item}"
            if call in case.denied and not gates:
                event.cancel_tool = f"no {call}"
            elif call in case.gated and gates:
                answer = event.interrupt("approval")
                if answer != "yes":
                    event.cancel_tool = str(answer)

        session = None
        if folder is not None:
            session = FileSessionManager("s", storage_dir=str(folder))
        agent = plan_agent(*turns, tools=[act], agent_id="one", session_manager=session)
        agent.add_hook(ask, BeforeToolCallEvent)
        return agent


def told(agent: Agent) -> str:
    """What the model was told of the plan, without the ids of calls."""
    (result,) = [
        b["toolResult"] for m in agent.messages for b in m["content"] if "toolResult" in b
    ]
    return str(result["content"][0].get("text"))


async def run(case: Case, folder: Path) -> str:
    """Run a plan to its end with whatever answers and restarts come."""
    agent = case.agent(folder, case.plan, "done")
    result = await agent.invoke_async("go")
    for _ in range(60):
        if result.stop_reason != "interrupt":
            break
        asks = [step_of(interrupt) for interrupt in result.interrupts or ()]
        assert asks
        chosen = case.random.sample(asks, case.random.randint(0, len(asks)))
        answers = {name: f"no {name}" if name in case.denied else "yes" for name in chosen}
        if case.random.random() < 0.5:
            agent = case.agent(folder, "done")
        result = await agent.invoke_async(replies(result, **answers))
    assert result.stop_reason == "end_turn"
    assert agent.state.get("strands_plan_tool") is None
    return told(agent)


@pytest.mark.parametrize("group", range(GROUPS))
async def test_random_plans_run_each_step_once_at_most_and_end_as_without_gates(
    group: int, tmp_path: Path
) -> None:
    waited = 0
    for seed in range(group, PLANS, GROUPS):
        case = Case(seed)
        plain = Case(seed)
        agent = plain.agent(None, plain.plan, "done", gates=False)
        await agent.invoke_async("go")
        text = await run(case, tmp_path / str(seed))
        assert (text, case.calls) == (told(agent), plain.calls), f"plan {seed}"
        assert max(case.calls.values(), default=0) <= 1, f"plan {seed}"
        waited += bool(case.gated & case.calls.keys())
    assert waited > PLANS / GROUPS / 4
