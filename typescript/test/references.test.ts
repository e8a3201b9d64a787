/** What an expression reads, and which of its names are strict. */

import { expect, test } from "vitest";
import {
  type Expression,
  type Field,
  parseExpression,
  readExpression,
  Scope,
} from "../src/expressions/index.js";

const SCOPE = new Scope(["a", "b", "late"], { hasItem: true, inputs: ["today", "user-id"] });

function read(text: string, scope = SCOPE): Expression {
  const [expression, problems] = parseExpression(text, scope);
  expect(problems, text).toEqual([]);
  if (expression === undefined) throw new Error(text);
  return expression;
}

/** The strict names in a tree, each with the path up to it. */
function strict(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const inside = Object.values(part).flatMap(strict);
  const isStrict = "strict" in part && part.strict !== undefined && "value" in part;
  return isStrict ? [`${String(part.strict)} -> ${String(part.value)}`, ...inside] : inside;
}

const STRICT: [string, string[]][] = [
  ["steps.a", []],
  ["steps.a.x.y", ["steps.a -> x", "steps.a.x -> y"]],
  ["steps.`a`.`x y`.z", ["steps.a -> x y", "steps.a.`x y` -> z"]],
  ["$steps.a.x", ["steps.a -> x"]],
  ["$.steps.a.x", ["steps.a -> x"]],
  ["$$.steps.a.x", ["steps.a -> x"]],
  ["(steps).a.x", ["steps.a -> x"]],
  ["(steps.a).x", ["steps.a -> x"]],
  ["((steps.a.x)).y", ["steps.a -> x", "steps.a.x -> y"]],
  ['$lookup(steps, "a").x', ["steps.a -> x"]],
  ['$lookup(($steps), ("a")).x', ["steps.a -> x"]],
  ["input.today.x", ["input.today -> x"]],
  ["item.x", ["item -> x"]],
  ["$item.x & $.item.y & $$.item.z", ["item -> x", "item -> y", "item -> z"]],
  ["steps.a[0].x", []],
  ["steps.a.x[y = 1].z", ["steps.a -> x"]],
  ["steps.a.x[].y", ["steps.a -> x"]],
  ["steps.a.x.*.y", ["steps.a -> x"]],
  ["steps.a.x^(y).z", ["steps.a -> x"]],
  ["steps.a.x.(y.z)", ["steps.a -> x"]],
  ["steps.a.x{y: z}", ["steps.a -> x"]],
  ["(steps.a.x)[0].y", ["steps.a -> x"]],
  ["(1; steps.a.x).y", ["steps.a -> x"]],
  ["($v := steps.a.x; $v.y)", ["steps.a -> x"]],
  ["$sum(steps.a.x)", ["steps.a -> x"]],
  ["steps.a.x ~> $sum", ["steps.a -> x"]],
  ["steps.a.x[y = $steps.b.z]", ["steps.a -> x", "steps.b -> z"]],
  ["$map(steps.a.x, function($item){$item.y})", ["steps.a -> x"]],
  ["($item := steps.a.x; $item.y)", ["steps.a -> x"]],
  ["(($item := 1; $item.y); $item.z)", ["item -> z"]],
  ["steps.a.x ?? steps.b.y", ["steps.b -> y"]],
  ["steps.a.x ?: steps.b.y", ["steps.b -> y"]],
  ["(steps.a.x & steps.a.y) ?? steps.b.z", ["steps.b -> z"]],
  ["$exists(steps.a.x)", []],
  ["$exists($sum(steps.a.x[y = $steps.b.z]))", []],
  ["steps.a.x ~> $exists()", []],
  ["$not($exists(steps.a.x)) and steps.b.y", ["steps.b -> y"]],
  ["steps.a.x ? steps.a.y : steps.b.z", ["steps.a -> y", "steps.b -> z"]],
  ["(steps.a.x) ? 1 : 2", []],
  ["steps.a.x = 1 ? 1 : 2", ["steps.a -> x"]],
  ["$exists(steps.a.x ? steps.a.y : 1)", []],
];

test.each(STRICT)("names are strict up to the first operator: %s", (text, expected) => {
  expect([...new Set(strict(read(text).tree))].sort()).toEqual(expected);
});

test("reads stand in the order of the text with their strict names", () => {
  const found = read(
    "{'k': steps.b.x[y = $steps.a.z.w]} & (steps.late.v ?? item.n.m) & input.today",
  );
  expect(found.reads).toEqual([
    { root: "steps", id: "b", names: ["x"], position: 12 },
    { root: "steps", id: "a", names: ["z", "w"], position: 27 },
    { root: "steps", id: "late", names: [], position: 44 },
    { root: "item", id: "", names: ["n", "m"], position: 54 },
    { root: "input", id: "today", names: [], position: 72 },
  ]);
  expect(found).toMatchObject({
    dependencies: ["b", "a", "late"],
    inputs: ["today"],
    usesItem: true,
  });
});

