"""What the language allows: the library's tree turned into ours, all else refused.

Everything refused is found at once; in its place stands a ``Refused`` so that the rest
can still be checked. Such a tree is never evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from strands_plan_tool.expressions.listed import LISTED, leaves_context
from strands_plan_tool.expressions.literals import pattern_fault, picture_fault
from strands_plan_tool.expressions.problems import Fault, Scope, shown
from strands_plan_tool.expressions.refusals import (
    function_wanted,
    loose_operand,
    lost_context,
    lost_ending,
    name_as_function,
    pattern_wanted,
    refused,
    too_many_or_few,
    uncallable_variable,
    unknown_function,
    unknown_variable,
)
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tails import lost_contexts, lost_endings
from strands_plan_tool.functions import FUNCTIONS
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
    FunctionName,
    Lambda,
    Literal,
    Name,
    Negate,
    Node,
    Object,
    Path,
    Range,
    Regex,
    Sort,
    SortTerm,
    Variable,
    Wildcard,
)

__all__ = ["Refused", "tree_of"]

_LARGEST_INTEGER: Final = 2**53 - 1
_OPERATIONS: Final = frozenset({"binary", "apply", "bind", "condition"})
_FALLBACKS: Final = frozenset({"??", "?:"})
_ROOTS: Final = frozenset({"steps", "input"})
_OPTIONAL: Final = frozenset({"sort", "single", "replace"})
_COMPARED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Node):
    """What the profile refuses, and the nodes in it that it would allow elsewhere."""

    inside: tuple[Node, ...] = ()


def tree_of(parsed: Any, scan: Scan, scope: Scope | None) -> tuple[Node, list[Fault]]:
    """Our tree of what the library parsed, and every reason to refuse it.

    Args:
        parsed: What ``parser.parse`` gave.
        scope: What may be named; with None (a bare root) there is no ``$steps`` either.
    """
    reader = _Reader(scan, scope)
    return reader.node(parsed), reader.faults


class _Reader:
    """One reading of one tree.

    Attributes:
        variables: The names in sight, innermost block or function last.
        rows: How many rows deep it is; in one a bare name is a field.
    """

    def __init__(self, scan: Scan, scope: Scope | None) -> None:
        self.scan = scan
        self.scope = scope
        self.faults: list[Fault] = []
        self.variables: list[set[str]] = [set()]
        self.rows = 0

    def node(self, n: Any) -> Node:
        return _KINDS[n.type](self, n)

    def refuse(self, position: int, message: str, hint: str, *inside: Node) -> Node:
        self.faults.append(refused(position, message, hint))
        return Refused(inside=inside, position=position)

    def parts(self, n: Any) -> dict[str, Any]:
        """What any node has, as far as it differs from the default."""
        parts: dict[str, Any] = {"position": n.position}
        if n.predicate is not None or n.stages is not None or n.group is not None:
            self.rows += 1
            if n.predicate is not None:
                parts["predicates"] = tuple(self.node(each.expr) for each in n.predicate)
            if n.stages is not None:
                parts["stages"] = tuple(self.node(each.expr) for each in n.stages)
            if n.group is not None:
                parts["group"] = self.pairs(n.group.lhs_object)
            self.rows -= 1
        if n.keep_array:
            parts["keep_array"] = True
        return parts

    def pairs(self, pairs: Any) -> tuple[tuple[Node, Node], ...]:
        return tuple((self.node(key), self.node(value)) for key, value in pairs)

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

    def in_sight(self, name: str) -> bool:
        if any(name in names for names in self.variables):
            return True
        if self.scope is None:
            return False
        return name in _ROOTS or (self.scope.has_item and name in ("item", "index"))

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

    def declare(self, name: str, position: int) -> None:
        if name in ("", "$") or name in _ROOTS or name in LISTED:
            meaning = "a listed function" if name in LISTED else "what a plan reads"
            self.refuse(position, f"${name} is the name of {meaning}", "choose another name")
        self.variables[-1].add(name)

    def function(self, n: Any) -> Node:
        """A function written where one belongs."""
        self.variables.append(set())
        for parameter in n.arguments:
            self.declare(parameter.value, parameter.position)
        body = self.node(n.body)
        self.variables.pop()
        parameters = tuple(parameter.value for parameter in n.arguments)
        for ending in lost_endings(body):
            self.faults.append(lost_ending(self.scan, ending))
        for call in lost_contexts(body):
            self.faults.append(lost_context(self.scan, call, parameters))
        return Lambda(parameters=parameters, body=body, position=n.position)

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

    def pattern(self, n: Any) -> Node:
        """A regular expression written where one belongs."""
        fault = pattern_fault(n.value, n.position)
        if fault is not None:
            self.faults.append(fault)
            return Refused(position=n.position)
        source, flags = n.value
        return Regex(
            pattern=source,
            ignore_case="i" in flags,
            multiline="m" in flags,
            position=n.position,
        )

    def apply(self, n: Any) -> Node:
        left, target = self.node(n.lhs), n.rhs
        if target.type == "function" and _is_bare(target):
            call = self.called(target, applied=1)
        elif target.type == "variable" and _is_bare(target):
            call = self.checked(target.value, target.position, (), applied=1)
        else:
            message = "what follows `~>` is no plain call of a listed function"
            hint = "write a call after it, and go on from its value as (x ~> $f()).y"
            return self.refuse(n.position, message, hint, left)
        if isinstance(call, Refused):
            return Refused(inside=(left, call), position=call.position)
        return Apply(left=left, call=call, **self.parts(n))

    def call(self, n: Any) -> Node:
        call = self.called(n, applied=0)
        parts = self.parts(n)
        if len(parts) == 1:
            return call
        parts["position"] = call.position
        if isinstance(call, Refused):
            return Refused(inside=call.inside, **parts)
        return Call(name=call.name, arguments=call.arguments, **parts)

    def called(self, n: Any, applied: int) -> Call | Refused:
        target = n.procedure
        if target.type == "variable" and _is_bare(target):
            return self.checked(target.value, target.position, n.arguments, applied)
        arguments = tuple(self.node(argument) for argument in n.arguments)
        first = target.steps[0] if target.type == "path" and len(target.steps) == 1 else None
        if first is not None and first.type == "name":
            self.faults.append(unknown_function(self.scan, first.value, first.position))
            return Refused(inside=arguments, position=first.position)
        if target.type == "lambda":
            arguments = (self.function(target), *arguments)
            message = "a function is called where it is written"
            hint = "name the values in a block instead: ($x := ...; ...)"
        else:
            message = "what is called here is no function's name"
            hint = "call a listed function by its name: $name(...)"
        self.faults.append(refused(n.position, message, hint))
        return Refused(inside=arguments, position=n.position)

    def checked(
        self, name: str, position: int, arguments: Iterable[Any], applied: int
    ) -> Call | Refused:
        """A call by name; ``applied`` is 1 where ``~>`` puts a value before its arguments."""
        arguments = tuple(arguments)
        function = FUNCTIONS.get(name)
        shadowed = any(name in names for names in self.variables)
        if function is None or shadowed:
            inside = tuple(self.node(argument) for argument in arguments)
            if shadowed:
                self.faults.append(uncallable_variable(name, position))
            else:
                self.faults.append(unknown_function(self.scan, name, position, "$"))
            return Refused(inside=inside, position=position)
        count = len(arguments) + applied
        # With a regular expression first, it is the context that is searched.
        leading = function.pattern_at is not None and not applied and _is_regex(arguments[:1])
        shift = applied + (leading or leaves_context(name, count))
        place = None if function.function_at is None else function.function_at - shift
        pattern = None if function.pattern_at is None else function.pattern_at - shift
        if (
            count < function.least
            or (function.most is not None and count > function.most - leading)
            or (place is not None and place >= len(arguments) and name not in _OPTIONAL)
        ):
            self.faults.append(too_many_or_few(name, count, position))
        elif name == "formatNumber":
            fault = picture_fault(self.scan, arguments)
            self.faults += [] if fault is None else [fault]
        made: list[Node] = []
        for index, argument in enumerate(arguments):
            if index == place:
                made.append(self.function_argument(argument, name, index, position))
            elif index == pattern and argument.type == "regex" and _is_bare(argument):
                made.append(self.pattern(argument))
            else:
                made.append(self.node(argument))
                if index == pattern and name == "match" and argument.type != "regex":
                    self.faults.append(pattern_wanted(index, made[-1].position))
        return Call(name=name, arguments=tuple(made), position=position)

    def function_argument(self, n: Any, caller: str, place: int, position: int) -> Node:
        """What stands where the call at a position wants a function."""
        if n.type == "lambda" and not n.thunk and _is_bare(n):
            return self.function(n)
        if n.type == "variable" and n.value in LISTED and not self.in_sight(n.value):
            named = FUNCTIONS.get(n.value)
            if named is not None and caller in named.by_name_in and _is_bare(n):
                return FunctionName(name=n.value, position=n.position)
            self.faults.append(name_as_function(n.value, n.position, caller))
            return Refused(position=n.position)
        node = self.node(n)
        if caller != "replace":
            where = node.position if place else position
            self.faults.append(function_wanted(caller, place, where))
        return node


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


def _is_regex(arguments: tuple[Any, ...]) -> bool:
    return any(argument.type == "regex" for argument in arguments)


def _is_bare(n: Any) -> bool:
    """Whether no predicate and no group follows."""
    return n.predicate is None and n.stages is None and n.group is None
