"""Expressions of the profile, over what may be read where they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Final

from strands_plan_tool.testing.generation.choices import Choices
from strands_plan_tool.testing.generation.sources import Kind, Source, fields, sources
from strands_plan_tool.testing.generation.values import NUMBERS, TEXTS
from strands_plan_tool.testing.generation.ways import LEAVES, NEXT_TO, WAYS

__all__ = ["ExpressionMaker", "Source", "sources"]

_HOLE: Final = re.compile(r"@(\w+)")
_KINDS: Final[tuple[Kind, ...]] = ("any", "text", "number", "list", "boolean", "object")
# Whether it is a leaf, and whether it is something to read, if there is any.
_HOW: Final = ((5, (True, True)), (65, (False, False)), (25, (False, True)), (5, (True, True)))
_HOW_AT_LAST: Final = ((1, (True, True)),)


class ExpressionMaker:
    """Makes expressions that are accepted where the sources may be read.

    Args:
        choices: Where its decisions come from.
        readable: What may be read.
    """

    def __init__(self, choices: Choices, readable: Sequence[Source]) -> None:
        self._choices = choices
        self._readable = list(readable)
        self._made = 0

    def expression(self, kind: Kind | None = None, depth: int = 4) -> str:
        """An expression.

        Args:
            kind: What it gives if what it reads is as declared; by default anything.
            depth: How deep it may be nested.
        """
        wanted: Kind = self._choices.pick(_KINDS) if kind is None else kind
        return self._of(wanted, self._choices.between(0, depth))

    def _of(self, kind: str, depth: int) -> str:
        leaf, shown = self._choices.one_of(*(_HOW if depth > 0 else _HOW_AT_LAST))
        if shown and (path := self._path(kind)):
            return path
        way = self._choices.pick(LEAVES[kind] if leaf else WAYS[kind])
        return self._filled(way, depth - 1)

    def _filled(self, way: str, depth: int) -> str:
        return _HOLE.sub(lambda hole: self._hole(hole[1], depth), way)

    def _hole(self, name: str, depth: int) -> str:
        own: dict[str, Callable[[int], str]] = {
            "path": lambda _: self._path("any") or "[]",
            "int": lambda _: str(self._choices.between(0, 3)),
            "num": lambda _: _number(self._choices.pick(NUMBERS)),
            "txt": lambda _: json.dumps(self._choices.pick(TEXTS), ensure_ascii=False),
            "sign": lambda _: self._choices.pick("><"),
            "rowpath": self._row_path,
            "mapping": self._mapping,
            "filtering": self._filtering,
            "ordering": self._ordering,
            "folding": self._folding,
            "block": self._block,
        }
        if name in NEXT_TO:
            return self._choices.pick(NEXT_TO[name])
        return own[name](depth) if name in own else self._of(name, depth)

    def _path(self, kind: str) -> str | None:
        """Something to read that gives this kind; None if nothing is said to."""
        found = [one for one in self._readable if kind in (one.kind, "any")]
        return self._choices.pick(found).text if found else None

    def _listed(self) -> Source | None:
        """A list to read."""
        lists = [one for one in self._readable if one.kind == "list"]
        return self._choices.pick(lists) if lists else None

    def _row_path(self, depth: int) -> str:
        """A list with a predicate, a sort, a group or a step after it, all about its items."""
        rows = self._listed()
        if rows is None:
            return f"[{self._of('any', depth)}]"
        inner = self._in_rows(rows)
        choices = self._choices
        field = choices.pick([one.text for one in inner._readable if _bare(one.text)] or ["$"])
        ways = (
            *("[@boolean]", "[@int]", f"^({field})", f"^(>{field})", ".[@any]", ".(@any)"),
            *('.{"k": @any}', "[-1]", "[]", f"{{$string({field}): @any}}", f"[{field} = @any]"),
        )
        return rows.text + inner._filled(choices.pick(ways), depth - 1)

    def _in_rows(self, rows: Source) -> ExpressionMaker:
        """A maker for where bare names are the fields of a row."""
        outer = [
            one.named("$" + one.text) if _bare(one.text) else one for one in self._readable
        ]
        row = fields(rows.items, "")
        if rows.items.kind != "object":
            row = [rows.items.named("$")]
        return self._within(row + [one for one in outer if one.text[0] == "$"])

    def _within(self, readable: list[Source]) -> ExpressionMaker:
        maker = ExpressionMaker(self._choices, readable)
        maker._made = self._made
        return maker

    def _new(self) -> str:
        self._made += 1
        return f"$v{self._made}"

    def _lambda(self, kind: Kind, rows: Source, depth: int) -> str:
        name = self._new()
        item = rows.items.named(name)
        inner = self._within([*self._readable, item, *fields(item, f"{name}.")])
        body = inner._of(kind, depth)
        # Two braces together would begin a template.
        space = " " if body[0] == "{" else ""
        names = f"{name}, $at" if self._choices.chance(20) else name
        return f"function({names}){{{space}{body}}}"

    def _mapping(self, depth: int) -> str:
        rows = self._listed()
        if rows is None:
            return f"$map([1..3], function($v){{[{self._of('any', depth)}]}})"
        return f"$map({rows.text}, {self._lambda('any', rows, depth)})"

    def _filtering(self, depth: int) -> str:
        rows = self._listed()
        if rows is None:
            return f"$filter([1..3], function($v){{{self._of('boolean', depth)}}})"
        return f"$filter({rows.text}, {self._lambda('boolean', rows, depth)})"

    def _ordering(self, depth: int) -> str:
        rows = self._listed()
        below = [one.text for one in fields(rows.items, ".")] if rows else []
        field = self._choices.pick(below) if below else ""
        sign = self._choices.pick("><")
        of = (
            rows.text if rows else f"[{self._of('number', depth)}, {self._of('number', depth)}]"
        )
        return f"$sort({of}, function($l, $r){{$l{field} {sign} $r{field}}})"

    def _folding(self, depth: int) -> str:
        start = self._of("any", depth)
        of = self._of("list", depth)
        body = self._choices.pick(("$append($i, $j)", "$string($i) & $string($j)", "[$i, $j]"))
        return f"$reduce({of}, function($i, $j){{{body}}}, {start})"

    def _block(self, depth: int) -> str:
        name, value = self._new(), self._of("any", depth)
        known = Source(name, "any", {}, {})
        return (
            f"({name} := {value}; {self._within([*self._readable, known])._of('any', depth)})"
        )


def _bare(text: str) -> bool:
    """Whether a path begins with a name, which means another thing inside a predicate."""
    return text[0] != "$"


def _number(number: int | float) -> str:
    return json.dumps(number)
