"""The suite: its cases, and what is said of each to an engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

__all__ = ["FOR_ADAPTERS", "ROOT", "Case", "Kind", "load", "load_messages", "read_case"]

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder ``conformance``."""

FOR_ADAPTERS: Final = "unwrap"
"""The topic that no engine is asked about: what adapters make of a framework's results."""

Kind = Literal["evaluate", "validate", "run", "check_tasks", "run_tasks", "message"]

_RUN: Final = {"result", "cancelled", "paused", "calls", "timeline"}
_MESSAGE: Final = ("code", "path", "message", "hint")
# What is about the case and not about what it gives to an engine.
_ABOUT: Final = {"id", "description", "expect"}


@dataclass(frozen=True, slots=True)
class Case:
    """One input with one expectation.

    Attributes:
        file: The path of its file under ``cases``, without the ending.
        kind: What an engine is asked to do with it.
        given: What the engine is given; never the expectation.
        expect: What must come of it.
    """

    id: str
    description: str
    file: str
    kind: Kind
    given: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def topic(self) -> str:
        """The first part of its id."""
        return self.id.partition("/")[0]

    def command(self, seq: int) -> dict[str, Any]:
        """The command that puts the case to an engine."""
        cmd = "validate" if self.kind == "message" else self.kind
        return {"cmd": cmd, "seq": seq, **self.given}


def load(folder: Path = ROOT / "cases") -> Iterator[Case]:
    """Every case for engines under a folder, file by file."""
    for path in sorted(folder.rglob("*.json")):
        file = path.relative_to(folder).with_suffix("").as_posix()
        if file.startswith(f"{FOR_ADAPTERS}/"):
            continue
        for raw in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            yield read_case(raw, file)


def read_case(raw: Mapping[str, Any], file: str) -> Case:
    """A case as it stands in a file, which keeps to the schema."""
    kind: Kind = "validate"
    if "task_plan" in raw:
        kind = "run_tasks" if "executors" in raw else "check_tasks"
    elif "expression" in raw:
        kind = "evaluate"
    elif _RUN & raw["expect"].keys():
        kind = "run"
    given = {key: value for key, value in raw.items() if key not in _ABOUT}
    return Case(raw["id"], raw["description"], file, kind, given, raw["expect"])


def load_messages(path: Path = ROOT / "messages.json") -> Iterator[Case]:
    """The reviewed texts of a refused plan, as cases ``messages/<code>``."""
    for raw in json.loads(path.read_text(encoding="utf-8"))["messages"]:
        given = {key: value for key, value in raw.items() if key not in _MESSAGE}
        expect = {key: raw[key] for key in _MESSAGE}
        name = f"messages/{raw['code'].replace('_', '-')}"
        yield Case(name, "The message and hint are those reviewed.", "messages", "message",
                   given, expect)  # fmt: skip
