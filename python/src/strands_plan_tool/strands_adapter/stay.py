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
from strands_plan_tool.strands_adapter.pauses import PausedPlan, Told, cancelled, ran_ok
from strands_plan_tool.strands_adapter.plan_run import PlanRun
from strands_plan_tool.strands_adapter.questions import is_interrupted, waits_within
from strands_plan_tool.strands_adapter.turn import Turn

if TYPE_CHECKING:
    from strands import Agent

_LOST = (
    "The plan was waiting for an answer, and what it had done by then cannot be read any more. "
    "It does not go on. See what has been done before you send it again."
)


class Stay:
    """One call of the plan tool, within a turn of its agent.

    While it lasts in an agent that is being resumed, its plan is kept as cancelled: a call
    that nobody lets end (a consumer that leaves, a hook that raises) is made again by Strands
    with the next answer, and then the plan must neither go on nor begin anew.

    Args:
        agent: The agent.
        names: The names of the run.
        turn: The turn; None for a call in the background, which Strands makes once.
        can_pause: Whether plans may wait for a person.

    Attributes:
        told: What the model was told of this very call already; then nothing is to run.
        done: The ids of the steps that have ended well.
        can_pause: Whether this plan may wait for a person.
    """

    def __init__(
        self, agent: Agent, names: Names, turn: Turn | None, *, can_pause: bool
    ) -> None:
        self.told: Told | None = None
        self.done: list[str] = []
        self._agent = agent
        self._names = names
        # A direct call, and one of a message without a tracking id, is part of no turn.
        self._turn = turn if names.can_return else None
        self.can_pause = can_pause and self._turn is not None
        self._invoker: AgentToolInvoker | None = None
        self._paused: PausedPlan | None = None
        self._is_resumed = is_interrupted(agent)
        # Whether what is kept is as it has to be, and whether somebody is going to be asked.
        self._left = self._waits = False
        if turn is not None and self._is_resumed:
            self._take_up(turn)

    def __enter__(self) -> Stay:
        if self._is_resumed:
            self._leave(cancelled(self.done))
        self._left = False
        return self

    def __exit__(self, *_: object) -> None:
        if not self._left:
            self._abandon()
        if not self._waits:
            self._drop_questions()

    def run_of(self, plan: Any, invoker: AgentToolInvoker, approve: Approve | None) -> PlanRun:
        """How the plan is to run.

        Args:
            plan: The plan as the model sent it.
            invoker: Calls its tools.
            approve: What it has to be approved by.
        """
        self._invoker = invoker
        memory = None if self._turn is None else self._turn.memory
        if self._turn is not None and memory is not None:
            invoker.blocks.take_over(self._turn.blocks)
        if self._paused is not None:
            invoker.blocks.restore(self._paused.blocks)
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
            plan = PausedPlan.of(paused.checkpoint, invoker.blocks, invoker.held())
            self._turn.pauses.save(self._agent, self._names, plan)
        self._left = self._waits = True
        return invoker.interrupts_of(paused.waiting)

    def ask(self) -> None:
        """Keep nothing: the plan has not begun, and somebody is asked whether it may."""
        if self._turn is not None:
            self._turn.pauses.drop(self._agent, [self._names.calls])
        self._left = self._waits = True

    def cancel(self) -> Told:
        """End a plan that was cancelled; nothing of its turn is remembered."""
        if self._turn is not None:
            self._turn.plan_stopped()
        return self._end(cancelled(self.done))

    def refuse(self, text: str) -> Told:
        """End a plan that may not run; the model is to send another."""
        if self._turn is not None:
            self._turn.plan_ended(None)
        return self._end(Told("error", [{"text": text}]))

    def fail(self, text: str) -> Told:
        """End a plan that does not go on, though some of it may have run."""
        ran = f"\n{ran_ok(self.done)}" if self.done else ""
        return self.refuse(f"{text}{ran}")

    def kept(self, result: PlanResult) -> Collection[str]:
        """The steps that a corrected plan does not run again."""
        return () if self._turn is None else self._turn.kept(result)

    def end(self, result: PlanResult, invoker: AgentToolInvoker, told: Told) -> Told:
        """End a plan that has run."""
        if self._turn is not None:
            self._turn.plan_ended(result, invoker.blocks)
        return self._end(told)

    def _take_up(self, turn: Turn) -> None:
        """Find what the call goes on from: Strands may have made it before."""
        agent, names = self._agent, self._names
        kept: PausedPlan | Told | None = None
        is_lost = False
        try:
            kept = turn.pauses.load(agent, names)
        except ValueError:
            is_lost = True
        if isinstance(kept, Told):
            self.told = kept
        elif names.result is not None:
            # A process ended after the model had been told, and before the agent was stored.
            self.told = Told(names.result["status"], [*names.result["content"]])
        elif kept is not None and self.can_pause:
            self._paused = kept
            self.done += kept.done
        elif is_lost or waits_within(agent, names.calls):
            # The answers are for steps of which nothing is known any more.
            turn.plan_ended(None)
            self.told = Told("error", [{"text": _LOST}])

    def _abandon(self) -> None:
        # An agent that no longer waits does not make the call again.
        if self._is_resumed and is_interrupted(self._agent):
            self._leave(cancelled(self.done))

    def _end(self, told: Told) -> Told:
        self._drop_questions()
        self._leave(told)
        return told

    def _drop_questions(self) -> None:
        if self._invoker is not None:
            self._invoker.drop_questions()

    def _leave(self, told: Told) -> None:
        """Keep what the model is told, as far as the plan could be called once more."""
        self._left = True
        if self._turn is None or not self.can_pause:
            return
        if self._is_resumed:
            self._turn.pauses.save(self._agent, self._names, told)
        else:
            self._turn.pauses.put_aside(self._names, told)

    def _note(self, event: PlanEvent) -> None:
        if event.kind is EventKind.OK and event.index is None:
            self.done.append(event.step_id)
