/**
 * Evaluation as such: what a program is, what it counts, and where it stops.
 *
 * What expressions give is in conformance/cases/expressions.
 */

import { describe, expect, test } from "vitest";
import {
  Context,
  type Counted,
  compileTree,
  EvaluationError,
  type Program,
} from "../src/evaluate/index.js";
import { parseExpression, Scope } from "../src/expressions/index.js";
import { ordered } from "../src/functions/sorting.js";
import { BARE, type Node } from "../src/tree.js";
import { deepSize, State } from "../src/values/budget.js";
import { ingest, type Members } from "../src/values/index.js";

const ROWS = Array.from({ length: 20 }, (_, n) => ({
  id: n,
  name: `name ${n}`,
  kind: "abc"[n % 3],
  n: n % 7,
  half: n / 2,
  on: n % 2 === 0,
}));

function treeOf(text: string, scope?: Scope): Node {
  const [expression, problems] = parseExpression(text, scope);
  if (expression === undefined) {
    throw new Error(`${text} is refused: ${problems[0]?.message}`);
  }
  return expression.tree;
}

function program(text: string): Program {
  return compileTree(treeOf(text, new Scope(["a", "b"], { hasItem: true })));
}

function ofRoot(text: string, root: unknown): unknown {
  return compileTree(treeOf(text)).run(Context.ofRoot(root));
}

function value(text: string, steps: Members = {}): unknown {
  return program(text).run(new Context(ingest(steps) as Members));
}

function counted(text: string, steps: Members = {}, maxSteps?: number): Counted {
  return program(text).runCounted(new Context(steps), { maxSteps });
}

