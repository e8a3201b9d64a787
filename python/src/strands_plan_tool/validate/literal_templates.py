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
from strands_plan_tool.expressions import Scope, parse_expression, repaired
from strands_plan_tool.expressions.filters import piped
from strands_plan_tool.expressions.scan import MAX_EXPRESSION_BYTES, MAX_EXPRESSIONS, MAX_LENGTH
from strands_plan_tool.expressions.templates import names_a_step
from strands_plan_tool.models import Code, JsonValue
from strands_plan_tool.validate.plan_expressions import looks_plain
from strands_plan_tool.values import to_json_text

__all__ = ["Literals"]

_OPENER: Final = re.compile(r"\{\{|\$\{")
_CLOSERS: Final = {"{{": "}}", "${": "}"}
# As far into a template as its start is looked for: spaces, `steps.` and an id.
_PROBE: Final = 128
_WORD: Final = "[A-Za-z_][A-Za-z0-9_]*"
_SIMPLE: Final = re.compile(rf"\$?{_WORD}(?:\.{_WORD}|\[-?[0-9]+\])*")
# Mending costs more than reading, and a plan may have any number of templates.
_MOST_REPAIRS: Final = 100
_LONGEST_REPAIR: Final = 600
_MESSAGE: Final = '"args" are passed on as they are, and this reads a result'


class _Template(NamedTuple):
    start: int
    end: int
    content: str


class Literals:
    """Finds what is not literal in the ``args`` of a plan's steps.

    Args:
        ids: The ids of the plan's steps.

    A plan may have any number of strings that look like expressions and are none; reading
    them has limits of its own, as large as those of the plan's expressions. Templates and
    plain paths are told whatever has been read before.
    """

    def __init__(self, ids: tuple[str, ...]) -> None:
        self._scopes = {
            has_item: Scope(ids=ids, field="bind", has_item=has_item)
            for has_item in (False, True)
        }
        self._texts = MAX_EXPRESSIONS
        self._bytes = MAX_EXPRESSION_BYTES
        self._repairs = _MOST_REPAIRS

    def findings(self, at: int, step: Mapping[str, Any]) -> list[Finding]:
        """Where the literals of a step hold what is not literal.

        Args:
            at: The step's position.
            step: The step as the repaired plan has it.
        """
        args: Mapping[str, JsonValue] = step.get("args", {})
        if not any(_is_suspect(value) for value in args.values()):
            return []
        bind: Mapping[str, str] = step.get("bind", {})
        scope = self._scopes[step.get("for_each") is not None]
        found: list[Path] = []
        whole = dict(bind)
        certain = True
        for name, value in args.items():
            # A binding of the same name wins, so such a literal never reaches the tool.
            if name in bind:
                continue
            here: Path = ("steps", at, "args", name)
            meant = dict(self._expressions(value, scope, here))
            if meant:
                found += meant
                whole[name] = _as_expression(value, meant, here)
                certain &= "" not in meant.values()
        hints = _hints(found, whole if certain else None)
        return [
            Finding(Code.TEMPLATE_IN_ARGS, path, _MESSAGE, hint)
            for path, hint in zip(found, hints, strict=True)
        ]

    def _expressions(
        self, value: JsonValue, scope: Scope, path: Path
    ) -> Iterator[tuple[Path, str]]:
        """The strings in a literal that are none, each with the expression that it means.

        ``""`` stands for one that nobody can be certain of.
        """
        if isinstance(value, str):
            meant = self._meant(value, scope)
            if meant is not None:
                yield path, meant
        elif isinstance(value, dict):
            for name, member in value.items():
                yield from self._expressions(member, scope, (*path, name))
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield from self._expressions(item, scope, (*path, at))

    def _meant(self, text: str, scope: Scope) -> str | None:
        """The expression that a string means, or None if it is just a string."""
        found = list(_templates(text, scope))
        if found:
            contents = [self._content(template.content, scope) for template in found]
            return _joined(text, found, contents) if "" not in contents else ""
        if len(text) > MAX_LENGTH:
            return None
        if "steps" not in text and not (scope.has_item and "item" in text):
            return None
        if not looks_plain(text):
            self._texts -= 1
            self._bytes -= len(text.encode("utf-8"))
            if self._texts < 0 or self._bytes < 0:
                return None
        return text if _reads_a_result(text, scope) else None

    def _content(self, content: str, scope: Scope) -> str:
        """A template's content as an expression; ``""`` if what it means cannot be told."""
        meant = piped(content) or content
        expression, problems = parse_expression(meant, scope)
        if expression is not None and not problems:
            return meant
        self._repairs -= 1
        if self._repairs < 0 or len(content) > _LONGEST_REPAIR:
            return ""
        return repaired(meant, scope)


def _hints(found: list[Path], bind: Mapping[str, str] | None) -> list[str]:
    """The whole ``bind`` to write, with the first; one edit mends them all."""
    if not found:
        return []
    edit = "" if bind is None else to_json_text(bind)
    if not 0 < len(edit) <= MAX_LENGTH:
        hint = 'write it in "bind", as an expression'
        return [hint] * len(found)
    hint = f'make the edit given for {pointer(found[0])}: its "bind" has this too'
    return [f'write "bind": {edit}', *[hint] * (len(found) - 1)]


def _is_suspect(value: JsonValue) -> bool:
    """Whether a literal has any text at all that could be read as an expression."""
    if isinstance(value, str):
        return "steps" in value or "item" in value or "{" in value
    if isinstance(value, dict):
        return any(_is_suspect(member) for member in value.values())
    return isinstance(value, list) and any(_is_suspect(item) for item in value)


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


def _joined(text: str, templates: list[_Template], contents: list[str]) -> str:
    """The text with its templates' values in it, as one expression."""
    parts: list[str] = []
    at = 0
    for template, content in zip(templates, contents, strict=True):
        if template.start > at:
            parts.append(to_json_text(text[at : template.start]))
        parts.append(content)
        at = template.end
    if at < len(text):
        parts.append(to_json_text(text[at:]))
    if len(parts) == 1:
        return parts[0]
    return " & ".join(part if _stands_alone(part) else f"({part})" for part in parts)


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
