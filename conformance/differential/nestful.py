"""The call sequences of NESTFUL as plans, through two engines.

    python conformance/differential/nestful.py NAME=COMMAND NAME=COMMAND

Each sequence becomes a plan (``nestful_plans.py``), its tools become stubs that return what
their specs declare. A plan that is accepted must run to its end with every argument and the
output as the sequence says, in both engines alike; of the others the diagnostics are listed.
The corpus lies in a folder ``shared`` beside the checkout and not in it. Ends with 1 if a plan
comes out wrong, the engines differ, or too few are accepted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from differences import difference, read
from nestful_plans import Sequence, sequences
from options import named_command
from pipelines import NoEngineError, Pipe

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import jsontext

__all__ = ["CORPUS", "wrong"]

CORPUS: Final = Path(__file__).resolve().parents[2].parent / "shared" / "corpora" / "nestful"
LEAST_ACCEPTED: Final = 250


def wrong(sequence: Sequence, answer: Any) -> str | None:
    """What of an accepted plan's run is not as the sequence says."""
    result = answer["result"]
    for entry in result["ledger"]:
        if entry["status"] != "ok":
            return f"{entry['id']} is {entry['status']}: {entry['error']}"
    called = {call["step"]: call["args"] for call in answer["calls"]}
    for id, args in sequence.arguments.items():
        if not jsontext.equal(called[id], args):
            return f"{id} is called with {json.dumps(called[id])}, not {json.dumps(args)}"
    if not jsontext.equal(result["output"], sequence.output):
        return (
            f"the output is {json.dumps(result['output'])}, not {json.dumps(sequence.output)}"
        )
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run all of it and say how it went."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("engines", nargs=2, metavar="NAME=COMMAND", type=named_command)
    given = options.parse_args(arguments)
    if not CORPUS.is_dir():
        print(f"NESTFUL: absent, there is no {CORPUS}")
        return 0
    put = list(sequences(CORPUS))
    lines = [json.dumps({"seq": 1, **one.command}).encode() + b"\n" for one in put]
    answers = []
    try:
        for name, command in given.engines:
            with Pipe(name, command) as pipe:
                answers.append(pipe.ask(lines))
    except NoEngineError as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return 2
    refused: Counter[str] = Counter()
    accepted = faults = 0
    for one, *of_one in zip(put, *answers, strict=True):
        place = difference(of_one, "run")
        answer = read(of_one[0])
        if place is not None or answer is None:
            faults += 1
            print(f"  {one.name}: the engines differ: {place}: {of_one}")
        elif "diagnostics" in answer:
            codes = {row["code"] for row in answer["diagnostics"]}
            refused[" and ".join(sorted(codes))] += 1
            for row in answer["diagnostics"]:
                print(f"  {one.name}: {row['code']} {row['path']}: {row['message']}")
        elif problem := wrong(one, answer):
            faults += 1
            print(f"  {one.name}: {problem}")
        else:
            accepted += 1
    told = ", ".join(f"{count} {codes}" for codes, count in refused.most_common())
    print(f"NESTFUL: {len(put)} sequences: {accepted} run as they say in {len(answers)} engines"
          f" alike; {refused.total()} refused: {told}; {faults} wrong")  # fmt: skip
    kept = accepted >= LEAST_ACCEPTED and not faults
    print("kept" if kept else "BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
