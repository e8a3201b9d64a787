"""What a host passes, refused at once where a run would stumble over it later."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from strands_plan_tool.models import TaskPlan
from strands_plan_tool.planner_executor.budget import Budget
from strands_plan_tool.planner_executor.prompts import Prompts
from strands_plan_tool.planner_executor.record import Plan, Run, mended
from strands_plan_tool.values import well_formed

__all__ = [
    "check_options",
    "plan_given",
    "plan_if_any",
    "question_given",
    "state_given",
    "whole",
]

_MOST: Final = 2**53 - 1


def whole(name: str, given: object) -> int:
    """A whole number from 1.

    Raises:
        TypeError: It is no number.
        ValueError: It is another number.
    """
    wrong = f"{name} must be a whole number, 1 or more"
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(wrong)
    if isinstance(given, float) or not 1 <= given <= _MOST:
        raise ValueError(wrong)
    return given


def check_options(
    *, answer_type: object, waves: object, budget: object, price: object, prompts: object
) -> None:
    """Refuse what is not of the right kind.

    Raises:
        TypeError: One of them is something else.
        ValueError: The cost is limited, and there is no price.
    """
    if not (isinstance(answer_type, type) and issubclass(answer_type, BaseModel)):
        raise TypeError("answer_type must be a class derived from pydantic's BaseModel")
    if not isinstance(waves, bool):
        raise TypeError("waves must be True or False")
    if not isinstance(budget, Budget):
        raise TypeError("budget must be a Budget, such as Budget(requests=20)")
    if not isinstance(prompts, Prompts):
        raise TypeError('prompts must be Prompts, such as Prompts(planner="...")')
    if price is None:
        if budget.cost is not None:
            raise ValueError("the budget limits the cost: give price(model, usage) too")
    elif not callable(price) or inspect.iscoroutinefunction(price):
        raise TypeError("price must be a plain function: price(model, usage) gives a number")


def question_given(question: object) -> str:
    """A question, as records can keep it.

    Raises:
        TypeError: It is no text.
    """
    if not isinstance(question, str):
        raise TypeError("question must be a text")
    return well_formed(question)


def state_given(state: object) -> dict[str, Any]:
    """The values that every agent of a run gets.

    Raises:
        TypeError: They are no mapping.
    """
    if state is None:
        return {}
    if not isinstance(state, Mapping):
        raise TypeError("invocation_state must be a mapping")
    return dict(state)


def plan_given(plan: object, question: object) -> dict[str, Any]:
    """The fields of the ``Plan`` that is to be run; whether it may run is not looked at.

    Args:
        plan: A ``Plan`` or a ``TaskPlan``, as it is or as plain JSON.
        question: The question that was given beside it.

    Raises:
        TypeError: It is something else.
        ValueError: It has no question, or another.
    """
    if isinstance(plan, Run) or (isinstance(plan, Mapping) and "answer" in plan):
        raise TypeError(
            "this is the record of a run: to run its plan again give its `plan` and its "
            "`question`; to have the same run offline use `replayed`"
        )
    if isinstance(plan, TaskPlan):
        fields: dict[str, Any] = {"plan": plan}
    elif isinstance(plan, Plan):
        fields = dict(plan)
    elif isinstance(plan, Mapping):
        fields = dict(plan) if "plan" in plan else {"plan": plan}
    else:
        raise TypeError("the plan must be a Plan, or a TaskPlan with its question")
    asked = fields.get("question")
    if asked is None and question is None:
        raise ValueError("a TaskPlan alone has no question: give question= too")
    if asked is not None and question not in (None, asked):
        raise ValueError("the plan is for another question: have a plan written for this one")
    return {**fields, "question": question_given(question if asked is None else asked)}


def plan_if_any(tasks: object) -> TaskPlan | None:
    """What plain JSON is a plan of, though it may not run; None if it is none."""
    try:
        return TaskPlan.model_validate(mended(tasks))
    except ValidationError:
        return None