function caught(run: () => unknown): EvaluationError {
  try {
    run();
  } catch (error) {
    if (error instanceof EvaluationError) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was thrown");
}

function failure(text: string, steps: Members = {}): EvaluationError {
  return caught(() => value(text, steps));
}

describe("a program", () => {
  test("runs again and again", () => {
    const doubled = program("($x := item; $x * 2)");
    const found = [1, 2, 3].map((item) => doubled.run(new Context({}, { item, index: 0 })));
    expect(found).toEqual([2, 4, 6]);
  });

  test("sees results that come later", () => {
    const results: Members = {};
    const context = new Context(results);
    const read = program("steps.a");
    expect(read.run(context)).toBeUndefined();
    results.a = 1;
    expect(read.run(context)).toBe(1);
  });

  test("gives a copy that shares nothing with what is stored", () => {
    const stored = { a: { rows: [{ x: [1] }] } };
    const read = program("[steps.a.rows[0], steps.a.rows[0]]");
    const [first, second] = read.run(new Context(stored)) as { x: number[] }[];
    first?.x.push(2);
    expect(second).toEqual({ x: [1] });
    expect(stored).toEqual({ a: { rows: [{ x: [1] }] } });
  });

  test("gives plain lists only", () => {
    const rows = { a: [{ x: 1 }, { x: 2 }] };
    const result = value("{'k': steps.a.x, 'l': $keys(steps.a)[]}", rows) as Members;
    const found = [
      result.k,
      result.l,
      value("steps.a.x", rows),
      value("steps.a.{'x': x}", rows),
    ];
    expect(found.map((list) => Object.getPrototypeOf(list))).toEqual(
      found.map(() => Array.prototype),
    );
  });

  test.each([
    "steps.a.rows^(>n){kind: $count($)}",
    "$sort(steps.a.rows, function($l, $r){$l.n < $r.n})",
    "$append(steps.a.rows, steps.a.rows) ~> $reverse",
    "$merge(steps.a.rows)",
    "$reduce(steps.a.rows, function($k, $v){$append($k, $v.n)}, [])",
    "steps.a.empty{'k': $count($)}",
    "steps.a.rows.{'k': $}[0]",
    "steps.a.**",
  ])("does not change what it reads: %s", (text) => {
    const stored = { a: { rows: structuredClone(ROWS), empty: [] } };
    const before = structuredClone(stored);
    program(text).run(new Context(stored));
    expect(stored).toEqual(before);
  });

  test("has an array that is the root for one context", () => {
    expect(ofRoot("$count($) & '/' & $count($$)", [1, 2, 3])).toBe("3/3");
    expect(ofRoot("$string()", [1])).toBe("[1]");
  });

  test("takes no name from what every object inherits", () => {
    expect(ofRoot("[constructor, toString, hasOwnProperty]", { x: 1 })).toEqual([]);
    expect(ofRoot("rows.constructor", { rows: [{}, { constructor: 1 }] })).toBe(1);
    expect(ofRoot("$lookup($, 'valueOf')", {})).toBeUndefined();
  });
});

describe("the budget", () => {
  test("is enough with as many steps as are used, and not with one less", () => {
    const text = "$count(steps.a.rows[n > 3].name) & '!'";
    const steps = { a: { rows: ROWS } };
    const found = counted(text, steps);
    expect(found.value).toBe("8!");
    expect(counted(text, steps, found.steps)).toEqual(found);
    const error = caught(() => counted(text, steps, found.steps - 1));
    expect(error.code).toBe("expression_limit");
    expect(error.message).toContain(String(found.steps - 1));
  });

  test("is looked at before anything is copied out", () => {
    const doubled = `($x := {'k': 1}; ${"$x := {'a': $x, 'b': $x}; ".repeat(50)}$x)`;
    expect(failure(doubled)).toMatchObject({
      code: "expression_limit",
      message: expect.stringContaining("1000000 items"),
    });
    const wide = caught(() =>
      counted("$map([1..1000], function($i){[1..900]})", {}, 1_000_000),
    );
    expect(wide.message).toContain("more than 1000000 steps");
  });

  test("bounds what is given in all", () => {
    const given = (count: number): string =>
      `($x := [1..${count}].({}); $map([1..1000], function($i){$x}))`;
    expect(value(given(999))).toHaveLength(1000);
    expect(failure(given(1000)).message).toContain("1000000 items");
  });

  const shared = (times: number, end: string): string =>
    `($a := []; ${"$a := [[$a], [$a]]; ".repeat(times)}${end})`;
  const uses = ["{'q': $a}.*", "$a ? 1 : 2", "$a.x", "$keys($a)", "$spread($a)", "$a.**"];

  test.each([...uses, "$a = $b"])("counts shared parts as if written out: %s", (use) => {
    const apart = "$b := [[$a[0]], [$a[1]]]; ";
    const plain = value(shared(12, "$a"));
    const steps = { a: plain, b: ingest(plain) };
    const written = (end: string): string => `($a := steps.a; $b := steps.b; ${end})`;
    expect(
      counted(shared(12, apart + use)).steps - counted(shared(12, `${apart}1`)).steps,
    ).toBe(counted(written(use), steps).steps - counted(written("1"), steps).steps);
  });

  test.each(uses)("ends endless lists that share their parts: %s", (use) => {
    expect(failure(shared(30, use)).code).toBe("expression_limit");
  });

  test("counts a part that is held in many places in each", () => {
    const part = new Array(100).fill(1);
    expect(deepSize([part, part, [part]])).toBe(3 + 1 + 3 * 100);
  });

  test("counts two keys for each comparison of the reference's merge sort", () => {
    const keys = Array.from({ length: 40 }, (_, n) => (n * 7919) % 11);
    let compared = 0;
    const merge = (part: number[]): number[] => {
      if (part.length < 2) {
        return part;
      }
      const middle = Math.floor(part.length / 2);
      const [left, right] = [merge(part.slice(0, middle)), merge(part.slice(middle))];
      const merged: number[] = [];
      while (left.length > 0 && right.length > 0) {
        compared += 1;
        const from = (left[0] as number) > (right[0] as number) ? right : left;
        merged.push(from.shift() as number);
      }
      return [...merged, ...left, ...right];
    };
    const expected = merge(keys);
    const state = new State(10_000, undefined, {}, 0);
    const closure = (item: unknown): unknown => {
      state.left -= 3;
      return item;
    };
    expect(ordered(keys, [{ closure, descending: false }], state)).toEqual(expected);
    expect(10_000 - state.left).toBe(compared * 6);
  });
});

describe("limits", () => {
  const nest = "$reduce([1..5000], function($k, $v){[[$k]]}, 1)";

  test.each([
    nest,
    `($x := ${nest}; $x.name)`,
    `($x := ${nest}; $x ? 1 : 2)`,
    `($x := ${nest}; $x = $x)`,
    `($x := ${nest}; $x & '')`,
    `($x := ${nest}; $distinct([$x, 1]))`,
    `($x := ${nest}; $x.**)`,
    `($x := ${nest}; {'k': $x}.*)`,
    `($x := ${nest}; $keys($x))`,
    `($x := ${nest}; $spread($x))`,
    `($x := ${nest}; $string($x))`,
  ])("refuse what nests too deep where it is gone through: %s", (text) => {
    expect(failure(text)).toMatchObject({
      code: "expression_limit",
      message: "it makes a value that nests over 64 levels",
    });
  });

  test.each([
    "[1..100001]",
    "($x := [1..60000]; [$x, $x])",
    "[1..1000].([1..1000])",
    "$append([1..60000], [1..60000])",
    "$reduce([1..18], function($k, $v){$append($k, $k)}, [1])",
    "[[1..60000], [1..60000]]{'k': $}",
    "{'a': [1..60000], 'b': [1..60000]}.*",
    "{'a': [1..60000], 'b': [1..60000]}.**",
    "($a := $pad('', 600000, 'x'); $a & $a)",
    "$join([1..100000].('abcdefghijkl'))",
    "$replace($pad('', 1000000, 'a'), 'a', 'bb')",
    "$string($map([1..100000], function($v){'abcdefghij'}))",
    "$pad('x', 1000000000)",
  ])("keep what is too long from being made: %s", (text) => {
    expect(failure(text).code).toBe("expression_limit");
  });

  test.each([
    "$map([1..600], function($i){[1..100000]})",
    "$map([1..2000], function($i){$sum([1..100000])})",
    "($x := [{'i': [1..50000]}, {'i': [1..50000]}]; $map([1..99999], function($i){$x.i}))",
    "($x := [1..99999]; $map($x, function($i){$i in $x}))",
    "($x := [1..99999]; $x[$x])",
    "($s := $pad('', 1000000, 'a'); $map([1..99999], function($i){$s < $s}))",
    "$reduce([1..99999], $append)",
    `($x := [[]]; ${"$x := [[$x], [$x]]; ".repeat(50)}$x ? 1 : 2)`,
  ])("end what would take too long with the budget: %s", (text) => {
    expect(caught(() => counted(text, {}, 300_000)).code).toBe("expression_limit");
  });

  test("of the text are as deep as an expression runs in the stack that Node gives", () => {
    const level = "0 or 1 and 1=1&$steps.a.(";
    const texts: Readonly<Record<string, unknown>> = {
      [`${level.repeat(63)}1${")".repeat(63)}`]: false,
      [`((((((1${"+1".repeat(250)}${`)${"+1".repeat(250)}`.repeat(6)}`]: 1751,
      [`1${"~>$string()".repeat(100)}`]: "1",
      [`${"(1=2)?2:".repeat(60)}3`]: 3,
      [`${"$steps.a[".repeat(64)}x>0${"]".repeat(64)}`]: { x: 1 },
      [`${"$map([1],function($v){".repeat(21)}1${"})".repeat(21)}`]: JSON.parse(
        `${"[".repeat(20)}1${"]".repeat(20)}`,
      ),
      [`${"$steps.q??".repeat(120)}5`]: 5,
    };
    for (const [text, expected] of Object.entries(texts)) {
      expect(value(text, { a: { x: 1 } })).toEqual(expected);
    }
  });

  test("hold a sort of fifty thousand rows in its budget", () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => ({ n: (n * 7919) % 50_000 }));
    const text = "$sort(steps.a, function($l, $r){$l.n > $r.n})[-1].n";
    expect(counted(text, { a: rows }).value).toBe(49_999);
    expect(counted("steps.a^(>n)[0].n", { a: rows }).value).toBe(49_999);
  });
});

