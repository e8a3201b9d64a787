"""Diagnostics: pointers, the order of a document, and the name that was meant."""

from __future__ import annotations

import pytest

from strands_plan_tool.diagnostics import (
    Finding,
    Path,
    Speller,
    any_of,
    closest,
    diagnostic,
    key_order,
    listing,
    ordered,
    pointer,
    quoted,
)
from strands_plan_tool.models import Code, Diagnostic


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("steps", 0, "bind"), "/steps/0/bind"),
        (("a/b", "c~d", ""), "/a~1b/c~0d/"),
    ],
)
def test_a_pointer_escapes_what_rfc_6901_escapes(path: Path, text: str) -> None:
    assert pointer(path) == text


def test_a_diagnostic_is_built_from_the_parts_of_its_place() -> None:
    assert diagnostic("cycle", ("steps", 0), "why", "how") == Diagnostic(
        code=Code.CYCLE, path="/steps/0", message="why", hint="how"
    )


DOCUMENT = {
    "output": "x",
    "steps": [{"tool": "t", "bind": {"z": "1", "10": "2", "9": "3", "a": "4"}}] * 11,
    "returns": ["a", "b"],
}


def found(path: Path, code: Code = Code.SYNTAX, message: str = "") -> Finding:
    return Finding(code, path, message, "")


def test_problems_come_in_the_order_of_the_document() -> None:
    in_order: list[Path] = [
        (),
        ("output",),
        ("steps",),
        ("steps", 0),
        ("steps", 0, "tool"),
        ("steps", 0, "bind"),
        ("steps", 0, "bind", "9"),
        ("steps", 0, "bind", "10"),
        ("steps", 0, "bind", "z"),
        ("steps", 0, "bind", "a"),
        ("steps", 2, "tool"),
        ("steps", 10, "tool"),
        ("returns", 0),
        ("returns", 1),
    ]
    given = [found(path) for path in reversed(in_order)]
    assert [finding.path for finding in ordered(given, DOCUMENT)] == in_order


def test_problems_of_one_place_come_by_code() -> None:
    given = [found(("output",), Code.UNKNOWN_STEP), found(("output",), Code.SYNTAX)]
    assert ordered(given, DOCUMENT) == (given[1], given[0])


def test_of_equal_codes_in_one_place_the_first_is_kept() -> None:
    given = [found(("output",), message="left"), found(("output",), message="right")]
    assert ordered(given, DOCUMENT) == (given[0],)


def test_a_place_that_is_not_there_stands_behind_what_is() -> None:
    given = [found(("steps", 0, "gone", "x")), found(("steps", 0, "bind", "a"))]
    assert ordered(given, DOCUMENT) == (given[1], given[0])


def test_array_indexes_come_first_among_keys_and_nothing_else_does() -> None:
    keys = ["b", "10", "01", "2", "-1", "4294967295", "4294967294", "0", ""]
    assert key_order(keys) == [
        "0",
        "2",
        "10",
        "4294967294",
        "b",
        "01",
        "-1",
        "4294967295",
        "",
    ]


@pytest.mark.parametrize(
    ("written", "candidates", "meant"),
    [
        ("when_", ["id", "when"], "when"),
        ("nmae", ["name"], None),
        ("usr", ["user"], "user"),
        ("ab", ["abc"], None),
        ("prs", ["pr", "prs2"], "pr"),
        ("get_user_nmae", ["get_user_name", "get_name"], "get_user_name"),
        ("ÄÖÜ", ["ÄÖU"], "ÄÖU"),
        ("😀😀😀", ["😀😀x"], "😀😀x"),
        ("", ["a"], None),
        ("lookup", [], None),
    ],
)
def test_the_closest_name_is_at_most_a_third_of_the_written_one_away(
    written: str, candidates: list[str], meant: str | None
) -> None:
    assert closest(written, candidates) == meant


def test_of_equally_close_names_the_first_listed_is_meant() -> None:
    assert closest("abc", ["abx", "aby"]) == "abx"
    assert closest("abc", ["aby", "abx"]) == "aby"


def test_a_closer_name_wins_over_an_earlier_one() -> None:
    assert closest("abcdef", ["abxxef", "abcdex"]) == "abcdex"


def test_a_name_can_be_kept_from_being_meant() -> None:
    speller = Speller(["user", "users"])
    assert speller.closest("usr") == "user"
    assert speller.closest("usersx", but="users") == "user"
    assert speller.closest("usr", but="user") is None


def test_ten_thousand_misspelled_names_are_not_compared_with_ten_thousand() -> None:
    speller = Speller(f"step_number_{number:05}" for number in range(10_000))
    found = [speller.closest(f"stop_nimber_{number:05}") for number in range(10_000)]
    assert found[0] == "step_number_00000"
    assert found[-1] is None


def test_a_message_shows_text_as_json_cut_and_without_half_characters() -> None:
    assert quoted('a"b\n') == '"a\\"b\\n"'
    assert quoted("é\u2028") == '"é\u2028"'
    assert quoted("x" * 81) == f'"{"x" * 77}..."'
    assert quoted("a\ud800b") == '"a\ufffdb"'


def test_lists_of_names_end_after_twenty() -> None:
    names = [f"n{number}" for number in range(22)]
    assert listing(["a", "b"]) == '"a", "b"'
    assert listing(names).endswith('"n19" and 2 more')
    assert any_of(["a"]) == '"a"'
    assert any_of(["a", "b"]) == 'one of "a", "b"'
