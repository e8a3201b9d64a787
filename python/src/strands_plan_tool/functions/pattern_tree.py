"""The parts of a regular expression, each with what the rules about patterns ask of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from strands_plan_tool.functions.pattern_sets import CodePoints

__all__ = [
    "Chars",
    "Choice",
    "Edge",
    "EdgeKind",
    "Group",
    "Part",
    "Repeat",
    "Row",
    "chars",
    "choice",
    "edge",
    "group",
    "repeat",
    "row",
]

EdgeKind: TypeAlias = Literal["^", "$", "b", "B"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a pattern.

    Attributes:
        nullable: Whether it can match the empty text.
        empty_last: Whether the empty text, if it can match that, is the last thing it tries.
        captures: Whether a group with a number is in it.
        weight: How much there is of it once its repeats are written out: one for each four
            ranges of each set. A repeat without an upper bound counts as its least, and at
            least once.
        product: The largest product of counts of repeats that stand in one another.
    """

    nullable: bool
    empty_last: bool = True
    captures: bool = False
    weight: int = 0
    product: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Chars(Part):
    """One character of a set."""

    points: CodePoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge(Part):
    """``^``, ``$``, ``\\b`` or ``\\B``, which match no character."""

    kind: EdgeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Part):
    """Brackets; ``number`` counts those that capture from 1 and is 0 for ``(?:...)``."""

    body: Part
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Part):
    """A part so many times; ``most`` is None without an upper bound."""

    body: Part
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Part):
    """Parts one after another; none at all is the empty text."""

    items: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Part):
    """Several options, tried from left to right."""

    options: tuple[Part, ...]


_RANGES_OF_ONE: Final = 4


def chars(points: CodePoints) -> Chars:
    weight = max(1, math.ceil(len(points) / _RANGES_OF_ONE))
    return Chars(points=points, nullable=False, weight=weight)


def edge(kind: EdgeKind) -> Edge:
    return Edge(kind=kind, nullable=True)


def group(body: Part, number: int) -> Group:
    return Group(
        body=body,
        number=number,
        nullable=body.nullable,
        empty_last=body.empty_last,
        captures=body.captures or number > 0,
        weight=body.weight,
        product=body.product,
    )


def repeat(body: Part, least: int, most: int | None, *, lazy: bool) -> Repeat:
    """A repeat; see the grammar for those that are refused."""
    count = max(least, 1) if most is None else most
    empty_last = body.empty_last and (least == most or not lazy)
    return Repeat(
        body=body,
        least=least,
        most=most,
        lazy=lazy,
        nullable=least == 0 or body.nullable,
        empty_last=empty_last,
        captures=body.captures,
        weight=body.weight * count,
        product=body.product * count,
    )


def row(items: Iterable[Part]) -> Part:
    items = tuple(items)
    if len(items) == 1:
        return items[0]
    return Row(
        items=items,
        nullable=all(item.nullable for item in items),
        empty_last=all(item.empty_last for item in items),
        captures=any(item.captures for item in items),
        weight=sum(item.weight for item in items),
        product=max((item.product for item in items), default=1),
    )


def choice(options: Iterable[Part]) -> Part:
    options = tuple(options)
    if len(options) == 1:
        return options[0]
    *earlier, last = options
    return Choice(
        options=options,
        nullable=any(option.nullable for option in options),
        empty_last=last.empty_last and not any(option.nullable for option in earlier),
        captures=any(option.captures for option in options),
        weight=sum(option.weight for option in options),
        product=max(option.product for option in options),
    )
