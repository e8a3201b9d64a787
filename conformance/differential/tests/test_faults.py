"""Comparing engines can fail: each of ten faults in one of them is found, and by what."""

from __future__ import annotations

import json
import os
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

DIFFERENTIAL = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(DIFFERENTIAL), str(DIFFERENTIAL.parent)]

from chase import Chase  # noqa: E402 - the folder is no package
from differences import difference, read  # noqa: E402
from engines import EXPRESSIONS, PLANS, expressions, plans  # noqa: E402
from faulty import FAULTS  # noqa: E402
from finds import is_an_answer  # noqa: E402
from pipelines import Pipe  # noqa: E402

from harness import jsontext  # noqa: E402
from harness.compare import seen_and_expected  # noqa: E402
from harness.suite import Case, load, load_messages  # noqa: E402

# The other engine; where there is none, a sound one of the same language plays its part.
SOUND = shlex.split(
    os.environ.get("SOUND_ENGINE", f"{sys.executable} -m strands_plan_tool.testing.executor")
)
CASES = [case for case in (*load(), *load_messages()) if case.kind in
         ("evaluate", "validate", "run", "message")]  # fmt: skip

NO_ANSWERS = ("an engine's own fault", "no answer")
# What finds each fault: random trials, and the suite, whose two ways are printed: a case's
# expectation, or its texts, which the two engines answer unlike each other.
FOUND_BY = {name: {"fuzz", "conformance"} for name in FAULTS}


def faulty(name: str) -> list[str]:
    return [sys.executable, str(DIFFERENTIAL / "faulty.py"), name]


def found_by_fuzz(name: str) -> bool:
    """Whether the seeded part of the short profile finds it."""
    for trials in (plans(1, PLANS), expressions(1, EXPRESSIONS)):
        with Chase([("faulty", faulty(name)), ("sound", SOUND)], reference=False) as chase:
            chase.run(trials, enough=1)
            if chase.finds:
                find = chase.finds[0]
                # A crash is found by anything: what is wrong here is what it answers.
                assert find.answered, find.answers
                print(f"fuzz: {find.what}: {find.place}: {json.dumps(find.command)[:200]}")
                # A fault is to be another answer. An engine that breaks down is found by all.
                return find.place not in NO_ANSWERS
    return False


def answers(name: str, command: list[str]) -> list[bytes | str]:
    lines = [json.dumps(case.command(seq)).encode() + b"\n" for seq, case in enumerate(CASES)]
    with Pipe(name, command) as pipe:
        return pipe.ask(lines)


@cache
def sound_answers() -> list[bytes | str]:
    return answers("sound", SOUND)


def is_answer(line: bytes | str) -> bool:
    answer = read(line)
    return answer is not None and "errored" not in answer


def as_expected(case: Case, line: bytes | str) -> bool:
    answer = read(line)
    if answer is None or not is_an_answer(answer):
        return False
    return jsontext.equal(*seen_and_expected(case, answer))


def found_by_conformance(name: str) -> bool:
    """Whether a case finds it, by its expectation or by the texts."""
    found: dict[str, str] = {}
    for case, line, sound in zip(
        CASES, answers(name, faulty(name)), sound_answers(), strict=True
    ):
        if not is_answer(line):
            continue
        assert is_an_answer(read(line)), f"{case.id}: {line!r}"
        if as_expected(case, sound) and not as_expected(case, line):
            found.setdefault("expectation", case.id)
        elif difference((line, sound), case.command(0)["cmd"]):
            found.setdefault("texts", case.id)
    for how, id in found.items():
        print(f"{how}: {id}")
    return bool(found)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_an_engine_is_found(name: str) -> None:
    finders = {"fuzz": found_by_fuzz, "conformance": found_by_conformance}
    assert {finder for finder, finds in finders.items() if finds(name)} == FOUND_BY[name]