describe("a strict name", () => {
  test.each([
    [
      "steps.a.nmae",
      { a: { name: 1, id: 2 } },
      '`steps.a.nmae` names no field; the fields of `steps.a` are "name", "id"',
      "write one of these, or give a default with `??` if the field may be missing",
    ],
    [
      "steps.a.rows.length",
      { a: { rows: [{ x: 1 }, { y: 2 }] } },
      '`steps.a.rows.length` names no field; the fields of `steps.a.rows` are "x", "y"',
      "for its length write $count(steps.a.rows)",
    ],
    [
      "steps.a.name.length",
      { a: { name: "x" } },
      "`steps.a.name.length` names no field: `steps.a.name` is text, not an object",
      "for its length write $length(steps.a.name)",
    ],
    [
      "steps.a.line-1",
      { a: { "line-1": "x" } },
      '`steps.a.line` names no field; the fields of `steps.a` are "line-1"',
      "a name with a hyphen stands in backticks: steps.a.`line-1`",
    ],
    [
      "steps.a.x.y",
      { a: { x: null } },
      "`steps.a.x.y` names no field: `steps.a.x` is null, not an object",
      "use `steps.a.x` itself, or give a default with `??`",
    ],
    [
      "steps.a.x",
      { a: {} },
      "`steps.a.x` names no field: `steps.a` is an object without fields",
      "give a default with `??`, or let the tool return the field",
    ],
    [
      "steps.a.`x y`",
      { a: "t" },
      "`steps.a.`x y`` names no field: `steps.a` is text, not an object",
      "use `steps.a` itself, or let the tool return an object",
    ],
  ])("says what there is: %s", (text, steps, message, hint) => {
    expect(failure(text, steps)).toMatchObject({ code: "no_value", message, hint });
  });

  test("shows twenty fields by first appearance", () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ [`f${n}`]: n }));
    const { message } = failure("steps.a.x", { a: rows });
    expect(message).toContain('"f0", "f1"');
    expect(message).toContain('"f19" and 10 more');
  });
});

