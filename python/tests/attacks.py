"""Expressions meant to hang, exhaust or crash whatever evaluates them.

    python tests/attacks.py [--bindings 32] [NAME ...]

Evaluates each alone and as so many bindings of one plan, and prints one JSON line for each:
how it ended both times, the process's CPU seconds, and its peak memory so far in MB. Ends
with 1 if one of them ended without a value or a code, took over its seconds times
``--margin``, or too much memory.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any, Final

from strands_plan_tool import PlanError, execute_plan
from strands_plan_tool.evaluate import Context, EvaluationError, compile_tree
from strands_plan_tool.expressions import parse_expression
from strands_plan_tool.models import Code
from strands_plan_tool.values import NOTHING, ValueFault, ingest

__all__ = ["ATTACKS", "ENDS", "MOST_MB", "MOST_S"]

_MEMORY_BYTES: Final = 4 << 30

MOST_S: Final[dict[str, float]] = {"members doubling in a fold": 2.0}
"""Seconds that an attack may take, if not one."""
MOST_MB: Final = 200
ENDS: Final = frozenset({"value", *Code})

_DEEP: Final = "$x := $reduce([1..5000], function($a, $v){[[$a]]}, 1)"
_SHARED: Final = '$a := {"x": 1}; ' + '$a := {"x": $a, "y": $a}; ' * 50
_DOUBLED: Final = '$a := "xxxxxxxxxxxxxxxx"; ' + "$a := $a & $a; " * 26
_LONG: Final = (
    '$s := $map([1..300], function($i){$pad("", 100000, "a") & $string($i)});'
    " $l := $map([1..100000], function($i){$s[$i % 300]})"
)

_WHOLE: Final = "the whole budget of"
_SMALL: Final = {
    "rounding": "$round($f, 2); $round($f, -2); $round(1e-300, 200)",
    "numbers as text": "$string($f); $string([$f, $f]); $string(5.12345678901234e-310)",
    "powers": "$power($f, 1.37); $power($f, 2)",
    "matches": '$match($t, /b/); $match("aaaaaaaa", /(a)(a)?/)',
    "groups": "$l{$string($): $}; $l{$string($): $}",
    "digits": "$formatBase(1e300, 2); $formatBase(255, 3)",
    "averages": "$average($l); $sum($l); $max($l)",
    "parts of text": '$substring($t, 1, 2); $pad($t, 5); $trim($t); $replace($t, "b", "c")',
}

MOST_S.update({f"{_WHOLE} {name}": 2.0 for name in _SMALL})

ATTACKS: Final[dict[str, str]] = {
    # Made in one call.
    "a padded text of a billion": '$length($pad("x", 1e9))',
    "a part of a padded text": '$substring($pad("x", 300000000), 0, 1)',
    "a long range": "$count([1..10000000])",
    "three long ranges": "$count([[1..10000000], [1..10000000], [1..10000000]])",
    "a long range in a path": "$sum([1..10000000].($ * 2))",
    "a long text split": '$count($split($pad("", 10000000, "a"), ""))',
    "an allowed text split": '$count($split($pad("", 1000000, "a"), ""))',
    "a text split by a pattern": '$count($split($pad("", 1000000, "a,"), /,/))',
    "a long join": '$length($join([1..1000000].$string(), $pad("x", 1000)))',
    "a replacement that grows": (
        '$length($replace($pad("", 1000000, "a"), "a", $pad("", 2000, "b")))'
    ),
    "a replacement by pattern that grows": (
        '$length($replace($pad("", 1000000, "a"), /a/, $pad("", 2000, "b")))'
    ),
    "a replacement by pattern": '$length($replace($pad("", 1000000, "a"), /a/, "b"))',
    "a picture of a million": '$length($formatNumber(1, $pad("", 1000000, "0")))',
    "a long number": '$number($pad("1", 1000000, "1"))',
    "a text of many numbers": "$length($string([1..1000000]))",
    "the largest of many": "$max([1..200000])",
    # Doubling.
    "texts doubling": f"({_DOUBLED}$length($a))",
    "texts doubling in a fold": ('$length($reduce([1..34], function($p, $q){$p & $p}, "x"))'),
    "lists doubling in a fold": (
        "$count($reduce([1..28], function($p, $q){$append($p, $p)}, [1, 2]))"
    ),
    "members doubling in a fold": (
        "$count($keys($reduce([1..40], function($a, $i){$merge([$a, $each($a,"
        ' function($v, $k){{$k & $string($i): $v}})])}, {"a": 1})))'
    ),
    "an object shared 2^50 times": f"({_SHARED}$a)",
    "a shared object as text": f"({_SHARED}$string($a))",
    "a shared object compared": f"({_SHARED}$a = $a)",
    "a shared object searched": f"({_SHARED}$count($a.**))",
    # Deep.
    "objects 5,000 deep": '$reduce([1..5000], function($a, $v){{"a": $a}}, 1)',
    "lists 5,000 deep": "$reduce([1..5000], function($a, $v){[[$a]]}, 1)",
    "deep lists compared": f"({_DEEP}; $x = $x)",
    "deep lists searched": f"({_DEEP}; $x.**)",
    "deep lists as text": f"({_DEEP}; $string($x))",
    # Long loops.
    "all distinct": "$count($distinct([1..100000]))",
    "many sorted": "$count($sort([1..100000]))",
    "many sorted by a comparator": "$count($sort([1..100000], function($l, $r){$l < $r}))",
    "many objects sorted by a comparator": (
        '$count($sort([1..100000].{"x": $ % 1000}, function($l, $r){$l.x > $r.x}))'
    ),
    "many sorted by a key": "$count([1..100000]^(>$))",
    "many appended one by one": (
        "$count($reduce([1..100000], function($p, $q){$append($p, $q)}, []))"
    ),
    "many appended by name": "$count($reduce([1..100000], $append))",
    "many spread": '$count($spread([1..100000].{"a": $}))',
    "many merged": "$count($keys($merge([1..100000].{$string($): $})))",
    "ranges in a map": "$map([1..600], function($i){[1..100000]})",
    "sums in a map": "$map([1..2000], function($i){$sum([1..100000])})",
    "sums of one list in a map": (
        "($x := [1..100000]; $map([1..2000], function($i){$sum($x)}))"
    ),
    "maps in a map": (
        "$count($map([1..3000], function($i){$map([1..3000], function($j){$i * $j})}))"
    ),
    "searches in a map": "($b := [1..100000]; $count($map($b, function($i){$i in $b})))",
    "paths in paths": "$count([1..300].([1..300].([1..300])))",
    "long texts compared": (
        '($s := $pad("", 1000000, "a"); $t := $s & "b";'
        " $count($map([1..100000], function($i){$s < $t})))"
    ),
    "long texts sorted": f"({_LONG}; $count($l^($)))",
    "many zipped": "($x := [1..100000]; $zip(" + ", ".join(["$x"] * 300) + "))",
    # Patterns.
    "a pattern of nested repeats": '$contains($pad("", 5000, "a") & "!", /(a+)+$/)',
    "an anchored pattern of nested repeats": (
        '$contains($pad("", 5000, "a") & "!", /^(?:a+)+$/)'
    ),
    "a pattern of equal branches": '$contains($pad("", 5000, "a") & "!", /^(?:a|a)*$/)',
    "a pattern of many dots": '$contains($pad("", 3000, "a"), /.*.*.*x/)',
    "a pattern on an allowed text": '$contains($pad("", 1000000, "a"), /.*.*.*x/)',
    "many empty matches": '$count($match($pad("", 1000000, "a"), /x?/))',
    "many matches": '$count($match($pad("", 1000000, "a"), /a/))',
    "a pattern in a map": (
        '$map([1..20000], function($i){$count($match("aaaaaaaa", /(a)(a)?/))})'
    ),
    "matches in a map": '$map([1..100000], function($i){$match("aaaaaaaa", /(a)(a)?/)})',
    "a pattern left of a fallback": '$replace("b1b", /1/, "-") ?? "no"',
    "a pattern of large repeats": "$contains('a', /(?:(?:a{1,100}){1,100}){1,100}/)",
    "a pattern of branches in a long text": (
        '$count($match($pad("", 1000000, "abcdefghij "), /foo.bar|a/))'
    ),
    **{
        f"many searches {name}": (
            f'($s := $pad("", 20000, "{text}");'
            f" $map([1..10000], function($i){{$contains($s, {pattern})}}))"
        )
        for name, text, pattern in (
            ("for the end", "a", "/a$/"),
            ("at lines", "aaaa\\r\\n", "/(?:^|x)b/m"),
            ("by a heavier pattern", "a", "/[a-z]{1,50}[0-9]/"),
        )
    },
    # The whole budget in small calls.
    **{
        f"{_WHOLE} {name}": (
            '($t := "abc"; $f := 1234.56789; $l := [1, 2, 3]; $filter([1..1000], function($i){'
            f"$filter([1..1000], function($j){{({text}; false)}})}}))"
        )
        for name, text in _SMALL.items()
    },
    "numbers halfway between two": (
        f'($t := "{3 * 5**1075}e-1075"; $filter([1..1000], function($i){{'
        "$filter([1..1000], function($j){($number($t); false)})}))"
    ),
    "remainders of numbers far apart": (
        "($l := 1e308; $s := 3e-308; $filter([1..1000], function($i){"
        f"$filter([1..1000], function($j){{([{', '.join(['$l % $s'] * 20)}]; false)}})}}))"
    ),
    # Refused by the profile.
    "recursion": "($f := function($n){1 + $f($n + 1)}; $f(0))",
    "recursion at the end": "($f := function(){$f()}; $f())",
    "the reference's own guard": ("($__evaluate_entry := $nope; $f := function(){$f()}; $f())"),
    "evaluation of text": '$eval("$eval($)", "$eval($)")',
    "a number in words": '$length($formatInteger(1e300, "w"))',
    # Hard to parse.
    "20 nested fallbacks": "(" * 20 + "a" + "?:b)" * 20,
    "three nested fallbacks in 3,900 characters": (
        "(((" + "a ?? " * 250 + "b) ?? " + "a ?? " * 250 + "c) ?? " + "a ?? " * 200 + "d)"
    ),
    "3,000 nested parentheses": "(" * 3000 + "1" + ")" * 3000,
    "3,000 nested brackets": "[" * 3000 + "]" * 3000,
    "20,000 signs": "-" * 20000 + "1",
    "20,000 sums": "1" + "+1" * 20000,
    "5,000 conditions": "1?" * 5000 + "1",
    "10,000 steps of a path": "a" + ".a" * 10000,
    "400 items": "[" + ",".join(["a.b"] * 400) + "]",
    "250 predicates": "a" + "[0]" * 250,
    "250 conditions joined": "true" + " and true" * 250,
    # Data.
    "data 3,000 deep": "**",
}


def _data(name: str) -> Any:
    data: Any = {"a": {"b": 1}}
    for _ in range(3000 if name == "data 3,000 deep" else 0):
        data = [data]
    return data


def alone(name: str) -> str:
    """How it ends by itself: ``value`` or a code."""
    parsed, problems = parse_expression(ATTACKS[name], None)
    if parsed is None or problems:
        return str(problems[0].code)
    try:
        value = compile_tree(parsed.tree).run(Context.of_root(ingest(_data(name))))
    except EvaluationError as error:
        return str(error.code)
    except ValueFault as fault:
        return str(fault.code)
    return "no_value" if value is NOTHING else "value"


def in_a_plan(name: str, bindings: int) -> str:
    """How a plan ends whose second step has it as each of its bindings."""

    async def call(tool: str, args: dict[str, Any]) -> Any:
        return _data(name) if tool == "data" else {}

    # A plan has no root that is any value, so the names of `a` are looked for in vain.
    text = (
        ATTACKS[name].replace("**", "steps.s.**")
        if name == "data 3,000 deep"
        else ATTACKS[name]
    )
    plan = {
        "steps": [
            {"id": "s", "tool": "data"},
            {"id": "t", "tool": "take", "bind": {f"b{n}": text for n in range(bindings)}},
        ],
        "returns": ["t"],
    }
    try:
        result = asyncio.run(execute_plan(plan, call))
    except PlanError as error:
        return str(error.diagnostics[0].code)
    codes = [str(each.code) for each in result.ledger if each.code is not None]
    return codes[0] if codes else "value"


def main() -> int:
    """Run the named attacks, or all; 1 if one of them went wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bindings", type=int, default=32)
    options.add_argument("--margin", type=float, default=1.0)
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    wrong = []
    for name in given.names or ATTACKS:
        begun = time.process_time()
        ended = alone(name)
        between = time.process_time()
        ended_in_plan = in_a_plan(name, given.bindings)
        alone_s, plan_s = between - begun, time.process_time() - between
        told = {
            "name": name,
            "alone": ended,
            "alone_s": round(alone_s, 3),
            "plan": ended_in_plan,
            "plan_s": round(plan_s, 3),
            "peak_mb": round(peak_mb()),
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        most = MOST_S.get(name, 1.0) * given.margin
        slow = alone_s > most or plan_s > most
        if slow or peak_mb() >= MOST_MB or not {ended, ended_in_plan} <= ENDS:
            wrong.append(name)
    sys.stdout.write(f"{len(given.names or ATTACKS)} attacks, wrong: {wrong}\n")
    return 1 if wrong else 0


def peak_mb() -> float:
    """The largest memory of this process until now."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage tells on Linux begins with what the parent had when it forked.
        (line,) = (line for line in status.read_text().splitlines() if "VmHWM" in line)
        return int(line.split()[1]) / (1 << 10)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


if __name__ == "__main__":
    sys.exit(main())
