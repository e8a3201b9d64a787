"""Reads the commonest expressions, plain paths, without the library's parser.

``steps.<id>`` or ``item``, then ``.name`` or ``[n]``: alone, as the items of an array
constructor, or as the one argument of a call. The tree is the one that the library's
parser leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from strands_plan_tool.expressions.listed import leaves_context
from strands_plan_tool.expressions.problems import Scope
from strands_plan_tool.expressions.references import Read
from strands_plan_tool.expressions.scan import MAX_LENGTH
from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.tree import Array, Call, Literal, Name, Node, Path

__all__ = ["is_plain_path", "read_plain", "read_plain_list"]

_WORD: Final = r"(?!(?:and|or|in|true|false|null)(?![A-Za-z0-9_]))[A-Za-z_][A-Za-z0-9_]*"
_WHOLE: Final = (
    rf"(?:steps\.{_WORD}|item(?![A-Za-z0-9_]))"
    rf"(?:\.{_WORD}|\[(?:0|[1-9][0-9]{{0,14}})\]){{0,40}}"
)
_PLAIN: Final = re.compile(rf"(\[|\$([A-Za-z0-9]+)\()?({_WHOLE})([\])]?)")
_NEXT: Final = re.compile(rf"({_WHOLE})(?:, *|\]$)")
_PART: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]")
_LONGEST: Final = 1024
# How nearly all paths begin; a node never changes.
_STEPS: Final = Name(value="steps")
_CLOSING: Final = {None: "", "[": "]"}


def read_plain(text: str, scope: Scope) -> tuple[Node, Read] | None:
    """The tree and the read of a plain path; None for any other text."""
    match = _PLAIN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    before, function, _, after = match.groups()
    if after != _CLOSING.get(before, ")"):
        return None
    if function is not None and not _takes_one(function):
        return None
    path, read = _path(text, match.start(3), match.end(3), lenient=function == "exists")
    if read.root == "item" and not scope.has_item:
        return None
    if before is None:
        return path, read
    if function is None:
        return Array(items=(path,), position=0), read
    return Call(name=function, arguments=(path,), position=0), read


def read_plain_list(text: str, scope: Scope) -> tuple[Node, tuple[Read, ...]] | None:
    """The tree and the reads of an array of several plain paths; None for any other text."""
    if text[:1] != "[" or text[-1:] != "]" or "," not in text or len(text) > MAX_LENGTH:
        return None
    items: list[Node] = []
    reads: list[Read] = []
    at = 1
    while at < len(text):
        match = _NEXT.match(text, at)
        if match is None:
            return None
        path, read = _path(text, at, match.end(1), lenient=False)
        if read.root == "item" and not scope.has_item:
            return None
        items.append(path)
        reads.append(read)
        at = match.end()
    if text[-2:-1] in (",", " "):
        return None
    return Array(items=tuple(items), position=0), tuple(reads)


def _path(text: str, start: int, end: int, *, lenient: bool) -> tuple[Path, Read]:
    parts: list[tuple[str, int, list[Node]]] = []
    pieces: Iterator[re.Match[str]] = _PART.finditer(text, start, end)
    if text.find("[", start, end) < 0:
        at = start
        for name in text[start:end].split("."):
            parts.append((name, at, []))
            at += len(name) + 1
        pieces = iter(())
    for piece in pieces:
        name, index = piece.groups()
        if name is not None:
            parts.append((name, piece.start(), []))
        else:
            parts[-1][2].append(Literal(value=int(index), position=piece.start(2)))
    of_item = parts[0][0] == "item"
    steps: list[Node] = []
    names: list[str] = []
    where: str | None = None
    for place, (name, position, stages) in enumerate(parts):
        if not place and not start and not of_item:
            steps.append(_STEPS)
        elif stages:
            kept = tuple(stages)
            steps.append(Name(value=name, strict=where, position=position, stages=kept))
        else:
            steps.append(Name(value=name, strict=where, position=position))
        if where is not None:
            names.append(name)
            where += "." + name
        elif place == (0 if of_item else 1) and not lenient:
            where = "item" if of_item else "steps." + name
        if stages:
            where = None
            lenient = True
    if of_item:
        read = Read("item", "", tuple(names), start)
    else:
        read = Read("steps", parts[1][0], tuple(names), start + 6)
    return Path(steps=tuple(steps), position=start), read


def _takes_one(name: str) -> bool:
    """Whether a call of one argument, which is no function, is a whole call."""
    function = FUNCTIONS.get(name)
    return function is not None and function.least <= 1 and not leaves_context(name, 1)


def is_plain_path(tree: Node) -> bool:
    """Whether an expression is wholly a plain path, however it was read."""
    if not isinstance(tree, Path) or tree.group is not None or tree.keep_array:
        return False
    for place, step in enumerate(tree.steps):
        if not isinstance(step, Name) or step.keep_array or step.group is not None:
            return False
        if any(not _is_index(stage) for stage in step.stages):
            return False
        if place == 0 and step.value == "steps":
            if len(tree.steps) == 1 or step.stages:
                return False
        elif place == 0 and step.value != "item":
            return False
    return True


def _is_index(node: Node) -> bool:
    return isinstance(node, Literal) and type(node.value) is int and not node.predicates
