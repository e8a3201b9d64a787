"""What the plan tool costs a model in tokens: its specification, and the text it answers with.

    python bench/tokens.py

Needs `ctok` 1.3.0 (Python 3.12) and the extra `strands`. Counts are of ctok's family v3, less
the frame of one message. Ends with 1 if a limit is broken.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, Final

import ctok
from strands import Agent, tool

from strands_plan_tool.render import render_for_model
from strands_plan_tool.strands_adapter import PLAN_NUDGE, WorkflowPlanPlugin
from strands_plan_tool.strands_adapter.plugin import coerce_plan
from strands_plan_tool.strands_adapter.spec import plan_tool_spec
from strands_plan_tool.testing.scripted_model import ScriptedModel

FAMILY = "3.0"
MOST_SPEC = 480
MOST_BESIDE_VALUES = 10

# The frame of a message: what is counted beside its text.
FRAME: Final[int] = sum(piece == "⟨pad⟩" for piece in ctok.tokenize("x", FAMILY))


def tokens(text: str) -> int:
    return int(ctok.token_count(text, FAMILY)) - FRAME


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def spec_tokens() -> int:
    spec = plan_tool_spec()
    return tokens(
        compact(
            {
                "name": spec["name"],
                "description": spec["description"],
                "input_schema": spec["inputSchema"]["json"],
            }
        )
    )


@tool
def rows(count: int) -> list[dict[str, Any]]:
    """List rows."""
    return [{"id": n, "name": f"row {n}", "tags": ["a", "b"]} for n in range(count)]


ROWS = {"id": "r", "tool": "rows", "args": {"count": 5}}
MORE = {"id": "more", "tool": "rows", "for_each": "steps.r", "bind": {"count": "item.id"}}
PLANS: list[dict[str, Any]] = [
    {"steps": [ROWS], "returns": ["r"]},
    {"steps": [ROWS, MORE], "returns": ["more", "r"]},
    {"steps": [ROWS], "output": "'There are ' & $count(steps.r) & ' rows.'"},
    {"steps": [ROWS], "output": "steps.r.name"},
    {"steps": [ROWS, MORE], "returns": ["r"], "output": "$count(steps.more)"},
]


async def beside_values() -> list[tuple[int, int]]:
    """For each plan, the tokens of the text a model reads and of the values in it."""
    plugin = WorkflowPlanPlugin()
    agent = Agent(model=ScriptedModel(), tools=[rows], plugins=[plugin], callback_handler=None)
    counted = []
    for document in PLANS:
        plan = coerce_plan(document)
        result = await plugin.run_plan(plan, agent=agent)
        values = [compact(result.returned)] if plan.returns else []
        values += [compact(result.output)] if result.has_output else []
        counted.append((tokens(render_for_model(result, plan)), tokens("".join(values))))
    return counted


def main() -> int:
    """Count, print, judge."""
    spec = spec_tokens()
    print(f"specification: {spec} tokens, at most {MOST_SPEC}")
    print(f"PLAN_NUDGE: {tokens(PLAN_NUDGE)} tokens")
    kept = spec <= MOST_SPEC
    for read, values in asyncio.run(beside_values()):
        print(f"a plan that went well: {read} tokens, its values as compact JSON {values}")
        kept &= read <= values + MOST_BESIDE_VALUES
    print("kept" if kept else "BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
