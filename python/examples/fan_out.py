"""A fan-out: one call for each item of a list whose length nobody knows beforehand.

Run it with `python examples/fan_out.py`; it needs no key and no network.
"""

from __future__ import annotations

from typing import Any, TypedDict

from strands import Agent, tool

from strands_plan_tool.strands_adapter import PLAN_NUDGE, WorkflowPlanPlugin
from strands_plan_tool.testing.scripted_model import ScriptedModel, tool_call

RAIN = {"Bergen": 21.5, "Lyon": 0.0, "Oslo": 3.2, "Turku": 7.0}


class City(TypedDict):
    name: str


class Weather(TypedDict):
    city: str
    rain_mm: float


@tool
def list_cities(country: str | None = None) -> list[City]:
    """List the cities that have a station. Returns [{"name"}]."""
    return [{"name": name} for name in RAIN]


@tool
def weather(city: str) -> Weather:
    """The weather in one city. Returns {"city", "rain_mm"}."""
    return {"city": city, "rain_mm": RAIN[city]}


# A predicate's bare names are the row's fields, so the other step is `$steps` in there.
PLAN: dict[str, Any] = {
    "steps": [
        {"id": "cities", "tool": "list_cities"},
        {
            "id": "rain",
            "tool": "weather",
            "for_each": "steps.cities",
            "bind": {"city": "item.name"},
        },
    ],
    "output": "$count(steps.rain) & ' cities, wettest: '"
    " & steps.rain[rain_mm = $max($steps.rain.rain_mm)].city",
    "final": True,
}


def main() -> str:
    """Find the wettest city and return what the agent says."""
    agent = Agent(
        model=ScriptedModel(tool_call("submit_workflow_plan", **PLAN)),
        tools=[list_cities, weather],
        plugins=[WorkflowPlanPlugin()],
        system_prompt=PLAN_NUDGE,
        callback_handler=None,
    )
    return str(agent("Where does it rain most?")).strip()


if __name__ == "__main__":
    print(main())
