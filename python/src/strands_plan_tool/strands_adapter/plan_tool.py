"""The one tool that the plugin adds: a plan comes in, what it asked for goes back."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from strands.types.tools import AgentTool, ToolGenerator, ToolResultContent, ToolSpec, ToolUse

from strands_plan_tool.errors import PlanError
from strands_plan_tool.events import EventKind, OnEvent, PlanEvent
from strands_plan_tool.models import PlanResult, StepStatus, WorkflowPlan
from strands_plan_tool.render import closing_message, render_diagnostics, render_for_model
from strands_plan_tool.strands_adapter.batch import Ending, batch_of
from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker, HookRaised
from strands_plan_tool.strands_adapter.naming import names_of
from strands_plan_tool.strands_adapter.spec import TOOL_NAME
from strands_plan_tool.strands_adapter.stopping import running

try:
    from strands.types.events import ToolResultEvent
except ImportError:  # strands-agents before 1.62
    from strands.types._events import ToolResultEvent

if TYPE_CHECKING:
    from strands import Agent

RunPlan = Callable[
    [Any, AgentToolInvoker, OnEvent], Coroutine[Any, Any, tuple[PlanResult, WorkflowPlan]]
]


class PlanTool(AgentTool):
    """The tool ``submit_workflow_plan`` of one agent.

    Args:
        agent: The agent, whose tools plans call.
        spec: What the model is given.
        run: Checks and runs a plan.
        honor_final: Whether a plan may end the agent's turn.
    """

    def __init__(
        self, agent: Agent, spec: ToolSpec, run: RunPlan, *, honor_final: bool
    ) -> None:
        super().__init__()
        # Not by the state, where an agent that shares it may have put itself meanwhile.
        self._agent = weakref.ref(agent)
        self._spec = spec
        self._run = run
        self._honor_final = honor_final

    @property
    def tool_name(self) -> str:
        """``submit_workflow_plan``."""
        return TOOL_NAME

    @property
    def tool_spec(self) -> ToolSpec:
        """Name, description and input schema."""
        return self._spec

    @property
    def tool_type(self) -> str:
        """``plan``."""
        return "plan"

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> ToolGenerator:
        """Run the plan that is the tool's input.

        Yields:
            What the steps' tools stream, as their own events; then ``{"plan_result": ...}``
            with the whole result, ledger and all, as plain JSON; then the tool result.
        """
        agent = self._agent() or invocation_state["agent"]
        plan_id = tool_use["toolUseId"]
        context = kwargs.get("_tool_context")
        signal = context.cancel_signal if context is not None else agent.cancel_signal
        # A caller who wants structured output has to get it.
        may_end = self._honor_final and "structured_output_context" not in kwargs

        with batch_of(agent, invocation_state) as batch:
            names = names_of(agent, plan_id, batch)
            ending = batch.endings[names.run] = Ending(plan_id)
            events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
            invoker = AgentToolInvoker(
                agent,
                tool_use_id=names.calls,
                run_id=names.run,
                invocation_state=invocation_state,
                emit=events.put_nowait,
                cancel_signal=signal,
            )
            done: list[str] = []
            plan = self._run(tool_use["input"], invoker, _noting(done))
            async with running(plan, signal, invoker) as run:
                run.add_done_callback(lambda _: events.put_nowait(None))
                while (event := await events.get()) is not None:
                    yield event

            if run.cancelled():
                yield _failed(plan_id, _cancelled(done))
                return
            try:
                result, checked = run.result()
            except PlanError as refused:
                yield _failed(plan_id, describe_plan_failure(refused))
                return
            except HookRaised as stopped:
                # An exception raised here would only become this tool's error result.
                ending.raised = stopped.error
                yield _failed(plan_id, f"a hook stopped the plan: {stopped}")
                return
            media = invoker.blocks.within([result.output, *result.returned.values()])
            ending.told = render_for_model(result, checked)
            # No user can read a reference to media.
            if may_end and result.ends_turn and not media:
                ending.closing = closing_message(result, checked)
            yield {"plan_result": result.model_dump(mode="json")}
            yield _answer(plan_id, result, ending.told, media)


def describe_plan_failure(error: PlanError) -> str:
    """What a model is told of a plan that did not run."""
    if error.diagnostics:
        return render_diagnostics(error.diagnostics)
    return f"The plan was refused and nothing ran: {error}. Call the tools directly."


def _noting(done: list[str]) -> OnEvent:
    def note(event: PlanEvent) -> None:
        if event.kind is EventKind.OK and event.index is None:
            done.append(event.step_id)

    return note


def _answer(
    plan_id: str, result: PlanResult, text: str, media: list[dict[str, Any]]
) -> ToolResultEvent:
    nothing = not result.has_output and not result.returned
    bad = (StepStatus.FAILED, StepStatus.SKIPPED)
    failed = nothing and any(entry.status in bad for entry in result.ledger)
    return ToolResultEvent(
        {
            "toolUseId": plan_id,
            "status": "error" if failed else "success",
            # A reference tells a model nothing of an image: the image itself goes beside it.
            "content": [{"text": text}, *cast("list[ToolResultContent]", media)],
        }
    )


def _failed(plan_id: str, text: str) -> ToolResultEvent:
    return ToolResultEvent(
        {"toolUseId": plan_id, "status": "error", "content": [{"text": text}]}
    )


def _cancelled(done: list[str]) -> str:
    if not done:
        return "The plan was cancelled. No step had ended."
    return f"The plan was cancelled. Ran ok, do not repeat: {', '.join(done)}"
