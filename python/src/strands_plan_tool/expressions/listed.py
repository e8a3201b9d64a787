"""The functions of the language by name: those listed, and what stands outside the list.

What they take and do is the table of ``functions``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.tree import Node, Regex

__all__ = ["LISTED", "MEANT", "REFUSED", "leaves_context", "usage"]

LISTED: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(parameters.split())
    for name, parameters in {
        "string": "value indent",
        "number": "value",
        "boolean": "value",
        "not": "value",
        "length": "text",
        "substring": "text start length",
        "substringBefore": "text mark",
        "substringAfter": "text mark",
        "lowercase": "text",
        "uppercase": "text",
        "trim": "text",
        "pad": "text width filler",
        "contains": "text pattern",
        "split": "text separator limit",
        "join": "texts separator",
        "match": "text pattern limit",
        "replace": "text pattern replacement limit",
        "formatNumber": "number picture",
        "formatBase": "number radix",
        "floor": "number",
        "ceil": "number",
        "abs": "number",
        "round": "number precision",
        "power": "base exponent",
        "sqrt": "number",
        "sum": "numbers",
        "max": "numbers",
        "min": "numbers",
        "average": "numbers",
        "count": "list",
        "append": "list more",
        "sort": "list function",
        "reverse": "list",
        "distinct": "list",
        "zip": "list ...",
        "keys": "object",
        "lookup": "object key",
        "spread": "object",
        "merge": "objects",
        "sift": "object function",
        "each": "object function",
        "type": "value",
        "exists": "value",
        "map": "list function",
        "filter": "list function",
        "single": "list function",
        "reduce": "list function start",
        "error": "message",
        "assert": "condition message",
        "base64encode": "text",
        "base64decode": "text",
        "encodeUrlComponent": "text",
        "encodeUrl": "text",
        "decodeUrlComponent": "text",
        "decodeUrl": "text",
        "toMillis": "date",
        "fromMillis": "millis",
    }.items()
}
"""Every function of the profile, with its parameters as hints call them."""

REFUSED: Final = {
    "eval": "write the expression itself where its value is wanted",
    "now": "a plan must replay: let a tool or the host's input give the time",
    "millis": "a plan must replay: let a tool or the host's input give the time",
    "random": "a plan must replay: let a tool give the random number",
    "shuffle": "a plan must replay: let a tool give the order",
    "clone": "values never change, so leave $clone out",
    "formatInteger": "write $string(...) or $formatBase(...)",
    "parseInteger": "write $number(...)",
}
"""Functions of JSONata that no plan may call, each with what to do instead."""

MEANT: Final = {
    "avg": "average",
    "mean": "average",
    "upper": "uppercase",
    "lower": "lowercase",
    "toUpperCase": "uppercase",
    "toLowerCase": "lowercase",
    "toUpper": "uppercase",
    "toLower": "lowercase",
    "str": "string",
    "float": "number",
    "parseFloat": "number",
    "toNumber": "number",
    "bool": "boolean",
    "unique": "distinct",
    "uniq": "distinct",
    "forEach": "map",
    "fold": "reduce",
    "sorted": "sort",
}
"""What functions and methods of other languages are called here, where they do the same."""


def leaves_context(name: str, count: int, *, first: Iterable[Node] = ()) -> bool:
    """Whether a call leaves its first argument to the context.

    Args:
        name: The function.
        count: How many arguments it is given.
        first: The first of them, which may be a regular expression: then it searches the
            context, however many follow.
    """
    if any(isinstance(argument, Regex) for argument in first):
        return True
    function = FUNCTIONS[name]
    if function.signature.has_context:
        return count <= max(function.least, function.function_at or 0)
    return False


def usage(name: str) -> str:
    """A listed function with its parameters: ``$round(number, precision?)``."""
    function = FUNCTIONS[name]
    required = function.least + function.signature.has_context
    required = max(required, (function.function_at or 0) + (name in ("sift", "each")))
    parameters = [
        parameter + ("?" if index >= required and parameter != "..." else "")
        for index, parameter in enumerate(LISTED[name])
    ]
    return f"${name}({', '.join(parameters)})"
