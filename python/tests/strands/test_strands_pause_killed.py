"""A process that is killed between a pause and its answer costs nothing and repeats nothing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("kill_between.py")


async def start(folder: Path) -> tuple[int | None, str]:
    """Start the script and wait for its end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(SCRIPT),
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
async def test_each_step_runs_once_though_the_process_is_killed_at_every_pause(
    tmp_path: Path,
) -> None:
    ends = []
    for _ in range(4):
        code, out = await start(tmp_path)
        ends.append(code)
    assert ends == [-signal.SIGKILL, -signal.SIGKILL, -signal.SIGKILL, 0]
    runs = (tmp_path / "runs.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(runs) == sorted(
        ["find", "broken", "send 10", "send 1", "send 2", "send 3", "send 23"]
    )
    assert json.loads(out) == {
        "told": '{"each":[1,1,1],"last":1}\n'
        "broken failed (tool_failed): out of order\n"
        "Ran ok, kept for a corrected plan: find, free, each, last",
        "left": None,
    }
