"""Expressions meant to hang, exhaust or crash whatever evaluates them, put to engines.

    python conformance/differential/attacks.py NAME=COMMAND [NAME=COMMAND ...]
        [--bindings 32] [--margin 1] [--only PATTERN]

The list is that of ``python/tests/attacks.py``. Each is evaluated alone and as so many bindings
of one plan, over the protocol, by a process of its own, so that its memory is its own. Ends
with 1 if one takes more than its time or memory, has no ending, or if two engines differ.

An attack has a second of the processor alone, and a second for each binding in a plan, times
the margin; a machine without ``/proc`` tells the time on the wall, and no memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import jsontext
from harness.engine import Engine, Fault
from harness.suite import Case
from harness.verdicts import Outcome, agreement

LIST: Final = Path(__file__).resolve().parents[2] / "python" / "tests" / "attacks.py"
# What is no attack but waits for one: far beyond what any may take.
_PATIENCE_S: Final = 300.0
_DEEP_NAME: Final = "data 3,000 deep"
_DEEP: Final = "[" * 3000 + '{"a": {"b": 1}}' + "]" * 3000
# Stands for the deep data in a command, which Python could not write.
_MARK: Final = "the deep data"


class Watched(Engine):
    """An engine whose process is measured."""

    def __enter__(self) -> Watched:
        return self

    @property
    def pid(self) -> int:
        """The number of its process, which must have started."""
        assert self._process is not None
        return self._process.popen.pid

    @staticmethod
    def _send(process: Any, command: Mapping[str, Any]) -> None:
        text = jsontext.write(command).replace(f'"{_MARK}"', _DEEP)
        process.popen.stdin.write(text.encode() + b"\n")
        process.popen.stdin.flush()


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attack ended in one engine.

    Attributes:
        word: ``value``, a code, or the status of a fault.
        seconds: What the processor was busy for, or the wall's time.
    """

    word: str
    outcome: Outcome
    seconds: float


@dataclass(frozen=True, slots=True)
class Told:
    """One attack in one engine: alone, in a plan, and the memory over the idle process."""

    alone: Ending
    plan: Ending
    idle_mb: float
    over_mb: float


def _listed() -> Any:
    """The module that has the list, and what each attack may take."""
    spec = importlib.util.spec_from_file_location("listed_attacks", LIST)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_MODULE: Final = _listed()
ATTACKS: Final[Mapping[str, str]] = _MODULE.ATTACKS
MOST_S: Final[Mapping[str, float]] = _MODULE.MOST_S
MOST_MB: Final[int] = _MODULE.MOST_MB


def cases(name: str, text: str, bindings: int) -> tuple[Case, Case]:
    """An attack alone, and as the bindings of a plan's second step."""
    data: Any = {"a": {"b": 1}}
    alone = {"expression": text, "root": _MARK if name == _DEEP_NAME else data}
    # A stub tool copies what it gives, so that what is too deep here is less so.
    for _ in range(300 if name == _DEEP_NAME else 0):
        data = [data]
    # A plan has no root that is any value, so the names of `a` are looked for in vain.
    bound = "steps.s.**" if name == _DEEP_NAME else text
    steps = [
        {"id": "s", "tool": "data"},
        {"id": "t", "tool": "take", "bind": {f"b{n}": bound for n in range(bindings)}},
    ]
    tools = {"data": {"returns": data}, "take": {"returns": {}}}
    plan = {"plan": {"steps": steps, "returns": ["t"]}, "tools": tools}
    return Case(name, "", "", "evaluate", alone, {}), Case(name, "", "", "run", plan, {})


