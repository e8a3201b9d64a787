"""What a person reads of a plan before approving it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from strands_plan_tool.models import Effect, Join, OnError, Policy
from strands_plan_tool.policy import effect_of
from strands_plan_tool.render import in_short, on_one_line
from strands_plan_tool.validate import CheckedPlan, CheckedStep
from strands_plan_tool.values import json_string, to_json_text

__all__ = ["preview_plan"]

_DOES: Final = {Effect.READ: "reads", Effect.WRITE: "writes", None: "may write"}
_STOPS: Final = {
    OnError.FAIL_FAST: "nothing more starts",
    OnError.CONTINUE: "only what needs the failed step is skipped",
}
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def preview_plan(plan: CheckedPlan) -> str:
    """What a plan would do, for a person who is to approve it.

    Args:
        plan: A plan that may run, as ``check_plan`` gives it.

    Returns:
        A line for each step in document order: its tool, what the policy says that the tool
        does, its arguments (literals as compact JSON, cut where they are long, and bindings
        as they are written), its list, condition and order; then what goes back, and what a
        failure stops. No text of the plan has a line break in it.
    """
    lines = [f"{at}. {_step(step, plan.policy)}" for at, step in enumerate(plan.steps, start=1)]
    whole = plan.plan
    if whole.returns:
        lines.append(f"Returns: {', '.join(whole.returns)}")
    if whole.output is not None:
        lines.append(f"Output: {on_one_line(whole.output)}")
    if whole.final:
        lines.append("Final: the result answers the request")
    lines.append(f"On a failure: {_STOPS[whole.on_error]}")
    return "\n".join(lines)


def _step(checked: CheckedStep, policy: Policy) -> str:
    step = checked.step
    arguments = ", ".join(_arguments(checked))
    does = _DOES[effect_of(policy, step.tool)]
    parts = [f"{step.id}: {on_one_line(step.tool)} ({does})"]
    if arguments:
        parts[0] += f" with {arguments}"
    if step.for_each is not None:
        parts.append(f"for each of {on_one_line(step.for_each)}")
    if step.when is not None:
        parts.append(f"only when {on_one_line(step.when)}")
    if step.after:
        parts.append(f"after {', '.join(step.after)}")
    if step.join is Join.ANY and checked.dependencies:
        parts.append(f"if any of {', '.join(checked.dependencies)} is ok")
    return "; ".join(parts)


def _arguments(checked: CheckedStep) -> Iterator[str]:
    """The literals that no binding replaces, then the bindings."""
    step = checked.step
    for name, value in step.args.items():
        if name not in step.bind:
            yield f"{_named(name)} = {in_short(to_json_text(value))}"
    for name, text in step.bind.items():
        yield f"{_named(name)} from {on_one_line(text)}"


def _named(name: str) -> str:
    return name if _WORD.fullmatch(name) else on_one_line(json_string(name))
