"""A chain: each call needs the one before, and an agent makes all of them in one model call.

Run it with `python examples/monster_fight.py`; it needs no key and no network.
"""

from __future__ import annotations

from typing import Any

from strands import Agent, tool

from strands_plan_tool.strands_adapter import PLAN_NUDGE, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, tool_call

WEAPONS = {
    "fire": {"weapon": "torch", "damage": 30},
    "silver": {"weapon": "dagger", "damage": 12},
}


@tool
def scout(room: str) -> dict[str, object]:
    """Look into a room. Returns {"monster": {"name", "hp", "weakness"}}."""
    assert room == "crypt"
    return {"monster": {"name": "mummy", "hp": 25, "weakness": "fire"}}


@tool
def arm(against: str) -> dict[str, object]:
    """Choose a weapon against a weakness. Returns {"weapon", "damage"}."""
    return dict(WEAPONS[against])


@tool
def strike(hp: int, damage: int) -> dict[str, object]:
    """Hit something once. Returns {"hp_left", "defeated"}."""
    return {"hp_left": max(hp - damage, 0), "defeated": damage >= hp}


@tool
def loot(monster: str) -> dict[str, object]:
    """Take what a defeated monster leaves. Returns {"gold"}."""
    return {"gold": len(monster) * 10}


# What a model writes when it is asked to clear the crypt.
PLAN: dict[str, Any] = {
    "steps": [
        {"id": "seen", "tool": "scout", "args": {"room": "crypt"}},
        {"id": "armed", "tool": "arm", "bind": {"against": "steps.seen.monster.weakness"}},
        {
            "id": "fight",
            "tool": "strike",
            "bind": {"hp": "steps.seen.monster.hp", "damage": "steps.armed.damage"},
        },
        {
            "id": "prize",
            "tool": "loot",
            "when": "steps.fight.defeated",
            "bind": {"monster": "steps.seen.monster.name"},
        },
    ],
    "output": "'The ' & steps.seen.monster.name & (steps.fight.defeated"
    " ? ' falls to your ' & steps.armed.weapon & '; you find '"
    " & steps.prize.gold & ' gold.' : ' still stands.')",
    "final": True,
}


def main() -> str:
    """Clear the crypt and return what the agent says."""
    model = ScriptedModel(tool_call("submit_workflow_plan", **PLAN))
    agent = Agent(
        model=model,
        tools=[scout, arm, strike, loot],
        plugins=[WorkflowPlanPlugin()],
        system_prompt=PLAN_NUDGE,
        callback_handler=None,
    )
    return str(agent("Clear the crypt.")).strip()


if __name__ == "__main__":
    print(main())
