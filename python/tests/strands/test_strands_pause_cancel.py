"""A plan that is cancelled after it was answered stops what runs and resumes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pause_agents import Ran, asked, gate, replies, state_of
from plan_agents import GUARD_S, answer, plan_agent, soon, submit, tool_results
from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent
from strands.session import FileSessionManager

from strands_plan_tool import Policy
from strands_plan_tool.strands_adapter import WorkflowPlanPlugin

READ: dict[str, Any] = {"id": "r", "tool": "read", "args": {"value": 1}}
PAY: dict[str, Any] = {"id": "p", "tool": "pay", "args": {"value": 5}}
WAIT: dict[str, Any] = {"id": "w", "tool": "wait", "after": ["p"]}
PLAN = submit(READ, PAY, WAIT, returns=["w"])
TOLD = [
    {
        "status": "error",
        "content": [{"text": "The plan was cancelled. Ran ok, do not repeat: r, p"}],
    }
]


class Endless(Ran):
    """The counted tools, and one that waits for ever and tells how it was stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()

    @property
    def tools(self) -> list[Any]:
        """The others and ``wait``."""

        @tool
        async def wait() -> int:
            """Wait for ever."""
            self.calls["wait"] += 1
            self.begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped.set()
            return 1

        return [*super().tools, wait]


def gated(ran: Ran, *turns: Any, **options: Any) -> Agent:
    agent = plan_agent(*turns, tools=ran.tools, **options)
    gate("pay")(agent)
    return agent


