"""Whether a person wants a plan to run, asked before anything of it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from strands.interrupt import Interrupt, InterruptException

from strands_plan_tool.diagnostics import SURROGATE
from strands_plan_tool.executor import plan_hash
from strands_plan_tool.preview import preview_plan
from strands_plan_tool.render import in_short
from strands_plan_tool.strands_adapter.questions import answer_to
from strands_plan_tool.strands_adapter.spec import TOOL_NAME
from strands_plan_tool.validate import CheckedPlan
from strands_plan_tool.values import to_json_text

if TYPE_CHECKING:
    from strands import Agent

Approve = Callable[[CheckedPlan], None]
"""Returns if a plan may run; raises ``PlanNotApproved`` or ``InterruptException``."""

_YES: Final = ("y", "yes")


class PlanNotApproved(Exception):  # noqa: N818 - it is a decision
    """Somebody does not want the plan to run, or nobody can be asked.

    Args:
        why: What else there is to say of it.
    """

    def __init__(self, why: str = "") -> None:
        more = f" {why}" if why else ""
        super().__init__(f"The plan was not approved and nothing ran.{more}")


def ask(agent: Agent, calls: str) -> Approve:
    """Ask a person, by an interrupt of the plan tool.

    The interrupt's id names the plan itself, so no answer holds for another one that is sent
    by the same call.

    Args:
        agent: Whose interrupt it is.
        calls: What the ids of the plan's calls begin with.
    """

    def approve(plan: CheckedPlan) -> None:
        id_ = f"v1:plan:{calls}:{plan_hash(plan.plan)}"
        answer = answer_to(agent, id_)
        if answer is None:
            raise InterruptException(Interrupt(id_, TOOL_NAME, preview_plan(plan)))
        if not is_approved(answer):
            words = words_of(answer)
            raise PlanNotApproved(f"Answer: {words}" if words else "")

    return approve


def nobody_to_ask(plan: CheckedPlan) -> None:
    """What stands for a person where an interrupt would reach none.

    Raises:
        PlanNotApproved: Always.
    """
    raise PlanNotApproved("Nobody can be asked here: send it again in the foreground.")


def is_approved(answer: Any) -> bool:
    """Whether an answer says yes: by the rule of Strands, or as ``{"approved": true}``."""
    if isinstance(answer, str):
        return answer.strip().lower() in _YES
    return (answer.get("approved") if isinstance(answer, Mapping) else answer) is True


def words_of(answer: Any) -> str:
    """The words of an answer that says no, on one line and not without end."""
    if isinstance(answer, Mapping) and "approved" in answer:
        answer = answer.get("reason")
    if answer is None or isinstance(answer, bool):
        return ""
    text = answer if isinstance(answer, str) else to_json_text(answer)
    # No message can be stored or sent with half of a surrogate pair in it.
    return in_short(SURROGATE.sub("\ufffd", text).strip())
