"""Reads the commonest expressions, plain paths, without the library's parser.

``steps.<id>`` or ``item``, then ``.name`` or ``[n]``: alone, as the items of an array
constructor, or as the one argument of a call. The tree is the one that the library's
parser leads to.
"""

from __future__ import annotations

import re
from typing import Final

from strands_plan_tool.expressions.listed import leaves_context
from strands_plan_tool.expressions.problems import Scope
from strands_plan_tool.expressions.references import Read
from strands_plan_tool.expressions.scan import MAX_LENGTH
from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.tree import Array, Call, Literal, Name, Node, Path

__all__ = [
    "is_named",
    "is_plain_path",
    "read_plain",
    "read_plain_list",
    "reads_item",
    "reads_of_paths",
    "tree_of_paths",
]

_WORD: Final = r"(?!(?:and|or|in|true|false|null)(?![A-Za-z0-9_]))[A-Za-z_][A-Za-z0-9_]*"
_WHOLE: Final = (
    rf"(?:steps\.{_WORD}|item(?![A-Za-z0-9_]))"
    rf"(?:\.{_WORD}|\[(?:0|[1-9][0-9]{{0,14}})\]){{0,40}}"
)
_PLAIN: Final = re.compile(rf"(\[|\$([A-Za-z0-9]+)\()?({_WHOLE})([\])]?)")
_NEXT: Final = re.compile(rf"({_WHOLE})(?:, *|\]$)")
_PART: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]")
_NAMES: Final = rf"(?:steps\.{_WORD}|item(?![A-Za-z0-9_]))(?:\.{_WORD}){{0,40}}"
_NAMED: Final = re.compile(rf"{_NAMES}|\[{_NAMES}(?:, *{_NAMES})+\]")
_LONGEST: Final = 1024
_ANY_PLACE: Final = Scope(ids=(), has_item=True)
# How nearly all paths begin, by how many names say where; a node never changes.
_FIRST: Final = {1: Name(value="item"), 2: Name(value="steps")}
_CLOSING: Final = {None: "", "[": "]"}


def is_named(text: str, scope: Scope) -> bool:
    """Whether a text is a plain path of names alone, or a list of several.

    A plan may have very many of these, and its text says all there is to one.
    """
    longest = MAX_LENGTH if text[:1] == "[" else _LONGEST
    if len(text) > longest or _NAMED.fullmatch(text) is None:
        return False
    return scope.has_item or not reads_item(text)


def reads_item(text: str) -> bool:
    """Whether one of the paths that ``is_named`` takes begins with ``item``."""
    if text[0] != "[":
        return text[0] == "i"
    return any(read.root == "item" for read in reads_of_paths(text))


def reads_of_paths(text: str) -> tuple[Read, ...]:
    """The reads of what ``is_named`` takes."""
    if text[0] != "[":
        return (_read(text, 0),)
    reads = []
    at = 1
    for piece in text[1:-1].split(","):
        path = piece.lstrip(" ")
        reads.append(_read(path, at + len(piece) - len(path)))
        at += len(piece) + 1
    return tuple(reads)


def _read(path: str, start: int) -> Read:
    root, *names = path.split(".")
    if root == "item":
        return Read("item", "", tuple(names), start)
    return Read("steps", names[0], tuple(names[1:]), start + 6)


def tree_of_paths(text: str) -> Node:
    """The tree of what ``is_named`` takes."""
    plain = read_plain(text, _ANY_PLACE) or read_plain_list(text, _ANY_PLACE)
    assert plain is not None
    return plain[0]


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
    if text.find("[", start, end) < 0:
        return _path_of_names(text[start:end].split("."), start, lenient=lenient)
    parts: list[tuple[str, int, list[Node]]] = []
    for piece in _PART.finditer(text, start, end):
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
        steps.append(Name(value=name, strict=where, position=position, stages=tuple(stages)))
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


def _path_of_names(names: list[str], start: int, *, lenient: bool) -> tuple[Path, Read]:
    """As ``_path`` for what has no item in brackets; a plan may have very many."""
    known = 1 if names[0] == "item" else 2
    steps: list[Node] = [Name(value=names[0], position=start) if start else _FIRST[known]]
    at = start + len(names[0]) + 1
    if known == 2:
        steps.append(Name(value=names[1], position=at))
        at += len(names[1]) + 1
    where = None if lenient else ".".join(names[:known])
    for name in names[known:]:
        steps.append(Name(value=name, strict=where, position=at))
        at += len(name) + 1
        if where is not None:
            where += "." + name
    path = Path(steps=tuple(steps), position=start)
    strict = () if lenient else tuple(names[known:])
    if known == 1:
        return path, Read("item", "", strict, start)
    return path, Read("steps", names[1], strict, start + 6)


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
