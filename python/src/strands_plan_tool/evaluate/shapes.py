"""Common shapes of expressions, run in one go; each counts what its plain tree counts.

These are the shapes for one context; ``bulk`` has those for a whole list. A shape first
sees whether the data is as plain as it takes for granted and whether enough steps are left
for all of it. If not, the plain closure runs instead, so that what is odd, and where a
limit fails, is decided in one place only.
"""

from __future__ import annotations

import operator
from typing import Any, Final

from strands_plan_tool.functions.compiling import Closure
from strands_plan_tool.tree import Binary, Literal, Name, Negate, Node, Object, Path, Variable
from strands_plan_tool.values import NOTHING
from strands_plan_tool.values.budget import LEFT, State, sizes, spend, text_size

__all__ = [
    "FORBIDDEN_KEYS",
    "MAKING",
    "PLAIN",
    "field_with_literal",
    "fields_of",
    "fixed_keys",
    "is_fixed",
    "object_of_names",
    "object_of_values",
    "path_of_fields",
    "row_of",
]

FORBIDDEN_KEYS: Final = frozenset({"__proto__", "_jsonata_lambda", "_jsonata_function"})
"""What no object may have for a key, since the reference or its host means something by it."""

PLAIN: Final = frozenset({str, int, float, bool, type(None), dict, list})
"""What a field may hold for a shape to pass it on as it is."""
MAKING: Final = 16
"""What making an object takes, as against adding two numbers."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_NUMBERS: Final = frozenset({int, float})
_COMPARABLE: Final = frozenset({int, float, str})
# Texts of fewer characters add nothing to the count.
_SHORT: Final = 16
_COMPARE: Final = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_COMPARISONS: Final = frozenset({"=", "!=", *_COMPARE})


def fields_of(node: Node) -> tuple[str | None, tuple[str, ...]] | None:
    """A path of names alone, none of them strict: the variable it begins with, and the names.

    The variable is None where the path begins in the context. Any other node is None.
    """
    if (
        not isinstance(node, Path)
        or node.keep_singleton
        or node.keep_array
        or node.group is not None
    ):
        return None
    first, *others = node.steps
    variable = None
    if isinstance(first, Variable):
        if not (first.name and _is_bare(first) and others):
            return None
        variable = first.name
    else:
        others = [first, *others]
    names = tuple(
        step.value
        for step in others
        if isinstance(step, Name) and step.strict is None and _is_bare(step)
    )
    return (variable, names) if len(names) == len(others) else None


def row_of(node: Node) -> tuple[list[tuple[str, str]], int, str | None] | None:
    """An object whose members are all fields of one object, under keys that are written out.

    Returns:
        Keys, each with the name of the field that it takes; what the texts of the keys add;
        the variable that holds the object, None if it is the context. None for any other node.
    """
    keys = fixed_keys(node)
    if keys is None or not isinstance(node, Object) or not keys:
        return None
    fields = [field for _, value in node.members if (field := fields_of(value))]
    names = [field[1][0] for field in fields if len(field[1]) == 1]
    if len(names) < len(keys) or len({field[0] for field in fields}) > 1:
        return None
    return list(zip(keys, names, strict=True)), sum(map(text_size, keys)), fields[0][0]


def fixed_keys(node: Node) -> list[str] | None:
    """The keys of an object that are written out, each its own and in the order they keep."""
    if not isinstance(node, Object):
        return None
    keys = [_fixed_key(key) for key, _ in node.members]
    known = [key for key in keys if key is not None]
    return known if len(set(known)) == len(keys) else None


def _fixed_key(key: Node) -> str | None:
    if not (isinstance(key, Literal) and isinstance(key.value, str) and _is_bare(key)):
        return None
    return None if key.value in FORBIDDEN_KEYS or key.value[:1].isdigit() else key.value


def is_fixed(node: Node) -> bool:
    """Whether a node's value is the same in every context, made of literals and variables."""
    match node:
        case Literal():
            return True
        case Variable():
            return node.name != "" and _is_bare(node)
        case Negate():
            return is_fixed(node.operand)
        case Binary():
            return is_fixed(node.left) and is_fixed(node.right)
        case Path(steps=(Variable(name=name) as first, *others)):
            return (
                name != ""
                and _is_bare(first)
                and node.group is None
                and all(isinstance(step, Name) and _is_plain_step(step) for step in others)
            )
    return False


def _is_plain_step(step: Node) -> bool:
    return not (step.predicates or step.group is not None) and all(map(is_fixed, step.stages))


def _is_bare(node: Node) -> bool:
    return not (node.stages or node.predicates or node.group is not None or node.keep_array)


