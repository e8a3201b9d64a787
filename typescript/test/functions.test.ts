/** The table of listed functions, and how arguments are fitted to what they take. */

import { describe, expect, test } from "vitest";
import { LISTED } from "../src/expressions/listed.js";
import { FUNCTIONS, type ListedFunction } from "../src/functions/index.js";
import { Signature } from "../src/functions/signatures.js";
import { EvaluationError, State } from "../src/values/budget.js";

function listed(name: string): ListedFunction {
  const found = FUNCTIONS.get(name);
  if (found === undefined) {
    throw new Error(`there is no $${name}`);
  }
  return found;
}

function calledIn(context: unknown, name: string, ...given: unknown[]): unknown {
  return listed(name).call(new State(10_000_000, undefined, {}, 0), given, context);
}

function called(name: string, ...given: unknown[]): unknown {
  return calledIn(undefined, name, ...given);
}

function failure(run: () => unknown): readonly [code: string, message: string, hint: string] {
  try {
    run();
  } catch (error) {
    if (error instanceof EvaluationError) {
      return [error.code, error.message, error.hint];
    }
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the table", () => {
  test("has each function with all its parameters", () => {
    for (const [name, { most }] of FUNCTIONS) {
      const parameters = LISTED.get(name)?.length;
      expect(parameters, name).toBe(most ?? parameters);
    }
  });

  test.each([
    ["string", 0, 2, [0]],
    ["substring", 1, 3, [1]],
    ["replace", 2, 4, [2]],
    ["sum", 1, 1, []],
    ["zip", 1, undefined, []],
    ["error", 0, 1, []],
    ["each", 1, 2, [1]],
    ["lookup", 1, 2, [1]],
  ] as const)("says how many arguments $%s takes", (name, least, most, contextAt) => {
    const row = listed(name);
    expect([row.least, row.most]).toEqual([least, most]);
    const counts = [0, 1, 2, 3].filter((count) => count >= least && row.takesContext(count));
    expect(counts).toEqual(contextAt);
  });

  test.each([
    ["map", 2, 1],
    ["sort", 1, undefined],
    ["sort", 2, 1],
    ["each", 1, 0],
    ["each", 2, 1],
    ["reduce", 3, 1],
    ["sum", 1, undefined],
  ] as const)("has a place for the function of $%s with %i arguments", (name, count, place) => {
    expect(listed(name).functionPlace(count)).toBe(place);
  });

  test("lets a name be handed on only where no more is handed to it than it takes", () => {
    expect(listed("uppercase").byNameIn.has("map")).toBe(true);
    expect(listed("round").byNameIn.has("map")).toBe(false);
    expect([...listed("append").byNameIn]).toEqual(["reduce"]);
    expect(listed("map").byNameIn.size).toBe(0);
    expect(listed("substring").byNameIn.size).toBe(0);
  });
});

describe("an argument", () => {
  test("that is a single value stands for a list of one", () => {
    expect(called("sum", 7)).toBe(7);
    expect(called("join", "x")).toBe("x");
    expect(called("reverse", "x")).toEqual(["x"]);
  });

  test("that is left out first is the context", () => {
    expect(calledIn("abc", "substring", 1)).toBe("bc");
    expect(calledIn(1.5, "string")).toBe("1.5");
    expect(calledIn({ k: 1 }, "lookup", "k")).toBe(1);
  });

  test("that is nothing is none left out", () => {
    expect(calledIn("abc", "uppercase", undefined)).toBeUndefined();
  });

  test.each([
    ["uppercase", [1], "argument 1 of $uppercase must be text, and it is a number"],
    ["uppercase", [null], "argument 1 of $uppercase must be text, and it is null"],
    ["uppercase", [["x"]], "argument 1 of $uppercase must be text, and it is a list"],
    ["floor", ["1"], "argument 1 of $floor must be a number, and it is text"],
    ["floor", [[1]], "argument 1 of $floor must be a number, and it is a list"],
    ["floor", [{}], "argument 1 of $floor must be a number, and it is an object"],
    [
      "number",
      [null],
      "argument 1 of $number must be a number or text or true or false, and it is null",
    ],
    ["substring", ["x"], "argument 2 of $substring is missing"],
    ["sift", ["x", 1], "argument 1 of $sift must be an object, and it is text"],
    ["uppercase", ["x", "y"], "$uppercase is given 2 arguments and takes 1"],
    ["sum", ["x"], "argument 1 of $sum must be a list of numbers, and it is text"],
    [
      "sum",
      [[1, null]],
      "argument 1 of $sum must be a list of numbers, and it is a list with null in it",
    ],
    [
      "join",
      [["x", 1]],
      "argument 1 of $join must be a list of texts, and it is a list with a number in it",
    ],
    [
      "merge",
      [[{}, "x"]],
      "argument 1 of $merge must be a list of objects, and it is a list with text in it",
    ],
  ])("of the wrong kind is named: $%s of %j", (name, given, message) => {
    const [code, said, hint] = failure(() => called(name, ...given));
    expect([code, said]).toEqual(["evaluation_failed", message]);
    expect(hint).not.toBe("");
  });

  test("is told where the context is of the wrong kind", () => {
    expect(failure(() => calledIn(5, "uppercase"))).toEqual([
      "evaluation_failed",
      "$uppercase is given no value, and the context, which it then takes, is a number",
      "write the value that it is to take, as in $uppercase($x)",
    ]);
  });

  test("is fitted alike the second time", () => {
    const signature = new Signature("pad", "<s-ns?:s>");
    for (let time = 0; time < 2; time += 1) {
      expect(signature.fit(["x", 3], "ctx")[2]).toBeUndefined();
      expect(signature.fit(["x", 3], "ctx").slice(0, 2)).toEqual(["x", 3]);
      expect(signature.fit([3], "ctx")).toEqual(["ctx", 3, undefined]);
      expect(signature.fit(["x", 3, "-"], "ctx")).toEqual(["x", 3, "-"]);
    }
  });
});

