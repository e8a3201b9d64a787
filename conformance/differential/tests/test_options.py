"""What is asked for wrongly, and what is no engine, is told in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DIFFERENTIAL = Path(__file__).resolve().parents[1]
SOUND = f"{sys.executable} -m strands_plan_tool.testing.executor"

STARTS = """
import json, sys
for line in sys.stdin:
    command = json.loads(line)
    if command["cmd"] == "start":
        about = {"name": "x", "version": "0", "runtime": "0"}
        print(json.dumps({"protocol": 1, "engine": about}), flush=True)
    elif %r == "dies":
        sys.exit(3)
    else:
        print(json.dumps({"seq": 1, "errored": {"message": "boom"}}), flush=True)
"""


def ended(program: str, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, str(DIFFERENTIAL / program), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def engines(first: str = SOUND, second: str = SOUND) -> tuple[str, str]:
    return f"one={first}", f"two={second}"


FEW = ("--plans", "3", "--expressions", "3", "--examples", "2")
NONE = ("--plans", "0", "--expressions", "0", "--examples", "0")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*engines(), "--finds", "0"), "argument --finds: '0' is no whole number from 1 on"),
        ((*engines(), "--plans", "-1"), "argument --plans: '-1' is no whole number from 0 on"),
        ((*engines(), "--examples", "x"), "argument --examples: 'x' is no whole number from 0"),
        ((*engines(), "--seed", "-3"), "argument --seed: '-3' is no whole number from 0 on"),
        ((*engines(), *NONE), "there is nothing to do: --plans, --expressions and --examples"),
        (("one", "two"), "'one' is not NAME=COMMAND"),
        (("one=a 'b", "two=c"), "is not NAME=COMMAND"),
        ((f"one={SOUND}", f"one={SOUND}"), "both engines are called one"),
        ((*engines("/no/such/program"), *FEW), "one does not start: "),
        (
            (*engines(second=f"{sys.executable} -c 1"), *FEW),
            "two does not start: it ended with",
        ),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(arguments: tuple[str, ...], told: str) -> None:
    code, out, errors = ended("engines.py", *arguments)
    assert code == 2
    assert told in errors.splitlines()[-1]
    assert "Traceback" not in errors
    assert "kept" not in out


@pytest.mark.parametrize("how", ["dies", "errs"])
@pytest.mark.parametrize("both", [False, True])
def test_an_engine_that_answers_nothing_is_no_find(
    tmp_path: Path, how: str, both: bool
) -> None:
    path = tmp_path / "engine.py"
    path.write_text(STARTS % how)
    bad = f"{sys.executable} {path}"
    code, out, errors = ended("engines.py", *engines(bad, bad if both else SOUND), *FEW)
    assert code == 2
    (line,) = errors.splitlines()
    assert "one answers nothing: " in line
    assert "FOUND" not in out


def test_seed_0_is_a_seed_like_others() -> None:
    code, out, _ = ended("engines.py", *engines(), *FEW, "--seed", "0")
    assert code == 0
    assert "seed 0: 3 plans, 0 differ" in out
    assert out.endswith("kept\n")


def test_what_is_not_asked_for_is_not_told() -> None:
    code, out, _ = ended("engines.py", *engines(), *NONE[:4], "--examples", "1")
    assert code == 0
    assert [line.partition(",")[0] for line in out.splitlines()] == ["Hypothesis", "kept"]


@pytest.mark.parametrize(
    ("program", "arguments"),
    [("fuzz.py", ("--count", "0")), ("alike.py", ()), ("alike.py", ("one",))],
)
def test_the_other_programs_do_not_keep_what_they_never_tried(
    program: str, arguments: tuple[str, ...]
) -> None:
    code, out, errors = ended(program, *arguments)
    assert code == 2
    assert "Traceback" not in errors
    assert "kept" not in out
