"""What the language allows: the library's tree turned into ours, all else refused.

Everything refused is found at once; in its place stands a ``Refused`` so that the rest
can still be checked. Such a tree is never evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from strands_plan_tool.expressions.calls import CallReader
from strands_plan_tool.expressions.problems import Fault, Scope, shown
from strands_plan_tool.expressions.refusals import loose_operand, unknown_variable
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.tree import (
    Array,
    Assign,
    Binary,
    Block,
    Condition,
    Descendant,
    Fallback,
    Literal,
    Name,
    Negate,
    Node,
    Object,
    Path,
    Range,
    Sort,
    SortTerm,
    Variable,
    Wildcard,
)

__all__ = ["tree_of"]

_LARGEST_INTEGER: Final = 2**53 - 1
_OPERATIONS: Final = frozenset({"binary", "apply", "bind", "condition"})
_FALLBACKS: Final = frozenset({"??", "?:"})
_COMPARED: Final = 20


def tree_of(parsed: Any, scan: Scan, scope: Scope | None) -> tuple[Node, list[Fault]]:
    """Our tree of what the library parsed, and every reason to refuse it.

    Args:
        parsed: What ``parser.parse`` gave.
        scope: What may be named; with None (a bare root) there is no ``$steps`` either.
    """
    reader = _Reader(scan, scope)
    return reader.node(parsed), reader.faults


class _Reader(CallReader):
    """One reading of one whole tree."""

    def node(self, n: Any) -> Node:
        return _KINDS[n.type](self, n)

    def path(self, n: Any) -> Node:
        first = self.node(n.steps[0])
        self.rows += 1
        rest = [self.node(step) for step in n.steps[1:]]
        self.rows -= 1
        parts = self.parts(n)
        parts["position"] = first.position
        return Path(steps=(first, *rest), keep_singleton=bool(n.keep_singleton_array), **parts)

    def sort(self, n: Any) -> Node:
        self.rows += 1
        terms = tuple(
            SortTerm(expression=self.node(term.expression), descending=bool(term.descending))
            for term in n.terms
        )
        self.rows -= 1
        return Sort(terms=terms, **self.parts(n))

    def name(self, n: Any) -> Node:
        return Name(value=n.value, **self.parts(n))

    def wildcard(self, n: Any) -> Node:
        return Wildcard(**self.parts(n))

    def descendant(self, n: Any) -> Node:
        return Descendant(**self.parts(n))

    def literal(self, n: Any) -> Node:
        return Literal(value=n.value, **self.parts(n))

    def number(self, n: Any) -> Node:
        # The library negates a literal in place, and its -0 is our 0.
        value = float(n.value)
        whole = value.is_integer() and abs(value) <= _LARGEST_INTEGER
        return Literal(value=int(value) if whole else value, **self.parts(n))

    def variable(self, n: Any) -> Node:
        name = n.value
        if name not in ("", "$") and not self.in_sight(name):
            # Comparing names costs, and of many unknown ones the first is enough to tell.
            few = len(self.faults) < _COMPARED
            known = sorted(set().union(*self.variables)) if few else []
            of_row = self.rows > 0
            fault = unknown_variable(name, n.position, self.scope, known, of_row=of_row)
            self.faults.append(fault)
        return Variable(name=name, **self.parts(n))

    def binary(self, n: Any) -> Node:
        left, right = self.node(n.lhs), self.node(n.rhs)
        parts = self.parts(n)
        if n.value == "..":
            return Range(first=left, last=right, **parts)
        if n.value not in _FALLBACKS:
            return Binary(operator=n.value, left=left, right=right, **parts)
        if _is_operation(n.lhs) or _is_operation(n.rhs):
            self.faults.append(loose_operand(self.scan, n.position, n.value))
        return Fallback(operator=n.value, left=left, right=right, **parts)

    def unary(self, n: Any) -> Node:
        if n.value == "[":
            items = tuple(self.node(item) for item in n.expressions)
            return Array(items=items, cons=bool(n.consarray), **self.parts(n))
        if n.value == "{":
            return Object(members=self.pairs(n.lhs_object), **self.parts(n))
        return Negate(operand=self.node(n.expression), **self.parts(n))

    def condition(self, n: Any) -> Node:
        otherwise = None if n._else is None else self.node(n._else)
        test, then = self.node(n.condition), self.node(n.then)
        return Condition(test=test, then=then, otherwise=otherwise, **self.parts(n))

    def block(self, n: Any) -> Node:
        self.variables.append(set())
        statements = tuple(
            self.assignment(each) if each.type == "bind" else self.node(each)
            for each in n.expressions
        )
        self.variables.pop()
        return Block(statements=statements, cons=bool(n.consarray), **self.parts(n))

    def assignment(self, n: Any) -> Node:
        name, position = n.lhs.value, n.lhs.position
        if n.rhs.type == "lambda" and not n.rhs.thunk:
            value = self.refuse(
                n.rhs.position,
                f"a function cannot be kept in a variable, as here in ${shown(name)}",
                "write function(...){...} directly as the argument of $map, $filter or $reduce",
                self.function(n.rhs),
            )
        elif n.rhs.type == "bind":
            hint = "write two statements, one after the other: ($x := ...; $y := $x)"
            message = "one `:=` stands inside another"
            value = self.refuse(position, message, hint, self.assignment(n.rhs))
        else:
            value = self.node(n.rhs)
        self.declare(name, position)
        return Assign(name=name, value=value, position=position)

    def misplaced_assignment(self, n: Any) -> Node:
        made = self.assignment(n)
        hint = f"write (${shown(n.lhs.value)} := ...; ...), with the value that is wanted last"
        return self.refuse(
            n.position, "a `:=` stands only as a statement of a block", hint, made
        )

    def misplaced_function(self, n: Any) -> Node:
        if n.thunk:
            # The library's mark of a tail call; it is the call itself.
            return self.node(n.body)
        made = self.function(n)
        hint = "write it directly as the argument of $map, $filter, $reduce, $sort, ..."
        return self.refuse(n.position, "a function stands only as an argument", hint, made)

    def misplaced_regex(self, n: Any) -> Node:
        message = "a regular expression stands only as the pattern of a call"
        hint = "write it there: $match(text, /a/), or in $contains, $replace or $split"
        return self.refuse(n.position, message, hint)


_KINDS: Final[dict[str, Callable[[_Reader, Any], Node]]] = {
    "path": _Reader.path,
    "name": _Reader.name,
    "string": _Reader.literal,
    "value": _Reader.literal,
    "number": _Reader.number,
    "variable": _Reader.variable,
    "binary": _Reader.binary,
    "unary": _Reader.unary,
    "function": _Reader.call,
    "condition": _Reader.condition,
    "block": _Reader.block,
    "apply": _Reader.apply,
    "sort": _Reader.sort,
    "wildcard": _Reader.wildcard,
    "descendant": _Reader.descendant,
    "bind": _Reader.misplaced_assignment,
    "lambda": _Reader.misplaced_function,
    "regex": _Reader.misplaced_regex,
}
"""What becomes of each kind of the library's nodes."""


def _is_operation(n: Any) -> bool:
    return n.type in _OPERATIONS and not (n.type == "binary" and n.value in _FALLBACKS)
