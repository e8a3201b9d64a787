"""Puts many trials to two engines and to the reference, and keeps what differs."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from types import TracebackType
from typing import Any, Final

from differences import difference, from_reference, read
from finds import Commands, Find, is_an_answer
from pipelines import Pipe
from ready import is_a_case
from reference import Reference
from shrinking import Command, shrunk
from trials import Trial

__all__ = ["Chase"]

_BATCH: Final = 300
_Lines = list[bytes | str]
_Asked = tuple[list[Trial], list["Future[_Lines]"], "Future[list[dict[str, Any]]] | None"]


class Chase:
    """Two engines and the reference, kept running, and what was found.

    Args:
        engines: The two engines.
        reference: Whether jsonata 2.2.2 is asked as well.

    Attributes:
        tried: How many trials there were, by kind and by how they ended.
        finds: What differs.
    """

    def __init__(self, engines: Commands, *, reference: bool = True) -> None:
        self.tried: Counter[tuple[str, str]] = Counter()
        self.finds: list[Find] = []
        self._stack = ExitStack()
        self._pipes = [self._stack.enter_context(Pipe(*engine)) for engine in engines]
        self._reference = self._stack.enter_context(Reference()) if reference else None
        # One thread for each process, so that no batch runs into another.
        self._threads = [ThreadPoolExecutor(1) for _ in (*self._pipes, self._reference)]
        for thread in self._threads:
            self._stack.callback(thread.shutdown)

    def __enter__(self) -> Chase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def run(self, trials: Iterator[Trial], *, enough: int, until: float | None = None) -> None:
        """Put trials to the engines until there are enough finds, or it is late.

        Args:
            until: When to stop, by ``time.monotonic``.

        Raises:
            NoEngineError: An engine does not start, or answers nothing.
        """
        # The next batch is made while the engines work on this one.
        under_way: _Asked | None = None
        while len(self.finds) < enough and (until is None or time.monotonic() < until):
            batch = list(islice(trials, _BATCH))
            following = self._ask(batch) if batch else None
            if under_way is not None:
                self._compare(under_way)
            under_way = following
            if not batch:
                return
        if under_way is not None:
            self._compare(under_way)

    def differ(self, trials: list[Trial]) -> Find | None:
        """The first find among a few trials, if there is one."""
        before = len(self.finds)
        self._compare(self._ask(trials))
        found = self.finds[before:]
        del self.finds[before:]
        return found[0] if found else None

    def made_smaller(self, find: Find) -> Find:
        """The same difference by a smaller command."""
        if find.place.startswith("the reference"):
            return find
        kind = find.place.partition(".")[0]

        def differs(commands: list[Command]) -> list[bool]:
            places = [place for place, _ in self._places(commands)]
            return [
                place is not None
                and place.partition(".")[0] == kind
                and (is_a_case(one) or not was_a_case)
                for one, place in zip(commands, places, strict=True)
            ]

        was_a_case = is_a_case(find.command)

        command = shrunk(find.command, differs)
        place, answers = self._places([command])[0]
        return Find(find.what, command, place or find.place, answers or find.answers)

    def _places(
        self, commands: list[Command]
    ) -> list[tuple[str | None, dict[str, bytes | str]]]:
        lines = [_line(command) for command in commands]
        asked = self._submit(lines)
        answers = [future.result() for future in asked]
        return [
            (
                difference(both, command["cmd"]),
                {pipe.name: line for pipe, line in zip(self._pipes, both, strict=True)},
            )
            for command, *both in zip(commands, *answers, strict=True)
        ]

    def _ask(self, batch: list[Trial]) -> _Asked:
        lines = [_line(command) for trial in batch for command in trial.commands]
        asked = self._submit(lines)
        expressions = [trial.asked for trial in batch if trial.asked is not None]
        reference = None
        if self._reference is not None and expressions:
            reference = self._threads[-1].submit(self._reference.answers, expressions)
        return batch, asked, reference

    def _submit(self, lines: list[bytes]) -> list[Future[_Lines]]:
        return [
            thread.submit(pipe.ask, lines)
            for pipe, thread in zip(self._pipes, self._threads, strict=False)
        ]

    def _compare(self, asked: _Asked) -> None:
        batch, futures, reference = asked
        answers = [iter(future.result()) for future in futures]
        theirs = iter(reference.result() if reference is not None else ())
        for trial in batch:
            lines: list[bytes | str] = []
            for command in trial.commands:
                lines = [next(of_one) for of_one in answers]
                place = difference(lines, command["cmd"])
                if place is not None:
                    for pipe, line in zip(self._pipes, lines, strict=True):
                        if not is_an_answer(read(line)):
                            # If it can answer nothing at all, whatever follows is in vain.
                            pipe.check()
                    self._found(trial, command, place, lines)
            answer = read(lines[0])
            self.tried[trial.what, _end(answer)] += 1
            if trial.asked is None or self._reference is None:
                continue
            told = next(theirs)
            if answer is not None and "errored" not in answer:
                place = from_reference(*trial.asked, answer, told)
                if place is not None:
                    self._found(trial, trial.commands[-1], place, lines, told)

    def _found(
        self, trial: Trial, command: Command, place: str, lines: _Lines, told: Any = None
    ) -> None:
        answers = {pipe.name: line for pipe, line in zip(self._pipes, lines, strict=True)}
        self.finds.append(Find(trial.what, command, place, answers, told))


def _line(command: Command) -> bytes:
    return json.dumps({"seq": 1, **command}).encode() + b"\n"


def _end(answer: Any) -> str:
    """How a trial ended, for the tally."""
    if answer is None:
        return "no answer"
    if answer.get("diagnostics"):
        return "refused"
    ends = ("refused", "value", "error", "cancelled", "paused", "errored")
    return next((end for end in ends if end in answer), "ran")
