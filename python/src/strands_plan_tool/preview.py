"""What a person reads of a plan before approving it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from strands_plan_tool.models import Effect, Join, JsonValue, OnError, Policy
from strands_plan_tool.policy import effect_of
from strands_plan_tool.render import on_one_line
from strands_plan_tool.validate import CheckedPlan, CheckedStep
from strands_plan_tool.values import json_string, to_json_text

__all__ = ["preview_plan"]

_DOES: Final = {Effect.READ: "reads", Effect.WRITE: "writes", None: "may write"}
_STOPS: Final = {
    OnError.FAIL_FAST: "nothing more starts",
    OnError.CONTINUE: "only what needs the failed step is skipped",
}
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST: Final = 1000
# What stands between the parts of a line, and what is no part of what is computed.
_MISLEADING: Final = re.compile(r"[,;]|/\*")
# The categories Cc, Cf, Zl and Zp, and what may become of them; a table, since languages and
# their versions differ in what they know of Unicode.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f]"
)


def preview_plan(plan: CheckedPlan) -> str:
    """What a plan would do, for a person who is to approve it.

    Args:
        plan: A plan that may run, as ``check_plan`` gives it.

    Returns:
        A line for each step in document order: its tool, what the policy says that the tool
        does, its arguments (literals as compact JSON, cut where they are long, and bindings
        as they are written), its list, condition and order; then what goes back, and what a
        failure stops. No text of the plan has a line break in it, or a character that cannot
        be seen or moves others about; an expression that could be taken for several parts of
        its line is a JSON string.
    """
    lines = [f"{at}. {_step(step, plan.policy)}" for at, step in enumerate(plan.steps, start=1)]
    whole = plan.plan
    if whole.returns:
        lines.append(f"Returns: {', '.join(whole.returns)}")
    if whole.output is not None:
        lines.append(f"Output: {_seen(on_one_line(whole.output))}")
    if whole.final:
        lines.append("Final: the result answers the request")
    lines.append(f"On a failure: {_STOPS[whole.on_error]}")
    return "\n".join(lines)


def _step(checked: CheckedStep, policy: Policy) -> str:
    step = checked.step
    arguments = ", ".join(_arguments(checked))
    does = _DOES[effect_of(policy, step.tool)]
    parts = [f"{step.id}: {_seen(on_one_line(step.tool))} ({does})"]
    if arguments:
        parts[0] += f" with {arguments}"
    if step.for_each is not None:
        parts.append(f"for each of {_expression(step.for_each)}")
    if step.when is not None:
        parts.append(f"only when {_expression(step.when)}")
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
            yield f"{_named(name)} = {_literal(value)}"
    for name, text in step.bind.items():
        yield f"{_named(name)} from {_expression(text)}"


def _named(name: str) -> str:
    return name if _WORD.fullmatch(name) else _seen(json_string(name))


def _expression(text: str) -> str:
    flat = on_one_line(text)
    return _seen(json_string(flat) if _MISLEADING.search(flat) else flat)


def _literal(value: JsonValue) -> str:
    text = to_json_text(value)
    more = len(text) - _LONGEST
    if more <= 0:
        return _seen(text)
    return f"{_seen(text[:_LONGEST])}… ({more:,} more character{'s' if more > 1 else ''})"


def _seen(text: str) -> str:
    """A text with escapes of JSON for what a reader would not see."""
    return _UNSEEN.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
