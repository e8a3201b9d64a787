"""The words that teach a model to write plans: the tool's specification and a nudge.

Every word of the specification is paid for in every request. It is to stay within 480 tokens
(``bench/tokens.py``), and each expression in it, between backticks, is parsed by a test.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Final

from strands.types.tools import ToolSpec

from strands_plan_tool.tool_input import TOOL_INPUT_SCHEMA

TOOL_NAME: Final = "submit_workflow_plan"
"""The name of the one tool that the plugin adds to an agent."""

TOOL_DESCRIPTION: Final = """\
Run dependent tool calls as one plan when you know the tools and how results feed arguments. \
If a result needs your judgment or its shape is unknown, call the tool directly.
bind: argument to JSONata expression, like `steps.user.email` (waits for step user).
after: more ids to wait for.
when: true or false, like `steps.a.score > 3 and $not(steps.a.spam)`, checked once, not per \
item. If false, the step does not run, nor what needs it; join "any" needs just one.
for_each: a list, like `[steps.a.rows[open]]`: one call per item, bind sees `item.id`, \
`index`. Result: list in item order, not flattened.
In predicates x[...], not list constructors, bare names are row fields: \
`steps.b.rows[id = $item.id]`.
You get results of returns and/or output, like `'Sent ' & $count(steps.mail)` (text as is, \
else JSON). A step that did not run is absent: `steps.a.v ?? steps.b.v`.
final: true if that answers the user; ends the turn."""

PLAN_NUDGE: Final = (
    "When a request needs several tool calls and you can say beforehand how each result feeds "
    f"the next, send them as one plan with {TOOL_NAME} instead of calling the tools one after "
    "another. Read only fields that the tools' descriptions name. When the plan's result "
    "answers the user by itself, shape it with output and set final. When you must judge a "
    "result before you can decide what to call next, call the tools directly. A refused plan "
    "has run nothing: apply every fix it names and submit it again."
)
"""A paragraph for an agent's system prompt, which makes it plan where planning pays."""


def plan_tool_spec(inputs: Iterable[str] = ()) -> ToolSpec:
    """The specification that the model is given.

    Args:
        inputs: The names of the host's values that plans may read as ``input.<name>``; they
            are named in a line of their own, so that the model can use them.
    """
    names = ", ".join(f"`input.{name}`" for name in inputs)
    return {
        "name": TOOL_NAME,
        "description": TOOL_DESCRIPTION + (f"\nAlso there to read: {names}." if names else ""),
        # A copy: what is done to one agent's specification must not reach another's.
        "inputSchema": {"json": copy.deepcopy(TOOL_INPUT_SCHEMA)},
    }
