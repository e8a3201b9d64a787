"""What each agent is told; a host may put its own texts in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from strands_plan_tool.models import Diagnostic, TaskPlan

__all__ = ["NOTHING_GIVEN", "Prompts", "described", "filled", "outcomes", "reasons", "results"]

NOTHING_GIVEN: Final = "(none)"
"""What stands for the results of a step that depends on none."""

_PLACE: Final = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """The texts, each with places in braces that are filled in; any other brace stays.

    Attributes:
        planner_system: System prompt of a planner that has none of its own.
        planner: Asks for the plan: ``{question}``, ``{tools}``, ``{max_steps}``.
        no_plan: Asks again where the planner handed in no plan: ``{reasons}``.
        refused: Sends a refused plan back: ``{reasons}``, a line for each problem.
        executor: Asks for one step: ``{question}``, ``{instruction}``, ``{results}``.
        synthesizer_system: System prompt of a synthesizer that has none of its own.
        synthesizer: Asks for the answer: ``{question}``, ``{steps}``.
    """

    planner_system: str = (
        "You write plans of work. You do not answer the question and you call no tools. "
        "Executors carry the steps out, each on its own: an executor sees the question, the "
        "instruction of its step, and the results of the steps in depends_on; nothing else."
    )
    planner: str = (
        "Question:\n{question}\n\n"
        "What the executors can do; plan only what these make possible:\n{tools}\n\n"
        "Write a plan of at most {max_steps} steps. Steps that do not need each other run at "
        "the same time, so look things up in separate steps. A step that uses what another "
        "found must name that step in depends_on, or it will not see the result. End with one "
        "final step that every other step feeds, directly or through others."
    )
    no_plan: str = "You handed in no plan: {reasons}\nHand in a plan."
    refused: str = (
        "The plan is refused and nothing has run:\n{reasons}\n"
        "Make these edits and hand in the whole plan again."
    )
    executor: str = (
        "The whole question, for context only:\n{question}\n\n"
        "Results of earlier steps:\n{results}\n\n"
        "Your step:\n{instruction}\n\n"
        "Do this step alone and reply with its result. Take facts from the tools and from the "
        "results above, not from memory. If something cannot be found, say so plainly."
    )
    synthesizer_system: str = (
        "You answer a question from the results of steps that others carried out. Use only "
        "what they found. What a step that FAILED or was SKIPPED should have found is unknown: "
        "say so, and invent nothing."
    )
    synthesizer: str = (
        "Question:\n{question}\n\nWhat was done:\n\n{steps}\n\nAnswer the question."
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            if not isinstance(getattr(self, each.name), str):
                raise TypeError(f"prompts: {each.name} must be a text")


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its places filled in, all at once: what is filled in is not looked at."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)


def described(tools: Iterable[tuple[str, str]]) -> str:
    """The tools as a list for the planner; a description is one line."""
    lines = [
        f"- {name}: {' '.join(text.split())}" if text else f"- {name}" for name, text in tools
    ]
    return "\n".join(lines) or "(no tools: executors only think and write)"


def results(given: Mapping[str, str]) -> str:
    """The results that a step depends on, for its executor."""
    return "\n\n".join(f"[{name}]\n{text}" for name, text in given.items()) or NOTHING_GIVEN


def reasons(diagnostics: Sequence[Diagnostic]) -> str:
    """A line for each problem of a plan: where, what, and the edit."""
    return "\n".join(
        f"- {found.path or 'the plan'}: {found.message}. Edit: {found.hint}."
        for found in diagnostics
    )


def outcomes(
    plan: TaskPlan,
    done: Mapping[str, str],
    failed: Mapping[str, str],
) -> str:
    """Step by step what was to be done and what came of it, for the synthesizer."""
    parts = []
    for step in plan.steps:
        if step.id in done:
            end = f"Result:\n{done[step.id]}"
        elif step.id in failed:
            end = f"FAILED: {failed[step.id]}"
        else:
            end = "SKIPPED: a step that it needs did not complete"
        parts.append(f"[{step.id}]\nInstruction: {step.instruction}\n{end}")
    return "\n\n".join(parts)