test("the index is the item's and no read", () => {
  const found = read("steps.a.x[$index] & index");
  expect(found.usesItem).toBe(true);
  expect(found.reads.map((each) => each.root)).toEqual(["steps"]);
  expect(read("$map([1], function($index){$index})").usesItem).toBe(false);
});

test("an unknown step is read like any other", () => {
  expect(read("steps.nobody.x").dependencies).toEqual(["nobody"]);
});

test("what a refused expression reads is told as far as it is understood", () => {
  const found = readExpression("$foo(steps.nobody.x) + steps.a.y", SCOPE);
  expect(found.expression).toBeUndefined();
  expect(found.reads.map(({ id, position }) => [id, position])).toEqual([
    ["nobody", 11],
    ["a", 29],
  ]);
  expect(readExpression("steps.a.x ==", SCOPE).reads).toEqual([]);
});

const UNNAMED: [string, string, number, string][] = [
  ["steps[1].x", "unresolvable_reference", 0, "name the step that is meant, as in steps.b"],
  [
    "$keys(steps)",
    "unresolvable_reference",
    6,
    "name the step that is meant, as in steps.a, or each of several, as in [steps.a, steps.b]",
  ],
  ["$number()", "unresolvable_reference", 0, "write $number(value)"],
  [
    "steps.a.x[y = steps.b.z]",
    "relative_steps",
    14,
    "write $steps; the row's own field is $.steps; corrected: steps.a.x[y = $steps.b.z]",
  ],
  [
    "steps.a.x.(input.today)",
    "relative_steps",
    11,
    "write $input; the row's own field is $.input; corrected: steps.a.x.($input.today)",
  ],
  ["input.tody", "unknown_root", 6, "write input.today; corrected: input.today"],
  ["$input.zone", "unknown_root", 7, "the host passed input.today, input.`user-id`"],
  ["lat.x", "unknown_root", 0, "write steps.late; corrected: steps.late.x"],
  ["$$.lat.x", "unknown_root", 3, "write steps.late; corrected: steps.late.x"],
  [
    "jobs.x",
    "unknown_root",
    0,
    "an expression reads steps.<id>, input.<name>, item and index; text stands between quotes",
  ],
  ["b.x", "foreign_syntax", 0, "write steps.b; corrected: steps.b.x"],
  ["$.b", "foreign_syntax", 2, "write steps.b; corrected: steps.b"],
  [
    "steps.a.x-y-z",
    "foreign_syntax",
    10,
    "put a field's name that has a hyphen in backticks; corrected: steps.a.`x-y-z`",
  ],
];

test.each(UNNAMED)("%s is told what is meant", (text, code, position, hint) => {
  expect(parseExpression(text, SCOPE)[1][0]).toMatchObject({ code, position, hint });
});

const NO_ITEM: [Field, string][] = [
  ["bind", "give the step a `for_each` that makes the list, or read a step: steps.<id>"],
  [
    "when",
    "`when` is decided once for the step and not for each item: filter the list in `for_each`, as in steps.a.rows[size > 3]",
  ],
  [
    "for_each",
    "filter or shape the list itself, as in steps.a.rows[size > 3]; `item` is there in `bind`, for each entry of it",
  ],
  ["output", "read the results: steps.<id> is the list that a step with `for_each` gave"],
];

test.each(NO_ITEM)("in %s there is no item without a list", (field, hint) => {
  const scope = new Scope(["a"], { field });
  expect(parseExpression("item.x", scope)[1]).toEqual([
    { code: "unknown_root", message: "there is no `item` here", hint, position: 0 },
  ]);
  expect(parseExpression("$item.x", scope)[1]).toEqual([
    { code: "unknown_variable", message: "there is no variable $item", hint, position: 0 },
  ]);
});

test("a step that is called like a root is read through steps", () => {
  const scope = new Scope(["item", "input"]);
  expect(read("steps.item.x & steps.input.y", scope).dependencies).toEqual(["item", "input"]);
  const [, [problem]] = parseExpression("item.x", scope);
  expect(problem?.hint).toBe("write steps.item; corrected: steps.item.x");
});

test("any input is accepted where the host's are not known", () => {
  expect(read("input.x.y", new Scope([])).inputs).toEqual(["x"]);
  expect(read("$lookup(input, 'x')", new Scope([])).inputs).toEqual(["x"]);
  const [, [problem]] = parseExpression("input.x", new Scope([], { inputs: [] }));
  expect(problem?.hint).toBe(
    "the host passed no input: read a step, or write the value itself",
  );
});
