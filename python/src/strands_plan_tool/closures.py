"""Trees become closures: made once, run as often as the expression is evaluated.

A closure is called with the context and the run's state, counts its own step, and gives a
value. Names of variables are resolved here, to places in the state: no function can be
stored or call itself, so each variable has one value at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from .budget import FIRST_VARIABLE, LEFT, OUTER, ROOT, State, out_of_steps, spend
from .bulk import Bulk, bulk_filter, bulk_rows
from .call_closures import Tail, apply_link, call_closure
from .constructors import array_closure, descendant, object_closure, range_closure, wildcard
from .doubles import double, is_number
from .operator_closures import Link, binary_closure, binary_link, negate_closure
from .path_closures import field, filter_closure, group_closure, path_closure
from .sequences import RootList, Sequence, collapse, truth
from .shapes import (
    Closure,
    field_with_literal,
    fields_of,
    is_fixed,
    path_of_fields,
    row_of,
)
from .tree import (
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
    Variable,
    Wildcard,
)
from .values import NOTHING

__all__ = ["Compiler"]

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


class Compiler:
    """Makes the closures of one expression.

    Attributes:
        places: How many places the state of a run needs.
        shapes: Whether common shapes are run at once; see ``shapes``.
    """

    def __init__(self, *, shapes: bool = True) -> None:
        self.shapes = shapes
        self.places = FIRST_VARIABLE
        self._scopes: list[dict[str, int]] = []
        self._makers: dict[type[Node], Callable[[Any], Closure]] = {
            Literal: _literal,
            Name: _name,
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
        }

    def closure(self, node: Node) -> Closure:
        """The closure of a node with its predicates, its group and its ``[]``."""
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
                place = ROOT if node.name == "$" else self.place(node.name)
                if node.name and place is not None:
                    return _whole_variable(place)
            case Block(statements=(statement,)) if not isinstance(statement, Assign):
                return _whole_block(self.closure(statement))
        run = self._makers[type(node)](node)
        return _collapsing(run) if isinstance(node, _FINDING) else run

    def _tail(self, node: Node, tail: Tail) -> Closure:
        """The closure of what ends a lambda; see ``call_closures``."""
        if node.predicates or node.group is not None:
            return self.closure(node)
        match node:
            case Call():
                return call_closure(node, self, tail)
            case Condition():
                return self._condition(node, lambda branch: self._tail(branch, tail))
            case Fallback():
                return self._fallback_at_end(node, tail)
            case Block(keep_array=False):
                return self._block(node, lambda last: self._tail(last, tail))
        return self.closure(node)

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

    def _variable(self, node: Variable) -> Closure:
        name = node.name
        if name == "":
            return _context
        place = ROOT if name == "$" else self.place(name)

        def outer(context: Any, state: State) -> Any:
            spend(state, 1)
            return state[OUTER].get(name, NOTHING)

        def inner(context: Any, state: State) -> Any:
            count = state[LEFT] - 1
            state[LEFT] = count
            if count < 0:
                raise out_of_steps(state)
            return state[place]

        return outer if place is None else inner

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
        value = self.closure(node.value)
        place = self._define(node.name)

        def run(context: Any, state: State) -> Any:
            spend(state, 1)
            state[place] = result = value(context, state)
            return result

        return run

    def _block(self, node: Block, close_last: Callable[[Node], Closure]) -> Closure:
        with self._scope():
            *others, last = node.statements or (None,)
            before = [self.closure(statement) for statement in others if statement]
            end = _nothing if last is None else close_last(last)

        def run(context: Any, state: State) -> Any:
            spend(state, 1)
            for statement in before:
                statement(context, state)
            return end(context, state)

        return run

    def _condition(self, node: Condition, close_branch: Callable[[Node], Closure]) -> Closure:
        test = self.closure(node.test)
        then = close_branch(node.then)
        otherwise = _nothing if node.otherwise is None else close_branch(node.otherwise)

        def run(context: Any, state: State) -> Any:
            spend(state, 1)
            known = test(context, state)
            if known is True or (known is not False and truth(state, known)):
                return then(context, state)
            return otherwise(context, state)

        return run

    def _fallback(self, node: Fallback) -> Closure:
        """``??`` and ``?:``; a row of them, each the right side of the last, is a loop."""
        row: list[tuple[Closure, bool] | None] = []
        rest: Node = node
        while True:
            if isinstance(rest, Fallback):
                row.append((self.closure(rest.left), rest.operator == "?:"))
                rest = rest.right
            elif _is_plain_block(rest):
                row.append(None)
                rest = rest.statements[0]
            else:
                break
        end = self.closure(rest)

        def run(context: Any, state: State) -> Any:
            found: Any = NOTHING
            nodes = 0
            for entry in row:
                spend(state, 1)
                nodes += 1
                if entry is not None:
                    left, wants_truth = entry
                    found = left(context, state)
                    if found is not NOTHING and not (wants_truth and not truth(state, found)):
                        break
            else:
                found = end(context, state)
            # Each node that the value comes through, but the first, which the caller sees to.
            for _ in range(nodes - 1):
                found = collapse(found)
            return found

        return run

    def _fallback_at_end(self, node: Fallback, tail: Tail) -> Closure:
        left = self._tail(node.left, tail)
        right = self._tail(node.right, tail)
        wants_truth = node.operator == "?:"

        def run(context: Any, state: State) -> Any:
            spend(state, 1)
            value = left(context, state)
            known = collapse(value)
            if known is not NOTHING and not (wants_truth and not truth(state, known)):
                return value
            return right(context, state)

        return run

    def _operator(self, node: Binary | Apply) -> Closure:
        links: list[Node] = []
        first: Node = node
        while isinstance(first, Binary | Apply) or _is_plain_block(first):
            links.append(first)
            first = first.statements[0] if isinstance(first, Block) else first.left
        if len(links) < _LONG_ROW and isinstance(node, Binary):
            plain = binary_closure(node, self)
            found = self._fields(node.left)
            if found is None or not isinstance(node.right, Literal) or node.right.predicates:
                return plain
            return field_with_literal(*found, node.operator, node.right.value, plain)
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

    def _link(self, node: Node) -> Link:
        match node:
            case Binary():
                return binary_link(node, self)
            case Apply():
                return apply_link(node, self)
        return lambda value, context, state: collapse(value)


def _is_plain_block(node: Node) -> bool:
    """Whether a node is one expression in parentheses, with nothing after them."""
    return (
        isinstance(node, Block)
        and len(node.statements) == 1
        and not isinstance(node.statements[0], Assign)
        and not (node.predicates or node.group or node.keep_array)
    )


def _collapsing(run: Closure) -> Closure:
    def collapsed(context: Any, state: State) -> Any:
        return collapse(run(context, state))

    return collapsed


def _whole_variable(place: int) -> Closure:
    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        value = state[place]
        return value if type(value) is not Sequence else collapse(value)

    return run


def _whole_block(statement: Closure) -> Closure:
    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        value = statement(context, state)
        return value if type(value) is not Sequence else collapse(value)

    return run


def _literal(node: Literal) -> Closure:
    value: Any = node.value
    if is_number(value):
        value = double(value)

    def run(context: Any, state: State) -> Any:
        count = state[LEFT] - 1
        state[LEFT] = count
        if count < 0:
            raise out_of_steps(state)
        return value

    return run


def _name(node: Name) -> Closure:
    name = node.value

    def run(context: Any, state: State) -> Any:
        spend(state, 1)
        return field(context, name, state)

    return run


def _context(context: Any, state: State) -> Any:
    spend(state, 1)
    return context[0] if type(context) is RootList else context


def _nothing(context: Any, state: State) -> Any:
    return NOTHING
