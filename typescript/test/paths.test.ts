/** Plain paths are read without the library's parser, to the tree that it would lead to. */

import { expect, test } from "vitest";
import { parseExpression, Scope } from "../src/expressions/index.js";
import { parse } from "../src/expressions/parser.js";
import { isPlainPath, readPlain, readPlainList } from "../src/expressions/paths.js";
import { treeOf } from "../src/expressions/profile.js";
import { references } from "../src/expressions/references.js";
import { scan } from "../src/expressions/scan.js";
import { FUNCTIONS } from "../src/functions/index.js";

const SCOPE = new Scope(["a", "b1", "steps", "item"], { hasItem: true });
const WORDS =
  "a b1 steps item index x_y True length function and or in true null order nullable inner _";
const ROOTS = [...WORDS.split(" ").map((word) => `steps.${word}`), "item", "steps", "items"];
const PARTS = [
  ...WORDS.split(" ").map((word) => `.${word}`),
  ..."[0] [12] [00] [-1] [x] [] [999999999999999] [1000000000000000] .1 ..x .".split(" "),
  ".`a b`",
  " .x",
  ".x ",
];
const AROUND = [
  ["", ""],
  ["[", "]"],
  ["(", ")"],
  ["[", ")"],
  ["", "]"],
  ["-", ""],
  ...["nope", ...FUNCTIONS.keys()].map((name) => [`$${name}(`, ")"]),
] as const;

/** Texts that are plain paths or nearly so, the same in every run. */
function* texts(): Generator<string> {
  let seed = 1;
  const pick = <T>(from: readonly T[]): T => {
    seed = (seed * 48_271) % 2_147_483_647;
    const picked = from[seed % from.length];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  };
  for (let count = 0; count < 3000; count += 1) {
    const [before, after] = pick(AROUND);
    const rest = Array.from({ length: count % 5 }, () => pick(PARTS)).join("");
    yield `${before}${pick(ROOTS)}${rest}${after}`;
  }
}

/** What the library's parser leads to. */
function slowly(text: string) {
  const scanned = scan(text);
  const [tree, faults] = treeOf(parse(scanned), scanned, SCOPE);
  const found = references(tree, scanned, SCOPE);
  return { tree, reads: found.reads, faults: [...faults, ...found.faults] };
}

test("a plain path has the tree and the reads of the library's route", () => {
  let plain = 0;
  for (const text of texts()) {
    const found = readPlain(text, SCOPE);
    if (found === undefined) continue;
    plain += 1;
    const [tree, read] = found;
    expect(slowly(text), text).toEqual({ tree, reads: [read], faults: [] });
  }
  expect(plain).toBeGreaterThan(300);
});

test("a list of plain paths has the tree and the reads of the library's route", () => {
  const every = Array.from({ length: 50 }, (_, n) => `steps.s${n}.x[0]`).join(", ");
  for (const text of [`[${every}]`, "[steps.a.x,item]", "[item.x[1].y,  steps.a]"]) {
    const found = readPlainList(text, SCOPE);
    expect(found, text).toBeDefined();
    expect(slowly(text)).toEqual({ tree: found?.[0], reads: found?.[1], faults: [] });
  }
});

test("other lists are left to the parser", () => {
  for (const text of [
    "[steps.a]",
    "[steps.a,]",
    "[steps.a, ]",
    "[steps.a, 1]",
    "[steps.a,b]",
    "[,]",
  ]) {
    expect(readPlainList(text, SCOPE), text).toBeUndefined();
  }
  expect(readPlainList("[item, steps.a]", new Scope(["a"]))).toBeUndefined();
});

test("the common forms are read without the parser", () => {
  for (const text of [
    "steps.a",
    "steps.a.x.y",
    "steps.a[0].x",
    "item",
    "item.x[1][2]",
    "[steps.a.x]",
    "[item]",
    "$count(steps.a.rows)",
    "$exists(item.x)",
    "$sort(steps.a.x)",
  ]) {
    expect(readPlain(text, SCOPE), text).toBeDefined();
  }
});

test("other forms are left to the parser", () => {
  for (const text of [
    "steps",
    "steps[0]",
    "steps.null",
    "items.x",
    "item.and",
    "steps.a .x",
    "steps.a[-1]",
    "steps.a[01]",
    "$lookup(steps.a)",
    "$map(item)",
    "$each(item)",
    "$nope(item)",
    "[steps.a",
    "(steps.a)",
    `steps.a${".x".repeat(500)}`,
    "$eval(item)",
    "",
  ]) {
    expect(readPlain(text, SCOPE), text).toBeUndefined();
  }
  expect(readPlain("item.x", new Scope(["a"]))).toBeUndefined();
});

test("what is wholly a plain path does not depend on who read it", () => {
  for (const text of ["steps.a", "item.x[0].y", " steps.a.x", "steps.`a`.x[1]", "steps . a"]) {
    const [expression] = parseExpression(text, SCOPE);
    expect(expression?.plainPath, text).toBe(true);
    expect(expression && isPlainPath(expression.tree)).toBe(true);
  }
  for (const text of ["[steps.a.x]", "$count(steps.a)", "$steps.a", "steps.a.x[y = 1]"]) {
    expect(parseExpression(text, SCOPE)[0]?.plainPath, text).toBe(false);
  }
});
