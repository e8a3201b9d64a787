/** Habits of other languages: each is told, and its text is corrected. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates in texts are the matter here.

import { expect, test } from "vitest";
import { parseExpression, readsAStep, repaired, Scope } from "../src/expressions/index.js";
import { namesAStep, templates } from "../src/expressions/templates.js";

const IDS = ["a", "b", "user"];
const SCOPE = new Scope(IDS);
const ITEM = new Scope(IDS, { hasItem: true });

function problems(text: string, scope: Scope | undefined = SCOPE) {
  return parseExpression(text, scope)[1];
}

const FOREIGN: [string, string][] = [
  ["steps.a.x == 42", "steps.a.x = 42"],
  ["steps.a.x===42", "steps.a.x=42"],
  ["steps.a.x !== 42", "steps.a.x != 42"],
  ["steps.a.rows[n==2].m", "steps.a.rows[n=2].m"],
  ["!steps.a.ok", "$not(steps.a.ok)"],
  ["!(steps.a.ok or steps.b.ok)", "$not(steps.a.ok or steps.b.ok)"],
  ["!(steps.a).ok", "$not((steps.a).ok)"],
  ["!!steps.a.x", "$boolean(steps.a.x)"],
  ["!!!steps.a.x", "$not(steps.a.x)"],
  ["! $exists(steps.a.x[n = 1].m) = true", "$not($exists(steps.a.x[n = 1].m)) = true"],
  ["!steps.a.ok && !steps.b.ok", "$not(steps.a.ok) and $not(steps.b.ok)"],
  ["steps.a.x>1&&steps.b.y<2", "steps.a.x>1 and steps.b.y<2"],
  ["steps.a.ok || steps.b.ok", "steps.a.ok ?: steps.b.ok"],
  ["steps.a.ok || steps.b.n > 1", "steps.a.ok or steps.b.n > 1"],
  ["steps.a.ok = True", "steps.a.ok = true"],
  ["[False, None, undefined]", "[false, null, null]"],
  ["steps.a.x == True && !None", "steps.a.x = true and $not(null)"],
  ["{{steps.a.x}}", "steps.a.x"],
  ["{{ a.x }}", "steps.a.x"],
  ["${steps.a.x}", "steps.a.x"],
  ["${a.x} & '!'", "steps.a.x & '!'"],
  ["{{ steps.a.x ?? 1 }} + 1", "(steps.a.x ?? 1) + 1"],
  ["{{$steps.a.x}}", "$steps.a.x"],
  ["'{{steps.a.x}}'", "steps.a.x"],
  ['"Dear {{user.name}}!"', '"Dear " & steps.user.name & "!"'],
  ["'${a.x} and ${b.y}'", "steps.a.x & ' and ' & steps.b.y"],
  ["\"n: ${steps.a.n + 1}\" = 'x'", "(\"n: \" & (steps.a.n + 1)) = 'x'"],
  ["'{% steps.a.x %}'", "steps.a.x"],
  ['`Hi ${user.name}, "you"`', '"Hi " & steps.user.name & ", \\"you\\""'],
  ["Hello {{user.name}}, welcome", '"Hello " & steps.user.name & ", welcome"'],
  ["{% steps.a.x %}", "steps.a.x"],
  ["{%steps.a.x == 1%}", "steps.a.x = 1"],
  ["steps.a..x", "steps.a.**.x"],
  ["$.steps.a.rows[*].n", "$.steps.a.rows.n"],
  ["steps.a.rows[*][*].n", "steps.a.rows.n"],
  ["steps.a.rows[?(@.n > 2)].m", "steps.a.rows[n > 2].m"],
  ["steps.a.rows[?@.n == 2 && @.m != 1].m", "steps.a.rows[n = 2 and m != 1].m"],
  ["steps.a.rows[?(@ > 1)]", "steps.a.rows[$ > 1]"],
  ["steps['a']['x y'].z", "steps.a.`x y`.z"],
  ['steps["a"]["and"]', "steps.a.`and`"],
  ["$['steps'].a", "$.steps.a"],
  ["a.x", "steps.a.x"],
  ["$count(user.rows[n = 1])", "$count(steps.user.rows[n = 1])"],
  ["a.x & b.y", "steps.a.x & steps.b.y"],
  ["$.a.x", "steps.a.x"],
  ["'steps.a.x'", "steps.a.x"],
  ['"steps.a.x > 1"', "steps.a.x > 1"],
  ["Paris", '"Paris"'],
  ["$.Paris", '"Paris"'],
  ["steps.a.city = Paris", 'steps.a.city = "Paris"'],
  ["{name: steps.a.n, 'k': 1}", "{\"name\": steps.a.n, 'k': 1}"],
  ["New York", '"New York"'],
  ["Say hello, then stop.", '"Say hello, then stop."'],
  ["2026-01-05", '"2026-01-05"'],
  ["2026-11-10", '"2026-11-10"'],
  ["2026-01-05T10:00:00Z", '"2026-01-05T10:00:00Z"'],
  ["ann@example.org", '"ann@example.org"'],
  ["https://example.org/a?b=c#d", '"https://example.org/a?b=c#d"'],
  ["f'{a.x} of {steps.b.y}'", "steps.a.x & ' of ' & steps.b.y"],
  ["steps.a.time-zone", "steps.a.`time-zone`"],
];

const SLIPS: [string, string][] = [
  ["$map(steps.a.rows, r => r.n)", "$map(steps.a.rows, function($r){$r.n})"],
  ["steps.a.rows.map(r => r.n + 1)", "$map(steps.a.rows, function($r){$r.n + 1})"],
  [
    "steps.a.rows.filter((r, i) => r.n > i).length",
    "$filter(steps.a.rows, function($r, $i){$r.n > $i}).length",
  ],
  ["steps.a.rows.find(x => x.id = 'x')", "$filter(steps.a.rows, function($x){$x.id = 'x'})[0]"],
  ["$map(steps.a.rows, function(r){r.r})", "$map(steps.a.rows, function($r){$r.r})"],
  ["not steps.a.ok", "$not(steps.a.ok)"],
  ["steps.a.ok AND steps.b.ok OR true", "steps.a.ok and steps.b.ok or true"],
  ["steps.a.x is None", "steps.a.x = null"],
  ["steps.a.x is not null", "steps.a.x != null"],
  ["steps.a.x <> 1", "steps.a.x != 1"],
  ["steps.a?.x?.y", "steps.a.x.y"],
  ["steps.a.rows.0.n", "steps.a.rows[0].n"],
  ["steps.a.rows.0.1", "steps.a.rows[0][1]"],
  ["$sort(steps.a.rows)[0:3]", "$sort(steps.a.rows)[[0..2]]"],
  ["steps.a.rows[0..2]", "steps.a.rows[[0..2]]"],
  ["steps.a.@type", "steps.a.`@type`"],
  ["= steps.a.x", "steps.a.x"],
  ["steps.a.x;", "steps.a.x"],
  ["steps.a.rows[name='O'Brien']", 'steps.a.rows[name="O\'Brien"]'],
  ["steps.a.null", "steps.a.`null`"],
  ["(x := 1; $x)", "($x := 1; $x)"],
  ["steps.a.rows^(n) / 2", "(steps.a.rows^(n)) / 2"],
  ["steps.a.x[] / 2", "(steps.a.x[]) / 2"],
  ["steps.a.x</parameter>\n<parameter>", "steps.a.x"],
  ["$sum(steps.a.x", "$sum(steps.a.x)"],
  ["steps.a.x)", "steps.a.x"],
];

test.each(FOREIGN)("%j is foreign syntax with the whole text corrected", (text, corrected) => {
  const found = problems(text);
  expect(new Set(found.map((problem) => problem.code))).toEqual(new Set(["foreign_syntax"]));
  for (const { hint } of found) expect(hint.endsWith(`; corrected: ${corrected}`)).toBe(true);
  expect(problems(corrected)).toEqual([]);
});

test.each(SLIPS)("%j is a slip with the whole text corrected", (text, corrected) => {
  const [first] = problems(text);
  expect(["syntax", "foreign_syntax"]).toContain(first?.code);
  expect(first?.hint.endsWith(`; corrected: ${corrected}`), first?.hint).toBe(true);
  expect(problems(corrected)).toEqual([]);
});

const ACCEPTED = [
  "'a == b && !c'",
  "steps.a.True & steps.a.None",
  "steps.a.`==`",
  "/* == */ steps.a.x",
  "'Dear {{name}}, ${amount}'",
  "'{{stepsa.x}} {{steps.other.x}} {{ab.x}} {{item.x}}'",
  "steps.a.rows[ok]",
  "steps.a.rows[n = m].(p & q)",
  "steps.a.rows.[*]",
  "[1..3]",
  "steps.a.rows[[0..1]]",
  "$sum(steps.a.rows.n) / 2",
  "'steps.a.x is 1'",
  "'steps.other.x'",
  "'item'",
  "steps.a.time - steps.b.zone",
  "{'steps': 1}",
  "1 != -1",
];

