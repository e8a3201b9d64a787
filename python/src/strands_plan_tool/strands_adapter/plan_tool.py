"""The one tool that the plugin adds: a plan comes in, what it asked for goes back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, cast

from strands.types.tools import AgentTool, ToolGenerator, ToolResultContent, ToolSpec, ToolUse

from strands_plan_tool.errors import PlanError
from strands_plan_tool.events import EventKind, OnEvent, PlanEvent
from strands_plan_tool.models import PlanResult, StepStatus, WorkflowPlan
from strands_plan_tool.render import closing_message, render_diagnostics, render_for_model
from strands_plan_tool.strands_adapter.batch import Batch, Ending
from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker, HookRaised
from strands_plan_tool.strands_adapter.spec import TOOL_NAME

try:
    from strands.types.events import ToolResultEvent
except ImportError:  # strands-agents before 1.62
    from strands.types._events import ToolResultEvent

# The SDK's signal is a thread's event, which an event loop can only look at.
_LOOK_EVERY_S: Final = 0.02
# A tool in a thread cannot be stopped. It sees the signal only until the agent takes it back,
# which happens as soon as this tool has answered: so it is given time to look.
_GRACE_S: Final = 0.25

RunPlan = Callable[
    [Any, AgentToolInvoker, OnEvent], Coroutine[Any, Any, tuple[PlanResult, WorkflowPlan]]
]


class PlanTool(AgentTool):
    """The tool ``submit_workflow_plan`` of one agent.

    Args:
        spec: What the model is given.
        run: Checks and runs a plan.
        honor_final: Whether a plan may end the agent's turn.
    """

    def __init__(self, spec: ToolSpec, run: RunPlan, *, honor_final: bool) -> None:
        super().__init__()
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
        agent = invocation_state["agent"]
        plan_id = tool_use["toolUseId"]
        ending = Batch.of(invocation_state).endings[plan_id] = Ending()
        context = kwargs.get("_tool_context")
        signal = context.cancel_signal if context is not None else agent.cancel_signal

        events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        invoker = AgentToolInvoker(
            agent,
            tool_use_id=plan_id,
            invocation_state=invocation_state,
            emit=events.put_nowait,
            cancel_signal=signal,
        )
        done: list[str] = []
        run = asyncio.create_task(self._run(tool_use["input"], invoker, _noting(done)))
        run.add_done_callback(lambda _: events.put_nowait(None))
        watch = asyncio.create_task(_stop_on(signal, run, invoker))
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            watch.cancel()
            run.cancel()
            await asyncio.gather(watch, run, return_exceptions=True)

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
        # A caller who wants structured output has to get it, and no user can read a reference.
        heard_again = "structured_output_context" in kwargs or bool(media)
        if self._honor_final and result.ends_turn and not heard_again:
            ending.closing = closing_message(result, checked)
        yield {"plan_result": result.model_dump(mode="json")}
        yield _answer(plan_id, result, render_for_model(result, checked), media)


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


async def _stop_on(
    signal: threading.Event, run: asyncio.Future[Any], invoker: AgentToolInvoker
) -> None:
    while not signal.is_set():  # noqa: ASYNC110 - the SDK's signal is no asyncio event
        await asyncio.sleep(_LOOK_EVERY_S)
    if invoker.runs_blocking_tool:
        await asyncio.wait({run}, timeout=_GRACE_S)
    run.cancel()


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
