/** What the language allows, and what is said of all else. */

import { expect, test } from "vitest";
import { parseExpression, Scope } from "../src/expressions/index.js";
import { LISTED, REFUSED, usage } from "../src/expressions/listed.js";
import { FUNCTIONS } from "../src/functions/index.js";

const SCOPE = new Scope(["a", "b"]);

function problems(text: string) {
  return parseExpression(text, SCOPE)[1];
}

test("every problem of a text is found at once", () => {
  const found = problems("$foo(steps.a) + $now() + $x + $map(steps.a.x, 1) + usr.name");
  expect(found.map(({ code, position }) => [code, position])).toEqual([
    ["unknown_function", 0],
    ["not_in_profile", 16],
    ["unknown_variable", 25],
    ["not_in_profile", 46],
    ["unknown_root", 51],
  ]);
});

test("an argument of what is refused is looked at too", () => {
  const codes = problems("$eval($nope)").map((problem) => problem.code);
  expect(codes).toEqual(["not_in_profile", "unknown_variable"]);
});

const HINTS: [string, string][] = [
  ["$cont(steps.a.x)", "write $count(list); corrected: $count(steps.a.x)"],
  ["$sums(steps.a.x)", "write $sum(numbers); corrected: $sum(steps.a.x)"],
  ["sum(steps.a.x)", "write $sum(numbers); corrected: $sum(steps.a.x)"],
  ["average(steps.a.x)", "write $average(numbers); corrected: $average(steps.a.x)"],
  ["len(steps.a.x)", "write $count(steps.a.x) for a list, $length(steps.a.x) for a text"],
  [
    "steps.a.x[y > 1].upper()",
    "write $uppercase(text); corrected: $uppercase(steps.a.x[y > 1])",
  ],
  ["steps.a.x.join(', ')", "write $join(texts, separator?); corrected: $join(steps.a.x, ', ')"],
  [
    "steps.a.x.first().y",
    "take one item by its index: x[0] is the first, x[-1] the last; corrected: (steps.a.x)[0].y",
  ],
  ["$b.x", "write steps.b; corrected: steps.b.x"],
  ["steps.a.x[y = $b.x]", "write $steps.b; corrected: steps.a.x[y = $steps.b.x]"],
  ["($total := 1; $totl)", "write $total; corrected: ($total := 1; $total)"],
  [
    "$map(steps.a.x, $round)",
    "write function($v){$round($v)}; corrected: $map(steps.a.x, function($v){$round($v)})",
  ],
  [
    '"n: " & steps.a.x ?? steps.b.x ?? 0',
    'put what belongs together in parentheses; corrected: "n: " & (steps.a.x ?? steps.b.x ?? 0)',
  ],
  [
    "$count(steps.a.x[y = 1]) ?: steps.a.f.g[0] > 3",
    "put what belongs together in parentheses; corrected: ($count(steps.a.x[y = 1]) ?: steps.a.f.g[0]) > 3",
  ],
  ["$count(1, 2)", "write $count(list)"],
  ["$substring()", "write $substring(text, start, length?)"],
  ["$each(steps.a)", "write function($v, $k){...}"],
];

test.each(HINTS)("the hint of %j is the edit", (text, hint) => {
  expect(problems(text)[0]?.hint).toBe(hint);
});

const MESSAGES: [string, string][] = [
  ["$v := 1", "a `:=` stands only as a statement of a block"],
  ["($v := $w := 1; $v)", "one `:=` stands inside another"],
  ["($f := function($v){$v}; 1)", "a function cannot be kept in a variable, as here in $f"],
  ["[function($v){$v}]", "a function stands only as an argument"],
  ["function($v){$v}(1)", "a function is called where it is written"],
  ["$sum[0]([1])", "what is called here is no function's name"],
  ["$count([1])(2)", "what is called here is no function's name"],
  ["($v := 1; $v(2))", "$v is a variable, and variables are not called"],
  ["($sum := 1; 2)", "$sum is the name of a listed function"],
  ["($steps := 1; 2)", "$steps is the name of what a plan reads"],
  ["$count[0]", "the function $count stands where a value belongs"],
  ["[1] ~> $reverse()[0]", "what follows `~>` is no plain call of a listed function"],
  ["[1] ~> $eval", "$eval is not allowed"],
  ["$eval('1')[0]", "$eval is not allowed"],
  ["/a/", "a regular expression stands only as the pattern of a call"],
  ["$count(/a/)", "a regular expression stands only as the pattern of a call"],
  ["$replace('a', /a/, /b/)", "a regular expression stands only as the pattern of a call"],
  ["$match('a', 'a')", "argument 2 of $match is a regular expression, written out there"],
  ["'a' ~> /a/", "what follows `~>` is no plain call of a listed function"],
  ["$match('a', /(?=a)/)", "the regular expression has a lookahead, (?="],
  ["$formatNumber(1, '0.0.0')", "the picture has a . where none can stand"],
  ["$fromMillis(0, '[Y]')", "$fromMillis is given 2 arguments"],
  ["$map([1], 2)", "argument 2 of $map is a function, written out there"],
  ["$each({'a': 1})", "argument 1 of $each is a function, written out there"],
  ["a|b|c|", "a transform `|...|...|` is not allowed"],
  ["a@$v", "a join with `@` is not allowed"],
  ["a#$i", "an index with `#` is not allowed"],
  ["a.%.b", "the parent `%` is not allowed"],
  ["$f(?)", "a call that leaves arguments open with `?` is not allowed"],
  ["$map([1], function($v)<n>{$v})", "a signature after function(...) is not allowed"],
  ["$a.b ?? 1 + 1", "an operation beside `??` needs parentheses: `??` takes it whole"],
];

