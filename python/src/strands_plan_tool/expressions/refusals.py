"""Why the profile refuses a thing, in words, and the edit that mends it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from strands_plan_tool.diagnostics import closest
from strands_plan_tool.expressions.listed import LISTED, MEANT, REFUSED, usage
from strands_plan_tool.expressions.operands import call_edits, operand_end, operand_start
from strands_plan_tool.expressions.problems import Edit, Fault, Scope, shown
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.functions import FUNCTIONS

__all__ = [
    "function_wanted",
    "item_hint",
    "loose_operand",
    "marks",
    "name_as_function",
    "refused",
    "unavailable",
    "uncallable_variable",
    "unknown_function",
    "unknown_variable",
]

_FALLBACKS: Final = frozenset({"??", "?:"})
_PARAMETERS: Final = {
    "map": ("$v",),
    "filter": ("$v",),
    "single": ("$v",),
    "reduce": ("$kept", "$v"),
    "sift": ("$v", "$k"),
    "each": ("$v", "$k"),
    "sort": ("$l", "$r"),
    "replace": ("$m",),
}
_AVAILABLE: Final = " ".join("$" + name for name in LISTED if name in FUNCTIONS)


def refused(position: int, message: str, hint: str, *edits: Edit) -> Fault:
    """A ``not_in_profile``."""
    return Fault("not_in_profile", position, message, hint, edits)


def marks(scan: Scan) -> list[Fault]:
    """What is refused by the look of a token, before the parser sees it."""
    faults = []
    for at, token in enumerate(scan.tokens):
        match token.sign:
            case "|":
                message = "a transform `|...|...|` is not allowed"
                hint = 'build the object: $merge([x, {"field": value}])'
            case "@":
                message = "a join with `@` is not allowed"
                hint = "filter with a predicate: $steps, $item and variables can be read in it"
            case "#":
                message = "an index with `#` is not allowed"
                hint = "number the rows: $map(list, function($v, $i){...})"
            case "%" if token.prefix:
                message = "the parent `%` is not allowed"
                hint = "go down with $map(list, function($v){...}), where $v stays at hand"
            case "?" if token.prefix:
                message = "a call that leaves arguments open with `?` is not allowed"
                hint = "write function($v){...} where the function is wanted"
            case "<" if at and scan.opens.get(scan.partner.get(at - 1, -1)) == "params":
                message = "a signature after function(...) is not allowed"
                hint = "leave <...> out"
            case _:
                continue
        faults.append(refused(token.start, message, hint))
    return faults


def item_hint(scope: Scope) -> str:
    """What to write instead of ``item`` where there is none."""
    match scope.field:
        case "for_each":
            return (
                "filter or shape the list itself, as in steps.a.rows[size > 3]; `item` is there"
                " in `bind`, for each entry of it"
            )
        case "when":
            return (
                "`when` is decided once for the step and not for each item: filter the list in"
                " `for_each`, as in steps.a.rows[size > 3]"
            )
        case "output":
            return "read the results: steps.<id> is the list that a step with `for_each` gave"
        case "bind":
            return "give the step a `for_each` that makes the list, or read a step: steps.<id>"


def unknown_variable(
    name: str, position: int, scope: Scope | None, known: Iterable[str], *, of_row: bool
) -> Fault:
    """A ``$name`` that nothing defines.

    Args:
        known: The variables in sight.
        of_row: Whether a bare name would be a field of a row there.
    """
    end = position + 1 + len(name)
    written = shown(name)
    if name in LISTED:
        message = f"the function ${name} stands where a value belongs"
        return refused(position, message, f"call it: {usage(name)}")
    if name in REFUSED:
        return refused(position, f"${name} is not allowed", REFUSED[name])
    edits: tuple[Edit, ...] = ()
    near = closest(name, known)
    if scope is not None and name in scope.ids:
        meant = f"{'$' if of_row else ''}steps.{name}"
        hint = f"write {meant}"
        edits = (Edit(position, end, meant),)
    elif scope is not None and name in ("item", "index"):
        hint = item_hint(scope)
    elif near is not None:
        hint = f"write ${near}"
        edits = (Edit(position, end, "$" + near),)
    else:
        hint = (
            f"define it first, (${written} := ...; ...), or read steps.<id> or input.<name>;"
            " a field whose name begins with $ is written in backticks"
        )
    return Fault("unknown_variable", position, f"there is no variable ${written}", hint, edits)


def unknown_function(scan: Scan, name: str, position: int, mark: str = "") -> Fault:
    """A call of what is no function: misspelled, without its ``$``, or a method.

    Args:
        mark: ``"$"`` if that was written.
    """
    if name in REFUSED:
        return refused(position, f"${name} is not allowed", REFUSED[name])
    meant = name if name in LISTED else MEANT.get(name)
    if meant is None:
        meant = closest(name, LISTED)
    if meant is None:
        hint = f"the functions are {_AVAILABLE}"
    elif meant == "":
        hint = "take one item by its index: x[0] is the first, x[-1] the last"
    else:
        hint = f"write {usage(meant)}"
    edits = () if meant is None else call_edits(scan, position, meant)
    message = f"there is no function {mark}{shown(name)}"
    return Fault("unknown_function", position, message, hint, edits)


def uncallable_variable(name: str, position: int) -> Fault:
    """A call of a variable."""
    message = f"${shown(name)} is a variable, and variables are not called"
    hint = "write its body where it is wanted, or use $map(list, function($v){...})"
    return refused(position, message, hint)


def unavailable(name: str, position: int) -> Fault:
    """A listed function that this version does not run."""
    message = f"${name} is not available in this version"
    return refused(position, message, "let a tool do it, or do without it")


def name_as_function(name: str, position: int, caller: str) -> Fault:
    """A listed function's bare name as the function argument of a call."""
    written = _PARAMETERS[caller]
    inner = ", ".join(written[: 2 if caller == "reduce" else 1])
    literal = f"function({', '.join(written)}){{${name}({inner})}}"
    edit = Edit(position, position + 1 + len(name), literal)
    message = f"the bare name ${name} is not taken as the function of ${caller}"
    return refused(position, message, f"write {literal}", edit)


def function_wanted(caller: str, place: int, position: int) -> Fault:
    """Something else where a call takes a function."""
    message = f"argument {place + 1} of ${caller} is a function, written out there"
    return refused(
        position, message, f"write function({', '.join(_PARAMETERS[caller])}){{...}}"
    )


def loose_operand(scan: Scan, position: int, operator: str) -> Fault:
    """An operation beside ``??`` or ``?:`` that would be read otherwise than it looks."""
    tokens = scan.tokens
    at = scan.index_of(position)
    start, end = operand_start(scan, at - 1), operand_end(scan, at + 1)
    while end is not None and end + 2 < len(tokens) and tokens[end + 1].sign in _FALLBACKS:
        end = operand_end(scan, end + 2)
    edits: tuple[Edit, ...] = ()
    if start is not None and end is not None:
        first, last = tokens[start].start, tokens[end].end
        edits = (Edit(first, first, "("), Edit(last, last, ")"))
    message = f"an operation beside `{operator}` needs parentheses: `{operator}` takes it whole"
    return refused(position, message, "put what belongs together in parentheses", *edits)
