"""What the suite must be like, whatever an engine makes of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness import page
from harness.schemas import fault, schema_files
from harness.suite import FOR_ADAPTERS, ROOT, Case, read_case

__all__ = ["CHECKS", "TOPICS", "Suite", "lint"]

TOPICS: Final = frozenset(
    (
        *("wire", "shape", "graph", "expressions", "profile", "tools"),
        *("scheduling", "fan-out", "branches", "policy", "results", "regressions", "planner"),
        *("pauses", "memory", "previews"),
    )
)

# A text, a name in backticks, a regular expression after `(` or `,`, a comment.
_TEXTS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`|/\*.*?\*/', re.S)
_REGEX: Final = re.compile(r"(?<=[(,])\s*/(?:[^/\\\n]|\\.)+/[im]*")


@dataclass(frozen=True, slots=True)
class Suite:
    """The files that are looked at.

    Attributes:
        root: The folder ``conformance``, or one made like it.
        cases: The cases in it, without those that break their schema.
        faults: What breaks it in the files of cases.
    """

    root: Path
    cases: tuple[Case, ...]
    faults: tuple[str, ...] = ()

    @classmethod
    def at(cls, root: Path = ROOT) -> Suite:
        """The suite in a folder."""
        cases: list[Case] = []
        faults: list[str] = []
        folder = root / "cases"
        for path in sorted(folder.rglob("*.json")):
            file = path.relative_to(folder).with_suffix("").as_posix()
            try:
                document = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                faults.append(f"cases/{file}.json is no JSON: {error}")
                continue
            fitting, found = _fitting(document)
            faults += [f"cases/{file}.json {one}" for one in found]
            if not file.startswith(f"{FOR_ADAPTERS}/"):
                cases += [read_case(raw, file) for raw in fitting]
        return cls(root, tuple(cases), tuple(faults))

    def json(self, name: str) -> Any:
        """A file of the folder."""
        return json.loads((self.root / name).read_text(encoding="utf-8"))


def _fitting(document: Any) -> tuple[list[Any], list[str]]:
    """The cases of a file that keep to the schema, and what breaks it: in each case alone."""
    problem = fault(document, "case.schema.json", "CaseFile")
    if problem is None:
        return document["cases"], []
    raws = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(raws, list):
        return [], [problem]
    fitting, found = [], []
    for at, raw in enumerate(raws):
        alone = fault(
            {"description": "A case.", "cases": [raw]}, "case.schema.json", "CaseFile"
        )
        if alone is None:
            fitting.append(raw)
        else:
            found.append(alone.replace("$.cases[0]", f"$.cases[{at}]", 1))
    return fitting, found or [problem]


def lint(suite: Suite) -> dict[str, list[str]]:
    """What breaks each rule, by the rule; an empty list for each that is kept."""
    return {rule: list(check(suite)) for rule, check in CHECKS.items()}


def files_keep_to_their_schema(suite: Suite) -> Iterator[str]:
    """Every file of cases, the reviewed messages and the known failures."""
    yield from suite.faults
    kinds = [(path, "KnownFailures") for path in (suite.root / "known-failures").glob("*")]
    kinds.append((suite.root / "messages.json", "Messages"))
    for path, definition in kinds:
        document = json.loads(path.read_text(encoding="utf-8"))
        if problem := fault(document, "case.schema.json", definition):
            yield f"{path.relative_to(suite.root).as_posix()} {problem}"


def schemas_describe_what_they_define(suite: Suite) -> Iterator[str]:
    """Every definition of the schemas of the suite says what it is."""
    for path in schema_files():
        if path.parent != ROOT:
            continue
        schema = json.loads(path.read_text(encoding="utf-8"))
        for name, definition in {"the file": schema, **schema["$defs"]}.items():
            if not str(definition.get("description", "")).endswith("."):
                yield f"{path.name}: {name} has no description that is a sentence"


def ids_are_paths_and_used_once(suite: Suite) -> Iterator[str]:
    """An id is its file's path and one name, under a topic that there is."""
    times = Counter(case.id for case in suite.cases)
    yield from (f"{name} is used {count} times" for name, count in times.items() if count > 1)
    for case in suite.cases:
        if case.id.rpartition("/")[0] != case.file:
            yield f"{case.id} stands in {case.file}.json"
        if case.topic not in TOPICS:
            yield f"{case.id}: {case.topic} is no topic"


def every_code_is_expected(suite: Suite) -> Iterator[str]:
    """Every code of the closed list is what some case expects, or has a reason not to be."""
    expected = {code for case in suite.cases for code in _codes(case.expect)}
    excused = suite.json("coverage.json")["codes_without_a_case"]
    for code in page.codes():
        if code not in expected and code not in excused:
            yield f"no case expects {code}"
        if code in expected and code in excused:
            yield f"coverage.json says that no case expects {code}"


def _codes(expect: Mapping[str, Any]) -> Iterator[str]:
    yield from (expect[end] for end in ("refused", "error") if end in expect)
    yield from (found["code"] for found in expect.get("diagnostics", []))
    yield from (row[1] for row in expect.get("timeline", []))
    result = expect.get("result", {})
    yield from (entry["code"] for entry in result.get("ledger", []) if "code" in entry)
    yield from result.get("notes", [])
    if "output_error" in result:
        yield result["output_error"]["code"]


def every_function_is_called(suite: Suite) -> Iterator[str]:
    """Every listed function is called by an expression case that expects a value."""
    texts = " ".join(_without_texts(case) for case in suite.cases if "value" in case.expect)
    for name in page.functions():
        if not re.search(re.escape(name) + r"\b", texts):
            yield f"no expression case with a value calls {name}"


def every_operator_is_used(suite: Suite) -> Iterator[str]:
    """Every operator and construct stands in an expression case that expects a value."""
    texts = [_without_texts(case) for case in suite.cases if "value" in case.expect]
    for name, pattern in page.OPERATORS.items():
        if not any(re.search(pattern, text) for text in texts):
            yield f"no expression case with a value uses {name}"


def _without_texts(case: Case) -> str:
    text = _TEXTS.sub('""', case.given.get("expression", ""))
    return _REGEX.sub("/regex/", text)


def every_row_has_a_case(suite: Suite) -> Iterator[str]:
    """``coverage.json`` names cases for each row of each table of the language's page."""
    named: dict[str, dict[str, list[str]]] = suite.json("coverage.json")["rows"]
    tables = page.table_rows()
    ids = {case.id for case in suite.cases}
    for heading, rows in tables.items():
        for row in rows:
            if not named.get(heading, {}).get(row):
                yield f"the row {row} of {heading} has no case in coverage.json"
    for heading, listed in named.items():
        for row, cases in listed.items():
            if row not in tables.get(heading, []):
                yield f"coverage.json: {heading} has no row {row}"
            yield from (
                f"coverage.json: {row}: no case {name}" for name in cases if name not in ids
            )


CHECKS: Final[dict[str, Callable[[Suite], Iterator[str]]]] = {
    "files keep to their schema": files_keep_to_their_schema,
    "schemas describe what they define": schemas_describe_what_they_define,
    "ids are paths and used once": ids_are_paths_and_used_once,
    "every code is expected by a case": every_code_is_expected,
    "every listed function is called by a case": every_function_is_called,
    "every operator is used by a case": every_operator_is_used,
    "every row of the language's tables has a case": every_row_has_a_case,
}
"""The rules of the suite: each gives what breaks it."""