test.each([
  [
    "steps.a & 1 + 'x'",
    "`+` needs numbers, and its left side is text",
    "join texts with `&`, or make a number of it with $number(...)",
  ],
  [
    "1 - null",
    "`-` needs numbers, and its right side is null",
    "say what null stands for, as in `x = null ? 0 : x`",
  ],
  [
    "null > 3",
    "`>` compares numbers or texts, and its left side is null",
    "say what null stands for, as in `x != null and x > 3`",
  ],
  [
    "'1' > 3",
    "`>` compares text with a number",
    "make both sides numbers with $number(...), or both texts with $string(...)",
  ],
  [
    "1 / 0",
    "division by zero gives no finite number",
    "test the numbers first, as in `b != 0 ? a / b : 0`",
  ],
  [
    "[1..'3']",
    "`..` needs whole numbers, and its right side is text",
    "round it with $round(...), or make a number of a text with $number(...)",
  ],
  [
    "{1: 2}",
    "a key of an object must be a text, and it is a number",
    "make a text of it with $string(...)",
  ],
  [
    "$sort([2, 1], function($l, $r){$l - $r})",
    "the comparator of $sort must give true or false, and it gives a number",
    "compare with `>`, as in function($l, $r){$l.size > $r.size}",
  ],
])("a failure says what was wrong and what to write: %s", (text, message, hint) => {
  expect(failure(text, { a: "x" })).toMatchObject({
    code: "evaluation_failed",
    message,
    hint,
  });
});

describe("an integer beyond the safe ones", () => {
  const wide = 9007199254740993n;

  test("is no result", () => {
    expect(failure("steps.a.id", { a: { id: 9007199254740993n } })).toMatchObject({
      code: "unsafe_number",
      hint: "let the tool return ids as text",
    });
  });

  test("is passed on by a plain path if the host says exact", () => {
    const context = new Context(ingest({ a: { ids: [wide] } }, "exact") as Members);
    expect(program("steps.a.ids").run(context, { integers: "exact" })).toEqual([wide]);
    for (const text of ["[steps.a.ids]", "steps.a.ids[0] + 0"]) {
      const error = caught(() => program(text).run(context, { integers: "exact" }));
      expect(error.code).toBe("unsafe_number");
    }
  });

  test("is the nearest double within an expression", () => {
    const stored = ingest({ a: wide, b: 9007199254740992n }, "exact") as Members;
    const run = (text: string): unknown => program(text).run(new Context(stored));
    expect(run("steps.a = steps.b")).toBe(true);
    expect(run("'' & steps.a")).toBe("9007199254740992");
    expect(run("steps.a - steps.b")).toBe(0);
    expect(run("$count($distinct([steps.a, steps.b]))")).toBe(1);
    expect(run("$count([steps.a..steps.a])")).toBe(1);
  });

  test("is none as a literal either", () => {
    const literal: Node = { ...BARE, kind: "literal", value: 2 ** 53 + 2 };
    const error = caught(() => compileTree(literal).run(Context.ofRoot(null)));
    expect(error.code).toBe("unsafe_number");
  });
});

describe("where the reference is odd", () => {
  test("a call that ends a lambda has null for its context, as there", () => {
    const error = failure("steps.a.$map([1], function($v){$replace($v.x, 'b', 1)})", {
      a: { x: 1 },
    });
    expect(error.message).toMatch(/^\$replace is given no value/);
    expect(value("steps.a.$map([1], function($v){$string() & ''})", { a: { x: 1 } })).toBe(
      '{"x":1}',
    );
  });

  test("data that looks like its own marks is data", () => {
    const marked = { _jsonata_lambda: true, sequence: true, outerWrapper: true, x: 1 };
    expect(value("steps.a.x", { a: marked })).toBe(1);
    expect(value("$count($keys(steps.a))", { a: marked })).toBe(4);
  });

  test("a list is never equal to an object", () => {
    expect(value("[] = {'length': 0}")).toBe(false);
  });
});
