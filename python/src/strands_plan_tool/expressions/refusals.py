"""Why the profile refuses a thing, in words, and the edit that mends it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from strands_plan_tool.diagnostics import closest
from strands_plan_tool.expressions.listed import LISTED, REFUSED, usage
from strands_plan_tool.expressions.methods import Meaning, meaning
from strands_plan_tool.expressions.operands import call_edits, operand_end, operand_start
from strands_plan_tool.expressions.problems import Edit, Fault, Scope, shown
from strands_plan_tool.expressions.scan import Scan
from strands_plan_tool.tree import Block, Call, Node

__all__ = [
    "function_wanted",
    "item_hint",
    "loose_operand",
    "lost_context",
    "lost_ending",
    "marks",
    "name_as_function",
    "pattern_wanted",
    "refused",
    "too_many_or_few",
    "uncallable_variable",
    "unknown_function",
    "unknown_variable",
]

_FALLBACKS: Final = frozenset({"??", "?:"})
_COUNTING: Final = frozenset({"+", "-", "*", "/", "%"})
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
# What the function is that a bare name stands for, where it is given more than a value.
_BODIES: Final = {
    "reduce": "%($kept, $v)",
    "sort": "%($l) > %($r)",
    "replace": "%($m.match)",
}
_WITHOUT: Final = {
    "formatNumber": "the picture has no options beside it",
    "toMillis": "a date is 2024-02-29 or 2024-02-29T12:34:56Z, and takes no picture",
    "fromMillis": "it gives 2024-02-29T12:34:56.789Z and takes no picture; "
    "$substring(..., 0, 10) is the day",
}
_ALL: Final = " ".join("$" + name for name in LISTED)


def refused(position: int, message: str, hint: str, *edits: Edit) -> Fault:
    """A ``not_in_profile``."""
    return Fault("not_in_profile", position, message, hint, edits)


def marks(scan: Scan) -> list[Fault]:
    """What is refused by the look of a token, before the parser sees it."""
    faults = []
    for at, token in enumerate(scan.tokens):
        if token.kind == "regex" and (fault := _flags(scan, at)) is not None:
            faults.append(fault)
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


def _flags(scan: Scan, at: int) -> Fault | None:
    """Other flags than ``i`` and ``m`` directly behind a regular expression."""
    after = scan.tokens[at + 1] if at + 1 < len(scan.tokens) else None
    if after is None or after.kind != "name" or after.start != scan.tokens[at].end:
        return None
    message = f"the regular expression has the flag {shown(str(after.value))}"
    hint = "leave it out: the flags are i and m, and every match is found"
    return Fault("syntax", after.start, message, hint, (Edit(after.start, after.end, ""),))


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
    message = f"there is no function {mark}{shown(name)}"
    meant = meaning(scan, position, name)
    if meant is None:
        near = closest(name, LISTED)
        if near is None:
            hint = f"the functions are {_ALL}"
            return Fault("unknown_function", position, message, hint)
        meant = Meaning(f"write {usage(near)}", call_edits(scan, position, near))
    return Fault("unknown_function", position, message, *meant)


def uncallable_variable(name: str, position: int) -> Fault:
    """A call of a variable."""
    message = f"${shown(name)} is a variable, and variables are not called"
    hint = "write its body where it is wanted, or use $map(list, function($v){...})"
    return refused(position, message, hint)


def too_many_or_few(name: str, count: int, position: int) -> Fault:
    """A call with so many arguments as its function does not take."""
    given = f"{count} argument" if count == 1 else f"{count} arguments"
    hint = f"write {usage(name)}"
    if name in _WITHOUT and count > len(LISTED[name]):
        hint = f"{hint}: {_WITHOUT[name]}"
    return refused(position, f"${name} is given {given}", hint)


def pattern_wanted(place: int, position: int) -> Fault:
    """Something else where ``$match`` takes a regular expression."""
    message = f"argument {place + 1} of $match is a regular expression, written out there"
    return refused(position, message, "write it between slashes, as in $match(text, /[0-9]+/)")


def lost_ending(scan: Scan, ending: Node) -> Fault:
    """What follows a call at the end of a function, where the reference forgets it."""
    at = scan.index_of(ending.position)
    tokens = scan.tokens
    # The call alone: to the end of its own brackets.
    held = scan.partner.get(at if isinstance(ending, Block) else at + 1)
    last = operand_end(scan, at)
    message = "what follows a call at the end of a function is forgotten"
    if held is None or last is None:
        return refused(
            ending.position, message, "name the value first: ($value := ...; $value)"
        )
    edits: tuple[Edit, ...]
    if _is_call_alone(ending) and ending.predicates:
        edits = (
            Edit(tokens[at].start, tokens[at].end, ""),
            Edit(tokens[held].start, tokens[held].end, ""),
        )
        hint = "leave out the parentheses around the call, as in $f($v)[0]"
    elif ending.keep_array and not ending.predicates and ending.group is None:
        edits = (
            Edit(tokens[at].start, tokens[at].start, "["),
            Edit(tokens[held].end, tokens[last].end, "]"),
        )
        hint = "make the list with brackets around the call, as in [$f($v)]"
    else:
        edits = (
            Edit(tokens[at].start, tokens[at].start, "($value := "),
            Edit(tokens[held].end, tokens[held].end, "; $value"),
            Edit(tokens[last].end, tokens[last].end, ")"),
        )
        hint = "name the value first, as in ($value := $f($v); $value[0])"
    return refused(ending.position, message, hint, *edits)


def _is_call_alone(node: Node) -> bool:
    """Whether a call stands alone in parentheses."""
    return (
        isinstance(node, Block)
        and len(node.statements) == 1
        and isinstance(node.statements[0], Call)
    )


def lost_context(scan: Scan, call: Call, parameters: tuple[str, ...]) -> Fault:
    """A call at the end of a function that would take its context, and has none there."""
    message = f"${call.name} is given no value: at the end of a function there is no context"
    if not parameters:
        return refused(call.position, message, f"write {usage(call.name)}")
    value = f"${parameters[0]}"
    after = scan.tokens[scan.index_of(call.position) + 1].end
    between = ", " if call.arguments else ""
    edit = Edit(after, after, value + between)
    rest = ", ..." if call.arguments else ""
    return refused(call.position, message, f"write ${call.name}({value}{rest})", edit)


def name_as_function(name: str, position: int, caller: str) -> Fault:
    """A listed function's bare name as the function argument of a call."""
    written = _PARAMETERS[caller]
    body = _BODIES.get(caller, "%($v)").replace("%", f"${name}")
    literal = f"function({', '.join(written)}){{{body}}}"
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
    if start is not None and end is not None and not _torn(scan, start, end):
        first, last = tokens[start].start, tokens[end].end
        edits = (Edit(first, first, "("), Edit(last, last, ")"))
    message = f"an operation beside `{operator}` needs parentheses: `{operator}` takes it whole"
    return refused(position, message, "put what belongs together in parentheses", *edits)


def _torn(scan: Scan, start: int, end: int) -> bool:
    """Whether a fallback between two tokens may just as well belong with what is beside it.

    ``"n: " & a ?? 0`` and ``a ?? 0 > 3`` make sense in one way only; a sum does in two.
    """
    before = scan.tokens[start - 1] if start else None
    after = scan.tokens[end + 1].sign if end + 1 < len(scan.tokens) else ""
    counted = before is not None and not before.prefix and before.sign in _COUNTING
    return counted or after in _COUNTING or after == "&"
