"""Names that mean nothing where they stand: what was meant instead, and the edit."""

from __future__ import annotations

import json
from typing import Literal

from strands_plan_tool.diagnostics import closest, quoted
from strands_plan_tool.expressions.bare_words import is_literal
from strands_plan_tool.expressions.problems import Edit, Fault, Scope, shown
from strands_plan_tool.expressions.refusals import item_hint
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.templates import field_text
from strands_plan_tool.tree import Name, Path

__all__ = ["relative", "unknown_input", "unknown_name", "unresolvable"]


def relative(name: str, position: int) -> Fault:
    """A bare ``steps`` (or ``item``, ``input``) where names are fields of a row."""
    message = f"a bare `{name}` is a field of the current row here"
    hint = f"write ${name}; the row's own field is $.{name}"
    return Fault("relative_steps", position, message, hint, (Edit(position, position, "$"),))


def unresolvable(whole: Literal["steps", "root"], position: int, scope: Scope) -> Fault:
    """A use of ``steps`` or of the root as anything but the start of a path."""
    some = [f"steps.{name}" for name in scope.ids[:2]] or ["steps.<id>"]
    where = "`steps` stands without an id" if whole == "steps" else "all of them are in sight"
    hint = f"name the step that is meant, as in {some[0]}"
    if len(some) > 1:
        hint += f", or each of several, as in [{', '.join(some)}]"
    message = f"it cannot be told which steps are read: {where}"
    return Fault("unresolvable_reference", position, message, hint)


def indexed_steps(path: Path, scope: Scope, index: object) -> Fault:
    """``steps[0]``: steps are no list."""
    position = path.steps[0].position
    some = scope.ids[0] if scope.ids else "<id>"
    if type(index) is int and 0 <= index < len(scope.ids):
        some = scope.ids[index]
    message = "`steps` is no list: a step is read by its id"
    hint = f"name the step that is meant, as in steps.{some}"
    return Fault("unresolvable_reference", position, message, hint)


def unknown_input(scan: Scan, name: str, position: int, known: tuple[str, ...]) -> Fault:
    """An input that the host did not pass."""
    near = closest(name, known)
    edits: tuple[Edit, ...] = ()
    if near is not None:
        hint = f"write {_input(near)}"
        if _input(near).startswith("input."):
            edits = _replaced(scan, position, field_text(near))
    elif known:
        hint = "the host passed " + ", ".join(map(_input, known))
    else:
        hint = "the host passed no input: read a step, or write the value itself"
    return Fault("unknown_root", position, f"there is no input {quoted(name)}", hint, edits)


def _input(name: str) -> str:
    """How an input is read: in backticks no name is empty, or holds one."""
    if name and "`" not in name:
        return f"input.{field_text(name)}"
    return f"$lookup(input, {json.dumps(name, ensure_ascii=False)})"


def unknown_name(scan: Scan, scope: Scope, step: Name, path: Path) -> Fault:
    """A name at the root that is none of the few there are."""
    name, position = step.value, step.position
    start = path.steps[0].position
    if name in scope.ids:
        message = f"a step is read through `steps`, and {quoted(name)} alone is nothing"
        edit = Edit(start, position, "steps.")
        return Fault("foreign_syntax", position, message, f"write steps.{name}", (edit,))
    if name in ("item", "index"):
        return Fault("unknown_root", position, f"there is no `{name}` here", item_hint(scope))
    hyphenated = _hyphenated(scan, position)
    if hyphenated is not None:
        return hyphenated
    if path.steps[-1] is step and not step.stages:
        return _bare_word(scan, scope, name, position, start)
    if scan.tokens[scan.index_of(position)].kind == "string":
        message = "a text in front of a dot is read as a name"
        hint = "write what follows as a function: $f(text)"
        return Fault("unknown_root", position, message, hint)
    near = scope.closest_id(name)
    message = f"nothing is called {quoted(name)} here"
    if near is not None:
        edit = Edit(start, scan.tokens[scan.index_of(position)].end, f"steps.{near}")
        return Fault("unknown_root", position, message, f"write steps.{near}", (edit,))
    roots = "steps.<id>, input.<name>" + (", item and index" if scope.has_item else "")
    hint = f"an expression reads {roots}; text stands between quotes"
    return Fault("unknown_root", position, message, hint)


def _bare_word(scan: Scan, scope: Scope, name: str, position: int, start: int) -> Fault:
    message = f"{quoted(name)} is read as a name, and nothing here is called that"
    at = scan.index_of(position)
    alone = len(scan.tokens) == 1
    meant = json.dumps(name, ensure_ascii=False)
    hint = "put text between quotes"
    certain = is_literal(scan, scope, at, scan.index_of(start))
    near = scope.closest_id(name)
    if name in (scope.inputs or ()):
        meant = _input(name)
        hint, certain = f"write {meant}", True
    elif near is not None and not certain:
        hint = f"write steps.{near} for the step; text stands between quotes"
    elif scope.has_item and not certain:
        hint = f"write item.{name} for a field of the item; text stands between quotes"
    elif alone and scope.field == "when":
        hint = "write a condition, such as steps.<id>.ok"
    elif alone and scope.field == "for_each":
        hint = "read a list, such as steps.<id>.rows"
    elif alone and scope.field == "bind":
        hint = 'a literal belongs in "args"; as an expression, text stands between quotes'
    elif not certain:
        hint = "text stands between quotes, and a value is read as steps.<id> or input.<name>"
    edits = (Edit(start, scan.tokens[at].end, meant),) if certain else ()
    return Fault("foreign_syntax", position, message, hint, edits)


def _hyphenated(scan: Scan, position: int) -> Fault | None:
    """``steps.a.user-name`` takes ``name`` from ``steps.a.user``."""
    tokens = scan.tokens
    at = last = scan.index_of(position)
    while (
        at >= 2
        and scan.is_sign(at - 1, "-")
        and tokens[at - 2].kind == tokens[at].kind == "name"
        and tokens[at - 2].end == tokens[at - 1].start
        and tokens[at - 1].end == tokens[at].start
    ):
        at -= 2
    if at == last:
        return None
    start, end = tokens[at].start, tokens[last].end
    written = scan.text[start:end]
    hint = "put a field's name that has a hyphen in backticks"
    edit = Edit(start, end, f"`{written}`")
    return Fault(
        "foreign_syntax", position, f"{shown(written)} is a subtraction", hint, (edit,)
    )


def _replaced(scan: Scan, position: int, text: str) -> tuple[Edit, ...]:
    token = scan.tokens[scan.index_of(position)]
    return (Edit(token.start, token.end, text),)
