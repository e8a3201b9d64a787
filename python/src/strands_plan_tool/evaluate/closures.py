"""Trees become closures: made once, run as often as the expression is evaluated.

A closure is called with the context and the run's state, counts its own step, and gives a
value. Names of variables are resolved here, to places in the state: no function can be
stored or call itself, so each variable has one value at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeGuard

from strands_plan_tool.evaluate.basic_closures import (
    LeftSide,
    assign_closure,
    block_closure,
    collapsing,
    condition_closure,
    context_closure,
    fallback_closure,
    given_closure,
    literal_closure,
    name_closure,
    nothing_closure,
    variable_closure,
    whole_block_closure,
)
from strands_plan_tool.evaluate.bulk import bulk_filter, bulk_rows
from strands_plan_tool.evaluate.call_closures import (
    Tail,
    apply_link,
    call_closure,
    pattern_closure,
)
from strands_plan_tool.evaluate.constructors import (
    array_closure,
    descendant,
    object_closure,
    range_closure,
    wildcard,
)
from strands_plan_tool.evaluate.filter_closures import filter_closure, group_closure
from strands_plan_tool.evaluate.operator_closures import (
    binary_closure,
    binary_link,
    negate_closure,
)
from strands_plan_tool.evaluate.path_closures import path_closure
from strands_plan_tool.evaluate.shapes import (
    field_with_literal,
    fields_of,
    is_fixed,
    path_of_fields,
    row_of,
)
from strands_plan_tool.expressions.tails import calls_at_end
from strands_plan_tool.functions.compiling import Bulk, Closure, Link
from strands_plan_tool.tree import (
    Apply,
    Array,
    Assign,
    Binary,
    Block,
    Call,
    Condition,
    Descendant,
    Fallback,
    Lambda,
    Literal,
    Name,
    Negate,
    Node,
    Object,
    Path,
    Range,
    Regex,
    Variable,
    Wildcard,
)
from strands_plan_tool.values.budget import FIRST_VARIABLE, ROOT, State, spend
from strands_plan_tool.values.sequences import collapse

__all__ = ["ORDINARY_DEPTH", "Compiler", "DeepTreeError"]

ORDINARY_DEPTH: Final = 24
"""How deep trees nest that need no more calls than any caller has left."""

# Operators nest on their left as deep as a text is long; a row of so many runs in a loop.
_LONG_ROW: Final = 3

# What may give a sequence that has not yet become its item, or nothing; or pass on the
# item of one, when that is a sequence itself.
_FINDING: Final = (
    Path,
    Variable,
    Name,
    Call,
    Wildcard,
    Descendant,
    Fallback,
    Condition,
    Block,
    Assign,
)


class DeepTreeError(Exception):
    """A tree nests deeper than the compiler was told."""


class Compiler:
    """Makes the closures of one expression.

    Args:
        shapes: As the attribute.
        deepest: How deep the tree may nest; None where there is room for any.

    Attributes:
        places: How many places the state of a run needs.
        shapes: Whether common shapes are run at once; see ``shapes``.
    """

    def __init__(self, *, shapes: bool = True, deepest: int | None = ORDINARY_DEPTH) -> None:
        self.shapes = shapes
        self._levels = deepest
        self.places = FIRST_VARIABLE
        self._scopes: list[dict[str, int]] = []
        self._makers: dict[type[Node], Callable[[Any], Closure]] = {
            Literal: literal_closure,
            Name: name_closure,
            Wildcard: lambda node: wildcard,
            Descendant: lambda node: descendant,
            Variable: self._variable,
            Path: lambda node: path_closure(node, self),
            Negate: lambda node: negate_closure(node, self),
            Array: lambda node: array_closure(node, self),
            Range: lambda node: range_closure(node, self),
            Object: lambda node: object_closure(node, self),
            Binary: self._operator,
            Apply: self._operator,
            Fallback: self._fallback,
            Condition: lambda node: self._condition(node, self.closure),
            Block: lambda node: self._block(node, self.closure),
            Assign: self._assign,
            Call: lambda node: call_closure(node, self),
            Regex: pattern_closure,
        }

    def closure(self, node: Node) -> Closure:
        """The closure of a node with its predicates, its group and its ``[]``.

        Raises:
            DeepTreeError: It lies deeper than expected.
        """
        if self._levels is None:
            return self._closure(node)
        if self._levels == 0:
            raise DeepTreeError
        self._levels -= 1
        made = self._closure(node)
        self._levels += 1
        return made

    def _closure(self, node: Node) -> Closure:
        filters = [filter_closure(predicate, self) for predicate in node.predicates]
        group = None
        if node.group is not None and not isinstance(node, Path):
            group = group_closure(node.group, self)
        keep = node.keep_array
        if isinstance(node, Apply) or not (filters or group or keep):
            return self._whole(node)
        run = self._makers[type(node)](node)

        def full(context: Any, state: State) -> Any:
            value = run(context, state)
            for filtered in filters:
                value = filtered(value, state)
            return collapse(value, keep=keep) if group is None else group(value, state)

        return full

    def _whole(self, node: Node) -> Closure:
        """The closure of a node that nothing follows: what it finds is collapsed."""
        match node:
            case Path():
                found = self._fields(node)
                plain = path_closure(node, self, whole=True)
                return plain if found is None else path_of_fields(*found, plain)
            case Call():
                return call_closure(node, self, whole=True)
            case Variable():
                return self._variable(node, whole=True)
            case Block(statements=(statement,)) if not isinstance(statement, Assign):
                return whole_block_closure(self.closure(statement))
        run = self._makers[type(node)](node)
        return collapsing(run) if isinstance(node, _FINDING) else run

    def _tail(self, node: Node, tail: Tail, through: tuple[bool, ...] = ()) -> Closure:
        """The closure of what ends a lambda; see ``call_closures``.

        Args:
            node: What ends it.
            tail: How a call here sees its context.
            through: For each node that a value comes through from here, whether a `[]`
                follows it.
        """
        if node.predicates or node.group is not None:
            return collapsing(self.closure(node), through)
        out = (node.keep_array, *through)
        match node:
            case Call():
                return call_closure(node, self, tail)
            case Condition():
                return self._condition(node, lambda end: self._tail(end, tail, out))
            case Fallback():
                return self._fallback(node, tail, through)
            case Block():
                return self._block(node, lambda end: self._tail(end, tail, out))
        return collapsing(self.closure(node), through)

    def constant(self, node: Node) -> Closure | None:
        """The closure of a node whose value does not depend on the context; else None."""
        return self.closure(node) if self.shapes and is_fixed(node) else None

    def body(self, node: Lambda, *, own_context: bool) -> tuple[list[int], Closure]:
        """The places of a lambda's parameters, and the closure of its body."""
        with self._scope():
            places = [self._define(name) for name in node.parameters]
            return places, self._tail(node.body, own_context)

    def selection(self, node: Lambda) -> Bulk | None:
        """A lambda as a filter of a whole list; None where it is none."""
        if not self.shapes or len(node.parameters) != 1:
            return None
        holder = node.parameters[0]

        def constant(other: Node) -> Closure | None:
            first = other.steps[0] if isinstance(other, Path) else other
            if isinstance(first, Variable) and first.name == holder:
                return None
            return self.constant(other)

        return bulk_filter(node.body, holder, constant)

    def projection(self, node: Lambda) -> Bulk | None:
        """A lambda as what makes rows of a whole list; None where it does not."""
        row = row_of(node.body) if self.shapes else None
        if row is None or list(node.parameters) != [row[2]]:
            return None
        return bulk_rows(row[0], row[1], of_variable=True)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self._scopes.append({})
        yield
        self._scopes.pop()

    def _define(self, name: str) -> int:
        place = self.places
        self.places += 1
        self._scopes[-1][name] = place
        return place

    def _variable(self, node: Variable, *, whole: bool = False) -> Closure:
        if node.name == "":
            return context_closure(whole=whole)
        place = ROOT if node.name == "$" else self.place(node.name)
        if place is None:
            return given_closure(node.name)
        return variable_closure(place, whole=whole)

    def place(self, variable: str) -> int | None:
        """Where a variable of the expression's own is; None for one that the plan gives."""
        for scope in reversed(self._scopes):
            if variable in scope:
                return scope[variable]
        return None

    def _fields(self, node: Node) -> tuple[tuple[str, ...], int | None] | None:
        """The names of a path, and the place of the variable it begins with, if it is plain."""
        fields = fields_of(node) if self.shapes else None
        if fields is None:
            return None
        variable, names = fields
        place = None if variable is None else self.place(variable)
        return None if variable is not None and place is None else (names, place)

    def _assign(self, node: Assign) -> Closure:
        # The name is defined after its value, which may mean an outer one by it.
        value = self.closure(node.value)
        return assign_closure(value, self._define(node.name))

    def _block(self, node: Block, close_last: Callable[[Node], Closure]) -> Closure:
        with self._scope():
            before = [self.closure(statement) for statement in node.statements[:-1]]
            ends = [close_last(statement) for statement in node.statements[-1:]]
        return block_closure(before, ends[0] if ends else nothing_closure)

    def _condition(self, node: Condition, close_branch: Callable[[Node], Closure]) -> Closure:
        test = self.closure(node.test)
        then = close_branch(node.then)
        otherwise = nothing_closure if node.otherwise is None else close_branch(node.otherwise)
        return condition_closure(test, then, otherwise)

    def _fallback(
        self, node: Fallback, tail: Tail = None, through: tuple[bool, ...] = ()
    ) -> Closure:
        row: list[LeftSide | None] = []
        # What is found comes through each node so far; the first is the caller's to see to,
        # but not at the end of a lambda.
        rest: Node = node
        out = through if tail is None else (False, *through)
        while True:
            if isinstance(rest, Fallback):
                row.append(self._left_side(rest, tail, out))
                rest = rest.right
            elif _is_plain_block(rest):
                row.append(None)
                rest = rest.statements[0]
            else:
                break
            out = (False, *out)
        if tail is None:
            return fallback_closure(row, collapsing(self.closure(rest), out[1:]))
        return fallback_closure(row, self._tail(rest, tail, out[1:]))

    def _left_side(self, node: Fallback, tail: Tail, out: tuple[bool, ...]) -> LeftSide:
        wants_truth = node.operator == "?:"
        if tail is not None and any(True for _ in calls_at_end(node.left)):
            return LeftSide(self._tail(node.left, tail, out), wants_truth, True, ())
        return LeftSide(self.closure(node.left), wants_truth, False, out)

    def _operator(self, node: Binary | Apply) -> Closure:
        links: list[Node] = []
        first: Node = node
        while isinstance(first, Binary | Apply) or _is_plain_block(first):
            links.append(first)
            first = first.statements[0] if isinstance(first, Block) else first.left
        if len(links) < _LONG_ROW and isinstance(node, Binary):
            return self._short_operator(node)
        begin = self.closure(first)
        # Closures are made from left to right, as they run.
        row = [self._link(link) for link in reversed(links)]

        def run(context: Any, state: State) -> Any:
            spend(state, len(row))
            value = begin(context, state)
            for link in row:
                value = link(value, context, state)
            return value

        return run

    def _short_operator(self, node: Binary) -> Closure:
        plain = binary_closure(node, self)
        found = self._fields(node.left)
        if found is None or not isinstance(node.right, Literal) or node.right.predicates:
            return plain
        return field_with_literal(*found, node.operator, node.right.value, plain)

    def _link(self, node: Node) -> Link:
        match node:
            case Binary():
                return binary_link(node, self)
            case Apply():
                return apply_link(node, self)
        return lambda value, context, state: collapse(value)


def _is_plain_block(node: Node) -> TypeGuard[Block]:
    """Whether a node is one expression in parentheses, with nothing after them."""
    return (
        isinstance(node, Block)
        and len(node.statements) == 1
        and not isinstance(node.statements[0], Assign)
        and not (node.predicates or node.group is not None or node.keep_array)
    )
