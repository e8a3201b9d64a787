"""What an agent keeps between the plans of one turn: a turn may go on after an interrupt."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from strands.hooks import AfterInvocationEvent, AfterToolsEvent, BeforeInvocationEvent

from strands_plan_tool.memory import CallMemory
from strands_plan_tool.models import PlanResult, StepStatus
from strands_plan_tool.strands_adapter.batch import Ending, results_of
from strands_plan_tool.strands_adapter.blocks import Blocks
from strands_plan_tool.strands_adapter.pauses import Pauses
from strands_plan_tool.strands_adapter.questions import is_interrupted

if TYPE_CHECKING:
    from strands import Agent

_BARRED = (StepStatus.FAILED, StepStatus.SKIPPED)

_log = logging.getLogger("strands_plan_tool")


class Turn:
    """The turn that an agent is in.

    Args:
        reusable: Whether a corrected plan may take over results of a tool, by its name; None
            if nothing is to be remembered.
        is_alone: Whether the agent takes one invocation at a time. If not, turns cannot be
            told apart, so nothing is remembered.

    Attributes:
        pauses: The agent's paused plans.
        blocks: What remembered results refer to.
        running: What stops each plan of this turn that runs.
    """

    def __init__(self, reusable: Callable[[str], bool] | None, *, is_alone: bool) -> None:
        self.pauses = Pauses()
        self.blocks = Blocks()
        self.running: set[Callable[[], None]] = set()
        self._is_alone = is_alone
        self._reusable = reusable if is_alone else None
        self._memory = CallMemory(reusable)
        # Of the batch that runs: whether a plan has ended, and one that has to be corrected.
        self._ended = self._failed = False

    @property
    def memory(self) -> CallMemory | None:
        """What the plans of this turn remember; None if nothing may be remembered."""
        return None if self._reusable is None else self._memory

    def kept(self, result: PlanResult) -> list[str]:
        """The steps that a corrected plan does not run again."""
        memory = self.memory
        if memory is None:
            return []
        return [
            entry.id
            for entry in result.ledger
            if entry.status is StepStatus.OK and memory.keeps(entry.tool)
        ]

    def plan_ended(self, result: PlanResult | None, blocks: Blocks | None = None) -> None:
        """A plan has ended; without a result it was refused, and is to be corrected too."""
        self._ended = True
        if result is None or _needs_correction(result):
            self._failed = True
        if self.memory is not None and blocks is not None:
            self.blocks.take_over(blocks)

    def plan_stopped(self) -> None:
        """A plan was cancelled: nothing of this turn is taken over."""
        self._forget()

    # Hooks.

    def begin(self, event: BeforeInvocationEvent) -> None:
        """After all others: a new turn begins, or one goes on that was interrupted."""
        self._forget()
        if not is_interrupted(event.agent):
            self.pauses.clear(event.agent)
            return
        try:
            kept = self.pauses.load_memory(event.agent)
            if kept is not None and self._reusable is not None:
                self._memory = CallMemory.from_json(kept["calls"], self._reusable)
                self.blocks.restore(kept)
                self._ended, self._failed = kept["ended"], kept["failed"]
        except (KeyError, TypeError, ValueError):
            _log.warning("what this turn had remembered cannot be read", exc_info=True)
            self._forget()

    def end(self, event: AfterInvocationEvent) -> None:
        """Before any session manager stores the agent."""
        if self._is_alone:
            # Whoever reads the stream has left it, and may not have closed it.
            for stop in [*self.running]:
                stop()
        agent = event.agent
        if not is_interrupted(agent):
            self.pauses.clear(agent)
            self._forget()
            return
        self.pauses.keep_aside(agent)
        if self.memory is not None and (self._memory.available or self._memory.pending):
            self.pauses.save_memory(
                agent,
                {
                    "calls": self._memory.to_json(),
                    **self.blocks.to_json(),
                    "ended": self._ended,
                    "failed": self._failed,
                },
            )
        self._forget()

    def settle(self, event: AfterToolsEvent, endings: Collection[Ending]) -> None:
        """A batch of calls is over, or waits in part."""
        answered = {str(result["toolUseId"]) for result in results_of(event)}
        ended = {ending.calls for ending in endings}
        self.pauses.drop(event.agent, ended)
        # What was answered without having run must not run later.
        self.pauses.stop(event.agent, answered)
        if self._ended and _asked(event.agent) <= answered:
            self._memory.settle(self._failed)
            if not self._failed:
                self.blocks = Blocks()
            self._ended = self._failed = False

    def _forget(self) -> None:
        self._memory = CallMemory(self._reusable)
        self.blocks = Blocks()
        self._ended = self._failed = False


def _needs_correction(result: PlanResult) -> bool:
    return result.output_error is not None or any(
        entry.status in _BARRED or (entry.items is not None and entry.items.failed)
        for entry in result.ledger
    )


def _asked(agent: Agent) -> set[str]:
    """The ids of the calls of the batch that runs."""
    for message in reversed(agent.messages):
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if uses:
            return {use["toolUseId"] for use in uses}
    return set()