test.each(ACCEPTED)("%j only looks like a habit", (text) => {
  expect(problems(text)).toEqual([]);
});

test("the item is named in templates and quotes only under for_each", () => {
  for (const [text, corrected] of [
    ["{{item.x}}", "item.x"],
    ["'n: {{ item.x }}'", "'n: ' & item.x"],
    ["'item.x'", "item.x"],
  ] as const) {
    expect(repaired(text, ITEM)).toBe(corrected);
    expect(problems(text, ITEM)[0]?.code).toBe("foreign_syntax");
  }
  expect(problems("'item.x'")).toEqual([]);
});

test("a habit stands in place of what the parser and the profile would say", () => {
  for (const text of ["steps.a.x == $now()", "steps.a.x == ", "!(steps.*)", "True == |a|b|"]) {
    const codes = new Set(problems(text).map((problem) => problem.code));
    expect(codes).toEqual(new Set(["foreign_syntax"]));
  }
});

test("several habits are told from left to right", () => {
  const found = problems("!steps.a.ok && steps.a.x == None");
  expect(found.map((problem) => problem.position)).toEqual([0, 12, 25, 28]);
});

test("what cannot be mended wholly is hinted without a corrected text", () => {
  for (const text of ["$..name", "{{ steps.a.x | title }}", "steps.a.x == $nope", "!"]) {
    expect(problems(text)[0]?.hint).not.toContain("corrected");
    expect(repaired(text, SCOPE)).toBe("");
  }
  expect(problems("$..name")[0]?.hint).toContain("steps.a.**.name");
});

