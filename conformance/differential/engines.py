"""Random plans and expressions through two engines: everything they answer is compared.

    python conformance/differential/engines.py NAME=COMMAND NAME=COMMAND
        [--plans 2000] [--expressions 5000] [--examples 400] [--seed N] [--finds 5]

Compared are diagnostics with messages and hints, dependencies, levels, repairs, results,
calls, timelines, what the model reads, and step counts; expressions on plain data are put to
jsonata 2.2.2 as well, for which ``JSONATA_FOLDER`` says where it is installed. A find is made
smaller, printed as a ready case and run again. Without a seed every run is the
same. Ends with 1 if there is a find, with 2 if nothing could be tried.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final

from chase import Chase
from finds import Commands, Find, told
from hunt import hunt
from options import count_from, named_command
from pipelines import NoEngineError
from trials import Trial, expression_trial, plan_trial

from strands_plan_tool.testing.generation import SeededChoices

__all__ = ["EXAMPLES", "EXPRESSIONS", "PLANS", "expressions", "plans", "search"]

# The short profile, which CI runs.
PLANS: Final = 2000
EXPRESSIONS: Final = 5000
EXAMPLES: Final = 400
_TOLD_EACH: Final = 25_000


def plans(seed: int, count: int) -> Iterator[Trial]:
    """Trials of plans, the same for the same seed."""
    for at in range(count):
        yield plan_trial(SeededChoices(seed * 1_000_003 + at))


def expressions(seed: int, count: int) -> Iterator[Trial]:
    """Trials of expressions, the same for the same seed."""
    for at in range(count):
        own = seed * 1_000_003 + at
        yield expression_trial(SeededChoices(own), own)


def search(engines: Commands, given: argparse.Namespace) -> int:
    """Put all trials, print what was found; how many finds there are."""
    reference = "JSONATA_FOLDER" in os.environ
    found = 0
    if given.examples:
        begun = time.perf_counter()
        finds = hunt(engines, examples=given.examples, own_seed=given.seed, reference=reference)
        _show(finds, engines)
        told_of = "a fixed seed" if given.seed is None else f"seed {given.seed}"
        took = time.perf_counter() - begun
        print(f"Hypothesis, {told_of}: 2 x {given.examples} examples,"
              f" {len(finds)} differ, {took:.1f} s", flush=True)  # fmt: skip
        found += len(finds)
    seed = 1 if given.seed is None else given.seed
    for title, count, trials in (
        ("plans", given.plans, plans(seed, given.plans)),
        ("expressions", given.expressions, expressions(seed, given.expressions)),
    ):
        if not count:
            continue
        begun = time.perf_counter()
        with Chase(engines, reference=reference) as chase:
            chase.run(_counted(trials), enough=given.finds)
            _show([chase.made_smaller(find) for find in chase.finds[: given.finds]], engines)
        took = time.perf_counter() - begun
        print(f"seed {seed}: {count} {title}, {len(chase.finds)} differ, {took:.1f} s")
        _tell(chase.tried)
        found += len(chase.finds)
    return found


def _counted(trials: Iterator[Trial]) -> Iterator[Trial]:
    """The trials; a long run says from time to time how far it is."""
    for at, trial in enumerate(trials):
        if at and at % _TOLD_EACH == 0:
            print(f"  {at} so far", flush=True)
        yield trial


def _show(finds: list[Find], engines: Commands) -> None:
    for find in finds:
        print(told(find, engines), flush=True)


def _tell(tried: Counter[tuple[str, str]]) -> None:
    kinds: dict[str, Counter[str]] = {}
    for (what, end), count in sorted(tried.items()):
        kinds.setdefault(what, Counter())[end] += count
    for what, ends in kinds.items():
        print(
            f"  {what}: {', '.join(f'{n} {end}' for end, n in ends.most_common())}", flush=True
        )


def main(arguments: list[str] | None = None) -> int:
    """Search as the command line says."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("engines", nargs=2, metavar="NAME=COMMAND", type=named_command)
    options.add_argument("--plans", type=count_from(0), default=PLANS)
    options.add_argument("--expressions", type=count_from(0), default=EXPRESSIONS)
    options.add_argument(
        "--examples", type=count_from(0), default=EXAMPLES, help="of Hypothesis, twice"
    )
    options.add_argument("--seed", type=count_from(0))
    options.add_argument(
        "--finds", type=count_from(1), default=5, help="stop after so many, 1 or more"
    )
    given = options.parse_args(arguments)
    if not (given.plans or given.expressions or given.examples):
        options.error("there is nothing to do: --plans, --expressions and --examples are all 0")
    if given.engines[0][0] == given.engines[1][0]:
        options.error(f"both engines are called {given.engines[0][0]}")
    try:
        found = search(given.engines, given)
    except NoEngineError as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return 2
    print("BROKEN" if found else "kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
