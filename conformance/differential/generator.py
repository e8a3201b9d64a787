"""A seeded generator of typed expressions, each with data that fits it."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from typing import Any, Final

from grammar import LEAVES, NAMES, NUMBERS, TEXTS, WAYS

from strands_plan_tool.functions import FUNCTIONS

__all__ = ["Generator", "functions_left_out"]

_HOLE: Final = re.compile(r"@([a-z]+)")
_CALL: Final = re.compile(r"\$([A-Za-z0-9]+)\(")
_DEEPEST: Final = 5
# What a tool may return.
_STORED: Final = tuple(number for number in NUMBERS if abs(number) < 2**53)


@cache
def _ways(kind: str) -> tuple[str, ...]:
    return tuple(
        way for way in WAYS[kind] if all(name in FUNCTIONS for name in _CALL.findall(way))
    )


def functions_left_out() -> set[str]:
    """The functions of the language that no way of the grammar calls."""
    text = " ".join(" ".join(ways) for ways in WAYS.values())
    named = set(re.findall(r"\w+", text))
    return set(FUNCTIONS) - named


class Generator:
    """One expression and its data; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._variables: list[str] = []
        self._made = 0
        self._patternless = 0
        self._body = "shape" if self._random.random() < 0.4 else "any"

    def expression(self) -> str:
        """An expression."""
        return self._filled(f"@{self._body}", self._random.randrange(1, _DEEPEST))

    def data(self) -> Any:
        """Data of the kind that the expression reads."""
        return self._nested_data() if self._body == "shape" else self._rows_data()

    def _pick(self, among: Any) -> Any:
        return self._random.choice(among)

    def _filled(self, way: str, depth: int) -> str:
        return _HOLE.sub(lambda hole: self._of_kind(hole[1], depth), way)

    def _of_kind(self, kind: str, depth: int) -> str:
        match kind:
            case "name":
                name = self._pick(NAMES)
                return f"`{name}`" if name.isdigit() else name
            case "number":
                return _literal(self._pick(NUMBERS))
            case "text":
                return json.dumps(self._pick(TEXTS), ensure_ascii=self._random.random() < 0.5)
            case "variable":
                return "$" + (self._pick(self._variables) if self._variables else "")
            case "lambda":
                return self._lambda(self._body, depth)
            case "test":
                return self._lambda("bool", depth)
            case "block":
                return self._block(depth)
            case "left" | "leftpath":
                return self._without_patterns("path" if kind == "leftpath" else "any", depth)
        leaf = kind in LEAVES and (depth <= 0 or self._random.random() < 0.2)
        way = self._pick(LEAVES[kind] if leaf else _ways(kind))
        while self._patternless and "@regex" in way:
            way = self._pick(_ways(kind))
        return self._filled(way, depth - 1)

    def _block(self, depth: int) -> str:
        value = self._filled(f"@{self._body}", depth - 1)
        name = self._new()
        body = self._inside([name], self._body, depth)
        return f"(${name} := {value}; {body})"

    def _lambda(self, kind: str, depth: int) -> str:
        names = [self._new() for _ in range(self._random.randrange(1, 4))]
        body = self._inside(names, kind, depth)
        return f"function({','.join('$' + name for name in names)}){{{body}}}"

    def _without_patterns(self, kind: str, depth: int) -> str:
        self._patternless += 1
        made = self._filled(f"@{kind}", depth)
        self._patternless -= 1
        return made

    def _new(self) -> str:
        self._made += 1
        return f"x{self._made}"

    def _inside(self, names: list[str], kind: str, depth: int) -> str:
        self._variables += names
        body = self._filled(f"@{kind}", depth - 1)
        del self._variables[-len(names) :]
        return body

    def _scalar(self) -> Any:
        return self._pick((self._pick(_STORED), self._pick(TEXTS), self._pick((True, None))))

    def _value(self, depth: int, names: tuple[str, ...]) -> Any:
        how = self._random.random()
        if depth <= 0 or how < 0.4:
            return self._scalar()
        if how < 0.7:
            return [self._value(depth - 1, names) for _ in range(self._random.randrange(4))]
        return self._object(depth - 1, names)

    def _object(self, depth: int, names: tuple[str, ...]) -> dict[str, Any]:
        chosen = self._random.sample(names, self._random.randrange(min(len(names), 5) + 1))
        return {name: self._value(depth, names) for name in chosen}

    def _nested_data(self) -> Any:
        names = ("a", "b", "c")
        data = {name: self._value(4, names) for name in names}
        return data if self._random.random() < 0.8 else [data, self._value(3, names)]

    def _row(self) -> dict[str, Any]:
        row = {
            "n": self._pick(_STORED),
            "s": self._pick(TEXTS),
            "b": self._pick((True, False)),
            "l": [self._scalar() for _ in range(self._random.randrange(3))],
            "o": self._object(1, NAMES),
            "m": None,
        }
        return {name: value for name, value in row.items() if self._random.random() < 0.6}

    def _rows_data(self) -> Any:
        rows: list[Any] = [self._row() for _ in range(self._random.randrange(5))]
        data: dict[str, Any] = {
            "n": self._pick(_STORED),
            "s": self._pick(TEXTS),
            "b": self._pick((True, False)),
            "m": None,
            "l": [self._pick(_STORED) for _ in range(self._random.randrange(5))],
            "k": [self._pick(TEXTS) for _ in range(self._random.randrange(4))],
            "o": self._object(2, NAMES),
            "rows": [rows, [self._row()]] if self._random.random() < 0.2 else rows,
            "v": self._value(3, NAMES),
        }
        data = {name: value for name, value in data.items() if self._random.random() < 0.97}
        return [data, self._value(2, NAMES)] if self._random.random() < 0.05 else data


def _literal(number: float) -> str:
    return "1e21" if number == 1e21 else json.dumps(number)
