/** What comes in and goes out as plain JSON, and numbers as ECMAScript writes them. */

import { expect, it } from "vitest";
import {
  deepSize,
  EvaluationError,
  MAX_TEXT,
  madeText,
  State,
  size,
  spend,
  textSize,
} from "../src/values/budget.js";
import { halfEven, isNumber, numberToText, roundedTo15Digits } from "../src/values/doubles.js";
import {
  codePoints,
  copyOut,
  ingest,
  jsonSize,
  jsonString,
  toJsonText,
  utf8Size,
  ValueFault,
} from "../src/values/index.js";
import { power } from "../src/values/power.js";
import {
  Cons,
  collapse,
  equal,
  filled,
  identical,
  Kept,
  kind,
  lookUp,
  RootList,
  Sequence,
  spread,
  truth,
} from "../src/values/sequences.js";
import { shown } from "../src/values/text.js";

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function state(max = 1_000_000): State {
  return new State(max, null, {}, 0);
}

class Row {
  readonly id = 1;
}

it("takes minus zero in as zero", () => {
  const taken = ingest([-0, { a: -0 }]) as [number, { a: number }];
  expect(Object.is(taken[0], 0)).toBe(true);
  expect(Object.is(taken[1].a, 0)).toBe(true);
  expect(Object.is(ingest(-0), 0)).toBe(true);
});

it("takes in a copy, and a shared part twice", () => {
  const part = { x: 1 };
  const taken = ingest({ rows: [part, part] }) as { rows: object[] };
  part.x = 2;
  expect(taken).toEqual({ rows: [{ x: 1 }, { x: 1 }] });
  expect(taken.rows[0]).not.toBe(taken.rows[1]);
});

it("keeps the digits of an integer beyond the safe ones only if they are wanted", () => {
  const given = { id: 9007199254740993n, small: 7n };
  expect(ingest(given, "exact")).toEqual({ id: 9007199254740993n, small: 7 });
  expect(ingest(given)).toEqual({ id: 9007199254740992, small: 7 });
});

it("leaves out what is undefined as JSON.stringify does", () => {
  const given = { a: undefined, b: [undefined, 1], c: null };
  expect(ingest(given)).toStrictEqual({ b: [null, 1], c: null });
  expect(ingest(undefined)).toBeNull();
});

it("takes in objects without a prototype and of other realms", () => {
  const bare: Record<string, unknown> = Object.assign(Object.create(null), { x: [1] });
  const taken = ingest(bare);
  expect(taken).toStrictEqual({ x: [1] });
  expect(Object.getPrototypeOf(taken)).toBe(Object.prototype);
});

it.each([
  [Number.NaN, "a number that is not finite"],
  [{ a: [1, Number.POSITIVE_INFINITY] }, "at /a/1: a number that is not finite"],
  [JSON.parse('{"a": {"__proto__": 1}}'), "at /a: the key __proto__"],
  [{ [Symbol("x")]: "x" }, "a key is not text"],
  [[{ "x/y": new Date(0) }], "at /0/x~1y: a value of type Date"],
  [{ x: new Set([1, 2]) }, "at /x: a value of type Set"],
  [{ x: new Row() }, "at /x: a value of type Row"],
  [[() => 1], "at /0: a value of type function"],
  [["ok", "\ud800"], "at /1: text with a lone surrogate"],
  [{ x: "\udc00" }, "at /x: text with a lone surrogate"],
  ["\ud83d", "text with a lone surrogate"],
  [{ "\ud800": 1 }, "a key with a lone surrogate"],
  [10n ** 400n, "a number larger than a double can be"],
  [nested(65), `at ${"/0".repeat(64)}: it nests over 64 levels`],
])("refuses what is no JSON, and says where", (value, message) => {
  expect(() => ingest(value)).toThrow(ValueFault);
  expect(() => ingest(value)).toThrow(
    expect.objectContaining({ code: "not_json_result", message }),
  );
});

it("refuses a value that holds itself, and takes in 64 levels", () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => ingest(value)).toThrow("nests over 64 levels");
  expect(ingest(nested(64))).toEqual(nested(64));
});

it("copies out what shares nothing with what is stored", () => {
  const stored = ingest({ id: 2n ** 60n, rows: [{ x: 1 }] }, "exact");
  const copied = copyOut(stored) as { rows: { x: number }[] };
  copied.rows[0] = { x: 2 };
  expect(stored).toEqual({ id: 2n ** 60n, rows: [{ x: 1 }] });
});

