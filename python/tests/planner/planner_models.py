"""Models and plans for the tests of planner and executors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Coroutine
from typing import Any, TypeVar

from strands import Agent

from strands_plan_tool.models import TaskPlan, TaskStep
from strands_plan_tool.testing.scripted_model import (
    ModelRequest,
    ScriptedModel,
    ToolCall,
    Turn,
    tool_call,
)

T = TypeVar("T")

QUESTION = "How heavy are Orin and Tessa together?"


class Model(ScriptedModel):
    """A scripted model with usage, a stop reason of its own, and an id.

    Args:
        turns: What it says; the last is said again and again if ``always``.
    """

    def __init__(
        self,
        *turns: Turn,
        always: bool = False,
        tokens: tuple[int, int] = (0, 0),
        stop: str | None = None,
        model_id: str = "scripted",
    ) -> None:
        super().__init__(*turns, *(turns[-1:] * 50 if always else ()))
        self.update_config(model_id=model_id)
        self._tokens = tokens
        self._stop = stop

    async def stream(self, *args: Any, **kwargs: Any) -> AsyncIterable[Any]:
        sent, received = self._tokens
        async for event in super().stream(*args, **kwargs):
            changed: Any = event
            if "metadata" in changed:
                usage = {"inputTokens": sent, "outputTokens": received}
                changed["metadata"]["usage"] = usage | {"totalTokens": sent + received}
            if "messageStop" in changed and self._stop:
                changed["messageStop"]["stopReason"] = self._stop
            yield changed


def step(name: str, *needs: str) -> dict[str, Any]:
    """A step whose instruction is ``do <id>``."""
    return {"id": name, "instruction": f"do {name}", "depends_on": list(needs)}


def plan(*steps: dict[str, Any]) -> ToolCall:
    """The planner's call that hands in a plan."""
    return tool_call("TaskPlan", steps=list(steps))


def task_plan(*steps: dict[str, Any]) -> TaskPlan:
    """A plan that the host has written."""
    return TaskPlan(steps=[TaskStep(**each) for each in steps])


def answer(text: str = "done", **fields: Any) -> ToolCall:
    """The synthesizer's call that hands in the default answer."""
    return tool_call("Answer", result=text, **fields)


def text_of(request: ModelRequest, at: int = 0) -> str:
    """The last text of a message of a request."""
    return str(request.messages[at]["content"][-1]["text"])


def step_of(request: ModelRequest) -> str:
    """The id of the step that an executor was asked to do."""
    return text_of(request).partition("Your step:\ndo ")[2].partition("\n")[0]


def does(act: Callable[[str], str] = lambda name: f"{name} done") -> Model:
    """A model for executors that answers by the step's id."""
    return Model(lambda request: act(step_of(request)), always=True)


def agent(model: ScriptedModel, *tools: Any, **options: Any) -> Agent:
    """A quiet agent."""
    return Agent(model=model, tools=list(tools), callback_handler=None, **options)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end, or give up on what hangs."""

    async def guarded() -> T:
        async with asyncio.timeout(20):
            return await main

    return asyncio.run(guarded())
