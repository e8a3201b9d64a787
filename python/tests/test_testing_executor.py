"""The executor of the conformance protocol, as a process and as the README shows it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from strands_plan_tool.testing.executor import answer

README = (Path(__file__).parents[2] / "conformance" / "README.md").read_text(encoding="utf-8")
SHOWN = [
    [json.loads(line) for line in block.splitlines() if line]
    for block in re.findall(r"^```json\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    if '"cmd"' in block
]
EXCHANGES = [
    pair
    for block in SHOWN
    for pair in zip(block[::2], block[1::2], strict=True)
    if pair[0]["cmd"] != "start"
]


def talk(*lines: str) -> list[Any]:
    """What a process answers to these lines."""
    source = Path(__file__).parents[1] / "src"
    found = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "strands_plan_tool.testing.executor"],
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONPATH": found},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("command", "shown"), EXCHANGES, ids=lambda one: str(one["seq"]))
def test_the_readme_shows_what_is_answered(command: dict[str, Any], shown: Any) -> None:
    assert answer(command) == shown


def test_a_process_starts_answers_and_stops() -> None:
    started, first, second = talk(
        '{"cmd": "start", "protocol": 1}',
        '{"cmd": "evaluate", "seq": 1, "expression": "1 + 1"}',
        '{"cmd": "evaluate", "seq": 2, "expression": "$", "root": "\\ud800"}',
        '{"cmd": "stop"}',
        '{"cmd": "evaluate", "seq": 3, "expression": "1"}',
    )
    assert started["engine"]["name"] == "python"
    assert first == {"seq": 1, "value": 2, "dependencies": [], "steps_used": 3}
    assert (second["seq"], second["error"]["code"]) == (2, "not_json_result")


def test_what_goes_wrong_is_errored_and_the_process_goes_on() -> None:
    answers = talk(
        "junk",
        '{"cmd": "sing", "seq": 1}',
        '{"cmd": "start", "protocol": 2}',
        '{"cmd": "run", "seq": 2, "plan": {}, "policy": {"max_steps": 0}}',
        '{"cmd": "evaluate", "seq": 3, "expression": "1"}',
    )
    assert [found["seq"] for found in answers] == [None, 1, None, 2, 3]
    assert ["errored" in found for found in answers] == [True, True, True, True, False]


def test_integers_keep_every_digit() -> None:
    command = {
        "cmd": "run",
        "seq": 1,
        "plan": {"steps": [{"id": "a", "tool": "t"}], "returns": ["a"]},
        "tools": {"t": {"returns": 2**70}},
    }
    assert talk(json.dumps(command))[0]["result"]["returned"] == {"a": 2**70}


def test_a_line_may_hold_other_line_ends() -> None:
    text = "a\u2028b\u0085c\u000bd"
    line = f'{{"cmd": "evaluate", "seq": 1, "expression": "$", "root": "{text}"}}'
    assert talk(line.replace("\u000b", "\\u000b"))[0]["value"] == text
