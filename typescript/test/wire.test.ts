/** Reading a plan: hostile text ends at once, repairs are noted, and what is read is a copy. */

import { describe, expect, test } from "vitest";
import { diagnosticsOf } from "../src/diagnostics.js";
import { checkJson, readPlan } from "../src/wire/index.js";
import { JsonTextError, loads } from "../src/wire/json-text.js";
import { readShape } from "../src/wire/shape.js";

const STEP = { id: "a", tool: "t" };

function told(given: unknown): (readonly [string, string])[] {
  return diagnosticsOf(readPlan(given).findings).map(({ code, path }) => [code, path]);
}

const WITH_X = (x: unknown) => ({ steps: [{ ...STEP, args: { x } }] });

describe("hostile text", () => {
  test.each([
    "[".repeat(100_000),
    "[".repeat(100_000) + "]".repeat(100_000),
    '{"a":'.repeat(100_000),
    `${'[{"steps":'.repeat(50_000)}1${"}]".repeat(50_000)}`,
    `"${'\\"'.repeat(10)}"${"[".repeat(100_000)}`,
  ])("of a hundred thousand brackets is too deep and nothing else", (text) => {
    expect(told(text)).toEqual([["too_deep", ""]]);
    const plan = { steps: [{ ...STEP, args: "[".repeat(100_000) }], returns: ["a"] };
    expect(told(plan)).toEqual([["too_deep", "/steps/0/args"]]);
  });

  test("that is an unclosed string of quotes is walked once", () => {
    const text = `{"a": "${'\\"'.repeat(200_000)}${"[".repeat(70)}`;
    expect(told(text)).toEqual([["json_syntax", ""]]);
  });

  test("with an integer of thousands of digits is unsafe", () => {
    const text = `{"steps":[{"id":"a","tool":"t","args":{"x":${"7".repeat(5_000)}}}]}`;
    expect(told(text)).toEqual([["unsafe_number", "/steps/0/args/x"]]);
  });
});

describe("an object", () => {
  test("that holds itself is too deep", () => {
    const loop: unknown[] = [];
    loop.push(loop, loop);
    expect(told({ steps: loop })).toEqual([["too_deep", ""]]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), 10n ** 400n])(
    "with a number that is not exact everywhere is refused: %s",
    (number) => {
      expect(told(WITH_X(number))).toEqual([["unsafe_number", "/steps/0/args/x"]]);
    },
  );

  test.each([new Set([1]), new Date(0), new Map(), () => 1, Symbol("s"), /x/, new Error("e")])(
    "with what is no JSON is refused",
    (value) => {
      expect(told(WITH_X(value))).toEqual([["not_json", "/steps/0/args/x"]]);
    },
  );

  test("with keys that are symbols is told of at its place", () => {
    expect(told(WITH_X({ [Symbol("s")]: 1 }))).toEqual([["not_json", "/steps/0/args/x"]]);
  });

  test("may leave a member undefined, which is no member", () => {
    expect(readPlan({ steps: [{ ...STEP, when: undefined }] }).value).toStrictEqual({
      steps: [STEP],
    });
    expect(told(WITH_X([undefined]))).toEqual([["not_json", "/steps/0/args/x/0"]]);
  });

  test("with the reserved key is told of it and keeps its own prototype", () => {
    const plan = JSON.parse('{"steps": [], "__proto__": {"returns": ["a"]}}');
    expect(told(plan)).toEqual([["forbidden_key", "/__proto__"]]);
    const wrapped = JSON.parse('{"__proto__": {"steps": []}}');
    expect(readPlan(wrapped).value).toStrictEqual({ steps: [] });
  });

  test.each([null, undefined, 7, true, 7n, [], new Map(), () => 1])(
    "or anything else that is given throws nothing: %s",
    (given) => {
      readShape(readPlan(given).value);
    },
  );

  test("is read into a plain copy", () => {
    const args: { x: unknown[] } = {
      x: [1.0, -0, ["n", Object.assign(Object.create(null), { k: 2n })]],
    };
    const { value } = readPlan({ steps: [{ ...STEP, args }] });
    expect(value).toStrictEqual({
      steps: [{ ...STEP, args: { x: [1, 0, ["n", { k: 2 }]] } }],
    });
    args.x.push("mine");
    expect(value).toStrictEqual({
      steps: [{ ...STEP, args: { x: [1, 0, ["n", { k: 2 }]] } }],
    });
  });
});

test("each repair has a note, outermost first", () => {
  const inner = {
    steps: {
      id: "a",
      tool: "t",
      args: null,
      bind: '{"n": 5, "y": true}',
      depends_on: "b",
    },
    returns: '["a"]',
    final: null,
  };
  const text = `\`\`\`json\n${JSON.stringify({ plan: JSON.stringify(inner) })}\n\`\`\``;
  const wire = readPlan(text);
  expect(wire.value).toStrictEqual({
    steps: [{ id: "a", tool: "t", bind: { n: "5", y: "true" }, after: ["b"] }],
    returns: ["a"],
  });
  expect(wire.notes).toEqual([
    "the plan: a code fence was removed",
    'the plan: the wrapper "plan" was removed',
    "the plan: a JSON string was decoded",
    "/steps: one step was made a list",
    "/steps/0/args: null was left out",
    "/steps/0/bind: a JSON string was decoded",
    '/steps/0/bind/n: 5 was made the expression "5"',
    '/steps/0/bind/y: true was made the expression "true"',
    '/steps/0/after: "depends_on" was read as "after"',
    "/steps/0/after: one id was made a list",
    "/returns: a JSON string was decoded",
    "/final: null was left out",
  ]);
});

