"""Known expressions with the reference's answers, run through our engine.

    python conformance/differential/parity.py

Reads the parity rows and the official JSONata suite, which lie in a folder ``shared`` beside
the checkout and not in it; says so where one is absent. Ends with 1 if an accepted
expression differs from the reference elsewhere than where the language is stricter by name.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outcomes import ABSENT, Outcome, odd_kind, ours, verdict

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
ROWS = SHARED / "cases" / "parity.jsonl"
SUITE = SHARED / "corpora" / "jsonata-test-suite"
LEAST_ROWS = 650
LEAST_SUITE = 1100
_ODD_MARKS = {"Infinity": "nonfinite", "-Infinity": "nonfinite", "NaN": "nonfinite"}
# A refusal of ours, and the codes of the reference that mean the same fault.
_SAME_FAULT = tuple(
    (re.compile(ours), re.compile(theirs))
    for ours, theirs in (
        (r"syntax|foreign_syntax", r"S0[123]|JS:SyntaxError"),
        (r"unknown_function|.*(no function's name|no plain call)", r"T100[56]|T2006"),
        (r".*is given \d+ arguments?$|.*is a (function|regular expression), written", r"T0410"),
        (r".*the picture has", r"D30[89]"),
        (r".*half of a surrogate pair", r"D3140"),
    )
)
# Answers that only tell what the reference could not take.
_NO_ANSWER = ("HANG", "CRASH", "JS:RangeError", "D1012", "D2015")


@dataclass(frozen=True, slots=True)
class Case:
    """An expression, its data, and the reference's answer as ``outcomes`` has it."""

    name: str
    expression: str
    data: Any
    answer: dict[str, Any]


def rows() -> Iterator[Case]:
    """The parity rows, but for those whose text was cut or made elsewhere."""
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        given = row["input"]
        if "SPIKE_PATH" in row["expr"] + str(given):
            continue
        data = ABSENT if given is None else json.loads(given)
        yield Case(row["id"], row["expr"], data, _answer(row["js"]))


