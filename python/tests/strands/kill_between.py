"""An agent whose process is killed at each pause of its plan, and begun anew for each answer.

    python kill_between.py FOLDER

Each start goes on from the session in the folder: the first lets the model send a plan, each
later one answers the first of what was asked. Where the plan waits again, the process kills
itself, without any tidying up; in the end it prints what the model was told. Every run of a
tool is a line of ``runs.txt``.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent
from strands.session import FileSessionManager

from strands_plan_tool.strands_adapter import WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, tool_call

STEPS: list[dict[str, Any]] = [
    {"id": "find", "tool": "find"},
    {"id": "each", "tool": "send", "for_each": "steps.find", "bind": {"to": "item"}},
    {"id": "free", "tool": "send", "args": {"to": 10}},
    {"id": "broken", "tool": "broken"},
    {"id": "last", "tool": "send", "bind": {"to": "$sum(steps.each) + 20"}},
]
GATED = (2, 3, 23)
"""Whom nothing is sent to without a person's word: two items, and the step after the list."""


def agent_in(folder: Path, *turns: Any) -> Agent:
    """The agent of the session in a folder."""

    def note(line: str) -> None:
        with (folder / "runs.txt").open("a", encoding="utf-8") as runs:
            runs.write(f"{line}\n")
            runs.flush()
            os.fsync(runs.fileno())

    @tool
    async def find() -> list[int]:
        """Find whom to send to."""
        note("find")
        return [1, 2, 3]

    @tool
    async def send(to: int) -> int:
        """Send."""
        note(f"send {to}")
        return 1

    @tool
    async def broken() -> int:
        """Fail."""
        note("broken")
        raise ValueError("out of order")

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["input"].get("to") in GATED:
            event.interrupt("approval")

    agent = Agent(
        model=ScriptedModel(*turns),
        tools=[find, send, broken],
        plugins=[WorkflowPlanPlugin()],
        session_manager=FileSessionManager("s", storage_dir=str(folder / "session")),
        agent_id="one",
        callback_handler=None,
    )
    agent.add_hook(ask, BeforeToolCallEvent)
    return agent


async def main(folder: Path) -> None:
    """Go on by one answer."""
    asked = folder / "asked.json"
    prompt: Any = "go"
    turns: list[Any] = ["done"]
    if asked.exists():
        first = json.loads(asked.read_text(encoding="utf-8"))[0]
        prompt = [{"interruptResponse": {"interruptId": first, "response": "yes"}}]
    else:
        plan = {"steps": STEPS, "returns": ["each", "last"], "on_error": "continue"}
        turns = [tool_call("submit_workflow_plan", **plan), *turns]
    agent = agent_in(folder, *turns)
    result = await agent.invoke_async(prompt)
    if result.stop_reason == "interrupt":
        ids = [interrupt.id for interrupt in result.interrupts or ()]
        asked.write_text(json.dumps(ids), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    told = [block for message in agent.messages for block in message["content"]]
    (text,) = [b["toolResult"]["content"][0]["text"] for b in told if "toolResult" in b]
    left = agent.state.get("strands_plan_tool")
    sys.stdout.write(json.dumps({"told": text, "left": left}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