test("a repair changes nothing that the caller holds", () => {
  const given = {
    steps: [{ ...STEP, args: null, bind: { x: 1 }, depends_on: "b" }],
    returns: "a",
  };
  const before = structuredClone(given);
  readPlan(given);
  expect(given).toStrictEqual(before);
});

test("broken text in a field is told beside other breaches", () => {
  const plan = { steps: [{ ...STEP, args: "{oops}", bind: { x: 2 ** 60 } }] };
  expect(told(plan)).toEqual([
    ["json_syntax", "/steps/0/args"],
    ["unsafe_number", "/steps/0/bind/x"],
  ]);
});

describe("broken JSON is told with its place and its edit", () => {
  test.each([
    ['{"a":1,}', 'position 7, at "}": a comma before }', "remove the comma"],
    ["[1,]", 'position 3, at "]": a value must be before ]', "remove the comma or"],
    ["{a:1}", 'position 1, at "a:1}": a key without quotes', 'change a to "a"'],
    ["{'a':1}", "position 1, at \"'a':1}\": single quotes", "use double quotes"],
    ["[1 2]", 'position 3, at "2]": a comma is missing', "put a comma before it"],
    ['{"a" 1}', 'position 5, at "1}": a colon is missing', "put a colon before it"],
    ["[True]", 'position 1, at "True]": True is not JSON', "change True to true"],
    ["[NaN]", 'position 1, at "NaN]": NaN is not JSON', "change NaN to null"],
    ["[yes]", 'position 1, at "yes]": text without quotes', 'change yes to "yes"'],
    ["[01]", 'position 1, at "01]": not a number', "write it like 0, -12 or 3.5"],
    ["[1e]", 'position 1, at "1e]": not a number', "write it like 0, -12 or 3.5"],
    ['["a\nb"]', 'position 3, at "\\nb\\"]": a raw control character', "write \\n for"],
    ['["\\x"]', 'position 2, at "\\\\x\\"]": a wrong escape', "write two backslashes"],
    ['{"a":[1', "position 7: it ends too early", "add ]} at its end"],
    ['["a', "position 3: a string is not closed", 'close it with "'],
    ["[1}", 'position 2, at "}": } stands where ] closes', "change } to ]"],
    ["{} {}", 'position 3, at "{}": more text follows', "remove what follows it"],
    ["[1]//x", 'position 3, at "//x": more text follows', "remove what follows it"],
    ["[/*x*/]", 'position 1, at "/*x*/]": a comment', "remove the comment"],
    ["\ufeff[]", 'position 0, at "\ufeff[]": a byte order mark', "remove it"],
    ["{,}", 'position 1, at ",}": a key must be here', "write a key in double quotes"],
    ["[:]", 'position 1, at ":]": a value must be here', "write a value"],
    ["", "position 0: it ends too early", "write the rest of it"],
    ['["😀😀" 😀1]', 'position 6, at "😀1]": a comma is missing', "put a comma before it"],
  ])("%j", (text, message, hint) => {
    let fault: unknown;
    try {
      loads(text);
    } catch (error) {
      fault = error;
    }
    if (!(fault instanceof JsonTextError)) throw fault;
    expect(fault.code).toBe("json_syntax");
    expect(fault.message.startsWith(`not JSON at ${message}`), fault.message).toBe(true);
    expect(fault.hint.startsWith(hint), fault.hint).toBe(true);
  });
});

test("a value may stand in containers that count as nesting", () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 10; depth += 1) value = [value];
  expect(checkJson(value, 54)).toStrictEqual([value, []]);
  expect(checkJson(value, 55)[1].map(({ code }) => code)).toEqual(["too_deep"]);
});

describe("a plan that was parsed", () => {
  const written = { steps: [{ ...STEP, args: { n: 1 }, join: "any" }], on_error: "continue" };
  const { plan } = readShape(readPlan(written).value);

  test("is read again as it was written", () => {
    expect(plan).toStrictEqual({
      steps: [
        {
          ...STEP,
          args: { n: 1 },
          bind: {},
          after: [],
          when: null,
          for_each: null,
          join: "any",
        },
      ],
      returns: [],
      output: null,
      final: false,
      on_error: "continue",
    });
    expect(readPlan(plan).value).toStrictEqual(written);
    expect(readPlan({ ...plan }).value).toMatchObject({ ...written, final: false });
  });

  test("cannot be changed, but for its arguments", () => {
    expect(Object.isFrozen(plan)).toBe(true);
    expect(Object.isFrozen(plan?.steps)).toBe(true);
    expect(Object.isFrozen(plan?.steps[0])).toBe(true);
    expect(Object.isFrozen(plan?.steps[0]?.args)).toBe(false);
  });
});

test("a plan with some hundred thousand faults is told whole", () => {
  const bind = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`b${at}`, null]));
  const steps = Array.from({ length: 2600 }, (_, at) => ({ id: `s${at}`, tool: "t", bind }));
  expect(readShape({ steps }).findings.length).toBe(130_000);
});