it.each([
  [0, "0"],
  [-1.5, "-1.5"],
  [1e16, "10000000000000000"],
  [123456789012345680000, "123456789012345680000"],
  [1e21, "1e+21"],
  [1e-6, "0.000001"],
  [1.5e-7, "1.5e-7"],
  [9007199254740993n, "9007199254740992"],
  [2n ** 70n, "1.1805916207174113e+21"],
])("writes %s as ECMAScript does", (number, text) => {
  expect(numberToText(number)).toBe(text);
});

it("writes JSON with all digits of integers, whatever a host taught bigint", () => {
  const value = [1e16, 1e-7, 2n ** 60n, { k: "é\u2028\x7f\n" }, null, true];
  const text = '[10000000000000000,1e-7,1152921504606846976,{"k":"é\u2028\x7f\\n"},null,true]';
  expect(toJsonText(value)).toBe(text);
  const prototype = BigInt.prototype as { toJSON?: () => string };
  prototype.toJSON = () => "wrong";
  expect(toJsonText(value)).toBe(text);
  delete prototype.toJSON;
  expect(jsonSize({ k: "é" })).toBe(10);
  expect(jsonString("\ud800é\u2028")).toBe('"\\ud800é\u2028"');
});

it.each([
  [2.5, 0, 2],
  [3.5, 0, 4],
  [-2.5, 0, -2],
  [-1.5, 0, -2],
  [-0.5, 0, 0],
  [0.49999999999999994, 0, 0],
  [1.005, 2, 1],
  [2.345, 2, 2.34],
  [1255, -1, 1260],
  [1e21, 0, 1e21],
  [1.5e-7, 7, 2e-7],
  [5, 0.5, Number.NaN],
])("rounds %s to %s places, a tie to the even neighbour", (number, places, rounded) => {
  expect(halfEven(number, places)).toBe(rounded);
});

it.each([
  [2, 10, 1024],
  [10, -4, 9.999999999999999e-5],
  [0.51, 7, 0.00897410677851],
  [2, 0.5, Math.SQRT2],
  [-1, 4, 1],
  [0, -1, Number.POSITIVE_INFINITY],
  [5e-324, 0.25, 1.4908919308538353e-81],
  [1.0000000001, 1e10, 2.7182820532347876],
  [1.0000001, 3e9, 1.9423975992963885e130],
  [0.9999999, 3e9, 5.148123812906097e-131],
  [-8, 1 / 3, Number.NaN],
])("raises %s to %s as the reference does to the last bit", (base, exponent, result) => {
  expect(power(base, exponent)).toBe(result);
});

it.each([
  ["", 0, 0],
  ["abc", 3, 3],
  ["é", 2, 1],
  ["€", 3, 1],
  ["😀", 4, 1],
  ["\ud83d", 3, 1],
  ["\ude00\ud83d", 6, 2],
  ["a\ud83dé😀", 10, 4],
  ["é😀".repeat(1000), 6000, 2000],
  ["\ud83d€".repeat(1000), 6000, 2000],
])("counts the bytes and the code points of %j", (text, bytes, points) => {
  expect(utf8Size(text)).toBe(bytes);
  expect(codePoints(text)).toBe(points);
  expect(textSize(text)).toBe(Math.floor(bytes / 64));
});

it("holds a made text to its bytes", () => {
  expect(madeText("é".repeat(MAX_TEXT / 2))).toHaveLength(MAX_TEXT / 2);
  for (const text of [
    "a".repeat(MAX_TEXT + 1),
    "é".repeat(MAX_TEXT / 2 + 1),
    "😀".repeat(MAX_TEXT / 4 + 1),
  ]) {
    expect(() => madeText(text)).toThrow(EvaluationError);
  }
});

it("counts what a value adds, and each large part once", () => {
  expect(size({ a: 1, b: [1, 2, 3] })).toBe(2);
  expect(size("a".repeat(130))).toBe(2);
  expect(deepSize({ a: 1, b: [1, 2, "a".repeat(64)] })).toBe(6);
  let doubled: unknown = new Array(64).fill(1);
  for (let level = 0; level < 50; level += 1) doubled = [doubled, doubled];
  expect(deepSize(doubled)).toBe(2 ** 50 * 66 - 2);
  expect(() => deepSize(nested(65))).toThrow("nests over 64 levels");
});

