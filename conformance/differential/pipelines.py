"""An engine that is asked many things at once: a batch of lines in, a batch of answers out."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Final

__all__ = ["NoEngineError", "Pipe"]

_START: Final = b'{"cmd":"start","protocol":1}\n'
# What every engine can answer, and after how many answers that were none it is asked for.
_PROBE: Final = b'{"cmd":"evaluate","seq":1,"expression":"1","steps":{}}\n'
_PATIENCE: Final = 3
_TOLD: Final = 2000


class NoEngineError(Exception):
    """A program is no engine: it does not start, or answers nothing."""


class Pipe:
    """An executor's process, started anew after a crash or a hang.

    Args:
        name: What it is called in reports.
        command: The program and its arguments.
        timeout_s: How long one answer may take.
    """

    def __init__(self, name: str, command: Sequence[str], *, timeout_s: float = 30.0) -> None:
        self.name = name
        self._command = list(command)
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._told: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the pipe
        self._heard = 0.0
        self._hung = False

    def __enter__(self) -> Pipe:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._told.close()

    def ask(self, lines: Sequence[bytes]) -> list[bytes | str]:
        """The answer to each line; a text, which says what was seen, in place of one.

        Raises:
            NoEngineError: The program does not start, or answers nothing.
        """
        answers: list[bytes | str] = []
        in_vain = 0
        while len(answers) < len(lines):
            found = self._answers(lines[len(answers) :])
            answers += found
            in_vain = in_vain + 1 if isinstance(found[0], str) else 0
            if in_vain == _PATIENCE:
                in_vain = 0
                self.check()
        return answers

    def check(self) -> None:
        """See that it can answer anything, after a few answers that were none.

        Raises:
            NoEngineError: It cannot.
        """
        (line,) = self._answers([_PROBE])
        if isinstance(line, str) or b'"value"' not in line:
            told = line if isinstance(line, str) else line.decode("utf-8", "replace")
            raise NoEngineError(f"{self.name} answers nothing: {' '.join(told.split())[-300:]}")

    def _answers(self, lines: Sequence[bytes]) -> list[bytes | str]:
        """The answers until the first that does not come, which is told of."""
        process = self._process or self._started()
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def write() -> None:
            # If it is gone, reading will show it.
            with contextlib.suppress(OSError):
                stdin.write(b"".join(lines))
                stdin.flush()

        # Both pipes are finite: one side must read while the other writes.
        writing = threading.Thread(target=write, daemon=True)
        writing.start()
        done = threading.Event()
        self._heard, self._hung = time.monotonic(), False
        threading.Thread(target=self._watch, args=(process, done), daemon=True).start()
        answers: list[bytes | str] = []
        while len(answers) < len(lines):
            line = stdout.readline()
            if not line.endswith(b"\n"):
                what = "hangs" if self._hung else f"ended with {process.wait()}"
                answers.append(f"{what} {self._said_last()}".strip())
                self._end()
                break
            self._heard = time.monotonic()
            answers.append(line)
        done.set()
        writing.join()
        return answers

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._told
            )
        except (OSError, IndexError) as error:
            raise NoEngineError(f"{self.name} does not start: {error}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        done = threading.Event()
        self._heard, self._hung = time.monotonic(), False
        threading.Thread(target=self._watch, args=(process, done), daemon=True).start()
        # If it is gone, reading will show it.
        with contextlib.suppress(OSError):
            process.stdin.write(_START)
            process.stdin.flush()
        line = process.stdout.readline()
        done.set()
        if b'"engine"' not in line:
            end = "it says nothing" if self._hung else f"it ended with {process.poll()}"
            seen = line.decode("utf-8", "replace").strip() or self._said_last() or end
            self._end()
            raise NoEngineError(f"{self.name} does not start: {seen[-300:]}")
        return process

    def _watch(self, process: subprocess.Popen[bytes], done: threading.Event) -> None:
        while not done.wait(1):
            if time.monotonic() - self._heard > self._timeout_s:
                self._hung = True
                process.kill()
                return

    def _said_last(self) -> str:
        self._told.seek(0, 2)
        self._told.seek(max(0, self._told.tell() - _TOLD))
        return self._told.read().decode("utf-8", "replace").strip()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    # What was not yet sent cannot be any more.
                    with contextlib.suppress(OSError):
                        pipe.close()
