"""Run the suite.

    python -m harness --engine NAME=COMMAND [--engine NAME=COMMAND] [options]

In the folder ``conformance``. With two engines or more their answers are compared with each
other as well. Ends with ``N passed, N failed``; the exit code is 0 only if nothing failed.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from harness.engine import Engine
from harness.htmlpage import write_page
from harness.lint import Suite, lint
from harness.report import write_json, write_junit
from harness.results import Results
from harness.suite import ROOT, Case, load_messages
from harness.verdicts import run_suite, unmatched

__all__ = ["main"]

_SHOWN = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, report, and say how it went."""
    options = _options().parse_args(arguments)
    suite = Suite.at(options.suite)
    cases = [*suite.cases, *load_messages(suite.root / "messages.json")]
    if options.only:
        cases = [case for case in cases if re.search(options.only, case.id)]
        if not cases:
            print(f"no case has an id that {options.only!r} matches")
            print("0 passed, 1 failed")
            return 1
    results = Results(lint(suite))
    for given in options.engine:
        name, _, command = given.partition("=")
        _run(name, shlex.split(command), cases, suite, results, options)
    if options.report:
        options.report.mkdir(parents=True, exist_ok=True)
        write_json(results, options.report / "conformance.json")
        write_page(results, options.report / "index.html")
    if options.junit:
        write_junit(results, options.junit)
    return _told(results)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m harness", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--engine", action="append", required=True, metavar="NAME=COMMAND")
    parser.add_argument("--only", metavar="PATTERN", help="cases whose id has a match of it")
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds for one answer")
    parser.add_argument("--report", type=Path, help="the folder to write the report to")
    parser.add_argument("--junit", type=Path, help="the file to write JUnit XML to")
    parser.add_argument("--suite", type=Path, default=ROOT, help=argparse.SUPPRESS)
    return parser


def _run(
    name: str,
    command: Sequence[str],
    cases: list[Case],
    suite: Suite,
    results: Results,
    options: argparse.Namespace,
) -> None:
    begun = time.perf_counter()
    path = suite.root / "known-failures" / f"{name}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    with Engine(name, command, timeout_s=options.timeout) as engine:
        results.outcomes[name] = run_suite(engine, cases, known)
        results.about[name] = engine.about
    if not options.only:
        results.unmatched += unmatched(name, cases, known)
    took = time.perf_counter() - begun
    print(f"{name}: {len(cases)} cases in {took:.1f} s", flush=True)


def _told(results: Results) -> int:
    failed = [check for check in results.checks() if check.failed]
    for check in failed[:_SHOWN]:
        print(f"  {check.group}: {check.name}: {check.status} {check.detail[:300]}".rstrip())
    if len(failed) > _SHOWN:
        print(f"  and {len(failed) - _SHOWN} more")
    totals = [0, 0, 0]
    for group, counts in results.counts().items():
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        known = f", {counts[2]} known to fail" if counts[2] else ""
        print(f"{group}: {counts[0]} passed, {counts[1]} failed{known}")
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main())
