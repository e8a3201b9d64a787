"""A find as a case of the suite: in its words, by its schema, kept as its files are."""

from __future__ import annotations

import hashlib
import json
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from differences import Answer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.engine import Engine
from harness.lint import Suite, files_keep_to_their_schema, ids_are_paths_and_used_once
from harness.schemas import fault
from harness.suite import load
from harness.verdicts import agreement, run_suite

__all__ = ["FILE", "Commands", "case_of", "is_a_case", "run_again"]

Command = Mapping[str, Any]
Commands = Sequence[tuple[str, Sequence[str]]]
"""The engines: the name of each, and the command that starts it."""

FILE: Final = "regressions/found-by-chance"
"""The file of cases, without its ending, that a printed case can be put into as it is."""

_ABOUT: Final = {"cmd", "seq"}
# What a refused plan is not given: it is a check, whatever was asked.
_OF_RUNS: Final = {"run_id", "cancel_at_ms", "answers", "memory"}
_RESULT: Final = {"returned": {}, "final": False, "ends_turn": False, "notes": []}
_ENTRY: Final = {"error": None, "code": None, "items": None, "reused": 0}
# A case must expect something, also where no engine answers.
_NOTHING: Final[dict[str, Any]] = {
    "evaluate": {"error": "evaluation_failed"},
    "validate": {"diagnostics": []},
    "run": {"calls": []},
}


def case_of(command: Command, answer: Answer | None) -> dict[str, Any]:
    """A case for ``conformance/cases`` that expects what an engine answered.

    Its id is made of what is given and told, so that no two finds have the same.

    Args:
        answer: The answer; without one, or if the engine itself went wrong, the case expects
            nothing that means anything.
    """
    cmd = command["cmd"]
    given = {key: value for key, value in command.items() if key not in _ABOUT}
    if answer is None or "errored" in answer:
        expect = _NOTHING[cmd]
    elif cmd == "evaluate":
        expect = _evaluated(answer)
    elif "result" not in answer and "timeline" not in answer:
        given = {key: value for key, value in given.items() if key not in _OF_RUNS}
        expect = _checked(answer)
    else:
        expect = _executed(answer)
    about = json.dumps([given, sorted(expect)], sort_keys=True)
    name = hashlib.sha256(about.encode()).hexdigest()[:12]
    return {
        "id": f"{FILE}/found-{name}",
        "description": "Says in the present tense what happens.",
        **given,
        "expect": _as_written(expect),
    }


def _as_written(value: Any) -> Any:
    """The same with whole numbers as integers, as cases have them; ``-0`` stays what it is."""
    if isinstance(value, float) and value.is_integer() and value:
        return int(value)
    if isinstance(value, float) and not value and math.copysign(1, value) > 0:
        return 0
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    if isinstance(value, dict):
        return {name: _as_written(member) for name, member in value.items()}
    return value


def _evaluated(answer: Answer) -> dict[str, Any]:
    expect = {name: answer[name] for name in ("value", "dependencies", "steps_used") if
              name in answer}  # fmt: skip
    return expect | {end: answer[end]["code"] for end in ("refused", "error") if end in answer}


def _checked(answer: Answer) -> dict[str, Any]:
    places = [{"code": row["code"], "path": row["path"]} for row in answer["diagnostics"]]
    expect: dict[str, Any] = {"diagnostics": places}
    if not places and "levels" in answer:
        expect |= {name: answer[name] for name in ("levels", "dependencies")}
        expect["repairs"] = len(answer["repairs"])
    return expect


def _executed(answer: Answer) -> dict[str, Any]:
    parts = ("cancelled", "paused", "pauses", "memory", "timeline")
    expect = {name: answer[name] for name in parts if name in answer}
    expect["calls"] = [
        {name: part for name, part in call.items() if name != "key"} for call in answer["calls"]
    ]
    if "result" in answer:
        expect["result"] = _result(answer["result"])
    return expect


def _result(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without its defaults, and with codes where the suite states no texts."""
    stated = {name: value for name, value in result.items() if name in _RESULT and
              value != _RESULT[name]}  # fmt: skip
    if "notes" in stated:
        stated["notes"] = [note.partition(": ")[0] for note in stated["notes"]]
    if result["has_output"]:
        stated["output"] = result["output"]
    if result["output_error"] is not None:
        stated["output_error"] = {"code": result["output_error"]["code"]}
    stated["levels"] = result["levels"]
    if result["inference_passes_saved"] != max(result["levels"] - 1, 0):
        stated["inference_passes_saved"] = result["inference_passes_saved"]
    stated["ledger"] = [_entry(entry) for entry in result["ledger"]]
    return stated


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    stated = {name: value for name, value in entry.items() if name not in _ENTRY or
              value != _ENTRY[name]}  # fmt: skip
    if stated.get("code") not in (None, "tool_failed"):
        stated.pop("error", None)
    return stated


def is_a_case(command: Command) -> bool:
    """Whether a command can stand in the suite, whatever is expected of it."""
    raw = case_of(command, None)
    return fault(_file(raw), "case.schema.json", "CaseFile") is None


def _file(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": "Found by chance.", "cases": [raw]}


def run_again(raw: Mapping[str, Any], engines: Commands) -> str:
    """What becomes of a case that is put into a file of the suite and read from there.

    Fresh engines are asked; the first must end it as it says.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        path = root / "cases" / f"{FILE}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(_file(raw), indent=2), encoding="utf-8")
        messages = {"description": "No messages.", "messages": []}
        (root / "messages.json").write_text(json.dumps(messages), encoding="utf-8")
        suite = Suite.at(root)
        problems = [*files_keep_to_their_schema(suite), *ids_are_paths_and_used_once(suite)]
    if raw["id"] in {case.id for case in load()}:
        problems.append(f"{raw['id']} is in the suite already")
    if problems:
        return f"no case of the suite: {'; '.join(problems)}"
    outcomes = []
    for name, command in engines:
        with Engine(name, command) as engine:
            outcomes += run_suite(engine, suite.cases, [])
    told = [f"{one.engine} {one.status}" for one in outcomes]
    place = agreement(*outcomes)
    if place is not None:
        told.append(f"they differ at {place}")
    elif all(one.answer is not None for one in outcomes):
        told.append("both answer alike")
    return ", ".join(told)
