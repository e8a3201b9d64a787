"""A plan that waits comes back in a new process, through any session manager, and leaves
nothing behind once it has ended."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pause_agents import Ran, asked, gate, replies, state_of
from plan_agents import answer, plan_agent, refusal, submit, tool_results
from strands import Agent, tool
from strands.hooks import AfterToolsEvent, BeforeToolCallEvent
from strands.session import FileSessionManager, SnapshotSessionManager
from strands.storage import LocalFileStorage
from strands.types.exceptions import EventLoopException

from strands_plan_tool import Policy
from strands_plan_tool.strands_adapter import TOOL_NAME, WorkflowPlanPlugin
from strands_plan_tool.strands_adapter.batch import STATE_KEY

IMAGE = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\x00\xff"}}}
READ: dict[str, Any] = {"id": "r", "tool": "read", "args": {"value": 1}}
PAY: dict[str, Any] = {"id": "p", "tool": "pay", "args": {"value": 5}}

Sessions = Callable[[], Any]


@pytest.fixture(params=["files", "snapshots"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Sessions:
    """Makes a session manager over the same files each time, as a new process would."""
    if request.param == "files":
        return lambda: FileSessionManager("s", storage_dir=str(tmp_path))
    return lambda: SnapshotSessionManager("s", storage=LocalFileStorage(str(tmp_path)))


class Lives:
    """An agent that is made anew from its session before each answer."""

    def __init__(self, sessions: Sessions, ran: Ran, *tools: Any, **options: Any) -> None:
        self._sessions = sessions
        self._tools = [*ran.tools, *tools]
        self._options = options
        self.gates: tuple[str, ...] = ("pay",)

    def agent(self, *turns: Any) -> Agent:
        """A new one, with what its model says from now on."""
        plugin = WorkflowPlanPlugin(**self._options)
        agent = plan_agent(
            *turns,
            tools=self._tools,
            plugin=plugin,
            agent_id="one",
            session_manager=self._sessions(),
        )
        gate(*self.gates)(agent)
        return agent


def stored_text(tmp_path: Path) -> str:
    """All that a session manager has written of the agent, but its messages."""
    files = [p for p in tmp_path.rglob("*.json") if "message_" not in p.name]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


async def test_every_kind_of_ending_comes_back_in_a_new_process(
    sessions: Sessions, tmp_path: Path
) -> None:
    ran = Ran()
    lives = Lives(sessions, ran)
    agent = lives.agent(
        submit(
            READ,
            {"id": "f", "tool": "fail"},
            {"id": "n", "tool": "read", "after": ["f"]},
            {"id": "w", "tool": "read", "when": "false"},
            {"id": "l", "tool": "read", "for_each": "[7, 8]", "bind": {"value": "item"}},
            PAY,
            {"id": "a", "tool": "read", "bind": {"value": "[steps.p.paid, steps.l.value]"}},
            {"id": "b", "tool": "pay", "bind": {"value": "steps.a.value[0] + 1"}},
            returns=["r", "b"],
            output="steps.l.value",
            on_error="continue",
        )
    )
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["p"]
    assert '"strands_plan_tool"' in stored_text(tmp_path)

    again = await lives.agent().invoke_async(replies(waits, p="yes"))
    assert asked(again) == ["b"]

    last = lives.agent("done")
    await last.invoke_async(replies(again, b="yes"))
    assert answer(last).splitlines() == [
        '{"r":{"value":1},"b":{"paid":6}}',
        "[7,8]",
        "f failed (tool_failed): no such thing",
        "w not taken",
        "n skipped",
        "Ran ok, kept for a corrected plan: r, l, p, a, b",
    ]
    assert set(ran.calls.values()) == {1}
    assert state_of(last) is None
    assert '"strands_plan_tool"' not in stored_text(tmp_path)


async def test_a_half_done_list_comes_back_with_its_items_and_its_faults(
    sessions: Sessions,
) -> None:
    ran = Ran()

    @tool
    async def odd(value: int) -> int:
        """Take odd numbers only."""
        ran.calls[f"odd {value}"] += 1
        if value % 2 == 0:
            raise ValueError(f"{value} is even")
        return value

    lives = Lives(sessions, ran, odd)
    lives.gates = ()
    listed = {"id": "l", "tool": "odd", "for_each": "[1, 2, 3]", "bind": {"value": "item"}}
    plan = submit(listed, returns=["l"], on_error="continue")

    def ask(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["input"].get("value") == 3:
            event.interrupt("approval")

    agent = lives.agent(plan)
    agent.add_hook(ask, BeforeToolCallEvent)
    waits = await agent.invoke_async("go")
    last = lives.agent("done")
    last.add_hook(ask, BeforeToolCallEvent)
    await last.invoke_async(replies(waits, l_2="yes"))
    assert answer(last).splitlines() == [
        '{"l":[1,null,3]}',
        "l: 1 of 3 items failed, null in its result",
    ]
    assert ran.calls == {"odd 1": 1, "odd 2": 1, "odd 3": 1}


async def test_media_and_texts_come_back_as_they_were(sessions: Sessions) -> None:
    given = []

    @tool
    def screenshot() -> dict[str, Any]:
        """Take a picture."""
        return {"status": "success", "content": [IMAGE]}

    @tool
    def fetch() -> str:
        """Fetch a document."""
        return '{ "id" : 7 }'

    @tool
    async def use(picture: dict[str, Any], text: str) -> str:
        """Use both."""
        given.append((picture, text))
        return "used"

    lives = Lives(sessions, Ran(), screenshot, fetch, use)
    agent = lives.agent(
        submit(
            {"id": "s", "tool": "screenshot"},
            {"id": "f", "tool": "fetch"},
            PAY,
            {
                "id": "u",
                "tool": "use",
                "bind": {"picture": "steps.s", "text": "steps.f"},
                "after": ["p"],
            },
            returns=["s", "u"],
        )
    )
    waits = await agent.invoke_async("go")
    last = lives.agent("done")
    await last.invoke_async(replies(waits, p="yes"))
    assert given == [(IMAGE, '{ "id" : 7 }')]
    (told,) = tool_results(last)
    assert told["content"][1:] == [IMAGE]


async def test_an_integer_comes_back_with_every_digit(sessions: Sessions) -> None:
    number = 2**53 + 1

    @tool
    async def exact() -> dict[str, int]:
        """Give a wide integer."""
        return {"n": number, "10": 1, "9": 2}

    lives = Lives(sessions, Ran(), exact, policy=Policy(integers="exact"))
    agent = lives.agent(
        submit(
            {"id": "e", "tool": "exact"},
            PAY,
            {"id": "a", "tool": "read", "bind": {"value": "steps.e"}, "after": ["p"]},
            returns=["e", "a"],
        )
    )
    waits = await agent.invoke_async("go")
    last = lives.agent("done")
    await last.invoke_async(replies(waits, p="yes"))
    kept = f'{{"9":2,"10":1,"n":{number}}}'
    assert answer(last) == f'{{"e":{kept},"a":{{"value":{kept}}}}}'


async def test_answers_in_parts_come_from_process_after_process(sessions: Sessions) -> None:
    ran = Ran()
    lives = Lives(sessions, ran)
    steps = [{"id": f"p{n}", "tool": "pay", "args": {"value": n}} for n in range(3)]
    result = await lives.agent(submit(*steps, returns=["p0", "p1", "p2"])).invoke_async("go")
    for left in (["p0", "p2"], ["p2"]):
        gone = ({"p0", "p1", "p2"} - set(left)) & set(asked(result))
        result = await lives.agent().invoke_async(replies(result, **dict.fromkeys(gone, "yes")))
        assert asked(result) == left
    last = lives.agent("done")
    await last.invoke_async(replies(result, p2="no"))
    assert "p2 failed (tool_failed): no" in str(tool_results(last))
    assert ran.calls == {"pay 0": 1, "pay 1": 1}


async def test_a_plan_that_was_changed_while_it_waited_does_not_go_on_with_the_answers(
    sessions: Sessions,
) -> None:
    ran = Ran()
    lives = Lives(sessions, ran)
    waits = await lives.agent(submit(READ, PAY, returns=["r", "p"])).invoke_async("go")
    last = lives.agent("done")

    def change(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == TOOL_NAME:
            event.tool_use["input"]["steps"][0]["args"]["value"] = 2

    last.add_hook(change, BeforeToolCallEvent)
    await last.invoke_async(replies(waits, p="yes"))
    assert refusal(last) == (
        "The plan was waiting for an answer and has been changed since, so the answer is not "
        "for it. It does not go on.\nRan ok, do not repeat: r"
    )
    assert (ran.calls, state_of(last)) == ({"read 1": 1}, None)


async def test_the_state_of_a_turn_that_is_over_is_gone_when_the_next_begins(
    sessions: Sessions, tmp_path: Path
) -> None:
    ran = Ran()
    lives = Lives(sessions, ran)
    agent = lives.agent(submit(READ, PAY, returns=["r", "p"]))
    await agent.invoke_async("go")
    left = state_of(agent)
    other = plan_agent(submit(READ, PAY, returns=["r", "p"]), "done", tools=ran.tools)
    gate("pay")(other)
    other.state.set(STATE_KEY, left)
    waits = await other.invoke_async("go")
    assert ran.calls == {"read 1": 2}
    await other.invoke_async(replies(waits, p="yes"))
    assert (ran.calls, state_of(other)) == ({"read 1": 2, "pay 5": 1}, None)


async def test_what_cannot_be_read_any_more_neither_goes_on_nor_begins_anew(
    sessions: Sessions,
) -> None:
    ran = Ran()
    lives = Lives(sessions, ran)
    waits = await lives.agent(submit(READ, PAY, returns=["r", "p"])).invoke_async("go")
    last = lives.agent("done")
    kept = state_of(last)
    entry = json.loads(kept["plans"]["call_1_0"])
    entry["checkpoint"]["version"] = 2
    kept["plans"]["call_1_0"] = json.dumps(entry)
    last.state.set(STATE_KEY, kept)
    await last.invoke_async(replies(waits, p="yes"))
    (told,) = tool_results(last)
    assert told == {
        "status": "error",
        "content": [
            {
                "text": "The plan was waiting for an answer, and what it had done by then "
                "cannot be read any more. It does not go on. See what has been done before "
                "you send it again."
            }
        ],
    }
    assert (ran.calls, state_of(last)) == ({"read 1": 1}, None)


class Handle:
    """Something that no file can hold."""


async def test_media_that_cannot_be_stored_fail_their_step_and_the_interrupt_goes_out(
    sessions: Sessions,
) -> None:
    @tool
    def record() -> dict[str, Any]:
        """Record a video."""
        source = {"bytes": b"\x00", "handle": Handle()}
        return {
            "status": "success",
            "content": [{"video": {"format": "mp4", "source": source}}],
        }

    ran = Ran()
    lives = Lives(sessions, ran, record)
    agent = lives.agent(
        submit({"id": "v", "tool": "record"}, PAY, returns=["p"], on_error="continue")
    )
    waits = await agent.invoke_async("go")
    assert asked(waits) == ["p"]
    last = lives.agent("done")
    await last.invoke_async(replies(waits, p="yes"))
    assert answer(last).splitlines()[1] == (
        'v failed (not_json_result): the result of step "v" is not JSON: '
        "at /video/source/handle: a value of type Handle"
    )
    assert ran.calls == {"pay 5": 1}


async def test_where_the_state_takes_nothing_the_plan_goes_on_in_its_process(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ran = Ran()
    agent = plan_agent(submit(READ, PAY, returns=["p"]), "done", tools=ran.tools)
    gate("pay")(agent)

    def full(key: str, value: Any) -> None:
        raise ValueError("no room")

    monkeypatch.setattr(agent.state, "set", full)
    with caplog.at_level(logging.WARNING, logger="strands_plan_tool"):
        waits = await agent.invoke_async("go")
    assert "goes on in this process only" in caplog.text
    assert (asked(waits), state_of(agent)) == (["p"], None)
    await agent.invoke_async(replies(waits, p="yes"))
    assert (answer(agent), ran.calls) == ('{"p":{"paid":5}}', {"read 1": 1, "pay 5": 1})


async def test_the_agents_own_state_is_left_alone(sessions: Sessions) -> None:
    ran = Ran()
    lives = Lives(sessions, ran)
    agent = lives.agent(submit(PAY, returns=["p"]))
    agent.state.set("mine", {"a": 1})
    waits = await agent.invoke_async("go")
    last = lives.agent("done")
    await last.invoke_async(replies(waits, p="yes"))
    assert last.state.get() == {"mine": {"a": 1}}


async def test_a_plan_whose_end_was_not_heard_is_told_again_and_not_run_again() -> None:
    ran, broken = Ran(), [True]
    agent = plan_agent(submit(READ, PAY, returns=["p"]), "done", tools=ran.tools)
    gate("pay")(agent)

    def fail(event: AfterToolsEvent) -> None:
        if broken and event.message["content"]:
            broken.clear()
            raise RuntimeError("broken hook")

    agent.add_hook(fail, AfterToolsEvent)
    waits = await agent.invoke_async("go")
    with pytest.raises(EventLoopException, match="broken hook"):
        await agent.invoke_async(replies(waits, p="yes"))
    assert str(await agent.invoke_async(replies(waits, p="yes"))) == "done\n"
    assert (answer(agent), state_of(agent)) == ('{"p":{"paid":5}}', None)
    assert ran.calls == {"read 1": 1, "pay 5": 1}


async def test_a_plan_that_a_hook_breaks_after_it_went_on_neither_goes_on_nor_begins_anew() -> (
    None
):
    ran, broken = Ran(), [True]
    follows = {"id": "a", "tool": "read", "args": {"value": 2}, "after": ["p"]}
    agent = plan_agent(submit(READ, PAY, follows, returns=["a"]), "done", tools=ran.tools)
    gate("pay")(agent)

    def fail(event: BeforeToolCallEvent[Any]) -> None:
        if broken and event.tool_use["input"].get("value") == 2:
            broken.clear()
            raise RuntimeError("broken hook")

    agent.add_hook(fail, BeforeToolCallEvent)
    waits = await agent.invoke_async("go")
    with pytest.raises(EventLoopException, match="broken hook"):
        await agent.invoke_async(replies(waits, p="yes"))
    assert str(await agent.invoke_async(replies(waits, p="yes"))) == "done\n"
    (told,) = tool_results(agent)
    text = "a hook stopped the plan: broken hook\nRan ok, do not repeat: r, p"
    assert told["content"] == [{"text": text}]
    assert (ran.calls, state_of(agent)) == ({"read 1": 1, "pay 5": 1}, None)
