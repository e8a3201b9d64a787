"""Whatever is asked of the evaluator, it soon ends with a value or a code, in little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from attacks import ATTACKS

from strands_plan_tool.models import Code

# What counts is a second of the process; machines differ, so five of them fail. An attack
# of one plan may be as many evaluations as the plan has bindings.
MARGIN = 5
MOST_S = {"members doubling in a fold": 2.0}
MOST_MB = 200
BINDINGS = int(os.environ.get("ATTACK_BINDINGS", "2"))
ENDS = {"value", *Code}
_GROUPS = 4


@pytest.mark.parametrize("group", range(_GROUPS))
def test_every_attack_ends_alone_and_as_the_bindings_of_a_plan(group: int) -> None:
    names = list(ATTACKS)[group::_GROUPS]
    script = Path(__file__).with_name("attacks.py")
    done = subprocess.run(
        [sys.executable, str(script), "--bindings", str(BINDINGS), *names],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    sys.stdout.write(done.stdout)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["name"] for each in told] == names, done.stderr[-2000:]
    assert [each for each in told if {each["alone"], each["plan"]} - ENDS] == []
    assert [each for each in told if each["peak_mb"] >= MOST_MB] == []
    slow = [
        each
        for each in told
        for most in [MARGIN * MOST_S.get(each["name"], 1.0)]
        if each["alone_s"] > most or each["plan_s"] > most * BINDINGS
    ]
    assert slow == []
