/** What cannot be read, or has no end: values that throw, and lists that are only long. */

import { describe, expect, test } from "vitest";
import { executePlan } from "../src/executor/index.js";
import { checkPlan, parsePlan, validatePlan } from "../src/validate/index.js";
import { ingest, ValueFault } from "../src/values/index.js";

function throwing(): never {
  throw new Error("boom \ud800");
}

const GETTER = Object.defineProperty({}, "x", { enumerable: true, get: throwing });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function longProxy(length: unknown): unknown[] {
  return new Proxy([] as unknown[], {
    get: (of, name) => (name === "length" ? length : Reflect.get(of, name)),
  });
}

function faultOf(value: unknown, maxBytes?: number): ValueFault {
  try {
    ingest(value, "exact", maxBytes);
  } catch (error) {
    if (error instanceof ValueFault) return error;
    throw error;
  }
  throw new Error("it was taken in");
}

const UNREADABLE: readonly [string, unknown, string][] = [
  ["a getter", GETTER, "a value that cannot be read (boom \ufffd)"],
  ["what an item's getter throws", [1, GETTER], "a value that cannot be read (boom \ufffd)"],
  ["a revoked proxy", [revoked()], "a value that cannot be read (Cannot perform "],
  ["a proxy's keys", new Proxy({}, { ownKeys: throwing }), "a value that cannot be read (boom"],
  ["a proxy's items", new Proxy([1], { get: throwing }), "a value that cannot be read (boom"],
  ["a list of no length", longProxy(Number.NaN), "a list without a length"],
];

describe("a value that throws as it is read", () => {
  test.each(UNREADABLE)("is no JSON: %s", (_, value, why) => {
    const fault = faultOf({ v: value });
    expect(fault.code).toBe("not_json_result");
    expect(fault.message).toMatch(/^at \/v/);
    expect(fault.message).toContain(why);
  });

  test("is told with its place", () => {
    expect(faultOf({ a: [0, GETTER] }).message).toMatch(/^at \/a\/1\/x: a value that cannot/);
  });

  test("is no JSON even if what it throws cannot be read", () => {
    const bad = { toString: throwing };
    const value = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw bad;
      },
    });
    expect(faultOf(value).message).toBe("at /x: a value that cannot be read");
  });

  test.each(UNREADABLE)("fails its step, and the others are kept: %s", async (_, value) => {
    const plan = {
      steps: [
        { id: "bad", tool: "bad" },
        { id: "good", tool: "good" },
      ],
      returns: ["good"],
      on_error: "continue",
    } as const;
    const result = await executePlan(parsePlan(plan), (tool) =>
      tool === "bad" ? { v: value } : 7,
    );
    expect(result.returned).toEqual({ good: 7 });
    expect(result.ledger.map(({ code }) => code)).toEqual(["not_json_result", null]);
  });

  test("is refused in the input, with its place", async () => {
    const plan = parsePlan({ steps: [{ id: "a", tool: "t" }], returns: ["a"] });
    const run = (input: object): Promise<unknown> =>
      executePlan(plan, () => 1, { input: { ...input } });
    await expect(run({ v: GETTER })).rejects.toThrow("input: at /v/x: a value that cannot");
    await expect(executePlan(plan, () => 1, { input: GETTER })).rejects.toThrow(
      "input must be plain JSON: at /x: a value that cannot be read (boom \ufffd)",
    );
    const whole = revoked() as Record<string, unknown>;
    await expect(executePlan(plan, () => 1, { input: whole })).rejects.toThrow(
      "input must be plain JSON: a value that cannot be read",
    );
    expect(() => validatePlan(plan, { input: GETTER })).toThrow(TypeError);
  });

  test.each(UNREADABLE.slice(0, 5))("is a diagnostic in a plan: %s", (_, value) => {
    const plans: unknown[] = [
      value,
      { steps: value },
      { steps: [value], returns: [] },
      { steps: [{ id: "a", tool: "t", args: { v: value } }], returns: ["a"] },
    ];
    for (const plan of plans) {
      // What is read first may be wrong in another way: a list is no plan.
      const found = validatePlan(plan as never);
      expect(found.length).toBeGreaterThan(0);
      expect(() => parsePlan(plan as never)).toThrow(
        expect.objectContaining({ name: "InvalidPlanShapeError" }),
      );
    }
    const [first] = validatePlan(plans[3] as never);
    expect([first?.code, first?.path]).toEqual(["not_json", ""]);
    expect(first?.message).toMatch(/^at \/steps\/0\/args\/v.*: a value that cannot be read/);
  });
});

