"""The one tool that the plugin adds: a plan comes in, what it asked for goes back."""

from __future__ import annotations

import asyncio
import copy
import weakref
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final, cast

from strands.interrupt import InterruptException
from strands.types.tools import AgentTool, ToolGenerator, ToolResult, ToolSpec, ToolUse

from strands_plan_tool.errors import PlanError, PlanPaused
from strands_plan_tool.models import PlanResult, StepStatus
from strands_plan_tool.render import closing_message, render_diagnostics, render_for_model
from strands_plan_tool.strands_adapter.approval import PlanNotApproved, ask, nobody_to_ask
from strands_plan_tool.strands_adapter.batch import Ending, batch_of
from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker, HookRaised
from strands_plan_tool.strands_adapter.naming import names_of
from strands_plan_tool.strands_adapter.pauses import Told, ran_ok
from strands_plan_tool.strands_adapter.plan_run import PlanChanged, RunPlan
from strands_plan_tool.strands_adapter.spec import TOOL_NAME
from strands_plan_tool.strands_adapter.stay import Stay
from strands_plan_tool.strands_adapter.stopping import running
from strands_plan_tool.strands_adapter.turn import Turn

try:
    from strands.types.events import ToolResultEvent
except ImportError:  # strands-agents before 1.62
    from strands.types._events import ToolResultEvent

if TYPE_CHECKING:
    from strands import Agent


_CHANGED: Final = (
    "The plan was waiting for an answer and has been changed since, so the answer is not for "
    "it. It does not go on."
)


