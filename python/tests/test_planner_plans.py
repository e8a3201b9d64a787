"""Twenty plans as a model wrote them, first try: accepted, and ending as they should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from planner_fakes import SPECS, Fakes

from strands_plan_tool import Policy, execute_plan
from strands_plan_tool.validate import ToolInfo

FOLDER = Path(__file__).parents[3] / "shared" / "cases" / "planner"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the planner cases are not beside this checkout"
)


def documents(name: str) -> list[dict[str, Any]]:
    return list(json.loads((FOLDER / name).read_text(encoding="utf-8")))


async def test_every_plan_ends_with_its_statuses_output_and_returned_values() -> None:
    tools = {name: ToolInfo(input_schema=i, output_schema=o) for name, (i, o) in SPECS.items()}
    fakes = Fakes()
    seen = []
    for row in documents("plans.json"):
        # One call at a time hands out the numbers in the order of the tasks' own record.
        result = await execute_plan(
            row["plan"], fakes, tools=tools, policy=Policy(max_concurrency=1)
        )
        outcome: dict[str, Any] = {
            "task": row["task"],
            "status": {entry.id: str(entry.status) for entry in result.ledger},
            "returned": result.returned,
        }
        assert result.output_error is None, row["task"]
        if result.has_output:
            outcome["output"] = result.output
        seen.append(outcome)
    assert seen == documents("outcomes.json")
