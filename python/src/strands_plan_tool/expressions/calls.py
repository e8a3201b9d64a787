"""Calls as the language allows them, with the functions and patterns that stand in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from strands_plan_tool.expressions.listed import LISTED, leaves_context
from strands_plan_tool.expressions.literals import pattern_fault, picture_fault
from strands_plan_tool.expressions.problems import Fault, Scope
from strands_plan_tool.expressions.refusals import (
    function_wanted,
    lost_context,
    lost_ending,
    name_as_function,
    pattern_wanted,
    refused,
    too_many_or_few,
    uncallable_variable,
    unknown_function,
)
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.expressions.tails import lost_contexts, lost_endings
from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.tree import Apply, Call, FunctionName, Lambda, Node, Regex

__all__ = ["CallReader", "Refused"]

_ROOTS: Final = frozenset({"steps", "input"})
_OPTIONAL: Final = frozenset({"sort", "single", "replace"})


@dataclass(unsafe_hash=True, slots=True, kw_only=True)
class Refused(Node):
    """What the profile refuses, and the nodes in it that it would allow elsewhere."""

    inside: tuple[Node, ...] = ()


class CallReader(ABC):
    """One reading of one tree: what it has come by, and how it takes calls.

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

    @abstractmethod
    def node(self, n: Any) -> Node:
        """Our node of any of the library's."""

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

    def in_sight(self, name: str) -> bool:
        if any(name in names for names in self.variables):
            return True
        if self.scope is None:
            return False
        return name in _ROOTS or (self.scope.has_item and name in ("item", "index"))

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


def _is_regex(arguments: tuple[Any, ...]) -> bool:
    return any(argument.type == "regex" for argument in arguments)


def _is_bare(n: Any) -> bool:
    """Whether no predicate and no group follows."""
    return n.predicate is None and n.stages is None and n.group is None
