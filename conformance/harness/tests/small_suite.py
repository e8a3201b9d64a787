"""Small suites and engines to test the harness with."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from harness.engine import Engine
from harness.suite import Case

ENGINE = Path(__file__).parent / "fake_engine.py"


def engine(how: str, *, name: str = "fake", timeout_s: float = 20.0) -> Engine:
    """The engine that is wrong in one way, or ``right``."""
    return Engine(name, [sys.executable, str(ENGINE), how], timeout_s=timeout_s)


def option(how: str, name: str = "fake") -> str:
    """The same engine as an option of the command."""
    return f"--engine={name}={shlex.join([sys.executable, str(ENGINE), how])}"


def number(name: str, expression: str = "0", value: Any = 0) -> Case:
    """A case of an expression that is a number."""
    return Case(
        f"expressions/numbers/{name}",
        "A number is itself.",
        "expressions/numbers",
        "evaluate",
        {"expression": expression},
        {"value": value},
    )


def raw(case: Case) -> dict[str, Any]:
    """A case as it stands in its file."""
    about = {"id": case.id, "description": case.description}
    return {**about, **case.given, "expect": case.expect}


def suite_folder(folder: Path, cases: list[Any], known: list[Any] | None = None) -> Path:
    """A folder like ``conformance`` with these cases in it."""
    place = folder / "cases" / "expressions"
    place.mkdir(parents=True)
    document = {"description": "Numbers.", "cases": cases}
    (place / "numbers.json").write_text(json.dumps(document))
    (folder / "known-failures").mkdir()
    (folder / "known-failures" / "fake.json").write_text(json.dumps(known or []))
    empty = {"description": "No messages.", "messages": []}
    (folder / "messages.json").write_text(json.dumps(empty))
    coverage: dict[str, Any] = {"codes_without_a_case": {}, "rows": {}}
    (folder / "coverage.json").write_text(json.dumps(coverage))
    return folder