def path_of_fields(names: tuple[str, ...], place: int | None, slow: Closure) -> Closure:
    """A path of names from the context, or from the variable in a place."""
    if len(names) > 1:
        return _walk(names, place, slow)
    name = names[0]

    def of_context(context: Any, state: State) -> Any:
        if type(context) is dict:
            value = context.get(name, NOTHING)
            left = state[LEFT] - 2
            if left >= 0 and (type(value) in PLAIN or value is NOTHING):
                state[LEFT] = left
                return value
        return slow(context, state)

    if place is None:
        return of_context

    def of_variable(context: Any, state: State) -> Any:
        holder = state[place]
        if type(holder) is dict:
            value = holder.get(name, NOTHING)
            left = state[LEFT] - 3
            if left >= 0 and (type(value) in PLAIN or value is NOTHING):
                state[LEFT] = left
                return value
        return slow(context, state)

    return of_variable


def _walk(names: tuple[str, ...], place: int | None, slow: Closure) -> Closure:
    begun = 1 if place is None else 2

    def run(context: Any, state: State) -> Any:
        value = context if place is None else state[place]
        steps = begun
        for name in names:
            if type(value) is not dict:
                return slow(context, state)
            value = value.get(name, NOTHING)
            steps += 1
            if value is NOTHING:
                break
        left = state[LEFT] - steps
        if left < 0 or (value is not NOTHING and type(value) not in PLAIN):
            return slow(context, state)
        state[LEFT] = left
        return value

    return run


def field_with_literal(
    names: tuple[str, ...], place: int | None, name: str, literal: Any, slow: Closure
) -> Closure:
    """``name op literal`` for a comparison, of a field of the context or of a variable.

    Args:
        names: The path; only a single name is a shape.
        place: The variable's place; None for the context.
        name: The operator.
        literal: The value on the right.
        slow: The plain closure.
    """
    compare = _COMPARE.get(name, operator.eq if name == "=" else operator.ne)
    kinds = _NUMBERS if type(literal) in _NUMBERS else {type(literal)}
    short = type(literal) is not str or len(literal) < _SHORT
    if len(names) != 1 or name not in _COMPARISONS or not short:
        return slow
    if name in _COMPARE and type(literal) not in _COMPARABLE:
        return slow
    field = names[0]
    steps = 4 if place is None else 5

    def run(context: Any, state: State) -> Any:
        holder = context if place is None else state[place]
        if type(holder) is dict:
            value = holder.get(field, NOTHING)
            left = state[LEFT] - steps
            if left >= 0 and type(value) in kinds and (type(value) is not str or _plain(value)):
                state[LEFT] = left
                return compare(value, literal)
        return slow(context, state)

    return run


def _plain(text: str) -> bool:
    return len(text) < _SHORT and text.isascii()


def object_of_names(
    members: list[tuple[str, str]], keys_size: int, slow: Closure, place: int | None
) -> Closure:
    """``{"key": name}``: every key its own and in order, every value a name of one object.

    Args:
        members: Keys, each with the name of the field that it takes.
        keys_size: What the texts of the keys add.
        slow: The plain closure.
        place: The variable that the names are fields of; None for the context.
    """
    begun = 1 + MAKING + (3 if place is None else 4) * len(members) + keys_size

    def run(context: Any, state: State) -> Any:
        holder = context if place is None else state[place]
        if type(holder) is not dict or isinstance(context, list):
            return slow(context, state)
        made = {}
        steps = begun
        for key, name in members:
            value = holder.get(name, NOTHING)
            kind = type(value)
            if kind is str:
                if len(value) >= _SHORT:
                    steps += text_size(value)
            elif kind is dict or kind is list:
                steps += len(value)
            elif value is NOTHING:
                continue
            elif kind not in _SCALARS:
                return slow(context, state)
            made[key] = value
        left = state[LEFT] - steps - len(made)
        if left < 0:
            return slow(context, state)
        state[LEFT] = left
        return made

    return run


def object_of_values(
    members: list[tuple[str, Closure]], keys_size: int, slow: Closure
) -> Closure:
    """``{"key": value}``: every key its own and in order.

    Args:
        members: Keys, each with the closure of its value.
        keys_size: What the texts of the keys add.
        slow: The plain closure.
    """
    begun = 1 + MAKING + len(members) + keys_size

    def run(context: Any, state: State) -> Any:
        left = state[LEFT] - begun
        if left < 0 or isinstance(context, list):
            return slow(context, state)
        state[LEFT] = left
        made: dict[str, Any] = {}
        if not members:
            return made
        for key, closure in members:
            value = closure(context, state)
            if value is not NOTHING:
                made[key] = value
        spend(state, sizes(made.values()) + len(made))
        return made

    return run
