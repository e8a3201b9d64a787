"""The tables of the language's page, and what else it lists."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from harness.suite import ROOT

__all__ = ["OPERATORS", "codes", "functions", "table_rows"]

_SCHEMA: Final = ROOT.parent / "schema"
_HEADING: Final = re.compile(r"^#+ (?:[\d.]+ )?(.+)$")
_CELL: Final = re.compile(r"(?<!\\)\|")

# What shows that an expression has an operator, once its texts are taken out.
OPERATORS: Final = {
    "+": r"\+",
    "-": r"[\w)\]]\s*-",
    "*": r"[\w)\]]\s*\*(?!\*)",
    "/": r"[\w)\]]\s*/",
    "%": r"%",
    "&": r"&",
    "=": r"(?<![!<>:])=",
    "!=": r"!=",
    "<": r"<(?!=)",
    "<=": r"<=",
    ">": r"(?<!~)>(?!=)",
    ">=": r">=",
    "in": r"\bin\b",
    "and": r"\band\b",
    "or": r"\bor\b",
    "??": r"\?\?",
    "?:": r"\?:",
    "? :": r"\?(?![?:])",
    ":=": r":=",
    "~>": r"~>",
    "..": r"\.\.",
    "negation": r"(?:^|[(\[,;=+*/?:])\s*-\s*[^\d\s]",
    "wildcard": r"(?:^|\.|\()\*(?!\*)",
    "descendants": r"\*\*",
    "sort": r"\^\(",
    "group": r"[\w)\]]\s*\{",
    "predicate": r"[\w)\]]\[[^\]]",
    "kept list": r"\[\]",
    "list": r"(?:^|[(,:=])\s*\[",
    "object": r"(?:^|[(,:=.])\s*\{",
    "block": r"\([^()]*;",
    "lambda": r"\bfunction\s*\(",
    "regular expression": r"/regex/",
}
"""Each operator and construct of expressions, and a pattern that finds it in one."""


def table_rows(page: Path = _SCHEMA / "LANGUAGE.md") -> dict[str, list[str]]:
    """The first cell of each row of each table, by the heading that it stands under."""
    found: dict[str, list[str]] = {}
    heading, before = "", ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if match := _HEADING.match(line):
            heading = match[1]
        head = line.startswith("|") and not before.startswith("|")
        if line.startswith("|") and not head and not line.startswith("|---"):
            found.setdefault(heading, []).append(_CELL.split(line)[1].strip())
        before = line
    return found


def functions(page: Path = _SCHEMA / "LANGUAGE.md") -> list[str]:
    """The names of the listed functions, with their ``$``."""
    text = page.read_text(encoding="utf-8")
    table = text[text.index("**Listed functions**") : text.index("Pictures of `$formatNumber`")]
    return re.findall(r"\$[A-Za-z0-9]+", table)


def codes() -> list[str]:
    """The closed list of codes."""
    schema: Any = json.loads((_SCHEMA / "result.schema.json").read_text(encoding="utf-8"))
    listed: list[str] = schema["$defs"]["Code"]["enum"]
    return listed
