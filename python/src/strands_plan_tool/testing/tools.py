"""Tools made of data: what each answers, how long it takes and when it fails.

Conformance cases and tests describe their tools this way, so that no language has a
fixture's logic. A tool is an object with one of these answers

    {"returns": value}            the value
    {"echo": true}                the arguments
    {"fails": "message"}          a failure with this message
    {"by_args": [{"args": {...}, ...answer}, ...]}   by the arguments, compared as JSON
    {"cancels": true}             the tool cancels its own call
    {"not_json": "nan"}           no JSON: "nan", "infinity", or "object" (a value of the
                                  language itself)

and, in a tool or in an entry of ``by_args``, any of

    "takes_ms": 100               virtual milliseconds, 0 unless given
    "fails_first": 2              the first attempts of each call fail, with the message of
                                  "fails" or "not yet"; only then the answer counts
    "edits_args": true            it empties its arguments, at every depth, when it answers
    "gate": true                  each attempt waits until ``StubTools.answers`` has its name

and, in a tool, ``"input_schema"``, ``"output_schema"`` and ``"plannable"`` for the checks.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from strands_plan_tool.errors import StepPaused, ToolDeniedError
from strands_plan_tool.executor.calls import StepCall
from strands_plan_tool.executor.clock import AsyncioClock, Clock
from strands_plan_tool.models import JsonValue

__all__ = ["StubToolError", "StubTools", "call_name", "same_json"]

Stub = Mapping[str, Any]

_NO_JSON = {"nan": float("nan"), "infinity": float("inf"), "object": object()}


class StubToolError(Exception):
    """A stub tool failed, as its data says."""


class StubTools:
    """An invoker whose tools are data; it records every attempt.

    Args:
        tools: The tools by name.
        clock: What they take their time by; the event loop's own unless given.

    Attributes:
        answers: What attempts with a gate are told, by the name of the call: the step's id,
            and ``[index]`` after it for an item's. True lets one attempt go on, a text
            denies it with these words.
        calls: Every attempt in the order they started, with the arguments as they came.
    """

    def __init__(self, tools: Mapping[str, Stub], *, clock: Clock | None = None) -> None:
        self._tools = tools
        self._clock = clock or AsyncioClock()
        self.answers: dict[str, bool | str] = {}
        self.calls: list[StepCall] = []

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The tools as ``check_plan`` and ``execute_plan`` take them."""
        known = ("input_schema", "output_schema", "plannable")
        return {
            name: {key: tool[key] for key in known if key in tool}
            for name, tool in self._tools.items()
        }

    async def invoke_step(self, call: StepCall) -> JsonValue:
        """Answer as the tool's data says, after the time it takes.

        Raises:
            StubToolError: The tool fails, has no answer for these arguments, or is unknown.
            StepPaused: The attempt waits for an answer.
            ToolDeniedError: The answer denies it.
        """
        self.calls.append(replace(call, args=copy.deepcopy(call.args)))
        answer = self._answer(call)
        if answer.get("gate"):
            told = self.answers.pop(call_name(call), False)
            if told is not True:
                # What ends an attempt comes by a timer, this too.
                await self._clock.sleep(0)
                raise StepPaused if told is False else ToolDeniedError(call.tool, told)
        await self._clock.sleep(answer.get("takes_ms", 0) / 1000)
        if call.attempt <= answer.get("fails_first", 0):
            raise StubToolError(answer.get("fails", "not yet"))
        return _give(answer, call.args)

    def _answer(self, call: StepCall) -> Stub:
        tool = self._tools.get(call.tool, {"fails": f"there is no stub tool '{call.tool}'"})
        if "by_args" not in tool:
            return tool
        for entry in tool["by_args"]:
            if same_json(entry["args"], call.args):
                return {**tool, **entry}
        return {"fails": "no answer for these arguments"}


def call_name(call: StepCall) -> str:
    """What a call is called in answers and pauses: ``pay``, or ``mail[2]`` for an item's."""
    return call.step_id if call.index is None else f"{call.step_id}[{call.index}]"


def _give(answer: Stub, args: dict[str, JsonValue]) -> JsonValue:
    given = copy.deepcopy(args) if answer.get("echo") else copy.deepcopy(answer.get("returns"))
    if answer.get("edits_args"):
        _empty(args)
    if answer.get("cancels"):
        raise asyncio.CancelledError
    if "not_json" in answer:
        return cast("JsonValue", _NO_JSON[answer["not_json"]])
    if "echo" in answer or "returns" in answer:
        return given
    raise StubToolError(answer.get("fails", "the stub tool has no answer"))


def _empty(value: JsonValue) -> None:
    """Take everything out of a list or an object, after doing so within it."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _empty(inner)
        value.clear()


def same_json(one: object, other: object) -> bool:
    """Whether two JSON values are equal: numbers by value, booleans never numbers.

    Objects are compared without order, lists with it.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
