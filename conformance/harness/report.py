"""The report: JSON for programs, JUnit XML for those that count tests, a page for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from harness.results import Results
from harness.verdicts import Outcome

__all__ = ["as_json", "as_junit", "write_json", "write_junit"]


def as_json(results: Results) -> dict[str, Any]:
    """The whole run as plain JSON; of what passed only the count."""
    return {
        "counts": {
            group: {"passed": passed, "failed": failed, "known": known}
            for group, (passed, failed, known) in results.counts().items()
        },
        "engines": results.about,
        "suite": results.lint,
        "topics": _topics(results),
        "cases": [
            _case(outcome)
            for outcomes in results.outcomes.values()
            for outcome in outcomes
            if outcome.status != "passed"
        ],
        "unmatched": [
            {"engine": entry.engine, "match": entry.match} for entry in results.unmatched
        ],
        "unlike": [
            {"id": case.id, "at": unlike, "answers": _answers(results, case.id)}
            for case, unlike in results.differences()
            if unlike is not None
        ],
    }


def _topics(results: Results) -> dict[str, dict[str, dict[str, int]]]:
    """How many cases passed, failed and are known to fail, by topic and engine."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for engine, outcomes in results.outcomes.items():
        for outcome in outcomes:
            of_topic = found.setdefault(outcome.case.topic, {})
            row = of_topic.setdefault(engine, {"passed": 0, "failed": 0, "known": 0})
            row["failed" if outcome.failed else outcome.status] += 1
    return found


def _case(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.case.id,
        "description": outcome.case.description,
        "engine": outcome.engine,
        "status": outcome.status,
        "given": outcome.case.given,
        "expected": outcome.expected,
        "seen": outcome.seen,
        "answer": outcome.answer,
        "detail": outcome.detail,
    }


def _answers(results: Results, name: str) -> dict[str, Any]:
    return {
        engine: next(one.answer for one in outcomes if one.case.id == name)
        for engine, outcomes in results.outcomes.items()
    }


def write_json(results: Results, path: Path) -> None:
    """Write the report for programs."""
    text = json.dumps(as_json(results), indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def as_junit(results: Results) -> ElementTree.Element:
    """The run as test suites, one a group."""
    top = ElementTree.Element("testsuites", name="conformance")
    suites: dict[str, ElementTree.Element] = {}
    for check in results.checks():
        suite = suites.get(check.group)
        if suite is None:
            suite = ElementTree.SubElement(top, "testsuite", name=check.group)
            suites[check.group] = suite
        case = ElementTree.SubElement(suite, "testcase", classname=check.group, name=check.name)
        if check.failed:
            failure = ElementTree.SubElement(case, "failure", message=check.status)
            # XML has no place for most control characters.
            failure.text = check.detail.encode("unicode_escape").decode()
        elif check.status == "known":
            ElementTree.SubElement(case, "skipped", message="known to fail")
    for group, (passed, failed, known) in results.counts().items():
        suites[group].attrib.update(
            tests=str(passed + failed + known),
            failures=str(failed),
            errors="0",
            skipped=str(known),
        )
    return top


def write_junit(results: Results, path: Path) -> None:
    """Write the report for those that count tests."""
    tree = ElementTree.ElementTree(as_junit(results))
    tree.write(path, encoding="utf-8", xml_declaration=True)