test.each([
  ["substring", ["hello", undefined], "hello"],
  ["substring", ["hello", undefined, 2], ""],
  ["substring", ["hello", -2], "lo"],
  ["substring", ["hello", 1e300], ""],
  ["substring", ["a😀b", 1, 1], "😀"],
  ["substringBefore", ["an undefined name", undefined], "an "],
  ["substringAfter", ["abc", undefined], "abc"],
  ["pad", ["x", undefined], "x"],
  ["pad", ["😀", 3, "ab"], "😀ab"],
  ["replace", ["abc", "b", undefined], "aundefinedc"],
  ["replace", ["aXb", "X", "$&"], "a$&b"],
  ["split", ["a,b", ",", 2 ** 32], []],
  ["split", ["a\u{1f600}", "\ude00"], ["a\ud83d", ""]],
  ["substringBefore", ["a\u{1f600}b", "\ude00"], "a\ud83d"],
  ["contains", ["\u{1f600}", "\ud83d"], true],
  ["lookup", [{ undefined: 1 }, undefined], 1],
  ["formatBase", [2 ** 60, 7], "2031000661631341064200"],
  ["formatBase", [1e21, 10], "1e+21"],
  ["number", [" 0b11"], 3],
  ["power", [2, 3], 8],
  ["spread", [[{}]], []],
  ["distinct", [[]], []],
  ["distinct", [[1, "1", true, [1], { a: 1, b: 2 }, { b: 2, a: 1 }, [1], 1]], undefined],
  ["zip", [[1], [2], [3, 4]], [[1, 2, 3]]],
  ["type", [[]], "array"],
  ["ceil", [-0.5], 0],
])("$%s of %j gives what the reference gives", (name, given, result) => {
  const expected = result ?? [1, "1", true, [1], { a: 1, b: 2 }];
  const found = called(name, ...given);
  expect(Array.isArray(found) ? [...found] : found).toEqual(expected);
});

test.each([
  ["substringAfter", ["an undefined name", undefined]],
  ["split", ["a", undefined]],
  ["replace", ["a", undefined, "x"]],
  ["power", [2, undefined]],
  ["sift", [{ x: 1 }]],
  ["error", []],
  ["error", ["stop here"]],
  ["assert", [false]],
])("$%s of %j fails, as the reference cannot do it", (name, given) => {
  expect(failure(() => called(name, ...given))[0]).toBe("evaluation_failed");
});

test("an error has its own words", () => {
  expect(failure(() => called("error", "stop here"))).toEqual([
    "evaluation_failed",
    "stop here",
    "",
  ]);
  expect(failure(() => called("assert", false, "no rows"))[1]).toBe("no rows");
});

test.each<readonly [name: string, given: () => unknown[]]>([
  ["pad", () => ["x", 10 ** 9]],
  ["pad", () => ["x", -(10 ** 9), "ab"]],
  ["split", () => [",".repeat(100_000), ","]],
  ["split", () => ["x".repeat(100_001), ""]],
  ["replace", () => ["a".repeat(1_000_000), "a", "bb"]],
  ["join", () => [["x".repeat(600_000), "y".repeat(600_000)]]],
  ["uppercase", () => ["\u0149".repeat(400_000)]],
  ["append", () => [new Array(60_000).fill(1), new Array(60_000).fill(1)]],
  ["zip", () => [new Array(100_001).fill(1)]],
  ["reverse", () => [new Array(100_001).fill(1)]],
  ["spread", () => [new Array(100_001).fill({ x: 1 })]],
  ["string", () => [new Array(1100).fill("x".repeat(1000))]],
])("$%s does not make what would be too large", (name, given) => {
  expect(failure(() => called(name, ...given()))[0]).toBe("expression_limit");
});
