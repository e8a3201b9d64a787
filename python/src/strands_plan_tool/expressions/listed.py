"""The functions of the language by name: those listed, and what stands outside the list.

Which of the listed ones run, and with what, is the table of ``functions``.
"""

from __future__ import annotations

from typing import Final

from strands_plan_tool.functions import FUNCTIONS

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
    "len": "count",
    "size": "count",
    "first": "",
    "last": "",
    "avg": "average",
    "mean": "average",
    "upper": "uppercase",
    "lower": "lowercase",
    "toUpperCase": "uppercase",
    "toLowerCase": "lowercase",
    "toUpper": "uppercase",
    "toLower": "lowercase",
    "toString": "string",
    "str": "string",
    "int": "number",
    "float": "number",
    "parseInt": "number",
    "parseFloat": "number",
    "toNumber": "number",
    "bool": "boolean",
    "includes": "contains",
    "slice": "substring",
    "substr": "substring",
    "find": "filter",
    "push": "append",
    "concat": "append",
    "unique": "distinct",
    "uniq": "distinct",
    "flatMap": "map",
    "forEach": "map",
    "fold": "reduce",
    "sorted": "sort",
    "strip": "trim",
}
"""What functions and methods of other languages are called here; ``""`` is an index."""


def leaves_context(name: str, count: int) -> bool:
    """Whether a call with so many arguments leaves the first one to the context."""
    function = FUNCTIONS[name]
    if function.signature.has_context:
        return count <= max(function.least, function.function_at or 0)
    return False


def usage(name: str) -> str:
    """A listed function with its parameters: ``$round(number, precision?)``."""
    function = FUNCTIONS.get(name)
    required = len(LISTED[name])
    if function is not None:
        required = function.least + function.signature.has_context
        required = max(required, (function.function_at or 0) + (name in ("sift", "each")))
    parameters = [
        parameter + ("?" if index >= required and parameter != "..." else "")
        for index, parameter in enumerate(LISTED[name])
    ]
    return f"${name}({', '.join(parameters)})"
