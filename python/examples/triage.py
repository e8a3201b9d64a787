"""Branches, and a join after them: the engine alone, without an agent or a framework.

A mail is sorted; if it is urgent somebody is paged, otherwise a ticket is queued; whichever
was done, the sender is told its number. Run it with `python examples/triage.py`.
"""

from __future__ import annotations

import asyncio

from strands_plan_tool import JsonValue, PlanResult, PlanStep, WorkflowPlan, execute_plan

PLAN = WorkflowPlan(
    steps=[
        PlanStep(id="sorted", tool="sort_mail", bind={"text": "input.mail.text"}),
        PlanStep(
            id="paged",
            tool="page",
            when="steps.sorted.urgent",
            bind={"desk": "steps.sorted.desk"},
        ),
        PlanStep(
            id="queued",
            tool="queue",
            when="steps.sorted.urgent = false",
            bind={"desk": "steps.sorted.desk"},
        ),
        PlanStep(
            id="told",
            tool="reply",
            join="any",  # one of the two branches is enough
            bind={
                "to": "input.mail.sender",
                "text": "'Your number is ' & (steps.paged.ticket ?? steps.queued.ticket)",
            },
        ),
    ],
    returns=["told"],
)


async def call(tool: str, args: dict[str, JsonValue]) -> JsonValue:
    """The four tools of the desk."""
    match tool, args:
        case "sort_mail", {"text": str(text)}:
            urgent = "down" in text
            return {"desk": "operations" if urgent else "sales", "urgent": urgent}
        case "page", {"desk": str(desk)}:
            return {"ticket": f"{desk}-1", "who": "Bo"}
        case "queue", {"desk": str(desk)}:
            return {"ticket": f"{desk}-2", "place": 14}
        case "reply", {"to": str(to), "text": str(text)}:
            return {"sent": f"{to}: {text}"}
    raise LookupError(tool)


async def triage(sender: str, text: str) -> PlanResult:
    """Run the plan for one mail; `input` is how a program hands values to a plan."""
    mail: JsonValue = {"sender": sender, "text": text}
    return await execute_plan(PLAN, call, input={"mail": mail})


def main() -> list[PlanResult]:
    """Triage an urgent mail and one that can wait."""
    mails = [("ann", "the shop is down"), ("cy", "what does it cost?")]
    return [asyncio.run(triage(*mail)) for mail in mails]


if __name__ == "__main__":
    for result in main():
        print(result.returned["told"])
        for step in result.ledger:
            print(f"  {step.id:8}{step.status}")