test.each(MESSAGES)("what is refused in %j is told in words", (text, message) => {
  expect(problems(text).map((problem) => problem.message)).toContain(message);
});

test("what is evaluated is listed, and what is listed is not refused", () => {
  expect([...FUNCTIONS.keys()].filter((name) => !LISTED.has(name))).toEqual([]);
  expect([...LISTED.keys()].filter((name) => REFUSED.has(name))).toEqual([]);
});

test("the usage names as many parameters as a function takes", () => {
  expect(usage("round")).toBe("$round(number, precision?)");
  for (const [name, { most }] of FUNCTIONS) {
    if (most !== undefined) expect(LISTED.get(name)?.length, name).toBe(most);
  }
});

test("a bare root knows neither steps nor the item", () => {
  for (const text of ["$steps.a", "$item", "$input.x"]) {
    const codes = parseExpression(text, undefined)[1].map((problem) => problem.code);
    expect(codes).toEqual(["unknown_variable"]);
  }
  for (const text of ["steps", "item.x", "$", "$$.a", "**", "x[steps.a = 1]", "Paris"]) {
    const [expression] = parseExpression(text, undefined);
    expect(expression, text).toMatchObject({ dependencies: [], reads: [] });
  }
});

const LITERALS: [string, string, number][] = [
  ["$match('a', /b(?=a)/)", "not_in_profile", 14],
  ["$match('a', /b[z-a]/)", "syntax", 15],
  ["$match('a', /é/i)", "not_in_profile", 13],
  ["$match('a', /a/ii)", "syntax", 16],
  ["$match('a', /a/g)", "syntax", 15],
  ["$formatNumber(1, '#0.0.0')", "not_in_profile", 22],
  ["$formatNumber(1, '\\u0023.0.0')", "not_in_profile", 17],
];

test.each(LITERALS)("%j is refused where its literal is wrong", (text, code, position) => {
  expect(problems(text).map((each) => [each.code, each.position])).toEqual([[code, position]]);
});

const PATTERNS = [
  "$contains(steps.a.x, /a/i)",
  "steps.a.x.$contains(/a/)",
  "steps.a.x.$match(/a/, 2)",
  "steps.a.x.$replace(/a/, 'b', 1)",
  "steps.a.x.$replace(/a/, function($m){$m.match}, 1)",
  "steps.a.x ~> $replace(/a/, function($m){$m.match})",
  "steps.a.x ~> $split(/,/, 2)",
  "$match(steps.a.x, /a/)[0].groups[1] ?? ''",
  "$formatNumber(steps.a.x, steps.a.picture)",
];

test.each(PATTERNS)("a pattern is taken in %j", (text) => {
  expect(problems(text)).toEqual([]);
});

test("a search of the root cannot be told", () => {
  for (const text of ["$contains(/a/)", "$match(/a/, 2)", "$replace(/a/, 'b', 1)"]) {
    expect(problems(text).map((each) => each.code)).toEqual(["unresolvable_reference"]);
  }
});

const LOST: [string, string][] = [
  ["($f($v))[0]", "$f($v)[0]"],
  ["($v.x ? ($f($v))[0] : $v)", "($v.x ? $f($v)[0] : $v)"],
  ["($x := $v; $f($x))[0]", "($value := ($x := $v; $f($x)); $value[0])"],
  ["($v ?? $f($v))[0][1]", "($value := ($v ?? $f($v)); $value[0][1])"],
  ["$f($v){'k': $}", "($value := $f($v); $value{'k': $})"],
  ["($f($v)){'k': $}", "($value := ($f($v)); $value{'k': $})"],
  ["$f($v)[]", "[$f($v)]"],
  ["$v.x ?? ($f($v))[]", "$v.x ?? [($f($v))]"],
  ["$k()", "$k($v)"],
  ["$v.x ? $f($v) : $pad(5)", "$v.x ? $f($v) : $pad($v, 5)"],
  ["$split(/,/, 2)", "$split($v, /,/, 2)"],
];

test.each(LOST)("what is lost at the end of a function is refused: %s", (body, mended) => {
  const whole = (written: string) => {
    const named = written.replaceAll("$f", "$$reverse").replaceAll("$k", "$$keys");
    return `$map(steps.a.x, function($v){${named}})`;
  };
  const [problem, ...others] = problems(whole(body));
  expect(others).toEqual([]);
  expect(problem?.code).toBe("not_in_profile");
  expect(problem?.hint.endsWith(`; corrected: ${whole(mended)}`), problem?.hint).toBe(true);
  expect(problems(whole(mended))).toEqual([]);
});

test("what follows a call that does not end a function is kept", () => {
  for (const body of ["$keys($v)[0]", "($keys($v)[0])[0]", "($v.$keys())[0]"]) {
    expect(problems(`$map(steps.a.x, function($v){${body}})`), body).toEqual([]);
  }
  expect(problems("steps.a.x.($keys($))[0]")).toEqual([]);
});