describe("a list that is longer than any use", () => {
  const HUGE = [
    ["a list of holes", new Array(200_000_000)],
    ["a proxy", longProxy(2 ** 40)],
    ["a proxy of endless length", longProxy(Number.POSITIVE_INFINITY)],
    ["lists of one list", Array(1000).fill(Array(1000).fill(Array(1000).fill(0)))],
  ] as const;

  test.each(HUGE)("is not copied: %s", (_, value) => {
    const before = performance.now();
    const fault = faultOf({ v: value });
    expect([fault.code, faultOf(value, 2 ** 20).code]).toEqual([
      "not_json_result",
      "result_too_large",
    ]);
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(fault.message).toBe("it is more than 16777216 bytes of JSON");
  });

  test("fails its step, and the others are kept", async () => {
    const plan = parsePlan({
      steps: [
        { id: "bad", tool: "bad" },
        { id: "good", tool: "good" },
      ],
      returns: ["good"],
      on_error: "continue",
    });
    const long = new Array(200_000_000);
    const result = await executePlan(plan, (tool) => (tool === "bad" ? long : 7));
    expect(result.returned).toEqual({ good: 7 });
    expect(result.ledger[0]).toMatchObject({
      code: "result_too_large",
      error:
        'the result of step "bad" is more than 1048576 bytes of JSON, which is ' +
        "max_result_bytes; ask the tool for less",
    });
  });

  test.each([
    ["a list of one-digit numbers", [1, 2], 5],
    ["nulls", [null, null], 11],
    ["escapes", ["\u001f"], 10],
    ["texts beyond ASCII", { "\ud83d\ude00": "é" }, 13],
    ["a wide integer", [2n ** 64n], 22],
    ["an empty list and an empty object", [[], {}], 7],
  ])("is counted to the byte: %s", (_, value, size) => {
    expect(ingest(value, "exact", size)).toEqual(value);
    expect(faultOf(value, size - 1)).toMatchObject({
      code: "result_too_large",
      message: `it is more than ${size - 1} bytes of JSON`,
    });
  });

  test("is too large before what is no JSON behind it is seen", () => {
    expect(faultOf([[1, 2, 3], Number.NaN], 8).code).toBe("result_too_large");
    expect(faultOf([[1, 2, 3], Number.NaN], 20).code).toBe("not_json_result");
  });
});

describe("a checked plan", () => {
  test("is frozen with all that it holds", () => {
    const plan = checkPlan(
      parsePlan({
        steps: [
          { id: "a", tool: "t", args: { list: [{ n: 1 }] } },
          { id: "b", tool: "t", bind: { x: "steps.a" }, after: ["a"] },
        ],
        returns: ["b"],
      }),
      { policy: { retry: { t: { attempts: 2 } } } },
    );
    const look = (part: unknown, place: string): void => {
      if (typeof part !== "object" || part === null || part instanceof Map) return;
      expect(Object.isFrozen(part), place).toBe(true);
      for (const [name, inner] of Object.entries(part)) {
        const isOurs = name === "output" && place === "" ? inner === undefined : true;
        if (isOurs && !["forEach", "listArguments"].includes(name)) {
          look(inner, `${place}/${name}`);
        }
      }
    };
    look(plan, "");
    expect(() => Object.assign(plan.plan.steps[0]?.args ?? {}, { list: [] })).toThrow(
      TypeError,
    );
  });

  test("does not freeze what it was made from", () => {
    const given = { steps: [{ id: "a", tool: "t", args: { list: [1] } }], returns: ["a"] };
    const policy = { max_steps: 3 };
    checkPlan(parsePlan(given), { policy });
    expect([given, given.steps, given.steps[0], policy].some(Object.isFrozen)).toBe(false);
  });
});

test("options that are none are refused in plain words", () => {
  const plan = parsePlan({ steps: [{ id: "a", tool: "t" }], returns: ["a"] });
  for (const options of [null, 3, "tools"]) {
    expect(() => validatePlan(plan, options as never)).toThrow("options must be an object");
    expect(() => checkPlan(plan, options as never)).toThrow(TypeError);
  }
});

test("a run refuses options that are none, and a signal that is none", async () => {
  const plan = parsePlan({ steps: [{ id: "a", tool: "t" }], returns: ["a"] });
  const run = (options: unknown): Promise<unknown> =>
    executePlan(plan, () => 1, options as never);
  await expect(run(null)).rejects.toThrow("options must be an object");
  await expect(run({ signal: {} })).rejects.toThrow("signal must be an AbortSignal");
});

test("a plan that is written out is checked against the types", () => {
  // @ts-expect-error: a step has no such member
  expect(validatePlan({ steps: [{ id: "a", tol: "t" }], returns: ["a"] })).not.toEqual([]);
  // @ts-expect-error: one id is no list
  expect(validatePlan({ steps: [{ id: "a", tool: "t" }], returns: "a" })).toEqual([]);
  const whole = { steps: [{ id: "a", tool: "t", args: { n: [1] } }], returns: ["a"] } as const;
  expect(validatePlan(whole)).toEqual([]);
  const tools = "abc";
  // @ts-expect-error: one text is no list of names
  expect(() => validatePlan(whole, { tools })).toThrow(TypeError);
});
