"""Known failures, and what two engines answer unlike each other."""

from __future__ import annotations

from typing import Any

import pytest

from harness import jsontext
from harness.compare import seen_and_expected
from harness.suite import Case, Kind
from harness.tests.small_suite import engine, number
from harness.verdicts import Outcome, agreement, run_suite, unmatched

WRONG = {"value": "wrong"}


def entry(match: str, actual: Any) -> dict[str, Any]:
    return {"match": match, "reason": "The engine is wrong on purpose.", "actual": actual}


def statuses(how: str, known: list[Any]) -> list[str]:
    with engine(how) as one:
        cases = [number("one"), number("two")]
        return [outcome.status for outcome in run_suite(one, cases, known)]


def test_a_listed_failure_that_is_as_listed_is_known() -> None:
    known = [entry("expressions/numbers/one", WRONG)]
    assert statuses("always wrong", known) == ["known", "different"]


def test_a_pattern_lists_all_the_cases_that_it_matches() -> None:
    assert statuses("always wrong", [entry("expressions/*", WRONG)]) == ["known", "known"]


def test_a_listed_failure_that_passes_is_stale_and_fails() -> None:
    assert statuses("right", [entry("*/one", WRONG)]) == ["stale", "passed"]


def test_a_listed_failure_that_fails_in_another_way_fails() -> None:
    assert statuses("always wrong", [entry("*/one", {"value": 1})]) == ["changed", "different"]


def test_a_listed_failure_may_be_a_fault() -> None:
    known = [entry("*", {"status": "crashed"})]
    assert statuses("crashing", known) == ["known", "known"]
    assert statuses("errored", known) == ["changed", "changed"]


def test_a_pattern_that_matches_no_case_is_told() -> None:
    known = [entry("expressions/numbers/one", WRONG), entry("wire/*", WRONG)]
    assert [one.match for one in unmatched("fake", [number("one")], known)] == ["wire/*"]


def outcome(answer: dict[str, Any] | None, status: str = "passed") -> Outcome:
    return Outcome(number("one"), "fake", status, answer, None, None)


def unlike(one: dict[str, Any] | None, other: dict[str, Any] | None) -> str | None:
    return agreement(outcome(one), outcome(other))


def test_answers_are_alike_whatever_their_number() -> None:
    assert unlike({"seq": 1, "value": [1]}, {"seq": 2, "value": [1.0]}) is None


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ({"value": 1}, {"value": True}, "value"),
        ({"value": 0}, {"value": -0.0}, "value"),
        ({"value": {"a": [1, 2]}}, {"value": {"a": [1, 3]}}, "value.a.1"),
        ({"value": 1, "steps_used": 3}, {"value": 1, "steps_used": 4}, "steps_used"),
        ({"value": 1}, {"error": {}}, "value"),
        ({}, {"error": {}}, "error"),
        ({"error": {"hint": "a"}}, {"error": {"hint": "b"}}, "error.hint"),
        ({"diagnostics": [{"message": "a"}]}, {"diagnostics": [{"message": "b"}]},
         "diagnostics.0.message"),
        ({"diagnostics": [1, 2]}, {"diagnostics": [2, 1]}, "diagnostics.0"),
        ({"model_text": "a"}, {"model_text": "b"}, "model_text"),
        ({"value": {"a": 1, "b": 2}}, {"value": {"b": 2, "a": 1}},
         "value: the order of its members"),
        ({"result": {"returned": {"a": {"x": 1, "y": 2}}}},
         {"result": {"returned": {"a": {"y": 2, "x": 1}}}},
         "result.returned: the order of its members"),
        ({"checkpoints": [{"steps": {"a": {}, "b": {}}}]},
         {"checkpoints": [{"steps": {"b": {}, "a": {}}}]},
         "checkpoints: the order of its members"),
    ],
)  # fmt: skip
def test_whatever_differs_is_found(
    one: dict[str, Any], other: dict[str, Any], place: str
) -> None:
    assert unlike(one, other) == place


