"""Whatever is asked of the evaluator, it ends with a value or a code, in little memory.

How fast is for `nox -s attacks` to say, on a machine that does nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from attacks import ATTACKS, ENDS, MOST_MB

_GROUPS = 4


@pytest.mark.parametrize("group", range(_GROUPS))
def test_every_attack_ends_alone_and_as_32_bindings_of_a_plan(group: int) -> None:
    names = list(ATTACKS)[group::_GROUPS]
    script = Path(__file__).with_name("attacks.py")
    done = subprocess.run(
        [sys.executable, str(script), "--margin", "inf", *names],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    sys.stdout.write(done.stdout)
    told = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
    assert [each["name"] for each in told] == names, done.stderr[-2000:]
    assert [each for each in told if not {each["alone"], each["plan"]} <= ENDS] == []
    assert [each for each in told if each["peak_mb"] >= MOST_MB] == []
