"""A run that ends when its agent is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, Final, TypeVar

from strands_plan_tool.strands_adapter.invoker import AgentToolInvoker

# The SDK's signal is a thread's event, which an event loop can only look at.
_LOOK_EVERY_S: Final = 0.02
# A tool in a thread cannot be stopped. It sees the signal only until the agent takes it back,
# which happens as soon as the plan's call has been answered: so it is given time to look.
_GRACE_S: Final = 0.25

Result = TypeVar("Result")


class AgentCancelledError(RuntimeError, asyncio.CancelledError):
    """The agent was cancelled, and the run with it.

    It is a cancellation, as of any run that is cancelled, and an ``Exception`` as well: the
    SDK makes an error result of it where a tool raises it, and would leave the tool's call
    without any result, in a conversation that no provider takes, if it were none.
    """

    def __init__(self) -> None:
        super().__init__(
            "the agent was cancelled, so its plan was stopped; no plan of it runs before an "
            "invocation of the agent has ended"
        )


@contextlib.asynccontextmanager
async def running(
    run: Coroutine[Any, Any, Result], signal: threading.Event, invoker: AgentToolInvoker
) -> AsyncGenerator[asyncio.Task[Result], None]:
    """Run as a task that the signal cancels; it has ended when the block is left.

    Args:
        run: The run.
        signal: The agent's cancel signal.
        invoker: Calls the run's tools.
    """
    task = asyncio.create_task(run)
    watch = asyncio.create_task(_cancel_on(signal, task, invoker))
    try:
        yield task
    finally:
        watch.cancel()
        task.cancel()
        await asyncio.gather(watch, task, return_exceptions=True)


async def result_of(
    run: Coroutine[Any, Any, Result], signal: threading.Event, invoker: AgentToolInvoker
) -> Result:
    """Wait for a run; the arguments are those of ``running``.

    Raises:
        AgentCancelledError: The signal was set, and what was in flight has ended.
    """
    async with running(run, signal, invoker) as task:
        await asyncio.wait({task})
        if task.cancelled() and signal.is_set():
            raise AgentCancelledError
        return task.result()


async def _cancel_on(
    signal: threading.Event, run: asyncio.Future[Any], invoker: AgentToolInvoker
) -> None:
    while not signal.is_set():
        # Where nobody closes the stream of a run that is over, nobody ends this either.
        if run.done():
            return
        await asyncio.sleep(_LOOK_EVERY_S)
    if invoker.runs_blocking_tool:
        await asyncio.wait({run}, timeout=_GRACE_S)
    run.cancel()