def test_a_known_failure_and_a_fault_are_told_once() -> None:
    assert unlike({"value": 1}, None) is None
    assert agreement(outcome({"value": 1}), outcome({"value": 2}, "known")) is None


def test_true_is_not_one_and_a_zero_has_no_sign() -> None:
    assert jsontext.equal([1, {"a": 2.0}], [1.0, {"a": 2}])
    assert not jsontext.equal(True, 1)
    assert not jsontext.equal([False], [0])
    assert not jsontext.equal(jsontext.read("-0"), 0)
    assert not jsontext.equal(None, 0)
    assert not jsontext.equal("1", 1)


RESULT: dict[str, Any] = {
    "returned": {"a": 1}, "output": None, "has_output": False, "output_error": None,
    "levels": 1, "inference_passes_saved": 0, "final": False, "ends_turn": False,
    "notes": ["result_too_large: a"],
    "ledger": [{"id": "a", "tool": "t", "status": "failed", "level": 0, "duration_ms": 0,
                "error": "any text", "code": "timeout", "items": None, "reused": 0}],
}  # fmt: skip
ENTRY = {"id": "a", "tool": "t", "status": "failed", "level": 0, "duration_ms": 0}
CALL = {"step": "a", "tool": "t", "args": {}, "key": "k"}


def run_case(expect: dict[str, Any]) -> Case:
    return Case("results/a/b", "It runs.", "results/a", "run", {"plan": {}}, expect)


def judged(case: Case, answer: dict[str, Any]) -> bool:
    return jsontext.equal(*seen_and_expected(case, answer))


@pytest.mark.parametrize(
    ("changed", "passes"),
    [
        ({}, True),
        ({"returned": {"a": 2}}, False),
        ({"output": 1, "has_output": True}, False),
        ({"output": None, "has_output": True}, False),
        ({"notes": []}, False),
        ({"ends_turn": True}, False),
        ({"output_error": {"code": "no_value", "message": "m"}}, False),
    ],
)
def test_a_result_is_compared_whole_but_for_its_texts(
    changed: dict[str, Any], passes: bool
) -> None:
    wanted = {
        "returned": {"a": 1},
        "levels": 1,
        "notes": ["result_too_large"],
        "ledger": [{**ENTRY, "code": "timeout"}],
    }
    answer = {"result": {**RESULT, **changed}, "calls": [CALL], "timeline": [], "seq": 1}
    assert judged(run_case({"result": wanted}), answer) is passes


def test_the_key_of_a_call_is_compared_where_the_case_states_it() -> None:
    answer = {"result": RESULT, "calls": [CALL], "timeline": [], "seq": 1}
    assert judged(run_case({"calls": [{"step": "a", "tool": "t", "args": {}}]}), answer)
    assert not judged(run_case({"calls": [{**CALL, "key": "other"}]}), answer)


def test_a_plan_that_is_refused_passes_no_run() -> None:
    refusal = {"seq": 1, "diagnostics": [{"code": "cycle", "path": "", "message": "m"}]}
    assert not judged(run_case({"timeline": []}), refusal)


ENDED = {"result": RESULT, "calls": [CALL], "timeline": []}
STAYS = {"paused": True, "pauses": [["a"]]}
WANTED = {"levels": 1, "notes": ["result_too_large"], "returned": {"a": 1}}


