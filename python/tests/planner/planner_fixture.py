"""A run whose record the twin in TypeScript replays, as this one replays that of the twin.

``PLAN_TOOL_WRITE=1`` has the test of it store the record anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planner_models import QUESTION, Model, agent, answer, plan, run, step, step_of
from strands import tool

from strands_plan_tool.planner_executor import Answer, PlannerExecutor, Run
from strands_plan_tool.testing.scripted_model import ModelRequest, ToolCall, tool_call

HERE = Path(__file__).parent
OF_THE_TWIN = HERE / "run_of_typescript.json"
FOR_THE_TWIN = HERE.parents[2] / "typescript" / "test" / "planner" / "run-of-python.json"

FIRST = (step("orin"), step("rest", "orin"))
SECOND = (step("orin"), step("lost"), step("sum", "orin"), step("all", "sum", "lost"))


@tool
def mass(moon: str) -> str:
    """Mass of a moon.

    Args:
        moon: Its name.
    """
    return f"{moon} has 9 tons"


def act(request: ModelRequest) -> str | ToolCall:
    """What an executor says."""
    name = step_of(request)
    if name == "lost":
        raise RuntimeError("no such moon")
    if len(request.messages) > 1 or name == "sum":
        return f"{name}: 9 tons"
    return tool_call("mass", moon=name)


def fixture_run() -> Run[Answer]:
    """Prose in place of a plan, a refused plan, a step that fails, prose for an answer."""
    works = agent(Model(act, always=True, tokens=(5, 1)), mass)
    made = PlannerExecutor(
        Model("It is 9.", plan(*FIRST), plan(*SECOND), tokens=(10, 2), model_id="planner"),
        {each["id"]: works for each in SECOND},
        Model("Nine.", answer("9", value=9), tokens=(7, 3)),
    )
    return run(made(QUESTION))


def essence(record: Run[Any]) -> Any:
    """A record without times, nor what each language's SDK says in its own words."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: without(part)
                for key, part in value.items()
                if key not in ("duration_s", "messages")
            }
        return [without(part) for part in value] if isinstance(value, list) else value

    return without(record.model_dump(mode="json"))


def stored(record: Run[Any]) -> str:
    """The text of a fixture; times are no part of it."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: 0 if key == "duration_s" else timeless(part) for key, part in value.items()
            }
        return [timeless(part) for part in value] if isinstance(value, list) else value

    text = json.dumps(timeless(record.model_dump(mode="json")), ensure_ascii=False, indent=2)
    return text + "\n"
