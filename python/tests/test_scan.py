"""What is told of an expression's text before any parser sees it."""

from __future__ import annotations

import pytest

from strands_plan_tool.expressions.problems import Edit, edited, shown
from strands_plan_tool.expressions.scan import MAX_LENGTH, scan
from strands_plan_tool.expressions.tokens import Pattern


def code(text: str) -> str | None:
    fault = scan(text).fault
    return None if fault is None else fault.code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a1 `b c` $d $",
            [("name", "a1"), ("quoted", "b c"), ("variable", "d"), ("variable", "")],
        ),
        ("$$", [("variable", "$")]),
        ("true false null", [("value", True), ("value", False), ("value", None)]),
        (
            "1 2.50 1e3 1E-1",
            [("number", 1), ("number", 2.5), ("number", 1000), ("number", 0.1)],
        ),
        ("007", [("number", 0), ("number", 0), ("number", 7)]),
        ("9007199254740993", [("number", 9007199254740992.0)]),
        ("a\v\t\r\n/* x */b", [("name", "a"), ("name", "b")]),
        ("don't", [("name", "don't")]),
        ("größe", [("name", "größe")]),
        (r"'a\"\\\/\b\f\n\r\tA'", [("string", 'a"\\/\b\f\n\r\tA')]),
        (r"'\ud83d\ude00'", [("string", "😀")]),
        ("a/b", [("name", "a"), ("operator", "/"), ("name", "b")]),
        (r"(/a[/]\/(/)/im", [("operator", "("), ("regex", Pattern(r"a[/]\/(/)", "im"))]),
        ("and and or", [("name", "and"), ("operator", "and"), ("name", "or")]),
        ("in.in", [("name", "in"), ("operator", "."), ("name", "in")]),
        (
            "a?:b??c:=d",
            [
                ("name", "a"),
                ("operator", "?:"),
                ("name", "b"),
                ("operator", "??"),
                ("name", "c"),
                ("operator", ":="),
                ("name", "d"),
            ],
        ),
        (
            "a..b**c~>d!=e",
            [
                ("name", "a"),
                ("operator", ".."),
                ("name", "b"),
                ("operator", "**"),
                ("name", "c"),
                ("operator", "~>"),
                ("name", "d"),
                ("operator", "!="),
                ("name", "e"),
            ],
        ),
    ],
)
def test_a_text_is_told_apart_as_the_reference_does(
    text: str, expected: list[tuple[str, object]]
) -> None:
    assert [(token.kind, token.value) for token in scan(text).tokens] == expected


def test_a_sign_is_prefix_where_an_operand_is_due() -> None:
    found = scan("-a - -b * * [-1][*]")
    signs = [(token.sign, token.prefix) for token in found.tokens if token.sign]
    assert signs == [
        ("-", True),
        ("-", False),
        ("-", True),
        ("*", False),
        ("*", True),
        ("[", False),
        ("-", True),
        ("]", False),
        ("[", False),
        ("*", True),
        ("]", False),
    ]


def test_brackets_know_their_partners_and_what_they_open() -> None:
    found = scan("(a[0]){b: [c]}^(d).{e: $f(function($g){h})}")
    assert found.fault is None
    opened = {found.tokens[at].start: what for at, what in found.opens.items()}
    assert opened == {
        0: "block",
        2: "predicate",
        6: "group",
        10: "list",
        15: "sort",
        19: "object",
        25: "call",
        34: "params",
        38: "body",
    }
    assert all(found.partner[found.partner[at]] == at for at in found.partner)
    inside = [
        found.held_by(at) for at, token in enumerate(found.tokens) if token.kind == "name"
    ]
    assert inside == ["block", "group", "list", "sort", "object", "call", "body"]


@pytest.mark.parametrize(
    "text",
    [
        "'a",
        '"a',
        "`a",
        "a /* b",
        "(",
        "a]",
        "(]",
        "'\\x'",
        "'\\u12'",
        "'\\ud800'",
        "\ud800",
        "1e999",
        "/",
        "/a",
        "//",
        "a & /b(/",
    ],
)
def test_what_is_wrong_without_a_parser_is_syntax(text: str) -> None:
    assert code(text) == "syntax"


@pytest.mark.parametrize(
    ("fits", "breaks"),
    [
        (" " * MAX_LENGTH, " " * (MAX_LENGTH + 1)),
        ("😀" * MAX_LENGTH, "😀" * (MAX_LENGTH + 1)),
        ("(" * 64 + "1" + ")" * 64, "[" * 65 + "1" + "]" * 65),
        ("-" * 64 + "a", "-" * 65 + "a"),
        ("a?b:" * 64 + "c", "a?b:" * 65 + "c"),
        ("(" * 63 + "$a:=1" + ")" * 63, "(" * 64 + "$a:=1" + ")" * 64),
        ("(a?1:2)" + "+(a?1:2)" * 100, "(a?1:2)?1:" * 65 + "c"),
        ("+".join("1" * 257), "+".join("1" * 258)),
        ("a" + ".b" * 256, "a" + ".b" * 257),
        ("a" + "[0]" * 256, "a" + "[0]" * 257),
        ("a" + "+(b)" * 256, "a" + "+(b)" * 257),
        ("[" + ",".join(["1+2"] * 257) + "]", "[" + "+".join(["1"] * 258) + "]"),
        ("((a??b)??c)??d", "(((a??b)??c)??d)??e"),
        ("((a?:b)?:c)?:d", "[({'k': a?:b}??c)]??[[[d?:(e)]??f]??g]"),
        ("((((((a??b))))))??c", "{'k': [(a??b)??c]??d}??e"),
        ("a??b" * 200, "f(f(f(f(a??b)??c)??d)??e)"),
    ],
)
def test_a_limit_is_kept_to_its_last_value(fits: str, breaks: str) -> None:
    assert code(fits) != "expression_limit"
    assert code(breaks) == "expression_limit"


def test_a_limit_is_told_where_it_is_broken() -> None:
    fault = scan("steps.a.x + " + "(" * 65).fault
    assert fault is not None
    assert (fault.code, fault.position) == ("expression_limit", 76)


@pytest.mark.parametrize(
    "text",
    [
        "'" + "(" * 200 + "'",
        "/*" + "[" * 200 + "*/1",
        "`" + "{" * 200 + "`",
        "f(a, /" + "\\(" * 200 + "/)",
    ],
)
def test_strings_comments_names_and_patterns_do_not_count(text: str) -> None:
    assert code(text) is None


def test_a_text_in_plain_letters_costs_one_pass_whatever_it_is() -> None:
    for piece in (
        "'",
        '"',
        "`",
        "/",
        "\\",
        "(",
        "{{",
        "'\\",
        "/*",
        "a[?",
        "!",
        "=",
        "|",
        "..",
        "1e",
    ):
        text = (piece * MAX_LENGTH)[:MAX_LENGTH]
        assert len(scan(text).tokens) <= MAX_LENGTH


def test_edits_are_made_from_left_to_right_and_of_overlapping_ones_the_first() -> None:
    edits = [
        Edit(4, 6, "E"),
        Edit(0, 0, "<"),
        Edit(0, 1, "A"),
        Edit(5, 7, "x"),
        Edit(8, 8, ">"),
    ]
    assert edited("abcdefgh", edits) == "<AbcdEgh>"
    assert edited("abcd", [Edit(0, 2, "x"), Edit(0, 3, "y")]) == "yd"


def test_what_a_message_shows_is_cut() -> None:
    assert shown("a" * 41) == "a" * 37 + "..."
    assert shown("a" * 40) == "a" * 40
