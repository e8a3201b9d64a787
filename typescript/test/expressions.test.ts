/** One expression as a whole: what reading it gives. */

import { expect, test } from "vitest";
import {
  type Field,
  MAX_EXPRESSION_BYTES,
  MAX_EXPRESSIONS,
  parseExpression,
  readExpression,
  Scope,
} from "../src/expressions/index.js";
import { Code } from "../src/models.js";

const SCOPE = new Scope(["a", "b"], { hasItem: true });

test("an expression tells all that a check asks", () => {
  const text = "$sum(steps.b.x[id = $item.id].n) + input.y";
  const [expression, problems] = parseExpression(text, SCOPE);
  expect(problems).toEqual([]);
  expect(expression).toMatchObject({
    text,
    dependencies: ["b"],
    inputs: ["y"],
    reads: [
      { root: "steps", id: "b", names: ["x"], position: 11 },
      { root: "item", id: "", names: ["id"], position: 20 },
      { root: "input", id: "y", names: [], position: 41 },
    ],
    plainPath: false,
    usesItem: true,
  });
});

test("a refused text is no expression and tells why", () => {
  expect(readExpression("steps.a.x +", SCOPE)).toEqual({
    expression: undefined,
    problems: [
      {
        code: "syntax",
        message: "the expression ends after `+`, where something is missing (position 10)",
        hint: "write what belongs there, or remove what stands last",
        position: 10,
      },
    ],
    reads: [],
  });
});

const WORDS: [string, string][] = [
  ["a b'", "`b'` follows `a` with no operator between them (position 2)"],
  ["{'a', 1}", "`,` stands where `:` is due (position 4)"],
  ["$sum(1 2)", "`2` stands where `)` is due (position 7)"],
  ["1 + + 2", "`+` stands where a value is due (position 4)"],
  ["a ~ b", "`~` is no operator (position 2)"],
  ["a{b: 1}{c: 2}", "a `{` cannot come right after a group {...} (position 7)"],
  ["'\\q'", "`\\q` is no escape in a string (position 1)"],
  ["", "the expression is empty (position 0)"],
  ["\ud800", "half of a surrogate pair is no character (position 0)"],
];

test.each(WORDS)("syntax is told by place in our own words: %j", (text, message) => {
  expect(parseExpression(text, undefined)[1][0]?.message).toBe(message);
});

test("an empty text is refused in every field", () => {
  for (const field of ["bind", "when", "for_each", "output"] satisfies Field[]) {
    for (const text of ["", " \n", "/* nothing */"]) {
      const found = parseExpression(text, new Scope([], { field }))[1];
      expect(found.map((problem) => problem.code)).toEqual(["syntax"]);
    }
  }
});

test("every code is one of the closed list, and nothing of a library is shown", () => {
  const texts = "a ==|$x|$f()|$now()|steps.*|x.y|a[steps.b = 1]|1 +|a b|{|'|a.1|1e999|$|%|~|??";
  for (const text of [...texts.split("|"), "(".repeat(70), "|a|", "function(a){b}", "a@b"]) {
    const found = parseExpression(text, SCOPE)[1];
    expect(found.length, text).toBeGreaterThan(0);
    for (const { code, message, hint } of found) {
      expect(Code.options, text).toContain(code);
      expect(`${message} ${hint}`).not.toMatch(/jsonata|s0\d|exception|undefined/i);
    }
  }
});

test("limits count code points", () => {
  const long = `"${"😀".repeat(3000)}"`;
  expect(parseExpression(long, undefined)[1]).toEqual([]);
  const longer = `"${"😀".repeat(4095)}"`;
  expect(parseExpression(longer, undefined)[1]).toEqual([
    {
      code: "expression_limit",
      message: "the expression has 4097 characters, and 4096 are allowed",
      hint: "shorten it, or split the work over several steps or bindings",
      position: 4096,
    },
  ]);
});

test("the limits of a whole plan are there for its check", () => {
  expect([MAX_EXPRESSIONS, MAX_EXPRESSION_BYTES]).toEqual([1000, 65_536]);
});
