"""The command as it is run: what it says, what it writes and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import harness
from harness.__main__ import main
from harness.lint import CHECKS
from harness.tests.small_suite import number, option, raw, suite_folder

CASES = [raw(number("zero")), raw(number("one", "1", 1))]


@pytest.fixture(autouse=True)
def no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small suites keep few rules of the great one."""
    monkeypatch.setattr("harness.__main__.lint", lambda suite: {"a rule": []})


def ended(
    folder: Path, capsys: pytest.CaptureFixture[str], *options: str, known: Any = None
) -> tuple[int, str]:
    """The exit code and the last line."""
    suite = suite_folder(folder / "suite", CASES, known)
    code = main([*options, f"--suite={suite}", f"--report={folder / 'report'}",
                 f"--junit={folder / 'junit.xml'}"])  # fmt: skip
    return code, capsys.readouterr().out.splitlines()[-1]


def report(folder: Path) -> Any:
    return json.loads((folder / "report" / "conformance.json").read_text())


def test_all_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(tmp_path, capsys, option("right")) == (0, "3 passed, 0 failed")
    assert report(tmp_path)["cases"] == []
    assert report(tmp_path)["topics"]["expressions"]["fake"]["passed"] == 2


def test_a_wrong_engine_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(tmp_path, capsys, option("always wrong")) == (1, "1 passed, 2 failed")
    found = report(tmp_path)["cases"][1]
    assert (found["expected"], found["seen"]) == ({"value": 1}, {"value": "wrong"})


def test_a_crash_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(tmp_path, capsys, option("crashing")) == (1, "1 passed, 2 failed")


def test_two_engines_that_differ_fail_each_case_in_which_they_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engines = [option("right", "one"), option("always wrong", "other")]
    assert ended(tmp_path, capsys, *engines) == (1, "3 passed, 4 failed")
    (first, _) = report(tmp_path)["unlike"]
    assert first["at"] == "value"
    assert first["answers"]["other"]["value"] == "wrong"
    page = (tmp_path / "report" / "index.html").read_text()
    assert "expressions/numbers/one" in page
    assert "&quot;wrong&quot;" in page


def test_known_failures_count_as_neither(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = [{"match": "*/one", "reason": "It is wrong.", "actual": {"value": "wrong"}}]
    engines = option("always wrong")
    assert ended(tmp_path, capsys, engines, known=known) == (1, "1 passed, 1 failed")


def test_a_pattern_without_a_case_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = [{"match": "wire/*", "reason": "It is wrong.", "actual": {}}]
    assert ended(tmp_path, capsys, option("right"), known=known) == (1, "3 passed, 1 failed")


def test_a_pattern_that_no_case_matches_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [option("right"), "--only=no-such-case"]
    assert ended(tmp_path, capsys, *options) == (1, "0 passed, 1 failed")


def test_the_junit_report_counts_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended(tmp_path, capsys, option("always wrong"))
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testsuite")
    counts = {s.get("name"): (s.get("tests"), s.get("failures")) for s in suites}
    assert counts == {"suite": ("1", "0"), "fake": ("2", "2")}


def test_every_rule_has_a_name_that_says_what_is_so() -> None:
    assert all("should" not in rule for rule in CHECKS)


def test_the_harness_knows_no_engine() -> None:
    files = Path(harness.__file__).parent.rglob("*.py")
    imports = "^ *(?:from|import) +strands_plan_tool"
    assert [path for path in files if re.search(imports, path.read_text(), re.MULTILINE)] == []
