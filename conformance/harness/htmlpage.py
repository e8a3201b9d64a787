"""The report as one page: topic by engine, and every failure with both answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from harness.report import as_json
from harness.results import Results

__all__ = ["page", "write_page"]

_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; color: #1b1f24; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid #d9dde2; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.bad { color: #b42318; font-weight: 600; }
.good { color: #1a7f4b; }
details { border: 1px solid #d9dde2; border-radius: 6px; margin: .6rem 0;
  padding: .4rem .8rem; }
summary { cursor: pointer; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { background: #f5f6f8; border-radius: 4px; margin: .3rem 0; overflow-x: auto;
  padding: .6rem; white-space: pre-wrap; word-break: break-word; }
.side { display: grid; gap: .8rem;
  grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); }
h4 { margin: .6rem 0 0; }
"""
_LONGEST: Final = 20_000


def page(results: Results) -> str:
    """The page's HTML; it needs nothing else."""
    report = as_json(results)
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'><title>Conformance</title>",
        f"<style>{_STYLE}</style><h1>Conformance</h1>",
        _summary(report),
        _topics(report, list(results.outcomes)),
        *_section("Rules of the suite that are broken", _rules(report["suite"])),
        *_section("Patterns of known failures without a case", _unmatched(report)),
        *_section("Cases that do not end as they say", _cases(results, report)),
        *_section("Cases in which the engines differ", _unlike(report)),
    ]
    return "\n".join(parts) + "\n"


def write_page(results: Results, path: Path) -> None:
    """Write the report for people."""
    path.write_text(page(results), encoding="utf-8")


def _summary(report: Mapping[str, Any]) -> str:
    rows = []
    for group, counts in report["counts"].items():
        about = report["engines"].get(group)
        told = f"{about['version']} on {about['runtime']}" if about else ""
        cells = "".join(_count(counts[kind], kind) for kind in ("passed", "failed", "known"))
        rows.append(f"<tr><td>{escape(group)}<td>{escape(told)}{cells}")
    head = "<tr><th>what<th>version<th>passed<th>failed<th>known to fail"
    return f"<table>{head}{''.join(rows)}</table>"


def _count(count: int, kind: str) -> str:
    mark = " bad" if kind == "failed" and count else ""
    return f'<td class="n{mark}">{count}'


def _topics(report: Mapping[str, Any], engines: list[str]) -> str:
    rows = []
    for topic, by_engine in report["topics"].items():
        cells = []
        for engine in engines:
            counts = by_engine[engine]
            told = f"{counts['passed']} of {sum(counts.values())}"
            mark = "bad" if counts["failed"] else "good"
            cells.append(f'<td class="n {mark}">{told}')
        rows.append(f"<tr><td>{escape(topic)}{''.join(cells)}")
    head = "".join(f"<th>{escape(engine)}" for engine in engines)
    return f"<h2>By topic</h2><table><tr><th>topic{head}{''.join(rows)}</table>"


def _section(title: str, parts: Iterable[str]) -> list[str]:
    shown = list(parts)
    return [f"<h2>{title} ({len(shown)})</h2>", *shown] if shown else []


def _rules(suite: Mapping[str, list[str]]) -> Iterable[str]:
    for rule, problems in suite.items():
        if problems:
            lines = "\n".join(problems)
            yield f"<details open><summary>{escape(rule)}</summary>{_pre(lines)}</details>"


def _unmatched(report: Mapping[str, Any]) -> Iterable[str]:
    for entry in report["unmatched"]:
        yield f"<p>{escape(entry['engine'])}: <code>{escape(entry['match'])}</code>"


def _cases(results: Results, report: Mapping[str, Any]) -> Iterable[str]:
    """A case once, with what each engine makes of it, wherever one of them fails it."""
    failed: dict[str, Mapping[str, Any]] = {}
    for case in report["cases"]:
        failed.setdefault(case["id"], case)
    places = {one.case.id: at for at, one in enumerate(next(iter(results.outcomes.values())))}
    for name, case in failed.items():
        ends = [outcomes[places[name]] for outcomes in results.outcomes.values()]
        told = ", ".join(f"{one.engine} {one.status}" for one in ends)
        sides = [("expected", _text(case["expected"])), ("given", _text(case["given"]))]
        for one in ends:
            shown = one.answer if one.answer is not None else one.seen
            sides.append((one.engine, f"{_text(shown)}\n{one.detail}".strip()))
        yield _details(
            f"{name} <span class=bad>{escape(told)}</span>", case["description"], sides
        )


def _unlike(report: Mapping[str, Any]) -> Iterable[str]:
    for case in report["unlike"]:
        sides = [(engine, _text(answer)) for engine, answer in case["answers"].items()]
        yield _details(escape(case["id"]), f"They differ at {case['at']}.", sides)


def _details(summary: str, text: str, sides: list[tuple[str, str]]) -> str:
    shown = "".join(f"<div><h4>{escape(name)}</h4>{_pre(side)}</div>" for name, side in sides)
    head = f"<summary>{summary}</summary><p>{escape(text)}</p>"
    return f"<details>{head}<div class=side>{shown}</div></details>"


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=True)


def _pre(text: str) -> str:
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return f"<pre>{escape(cut)}</pre>"
