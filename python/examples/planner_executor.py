"""Planner, executors, synthesizer, on facts that no model can know.

The moons below are invented, so an answer can only come from the tools. Run it offline, with
scripted models, by `python examples/planner_executor.py`; with a real one by
`python examples/planner_executor.py --live PROVIDER MODEL`, where PROVIDER is bedrock,
anthropic, openai or ollama. `--transcript` prints the whole run.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

from live_models import NotReadyError, live_model
from strands import Agent, tool
from strands.models import Model

from strands_plan_tool.planner_executor import Answer, PlannerExecutor, Run, transcript
from strands_plan_tool.testing.scripted_model import (
    ModelRequest,
    ScriptedModel,
    ToolCall,
    tool_call,
)

MOONS = {
    "Orin": {"mass": "4127.25", "charted_by": "the Halden survey"},
    "Tessa": {"mass": "3891.75", "charted_by": "the Brack survey"},
}
SURVEYS = {"the Halden survey": 2291, "the Brack survey": 2304}

QUESTION = (
    "The moons Orin and Tessa: how much heavier is the heavier one (give the exact number as "
    "the value), and in which year did the survey that charted the heavier one end?"
)
MISSING = "What is the mass of the moon Orin, and what is the mass of the moon Velka?"


@tool
def moon(name: str) -> dict[str, str]:
    """Mass (in units of 10^18 kg) and survey of a moon.

    Args:
        name: The moon's name.
    """
    return MOONS.get(name) or {"error": f"no moon called {name} is on record"}


@tool
def survey_year(survey: str) -> str:
    """The year in which a survey ended.

    Args:
        survey: The survey's name, as moon() gives it.
    """
    return str(SURVEYS.get(survey, "no such survey is on record"))


@tool
def subtract(a: str, b: str) -> str:
    """The exact difference a - b of two decimal numbers.

    Args:
        a: The first number.
        b: What is taken from it.
    """
    return str(Decimal(a) - Decimal(b))


TOOLS = [moon, survey_year, subtract]


def team(make: Callable[[str], Model]) -> PlannerExecutor[Answer]:
    """The three parts, each with a model of its own."""
    return PlannerExecutor(
        planner=make("planner"),
        executors=Agent(model=make("executor"), tools=TOOLS, callback_handler=None),
        synthesizer=make("synthesizer"),
    )


def checks(run: Run[Answer], missing: Run[Answer]) -> dict[str, bool]:
    """What a good run of QUESTION and one of MISSING show, by what is checked."""
    used = [block["toolUse"] for agent in run.runs for message in agent.messages
            for block in message["content"] if "toolUse" in block]  # fmt: skip
    asked = {use["input"].get("name") for use in used if use["name"] == "moon"}
    names = {agent.name for agent in run.runs}
    first = run.waves[0] if run.waves else ()
    told = missing.answer.result
    steps = run.plan.steps if run.plan else ()
    return {
        "the answer is right": "2291" in run.answer.result,
        "every moon that is named was looked up": asked >= {"Orin", "Tessa"},
        "look-ups start together, what needs them after": len(first) >= 2
        and any(set(step.depends_on) & set(first) for step in steps),
        "the difference is exact": run.answer.value == 235.5,
        "what is missing is reported": "4127.25" in told.replace(",", "") and "Velka" in told
        and not missing.failed,
        "every agent ran": names >= {"planner_executor.planner", "planner_executor.synthesizer"}
        and all(f"planner_executor.executor.{step.id}" in names for step in steps),
    }  # fmt: skip


# The scripted models: what a real one would say, by what it is asked.


def plans(request: ModelRequest) -> str | ToolCall:
    """First a plan that forgets what depends on what, then, told the edit, a whole one."""
    forgetful = len(request.messages) == 1
    moons = ["Orin", "Velka"] if "Velka" in said(request, 0) else ["Orin", "Tessa"]
    needs = [] if forgetful else [name.lower() for name in moons]
    steps = [{"id": name.lower(), "instruction": f"Look up the moon {name}."} for name in moons]
    if "Velka" in moons:
        last = {"id": "both", "instruction": "Say both masses.", "depends_on": needs}
        return tool_call("TaskPlan", steps=[*steps, last])
    return tool_call(
        "TaskPlan",
        steps=[
            *steps,
            {"id": "gap", "instruction": "Subtract the masses.", "depends_on": needs},
            {
                "id": "year",
                "instruction": "Find the year of the survey of the heavier moon.",
                "depends_on": [*needs, *([] if forgetful else ["gap"])],
            },
        ],
    )


def works(request: ModelRequest) -> str | ToolCall:
    """Calls the tool that the step is about, then says what it gave."""
    if len(request.messages) > 1:
        return said(request, -1)
    task = said(request, 0).partition("Your step:\n")[2]
    for name in ("Orin", "Tessa", "Velka"):
        if task.startswith(f"Look up the moon {name}."):
            return tool_call("moon", name=name)
    if task.startswith("Subtract"):
        return tool_call("subtract", a="4127.25", b="3891.75")
    if task.startswith("Find the year"):
        return tool_call("survey_year", survey="the Halden survey")
    return "Orin: 4127.25. Velka: no moon of that name is on record."


def answers(request: ModelRequest) -> str | ToolCall:
    """Answers from what the steps gave."""
    if "Velka" in said(request, 0):
        text = "Orin has a mass of 4127.25; no moon called Velka is on record."
        return tool_call("Answer", result=text, subject="Orin")
    text = "Orin is heavier by 235.5; the survey that charted it ended in 2291."
    return tool_call("Answer", result=text, subject="Orin", value=235.5)


def said(request: ModelRequest, at: int) -> str:
    """The text of a message, or of the tool result in it."""
    block = request.messages[at]["content"][0]
    return str(block["toolResult"]["content"][0] if "toolResult" in block else block["text"])


def scripted(part: str) -> Model:
    """A model that plays one of the three parts."""
    plays = {"planner": plans, "executor": works, "synthesizer": answers}[part]
    return ScriptedModel(*[plays] * 20)


def real(provider: str, model_id: str, _part: str) -> Model:
    """A provider's model, the same for each part."""
    return live_model(provider, model_id)


async def both(make: Callable[[str], Model]) -> tuple[Run[Answer], Run[Answer]]:
    """Answer the two questions."""
    return await team(make)(QUESTION), await team(make)(MISSING)


def main(arguments: Sequence[str] = ()) -> int:
    """Run both questions and say what the checks find; the exit code is 0 if all is well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--live", nargs=2, metavar=("PROVIDER", "MODEL"))
    parser.add_argument("--transcript", action="store_true")
    options = parser.parse_args(arguments)
    make: Callable[[str], Model] = scripted
    if options.live:
        provider, model_id = options.live
        try:
            live_model(provider, model_id)
        except NotReadyError as error:
            print(error)
            return 2
        make = partial(real, provider, model_id)
    run, missing = asyncio.run(both(make))
    if options.transcript:
        print(transcript(run))
        print(transcript(missing))
    for each in (run, missing):
        print(each.question)
        print(f"  {' -> '.join(' + '.join(wave) for wave in each.waves)}")
        print(f"  {each.answer.result}")
        print(f"  plans refused: {len(each.attempts) - 1}, requests: {each.usage.requests}")
    found = checks(run, missing)
    for name, well in found.items():
        print(f"{'ok  ' if well else 'FAIL'} {name}")
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