async def until_quiet() -> None:
    """Wait for the end of everything; it is an error if something is left for long."""

    async def quiet() -> None:
        mine = (asyncio.current_task(), test)
        # Strands leaves it behind where a stream is not closed, with and without plans.
        while left := [
            task
            for task in asyncio.all_tasks()
            if task not in mine and "ConcurrentToolExecutor._task" not in repr(task.get_coro())
        ]:
            await asyncio.wait(left)

    test = asyncio.current_task()
    await soon(quiet())


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[ReadableSpan]]]:
    """The spans that were begun and those that were ended."""
    seen: dict[str, list[ReadableSpan]] = {"begun": [], "ended": []}

    class Watch(SimpleSpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            seen["begun"].append(span)

        def on_end(self, span: ReadableSpan) -> None:
            seen["ended"].append(span)

    provider = TracerProvider()
    provider.add_span_processor(Watch(InMemorySpanExporter()))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    telemetry = pytest.importorskip("strands.telemetry.tracer")
    monkeypatch.setattr(telemetry, "_tracer_instance", None)
    yield seen
    monkeypatch.setattr(telemetry, "_tracer_instance", None)


def open_spans(spans: dict[str, list[ReadableSpan]]) -> list[str]:
    """Calls of tools whose spans were never ended.

    Other spans of an agent that is left alone, and before 1.62 those of a tool that is
    cancelled, Strands itself leaves open, with and without plans.
    """
    pytest.importorskip("strands.middleware")
    ended = {span.context.span_id for span in spans["ended"] if span.context}
    calls = [s for s in spans["begun"] if s.context and s.name.startswith("execute_tool")]
    assert len(calls) > 1
    return [span.name for span in calls if span.context.span_id not in ended]


async def test_cancelling_the_agent_stops_a_plan_that_went_on(
    spans: dict[str, list[ReadableSpan]],
) -> None:
    ran = Endless()
    agent = gated(ran, PLAN, "never said")
    waits = await agent.invoke_async("go")
    turn = asyncio.create_task(agent.invoke_async(replies(waits, p="yes")))
    await soon(ran.begun.wait())
    agent.cancel()
    assert (await soon(turn)).stop_reason == "cancelled"
    assert ran.stopped.is_set()
    assert tool_results(agent) == TOLD
    assert state_of(agent) is None
    await until_quiet()
    assert open_spans(spans) == []


async def test_a_cancelled_plan_resumes_nothing_even_if_it_is_answered_once_more() -> None:
    ran = Endless()
    agent = gated(ran, PLAN, "done")
    waits = await agent.invoke_async("go")
    turn = asyncio.create_task(agent.invoke_async(replies(waits, p="yes")))
    await soon(ran.begun.wait())
    agent.cancel()
    await soon(turn)
    # Strands keeps a cancelled turn interrupted.
    await agent.invoke_async(replies(waits, p="yes"))
    assert ran.calls == {"read 1": 1, "pay 5": 1, "wait": 1}
    assert state_of(agent) is None


async def test_an_agent_that_is_cancelled_before_it_goes_on_runs_no_step() -> None:
    ran = Endless()
    agent = gated(ran, PLAN, "done")
    waits = await agent.invoke_async("go")
    agent.cancel()
    assert (await agent.invoke_async(replies(waits, p="yes"))).stop_reason == "cancelled"
    assert ran.calls == {"read 1": 1}
    await agent.invoke_async(replies(waits, p="yes"))
    assert ran.calls == {"read 1": 1}
    assert "The plan was cancelled. Ran ok, do not repeat: r" in str(tool_results(agent))
    assert state_of(agent) is None


async def test_cancelling_before_any_answer_leaves_the_plan_waiting() -> None:
    ran = Ran()
    agent = gated(ran, submit(READ, PAY, returns=["p"]), "done")
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["p"]
    await agent.invoke_async(replies(waits, p="yes"))
    assert (answer(agent), ran.calls) == ('{"p":{"paid":5}}', {"read 1": 1, "pay 5": 1})


async def leave(agent: Agent, prompt: Any, when: asyncio.Event) -> None:
    """Listen to an agent until something has happened, and then no longer."""
    events: Any = agent.stream_async(prompt)

    async def listen() -> None:
        async for _ in events:
            pass

    listening = asyncio.create_task(listen())
    await soon(when.wait())
    listening.cancel()
    await asyncio.wait({listening}, timeout=GUARD_S)
    await events.aclose()


async def test_a_consumer_that_leaves_stops_a_plan_that_went_on_for_good(
    spans: dict[str, list[ReadableSpan]], tmp_path: Path
) -> None:
    ran = Endless()

    def agent(*turns: Any) -> Agent:
        session = FileSessionManager("s", storage_dir=str(tmp_path))
        return gated(ran, *turns, agent_id="one", session_manager=session)

    waits = await agent(PLAN).invoke_async("go")
    second = agent("never said")
    await leave(second, replies(waits, p="yes"), ran.begun)
    await soon(ran.stopped.wait())
    await until_quiet()
    # Strands makes the call again on the next answer, here in another process.
    last = agent("done")
    assert str(await last.invoke_async(replies(waits, p="yes"))) == "done\n"
    assert tool_results(last) == TOLD
    assert ran.calls == {"read 1": 1, "pay 5": 1, "wait": 1}
    assert state_of(last) is None
    assert open_spans(spans) == []


async def test_a_consumer_that_leaves_a_plan_that_has_not_waited_leaves_no_state() -> None:
    ran = Endless()
    agent = gated(ran, submit(READ, {**WAIT, "after": ["r"]}, returns=["w"]), "done")
    await leave(agent, "go", ran.begun)
    await soon(ran.stopped.wait())
    await until_quiet()
    assert state_of(agent) is None
    assert str(await agent.invoke_async("and now?")) == "done\n"
    assert ran.calls == {"read 1": 1, "wait": 1}


async def test_a_listener_that_breaks_off_in_the_middle_of_a_stream_stops_the_plan() -> None:
    ran = Endless()
    stopped = asyncio.Event()

    @tool
    async def chat() -> Any:
        """Talk without end."""
        try:
            while True:
                yield "more"
                await asyncio.sleep(0)
        finally:
            stopped.set()

    agent = plan_agent(
        submit(READ, PAY, {"id": "c", "tool": "chat", "after": ["p"]}, returns=["c"]),
        "done",
        tools=[*ran.tools, chat],
    )
    gate("pay")(agent)
    waits = await agent.invoke_async("go")
    async for event in agent.stream_async(replies(waits, p="yes")):
        if "more" in str(event.get("tool_stream_event", "")):
            break
    del event
    await soon(stopped.wait())
    assert str(await agent.invoke_async(replies(waits, p="yes"))) == "done\n"
    assert tool_results(agent) == TOLD
    assert ran.calls == {"read 1": 1, "pay 5": 1}
    await until_quiet()


async def test_the_plans_timeout_ends_a_plan_that_went_on() -> None:
    ran = Endless()
    plugin = WorkflowPlanPlugin(policy=Policy(plan_timeout_s=0.5))
    agent = gated(ran, PLAN, "done", plugin=plugin)
    waits = await agent.invoke_async("go")
    result = await soon(agent.invoke_async(replies(waits, p="yes")))
    assert result.stop_reason == "end_turn"
    first, second = tool_results(agent)[0]["content"][0]["text"].splitlines()
    assert first.startswith("w failed (timeout): ")
    assert second == "Ran ok, kept for a corrected plan: r, p"
    assert (ran.stopped.is_set(), state_of(agent)) == (True, None)
    await until_quiet()


async def test_a_failure_that_stops_the_plan_leaves_nothing_to_ask() -> None:
    ran = Ran()
    asking = asyncio.Event()

    @tool
    async def fails() -> int:
        """Fail once somebody was asked."""
        await soon(asking.wait())
        raise ValueError("down")

    agent = plan_agent(
        submit(PAY, {"id": "f", "tool": "fails"}, returns=["p"]),
        "I see.",
        tools=[*ran.tools, fails],
    )

    def ask(event: Any) -> None:
        if event.tool_use["name"] == "pay":
            asking.set()
            event.interrupt("approval")

    agent.add_hook(ask, BeforeToolCallEvent)
    result = await agent.invoke_async("go")
    assert (result.stop_reason, ran.calls, state_of(agent)) == ("end_turn", {}, None)
    (told,) = tool_results(agent)
    assert told["content"] == [{"text": "p skipped\nf failed (tool_failed): down"}]
