"""How far a run is: what is known of each step, each call and each attempt of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from strands_plan_tool.executor.calls import StepCall
from strands_plan_tool.executor.faults import Fault
from strands_plan_tool.models import ItemCounts, JsonValue, StepStatus
from strands_plan_tool.validate import CheckedStep

__all__ = ["Attempt", "Call", "Progress", "milliseconds"]


@dataclass(slots=True, eq=False)
class Call:
    """One call of a tool with all its attempts: a step's own, or that of one item."""

    position: int
    index: int | None
    attempts: int = 0
    fault: Fault | None = None


@dataclass(slots=True, eq=False)
class Attempt:
    """One attempt of a call; it holds a slot until it is ``over``.

    ``noted`` are its arguments as they were, if its result is to be remembered with them.
    """

    call: Call
    sent: StepCall
    over: bool = False
    noted: dict[str, JsonValue] | None = None


@dataclass(slots=True, eq=False)
class Progress:
    """How far one step is.

    Attributes:
        step: The step.
        waits_for: How many of its dependencies have not ended.
        status: How it ended; ``None`` until it has.
        taken: Whether its condition is known to hold.
        began_at: When its first attempt started, in seconds of the run's clock.
        ended_at: When it ended.
        fault: What failed it; of a ``for_each`` step that goes on, its first failed item.
        items: The list of a ``for_each`` step, once it was read; of one that ended before
            the run was resumed its length alone counts.
        results: The results of its items, ``null`` where there is none.
        ok: How many items have a result.
        failed: How many failed for good.
        reused: How many of its calls were taken from memory.
        item_faults: What failed each failed item, by index.
        running: Its attempts that hold a slot, in the order they started.
        resting: Its calls between two attempts: in backoff, or in line for a slot after it.
        waiting: Its calls that wait for an answer, and what was last sent of each; in a
            resumed run also those that are in line for a slot once more.
    """

    step: CheckedStep
    waits_for: int
    status: StepStatus | None = None
    taken: bool = False
    began_at: float | None = None
    ended_at: float | None = None
    fault: Fault | None = None
    items: list[JsonValue] | None = None
    results: list[JsonValue] = field(default_factory=list)
    ok: int = 0
    failed: int = 0
    reused: int = 0
    item_faults: dict[int, Fault] = field(default_factory=dict)
    running: dict[Attempt, None] = field(default_factory=dict)
    resting: dict[Call, None] = field(default_factory=dict)
    waiting: dict[Call, StepCall | None] = field(default_factory=dict)

    @property
    def unbegun(self) -> bool:
        """Whether it has not ended and no attempt of it has started."""
        return self.status is None and self.began_at is None

    @property
    def busy(self) -> bool:
        """Whether an attempt runs or a call waits to be tried again."""
        return bool(self.running or self.resting)

    @property
    def complete(self) -> bool:
        """Whether no call of it is left to start."""
        return self.items is None or self.ok + self.failed == len(self.items)

    @property
    def counts(self) -> ItemCounts | None:
        """The counts of a ``for_each`` step whose list was read."""
        if self.items is None:
            return None
        return ItemCounts(total=len(self.items), ok=self.ok, failed=self.failed)

    @property
    def duration_ms(self) -> float:
        """From the start of its first attempt to its end; 0 if none started."""
        if self.began_at is None or self.ended_at is None:
            return 0.0
        return milliseconds(self.ended_at - self.began_at)


def milliseconds(seconds: float) -> float:
    """Seconds as milliseconds, to the microsecond: differences of clock times come out even."""
    return round(seconds * 1000, 3)
