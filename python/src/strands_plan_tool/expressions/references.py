"""What an expression reads: the steps it depends on, its inputs, its strict names.

One walk over our tree. It knows of each value only whether it is the root, ``steps``,
``input``, a path from one of them that is still open to strict names, or anything else;
wherever the root or ``steps`` would be used as anything else, the reads could not be told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from strands_plan_tool.expressions.calls import Refused
from strands_plan_tool.expressions.listed import leaves_context, usage
from strands_plan_tool.expressions.problems import Fault, Scope
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tails import lost_contexts
from strands_plan_tool.expressions.templates import field_text
from strands_plan_tool.expressions.unnamed import (
    indexed_steps,
    relative,
    unknown_input,
    unknown_name,
    unresolvable,
)
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
    Sort,
    Variable,
    Wildcard,
)

__all__ = ["Read", "References", "references"]


class Read(NamedTuple):
    """One place where an expression reads a step, an input or the item.

    Attributes:
        id: The step's id or the input's name; ``""`` for the item.
        names: The strict names after it.
        position: Where the id (of the item, ``item``) stands, in code points.
    """

    root: OneOf["steps", "input", "item"]
    id: str
    names: tuple[str, ...]
    position: int


@dataclass(slots=True)
class References:
    """What the walk found."""

    reads: list[Read] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    uses_item: bool = False


class _Kind(Enum):
    ROOT = "the root"
    STEPS = "steps"
    INPUT = "input"
    VALUE = "a value"


@dataclass(slots=True)
class _Open:
    """A path from a step, an input or the item whose next name is strict."""

    root: OneOf["steps", "input", "item"]
    id: str
    position: int
    path: str
    names: list[str] = field(default_factory=list)


_Value: TypeAlias = _Kind | _Open
_ROOT, _STEPS, _INPUT, _VALUE = _Kind.ROOT, _Kind.STEPS, _Kind.INPUT, _Kind.VALUE


def references(tree: Node, scan: Scan, scope: Scope) -> References:
    """What a tree reads, its strict names marked on the way.

    The tree was made a moment ago and nobody else has it yet; marking it in place saves
    a second copy of it.
    """
    walk = _Walk(scan, scope)
    walk.use(tree, _ROOT, lenient=False)
    walk.found.reads.sort(key=lambda read: read.position)
    return walk.found


class _Walk:
    """One walk.

    ``context`` is what a bare name is looked up in: the root, or a value (a row).
    ``lenient`` holds where names are not strict.
    """

    def __init__(self, scan: Scan, scope: Scope) -> None:
        self.scan = scan
        self.scope = scope
        self.found = References()
        self.hidden: frozenset[str] = frozenset()
        # Calls that the profile refuses already, as they have no context at all.
        self.lost: set[int] = set()

    def use(self, node: Node, context: _Kind, lenient: bool) -> None:
        """Visits what may be any value but the root or ``steps``."""
        self.closed(self.visit(node, context, lenient), node)

    def closed(self, value: _Value, node: Node) -> _Kind:
        """A value that no name follows directly."""
        if isinstance(value, _Open):
            read = Read(value.root, value.id, tuple(value.names), value.position)
            self.found.reads.append(read)
        elif value is _ROOT or value is _STEPS:
            self.unresolvable(value, node)
        return _VALUE

    def visit(self, node: Node, context: _Kind, lenient: bool) -> _Value:
        value = self.plain(node, context, lenient)
        if node.predicates or node.group is not None or node.keep_array:
            value = self.closed(value, node)
            for predicate in node.predicates:
                self.use(predicate, _VALUE, lenient)
            for key, member in node.group or ():
                self.use(key, _VALUE, lenient)
                self.use(member, _VALUE, lenient)
        return value

    def plain(self, node: Node, context: _Kind, lenient: bool) -> _Value:
        """A node without its predicates and group."""
        match node:
            case Path():
                return self.path(node, context, lenient)
            case Variable():
                return self.variable(node, context)
            case Call():
                return self.call(node, context, lenient, applied=0)
            case Block():
                return self.block(node, context, lenient)
            case Apply(left=left, call=call):
                self.use(left, context, lenient or call.name == "exists")
                self.call(call, context, lenient, applied=1)
            case Fallback(left=left, right=right):
                self.use(left, context, True)
                self.use(right, context, lenient)
            case Condition(test=test, then=then, otherwise=otherwise):
                self.use(test, context, lenient or _is_path(test))
                self.use(then, context, lenient)
                if otherwise is not None:
                    self.use(otherwise, context, lenient)
            case Binary(left=left, right=right) | Range(first=left, last=right):
                self.use(left, context, lenient)
                self.use(right, context, lenient)
            case Negate(operand=operand):
                self.use(operand, context, lenient)
            case Array(items=items):
                for item in items:
                    self.use(item, context, lenient)
            case Object(members=members):
                for key, member in members:
                    self.use(key, context, lenient)
                    self.use(member, context, lenient)
            case Assign(name=name, value=assigned):
                self.use(assigned, context, lenient)
                self.hide(name)
            case Lambda(parameters=parameters, body=body):
                outer = self.hidden
                self.hide(*parameters)
                self.lost.update(map(id, lost_contexts(body)))
                self.use(body, context, lenient)
                self.hidden = outer
            case Refused(inside=inside):
                for each in inside:
                    self.use(each, context, lenient)
            case Wildcard() | Descendant():
                self.closed(context, node)
        return _VALUE

    def hide(self, *names: str) -> None:
        self.hidden |= {"item", "index"}.intersection(names)

    def path(self, node: Path, context: _Kind, lenient: bool) -> _Value:
        value: _Value = context
        for index, step in enumerate(node.steps):
            if isinstance(step, Name):
                if index == 0 and context is _VALUE:
                    self.check_row_name(node)
                else:
                    value = self.name(step, value, node, lenient)
            elif isinstance(step, Sort):
                value = self.closed(value, node)
                for term in step.terms:
                    self.use(term.expression, _VALUE, lenient)
            elif index == 0:
                value = self.visit(step, context, lenient)
            elif isinstance(step, Refused):
                self.visit(step, _VALUE, lenient)
                value = _VALUE
            else:
                self.closed(value, node)
                value = self.visit(step, _VALUE, lenient)
            if step.stages and value is _STEPS and index == 0:
                first = step.stages[0]
                number = first.value if isinstance(first, Literal) else None
                self.found.faults.append(indexed_steps(node, self.scope, number))
                value = _VALUE
            elif step.stages or step.keep_array:
                value = self.closed(value, node)
            for stage in step.stages:
                self.use(stage, _VALUE, lenient)
        return value

    def name(self, step: Name, value: _Value, path: Path, lenient: bool) -> _Value:
        """A name looked up in a value."""
        if isinstance(value, _Open):
            if not lenient:
                step.strict = value.path
                value.names.append(step.value)
                value.path += "." + field_text(step.value)
            return value
        if value is _ROOT:
            return self.root_name(step, path)
        if value is _STEPS:
            return _Open("steps", step.value, step.position, "steps." + field_text(step.value))
        if value is _INPUT:
            return self.input_name(step.value, step.position)
        return _VALUE

    def root_name(self, step: Name, path: Path) -> _Value:
        name = step.value
        if name == "steps":
            return _STEPS
        if name == "input":
            return _INPUT
        if name in ("item", "index") and self.scope.has_item:
            return self.item(name, step.position)
        self.found.faults.append(unknown_name(self.scan, self.scope, step, path))
        return _VALUE

    def item(self, name: str, position: int) -> _Value:
        self.found.uses_item = True
        return _Open("item", "", position, "item") if name == "item" else _VALUE

    def input_name(self, name: str, position: int) -> _Value:
        known = self.scope.inputs
        if known is not None and name not in known:
            self.found.faults.append(unknown_input(self.scan, name, position, known))
        return _Open("input", name, position, "input." + field_text(name))

    def variable(self, node: Variable, context: _Kind) -> _Value:
        name = node.name
        if name == "":
            return context
        if name == "$":
            return _ROOT
        if name == "steps":
            return _STEPS
        if name == "input":
            return _INPUT
        if name in ("item", "index") and name not in self.hidden and self.scope.has_item:
            return self.item(name, node.position)
        return _VALUE

    def block(self, node: Block, context: _Kind, lenient: bool) -> _Value:
        outer = self.hidden
        value: _Value = _VALUE
        if len(node.statements) == 1:
            # Parentheses alone: a path goes on through them.
            value = self.visit(node.statements[0], context, lenient)
        else:
            for statement in node.statements:
                self.use(statement, context, lenient)
        self.hidden = outer
        return value

    def call(self, node: Call, context: _Kind, lenient: bool, applied: int) -> _Value:
        arguments = node.arguments
        count = len(arguments) + applied
        first = () if applied else arguments[:1]
        leaves = leaves_context(node.name, count, first=first)
        if context is _ROOT and leaves and id(node) not in self.lost:
            message = f"${node.name} is given no value here and would take all there is"
            hint = f"write {usage(node.name)}"
            fault = Fault("unresolvable_reference", node.position, message, hint)
            self.found.faults.append(fault)
        if node.name == "lookup" and count == 2 and not applied:
            return self.lookup(node, context, lenient)
        for argument in arguments:
            self.use(argument, context, lenient or node.name == "exists")
        return _VALUE

    def lookup(self, node: Call, context: _Kind, lenient: bool) -> _Value:
        """``$lookup(steps, "a")`` is another way to write ``steps.a``."""
        whole, key = node.arguments
        value = self.visit(whole, context, lenient)
        named = _inside(key)
        if isinstance(named, Literal) and isinstance(named.value, str):
            if value is _STEPS:
                path = "steps." + field_text(named.value)
                return _Open("steps", named.value, named.position, path)
            if value is _INPUT:
                return self.input_name(named.value, named.position)
        self.closed(value, whole)
        self.use(key, context, lenient)
        return _VALUE

    def check_row_name(self, path: Path) -> None:
        """A path that begins with a bare name where names are fields of a row."""
        step, steps = path.steps[0], path.steps
        assert isinstance(step, Name)
        name = step.value
        following = steps[1].value if len(steps) > 1 and isinstance(steps[1], Name) else None
        meant = (
            name == "steps"
            or (name == "item" and self.scope.has_item and following is not None)
            or (name == "input" and following in (self.scope.inputs or ()))
        )
        if meant:
            self.found.faults.append(relative(name, step.position))

    def unresolvable(self, value: _Kind, node: Node) -> None:
        whole: OneOf["steps", "root"] = "steps" if value is _STEPS else "root"
        self.found.faults.append(unresolvable(whole, node.position, self.scope))


def _inside(node: Node) -> Node:
    """A node without parentheses that hold it alone."""
    while isinstance(node, Block) and len(node.statements) == 1 and not node.predicates:
        node = node.statements[0]
    return node


def _is_path(node: Node) -> bool:
    return isinstance(_inside(node), Path)
