"""One step of a plan as one tool call of an agent, with everything that belongs to one.

A call goes through the agent's own tool executor, so hooks, interventions, middleware,
telemetry and the tool's context are those of any other call. The executor's ``_execute`` is
the one name used here that Strands does not document for callers; it is the method that
every custom executor implements.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from opentelemetry import trace
from strands.interrupt import Interrupt, InterruptException
from strands.telemetry.metrics import Trace
from strands.types.tools import AgentTool, ToolUse

from strands_plan_tool.errors import StepPaused, ToolDeniedError, ToolExecutionError
from strands_plan_tool.executor.calls import StepCall
from strands_plan_tool.models import JsonValue
from strands_plan_tool.strands_adapter.batch import (
    STATE_KEY,
    Batch,
    Held,
    Seen,
    batch_of,
    result_for_plan,
)
from strands_plan_tool.strands_adapter.blocks import Blocks
from strands_plan_tool.strands_adapter.questions import (
    named,
    release,
    take_back,
    waits_as_tool,
)
from strands_plan_tool.strands_adapter.registry import find_tool
from strands_plan_tool.strands_adapter.results import error_text, unwrap_tool_result
from strands_plan_tool.strands_adapter.shapes import is_async, returned_schema

if TYPE_CHECKING:
    from strands import Agent

# What makes Strands send a call to the background, where its result is only a receipt.
_DISPATCH_KEY: Final = "event_loop_cycle_id"
_TURNS_TO_LEAVE: Final = 100

Emit = Callable[[dict[str, Any]], None]


class HookRaised(BaseException):
    """A hook of the user's raised: that ends the run, as it ends an agent without a plan.

    It is no ``Exception``, so that the engine does not take it for a tool's failure.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class AgentToolInvoker:
    """Calls an agent's tools, by name or as the steps of one plan run.

    Args:
        agent: The agent whose tools are called.
        tool_use_id: What the ids of the calls begin with: the id of the plan's own call.
        run_id: Names the run in keys and events; the ``tool_use_id`` unless given.
        invocation_state: The state that hooks and tools are given; what they change in it the
            caller sees.
        emit: Is given each event that a call streams.
        cancel_signal: Once it is set, no call begins.
        can_pause: Whether a call that needs a person's answer may wait for it; if not, it
            fails.

    Attributes:
        agent: As given.
        state: The invocation state.
        tool_use_id: What the ids of the calls begin with.
        run_id: Names the run in keys and events.
        blocks: What the results held that is not JSON.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        tool_use_id: str | None = None,
        run_id: str | None = None,
        invocation_state: dict[str, Any] | None = None,
        emit: Emit | None = None,
        cancel_signal: threading.Event | None = None,
        can_pause: bool = False,
    ) -> None:
        self.agent = agent
        self.state = {} if invocation_state is None else invocation_state
        self.blocks = Blocks(storable=can_pause)
        self.tool_use_id = tool_use_id or f"plan_{_some_id()}"
        self.run_id = run_id or self.tool_use_id
        self._emit = emit
        self._cancel_signal = cancel_signal
        self._can_pause = can_pause
        # What a call that waits asked, by its tool use id.
        self._asked: dict[str, list[Interrupt]] = {}
        self._event: Callable[[ToolUse, list[Interrupt]], Any] | None = None
        self._passed = self.state
        if getattr(agent, "_background_tasks", None) is not None:
            self._passed = {k: v for k, v in self.state.items() if k != _DISPATCH_KEY}
        self._synced = {k: v for k, v in self._passed.items() if k != STATE_KEY}
        self._trace = self.state.get("event_loop_cycle_trace") or Trace("plan")
        self._span = trace.get_current_span()
        self._running: dict[str, AgentTool | None] = {}

    @property
    def runs_blocking_tool(self) -> bool:
        """Whether a tool is at work that cancelling its task would not stop."""
        return any(not is_async(tool) for tool in self._running.values())

    async def __call__(self, name: str, args: Mapping[str, JsonValue]) -> JsonValue:
        """Call one tool.

        Returns:
            What it returned, as plain JSON.

        Raises:
            ToolExecutionError: The tool failed, was denied, or needs a person's answer.
            Exception: What a hook of the user's raised.
        """
        try:
            return await self._call(name, dict(args), f"{self.tool_use_id}__{_some_id()}")
        except HookRaised as stop:
            raise stop.error from None

    async def invoke_step(self, call: StepCall) -> JsonValue:
        """Carry out one attempt of one step; see ``StepInvoker``."""
        return await self._call(call.tool, call.args, self._use_id(call))

    def interrupts_of(self, waiting: Iterable[StepCall]) -> list[Interrupt]:
        """What calls that wait have asked, each interrupt once.

        A call that waits for an agent which waits in the middle of another one asks what that
        one asks, which may be a call of another plan.
        """
        asked: list[Interrupt] = []
        with batch_of(self.agent, self._passed) as batch:
            for call in waiting:
                own = self._asked.get(self._use_id(call))
                held = batch.held.get(_worker_of(find_tool(self.agent, call.tool)))
                if own is None and held is not None:
                    own = named(self.agent, held.asked)
                asked += own or ()
        return list({interrupt.id: interrupt for interrupt in asked}.values())

    def interrupt_event(self, use: ToolUse, interrupts: list[Interrupt]) -> Any:
        """The event by which a tool hands interrupts on.

        Raises:
            InterruptException: No call of this run has asked; the others are asked elsewhere.
        """
        # Strands has no public name for its class.
        if self._event is None:
            raise InterruptException(interrupts[0])
        return self._event(use, interrupts)

    def held(self) -> list[Held]:
        """The calls of this run in the middle of which agents that are used as tools wait."""
        with batch_of(self.agent, self._passed) as batch:
            begin = f"{self.tool_use_id}__"
            return [held for held in batch.held.values() if held.call.startswith(begin)]

    def hold(self, calls: Iterable[Held]) -> None:
        """Let agents that wait in the middle of these calls take them before any other."""
        with batch_of(self.agent, self._passed) as batch:
            for held in calls:
                batch.held[_worker_of(find_tool(self.agent, held.tool))] = held

    def drop_questions(self) -> None:
        """Nobody is going to answer what this run has asked; whom it called is free again."""
        with batch_of(self.agent, self._passed) as batch:
            for held in self.held():
                tool = find_tool(self.agent, held.tool)
                batch.held.pop(_worker_of(tool), None)
                release(tool)
        take_back(self.agent, {i.id for asked in self._asked.values() for i in asked})

    def _use_id(self, call: StepCall) -> str:
        item = "" if call.index is None else f"-{call.index}"
        attempt = "" if call.attempt == 1 else f"-try{call.attempt}"
        return f"{self.tool_use_id}__{call.step_id}{item}{attempt}"

    async def _call(self, name: str, args: dict[str, JsonValue], tool_use_id: str) -> JsonValue:
        if self._cancel_signal is not None and self._cancel_signal.is_set():
            raise ToolExecutionError(name, "not called: the agent is being cancelled")
        tool = find_tool(self.agent, name)
        use: ToolUse = {
            "toolUseId": tool_use_id,
            "name": name,
            "input": {key: self._argument(tool, key, value) for key, value in args.items()},
        }
        with batch_of(self.agent, self._passed) as batch:
            async with _turn_of(tool, tool_use_id, batch):
                self._running[tool_use_id] = tool
                seen = batch.seen[tool_use_id] = Seen()
                try:
                    result, exception = await self._execute(use, tool, batch)
                finally:
                    del self._running[tool_use_id], batch.seen[tool_use_id]
                    self._hand_back_state()
        result = result_for_plan(result, seen)
        return unwrap_tool_result(
            name,
            result,
            output_schema=None if tool is None else returned_schema(tool),
            blocks=self.blocks,
            exception=exception,
        )

    async def _execute(
        self, use: ToolUse, tool: AgentTool | None, batch: Batch
    ) -> tuple[dict[str, Any], BaseException | None]:
        results: list[Any] = []
        exception: BaseException | None = None
        events = cast(
            "AsyncGenerator[dict[str, Any], None]",
            self.agent.tool_executor._execute(
                self.agent, [use], results, self._trace, self._span, self._passed
            ),
        )
        asked: list[Interrupt] = []
        is_denied = False
        try:
            async with contextlib.aclosing(events):
                async for event in events:
                    if "tool_interrupt_event" in event:
                        asked += event["tool_interrupt_event"]["interrupts"]
                        self._event = type(event)
                    elif _is_result(event):
                        exception = getattr(event, "exception", None)
                    else:
                        is_denied = is_denied or "tool_cancel_event" in event
                        if self._emit is not None:
                            self._emit(event)
        except Exception as error:
            raise HookRaised(error) from error
        if asked:
            self._wait(use, tool, asked, batch)
        if not results:
            raise ToolExecutionError(use["name"], "the tool gave no result")
        result = {**results[-1]}
        if is_denied and result.get("status") == "error":
            raise ToolDeniedError(use["name"], error_text(result["content"]))
        return result, exception

    def _wait(
        self, use: ToolUse, tool: AgentTool | None, asked: list[Interrupt], batch: Batch
    ) -> NoReturn:
        use_id = use["toolUseId"]
        self._asked[use_id] = asked
        if not self._can_pause:
            raise ToolExecutionError(use["name"], _unanswered(asked))
        if tool is not None and _keeps_its_turn(tool) and waits_as_tool(tool):
            ids = tuple(interrupt.id for interrupt in asked)
            batch.held[_worker_of(tool)] = Held(use["name"], use_id, ids)
        raise StepPaused

    def _argument(self, tool: AgentTool | None, name: str, value: JsonValue) -> Any:
        """An argument as the tool is to have it: media as blocks, JSON texts as they were."""
        text = self.blocks.text_of(value)
        if text is not None and tool is not None and _takes_text(tool, name):
            return text
        return self.blocks.expand(value)

    def _hand_back_state(self) -> None:
        if self._passed is self.state:
            return
        # Only what changed: another tool of the batch may have changed the rest meanwhile.
        passed = {k: v for k, v in self._passed.items() if k != STATE_KEY}
        for key in self._synced.keys() - passed.keys():
            self.state.pop(key, None)
        for key, value in passed.items():
            if key not in self._synced or self._synced[key] is not value:
                self.state[key] = value
        self._synced = passed


@contextlib.asynccontextmanager
async def _turn_of(
    tool: AgentTool | None, use_id: str, batch: Batch
) -> AsyncGenerator[None, None]:
    """Wait for an agent that is used as a tool, which refuses a second call meanwhile.

    Raises:
        StepPaused: It waits in the middle of another call.
    """
    if tool is None or tool.tool_type != "agent":
        yield
        return
    worker = _worker_of(tool)
    async with batch.locks.setdefault(worker, asyncio.Lock()):
        if worker in batch.held and batch.held[worker].call != use_id:
            raise StepPaused
        await _until_left(tool)
        # Whatever it waited for before this call is not ours to give up.
        is_ours = batch.held.pop(worker, None) is not None or not waits_as_tool(tool)
        try:
            yield
        finally:
            if is_ours and worker not in batch.held and _keeps_its_turn(tool):
                release(tool)


async def _until_left(tool: AgentTool) -> None:
    """Give an earlier call the time to end.

    Strands leaves the stream of a call that has asked something to the garbage collector, and
    the agent's tool refuses calls until it is closed.
    """
    lock = getattr(tool, "_lock", None)
    for _ in range(_TURNS_TO_LEAVE):
        if lock is None or not lock.locked():
            return
        await asyncio.sleep(0)


def _worker_of(tool: AgentTool | None) -> int:
    """The identity of the agent that is used as a tool, which two tools may share."""
    return id(getattr(tool, "agent", tool))


def _keeps_its_turn(tool: AgentTool) -> bool:
    """Whether an agent that is used as a tool waits in the middle of a call.

    It then takes no other call before it is answered. Where its conversation is begun anew
    with each call, Strands from 1.56 on keeps the interrupted one with the agent above.
    """
    if tool.tool_type != "agent":
        return False
    is_kept_above = hasattr(tool, "_store_interrupted_turn")
    return not is_kept_above or bool(getattr(tool, "_preserve_context", True))


def _some_id() -> str:
    return uuid.uuid4().hex[:12]


def _is_result(event: Mapping[str, Any]) -> bool:
    # By its type name: the class has moved between versions of the SDK.
    return event.get("type") == "tool_result"


def _takes_text(tool: AgentTool, name: str) -> bool:
    schema = tool.tool_spec["inputSchema"].get("json")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    argument = properties.get(name) if isinstance(properties, Mapping) else None
    return isinstance(argument, Mapping) and argument.get("type") == "string"


def _unanswered(interrupts: list[Interrupt]) -> str:
    names = ", ".join(f"'{interrupt.name}'" for interrupt in interrupts)
    return (
        f"it needs a person's answer ({names}), and a plan cannot wait for one. "
        "Call this tool by itself, outside of a plan."
    )