def suite() -> Iterator[Case]:
    """The cases of the official suite."""
    for path in sorted(SUITE.glob("groups/*/*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        for at, one in enumerate(found if isinstance(found, list) else [found]):
            text = one.get("expr")
            if text is None:
                text = (path.parent / one["expr-file"]).read_text(encoding="utf-8")
            name = f"{path.parent.name}/{path.name}[{at}]"
            yield Case(name, _bound(text, one), _data(one), _expected(one))


def _bound(text: str, one: dict[str, Any]) -> str:
    """An expression with its case's variables, which nothing sets from outside a plan."""
    given = one.get("bindings") or {}
    set_before = "".join(f"${name} := {json.dumps(value)}; " for name, value in given.items())
    return f"({set_before}{text})" if given else text


def _data(one: dict[str, Any]) -> Any:
    if "data" in one:
        return one["data"]
    if one.get("dataset") is None:
        return ABSENT
    return json.loads((SUITE / "datasets" / f"{one['dataset']}.json").read_text("utf-8"))


def _expected(one: dict[str, Any]) -> dict[str, Any]:
    if "result" in one:
        return {"value": one["result"]}
    if one.get("undefinedResult"):
        return {"undefined": True}
    return {"error": one.get("code") or one["error"]["code"]}


def _answer(js: dict[str, Any]) -> dict[str, Any]:
    if "value" not in js:
        return js
    if "wall_s" in js:
        return {"value": json.loads(js["value"])}
    value, odd = _plain(js["value"])
    odd = odd or odd_kind(value)
    return {"odd": odd} if odd else {"value": value}


def _plain(value: Any) -> tuple[Any, str | None]:
    """A row's value without its marks, and why it is no JSON."""
    if isinstance(value, dict):
        mark = value.get("$special")
        if mark is not None:
            return {"-0": 0}.get(mark), _ODD_MARKS.get(mark, None if mark == "-0" else mark)
        members = {name: _plain(member) for name, member in value.items()}
        plain: Any = {
            name: member for name, (member, odd) in members.items() if odd != "undefined"
        }
        odds = [odd for _, odd in members.values() if odd not in (None, "undefined")]
        return plain, next(iter(odds), None)
    if isinstance(value, list):
        items = [_plain(item) for item in value]
        odds = [odd for _, odd in items if odd not in (None, "undefined")]
        return [item for item, _ in items], next(iter(odds), None)
    return value, None


def _is_same_fault(own: Outcome, code: str) -> bool:
    told = f"{own.code}: {own.message}"
    return any(mine.match(told) and theirs.match(code) for mine, theirs in _SAME_FAULT)


def compare(title: str, cases: list[Case], least: int, *, of_rows: bool) -> bool:
    """Print how one corpus fares; whether nothing differs and enough is accepted.

    Args:
        of_rows: Whether these are the rows: their values come from the reference itself, in
            its order of keys, and those with a value are what is counted. Of the suite, whose
            cases are faults as well, the same faults are counted too.
    """
    refused: Counter[str] = Counter()
    same: Counter[str] = Counter()
    strict: dict[str, list[str]] = {}
    different: list[tuple[Case, Outcome, str]] = []
    with_value = same_fault = other_fault = 0
    for case in cases:
        own = ours(case.expression, case.data)
        if own.kind in ("refused", "input"):
            refused[own.rule] += 1
            if "error" in case.answer:
                alike = _is_same_fault(own, case.answer["error"])
                same_fault += alike
                other_fault += not alike
            continue
        with_value += "value" in case.answer or "odd" in case.answer
        how, what = verdict(case.expression, case.answer, own, data=case.data, in_order=of_rows)
        if how == "same":
            same[what] += 1
        elif how == "strict":
            strict.setdefault(what, []).append(case.name)
        elif str(case.answer.get("error", "")).startswith(_NO_ANSWER):
            strict.setdefault("the reference hangs, crashes or runs out", []).append(case.name)
        else:
            different.append((case, own, what))
    accepted = len(cases) - refused.total()
    print(f"\n{title}: {len(cases)} expressions, {accepted} accepted")
    of_values = sum("value" in case.answer or "odd" in case.answer for case in cases)
    print(f"  of {of_values} that have a value {with_value} accepted")
    print(f"  {same_fault} refused for the fault for which the reference fails")
    counted = with_value if of_rows else accepted + same_fault
    print(f"  that is {counted}, at least {least}" + ("" if counted >= least else ": TOO FEW"))
    print("  the same: " + ", ".join(f"{n} {what}" for what, n in same.most_common()))
    print(f"  stricter by name: {sum(map(len, strict.values()))}")
    for what, names in sorted(strict.items()):
        print(f"    {what}: {len(names)} ({', '.join(names)})")
    print(
        f"  refused by rule: {refused.total()}; the reference fails in {same_fault} of them for"
        f" the same fault, in {other_fault} for another"
    )
    for rule, times in refused.most_common():
        print(f"    {times:4} {rule}")
    print(f"  differences: {len(different)}")
    for case, own, what in different:
        print(f"    {case.name} {what}: {case.expression}")
        print(f"      reference {json.dumps(case.answer)[:300]}")
        print(
            f"      ours      {own.kind} {own.code} {own.message} {json.dumps(own.value)[:300]}"
        )
    return not different and counted >= least


def main() -> int:
    """Compare both corpora."""
    kept, there = True, 0
    for title, place, read, least in (
        ("parity rows", ROWS, rows, LEAST_ROWS),
        ("official suite", SUITE, suite, LEAST_SUITE),
    ):
        if place.exists():
            there += 1
            kept &= compare(title, list(read()), least, of_rows=place is ROWS)
        else:
            print(f"\n{title}: absent, there is no {place}")
    if there:
        print("\nkept" if kept else "\nBROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
