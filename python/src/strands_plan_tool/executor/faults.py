"""What can fail a step while it runs, as data, and the words for it.

A text says what is wrong, in which step, and what to change; a limit that was reached names
itself and its value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from strands_plan_tool.diagnostics import quoted
from strands_plan_tool.errors import BindEvaluationError, ToolExecutionError
from strands_plan_tool.executor.calls import StepCall
from strands_plan_tool.models import Code, JsonValue, Policy
from strands_plan_tool.values import number_to_text, well_formed

__all__ = [
    "Fault",
    "binder_message",
    "not_a_boolean",
    "not_a_list",
    "output_fault",
    "plan_timed_out",
    "reading_fault",
    "result_is_no_json",
    "result_too_large",
    "step_timed_out",
    "too_many_items",
    "tool_message",
]

_CANCELLED_ITSELF: Final = "the tool cancelled its own call"
_WITHOUT_WORDS: Final = "the tool failed without a message"
_BINDER_WITHOUT_WORDS: Final = "the binder failed without a message"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a step, a call or an expression failed."""

    code: Code
    message: str


def reading_fault(step_id: str, parameter: str, text: str, code: Code, cause: str) -> Fault:
    """An expression of a step failed or gave nothing.

    Args:
        step_id: The step.
        parameter: The argument that it was to give, or ``when`` or ``for_each``.
        text: The expression.
        code: Which failure it is.
        cause: What went wrong, and the edit that mends it.
    """
    return Fault(code, str(BindEvaluationError(step_id, parameter, text, cause)))


def output_fault(text: str, code: Code, cause: str) -> Fault:
    """The plan's ``output`` failed or gave nothing."""
    return Fault(code, f"output, {quoted(text)}: {cause}")


def not_a_boolean(step_id: str, text: str, value: JsonValue) -> Fault:
    """A condition gave a value that is neither true nor false."""
    cause = (
        f"it must give true or false and gave {_kind_of(value)}; write a comparison, "
        f"or {quoted(f'$boolean({text})')}"
    )
    return reading_fault(step_id, "when", text, Code.NOT_BOOLEAN, cause)


def not_a_list(step_id: str, text: str) -> Fault:
    """A ``for_each`` gave null."""
    cause = (
        "it must give a list and gave null; if null stands for no items, say so in `when`, "
        f"as in {quoted(f'({text}) != null')}"
    )
    return reading_fault(step_id, "for_each", text, Code.NOT_A_LIST, cause)


def too_many_items(step_id: str, text: str, count: int, policy: Policy) -> Fault:
    """A ``for_each`` gave a longer list than the policy allows."""
    cause = (
        f"it gave {count} items and max_items is {policy.max_items}; "
        "filter the list, or ask the tool for fewer"
    )
    return reading_fault(step_id, "for_each", text, Code.TOO_MANY_ITEMS, cause)


def step_timed_out(sent: StepCall, policy: Policy) -> Fault:
    """An attempt ran for as long as an attempt may."""
    limit = number_to_text(policy.step_timeout_s or 0)
    return Fault(
        Code.TIMEOUT,
        f"{_named(sent)} was still running when it reached step_timeout_s, which is {limit}",
    )


def plan_timed_out(step_id: str, policy: Policy) -> Fault:
    """The whole run took as long as a run may, while this step was going on."""
    limit = number_to_text(policy.plan_timeout_s or 0)
    return Fault(
        Code.TIMEOUT,
        f"step {quoted(step_id)} had not ended when the plan reached plan_timeout_s, "
        f"which is {limit}",
    )


def result_is_no_json(sent: StepCall, why: str) -> Fault:
    """A tool gave something that is not JSON."""
    return Fault(Code.NOT_JSON_RESULT, f"the result of {_named(sent)} is not JSON: {why}")


def result_too_large(sent: StepCall, policy: Policy) -> Fault:
    """A tool gave a larger result than the policy allows."""
    # How large it is nobody knows: it is gone through no further than it may be large.
    return Fault(
        Code.RESULT_TOO_LARGE,
        f"the result of {_named(sent)} is more than {policy.max_result_bytes} bytes of JSON, "
        "which is max_result_bytes; ask the tool for less",
    )


def tool_message(error: BaseException | None) -> str:
    """What a tool's failure says: its own words, without the exception's class.

    Args:
        error: What the tool raised; ``None`` for a call that the tool itself cancelled.
    """
    if error is None:
        return _CANCELLED_ITSELF
    return _words(error) or _WITHOUT_WORDS


def binder_message(error: Exception) -> str:
    """The same of the failure of a host's own binder."""
    return _words(error) or _BINDER_WITHOUT_WORDS


def _words(error: BaseException) -> str:
    try:
        text = error.detail if isinstance(error, ToolExecutionError) else str(error)
    except Exception:
        # A failure stays data even where its exception cannot tell what it is.
        return ""
    # A lone surrogate is no text, and nothing that leaves the engine holds one.
    return well_formed(text)


def _named(sent: StepCall) -> str:
    item = "" if sent.index is None else f", item {sent.index}"
    return f"step {quoted(sent.step_id)}{item}"


def _kind_of(value: JsonValue) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "a number"
