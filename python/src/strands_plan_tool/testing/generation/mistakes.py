"""What plans are spoilt with: odd values, fields of other formats, other languages' habits."""

from __future__ import annotations

from typing import Any, Final

from strands_plan_tool.wire.aliases import PLAN_NAMES, STEP_NAMES, STORED, THE_HOSTS

__all__ = ["FRAGMENTS", "FROM_TEXT", "INTO_TEXT", "NAMES", "OTHER_NAMES", "VALUES"]


def _other_names() -> dict[str, tuple[str, ...]]:
    """For each field of a step, what other formats call it."""
    names: dict[str, list[str]] = {}
    for name, aliases in sorted(STEP_NAMES.items()):
        for alias in aliases:
            names.setdefault(alias.field, []).append(name)
    return {field: tuple(found) for field, found in names.items()}


OTHER_NAMES: Final = _other_names()


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 1.5, "", "a", " ", "1", [], {}, [[]], ["a"], [1], [None]),
    *({"a": 1}, {"id": "a", "tool": "t"}, {"steps": []}, {"steps": [{"id": "a", "tool": "t"}]}),
    *(2**53, -(2**53), 2**53 - 1, 2**64, 1e21, 1e300, -0.0, 1.0, "\ud800", "\udc00x", "é"),
    *({"__proto__": 1}, {"\ud800": 1}, {"": ""}, "{", "[1", "{}", "[]", '["a"]', '{"a": 1}'),
    *("null", "true", "steps.a", "A", "1a", "a" * 33, "a-b", "any", "all", "fail_fast"),
    *("continue", "steps", "item", "index", "$", "```json\n{}\n```", "x" * 5000, ["a", "a"]),
    *(_nested(63), _nested(65), _nested(70), {"constructor": {}}, {"$ref": "#"}, 10**400),
)

NAMES: Final = (
    *("id", "tool", "args", "bind", "after", "when", "for_each", "join", "steps", "returns"),
    *("output", "final", "on_error", "depends_on", "dependsOn", "forEach", "onError", "Id"),
    *(
        "__proto__",
        "constructor",
        "toString",
        "",
        "comment",
        "description",
        "$schema",
        "\ud800",
    ),
    *sorted({*PLAN_NAMES, *STEP_NAMES, *THE_HOSTS, *STORED, "tool_name", "max_steps"}),
)

# fmt: off
FRAGMENTS: Final = (
    ".", "[", "]", "(", ")", "{", "}", ",", ";", ":", "'", '"', "`", "?", "??", "?:", ":=",
    "=", "==", "===", "!=", "!", "!==", "<", ">", "<=", "&", "&&", "|", "||", "|$|{}|", "@$x",
    "#$i", "%", "%.a", "*", "**", "/", "/a/", "/(?=a)/", "/a(/", "^", "^(a)", "~>",
    "~> |a|b|", " and ", " or ", " in ", " not ", "True", "False", "None", "undefined", "NaN",
    "null", "{{steps.a.n}}", "{{", "}}", "${steps.a.n}", "${", "{% if %}", "$..n", "[*]",
    "[?(@.n>1)]", "[?(@.n == 'x')]", "['n']", '["n"]', "[0]", "[-1]", "[]", "[1:2]",
    ".length", ".length()", ".map(x => x.n)", ".filter(x, x.n)", ".join(',')",
    ".toUpperCase()", ".n", ".nmae", ".a", "steps", "steps.", "steps.a", "steps.b.n",
    "$steps.a", "$steps", "$$.steps.a", "steps.zz", "input", "input.today", "input.x", "item",
    "item.id", "index", "$index", "$item", "$", "$$", "$count(", "$sum(", "$map(", "$now()",
    "$random()", "$eval('1')", "$shuffle([1])", "$len(", "$cuont(steps.a)", "$string()",
    "$map(steps, $f)", "function($x){$x}", "λ($x){$x}", "$x", "$x := 1", "($x := 1; $x)",
    "$f := function(){1}", "$uppercase", "$lookup(steps, 'a')", "$toMillis('2024-13-01')",
    "$formatNumber(1, '#0.0;0')", "$replace('a','a','b')", "1", "0", "-", "+", "1e400", "1.",
    ".5", "0x1F", "12345678901234567890", "'a'", '"a"', "\\", "'\\q'", "/* c */", "/*",
    "// c", "\n", "\t", "\xa0", "\u2028", "é", "😀", "\ud800", "\x00", "$é", '"\\ud800"',
    '"\\u00e9"', "as", "if", "?.", "...", "=>", "lambda x: x", "$.a", "$$.b", "((((", "))))",
    "[[[[", "?? ?? ", "1..3", "[1..", "..", "$match(a, b)", "$sort(a, $count)",
)

INTO_TEXT: Final = (
    "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\n", "\t", " ", "\x00", "\x1f", "\ufeff",
    "NaN", "Infinity", "-Infinity", "true", "True", "None", "null", "undefined", "//c\n",
    "/* c */", "#c\n", "1", "-", "01", "1.", ".5", "1e5", "1e400", "-0", "1E+2", "0x1F", "+1",
    "12345678901234567890", "9007199254740993", "1.0", "\\u00e9", "\\ud83d", "\\x41", "\\'",
    "\\ud800", '"\\ud800"', '"__proto__":1,', '"id":"z",', ",,", ",]", ",}", "}}", "]]",
    "```", "```json\n", "\n```", "é", "😀", "\u2028", "\xa0", '"a" "b"', '""', "...", "\r\n",
    "\x0b", "[" * 70, '{"a":' * 70, "9" * 400, "1" + "0" * 30, "<", "<!--",
)

FROM_TEXT: Final = (
    ('"', "'"), ('"', "“"), ('"', ""), (":", "="), (":", " "), (",", ""), (",", ";"),
    (",", ",,"), ("}", ",}"), ("]", ",]"), ("}", ""), ("]", ""), ("{", ""), ("[", ""),
    ("}", "]"), ("]", ")"), ("true", "True"), ("false", "False"), ("null", "None"),
    ('"id"', "id"), ('"tool"', "tool"), ('"steps"', '"steps":[],"steps"'),
    ('"id"', '"id":"zz","id"'), ("{", "{/*c*/"), (" ", "\xa0"),
    ('"args"', '"args":{},"args"'), ("\\", "\\\\"), ("\\n", "\n"), ("[", "(["), ("0", "00"),
    ("1", "1.0"), ("1", "1e0"), ("1", "+1"), ("1", "0x1"), ('": "', '": '), ('",', ","),
)
# fmt: on
