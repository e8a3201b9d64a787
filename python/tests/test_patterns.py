"""Regular expressions: what the grammar takes, and what its patterns match.

Every match here is what jsonata 2.2.2 gives in Node, but where a comment says otherwise.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from strands_plan_tool.functions.pattern_errors import PatternError
from strands_plan_tool.functions.pattern_grammar import parse_flags
from strands_plan_tool.functions.patterns import (
    Match,
    Pattern,
    contains,
    matches,
    replace,
    split,
)
from strands_plan_tool.models import Code
from strands_plan_tool.values.budget import MAX_LIST, MAX_TEXT, EvaluationError

Found = tuple[str, int, tuple[str | None, ...]]


def pattern(source: str, flags: str = "") -> Pattern:
    ignore_case, multiline = parse_flags(flags)
    return Pattern(source, ignore_case=ignore_case, multiline=multiline)


def found(source: str, flags: str, text: str, limit: int | None = None) -> list[Found]:
    return [
        (match.text, match.start, match.groups)
        for match in matches(text, pattern(source, flags), limit)
    ]


class Budget:
    """Counts the steps that are taken, and raises once there are none left."""

    def __init__(self, steps: int = 10**12) -> None:
        self.steps = steps
        self.used = 0

    def __call__(self, steps: int) -> None:
        self.used += steps
        if self.used > self.steps:
            raise EvaluationError(Code.EXPRESSION_LIMIT, "out of steps", "")


REFUSED = [
    # Backslashes and classes that other languages read in their own way.
    (r"(a)\1", "not_in_profile", 3),
    (r"\p{L}", "not_in_profile", 0),
    (r"\P{L}", "not_in_profile", 0),
    (r"a\z", "not_in_profile", 1),
    (r"a\Z", "not_in_profile", 1),
    (r"\Aa", "not_in_profile", 0),
    (r"\C", "not_in_profile", 0),
    (r"\cA", "not_in_profile", 0),
    (r"\0", "not_in_profile", 0),
    (r"\07", "not_in_profile", 0),
    (r"\Qa.b\E", "not_in_profile", 0),
    (r"\k<a>", "not_in_profile", 0),
    (r"\a", "not_in_profile", 0),
    (r"\q", "not_in_profile", 0),
    (r"\é", "not_in_profile", 0),
    (r"\u{61}", "not_in_profile", 0),
    (r"\u61", "not_in_profile", 0),
    (r"\x6", "not_in_profile", 0),
    (r"\uD83D\uDE00", "not_in_profile", 0),
    ("a\\", "syntax", 1),
    ("[[:alpha:]]", "not_in_profile", 1),
    ("x[a[:^digit:]]", "not_in_profile", 3),
    (r"[a\B]", "not_in_profile", 2),
    (r"[\1]", "not_in_profile", 1),
    ("a[]", "not_in_profile", 1),
    ("[^]", "not_in_profile", 0),
    ("x[a", "syntax", 1),
    ("[z-a]", "syntax", 1),
    ("[a-b-+-!]", "syntax", 5),
    # Groups.
    ("a(?=b)", "not_in_profile", 1),
    ("a(?!b)", "not_in_profile", 1),
    ("(?<=a)b", "not_in_profile", 0),
    ("(?<!a)b", "not_in_profile", 0),
    ("(?<year>a)", "not_in_profile", 0),
    ("(?P<year>a)", "not_in_profile", 0),
    ("(?i)a", "not_in_profile", 0),
    ("(?i:a)", "not_in_profile", 0),
    ("(?>a)", "not_in_profile", 0),
    ("(?#a)", "not_in_profile", 0),
    ("a(b", "syntax", 1),
    ("a)", "syntax", 1),
    # Repeats.
    ("*a", "syntax", 0),
    ("a**", "syntax", 2),
    ("a++", "syntax", 2),
    ("a{2}{3}", "syntax", 4),
    ("a|+", "syntax", 2),
    ("^*", "syntax", 1),
    (r"a\b+", "syntax", 3),
    ("$?", "syntax", 1),
    ("a{,3}", "not_in_profile", 1),
    ("a{x}", "not_in_profile", 1),
    ("{", "not_in_profile", 0),
    ("a}", "not_in_profile", 1),
    ("a]", "not_in_profile", 1),
    ("a{3,2}", "syntax", 1),
    ("a{1001}", "not_in_profile", 1),
    ("a{0,1001}", "not_in_profile", 1),
    ("(?:a{40}){26}", "not_in_profile", 9),
    ("(?:(?:a{2}b){30,}){17}", "not_in_profile", 18),
    ("(?:abcdefghijk){1000}", "not_in_profile", 0),
    # What the two engines repeat differently.
    ("(a)+", "not_in_profile", 3),
    ("(?:(a)|b)*", "not_in_profile", 9),
    ("(a){2}", "not_in_profile", 3),
    ("(a){0}", "not_in_profile", 3),
    ("(a*)?", "not_in_profile", 4),
    ("(?:(a)?)?", "not_in_profile", 8),
    ("(?:|a)*", "not_in_profile", 6),
    ("(?:a*|b)+", "not_in_profile", 8),
    ("(?:a??)*", "not_in_profile", 7),
    ("(?:a*?){0,2}", "not_in_profile", 7),
    # Text.
    ("", "syntax", 0),
    ("a" * 257, "not_in_profile", 256),
    ("a\ud83d", "not_in_profile", 1),
]


@pytest.mark.parametrize(("source", "code", "position"), REFUSED)
def test_a_pattern_outside_the_grammar_is_refused_where_it_leaves_it(
    source: str, code: str, position: int
) -> None:
    with pytest.raises(PatternError) as refusal:
        Pattern(source)

    assert (refusal.value.code, refusal.value.position) == (code, position)


@pytest.mark.parametrize("source", ["é", "[^é]", r"\xe9", r"[a-\u00ff]", "a😀"])
def test_a_character_beyond_ascii_is_refused_where_case_is_ignored(source: str) -> None:
    Pattern(source)
    with pytest.raises(PatternError) as refusal:
        Pattern(source, ignore_case=True)

    assert refusal.value.code == "not_in_profile"


def test_a_refusal_names_what_is_wrong_and_the_edit_that_mends_it() -> None:
    with pytest.raises(PatternError) as refusal:
        Pattern("(?<year>a)")

    assert (refusal.value.message, refusal.value.hint) == (
        "The regular expression has a group with a name, (?<",
        "Write a plain group, (...), and use its number.",
    )


@pytest.mark.parametrize("flags", ["g", "ii", "imi", "im "])
def test_flags_are_i_and_m_each_once(flags: str) -> None:
    assert parse_flags("") == (False, False)
    assert parse_flags("mi") == (True, True)
    with pytest.raises(PatternError):
        parse_flags(flags)


MATCHES: list[tuple[str, str, str, list[Found]]] = [
    # Sets and escapes.
    (r"\d+", "", "a12b345 ٣", [("12", 1, ()), ("345", 4, ())]),
    (r"\w+", "", "né_9", [("n", 0, ()), ("_9", 2, ())]),
    (
        r"\s",
        "",
        "a\u00a0\ufeff\u2028\v\u001c\u0085",
        [("\u00a0", 1, ()), ("\ufeff", 2, ()), ("\u2028", 3, ()), ("\v", 4, ())],
    ),
    (r"\S+", "", "a\u3000b c", [("a", 0, ()), ("b", 2, ()), ("c", 4, ())]),
    (r"[^\s\S]", "", "a", []),
    (r"[\s\S]", "", "\n", [("\n", 0, ())]),
    (r"\D\W", "", "1a-é", [("a-", 1, ())]),
    (r"\x41B\n\t\r\f\v", "", "AB\n\t\r\f\v", [("AB\n\t\r\f\v", 0, ())]),
    (r"\.\*\+\?\(\)\[\]\{\}\|\/\^\$\\", "", ".*+?()[]{}|/^$\\", [(".*+?()[]{}|/^$\\", 0, ())]),
    (r"\-\_\ \@\"\,", "", '-_ @",', [('-_ @",', 0, ())]),
    (".+", "", "a\rb\u2028c\u0085d", [("a", 0, ()), ("b", 2, ()), ("c\u0085d", 4, ())]),
    # Classes.
    ("[a-c]+", "", "abcd", [("abc", 0, ())]),
    (r"[\w.-]+", "", "a.b-c d", [("a.b-c", 0, ()), ("d", 6, ())]),
    (r"[\w-.]+", "", "a.b-c,", [("a.b-c", 0, ())]),
    ("[a-z-9]+", "", "b-9A", [("b-9", 0, ())]),
    ("[-a]+", "", "-a-b", [("-a-", 0, ())]),
    ("[+--]+", "", "+,-.", [("+,-", 0, ())]),
    (r"[\b]", "", "a\bc", [("\b", 1, ())]),
    ("[^a]", "", "a\né", [("\n", 1, ()), ("é", 2, ())]),
    ("[.*^|?]", "", "a^", [("^", 1, ())]),
    ("[é-ü]", "", "eöz", [("ö", 1, ())]),
    # Case.
    ("k", "i", "kK\u212a", [("k", 0, ()), ("K", 1, ())]),
    ("[r-s]", "i", "RsSſ", [("R", 0, ()), ("s", 1, ()), ("S", 2, ())]),
    ("[^k]", "i", "Kk\u212a", [("\u212a", 2, ())]),
    ("[Z-a]", "i", "zAb_", [("z", 0, ()), ("A", 1, ()), ("_", 3, ())]),
    (r"\x6b", "i", "K", [("K", 0, ())]),
    # Edges.
    ("^b", "", "a\nb", []),
    ("a$", "", "a\n", []),
    (r"\bb\b", "", "ab b é b", [("b", 3, ()), ("b", 7, ())]),
    (r"\Bb", "", "ab b éb", [("b", 1, ())]),
    ("^.", "m", "a\nb\rc\u2028d\u2029e", [(c, 2 * i, ()) for i, c in enumerate("abcde")]),
    (".$", "m", "a\r\nb\u2029", [("a", 0, ()), ("b", 3, ())]),
    ("^$\\r", "m", "a\r\rb", [("\r", 2, ())]),
    ("a$\r\n^b", "m", "a\r\nb", [("a\r\nb", 0, ())]),
    (r"$[\s\S]^", "m", "a\rb\nc", [("\r", 1, ()), ("\n", 3, ())]),
    ("^[^a]", "m", "a\x01\r\x02a\n\x01", [("\x02", 3, ()), ("\x01", 6, ())]),
    (r"^\B.", "m", "a\r-", [("-", 2, ())]),
    # Choices and repeats: the leftmost option that leads to a match is taken.
    ("a|ab", "", "ab", [("a", 0, ())]),
    ("(a|ab)(c|bcd)(d*)", "", "abcd", [("abcd", 0, ("a", "bcd", ""))]),
    ("a*?b", "", "aab", [("aab", 0, ())]),
    ("a{2,3}", "", "aaaaaa", [("aaa", 0, ()), ("aaa", 3, ())]),
    ("a{2,3}?", "", "aaaaa", [("aa", 0, ()), ("aa", 2, ())]),
    ("a{0}b", "", "ab", [("b", 1, ())]),
    ("xa{1}?", "", "xa", [("xa", 0, ())]),
    ("(?:a*b*)*c", "", "abbac", [("abbac", 0, ())]),
    ("(?:a|b?)+c", "", "bac", [("bac", 0, ())]),
    ("(?:a?){3}b", "", "aaaab", [("aaab", 1, ())]),
    ("(?:|a){2}b", "", "aab", [("aab", 0, ())]),
    ("(?:a*)+?b", "", "aab", [("aab", 0, ())]),
    ("(?:)b", "", "ab", [("b", 1, ())]),
    # Groups.
    ("a(b)?c", "", "ac", [("ac", 0, (None,))]),
    ("(a)|(b)", "", "ba", [("b", 0, (None, "b")), ("a", 1, ("a", None))]),
    ("(a*)b", "", "b", [("b", 0, ("",))]),
    (r"(\d+)-(?:(\d+)-)?(\d+)", "", "1-2", [("1-2", 0, ("1", None, "2"))]),
    ("(a){1}(b){0,1}", "", "a", [("a", 0, ("a", None))]),
    ("((é)(b))", "", "xéb", [("éb", 1, ("éb", "é", "b"))]),
    # The empty text, where nothing can follow.
    ("$", "", "abc", [("", 3, ())]),
    ("x*", "", "", [("", 0, ())]),
    (r"\s*$", "", "ab  ", [("  ", 2, ())]),
    ("a*", "", "aaa", [("aaa", 0, ())]),
]


@pytest.mark.parametrize(("source", "flags", "text", "expected"), MATCHES)
def test_a_pattern_matches_as_it_does_in_ecmascript(
    source: str, flags: str, text: str, expected: list[Found]
) -> None:
    assert found(source, flags, text) == expected
    assert contains(text, pattern(source, flags)) == bool(expected)


ENDLESS = [
    ("x*", "", "abc"),
    ("a*", "", "aab"),
    (r"\b", "", "abc"),
    ("a|", "", "ab"),
    ("a*?", "", "a"),
    ("^", "m", "a\nb"),
    ("$", "m", "a\r"),
    ("b|$", "m", "ab\nc"),
]


@pytest.mark.parametrize(("source", "flags", "text"), ENDLESS)
def test_a_match_of_the_empty_text_that_would_come_again_and_again_is_an_error(
    source: str, flags: str, text: str
) -> None:
    one = pattern(source, flags)
    for use in (
        lambda: matches(text, one),
        lambda: matches(text, one, 1),
        lambda: split(text, one),
        lambda: replace(text, one, "-"),
    ):
        with pytest.raises(EvaluationError) as error:
            use()
        assert error.value.code == Code.EVALUATION_FAILED

    assert contains(text, one)


def test_characters_beyond_the_first_plane_are_single_ones() -> None:
    # The reference would see the halves of their surrogate pairs.
    assert found(".", "", "😀é") == [("😀", 0, ()), ("é", 1, ())]
    assert found("[😀-😂]+x", "", "a😁😀x") == [("😁😀x", 1, ())]
    assert found("(😀{2})(é)?", "", "a😀😀") == [("😀😀", 1, ("😀😀", None))]
    assert found(r"\B", "", "aé") == [("", 2, ())]


def test_half_of_a_surrogate_pair_in_a_text_is_a_character() -> None:
    assert found("a.b", "", "a\ud83db") == [("a\ud83db", 0, ())]
    assert split("a\ud83d,\ude00", pattern(",")) == ["a\ud83d", "\ude00"]
    assert replace("\ud83d,\ude00", pattern(","), "") == "😀"


LIMITED = [
    (0, [], [], "a-b-c"),
    (1, [("-", 1, ())], ["a"], "a+b-c"),
    (2, [("-", 1, ()), ("-", 3, ())], ["a", "b"], "a+b+c"),
    (3, [("-", 1, ()), ("-", 3, ())], ["a", "b", "c"], "a+b+c"),
    (None, [("-", 1, ()), ("-", 3, ())], ["a", "b", "c"], "a+b+c"),
]


@pytest.mark.parametrize(("limit", "first", "pieces", "replaced"), LIMITED)
def test_a_limit_counts_matches_pieces_or_replacements(
    limit: int | None, first: list[Found], pieces: list[str], replaced: str
) -> None:
    text = "a-b-c"

    assert found("-", "", text, limit) == first
    assert split(text, pattern("-"), limit) == pieces
    assert replace(text, pattern("-"), "+", limit) == replaced


SPLITS = [
    (r"\s*,\s*", "a , b,c ", ["a", "b", "c "]),
    (r"(\d)", "a1b2", ["a", "b", ""]),
    ("z", "abc", ["abc"]),
    (",", "", [""]),
    (",", ",,", ["", "", ""]),
    ("é", "aébéc", ["a", "b", "c"]),
]


@pytest.mark.parametrize(("source", "text", "pieces"), SPLITS)
def test_a_text_is_split_at_the_matches_without_their_groups(
    source: str, text: str, pieces: list[str]
) -> None:
    assert split(text, pattern(source)) == pieces


TEN = "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)"
REPLACED = [
    (r"(\d+)-(\d+)", "1-2", "$2/$1", "2/1"),
    ("b", "abc", "$0$0", "abbc"),
    ("b", "abc", "$$", "a$c"),
    ("b", "abc", "$1", "ac"),
    ("(b)", "abc", "[$2]", "a[]c"),
    ("(b)", "abc", "$12", "ab2c"),
    ("(b)", "abc", "$01", "ab1c"),
    ("(b)", "abc", r"\1", r"a\1c"),
    ("(b)", "abc", "$", "a$c"),
    ("(b)", "abc", "$a$", "a$a$c"),
    ("(b)|(c)", "abc", "<$1$2>", "a<b><c>"),
    ("b", "abc", "$ 1", "a$ 1c"),
    ("b", "abc", "$-1", "a$-1c"),
    (TEN, "abcdefghij", "$10$1", "ja"),
    (TEN, "abcdefghij", "$11", "a1"),
    (TEN, "abcdefghij", "$ 1", "a1"),
    (TEN, "abcdefghij", "$+2", "b2"),
    (TEN, "abcdefghij", "$-3", ""),
    (TEN, "abcdefghij", "$-0", "0"),
    ("é", "aéb", "<$0>", "a<é>b"),
    ("z", "abc", "$0", "abc"),
]


@pytest.mark.parametrize(("source", "text", "replacement", "expected"), REPLACED)
def test_a_replacement_names_groups_by_a_dollar_sign(
    source: str, text: str, replacement: str, expected: str
) -> None:
    assert replace(text, pattern(source), replacement) == expected


def test_a_function_gives_the_replacement_of_each_match_before_the_next_is_sought() -> None:
    seen: list[Match] = []

    def bracketed(match: Match) -> str:
        seen.append(match)
        return f"<{match.text}>"

    with pytest.raises(EvaluationError):
        replace("éab", pattern("(a)|é|"), bracketed)
    assert seen == [Match("é", 0, 1, (None,)), Match("a", 1, 2, ("a",))]
    assert replace("éab", pattern("(a)|é"), bracketed, 1) == "<é>ab"


def test_what_is_made_is_held_to_the_limits_of_lists_and_texts() -> None:
    many = "a," * (MAX_LIST + 1)
    attempts: list[Any] = [
        lambda: matches(many, pattern("a")),
        lambda: split(many, pattern(",")),
        lambda: replace("a" * 2048, pattern("a"), "$0" * 1024),
        lambda: replace("a" * MAX_TEXT, pattern("a+"), "$0$0"),
        lambda: replace("ab", pattern("b"), lambda match: "é" * (MAX_TEXT // 2)),
    ]
    for attempt in attempts:
        with pytest.raises(EvaluationError) as error:
            attempt()
        assert error.value.code == Code.EXPRESSION_LIMIT

    assert len(split("," * (MAX_LIST - 1), pattern(","))) == MAX_LIST


STEPS = [
    # 32, and one for each character at each unit of weight; then 32 and the characters ahead;
    # and 32 for each match.
    ("a", "b" * 80, 32 + 80),
    ("[a-c]x", "b" * 80, 32 + 160),
    ("a", "bab" + "b" * 77, 32 + 80 + 32 + 33),
    ("ab", "ab" * 40, 32 + 160 + 39 * 36 + 40 * 32),
    (r"\s", "b" * 80, 32 + 240),
    ("a{100}", "b" * 80, 32 + 8000),
    # It may look far ahead: each search counts the rest of the text.
    ("a(?:.*b)?", "a" * 80, 272 + 32 + sum(64 + rest * 3 for rest in range(1, 80))),
    # What groups hold counts too.
    ("(b*)", "b" * 80, 32 + 80 + 10 + 32),
    # Too heavy to be kept compiled.
    ("(?:ab){1000}", "b" * 8, 32 + 16_000 + 64_000),
]


@pytest.mark.parametrize(("source", "text", "steps"), STEPS)
def test_a_search_takes_steps_for_its_text_and_its_pattern(
    source: str, text: str, steps: int
) -> None:
    budget = Budget()
    matches(text, pattern(source), charge=budget)

    assert budget.used == steps


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a(?:.*b)?", "a" * 100_000),
        ('"[^"]*"|x', '"' + "x" * 100_000),
        ("(?:..)*?c", "xc" * 100_000),
        ("([ab]*a[ab]{900})", "abaabbab" * 100_000),
        ("(.*)a(.{500})b", "ab" * 100_000),
    ],
)
def test_a_search_that_would_take_long_runs_out_of_steps(source: str, text: str) -> None:
    with pytest.raises(EvaluationError) as error:
        matches(text, pattern(source), charge=Budget(10_000_000))

    assert error.value.code == Code.EXPRESSION_LIMIT


def test_nested_repeats_take_no_longer_than_flat_ones() -> None:
    budget = Budget()

    assert not contains("a" * 5000 + "b", pattern("(?:a+)+$"), charge=budget)
    assert not contains("a" * 5000 + "b", pattern("^(?:a|a)*$"), charge=budget)
    assert budget.used == 32 + 5001 + 32 + 10_002


def test_a_pattern_of_the_largest_size_is_searched_for() -> None:
    nested = "(" * 127 + "a" + ")" * 127
    assert found(nested, "", "ba") == [("a", 1, ("a",) * 127)]
    assert contains("é" * 3000, pattern(r"^(?:\S\S\S){1000}$"))


def test_nothing_is_written_of_a_pattern_that_takes_much_memory(
    capfd: pytest.CaptureFixture[str],
) -> None:
    contains("abbabaab" * 5000, pattern("[ab]*a[ab]{300}c"))

    assert capfd.readouterr() == ("", "")


def test_re2_is_loaded_by_the_first_search() -> None:
    program = (
        "import sys; from strands_plan_tool.functions.patterns import Pattern, contains;"
        "one = Pattern('a'); before = 're2' in sys.modules;"
        "contains('a', one); print(before, 're2' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["False", "True"]