@pytest.mark.parametrize(
    ("expect", "answer", "passes"),
    [
        (STAYS, STAYS, True),
        (STAYS, {"paused": True, "pauses": [["a"], ["a"]]}, False),
        (STAYS, {"cancelled": True, "pauses": [["a"]]}, False),
        (STAYS, {**ENDED, "pauses": [["a"]]}, False),
        ({"calls": []}, STAYS, False),
        ({"result": WANTED}, {**ENDED, "pauses": [["a"]]}, False),
        ({"result": WANTED, "pauses": [["a"]]}, {**ENDED, "pauses": [["a"]]}, True),
        ({"result": WANTED, "pauses": [["a"]]}, ENDED, False),
        ({"result": WANTED, "memory": []}, {**ENDED, "memory": []}, True),
        ({"result": WANTED, "memory": []}, {**ENDED, "memory": [1]}, False),
        ({"result": WANTED}, {**ENDED, "memory": [1]}, True),
    ],
)  # fmt: skip
def test_a_pause_is_compared_whether_or_not_it_is_expected(
    expect: dict[str, Any], answer: dict[str, Any], passes: bool
) -> None:
    ledger = {"ledger": [{**ENTRY, "code": "timeout"}]}
    if "result" in expect:
        expect = expect | {"result": {**expect["result"], **ledger}}
    whole = {"seq": 1, "calls": [], "timeline": [], **answer}
    assert judged(run_case(expect), whole) is passes


@pytest.mark.parametrize(("wanted", "passes"), [(2, True), (0, False), (None, False)])
def test_how_much_was_taken_from_memory_is_compared(wanted: int | None, passes: bool) -> None:
    entry = {**RESULT["ledger"][0], "reused": 2}
    row = {**ENTRY, "code": "timeout"} | ({} if wanted is None else {"reused": wanted})
    answer = {**ENDED, "result": {**RESULT, "ledger": [entry]}, "seq": 1}
    assert judged(run_case({"result": {**WANTED, "ledger": [row]}}), answer) is passes


@pytest.mark.parametrize(("shown", "passes"), [("1. a", True), ("1. b", False)])
def test_a_preview_is_compared_to_the_letter(shown: str, passes: bool) -> None:
    case = Case(
        "previews/a/b", "It is shown.", "previews/a", "validate", {}, {"preview": "1. a"}
    )
    made = {"levels": [], "dependencies": {}, "repairs": [], "preview": shown}
    assert judged(case, {"seq": 1, "diagnostics": [], **made}) is passes


def test_a_refusal_passes_no_check_of_levels() -> None:
    case = Case("graph/a/b", "It has levels.", "graph/a", "validate", {}, {"levels": []})
    assert not judged(case, {"seq": 1, "diagnostics": [{"code": "cycle", "path": ""}]})


def task_case(kind: Kind, expect: dict[str, Any]) -> Case:
    return Case("planner/a/b", "It runs.", "planner/a", kind, {"task_plan": {}}, expect)


FOUND = {"code": "cycle", "path": "/steps/0", "message": "m", "hint": "edit"}


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ({"diagnostics": [FOUND]}, True),
        ({"diagnostics": [{**FOUND, "message": "other words"}]}, True),
        ({"diagnostics": [{**FOUND, "hint": "another edit"}]}, False),
        ({"diagnostics": [], "levels": [["a"]]}, False),
    ],
)
def test_the_check_of_a_task_plan_is_compared_with_its_hints(
    answer: dict[str, Any], passes: bool
) -> None:
    wanted = [{key: FOUND[key] for key in ("code", "path", "hint")}]
    case = task_case("check_tasks", {"diagnostics": wanted})
    assert judged(case, {"seq": 1, **answer}) is passes


TASKS_RUN = {
    "calls": [{"step": "a", "results": {}}], "timeline": [[0, "start", "a"]],
    "results": {"a": 1}, "failed": {}, "skipped": [], "waves": [["a"]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        (TASKS_RUN, True),
        ({**TASKS_RUN, "calls": []}, True),
        ({**TASKS_RUN, "results": {}}, False),
        ({**TASKS_RUN, "waves": []}, False),
        ({"cancelled": True, "calls": [], "timeline": []}, False),
        ({"diagnostics": [FOUND]}, False),
    ],
)
def test_the_run_of_a_task_plan_is_compared_by_what_its_case_states(
    answer: dict[str, Any], passes: bool
) -> None:
    case = task_case("run_tasks", {"results": {"a": 1}, "waves": [["a"]]})
    assert judged(case, {"seq": 1, **answer}) is passes
