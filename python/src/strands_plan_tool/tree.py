"""The tree that expressions are evaluated from: its node kinds and nothing else.

``expressions`` makes it out of what the JSONata library parsed, so that nothing of
that library's own tree reaches the rest; ``evaluate`` turns it into closures. One
evaluation of one node is one step of the budget, so a node kind is part of the
language: they are listed in ``schema/LANGUAGE.md``. A node does not change once its
reading has ended; that it is not frozen is for speed alone, as a plan has very many.
"""

from __future__ import annotations

from dataclasses import dataclass

LiteralValue = str | int | float | bool | None


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Node:
    """What every node has.

    Attributes:
        position: Where it starts in the text, in code points from 0.
        predicates: ``[...]`` applied to the node's whole value (a node that is no
            path step).
        stages: ``[...]`` applied to each item's value (a step of a path).
        group: ``{...}`` after the node: pairs of key and value expressions.
        keep_array: The node was followed by ``[]``.
    """

    position: int = 0
    predicates: tuple[Node, ...] = ()
    stages: tuple[Node, ...] = ()
    group: tuple[tuple[Node, Node], ...] | None = None
    keep_array: bool = False


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Literal(Node):
    """A string, a number, true, false or null."""

    value: LiteralValue


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Name(Node):
    """A field of the context.

    Attributes:
        value: The field's name.
        strict: Where the field must exist, the path up to it and without it, as a message
            shows it: ``steps.a`` for ``name`` of ``steps.a.name``. None where a missing
            field is merely nothing.
    """

    value: str
    strict: str | None = None


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Wildcard(Node):
    """``*``: every member of the context."""


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Descendant(Node):
    """``**``: the context and everything under it."""


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Variable(Node):
    """``$name``; the name ``""`` is the context ``$`` and ``"$"`` the root ``$$``."""

    name: str


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Path(Node):
    """Steps joined by dots; a sort ``^(...)`` is a step too."""

    steps: tuple[Node, ...]
    keep_singleton: bool = False


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class SortTerm:
    """One key of a sort (no node of its own)."""

    expression: Node
    descending: bool


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Sort(Node):
    """``^(<a, >b)``, only as a step of a path."""

    terms: tuple[SortTerm, ...]


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Negate(Node):
    """Prefix ``-`` before anything but a number."""

    operand: Node


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Array(Node):
    """``[a, b]``; ``cons`` where the list is not to be flattened by its path."""

    items: tuple[Node, ...]
    cons: bool = False


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Range(Node):
    """``a..b``, only as an item of an array constructor."""

    first: Node
    last: Node


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Object(Node):
    """``{key: value}``."""

    members: tuple[tuple[Node, Node], ...]


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Binary(Node):
    """``+ - * / % & = != < <= > >= in and or``."""

    operator: str
    left: Node
    right: Node


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Fallback(Node):
    """``left ?? right`` and ``left ?: right``; the left side is evaluated once."""

    operator: str
    left: Node
    right: Node


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Condition(Node):
    """``test ? then : otherwise``; without ``otherwise`` it may give nothing."""

    test: Node
    then: Node
    otherwise: Node | None = None


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Block(Node):
    """``(a; b)``; ``cons`` where it holds a list that its path does not flatten."""

    statements: tuple[Node, ...]
    cons: bool = False


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Assign(Node):
    """``$name := value``, only as a statement of a block."""

    name: str
    value: Node


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Lambda(Node):
    """``function($a, $b){body}``, only as the function argument of a call."""

    parameters: tuple[str, ...]
    body: Node


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class FunctionName(Node):
    """A listed function's name where a function argument belongs: ``$map(x, $string)``."""

    name: str


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Regex(Node):
    """``/pattern/im`` as the pattern argument of a call; ``pattern`` is as written."""

    pattern: str
    ignore_case: bool = False
    multiline: bool = False


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Call(Node):
    """``$name(arguments)`` of a listed function."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Apply(Node):
    """``left ~> $name(...)``: the call with ``left`` put before its arguments."""

    left: Node
    call: Call
