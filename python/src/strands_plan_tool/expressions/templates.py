"""Templates of other languages: ``{{steps.a.x}}`` and ``${steps.a.x}``, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from strands_plan_tool.expressions.filters import piped
from strands_plan_tool.expressions.problems import Scope

__all__ = [
    "Template",
    "field_text",
    "grouped",
    "joined",
    "means_a_step",
    "names_a_step",
    "templates",
]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS: Final = frozenset({"and", "or", "in", "true", "false", "null"})
_BEGINNING: Final = re.compile(r"(\$?steps\.)?([a-z][a-z0-9_]*)")
_MENTION: Final = re.compile(r"(?<![\w.`$])\$?steps\.([a-z][a-z0-9_]*)(?!\w)")
_SIMPLE: Final = re.compile(r"\$?\w+(?:\.\w+|\[\d+\])*")
_OPENER: Final = re.compile(r"\{\{|\$\{|\{%")
_CLOSERS: Final = {"{{": "}}", "${": "}", "{%": "%}"}


class Template(NamedTuple):
    """A template in a text: where it stands and the expression it means."""

    start: int
    end: int
    expression: str


def names_a_step(content: str, scope: Scope) -> str | None:
    """The expression that a template's content means if it names a step, else None."""
    content = content.strip()
    match = _BEGINNING.match(content)
    if match is None:
        return None
    root, name = match.groups()
    after = content[match.end() : match.end() + 1]
    if root is not None:
        return content if name in scope.ids and not re.match(r"\w", after) else None
    if after != ".":
        return None
    if name in scope.ids:
        return "steps." + content
    return content if name == "item" and scope.has_item else None


def means_a_step(content: str, scope: Scope) -> str | None:
    """As ``names_a_step``, and also where the step stands further on: ``$count(steps.a)``."""
    named = names_a_step(content, scope)
    if named is not None:
        return piped(named) or named
    mentioned = (match[1] for match in _MENTION.finditer(content))
    return content.strip() if any(name in scope.ids for name in mentioned) else None


def templates(text: str, scope: Scope) -> Iterator[Template]:
    """The templates in a text that name a step, from left to right, in linear time."""
    at = 0
    gone: set[str] = set()
    while opener := _OPENER.search(text, at):
        at = opener.end()
        closer = _CLOSERS[opener.group()]
        end = -1 if closer in gone else text.find(closer, at)
        if end < 0:
            gone.add(closer)
            continue
        expression = means_a_step(text[at:end], scope)
        if expression is not None:
            at = end + len(closer)
            yield Template(opener.start(), at, expression)


def joined(raw: str, found: Iterable[Template], quote: str) -> list[str]:
    """The pieces of a text, its strings in quotes and its templates' expressions."""
    pieces = []
    at = 0
    for template in found:
        if template.start > at:
            pieces.append(quote + raw[at : template.start] + quote)
        pieces.append(grouped(template.expression))
        at = template.end
    if at < len(raw):
        pieces.append(quote + raw[at:] + quote)
    return pieces


def grouped(expression: str) -> str:
    """An expression that can stand beside an operator: in parentheses unless it is simple."""
    return expression if _SIMPLE.fullmatch(expression) else f"({expression})"


def field_text(name: str) -> str:
    """A field's name as it stands after a dot: in backticks unless it is a plain word."""
    return name if _PLAIN.fullmatch(name) and name not in _KEYWORDS else f"`{name}`"