test("a corrected text stands in one line", () => {
  expect(repaired("steps.a.x\n  == /* one */ 'b\n'", SCOPE)).toBe(
    "steps.a.x = /* one */ 'b\n'",
  );
});

test("a long text is hinted without a corrected text", () => {
  const found = problems(`steps.a.x == ${"1 + ".repeat(200)}1`);
  expect(found[0]?.hint).toBe("compare with `=`");
});

test("words are fields where any root is given", () => {
  expect(parseExpression("None = True", undefined)[1]).toEqual([]);
  expect(parseExpression("'{{steps.a.x}}'", undefined)[1]).toEqual([]);
  const codes = parseExpression("a == b", undefined)[1].map((problem) => problem.code);
  expect(codes).toEqual(["foreign_syntax"]);
});

test("templates are found in linear time however many do not end", () => {
  const text = `{{a.x}} ${"${ {{ ".repeat(50_000)}`;
  expect(templates(text, SCOPE)).toEqual([{ start: 0, end: 7, expression: "steps.a.x" }]);
});

test("a template names a step by how it begins", () => {
  const expected: [string, string | undefined][] = [
    [" steps.a.x ", "steps.a.x"],
    ["steps.a", "steps.a"],
    ["a.x", "steps.a.x"],
    ["a", undefined],
    ["steps.ab", undefined],
    ["steps.aé", undefined],
    ["steps.other.x", undefined],
    ["ab.x", undefined],
    ["item.x", undefined],
    ["", undefined],
    ["1", undefined],
  ];
  for (const [content, meant] of expected) expect(namesAStep(content, SCOPE)).toBe(meant);
});

test("a text that is an expression reading a step is told from prose", () => {
  for (const text of [
    "steps.a.x",
    " steps.a ",
    "$sum(steps.a.x)",
    "steps.other.x & steps.a.x",
  ]) {
    expect(readsAStep(text, SCOPE), text).toBe(true);
  }
  for (const text of [
    "steps",
    "steps.other.x",
    "follow the steps.a",
    "steps.a.x == 1",
    "item.x",
    "",
    `steps.a.${"x".repeat(5000)}`,
    `${"(".repeat(4000)}steps.a`,
  ]) {
    expect(readsAStep(text, SCOPE), text).toBe(false);
  }
  expect(readsAStep("item.x", ITEM)).toBe(true);
  expect(readsAStep("item", ITEM)).toBe(false);
});
