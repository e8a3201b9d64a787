"""Gates for the tests of plans that wait, and answers to what they ask."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from strands import Agent, tool
from strands.agent import AgentResult
from strands.hooks import BeforeToolCallEvent

from strands_plan_tool.strands_adapter.batch import STATE_KEY


class Ran:
    """Tools that count how often each was called, by tool and argument."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    @property
    def tools(self) -> list[Any]:
        """``read`` and ``pay`` give back what they are given; ``fail`` fails."""

        @tool
        async def read(value: Any = 0) -> dict[str, Any]:
            """Read."""
            self.calls[f"read {value}"] += 1
            return {"value": value}

        @tool
        async def pay(value: Any = 0) -> dict[str, Any]:
            """Pay."""
            self.calls[f"pay {value}"] += 1
            return {"paid": value}

        @tool
        async def fail(value: Any = 0) -> str:
            """Fail."""
            self.calls[f"fail {value}"] += 1
            raise ValueError("no such thing")

        return [read, pay, fail]


def gate(*names: str) -> Callable[[Agent], None]:
    """Make these tools ask before they run, by a hook; what is not yes is the reason."""

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] in names:
            answer = event.interrupt("approval", reason=event.tool_use["input"])
            if answer != "yes":
                event.cancel_tool = str(answer)

    return lambda agent: agent.add_hook(ask, BeforeToolCallEvent)


def step_of(interrupt: Any) -> str:
    """Which step asks: ``pay``, or ``pay-2`` for an item; the plan's own call without one."""
    found = re.search(r"__([\w-]+)", interrupt.id)
    return found[1] if found else "plan"


def asked(result: AgentResult) -> list[str]:
    """Which steps ask."""
    assert result.stop_reason == "interrupt", result.stop_reason
    return [step_of(interrupt) for interrupt in result.interrupts or ()]


def replies(result: AgentResult, **answers: Any) -> Any:
    """The answers to what some steps ask, ``_`` for ``-`` in their names."""
    named = {name.replace("_", "-"): answer for name, answer in answers.items()}
    return [
        {"interruptResponse": {"interruptId": interrupt.id, "response": named[step]}}
        for interrupt in result.interrupts or ()
        if (step := step_of(interrupt)) in named
    ]


def state_of(agent: Agent) -> Any:
    """What is kept of plans in an agent's state."""
    return agent.state.get(STATE_KEY)
