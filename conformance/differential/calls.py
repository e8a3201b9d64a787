"""Calls of listed functions with whatever arguments: how each takes what it is not made for."""

from __future__ import annotations

import json
from typing import Final

from strands_plan_tool.functions import FUNCTIONS
from strands_plan_tool.testing.generation import Choices

__all__ = ["call"]

_NAMES: Final = tuple(sorted(FUNCTIONS))
_NUMBERS: Final = (
    *("0", "1", "-1", "2", "3", "0.5", "-0.5", "1.5", "2.5", "-2.5", "1e21", "1e-7", "1e300"),
    *("9007199254740991", "9007199254740993", "123456789012345678", "0.1", "100", "36", "16"),
    *("4294967296", "-4294967297", "1e400", "5e-324", "8640000000000001", "253402300800000"),
    *("1700000000000", "-62135596800001", "0.000001", "1.005", "12345.6789", "-0", "1.0"),
)
_TEXTS: Final = (
    *("", "a", "abc", "a,b,,c", " t  x ", "😀", "a😀b", "é", "e\u0301", "ß", "İ", "ŉ", "ǆ"),
    *(
        "1",
        "-1",
        "1.5",
        "1e3",
        " 1",
        "0x1F",
        "0b11",
        "0o17",
        ".5",
        "5.",
        "+1",
        "1_000",
        "Infinity",
    ),
    *(
        "2024-02-29",
        "2023-02-29",
        "2024-02-29T23:59:60Z",
        "2024-13-01",
        "0000-01-01",
        "2024-1-1",
    ),
    *("2024-02-29T01:02:03.4567+14:00", "9999-12-31T23:59:59.999Z", "2024-02-29T24:00:00Z"),
    *("2024-02-29T01:02Z", "2024-02-29T01:02:03z", "2024-02-29 01:02:03Z", "12024-01-01"),
    *(
        "#,##0.00",
        "0",
        "#",
        "00.##",
        "#0%",
        "0.0#;x",
        "$0",
        "0e0",
        "0,0",
        "#,#",
        "0.0.0",
        "%0",
        "é0",
    ),
    *(
        "YWJj",
        "YWJ",
        "8J+YgA==",
        "/w==",
        "a%20b",
        "%",
        "%zz",
        "%F0%9F%98%80",
        "%ff",
        "a b&c=d/é",
    ),
    *(
        "$1",
        "$0$1$$",
        "$10",
        "$&",
        "\\",
        '"',
        "'",
        "\n",
        "\t",
        "\x00",
        "\u2028",
        "\ufeff",
        "\u0085",
    ),
    *("a" * 70, "aXbXc", "AbC", "x=1", "(", "[a", "null", "true", "a.b", "open\r\nshut"),
)
_OTHERS: Final = (
    *(
        "()",
        "null",
        "true",
        "false",
        "[]",
        "[1]",
        "[1, 2]",
        '["b", "a"]',
        "[[1], [2]]",
        "[null]",
    ),
    *("{}", '{"a": 1}', '{"b": 1, "a": [1, 2], "1": null}', '[{"a": 1}, {"a": 2}, {"b": 3}]'),
    *("[1, true, 1, null]", '["a", 1]', "[[[1]]]", '[{"a": [1, {"a": 2}]}]', "[3, 1, 2]"),
    *("missing", "$", "$$", "n", "s", "l", "o", "rows", "rows.n", "v", "k", "b", "[1..3]"),
)
_LAMBDAS: Final = (
    *("function($x){$x}", "function(){1}", "function($x, $y){$y}", "function($x){$x > 1}"),
    *("function($x, $y){$x > $y}", "function($x, $y, $z){[$x, $y, $z]}", "function($x){true}"),
    *("function($m){$m.match}", "function($x, $y){$x & $y}", "function($x){()}", "$string"),
    *(
        "$uppercase",
        "$count",
        "$append",
        "$sum",
        "$not",
        "$keys",
        "$exists",
        "$boolean",
        "$join",
    ),
)
_PIECES: Final = (
    *(
        "a",
        "b",
        ".",
        "x",
        "[a-c]",
        "[^a]",
        r"\d",
        r"\w",
        r"\s",
        r"\b",
        r"\W",
        r"\S",
        r"\D",
        "(a)",
    ),
    *("(b|c)", "(?:ab)", "^", "$", "a*", "b+", "c?", "a{2}", "a{1,3}", "a{2,}", "a*?", "b+?"),
    *(
        "(a)?",
        "(x)|(y)",
        "😀",
        "é",
        r"\.",
        r"\/",
        r"\u0061",
        r"\x61",
        r"\n",
        r"[\d,]",
        "[^\\s]",
    ),
    *(
        r"\B",
        "(?=a)",
        r"\1",
        "(?<n>a)",
        "[]",
        "[^]",
        "a{1001}",
        "(a*)*",
        r"\p{L}",
        "[z-a]",
        "(",
        ")",
    ),
    *(
        "*",
        "{2}",
        "[😀]",
        "[é-ü]",
        "|",
        "()",
        "(?:)",
        "a{,2}",
        r"\cA",
        r"\0",
        r"\8",
        "-",
        "[a-]",
    ),
)


