"""One call of the plan tool: what it goes on from, and what it leaves for the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from strands.interrupt import Interrupt

from strands_plan_tool.errors import PlanPaused
from strands_plan_tool.events import EventKind, PlanEvent
from strands_plan_tool.models import PlanResult
from strands_plan_tool.strands_adapter.approval import Approve
from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker
from strands_plan_tool.strands_adapter.naming import Names
from strands_plan_tool.strands_adapter.pauses import PausedPlan, Told, cancelled
from strands_plan_tool.strands_adapter.plan_run import PlanRun
from strands_plan_tool.strands_adapter.turn import Turn, is_interrupted

if TYPE_CHECKING:
    from strands import Agent

_LOST = (
    "The plan was waiting for an answer, and what it had done by then cannot be read any more. "
    "It does not go on. See what has been done before you send it again."
)


class Stay:
    """One call of the plan tool, within a turn of its agent.

    While it lasts, a plan that had paused is kept as cancelled: a call that nobody lets end
    (a consumer that leaves, a hook that raises) may be made again by Strands, and then it
    must neither go on nor begin anew.

    Args:
        agent: The agent.
        names: The names of the run.
        turn: The turn; None for a call that is not part of one.
        can_pause: Whether the plan may wait for a person.

    Attributes:
        told: What the model was told of this very call already; then nothing is to run.
        done: The ids of the steps that have ended well.
    """

    def __init__(
        self, agent: Agent, names: Names, turn: Turn | None, *, can_pause: bool
    ) -> None:
        self.told: Told | None = None
        self.done: list[str] = []
        self._agent = agent
        self._names = names
        self._turn = turn
        self._paused: PausedPlan | None = None
        self._left = False
        if turn is None or not can_pause:
            return
        try:
            kept = turn.pauses.load(agent, names)
        except ValueError:
            self.told = Told("error", [{"text": _LOST}])
            return
        if isinstance(kept, Told):
            self.told = kept
        elif kept is not None:
            self._paused = kept
            self.done += kept.done

    def __enter__(self) -> Stay:
        self._leave(cancelled(self.done))
        self._left = False
        return self

    def __exit__(self, *_: object) -> None:
        if not self._left:
            self._abandon()

    def run_of(self, plan: Any, invoker: AgentToolInvoker, approve: Approve | None) -> PlanRun:
        """How the plan is to run.

        Args:
            plan: The plan as the model sent it.
            invoker: Calls its tools.
            approve: What it has to be approved by.
        """
        memory = None if self._turn is None else self._turn.memory
        if self._turn is not None and memory is not None:
            invoker.blocks.take_over(self._turn.blocks)
        if self._paused is not None:
            invoker.blocks.restore(self._paused.blocks)
            invoker.hold(self._paused.held)
        return PlanRun(
            plan,
            invoker,
            on_event=self._note,
            resume=None if self._paused is None else self._paused.checkpoint,
            memory=memory,
            approve=approve,
        )

    def watch(self, run: asyncio.Task[Any]) -> None:
        """Stop the run with the turn, if that ends first."""
        if self._turn is None:
            return
        running = self._turn.running

        def stop() -> None:
            run.cancel()
            self._abandon()

        running.add(stop)
        run.add_done_callback(lambda _: running.discard(stop))

    def pause(self, paused: PlanPaused, invoker: AgentToolInvoker) -> list[Interrupt]:
        """Keep the plan until it is answered.

        Returns:
            Everything that is asked.
        """
        if self._turn is not None:
            held = invoker.held(paused.waiting)
            plan = PausedPlan.of(paused.checkpoint, invoker.blocks, held)
            self._turn.pauses.save(self._agent, self._names, plan)
        self._left = True
        return invoker.interrupts_of(paused.waiting)

    def ask(self) -> None:
        """Keep nothing: the plan has not begun, and somebody is asked whether it may."""
        if self._turn is not None:
            self._turn.pauses.drop(self._agent, [self._names.calls])
        self._left = True

    def cancel(self) -> Told:
        """End a plan that was cancelled; nothing of its turn is remembered."""
        if self._turn is not None:
            self._turn.plan_stopped()
        return self._end(cancelled(self.done))

    def refuse(self, text: str) -> Told:
        """End a plan that may not run, or not go on; the model is to send another."""
        if self._turn is not None:
            self._turn.plan_ended(None)
        return self._end(Told("error", [{"text": text}]))

    def fail(self, text: str) -> Told:
        """End a plan in the middle of which the agent is about to stop."""
        return self._end(Told("error", [{"text": text}]))

    def kept(self, result: PlanResult) -> Collection[str]:
        """The steps that a corrected plan does not run again."""
        return () if self._turn is None else self._turn.kept(result)

    def end(self, result: PlanResult, invoker: AgentToolInvoker, told: Told) -> Told:
        """End a plan that has run."""
        if self._turn is not None:
            self._turn.plan_ended(result, invoker.blocks)
        return self._end(told)

    def _abandon(self) -> None:
        # An agent that no longer waits does not make the call again.
        if self._paused is not None and is_interrupted(self._agent):
            self._leave(cancelled(self.done))

    def _end(self, told: Told) -> Told:
        self._leave(told)
        return told

    def _leave(self, told: Told) -> None:
        """Keep what the model is told, if the plan could be called once more."""
        if self._turn is not None and self._paused is not None:
            self._turn.pauses.save(self._agent, self._names, told)
        self._left = True

    def _note(self, event: PlanEvent) -> None:
        if event.kind is EventKind.OK and event.index is None:
            self.done.append(event.step_id)
