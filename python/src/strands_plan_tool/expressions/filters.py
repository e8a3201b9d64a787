"""Filters in templates, ``{{ x | upper }}``, as the calls that they are here."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["piped"]

_FILTER: Final = re.compile(
    r"[ \t\r\n]*\|[ \t\r\n]*([A-Za-z_]+)"
    r"(?:\([ \t\r\n]*(\"[^\"\\]*\"|'[^'\\]*'|[0-9]+)[ \t\r\n]*\))?[ \t\r\n]*"
)
_PATH: Final = re.compile(r"\$?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])*")
_CALLS: Final = {
    "upper": "uppercase",
    "upcase": "uppercase",
    "lower": "lowercase",
    "downcase": "lowercase",
    "tojson": "string",
    "json": "string",
    "string": "string",
    "sum": "sum",
    "abs": "abs",
}


def piped(content: str) -> str | None:
    """A path with filters as an expression; None for any other, or a filter not known here."""
    path = _PATH.match(content)
    if path is None:
        return None
    expression, at = path[0], path.end()
    while at < len(content):
        found = _FILTER.match(content, at)
        if found is None:
            return None
        name, given = found.groups()
        if name in _CALLS and given is None:
            expression = f"${_CALLS[name]}({expression})"
        elif name == "join" and given is not None and not given.isdigit():
            expression = f"$join({expression}, {given})"
        elif name in ("default", "d") and given is not None:
            expression = f"({expression} ?? {given})"
        else:
            return None
        at = found.end()
    return expression