class PlanTool(AgentTool):
    """The tool ``submit_workflow_plan`` of one agent.

    Args:
        agent: The agent, whose tools plans call.
        spec: What the model is given.
        run: Checks and runs a plan.
        turn: The turn that the agent is in.
        honor_final: Whether a plan may end the agent's turn.
        can_pause: Whether a plan may wait for a person.
        has_approval: Whether a plan has to be approved before anything of it runs.
    """

    def __init__(
        self,
        agent: Agent,
        spec: ToolSpec,
        run: RunPlan,
        turn: Turn,
        *,
        honor_final: bool,
        can_pause: bool,
        has_approval: bool,
    ) -> None:
        super().__init__()
        # Not by the state, where an agent that shares it may have put itself meanwhile.
        self._agent = weakref.ref(agent)
        self._spec = spec
        self._run = run
        self._turn = turn
        self._honor_final = honor_final
        self._can_pause = can_pause
        self._has_approval = has_approval

    def for_agent(self, agent: Agent, moved: dict[int, Any]) -> PlanTool:
        """The same tool for an agent that is a copy of this one's, hooks and all.

        Args:
            agent: The copy.
            moved: Gets the turn of the copy by the id of this one, which its hooks still hold.
        """
        twin = copy.copy(self)
        twin._agent = weakref.ref(agent)
        turn = self._turn
        twin._turn = moved[id(turn)] = Turn(turn._reusable, is_alone=turn._is_alone)
        return twin

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
        """Run the plan that is the tool's input, or go on with it after an interrupt.

        Yields:
            What the steps' tools stream, as their own events; then ``{"plan_result": ...}``
            with the whole result, ledger and all, as plain JSON; then the tool result. Where
            the plan has to wait for a person, one interrupt event with everything that is
            asked instead of the latter two.

        Raises:
            InterruptException: The plan has to be approved.
        """
        agent = self._agent() or invocation_state["agent"]
        plan_id = tool_use["toolUseId"]
        context = kwargs.get("_tool_context")
        signal = context.cancel_signal if context is not None else agent.cancel_signal
        # A caller who wants structured output has to get it.
        may_end = self._honor_final and "structured_output_context" not in kwargs

        with batch_of(agent, invocation_state) as batch:
            names = names_of(agent, plan_id, batch)
            ending = batch.endings[names.run] = Ending(plan_id, names.calls)
            # Strands gives it a context where it runs it in the background.
            turn = self._turn if context is None else None
            stay = Stay(agent, names, turn, can_pause=self._can_pause)
            if stay.told is not None:
                yield _result(plan_id, stay.told)
                return
            events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
            invoker = AgentToolInvoker(
                agent,
                tool_use_id=names.calls,
                run_id=names.run,
                invocation_state=invocation_state,
                emit=events.put_nowait,
                cancel_signal=signal,
                can_pause=stay.can_pause,
            )
            if stay.can_pause:
                # Before any plan of the batch goes on: they may call the same agents.
                invoker.hold(self._turn.pauses.held(agent))
            approve = None
            if self._has_approval:
                approve = ask(agent, names.calls) if stay.can_pause else nobody_to_ask
            with stay:
                plan = self._run(stay.run_of(tool_use["input"], invoker, approve))
                async with running(plan, signal, invoker) as run:
                    stay.watch(run)
                    run.add_done_callback(lambda _: events.put_nowait(None))
                    while (event := await events.get()) is not None:
                        yield event

                if run.cancelled():
                    yield _result(plan_id, stay.cancel())
                    return
                try:
                    result, checked = run.result()
                except PlanPaused as paused:
                    if signal.is_set():
                        yield _result(plan_id, stay.cancel())
                    else:
                        yield invoker.interrupt_event(tool_use, stay.pause(paused, invoker))
                    return
                except InterruptException:
                    stay.ask()
                    raise
                except PlanNotApproved as denied:
                    yield _result(plan_id, stay.refuse(str(denied)))
                    return
                except PlanError as refused:
                    yield _result(plan_id, stay.refuse(_refused(refused, stay.done)))
                    return
                except PlanChanged:
                    yield _result(plan_id, stay.fail(_CHANGED))
                    return
                except HookRaised as stopped:
                    # An exception raised here would only become this tool's error result.
                    ending.raised = stopped.error
                    yield _result(plan_id, stay.fail(f"a hook stopped the plan: {stopped}"))
                    return
                except Exception as error:
                    # As Strands tells it, and what has run.
                    yield _result(plan_id, stay.fail(f"Error: {error}"), error)
                    return
                media = invoker.blocks.within([result.output, *result.returned.values()])
                remembered = stay.kept(result)
                ending.told = render_for_model(result, checked, remembered=remembered)
                # No user can read a reference to media.
                if may_end and result.ends_turn and not media:
                    ending.closing = closing_message(result, checked)
                told = stay.end(result, invoker, _told(result, ending.told, media))
                yield {"plan_result": result.model_dump(mode="json")}
                yield _result(plan_id, told)


def describe_plan_failure(error: PlanError) -> str:
    """What a model is told of a plan that did not run."""
    if error.diagnostics:
        return render_diagnostics(error.diagnostics)
    return f"The plan was refused and nothing ran: {error}. Call the tools directly."


def _refused(error: PlanError, done: Collection[str]) -> str:
    text = describe_plan_failure(error)
    if not done:
        return text
    # The tools have changed while it waited.
    head = "The plan was refused and does not go on. Make every edit below and submit it again."
    _, _, problems = text.partition("\n")
    return f"{head}\n{problems}\n{ran_ok(done)}"


def _told(result: PlanResult, text: str, media: list[dict[str, Any]]) -> Told:
    nothing = not result.has_output and not result.returned
    bad = (StepStatus.FAILED, StepStatus.SKIPPED)
    failed = nothing and any(entry.status in bad for entry in result.ledger)
    # A reference tells a model nothing of an image: the image itself goes beside it.
    return Told("error" if failed else "success", [{"text": text}, *media])


def _result(plan_id: str, told: Told, exception: Exception | None = None) -> ToolResultEvent:
    return ToolResultEvent(
        cast(
            "ToolResult",
            {"toolUseId": plan_id, "status": told.status, "content": [*told.content]},
        ),
        exception,
    )
