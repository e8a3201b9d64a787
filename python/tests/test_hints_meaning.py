"""A corrected expression gives what the one that was written gives where it comes from.

Where that hangs on what the data are, a hint names the ways there are and corrects nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from strands_plan_tool.evaluate import Context, compile_tree
from strands_plan_tool.expressions import Problem, Scope, parse_expression

STEPS: dict[str, Any] = {
    "a": {
        "x": "found",
        "empty": "",
        "text": " a  b ",
        "n": 3,
        "zero": 0,
        "no": None,
        "ok": True,
        "names": ["Ann", "Bob"],
        "list": [3, 1, 2],
        "rows": [
            {"id": 1, "n": 2, "done": True, "tags": ["p", "q"], "by": "Ann"},
            {"id": 2, "n": 1, "done": False, "tags": ["r"], "by": None},
            {"id": 3, "n": 3, "tags": []},
        ],
    },
    "b": {"x": "other"},
}
BIND = Scope(ids=("a", "b"), inputs=("team",))
WHEN = Scope(ids=("a", "b"), inputs=("team",), field="when")
EACH = Scope(ids=("a", "b"), inputs=("team",), has_item=True)

# What was written, the corrected text, and what it gives of the data above.
KEPT: list[tuple[str, str, Any]] = [
    # `||` is a default, unless a truth is asked for.
    ("steps.a.x || 'none'", "steps.a.x ?: 'none'", "found"),
    ("steps.a.empty || 'none'", "steps.a.empty ?: 'none'", "none"),
    ("steps.a.zero||5", "steps.a.zero ?: 5", 5),
    ("steps.a.no || []", "steps.a.no ?: []", []),
    ('steps.a.no || {"k": 1}', 'steps.a.no ?: {"k": 1}', {"k": 1}),
    ("steps.a.empty || null", "steps.a.empty ?: null", None),
    ("steps.a.zero || -1", "steps.a.zero ?: -1", -1),
    ("steps.a.empty || steps.b.x", "steps.a.empty ?: steps.b.x", "other"),
    ("steps.a.no || steps.a.empty || 'z'", "steps.a.no ?: steps.a.empty ?: 'z'", "z"),
    ("(steps.a.no || 'n') == 'n'", "(steps.a.no ?: 'n') = 'n'", True),
    ("steps.a.zero || steps.a.n > 2", "steps.a.zero or steps.a.n > 2", True),
    ("steps.a.n > 5 || steps.a.ok", "steps.a.n > 5 or steps.a.ok", True),
    ("!(steps.a.x || steps.a.no)", "$not(steps.a.x or steps.a.no)", False),
    ("steps.a.x || steps.a.no ? 1 : 2", "steps.a.x or steps.a.no ? 1 : 2", 1),
    ("steps.a.rows[done || n = 3].id", "steps.a.rows[done or n = 3].id", [1, 3]),
    (
        "steps.a.rows.map(r => r.by || 'none')",
        "$map(steps.a.rows, function($r){$r.by ?: 'none'})",
        ["Ann", "none", "none"],
    ),
    (
        "steps.a.rows.filter(r => r.done || r.n > 2).map(r => r.id)",
        "$map($filter(steps.a.rows, function($r){$r.done or $r.n > 2}), function($r){$r.id})",
        [1, 3],
    ),
    # `&&` is a truth only where the last of it is one.
    ("steps.a.n && steps.a.n > 2", "steps.a.n and steps.a.n > 2", True),
    ("steps.a && steps.a.x", "steps.a.x", "found"),
    # What is missing is false, null and unequal elsewhere.
    ("steps.a.rows[!done].id", "steps.a.rows[$not(done ?? false)].id", [2, 3]),
    ("!steps.a.ok", "$not(steps.a.ok)", False),
    (
        "$filter(steps.a.rows, function($r){not $r.done == true}).id",
        "$filter(steps.a.rows, function($r){$not(($r.done = true) ?? false)}).id",
        [2, 3],
    ),
    (
        "$filter(steps.a.rows, function($r){!($r.by == 'Ann')}).id",
        "$filter(steps.a.rows, function($r){$not(($r.by = 'Ann') ?? false)}).id",
        [2, 3],
    ),
    ("steps.a.rows[by == null].id", "steps.a.rows[(by ?? null) = null].id", [2, 3]),
    ("steps.a.rows[by is None].id", "steps.a.rows[(by ?? null) = null].id", [2, 3]),
    ("steps.a.rows[by is not None].id", "steps.a.rows[by != null].id", 1),
    ("steps.a.rows[by === undefined].id", "steps.a.rows[$not($exists(by))].id", 3),
    ("steps.a.rows[by !== undefined].id", "steps.a.rows[$exists(by)].id", [1, 2]),
    ("steps.a.rows[by !== 'Ann'].id", "steps.a.rows[(by ?? null) != 'Ann'].id", [2, 3]),
    ("steps.a.no is None", "steps.a.no = null", True),
    # `not` takes in the comparison that follows.
    ("not steps.a.x == 'found'", "$not(steps.a.x = 'found')", False),
    ("not steps.a.n > 2 and steps.a.ok", "$not(steps.a.n > 2) and steps.a.ok", False),
    ("steps.a.n not in steps.a.list", "$not(steps.a.n in steps.a.list)", False),
    # Functions and methods.
    ("$concat('Hi ', steps.a.x, '!')", "'Hi ' & steps.a.x & '!'", "Hi found!"),
    ("concat(steps.a.x, 'a' & 'b')", "steps.a.x & ('a' & 'b')", "foundab"),
    ("'Hi '.concat(steps.a.x)", "'Hi ' & steps.a.x", "Hi found"),
    ("$concat([1], steps.a.list)", "$append([1], steps.a.list)", [1, 3, 1, 2]),
    ("len('abc')", "$length('abc')", 3),
    ("len([1, 2])", "$count([1, 2])", 2),
    ("$sort(steps.a.list).size()", "$count($sort(steps.a.list))", 3),
    ("steps.a.x.upper().size()", "$length($uppercase(steps.a.x))", 5),
    ("steps.a.x.upper().lower()", "$lowercase($uppercase(steps.a.x))", "found"),
    ("'abcdef'.slice(2, 5)", "$substring('abcdef', 2, 3)", "cde"),
    ("steps.a.x.substring(1, 3)", "$substring(steps.a.x, 1, 2)", "ou"),
    ("steps.a.x.substring(2)", "$substring(steps.a.x, 2)", "und"),
    ("steps.a.x.substr(1, 3)", "$substring(steps.a.x, 1, 3)", "oun"),
    ("$sort(steps.a.list).slice(0, 2)", "$sort(steps.a.list)[[0..1]]", [1, 2]),
    ("$sort(steps.a.list)[0:2]", "$sort(steps.a.list)[[0..1]]", [1, 2]),
    ("[1, 3].includes(steps.a.n)", "(steps.a.n in [1, 3])", True),
    ("steps.a.x.upper().includes('OU')", "$contains($uppercase(steps.a.x), 'OU')", True),
    (
        "steps.a.rows.find(r => r.n < 3).id",
        "$filter(steps.a.rows, function($r){$r.n < 3})[0].id",
        1,
    ),
    (
        "$find(steps.a.rows, r => r.n < 3).id",
        "$filter(steps.a.rows, function($r){$r.n < 3})[0].id",
        1,
    ),
    ("steps.a.rows.tags.first()", "(steps.a.rows.tags)[0]", "p"),
    ("last(steps.a.rows.tags)", "(steps.a.rows.tags)[-1]", "r"),
    (
        "steps.a.rows.first(r => r.n == 3).id",
        "$filter(steps.a.rows, function($r){$r.n = 3})[0].id",
        3,
    ),
    (
        "steps.a.rows.flatMap(r => r.tags)",
        "$map(steps.a.rows, function($r){$r.tags}).$",
        ["p", "q", "r"],
    ),
    (
        "steps.a.rows.sort((a, b) => b.n - a.n).map(r => r.id)",
        "$map($sort(steps.a.rows, function($a, $b){$b.n > $a.n}), function($r){$r.id})",
        [3, 1, 2],
    ),
    (
        "$sort(steps.a.rows, (l, r) => l.n < r.n ? 1 : -1).id",
        "$sort(steps.a.rows, function($l, $r){$l.n < $r.n}).id",
        [3, 1, 2],
    ),
    (
        "steps.a.rows.sort((l, r) => l.n < r.n ? 1 : -1).map(r => r.id)",
        "$map($sort(steps.a.rows, function($l, $r){$l.n < $r.n}), function($r){$r.id})",
        [3, 1, 2],
    ),
    ("', '.join(steps.a.names)", "$join(steps.a.names, ', ')", "Ann, Bob"),
    ("steps.a.names.join()", '$join(steps.a.names, ",")', "Ann,Bob"),
    ("steps.a.names.join(' ')", "$join(steps.a.names, ' ')", "Ann Bob"),
    ("steps.a.list.push(4)", "$append(steps.a.list, 4)", [3, 1, 2, 4]),
    ("steps.a.text.strip()", '$replace(steps.a.text, /^\\s+|\\s+$/, "")', "a  b"),
    ("steps.a.names?.[1]", "steps.a.names[1]", "Bob"),
    # Names as functions that are given more than a value.
    (
        "$sort(steps.a.names, $length)",
        "$sort(steps.a.names, function($l, $r){$length($l) > $length($r)})",
        ["Ann", "Bob"],
    ),
    (
        "$replace(steps.a.x, /[ou]/, $uppercase)",
        "$replace(steps.a.x, /[ou]/, function($m){$uppercase($m.match)})",
        "fOUnd",
    ),
    # A filter of a template is a call.
    ("'{{ steps.a.x | upper }}!'", "($uppercase(steps.a.x)) & '!'", "FOUND!"),
    ("{{ steps.a.zz | default('none') }}", "(steps.a.zz ?? 'none')", "none"),
    (
        "{{ steps.a.names | join('-') | lower }}",
        "$lowercase($join(steps.a.names, '-'))",
        "ann-bob",
    ),
]


def problem(text: str, scope: Scope = BIND) -> Problem:
    expression, problems = parse_expression(text, scope)
    assert expression is None
    return problems[0]


def corrected(text: str, scope: Scope = BIND) -> set[str]:
    """The corrected texts that the hints give."""
    hints = [each.hint for each in parse_expression(text, scope)[1]]
    return {hint.partition("; corrected: ")[2] for hint in hints} - {""}


@pytest.mark.parametrize(("text", "wanted", "value"), KEPT)
def test_a_corrected_text_gives_what_was_asked_for(text: str, wanted: str, value: Any) -> None:
    (made,) = corrected(text)
    assert made == wanted
    expression, problems = parse_expression(made, BIND)
    assert problems == ()
    assert expression is not None
    assert compile_tree(expression.tree).run(Context(STEPS)) == value


def test_a_condition_asks_for_truths() -> None:
    for text, made in [
        ("steps.a.x || steps.b.x", "steps.a.x or steps.b.x"),
        ("steps.a.x && steps.b.x", "steps.a.x and steps.b.x"),
        ("steps.a.x && steps.b.x || steps.a.ok", "steps.a.x and steps.b.x or steps.a.ok"),
        ("(steps.a.x || steps.b.x) && steps.a.ok", "(steps.a.x or steps.b.x) and steps.a.ok"),
        (
            "steps.a.ok ? steps.a.x || steps.b.x : false",
            "steps.a.ok ? steps.a.x or steps.b.x : false",
        ),
        ("(steps.a.x || 'none') = 'none'", "(steps.a.x ?: 'none') = 'none'"),
        ("$count(steps.a.no || []) > 0", "$count(steps.a.no ?: []) > 0"),
    ]:
        assert corrected(text, WHEN) == {made}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("steps.a.x && steps.b.x", "for a truth write `and`, for a value x ? y : z"),
        ("steps.a.x && 'y' || 'z'", "for a truth write `and`, for a value x ? y : z"),
        (
            "'Hi ' & steps.a.x || 'n'",
            "write `?:` for a default, `or` for a truth; put what belongs together in"
            " parentheses",
        ),
        (
            "steps.a.n > 3 || 'none'",
            "write `?:` for a default, `or` for a truth; put what belongs together in"
            " parentheses",
        ),
        (
            "len(steps.a.x)",
            "write $count(steps.a.x) for a list, $length(steps.a.x) for a text",
        ),
        (
            "steps.a.names.length()",
            "write $count(steps.a.names) for a list, $length(steps.a.names) for a text",
        ),
        (
            "$concat(steps.a.x, steps.b.x)",
            "write `&` between texts, $append(list, more) for lists",
        ),
        (
            "steps.a.list.concat('x')",
            "write `&` between texts, $append(list, more) for lists",
        ),
        (
            "steps.a.x.includes('o')",
            "write $contains(steps.a.x, 'o') for a text, 'o' in steps.a.x for a list",
        ),
        (
            "steps.a.x.contains('o')",
            "write $contains(steps.a.x, 'o') for a text, 'o' in steps.a.x for a list",
        ),
        (
            "steps.a.x.slice(2, 5)",
            "write $substring(text, start, length) for a text, x[[start..end]] for a list",
        ),
        (
            "steps.a.x[0:3]",
            "for items of a list write x[[0..2]], for a part of a text $substring(x, ...)",
        ),
        (
            "steps.a.x.substring(steps.a.n, 5)",
            "write $substring(text, start, length): its last argument is a length and no end",
        ),
        (
            "substr(steps.a.x, 1, 3)",
            "write $substring(text, start, length?), where 0 is the first place",
        ),
        (
            "int(steps.a.n)",
            "write $number(text) to read a number, $floor(number) to cut one",
        ),
        (
            "steps.a.x.find('o')",
            "write $filter(list, function)[0]; whether a text has a part, $contains(text, part)"
            " tells",
        ),
        (
            "steps.a.list.push(steps.a.names)",
            "write $append(list, more), which adds each item of a list",
        ),
        (
            "steps.a.x.split(',', 2)",
            "write $split(text, separator, limit?), where the limit is how many pieces there"
            " are",
        ),
        (
            "steps.a.x.match('o')",
            "write $match(text, pattern), which gives objects with match and groups",
        ),
        ("steps.a.n div 2", "write `/`, and $floor(x / y) for a whole number"),
        ("steps.a.n + steps.a.zero ?? 1", "put what belongs together in parentheses"),
        ("steps.a.x ?? 'a' & 'b'", "put what belongs together in parentheses"),
        (
            "undefined === steps.a.x",
            "write `null`; whether a value is there at all, `$exists(...)` tells",
        ),
        (
            "$count(rows)",
            "text stands between quotes, and a value is read as steps.<id> or input.<name>",
        ),
        (
            "'Hi ' & name",
            "text stands between quotes, and a value is read as steps.<id> or input.<name>",
        ),
        (
            "status = 'open'",
            "text stands between quotes, and a value is read as steps.<id> or input.<name>",
        ),
        ("{{ steps.a.x | title }}", "name the step without braces"),
        ("send a mail", 'text belongs in "args", or between quotes'),
    ],
)
def test_what_may_mean_two_things_is_told_and_not_corrected(text: str, hint: str) -> None:
    assert corrected(text) == set()
    assert problem(text).hint == hint


@pytest.mark.parametrize(
    ("text", "scope", "hint"),
    [
        ("team", BIND, "write input.team; corrected: input.team"),
        (
            "login",
            EACH,
            "write item.login for a field of the item; text stands between quotes",
        ),
        ("approved", WHEN, "write a condition, such as steps.<id>.ok"),
        (
            "serach",
            Scope(ids=("search",)),
            "write steps.search for the step; text stands between quotes",
        ),
        ("rows", Scope(ids=("a",), field="for_each"), "read a list, such as steps.<id>.rows"),
        (
            "Paris",
            Scope(ids=("a",), field="output"),
            'put text between quotes; corrected: "Paris"',
        ),
    ],
)
def test_a_bare_word_is_text_only_where_nothing_else_makes_sense(
    text: str, scope: Scope, hint: str
) -> None:
    assert problem(text, scope).hint == hint


def test_a_bare_word_that_is_compared_or_chosen_is_text() -> None:
    for text, made in [
        ("steps.a.x = found", 'steps.a.x = "found"'),
        ("steps.a.x in [found, lost]", 'steps.a.x in ["found", "lost"]'),
        ("steps.a.ok ? yes : no", 'steps.a.ok ? "yes" : "no"'),
        ("steps.a.x ?? unknown", 'steps.a.x ?? "unknown"'),
        ("{kind: steps.a.x}", '{"kind": steps.a.x}'),
    ]:
        assert corrected(text) == {made}
    assert corrected("item.status = open", EACH) == {'item.status = "open"'}
    assert corrected("item.ok ? name : 'x'", EACH) == set()


def test_an_input_that_has_no_plain_name_is_read_by_a_look_up() -> None:
    scope = Scope(ids=(), inputs=("", "team name", "a`b"))
    assert problem("input.zzz", scope).hint == (
        'the host passed $lookup(input, ""), input.`team name`, $lookup(input, "a`b")'
    )
    assert parse_expression('$lookup(input, "")', scope)[1] == ()


def test_a_text_of_very_many_operators_is_told_in_time_that_grows_with_it() -> None:
    nested = "(" * 60 + "a||b" + "||c)" * 60
    for text in ("||".join(["a"] * 250), nested, "!" * 2000 + "a"):
        assert problem(text).code in ("foreign_syntax", "expression_limit")
