"""What a field's annotation becomes: the one it is stored by and the one it accepts.

``list[StepId]`` of the code generator is stored as ``Annotated[tuple[StepId, ...], FromList]``,
since a frozen model holds no list, and accepts ``list[StepId] | tuple[StepId, ...]``.
"""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet

MAP_MARK = "Field(validate_default=True)"


def source(node: ast.AST) -> str:
    """The node as code, with the double quotes of the house."""
    return ast.unparse(node).replace("'", '"')


def stored(node: ast.expr) -> ast.expr:
    """A field's annotation: a tuple where the generator wrote a list."""
    match _subscripted(node):
        case "Annotated", [first, *marks]:
            # The generator marks the default of a map; ours are all empty.
            return _annotated(stored(first), [m for m in marks if ast.unparse(m) != MAP_MARK])
        case "list", [item]:
            return _annotated(_tuple_of(stored(item)), [_name("FromList")])
        case "dict", [key, item]:
            return _subscript("dict", key, stored(item))
    if isinstance(node, ast.BinOp):
        return _either(stored(node.left), stored(node.right))
    return node


def accepted(node: ast.expr, enums: AbstractSet[str]) -> ast.expr:
    """What a caller may pass for a field, without its constraints.

    Args:
        node: The annotation as the code generator wrote it.
        enums: Names of the enums: for a member its text is accepted.
    """
    match _subscripted(node):
        case "Annotated", [first, *_]:
            return accepted(first, enums)
        case "list", [item]:
            element = accepted(item, enums)
            return _either(_subscript("list", element), _tuple_of(element))
        case "dict", [key, item] if source(item) in enums:
            # A dict of one is no dict of the other: it may be changed through either type.
            return _either(node, _subscript("dict", key, _name("str")))
    if isinstance(node, ast.BinOp):
        return _either(accepted(node.left, enums), accepted(node.right, enums))
    return _either(node, _name("str")) if source(node) in enums else node


def unconstrained(node: ast.expr) -> ast.expr:
    """The annotation without its constraints."""
    match _subscripted(node):
        case "Annotated", [first, *_]:
            return unconstrained(first)
    return node


def _subscripted(node: ast.expr) -> tuple[str, list[ast.expr]]:
    """``X[a, b]`` as its name and items; of anything else no name and no items."""
    if not isinstance(node, ast.Subscript):
        return "", []
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return source(node.value), items


def _annotated(node: ast.expr, marks: list[ast.expr]) -> ast.expr:
    """``node`` with further marks; one that bears some already gets them in front."""
    match _subscripted(node):
        case "Annotated", [first, *own]:
            return _annotated(first, [*marks, *own])
    return _subscript("Annotated", node, *marks) if marks else node


def _tuple_of(item: ast.expr) -> ast.expr:
    return _subscript("tuple", item, ast.Constant(...))


def _either(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.BinOp(left, ast.BitOr(), right)


def _subscript(name: str, *items: ast.expr) -> ast.expr:
    inner = items[0] if len(items) == 1 else ast.Tuple(list(items), ast.Load())
    return ast.Subscript(_name(name), inner, ast.Load())


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
