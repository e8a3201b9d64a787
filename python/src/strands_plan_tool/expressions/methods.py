"""Functions and methods of other languages that are none here, each with what to write.

A corrected text is only given where it means the same whatever the data are: a ``len`` of
something unknown may be of a list or of a text, and what is found out of that too late is
a wrong value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from strands_plan_tool.expressions.evident import Kind, Span, evident, text_of_span
from strands_plan_tool.expressions.listed import LISTED, MEANT, usage
from strands_plan_tool.expressions.operands import call_edits, operand_start
from strands_plan_tool.expressions.problems import Edit
from strands_plan_tool.expressions.scan import Scan

__all__ = ["Meaning", "meaning"]

_ITEM: Final = "take one item by its index: x[0] is the first, x[-1] the last"
_SHOWN: Final = 40
_CALM_BEFORE: Final = frozenset(("", "(", "[", "{", ",", ";", ":", "?", ":="))
_CALM_AFTER: Final = frozenset(("", ")", "]", "}", ",", ";", ":"))


class Meaning(NamedTuple):
    """What a call is to become: a hint, and the edits if they keep what it means."""

    hint: str
    edits: tuple[Edit, ...] = ()


def meaning(scan: Scan, position: int, name: str) -> Meaning | None:
    """What a call means whose name stands at a position; None if the name says nothing.

    Args:
        name: The name as written, without a ``$``.
    """
    call = _call_at(scan, position)
    if call is not None:
        rule = (_OF_METHODS if call.base is not None else {}).get(name) or _OF_ALL.get(name)
        if rule is not None:
            return rule(call)
    meant = name if name in LISTED else MEANT.get(name)
    if meant is None:
        return None
    return Meaning(f"write {usage(meant)}", call_edits(scan, position, meant))


@dataclass(frozen=True, slots=True)
class _Call:
    """A call in its pieces.

    Attributes:
        at: The index of its name.
        base: What stands before the dot of a method.
        given: Its arguments.
        close: The index of its closing bracket.
    """

    scan: Scan
    at: int
    base: Span | None
    given: tuple[Span, ...]
    close: int

    @property
    def operands(self) -> tuple[Span, ...]:
        """All that the function would be given."""
        return self.given if self.base is None else (self.base, *self.given)

    @property
    def position(self) -> int:
        return self.scan.tokens[self.at].start

    def kind(self, place: int) -> Kind | None:
        """What an operand evidently is."""
        return evident(self.scan, self.operands[place])

    def text(self, place: int) -> str:
        """An operand as written."""
        return text_of_span(self.scan, self.operands[place])

    def shown(self, place: int, otherwise: str) -> str:
        """An operand for a hint: as written if it is there and short."""
        text = self.text(place) if place < len(self.operands) else ""
        return text if 0 < len(text) <= _SHOWN else otherwise

    def whole(self, place: int) -> int | None:
        """The number that an operand is, from 0, if it is one and no more."""
        first, last = self.operands[place]
        value = self.scan.tokens[first].value
        plain = first == last and self.scan.tokens[first].kind == "number"
        return value if plain and isinstance(value, int) else None

    def is_function(self, place: int) -> bool:
        """Whether an operand is a function, written here or elsewhere."""
        first, last = self.operands[place]
        arrows = (n for n in range(first, last) if self.scan.is_sign(n, "="))
        return self.scan.tokens[first].value == "function" or any(
            self.scan.follows(n, ">") for n in arrows
        )

    def renamed(self, meant: str, after: str = "") -> tuple[Edit, ...]:
        """Edits that make it a call of a listed function, and put a text after it."""
        edits = call_edits(self.scan, self.position, meant)
        end = self.scan.tokens[self.close].end
        return (*edits, Edit(end, end, after)) if after else edits

    def replaced(self, text: str) -> tuple[Edit, ...]:
        """The edit that puts a text in its place."""
        first = self.at if self.base is None else self.base.first
        return (Edit(self.scan.tokens[first].start, self.scan.tokens[self.close].end, text),)

    def grouped(self, text: str) -> str:
        """A text in parentheses if it stands beside an operator."""
        first = self.at if self.base is None else self.base.first
        tokens = self.scan.tokens
        before = tokens[first - 1].sign if first else ""
        after = tokens[self.close + 1].sign if self.close + 1 < len(tokens) else ""
        return text if before in _CALM_BEFORE and after in _CALM_AFTER else f"({text})"


def _call_at(scan: Scan, position: int) -> _Call | None:
    at = scan.index_of(position)
    close = scan.partner.get(at + 1)
    if close is None or scan.opens.get(at + 1) != "call":
        return None
    base = None
    if scan.is_sign(at - 1, "."):
        start = operand_start(scan, at - 2)
        if start is None:
            return None
        base = Span(start, at - 2)
    given = []
    first = at + 2
    for place in range(at + 2, close + 1):
        if place == close or (scan.is_sign(place, ",") and scan.holder[place] == at + 1):
            if first < place:
                given.append(Span(first, place - 1))
            first = place + 1
    return _Call(scan, at, base, tuple(given), close)


def _length(call: _Call) -> Meaning:
    one = len(call.operands) == 1
    hint = "write $count({0}) for a list, $length({0}) for a text".format(call.shown(0, "x"))
    kind = call.kind(0) if one else None
    meant = {"text": "length", "list": "count"}.get(kind or "")
    if meant is None:
        return Meaning(hint)
    return Meaning(f"write {usage(meant)}", call.renamed(meant))


def _end(call: _Call) -> Meaning:
    """``first`` and ``last``: of a path that goes through a list, of all that it gives."""
    scan = call.scan
    if len(call.operands) == 2 and call.is_function(1):
        return _find(call) if scan.tokens[call.at].value == "first" else Meaning(_ITEM)
    if len(call.operands) != 1:
        return Meaning(_ITEM)
    index = "[0]" if scan.tokens[call.at].value == "first" else "[-1]"
    first, last = call.operands[0]
    around = scan.holder[first]
    dots = sum(scan.is_sign(n, ".") and scan.holder[n] == around for n in range(first, last))
    text = call.text(0)
    alone = operand_start(scan, last) == first and dots <= (scan.tokens[first].value == "steps")
    return Meaning(_ITEM, call.replaced((text if alone else f"({text})") + index))


def _find(call: _Call) -> Meaning:
    certain = len(call.operands) == 2 and call.is_function(1)
    hint = "write $filter(list, function)[0]"
    if not certain:
        hint += "; whether a text has a part, $contains(text, part) tells"
    return Meaning(hint, call.renamed("filter", "[0]") if certain else ())


def _contains(call: _Call) -> Meaning:
    whole, part = call.shown(0, "x"), call.shown(1, "y")
    hint = f"write $contains({whole}, {part}) for a text, {part} in {whole} for a list"
    if len(call.operands) != 2:
        return Meaning(hint)
    match call.kind(0):
        case "text":
            return Meaning(f"write {usage('contains')}", call.renamed("contains"))
        case "list":
            text = f"({call.text(1)} in {call.text(0)})"
            return Meaning("write `value in list`", call.replaced(text))
    return Meaning(hint)


def _slice(call: _Call) -> Meaning:
    """From a place to another, of a text or of a list."""
    hint = "write $substring(text, start, length) for a text, x[[start..end]] for a list"
    kind = call.kind(0) if call.operands else None
    if kind == "text":
        return Meaning(hint, _cut(call))
    if kind == "list" and len(call.operands) == 3:
        start, stop = call.whole(1), call.whole(2)
        if start is not None and stop is not None and start < stop:
            indexes = f"[[{start}..{stop - 1}]]"
            return Meaning(hint, call.replaced(call.text(0) + indexes))
    return Meaning(hint)


def _substring(call: _Call) -> Meaning:
    hint = "write $substring(text, start, length): its last argument is a length and no end"
    return Meaning(hint, _cut(call))


def _cut(call: _Call) -> tuple[Edit, ...]:
    """A part of a text from a place to another, if the places are numbers."""
    places = [call.whole(n) for n in range(1, len(call.operands))]
    match places:
        case [_]:
            return call.renamed("substring")
        case [int(start), int(stop)] if start <= stop:
            text = f"$substring({call.text(0)}, {start}, {stop - start})"
            return call.replaced(text)
        case [0, None]:
            return call.renamed("substring")
    return ()


def _substr(call: _Call) -> Meaning:
    hint = "write $substring(text, start, length?), where 0 is the first place"
    known = call.base is not None or call.scan.tokens[call.at].kind == "variable"
    from_start = len(call.operands) > 1 and call.whole(1) == 0
    return Meaning(hint, call.renamed("substring") if known or from_start else ())


def _integer(call: _Call) -> Meaning:
    return Meaning("write $number(text) to read a number, $floor(number) to cut one")


def _concat(call: _Call) -> Meaning:
    hint = "write `&` between texts, $append(list, more) for lists"
    places = range(len(call.operands))
    # Elsewhere a list takes a text in as an item, and a text takes no list in.
    kinds = [call.kind(n) for n in (places if call.base is None else places[:1])]
    if "text" in kinds:
        pieces = [call.text(n) for n in places]
        for n, (first, last) in enumerate(call.operands):
            if operand_start(call.scan, last) != first:
                pieces[n] = f"({pieces[n]})"
        joined = call.grouped(" & ".join(pieces))
        return Meaning("write `&` between texts", call.replaced(joined))
    if "list" in kinds and len(places) == 2:
        return Meaning(f"write {usage('append')}", call.renamed("append"))
    return Meaning(hint)


def _append(call: _Call) -> Meaning:
    hint = f"write {usage('append')}, which adds each item of a list"
    single = len(call.operands) == 2 and call.kind(1) not in (None, "list")
    return Meaning(hint, call.renamed("append") if single else ())


def _flat_map(call: _Call) -> Meaning:
    certain = len(call.operands) == 2 and call.is_function(1)
    hint = "write $map(list, function).$, whose `.$` makes one list of several"
    return Meaning(hint, call.renamed("map", ".$") if certain else ())


def _trim(call: _Call) -> Meaning:
    """At both ends alone, where ``$trim`` also makes one space of several inside."""
    hint = "write $trim(text), or $replace with a pattern if what is inside is to stay"
    ends = rf'$replace({call.text(0)}, /^\s+|\s+$/, "")'
    return Meaning(hint, call.replaced(ends) if len(call.operands) == 1 else ())


def _join(call: _Call) -> Meaning:
    hint = f"write {usage('join')}"
    if len(call.operands) == 1:
        return Meaning(hint, call.replaced(f'$join({call.text(0)}, ",")'))
    if len(call.operands) != 2:
        return Meaning(hint)
    if call.kind(0) == "text":
        return Meaning(hint, call.replaced(f"$join({call.text(1)}, {call.text(0)})"))
    return Meaning(hint, call.renamed("join"))


def _split(call: _Call) -> Meaning:
    hint = f"write {usage('split')}, where the limit is how many pieces there are"
    return Meaning(hint, call.renamed("split") if len(call.operands) == 2 else ())


def _replace(call: _Call) -> Meaning:
    hint = f"write {usage('replace')}, which without a limit replaces every match"
    return Meaning(hint, call.renamed("replace"))


def _match(call: _Call) -> Meaning:
    return Meaning("write $match(text, pattern), which gives objects with match and groups")


def _to_text(call: _Call) -> Meaning:
    one = len(call.operands) == 1
    return Meaning(f"write {usage('string')}", call.renamed("string") if one else ())


_Rule = Callable[[_Call], Meaning]

_OF_ALL: Final[dict[str, _Rule]] = {
    "len": _length,
    "size": _length,
    "first": _end,
    "last": _end,
    "find": _find,
    "includes": _contains,
    "slice": _slice,
    "substr": _substr,
    "int": _integer,
    "parseInt": _integer,
    "concat": _concat,
    "push": _append,
    "flatMap": _flat_map,
    "strip": _trim,
    "toString": _to_text,
}
_OF_METHODS: Final[dict[str, _Rule]] = {
    "length": _length,
    "contains": _contains,
    "substring": _substring,
    "append": _append,
    "trim": _trim,
    "join": _join,
    "split": _split,
    "replace": _replace,
    "match": _match,
}
"""Methods that bear the name of a listed function and do not do quite the same."""
