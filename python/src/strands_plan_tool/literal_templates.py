"""Expressions that were written where only literals belong, and the ``bind`` they should be.

``args`` are passed on as they are, so a template or a path in them would reach the tool as
text, without a warning. Two things are told from prose: a template that begins with a step,
and a string that as a whole is an expression reading one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from strands_plan_tool.diagnostics import Finding, Path, pointer
from strands_plan_tool.expressions import Scope, parse_expression
from strands_plan_tool.models import Code, JsonValue
from strands_plan_tool.scan import MAX_LENGTH
from strands_plan_tool.templates import names_a_step
from strands_plan_tool.values import to_json_text

__all__ = ["template_findings"]

_OPENER: Final = re.compile(r"\{\{|\$\{")
_CLOSERS: Final = {"{{": "}}", "${": "}"}
# As far into a template as its start is looked for: spaces, `steps.` and an id.
_PROBE: Final = 128
_WORD: Final = "[A-Za-z_][A-Za-z0-9_]*"
_SIMPLE: Final = re.compile(rf"\$?{_WORD}(?:\.{_WORD}|\[-?[0-9]+\])*")
_MESSAGE: Final = '"args" are passed on as they are, and this reads a result'


class _Template(NamedTuple):
    start: int
    end: int
    content: str


def template_findings(at: int, step: Mapping[str, Any], ids: tuple[str, ...]) -> list[Finding]:
    """Where the literals of a step hold what is not literal.

    Args:
        at: The step's position.
        step: The step as the repaired plan has it.
        ids: The ids of the plan's steps.
    """
    args: Mapping[str, JsonValue] = step.get("args", {})
    if not any(_is_suspect(value) for value in args.values()):
        return []
    bind: Mapping[str, str] = step.get("bind", {})
    scope = Scope(ids=ids, field="bind", has_item=step.get("for_each") is not None)
    found: list[tuple[Path, str]] = []
    whole = dict(bind)
    for name, value in args.items():
        # A binding of the same name wins, so such a literal never reaches the tool.
        if name in bind:
            continue
        here = list(_expressions(value, scope, ("steps", at, "args", name)))
        if here:
            found += here
            meant = dict(here)
            whole[name] = _as_expression(value, meant, ("steps", at, "args", name))
    if not found:
        return []
    first = pointer(found[0][0])
    hints = [f'write "bind": {to_json_text(whole)}']
    # One edit mends them all, so it is given once.
    hints += [f'make the edit given for {first}: its "bind" has this too'] * (len(found) - 1)
    return [
        Finding(Code.TEMPLATE_IN_ARGS, path, _MESSAGE, hint)
        for (path, _), hint in zip(found, hints, strict=True)
    ]


def _is_suspect(value: JsonValue) -> bool:
    """Whether a literal has any text at all that could be read as an expression."""
    if isinstance(value, str):
        return "steps" in value or "item" in value or "{" in value
    if isinstance(value, dict):
        return any(_is_suspect(member) for member in value.values())
    return isinstance(value, list) and any(_is_suspect(item) for item in value)


def _expressions(value: JsonValue, scope: Scope, path: Path) -> Iterator[tuple[Path, str]]:
    """The strings in a literal that are none, each with the expression that it means."""
    if isinstance(value, str):
        meant = _meant(value, scope)
        if meant is not None:
            yield path, meant
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _expressions(member, scope, (*path, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _expressions(item, scope, (*path, at))


def _meant(text: str, scope: Scope) -> str | None:
    """The expression that a string means, or None if it is just a string."""
    found = list(_templates(text, scope))
    if found:
        return _joined(text, found, scope)
    if len(text) <= MAX_LENGTH and ("steps" in text or (scope.has_item and "item" in text)):
        return text if _reads_a_result(text, scope) else None
    return None


def _reads_a_result(text: str, scope: Scope) -> bool:
    expression, problems = parse_expression(text, scope)
    if expression is None or problems:
        return False
    return any(
        (read.root == "steps" and read.id in scope.ids)
        or (read.root == "item" and bool(read.names))
        for read in expression.reads
    )


def _templates(text: str, scope: Scope) -> Iterator[_Template]:
    """The templates that begin with a step, left to right, each text looked at once."""
    ended: set[str] = set()
    at = 0
    while opener := _OPENER.search(text, at):
        at = opener.end()
        closer = _CLOSERS[opener[0]]
        if closer in ended or names_a_step(text[at : at + _PROBE], scope) is None:
            continue
        end = text.find(closer, at)
        if end < 0:
            ended.add(closer)
            continue
        content = names_a_step(text[at:end], scope)
        if content is not None:
            yield _Template(opener.start(), end + len(closer), content)
            at = end + len(closer)


def _joined(text: str, templates: list[_Template], scope: Scope) -> str:
    """The text with its templates' values in it, as one expression."""
    parts: list[str] = []
    at = 0
    for template in templates:
        if template.start > at:
            parts.append(to_json_text(text[at : template.start]))
        parts.append(_content(template.content, scope))
        at = template.end
    if at < len(text):
        parts.append(to_json_text(text[at:]))
    if len(parts) == 1:
        return parts[0]
    return " & ".join(part if _stands_alone(part) else f"({part})" for part in parts)


def _content(content: str, scope: Scope) -> str:
    """A template's content if it is an expression, else the path that it begins with."""
    expression, problems = parse_expression(content, scope)
    if expression is not None and not problems:
        return content
    path = _SIMPLE.match(content)
    return path[0] if path else content


def _stands_alone(part: str) -> bool:
    return part.startswith('"') or _SIMPLE.fullmatch(part) is not None


def _as_expression(value: JsonValue, meant: Mapping[Path, str], path: Path) -> str:
    """A literal as an expression in which what was written as text is read."""
    if path in meant:
        return meant[path]
    if isinstance(value, dict):
        members = (
            f"{to_json_text(name)}: {_as_expression(member, meant, (*path, name))}"
            for name, member in value.items()
        )
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        items = (_as_expression(item, meant, (*path, at)) for at, item in enumerate(value))
        return f"[{', '.join(items)}]"
    return to_json_text(value)
