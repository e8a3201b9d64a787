"""The suite keeps its rules, and each rule finds what breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness import lint as rules
from harness import page
from harness.lint import CHECKS, Suite, lint
from harness.schemas import fault
from harness.tests.small_suite import number, raw, suite_folder

ZERO = raw(number("zero"))


@pytest.mark.parametrize("rule", CHECKS)
def test_the_suite_keeps_its_rules(rule: str) -> None:
    assert list(CHECKS[rule](Suite.at())) == []


def small(folder: Path, *cases: Any, known: Any = None) -> Suite:
    return Suite.at(suite_folder(folder, list(cases), known))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"description": "It should be zero."}, "expressions/numbers"),
        ({"description": "It is zero"}, "expressions/numbers"),
        ({"id": "Zero"}, "expressions/numbers"),
        ({"expect": {"value": 0, "error": "no_value"}}, "expressions/numbers"),
        ({"expect": {}}, "expressions/numbers"),
        ({"expect": {"refused": "no_such_code"}}, "expressions/numbers"),
        ({"plan": {}}, "expressions/numbers"),
        ({"index": 1}, "expressions/numbers"),
    ],
)
def test_a_case_that_breaks_its_schema_is_found(
    tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    (problem,) = rules.files_keep_to_their_schema(small(tmp_path, {**ZERO, **changed}))
    assert told in problem


@pytest.mark.parametrize(
    "broken",
    [
        {"plan": {}, "expect": {"result": {"levels": 1, "ledger": [], "output_error": None}}},
        {"plan": {}, "expect": {"result": {"levels": 1, "ledger": [{"code": None}]}}},
        {"expression": "1", "expect": None},
        {"plan": {}, "expect": {"diagnostics": [1], "timeline": [[]]}},
        {"plan": {}},
        {},
    ],
)
def test_a_broken_case_is_told_of_and_stands_in_the_way_of_no_rule(
    tmp_path: Path, broken: dict[str, Any]
) -> None:
    about = {"id": "expressions/numbers/broken", "description": "It is broken."}
    suite = small(tmp_path, ZERO, {**about, **broken})
    (problem,) = lint(suite)["files keep to their schema"]
    assert problem.startswith("cases/expressions/numbers.json $.cases[1]")
    assert [case.id for case in suite.cases] == ["expressions/numbers/zero"]


def test_a_file_that_holds_no_cases_is_told_of(tmp_path: Path) -> None:
    suite_folder(tmp_path, [ZERO])
    for name, text in (("list", "[]"), ("cut", '{"cases": [')):
        (tmp_path / "cases" / "expressions" / f"{name}.json").write_text(text)
    found = Suite.at(tmp_path).faults
    assert [problem.partition(" ")[0] for problem in found] == [
        "cases/expressions/cut.json",
        "cases/expressions/list.json",
    ]


def test_a_known_failure_without_a_reason_is_found(tmp_path: Path) -> None:
    suite = small(tmp_path, ZERO, known=[{"match": "*", "actual": {}}])
    (problem,) = rules.files_keep_to_their_schema(suite)
    assert "'reason' is a required property" in problem


def test_an_id_that_is_used_twice_or_in_another_place_is_found(tmp_path: Path) -> None:
    other = {**ZERO, "id": "elsewhere/numbers/zero"}
    found = list(rules.ids_are_paths_and_used_once(small(tmp_path, ZERO, ZERO, other)))
    assert found == [
        "expressions/numbers/zero is used 2 times",
        "elsewhere/numbers/zero stands in expressions/numbers.json",
        "elsewhere/numbers/zero: elsewhere is no topic",
    ]


def test_codes_functions_operators_and_rows_without_a_case_are_found(tmp_path: Path) -> None:
    found = lint(small(tmp_path, ZERO))
    assert len(found["every code is expected by a case"]) == len(page.codes())
    functions = found["every listed function is called by a case"]
    assert len(functions) == len(page.functions())
    assert len(found["every operator is used by a case"]) == len(page.OPERATORS)
    rows = sum(map(len, page.table_rows().values()))
    assert len(found["every row of the language's tables has a case"]) == rows


def test_what_coverage_says_that_is_not_so_is_found(tmp_path: Path) -> None:
    suite = small(tmp_path, {**ZERO, "expect": {"error": "no_value"}})
    coverage = {
        "codes_without_a_case": {"no_value": "It cannot be."},
        "rows": {"Shape": {"`final`": ["expressions/numbers/one"], "`never`": []}},
    }
    (tmp_path / "coverage.json").write_text(json.dumps(coverage))
    found = lint(suite)
    codes = found["every code is expected by a case"]
    assert "coverage.json says that no case expects no_value" in codes
    rows = found["every row of the language's tables has a case"]
    assert "coverage.json: `final`: no case expressions/numbers/one" in rows
    assert "coverage.json: Shape has no row `never`" in rows


def test_a_name_in_a_text_is_no_call(tmp_path: Path) -> None:
    case = {**ZERO, "expression": '"$sum(1) + `$count(2)`"'}
    found = lint(small(tmp_path, case))
    assert "no expression case with a value calls $sum" in found[
        "every listed function is called by a case"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "definition", "good"),
    [
        ({"cmd": "start", "protocol": 1}, "Command", True),
        ({"cmd": "evaluate", "seq": 1, "expression": "1", "root": None}, "Command", True),
        ({"cmd": "evaluate", "seq": 1}, "Command", False),
        ({"cmd": "validate", "seq": 1, "plan": {}, "plan_text": ""}, "Command", False),
        ({"cmd": "stop"}, "Command", True),
        ({"cmd": "check_tasks", "seq": 1, "task_plan": []}, "Command", True),
        ({"cmd": "run_tasks", "seq": 1, "task_plan": {}}, "Command", False),
        ({"seq": 1, "diagnostics": []}, "TasksChecked", False),
        ({"seq": 1, "diagnostics": [], "levels": [["a"]]}, "TasksChecked", True),
        ({"seq": 1, "results": {}, "failed": {}, "skipped": []}, "TasksExecuted", False),
        ({"seq": 1, "diagnostics": []}, "Validated", False),
        ({"seq": 1, "value": 1, "dependencies": [], "steps_used": 1}, "Answer", True),
        ({"seq": 1, "cancelled": True, "calls": [], "timeline": []}, "Answer", True),
        ({"seq": 1, "paused": True, "calls": [], "timeline": []}, "Answer", False),
        ({"cmd": "run", "seq": 1, "plan": {}, "answers": [{"a[0]": "no"}]}, "Command", True),
        ({"cmd": "run", "seq": 1, "plan": {}, "answers": [{"a[00]": True}]}, "Command", False),
        ({"cmd": "run", "seq": 1, "plan": {}, "answers": [{"a": False}]}, "Command", False),
        ({"cmd": "run", "seq": 1, "plan": {}, "memory": [{"tool": "t"}]}, "Command", False),
        ({"seq": None, "errored": {"message": "m"}}, "Answer", True),
        ({"seq": 1}, "Answer", False),
    ],
)
def test_the_protocol_is_what_its_schema_says(
    document: Any, definition: str, good: bool
) -> None:
    assert (fault(document, "protocol.schema.json", definition) is None) is good


def test_every_case_becomes_a_command_of_the_protocol() -> None:
    for case in Suite.at().cases:
        problem = fault(case.command(1), "protocol.schema.json", "Command")
        assert problem is None, f"{case.id} {problem}"
