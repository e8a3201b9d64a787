"""One agent at work: every request goes by the meter, and all that is said is kept."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from strands import Agent
from strands.agent import AgentResult
from strands.hooks import AfterModelCallEvent, BeforeModelCallEvent, MessageAddedEvent
from strands.types.exceptions import MaxTokensReachedException, StructuredOutputException

from strands_plan_tool.planner_executor.budget import Meter, RunOver
from strands_plan_tool.planner_executor.record import (
    AgentRun,
    Usage,
    mended,
    plain,
    told,
)
from strands_plan_tool.values import well_formed

__all__ = ["ROOT", "Conduct", "StoppedError", "model_id"]

ROOT = "planner_executor"

_ENDED_WELL = {"end_turn", "stop_sequence", "tool_use"}


class Conduct:
    """Asks one agent, once or again in the same conversation.

    Args:
        agent: An agent of which nobody else has the use.
        name: What it is called in the record, after ``planner_executor.``.
        meter: What counts for the whole run.
        state: The run's ``invocation_state``; the agent gets a copy.
        step: The step that it carries out.
    """

    def __init__(
        self,
        agent: Agent,
        name: str,
        meter: Meter,
        state: Mapping[str, Any],
        step: str | None = None,
    ) -> None:
        self._agent = agent
        self._meter = meter
        self._state = state
        self._step = step
        self._model = model_id(agent.model)
        self._messages: list[dict[str, Any]] = []
        self._stops: list[str] = []
        self._prompt: str | None = None
        self._formats: set[str] = set()
        self._requests, self._cost, self._seconds = 0, 0.0, 0.0
        self._counts = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        self._error: str | None = None
        self._left: int | None = None
        self._refused = False
        self._name = f"{ROOT}.{name}"
        agent.name = self._name
        agent.hooks.add_callback(BeforeModelCallEvent, self._before_model)
        agent.hooks.add_callback(AfterModelCallEvent, self._after_model)
        agent.hooks.add_callback(MessageAddedEvent, self._message)

    async def ask(
        self,
        prompt: str,
        answer: type[BaseModel] | None = None,
        *,
        at_most: int | None = None,
    ) -> AgentResult:
        """Ask, and wait for the end of the agent's turn.

        Args:
            prompt: What to ask.
            answer: What the agent must answer with, if not with words.
            at_most: Requests that the turn may take.

        Raises:
            RunOver: The run ends: its budget is used up, or a request has no price.
            StoppedError: The agent ended in a way that is no answer.
            Exception: What the agent or its model raised.
        """
        prompt = well_formed(prompt)
        self._prompt = self._prompt or prompt
        if answer is not None:
            self._formats.add(answer.__name__)
        began = asyncio.get_running_loop().time()
        self._left, self._refused = at_most, False
        try:
            result = await self._agent.invoke_async(
                None if self._continued(prompt) else prompt,
                invocation_state=dict(self._state),
                structured_output_model=answer,
            )
            if result.stop_reason not in _ENDED_WELL:
                raise StoppedError(f"the agent stopped: {result.stop_reason}")
        except Exception as error:
            # What a hook raises comes wrapped, or as a failure of the model.
            stopped = self._stopped(error, at_most)
            self._error = told(stopped or error)
            self._meter.check()
            if stopped is None:
                raise
            raise stopped from error
        except asyncio.CancelledError:
            self._error = "cancelled"
            raise
        except RunOver as over:
            self._error = str(over)
            raise
        finally:
            self._seconds += asyncio.get_running_loop().time() - began
        self._meter.check()
        self._error = None
        return result

    def record(self) -> AgentRun:
        """What the agent has done so far."""
        return AgentRun(
            name=self._name,
            step=self._step,
            model=self._model,
            system_prompt=mended(self._agent.system_prompt),
            prompt=self._prompt or "",
            tools_called=tuple(self._called()),
            usage=Usage(
                requests=self._requests,
                input_tokens=self._counts["inputTokens"],
                output_tokens=self._counts["outputTokens"],
                total_tokens=self._counts["totalTokens"],
                cost=self._cost if self._meter.prices else None,
                duration_s=self._seconds,
            ),
            stop_reasons=tuple(self._stops),
            error=self._error,
            messages=tuple(copy.deepcopy(self._messages)),
        )

    def _stopped(self, error: Exception, at_most: int | None) -> StoppedError | None:
        if self._refused:
            return StoppedError(f"no such answer in {at_most} requests")
        if isinstance(error, MaxTokensReachedException):
            return StoppedError("the agent stopped: max_tokens")
        if isinstance(error, StructuredOutputException):
            return StoppedError("the agent answered in words")
        return None

    def _continued(self, prompt: str) -> bool:
        """Say it in the message of the tool results, if the conversation ends with one.

        After structured output it does, and not every provider takes two of the user's
        messages in a row.
        """
        said = self._agent.messages
        if not said or said[-1]["role"] != "user":
            return False
        said[-1]["content"].append({"text": prompt})
        self._messages[-1]["content"].append({"text": prompt})
        return True

    def _called(self) -> list[str]:
        uses = [
            block["toolUse"]["name"]
            for message in self._messages
            for block in message["content"]
            if "toolUse" in block
        ]
        return [name for name in uses if name not in self._formats]

    def _before_model(self, event: BeforeModelCallEvent) -> None:
        if self._left == 0:
            self._refused = True
            raise StoppedError("too many requests")
        if self._left is not None:
            self._left -= 1
        self._meter.request()
        self._requests += 1

    def _after_model(self, event: AfterModelCallEvent) -> None:
        if event.stop_response is None:
            return
        message: Any = event.stop_response.message
        # Before tools are called with it: what half a character is no JSON can say.
        message["content"] = mended(message["content"])
        usage = message.get("metadata", {}).get("usage", {})
        for name in self._counts:
            self._counts[name] += int(usage.get(name, 0))
        self._stops.append(str(event.stop_response.stop_reason))
        self._cost += self._meter.response(self._model, usage)
        if self._meter.over is not None:
            # The SDK would keep the response only now, and then call the tools it asks for.
            self._keep(message)
            self._meter.check()

    def _message(self, event: MessageAddedEvent) -> None:
        self._keep(event.message)

    def _keep(self, message: Any) -> None:
        # What the SDK adds for itself differs from run to run.
        kept = {"role": message["role"], "content": message["content"]}
        if usage := message.get("metadata", {}).get("usage"):
            kept["metadata"] = {"usage": usage}
        self._messages.append(plain(kept))


class StoppedError(Exception):
    """An agent's turn ended without an answer: filtered, cut off, interrupted, cancelled."""


def model_id(model: object) -> str:
    """The id of a model; empty if its configuration has none."""
    config: Any = getattr(model, "config", None) or {}
    getter = getattr(model, "get_config", None)
    if callable(getter):
        config = getter() or {}
    found = config.get("model_id") if isinstance(config, Mapping) else None
    return found if isinstance(found, str) else ""
