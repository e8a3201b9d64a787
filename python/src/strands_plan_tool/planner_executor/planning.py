"""Gets a plan that may run out of the planner: asks, checks, and sends refused ones back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from strands_plan_tool.models import Diagnostic, TaskPlan
from strands_plan_tool.planner_executor.conduct import Conduct, StoppedError
from strands_plan_tool.planner_executor.prompts import Prompts, described, filled, reasons
from strands_plan_tool.planner_executor.record import Attempt, Tool, told

__all__ = ["REQUESTS", "Check", "ask_for_plan", "planner_prompt"]

Check = Callable[[TaskPlan], tuple[Diagnostic, ...]]

REQUESTS: Final = 3
"""Requests for one structured output: one of another shape goes back by way of the SDK."""


def planner_prompt(
    prompts: Prompts,
    question: str,
    tools: Sequence[Tool],
    max_steps: int,
    named: Mapping[str, Sequence[str]] | None,
) -> str:
    """What the planner is asked first.

    Args:
        named: The ids that steps must have, each with the tools of its executor; None if
            they may have any.
    """
    listed = described((tool.name, tool.description) for tool in tools)
    if named is not None:
        parts = [f"{name} ({', '.join(names) or 'no tools'})" for name, names in named.items()]
        listed += f"\nThe ids of the steps must be among: {', '.join(parts)}"
    return filled(
        prompts.planner,
        {"question": question, "tools": listed, "max_steps": str(max_steps)},
    )


async def ask_for_plan(
    planner: Conduct,
    prompt: str,
    prompts: Prompts,
    check: Check,
    retries: int,
    attempts: list[Attempt],
) -> TaskPlan | None:
    """The first plan that may run; None once so many were refused.

    Args:
        attempts: Each plan that is handed in is added, the accepted one too.
        retries: Plans that may be refused; the last of them is not sent back.
    """
    for _ in range(retries):
        attempt = await _attempt(planner, prompt, check)
        attempts.append(attempt)
        if attempt.problem is not None:
            prompt = filled(prompts.no_plan, {"reasons": attempt.problem})
        elif attempt.diagnostics:
            prompt = filled(prompts.refused, {"reasons": reasons(attempt.diagnostics)})
        else:
            return attempt.plan
    return None


async def _attempt(planner: Conduct, prompt: str, check: Check) -> Attempt:
    try:
        result = await planner.ask(prompt, TaskPlan, at_most=REQUESTS)
    except StoppedError as error:
        return Attempt(plan=None, problem=told(error))
    plan = result.structured_output
    if not isinstance(plan, TaskPlan):
        return Attempt(plan=None, problem="the answer was no plan")
    return Attempt(plan=plan, diagnostics=check(plan))