# What each takes: text, number, list, object, pattern, function, or anything.
_TAKES: Final = {
    "abs": "n", "append": "ll", "assert": "at", "average": "l", "base64decode": "t",
    "base64encode": "t", "boolean": "a", "ceil": "n", "contains": "tp", "count": "l",
    "decodeUrl": "t", "decodeUrlComponent": "t", "distinct": "l", "each": "of",
    "encodeUrl": "t", "encodeUrlComponent": "t", "error": "t", "exists": "a", "filter": "lf",
    "floor": "n", "formatBase": "nn", "formatNumber": "nt", "fromMillis": "n", "join": "lt",
    "keys": "o", "length": "t", "lookup": "ot", "lowercase": "t", "map": "lf", "match": "tpn",
    "max": "l", "merge": "l", "min": "l", "not": "a", "number": "t", "pad": "tnt",
    "power": "nn", "reduce": "lfa", "replace": "tptn", "reverse": "l", "round": "nn",
    "sift": "of", "single": "lf", "sort": "lf", "split": "tpn", "spread": "o", "sqrt": "n",
    "string": "a", "substring": "tnn", "substringAfter": "tt", "substringBefore": "tt",
    "sum": "l", "toMillis": "t", "trim": "t", "type": "a", "uppercase": "t", "zip": "ll",
}  # fmt: skip


def call(choices: Choices, depth: int = 2) -> str:
    """A call, or a chain of two."""
    name = choices.pick(_NAMES)
    takes = _TAKES.get(name, "a")
    if choices.chance(25):
        takes = "a" * choices.between(0, 4)
    elif choices.chance(25):
        takes = takes[: choices.between(1, len(takes))]
    given = [_of_kind(choices, kind, depth) for kind in takes]
    if depth and choices.chance(10):
        return f"({_argument(choices, depth - 1)} ~> ${name}({', '.join(given)}))"
    return f"${name}({', '.join(given)})"


def _of_kind(choices: Choices, kind: str, depth: int) -> str:
    if kind == "a" or choices.chance(8):
        return _argument(choices, depth)
    if depth and choices.chance(10):
        return call(choices, depth - 1)
    match kind:
        case "n":
            return choices.pick(_NUMBERS) if choices.chance(75) else _number(choices)
        case "t":
            return json.dumps(choices.pick(_TEXTS), ensure_ascii=choices.chance(30))
        case "f":
            return choices.pick(_LAMBDAS)
        case "p":
            return _pattern(choices) if choices.chance(75) else _of_kind(choices, "t", depth)
    return choices.pick(_OTHERS)


def _argument(choices: Choices, depth: int) -> str:
    match choices.below(12):
        case 0 | 1 | 2:
            return choices.pick(_NUMBERS) if choices.chance(80) else _number(choices)
        case 3 | 4 | 5:
            return json.dumps(choices.pick(_TEXTS), ensure_ascii=choices.chance(30))
        case 6 | 7:
            return choices.pick(_OTHERS)
        case 8:
            return choices.pick(_LAMBDAS)
        case 9 | 10:
            return _pattern(choices)
    return call(choices, depth - 1) if depth > 0 else choices.pick(_OTHERS)


def _number(choices: Choices) -> str:
    digits = choices.below(10 ** choices.between(1, 17))
    return f"{'-' if choices.chance(30) else ''}{digits}e{choices.between(-25, 8)}"


def _pattern(choices: Choices) -> str:
    pieces = "".join(choices.pick(_PIECES) for _ in range(choices.between(1, 4)))
    return f"/{pieces}/{choices.pick(('', '', 'i', 'm', 'im', 'g'))}"
