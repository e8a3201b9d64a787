"""Known expressions through several engines, over the protocol: every decision is the same.

    python conformance/differential/alike.py NAME=COMMAND NAME=COMMAND

The expressions are those of ``parity.py``: the parity rows and the official JSONata suite,
each with its data as the root. Compared are whether it is accepted, the refusal, the value,
the error and the count of steps, with every text. Ends with 1 if two engines differ.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from options import named_command
from outcomes import ABSENT
from parity import ROWS, SUITE, Case, rows, suite

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import suite as conformance
from harness.engine import Engine
from harness.verdicts import Outcome, agreement, run_suite

_SHOWN = 20
# What a case of the suite has and these have not.
_NO_EXPECTATION: Mapping[str, Any] = {}


def asked(case: Case) -> conformance.Case | None:
    """An expression as a case without an expectation; no data is null.

    None if its data has a number beyond all doubles, which no JSON can carry.
    """
    root = None if case.data is ABSENT else case.data
    try:
        json.dumps(root, allow_nan=False)
    except ValueError:
        return None
    given = {"expression": case.expression, "root": root}
    return conformance.Case(case.name, "", "", "evaluate", given, _NO_EXPECTATION)


def decision(outcome: Outcome) -> str:
    """How an expression ended."""
    if outcome.answer is None:
        return outcome.status
    return next(end for end in ("value", "refused", "error") if end in outcome.answer)


def compare(title: str, cases: Iterable[Case], engines: list[Engine]) -> int:
    """Print how two engines fare with one corpus; in how many cases they differ."""
    made = [asked(case) for case in cases]
    put = [case for case in made if case is not None]
    ends = [run_suite(engine, put, []) for engine in engines]
    differing = 0
    for of_one in zip(*ends, strict=True):
        first, *others = of_one
        faults = [one for one in of_one if one.answer is None]
        places = [place for other in others if (place := agreement(first, other))]
        if not faults and not places:
            continue
        differing += 1
        if differing <= _SHOWN:
            print(f"  {first.case.id}: {', '.join(places)}: {first.case.given['expression']}")
            for one in of_one:
                print(f"    {one.engine}: {str(one.answer or one.detail)[:400]}")
    told = ", ".join(f"{n} {what}" for what, n in Counter(map(decision, ends[0])).most_common())
    left_out = f", {len(made) - len(put)} beyond JSON" if len(made) > len(put) else ""
    print(f"{title}: {len(put)} expressions{left_out}: {told}; {differing} differ", flush=True)
    return differing


def main(arguments: list[str] | None = None) -> int:
    """Compare both corpora."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("engines", nargs=2, metavar="NAME=COMMAND", type=named_command)
    given = options.parse_args(arguments)
    engines = [Engine(name, command) for name, command in given.engines]
    differing = there = 0
    for title, place, read in (("parity rows", ROWS, rows), ("official suite", SUITE, suite)):
        if place.exists():
            there += 1
            differing += compare(title, read(), engines)
        else:
            print(f"{title}: absent, there is no {place}")
    for engine in engines:
        engine.close()
    if there:
        print("kept" if not differing else "BROKEN")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