it("stops once the steps are used up", () => {
  const run = state(10);
  spend(run, 10);
  expect(run.left).toBe(0);
  expect(() => spend(run, 1)).toThrow(
    expect.objectContaining({
      name: "OutOfStepsError",
      code: "expression_limit",
      message: "it takes more than 10 steps, which is max_expression_steps",
    }),
  );
});

it("knows what finds a list from its class, which no array method hands on", () => {
  for (const list of [new Sequence(), new Kept(), new Cons(), new RootList()]) {
    filled(list, [3, 1]);
    expect([...list]).toEqual([3, 1]);
    expect(list.slice().constructor).toBe(Array);
    expect(list.map((item) => item).constructor).toBe(Array);
  }
});

it("makes its item of a sequence of one, and nothing of an empty one", () => {
  expect(collapse(filled(new Sequence(), [7]))).toBe(7);
  expect(collapse(new Sequence())).toBeUndefined();
  expect(collapse([7])).toEqual([7]);
  const kept = collapse(filled(new Sequence(), [7]), true);
  expect(kept).toBeInstanceOf(Kept);
  expect([...(kept as Kept)]).toEqual([7]);
});

it("finds fields in lists at every depth, and no members that no one wrote", () => {
  const run = state();
  const found = lookUp(run, [{ a: 1 }, [{ a: [2, 3] }, [{ a: null }]], { b: 4 }, "a"], "a");
  expect([...found]).toEqual([1, 2, 3, null]);
  expect([...lookUp(run, [{}, [{}]], "constructor")]).toEqual([]);
});

it("takes the steps of a list that it meets again as if it went through it", () => {
  const part = new Array(100).fill({ a: 1 });
  const shared = state();
  const written = state();
  expect(lookUp(shared, [part, part], "a")).toEqual(lookUp(written, [part, [...part]], "a"));
  expect(shared.left).toBe(written.left);
  const [into, other]: [unknown[], unknown[]] = [[], []];
  spread(shared, [part, part], into);
  spread(written, [part, [...part]], other);
  expect(into).toEqual(other);
  expect(shared.left).toBe(written.left);
});

it.each([
  [0, false],
  ["", false],
  [null, false],
  [undefined, false],
  [{}, false],
  [[], false],
  [[0, [""]], false],
  [1, true],
  ["0", true],
  [{ a: null }, true],
  [[0, [[1]]], true],
  [5n ** 50n, true],
])("counts %s as %s", (value, isTrue) => {
  expect(truth(state(), value)).toBe(isTrue);
});

it("compares numbers as doubles, objects without order, and booleans with booleans", () => {
  expect(equal({ a: [1, { b: 2 }], c: null }, { c: null, a: [1, { b: 2 }] })).toBe(true);
  expect(equal(9007199254740993n, 9007199254740992)).toBe(true);
  expect(equal([1], [true])).toBe(false);
  expect(equal({ a: undefined }, { b: undefined })).toBe(false);
  expect(equal({}, [])).toBe(false);
  expect(identical([1], [1])).toBe(false);
  let [left, right]: [unknown, unknown] = [1, 1];
  for (let level = 0; level < 50; level += 1) {
    left = [left, left];
    right = [right, right];
  }
  expect(equal(left, right)).toBe(true);
});

it("names what a value is", () => {
  const kinds = ["a", true, 1, 1n, [], {}, null, undefined, () => 1].map(kind);
  expect(kinds).toEqual([
    "text",
    "a boolean",
    "a number",
    "a number",
    "a list",
    "an object",
    "null",
    "nothing",
    "a function",
  ]);
  expect(isNumber(true)).toBe(false);
});

it("shows values as JSON with numbers of 15 digits", () => {
  const value = { a: [1, 0.1 + 0.2, 1e21], b: {}, c: [], d: "é\n", "1": undefined };
  expect(shown(value)).toBe('{"1":null,"a":[1,0.3,1e+21],"b":{},"c":[],"d":"é\\n"}');
  expect(shown([1, { a: [] }], 2)).toBe('[\n  1,\n  {\n    "a": []\n  }\n]');
  expect(shown("text")).toBe("text");
  expect(shown(12345678901234567n)).toBe("12345678901234568");
  expect(roundedTo15Digits(1 / 3)).toBe(0.333333333333333);
  expect(() => shown(["a".repeat(MAX_TEXT)])).toThrow(EvaluationError);
});
