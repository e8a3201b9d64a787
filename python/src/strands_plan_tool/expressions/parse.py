"""One expression, from its text to what runs: limits, habits, syntax, profile, references."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from strands_plan_tool.expressions.expression import Expression
from strands_plan_tool.expressions.habits import foreign
from strands_plan_tool.expressions.parser import UnreadableError, parse
from strands_plan_tool.expressions.paths import (
    is_named,
    is_plain_path,
    read_plain,
    read_plain_list,
    reads_item,
)
from strands_plan_tool.expressions.problems import Edit, Fault, Problem, Scope, edited
from strands_plan_tool.expressions.profile import tree_of
from strands_plan_tool.expressions.references import Read, References, references
from strands_plan_tool.expressions.refusals import marks
from strands_plan_tool.expressions.scan import (
    MAX_EXPRESSION_BYTES,
    MAX_EXPRESSIONS,
    MAX_LENGTH,
    Scan,
    scan,
)
from strands_plan_tool.expressions.slips import literal_fault, slips
from strands_plan_tool.expressions.syntax import empty_fault, syntax_fault
from strands_plan_tool.recursion import room_for
from strands_plan_tool.tree import Binary, Literal, Node, Path

__all__ = [
    "MAX_EXPRESSIONS",
    "MAX_EXPRESSION_BYTES",
    "Expression",
    "Problem",
    "Read",
    "Reading",
    "Scope",
    "named_expression",
    "parse_expression",
    "read_expression",
    "reads_a_step",
    "repaired",
]

_ROUNDS = 4
_LONGEST_REPAIR = 600

# How deep the stages call, at the most: about a level of the tree for each token, and
# some calls for a level.
_CALLS = 100
_CALLS_OF_A_TOKEN = 8


@dataclass(slots=True)
class Reading:
    """All that reading a text told.

    Attributes:
        expression: None if there are problems.
        problems: From left to right, then by code.
        reads: What it reads, as far as the text could be understood: also where the
            profile refuses it.
    """

    expression: Expression | None
    problems: tuple[Problem, ...]
    reads: tuple[Read, ...]


def parse_expression(
    text: str, scope: Scope | None
) -> tuple[Expression | None, tuple[Problem, ...]]:
    """Reads an expression and checks all that can be known before it runs.

    Args:
        scope: What it may name; None lifts the rules of root names, strict names and
            references, and keeps the profile and the limits.

    Returns:
        The expression, or None and what is wrong with it. Bad text raises nothing.
    """
    reading = read_expression(text, scope)
    return reading.expression, reading.problems


def named_expression(text: str, scope: Scope) -> Expression | None:
    """The commonest expressions, at once: see ``is_named``; None for any other text."""
    if not is_named(text, scope):
        return None
    return Expression(text, None, (), (), text[0] != "[", reads_item(text))


def read_expression(text: str, scope: Scope | None) -> Reading:
    """As ``parse_expression``, with the reads also of an expression that is refused."""
    if scope is not None:
        expression = named_expression(text, scope)
        if expression is not None:
            return Reading(expression, (), expression.reads)
        plain = read_plain(text, scope)
        if plain is not None:
            return _of_plain_paths(text, plain[0], (plain[1],))
        several = read_plain_list(text, scope)
        if several is not None:
            return _of_plain_paths(text, *several)
    found = _examined(text, scope)
    if not found.faults:
        assert found.tree is not None
        expression = _expression(text, found.tree, found.references)
        return Reading(expression, (), expression.reads)
    return Reading(None, _problems(text, scope, found.faults), tuple(found.references.reads))


def reads_a_step(text: str, scope: Scope) -> bool:
    """Whether a text is as a whole an expression that reads a step there is, or the item.

    For text that stands where an expression would have been meant. Texts beyond the
    limits, and all that are no expression, are quickly told.
    """
    if len(text) > MAX_LENGTH or ("steps" not in text and "item" not in text):
        return False
    plain = read_plain(text.strip(), scope)
    if plain is not None:
        return _names_something(plain[1], scope)
    found = _examined(text, scope, quoted=False)
    return not found.faults and any(
        _names_something(read, scope) for read in found.references.reads
    )


def repaired(text: str, scope: Scope | None) -> str:
    """The text with the edits of its faults made; ``""`` if that does not mend it wholly."""
    for _ in range(_ROUNDS):
        faults = _examined(text, scope).faults
        if not faults:
            return _in_one_line(text)
        after = edited(text, [edit for fault in faults for edit in fault.edits]).strip()
        if after == text:
            break
        text = after
    return ""


def _in_one_line(text: str) -> str:
    """A text without line breaks between its tokens, for a hint."""
    if "\n" not in text:
        return text
    pieces = []
    at = 0
    for token in scan(text).tokens:
        between = text[at : token.start]
        pieces += [" " if "\n" in between else between, text[token.start : token.end]]
        at = token.end
    return "".join(pieces)


@dataclass(slots=True)
class _Found:
    tree: Node | None = None
    references: References = field(default_factory=References)
    faults: list[Fault] = field(default_factory=list)


def _examined(text: str, scope: Scope | None, *, quoted: bool = True) -> _Found:
    scanned = scan(text)
    with room_for(_CALLS + _CALLS_OF_A_TOKEN * len(scanned.tokens)):
        return _examine(scanned, scope, quoted)


def _examine(scanned: Scan, scope: Scope | None, quoted: bool) -> _Found:
    """Goes as far as the text can be understood; a later stage needs the one before it."""
    found = _Found()
    faults = found.faults
    if scanned.fault is not None:
        faults.append(scanned.fault)
    elif not scanned.tokens:
        faults.append(empty_fault(scope))
    else:
        faults += foreign(scanned, scope)
        further = slips(scanned)
        if faults:
            # Their edits belong into the corrected text; they show once the habits are gone.
            last = faults[-1]
            edits = [edit for slip in further for edit in slip.edits]
            faults[-1] = replace(last, edits=(*last.edits, *edits))
        else:
            faults += further or marks(scanned)
    if faults:
        return _as_literal(scanned, scope, found)
    try:
        parsed = parse(scanned)
    except UnreadableError as fault:
        faults.append(syntax_fault(scanned, fault))
        return _as_literal(scanned, scope, found)
    found.tree, refused = tree_of(parsed, scanned, scope)
    faults += refused
    if scope is not None:
        found.references = references(found.tree, scanned, scope)
        faults += found.references.faults
        if quoted and isinstance(found.tree, Literal) and isinstance(found.tree.value, str):
            faults += _quoted(scanned, found.tree.value, scope)
        if not faults and isinstance(found.tree, Binary):
            # A date reads as a subtraction.
            return _as_literal(scanned, scope, found)
    return found


def _as_literal(scanned: Scan, scope: Scope | None, found: _Found) -> _Found:
    """What cannot be read may be text that was never meant as an expression."""
    if scope is not None and not any(f.code == "expression_limit" for f in found.faults):
        literal = literal_fault(scanned, scope)
        if literal is not None:
            found.faults = [literal]
    return found


def _quoted(scanned: Scan, content: str, scope: Scope) -> list[Fault]:
    """A whole expression between quotes is text."""
    if not reads_a_step(content, scope):
        return []
    first, last = scanned.tokens[0], scanned.tokens[-1]
    edit = Edit(first.start, last.end, content.strip())
    message = "the expression stands between quotes, so it is text"
    return [Fault("foreign_syntax", first.start, message, "leave the quotes out", (edit,))]


def _names_something(read: Read, scope: Scope) -> bool:
    if read.root == "steps":
        return read.id in scope.ids
    return read.root == "item" and bool(read.names)


def _of_plain_paths(text: str, tree: Node, reads: tuple[Read, ...]) -> Reading:
    plain = type(tree) is Path
    uses_item = "item" in [read.root for read in reads]
    return Reading(Expression(text, tree, (), reads, plain, uses_item), (), reads)


def _expression(text: str, tree: Node, found: References) -> Expression:
    reads = found.reads
    return Expression(
        text=text,
        tree=tree,
        inputs=tuple(dict.fromkeys(r.id for r in reads if r.root == "input")),
        reads=tuple(reads),
        plain_path=is_plain_path(tree),
        uses_item=found.uses_item,
    )


def _problems(text: str, scope: Scope | None, faults: list[Fault]) -> tuple[Problem, ...]:
    corrected = ""
    if len(text) <= _LONGEST_REPAIR and any(fault.edits for fault in faults):
        corrected = repaired(text, scope)
        if len(corrected) > _LONGEST_REPAIR:
            corrected = ""
    return tuple(
        Problem(
            code=fault.code,
            message=f"{fault.message} (position {fault.position})"
            if fault.code == "syntax"
            else fault.message,
            hint=f"{fault.hint}; corrected: {corrected}"
            if corrected and fault.edits
            else fault.hint,
            position=fault.position,
        )
        for fault in sorted(faults, key=lambda fault: (fault.position, fault.code))
    )
