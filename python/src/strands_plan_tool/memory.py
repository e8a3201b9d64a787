"""Results of a turn that a corrected plan takes over instead of calling again.

A model that repairs a plan writes the steps that went well once more. What they gave is kept
here, and a call of the same tool with the same arguments takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from strands_plan_tool.models import JsonValue
from strands_plan_tool.values import copy_out, ingest, to_json_text

__all__ = ["CallMemory", "Remembered"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A call that went well.

    Attributes:
        tool: The tool's name.
        args: The arguments, as they were before the tool could change them.
        result: What it gave.
    """

    tool: str
    args: dict[str, JsonValue]
    result: JsonValue


class CallMemory:
    """The calls of a turn that went well: a multiset by tool and arguments.

    What the plans of one batch do is *pending*, and taken by none of them: a tool that is
    called twice on purpose is called twice. ``settle`` ends the batch; then a corrected plan
    can take it, each result once. Arguments are the same if their JSON is, members in any
    order.

    Args:
        reusable: Whether the results of a tool, by its name, may be kept; all unless given.

    Example:
        >>> memory = CallMemory()
        >>> memory.note("pay", {"to": "a"}, "paid")
        >>> memory.take("pay", {"to": "a"}) is None
        True
        >>> memory.settle(failed=True)
        >>> memory.take("pay", {"to": "a"}).result
        'paid'
    """

    def __init__(self, reusable: Callable[[str], bool] | None = None) -> None:
        self._reusable = reusable
        # Of equal calls the one that was noted first is taken first.
        self._available: dict[tuple[str, str], list[Remembered]] = {}
        self._pending: list[Remembered] = []

    @property
    def available(self) -> tuple[Remembered, ...]:
        """What can be taken, equal calls together."""
        return tuple(self._all_available())

    @property
    def pending(self) -> tuple[Remembered, ...]:
        """What the plans of this batch did, in the order in which it ended."""
        return tuple(self._pending)

    def keeps(self, tool: str) -> bool:
        """Whether results of this tool are kept at all."""
        return self._reusable is None or self._reusable(tool)

    def take(self, tool: str, args: Mapping[str, JsonValue]) -> Remembered | None:
        """An earlier result of this very call, which is used up; ``None`` if there is none."""
        if not self._available or not self.keeps(tool):
            return None
        key = _key(tool, args)
        kept = self._available.get(key)
        if kept is None:
            return None
        taken = kept.pop(0)
        if not kept:
            del self._available[key]
        return taken

    def note(self, tool: str, args: Mapping[str, JsonValue], result: JsonValue) -> None:
        """A call of the running plan went well, or was taken from here."""
        if self.keeps(tool):
            # In the order that members have in every language.
            ordered: dict[str, JsonValue] = ingest(dict(args), integers="exact")
            self._pending.append(Remembered(tool, ordered, result))

    def settle(self, failed: bool) -> None:
        """A batch of plans is over.

        Args:
            failed: Whether one of them has to be corrected: then what they did can be taken,
                beside what is still unused. Otherwise everything is forgotten.
        """
        if not failed:
            self.forget()
            return
        pending, self._pending = self._pending, []
        for call in pending:
            self._available.setdefault(_key(call.tool, call.args), []).append(call)

    def forget(self) -> None:
        """Keep nothing of all that was noted."""
        self._available.clear()
        self._pending.clear()

    def to_json(self) -> dict[str, JsonValue]:
        """All that is kept, as plain JSON that shares nothing with it.

        Returns:
            ``available`` and ``pending``, each a list of ``{"tool", "args", "result"}``.
        """
        return {
            "available": [_written(call) for call in self._all_available()],
            "pending": [_written(call) for call in self._pending],
        }

    @classmethod
    def from_json(
        cls, data: Mapping[str, Any], reusable: Callable[[str], bool] | None = None
    ) -> CallMemory:
        """The memory that ``to_json`` wrote; a list that is left out is empty.

        Raises:
            ValueError: It is none.
        """
        memory = cls(reusable)
        try:
            memory._pending = [_read(call) for call in data.get("available", ())]
            memory.settle(failed=True)
            memory._pending = [_read(call) for call in data.get("pending", ())]
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("this is no memory that to_json wrote") from error
        return memory

    def _all_available(self) -> Iterator[Remembered]:
        for calls in self._available.values():
            yield from calls


def _key(tool: str, args: Mapping[str, JsonValue]) -> tuple[str, str]:
    return tool, to_json_text(_sorted(args))


def _sorted(value: Any) -> Any:
    """The same value with the members of every object in one order."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _written(call: Remembered) -> JsonValue:
    return {"tool": call.tool, "args": copy_out(call.args), "result": copy_out(call.result)}


def _read(call: Mapping[str, Any]) -> Remembered:
    tool, args = call["tool"], ingest(call["args"], integers="exact")
    if not isinstance(tool, str) or not isinstance(args, dict):
        raise TypeError("a call has the name of a tool and its arguments")
    return Remembered(tool, args, ingest(call["result"], integers="exact"))
