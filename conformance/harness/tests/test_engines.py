"""An engine that is wrong never passes, whatever the way in which it is."""

from __future__ import annotations

import pytest

from harness.engine import Engine
from harness.tests.small_suite import engine, number
from harness.verdicts import run_suite

CASES = [number("one", "1", 1), number("boom", "boom", 7), number("two", "2", 2)]


def statuses(one: Engine) -> list[str]:
    with one:
        return [outcome.status for outcome in run_suite(one, CASES, [])]


def test_a_right_engine_passes_and_says_what_it_is() -> None:
    with engine("right") as one:
        outcomes = run_suite(one, CASES, [])
        assert [outcome.status for outcome in outcomes] == ["passed"] * 3
        assert one.about == {"name": "fake", "version": "1", "runtime": "1"}


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ("always wrong", "different"),
        ("crashing", "crashed"),
        ("of another seq", "wrong_seq"),
        ("without seq", "wrong_seq"),
        ("printing junk", "bad_json"),
        ("saying NaN", "bad_json"),
        ("half an answer", "bad_answer"),
        ("a list for an answer", "bad_answer"),
        ("errored", "errored"),
        ("errored without seq", "errored"),
        ("never started", "not_started"),
        ("of another protocol", "not_started"),
    ],
)
def test_an_engine_that_is_wrong_on_purpose_fails_every_case(how: str, status: str) -> None:
    assert statuses(engine(how)) == [status] * 3


def test_a_silent_engine_times_out() -> None:
    assert statuses(engine("silent", timeout_s=1.0)) == ["timed_out"] * 3


def test_a_program_that_there_is_not_is_not_started() -> None:
    assert statuses(Engine("none", ["/no/such/program"])) == ["not_started"] * 3


@pytest.mark.parametrize(
    ("how", "status", "timeout_s"),
    [("crashing once", "crashed", 20.0), ("silent once", "timed_out", 1.0)],
)
def test_one_fault_costs_one_case_and_the_engine_is_started_anew(
    how: str, status: str, timeout_s: float
) -> None:
    assert statuses(engine(how, timeout_s=timeout_s)) == ["passed", status, "passed"]


def test_what_a_crashed_engine_said_last_is_told() -> None:
    with engine("crashing") as one:
        (outcome,) = run_suite(one, CASES[:1], [])
    assert outcome.detail == "it ended with 3\nout of luck"


def test_what_an_engine_reports_of_its_own_fault_is_told() -> None:
    with engine("errored") as one:
        (outcome,) = run_suite(one, CASES[:1], [])
    assert outcome.detail == "a bug\nhere"


def test_an_engine_that_never_answers_is_given_up() -> None:
    with engine("crashing") as one:
        found = [outcome.status for outcome in run_suite(one, [*CASES] * 4, [])]
    assert found == ["crashed"] * 10 + ["given_up"] * 2


def test_an_engine_never_sees_an_expectation() -> None:
    assert statuses(engine("sees expectations")) == ["passed"] * 3
