"""The reference, jsonata 2.2.2, kept running in a Node process."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Reference"]

_WORKER = Path(__file__).parent / "reference_worker.mjs"
_MEMORY = "--max-old-space-size=1500"


class Reference:
    """Answers of the reference; needs ``node`` and ``JSONATA_FOLDER`` in the environment."""

    def __init__(self) -> None:
        self._process = self._started()

    def __enter__(self) -> Reference:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()

    @staticmethod
    def _started() -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["node", _MEMORY, str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def answers(self, asked: list[tuple[str, Any]]) -> list[dict[str, Any]]:
        """The answers to expressions with their data, as ``outcomes`` describes them.

        Raises:
            RuntimeError: The process ended.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None

        def ask() -> None:
            for expression, data in asked:
                stdin.write(json.dumps({"expression": expression, "data": data}) + "\n")
            stdin.flush()

        # Both pipes are finite: one side must read while the other writes.
        asking = threading.Thread(target=ask)
        asking.start()
        found = [stdout.readline() for _ in asked]
        asking.join()
        if not all(found):
            raise RuntimeError(f"the reference ended with {self._process.wait()}")
        return [json.loads(line) for line in found]
