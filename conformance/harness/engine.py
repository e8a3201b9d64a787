"""An engine: a process that answers commands, and all the ways in which it may not."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Final

from harness import jsontext
from harness.schemas import fault_of_answer

__all__ = ["PROTOCOL", "Engine", "Fault", "FaultStatus"]

PROTOCOL: Final = 1

FaultStatus = str
"""One of ``not_started crashed timed_out bad_json wrong_seq bad_answer errored given_up``."""

# An engine that fails so often one after the other is not started again.
_PATIENCE: Final = 10
_TOLD: Final = 2000


@dataclass(frozen=True, slots=True)
class Fault:
    """In place of an answer: it never equals an expectation.

    Attributes:
        status: What kind of fault it is.
        detail: What was seen.
    """

    status: FaultStatus
    detail: str


@dataclass(slots=True)
class _Process:
    """A running engine; its lines come through a queue, ``None`` at their end."""

    popen: subprocess.Popen[bytes]
    told: IO[bytes]
    lines: queue.Queue[bytes | None] = field(default_factory=queue.Queue)

    def read_on(self) -> None:
        assert self.popen.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.popen.stdout:
                self.lines.put(line)
        self.lines.put(None)

    def said_last(self) -> str:
        self.told.seek(0, 2)
        self.told.seek(max(0, self.told.tell() - _TOLD))
        return self.told.read().decode("utf-8", "replace").strip()


class Engine:
    """Puts commands to an engine, one at a time; starts it anew after a fault.

    Args:
        name: What it is called in reports.
        command: The program and its arguments.
        timeout_s: How long one answer may take.
    """

    def __init__(self, name: str, command: Sequence[str], *, timeout_s: float = 30.0) -> None:
        self.name = name
        self.about: Mapping[str, Any] = {}
        self._command = list(command)
        self._timeout_s = timeout_s
        self._process: _Process | None = None
        self._faults = 0

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop it; a process that does not stop is ended."""
        if self._process is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._send(self._process, {"cmd": "stop"})
                self._process.popen.wait(timeout=self._timeout_s)
        self._end()

    def ask(self, command: Mapping[str, Any]) -> Mapping[str, Any] | Fault:
        """The answer to a command, or what came in its place."""
        if self._faults >= _PATIENCE:
            return Fault("given_up", f"it failed {_PATIENCE} times one after the other")
        answer = self._start() or self._exchange(command)
        if not isinstance(answer, Fault):
            self._faults = 0
            return answer
        # An engine that reported its own fault is still in step; of others nothing is known.
        if answer.status not in ("errored", "bad_answer"):
            self._faults += 1
            self._end()
        return answer

    def _start(self) -> Fault | None:
        if self._process is not None:
            return None
        told = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        try:
            popen = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told
            )
        except OSError as error:
            told.close()
            return Fault("not_started", str(error))
        self._process = _Process(popen, told)
        threading.Thread(target=self._process.read_on, daemon=True).start()
        answer = self._exchange({"cmd": "start", "protocol": PROTOCOL})
        if isinstance(answer, Fault):
            return Fault("not_started", f"{answer.status}: {answer.detail}")
        self.about = answer["engine"]
        return None

    def _exchange(self, command: Mapping[str, Any]) -> Mapping[str, Any] | Fault:
        process = self._process
        assert process is not None
        with contextlib.suppress(OSError):
            self._send(process, command)
        try:
            line = process.lines.get(timeout=self._timeout_s)
        except queue.Empty:
            return Fault("timed_out", f"no answer within {self._timeout_s:g} s")
        if line is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.popen.wait(timeout=5)
            ended = f"it ended with {process.popen.poll()}"
            return Fault("crashed", f"{ended}\n{process.said_last()}".strip())
        return _answer(line, command)

    @staticmethod
    def _send(process: _Process, command: Mapping[str, Any]) -> None:
        stdin = process.popen.stdin
        assert stdin is not None
        stdin.write(jsontext.write(command).encode() + b"\n")
        stdin.flush()

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.popen.kill()
        self._process.popen.wait()
        for pipe in (self._process.popen.stdin, self._process.popen.stdout, self._process.told):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process = None


def _answer(line: bytes, command: Mapping[str, Any]) -> Mapping[str, Any] | Fault:
    """What a line says, once it is found to be an answer to this very command."""
    shown = line[:_TOLD].decode("utf-8", "replace").strip()
    try:
        answer = jsontext.read(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return Fault("bad_json", f"{error}: {shown}")
    if not isinstance(answer, dict):
        return Fault("bad_answer", f"not an object: {shown}")
    # Of a command that it could not read an engine cannot know the number.
    unread = "errored" in answer and answer.get("seq") is None
    if "seq" in command and not unread and answer.get("seq") != command["seq"]:
        seq = jsontext.write(answer.get("seq"))
        return Fault("wrong_seq", f"asked {command['seq']}, answered {seq}: {shown}")
    if problem := fault_of_answer(answer, str(command["cmd"])):
        return Fault("bad_answer", f"{problem}: {shown}")
    if "errored" in answer:
        errored = answer["errored"]
        told = "\n".join(filter(None, (errored["message"], errored.get("traceback"))))
        return Fault("errored", told)
    return answer
