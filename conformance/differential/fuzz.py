"""Random expressions through our engine and through the reference.

    python conformance/differential/fuzz.py [--count 2000] [--seed 1]

Needs ``node`` and, in the environment, ``JSONATA_FOLDER``, where jsonata 2.2.2 is installed.
A difference is printed as a case for ``conformance/cases``. Ends with 1 if there is one that
is not of a named strictness, or if a function of the language is never tried.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from typing import Any

from generator import Generator, functions_left_out
from options import count_from
from outcomes import Outcome, ours, verdict
from reference import Reference

from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.expressions import parse_expression
from strands_plan_tool.values import ingest

_BATCH = 200
_SHOWN = 20


def case_of(seed: int, expression: str, data: Any, theirs: dict[str, Any]) -> str:
    """A ready case for ``conformance/cases``."""
    expect = {"value": theirs["value"]} if "value" in theirs else {"error": "no_value"}
    if "error" in theirs or "odd" in theirs:
        expect = {"error": "evaluation_failed"}
    case = {
        "id": f"regressions/found-by-chance/seed-{seed}",
        "description": "Gives what the reference gives.",
        "expression": expression,
        "root": data,
        "expect": expect,
    }
    return json.dumps(case, ensure_ascii=False)


def counted(expression: str, data: Any, *, shapes: bool) -> tuple[Any, ...]:
    """What an accepted expression comes to, with its steps."""
    parsed, _ = parse_expression(expression, None)
    assert parsed is not None
    try:
        program = compile_tree(parsed.tree, shapes=shapes)
        return program.run_counted(Context.of_root(ingest(data)))
    except EvaluationError as error:
        return str(error.code), str(error)


class Tally:
    """What has been found so far."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        self.same: Counter[str] = Counter()
        self.strict: Counter[str] = Counter()
        self.different = 0

    def add(self, seed: int, expression: str, data: Any, theirs: dict[str, Any]) -> None:
        """Compare one expression's outcomes."""
        before = json.dumps(data)
        own = ours(expression, data)
        if own.kind in ("refused", "input"):
            self.refused[own.code] += 1
            return
        how, what = verdict(expression, theirs, own, data=data)
        if json.dumps(data) != before:
            how, what = "different", "our engine changed its input"
        elif repr(counted(expression, data, shapes=True)) != repr(
            counted(expression, data, shapes=False)
        ):
            how, what = "different", "a fused shape differs from the plain tree"
        elif how == "different" and theirs["mutated"]:
            how, what = "strict", "no expression changes a stored result"
        if how == "same":
            self.same[what] += 1
        elif how == "strict":
            self.strict[what] += 1
        else:
            self.different += 1
            if self.different <= _SHOWN:
                show(seed, expression, data, theirs, own, what)

    def accepted(self) -> int:
        """How many were evaluated."""
        return self.same.total() + self.strict.total() + self.different


def show(
    seed: int, expression: str, data: Any, theirs: dict[str, Any], own: Outcome, what: str
) -> None:
    """Print a difference."""
    print(f"DIFFERENT {what}\n  {case_of(seed, expression, data, theirs)}")
    print(f"  reference {json.dumps(theirs)[:400]}")
    print(f"  ours      {own.kind} {own.code} {own.message} {json.dumps(own.value)[:400]}")


def main() -> int:
    """Generate, ask, compare, print."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--count", type=count_from(1), default=2000)
    options.add_argument("--seed", type=count_from(0), default=1)
    given = options.parse_args()
    begun = time.perf_counter()
    tally = Tally()
    with Reference() as reference:
        for start in range(0, given.count, _BATCH):
            seeds = [
                given.seed * 1_000_003 + at
                for at in range(start, min(start + _BATCH, given.count))
            ]
            made = [Generator(seed) for seed in seeds]
            asked = [(each.expression(), each.data()) for each in made]
            answers = reference.answers(asked)
            for seed, (expression, data), theirs in zip(seeds, asked, answers, strict=True):
                tally.add(seed, expression, data, theirs)
    print(
        f"seed {given.seed}: {given.count} expressions, {tally.accepted()} accepted,"
        f" {tally.different} differing, {time.perf_counter() - begun:.1f} s"
    )
    for title, found in (
        ("the same", tally.same),
        ("stricter by name", tally.strict),
        ("refused", tally.refused),
    ):
        print(f"  {title}: {', '.join(f'{n} {what}' for what, n in found.most_common())}")
    left_out = functions_left_out()
    if left_out:
        print(f"  never tried, and to be added to grammar.py: {', '.join(sorted(left_out))}")
    kept = not tally.different and not left_out
    print("kept" if kept else "BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