def seconds(pid: int) -> float:
    """What a process has used of the processor until now."""
    try:
        # The name of the program, in parentheses, may hold blanks.
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return time.perf_counter()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int, which: str) -> float:
    """Memory of a process: ``VmHWM``, the most until now, or ``VmRSS``, what it has now."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0.0
    found = re.search(rf"^{which}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def word(answer: Mapping[str, Any] | Fault) -> str:
    """How an attack ended."""
    if isinstance(answer, Fault):
        return answer.status
    for end in ("refused", "error"):
        if end in answer:
            return str(answer[end]["code"])
    if "diagnostics" in answer:
        return str(answer["diagnostics"][0]["code"])
    ledger = answer.get("result", {}).get("ledger", [])
    return next((str(entry["code"]) for entry in ledger if entry["code"]), "value")


def ended(engine: Watched, case: Case) -> Ending:
    """Put one case to an engine that runs."""
    pid = engine.pid
    begun = seconds(pid)
    answer = engine.ask(case.command(1))
    taken = seconds(pid) - begun
    whole, detail = (None, answer.detail) if isinstance(answer, Fault) else (answer, "")
    outcome = Outcome(case, engine.name, "", whole, None, None, detail)
    return Ending(word(answer), outcome, taken)


def told_by(name: str, command: str, of_attack: tuple[Case, Case]) -> Told:
    """An attack in a process of its own."""
    with Watched(name, shlex.split(command), timeout_s=_PATIENCE_S) as engine:
        # The first expression makes an engine ready: what it then holds is its idle memory.
        engine.ask({"cmd": "evaluate", "seq": 0, "expression": "1", "root": None})
        idle = megabytes(engine.pid, "VmRSS")
        alone = ended(engine, of_attack[0])
        if isinstance(alone.outcome.answer, Mapping):
            plan, peak = ended(engine, of_attack[1]), 0.0
            if isinstance(plan.outcome.answer, Mapping):
                peak = megabytes(engine.pid, "VmHWM")
            return Told(alone, plan, idle, peak - idle)
        return Told(alone, alone, idle, 0.0)


def faults(name: str, told: Told, bindings: int, margin: float) -> list[str]:
    """What is wrong with how an attack ended in one engine."""
    most = MOST_S.get(name, 1.0) * margin
    found = []
    for place, ending, times in (("alone", told.alone, 1), ("plan", told.plan, bindings)):
        if ending.outcome.answer is None:
            found.append(f"{place} {ending.word}: {ending.outcome.detail[-400:]}")
        if ending.seconds > most * times:
            found.append(f"{place} slow")
    if told.over_mb >= MOST_MB:
        found.append("memory")
    return found


def differences(first: Told, other: Told) -> list[str]:
    """In what two engines end an attack unlike each other, every text included."""
    pairs = ((first.alone, other.alone), (first.plan, other.plan))
    places = [agreement(one.outcome, another.outcome) for one, another in pairs]
    return [f"differ in {place}" for place in places if place]


def shown(engine: str, told: Told) -> str:
    """One engine's figures."""
    return (
        f"{engine} {told.alone.word} {told.alone.seconds:.2f} s,"
        f" plan {told.plan.word} {told.plan.seconds:.2f} s, {told.over_mb:+.0f} MB"
    )


def main() -> int:
    """Put every attack to every engine, print how it ended, and judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("engines", nargs="+", metavar="NAME=COMMAND")
    options.add_argument("--bindings", type=int, default=32)
    options.add_argument("--margin", type=float, default=1.0)
    options.add_argument("--only", default="")
    options.add_argument("--json", type=Path, help="where to write every figure")
    given = options.parse_args()
    engines = {name: command for name, _, command in (e.partition("=") for e in given.engines)}
    wrong, rows, idle = 0, [], dict.fromkeys(engines, 0.0)
    for name, text in ATTACKS.items():
        if not re.search(given.only, name):
            continue
        told = {
            engine: told_by(engine, command, cases(name, text, given.bindings))
            for engine, command in engines.items()
        }
        found = []
        for engine, each in told.items():
            idle[engine] = max(idle[engine], each.idle_mb)
            said = faults(name, each, given.bindings, given.margin)
            found += [f"{engine}: {fault}" for fault in said]
        first, *others = told.values()
        found += [fault for other in others for fault in differences(first, other)]
        wrong += bool(found)
        line = "; ".join(shown(engine, each) for engine, each in told.items())
        verdict = "WRONG" if found else "ok"
        print(f"{verdict:5} {name}: {line}", *found, sep="\n      ", flush=True)
        rows.append({"name": name, "told": line, "faults": found})
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    told_idle = ", ".join(f"{engine} {most:.0f} MB" for engine, most in idle.items())
    print(f"{len(rows)} attacks, {wrong} wrong; idle, the most: {told_idle}")
    print("kept" if not wrong else "BROKEN")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
