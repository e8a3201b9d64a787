"""The schemas of the repository, and whether a document keeps to one."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from harness.suite import ROOT

__all__ = ["fault", "fault_of_answer", "schema_files"]

_SHAPES: Final = ("plan", "policy", "result", "checkpoint", "task-plan")
_ANSWERS: Final = {
    "start": "Started",
    "evaluate": "Evaluated",
    "validate": "Validated",
    "run": "Executed",
    "check_tasks": "TasksChecked",
    "run_tasks": "TasksExecuted",
}


def schema_files() -> list[Path]:
    """Every schema that the suite is written by."""
    shapes = [ROOT.parent / "schema" / f"{name}.schema.json" for name in _SHAPES]
    return [*sorted(ROOT.glob("*.schema.json")), *shapes]


@cache
def _registry() -> Registry[Any]:
    resources = []
    for path in schema_files():
        resource: Resource[Any] = Resource.from_contents(json.loads(path.read_text("utf-8")))
        resources.append((path.name, resource))
    registry: Registry[Any] = Registry().with_resources(resources)
    return registry


@cache
def _validator(file: str, definition: str) -> Draft202012Validator:
    schema = {"$ref": f"{file}#/$defs/{definition}"}
    return Draft202012Validator(schema, registry=_registry())


def fault(document: Any, file: str, definition: str) -> str | None:
    """Where and how a document breaks a definition; None if it keeps to it."""
    error = best_match(_validator(file, definition).iter_errors(document))
    if error is None:
        return None
    return f"{error.json_path}: {error.message[:300]}"


def fault_of_answer(answer: Any, cmd: str) -> str | None:
    """How an answer breaks the protocol; None if it is an answer to such a command."""
    definition = "Errored" if "errored" in answer else _ANSWERS[cmd]
    return fault(answer, "protocol.schema.json", definition)
