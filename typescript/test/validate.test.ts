/** Checking a plan: what is accepted and what is known of it, what is refused, misuse. */

import { describe, expect, test } from "vitest";
import { InvalidPlanShapeError, PlanError } from "../src/errors.js";
import {
  checkBinder,
  checkClock,
  checkInvoker,
  checkListener,
  checkMaxSteps,
  checkRunId,
} from "../src/validate/host-checks.js";
import {
  type CheckOptions,
  checkPlan,
  type PlanGiven,
  parsePlan,
  ToolInfo,
  validatePlan,
} from "../src/validate/index.js";

const STEP = { id: "a", tool: "t" };
const PLAN = {
  steps: [
    STEP,
    {
      id: "b",
      tool: "u",
      args: { n: 1.0 },
      bind: { x: "item.v", list: "steps.a.v", maybe: "steps.a.v" },
      when: "steps.a.ok",
      for_each: "steps.a.rows",
    },
  ],
  returns: "b",
  output: "steps.b",
} as unknown as Exclude<PlanGiven, string>;
const TOOLS = {
  t: null,
  u: {
    input_schema: {
      properties: {
        n: {},
        x: { type: "string" },
        list: { $ref: "#/$defs/L" },
        maybe: { type: ["array", "null"] },
      },
      $defs: { L: { type: "array" } },
    },
  },
};

function codes(plan: PlanGiven, options: CheckOptions = {}): [string, string][] {
  return validatePlan(plan, options).map(({ code, path }) => [code, path]);
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("a checked plan holds all that checking found out", () => {
  const checked = checkPlan(PLAN, { tools: TOOLS, policy: { max_steps: 2 } });
  const [first, second] = checked.steps;
  expect(checked.plan).toStrictEqual(parsePlan({ ...PLAN, returns: ["b"] }));
  expect(first).toStrictEqual({
    step: checked.plan.steps[0],
    position: 0,
    level: 0,
    dependencies: [],
    bind: new Map(),
    when: undefined,
    forEach: undefined,
    listArguments: new Set(),
  });
  expect(second).toMatchObject({ position: 1, level: 1, dependencies: ["a"] });
  const bound = Array.from(second?.bind ?? [], ([name, { text }]) => [name, text]);
  expect(Object.fromEntries(bound)).toEqual(checked.plan.steps[1]?.bind);
  expect([second?.when?.text, second?.forEach?.text]).toEqual(["steps.a.ok", "steps.a.rows"]);
  expect(second?.listArguments).toEqual(new Set(["list"]));
  expect(checked.levels).toEqual([["a"], ["b"]]);
  expect(checked.output?.text).toBe("steps.b");
  expect(checked.policy).toMatchObject({ max_steps: 2, max_items: 1000 });
  expect(checked.notes).toEqual(["/returns: one id was made a list"]);
});

test.each([JSON.stringify(PLAN), PLAN, parsePlan(PLAN)])(
  "a plan may be given in any form",
  (form) => {
    expect(validatePlan(form, { tools: TOOLS })).toEqual([]);
    const { plan } = checkPlan(form, { tools: TOOLS });
    expect(plan).toStrictEqual(checkPlan(PLAN, { tools: TOOLS }).plan);
  },
);

test("a plan that was changed after it was made is checked as it is", () => {
  const plan = parsePlan({ steps: [{ ...STEP, args: { x: 1 } }], returns: ["a"] });
  Object.assign(plan.steps[0]?.args ?? {}, { x: Number.NaN });
  expect(codes(plan)).toEqual([["unsafe_number", "/steps/0/args/x"]]);
});

test("a missing argument of a parsed plan is told where its step was written", () => {
  const tools = { t: { input_schema: { properties: {}, required: ["x"] } } };
  const plan = { steps: [STEP], returns: ["a"] };
  expect(codes(parsePlan(plan), { tools })).toEqual(codes(plan, { tools }));
});

test("a checked plan shares nothing with what was given", () => {
  const given = structuredClone(PLAN);
  const checked = checkPlan(given);
  Object.assign(given.steps[1] ?? {}, { args: { n: 2 }, bind: { x: "1" } });
  expect(checked.plan).toStrictEqual(checkPlan(PLAN).plan);
});

test("equal expressions are read once", () => {
  const readers = [0, 1, 2].map((n) => ({ id: `s${n}`, tool: "t", bind: { x: "steps.a.v" } }));
  const { steps } = checkPlan({ steps: [STEP, ...readers], returns: ["a"] });
  expect(new Set(steps.slice(1).map((step) => step.bind.get("x"))).size).toBe(1);
});

describe("parsePlan", () => {
  test("repairs and checks the shape alone", () => {
    const text = '```json\n{"steps": {"id": "a", "tool": "t", "after": "zzz"}}\n```';
    expect(parsePlan(text)).toStrictEqual(parsePlan({ steps: [{ ...STEP, after: ["zzz"] }] }));
  });

  test.each([
    ["{", "json_syntax"],
    ["[]", "wrong_type"],
    ["{}", "missing_field"],
    ["", "json_syntax"],
  ])("throws for what is no plan: %s", (text, code) => {
    const error = thrownBy(() => parsePlan(text));
    expect(error).toBeInstanceOf(InvalidPlanShapeError);
    expect(error).toMatchObject({ code, diagnostics: [{ code }] });
  });
});

test("checkPlan throws with every diagnostic of validatePlan", () => {
  const plan = { steps: [{ ...STEP, after: ["b", "c"] }], returns: ["d"] };
  const error = thrownBy(() => checkPlan(plan));
  expect(error).toBeInstanceOf(PlanError);
  const diagnostics = validatePlan(plan);
  expect(error).toMatchObject({ diagnostics });
  expect(diagnostics.length).toBe(3);
});

describe("misuse by the host is a plain TypeError", () => {
  test.each([
    [{ tools: "t" }, "one string"],
    [{ tools: 5 }, "iterable"],
    [{ tools: { t: 5 } }, "tool t"],
    [{ tools: { t: { inputSchema: {} } } }, "inputSchema"],
    [{ tools: [5] }, "string"],
    [{ policy: { max_steps: 0 } }, "Policy"],
    [{ policy: { maxSteps: 8 } }, "Policy"],
    [{ policy: "strict" }, "Policy"],
    [{ input: ["user"] }, "input"],
  ])("%j", (options, what) => {
    const error = thrownBy(() => validatePlan(PLAN, options as CheckOptions));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(what);
  });

  test.each([
    () => checkMaxSteps(1.5),
    () => checkMaxSteps("1"),
    () => checkRunId(5),
    () => checkListener({}),
    () => checkListener(async () => undefined),
    () => checkInvoker({ invoke: () => 1 }),
    () => checkInvoker(null),
    () => checkBinder(() => 1),
    () => checkClock({ now: () => 0 }),
  ])("in a run too: %s", (check) => {
    expect(check).toThrow(TypeError);
  });

  test("and what may be left out may be null", () => {
    const left = [checkMaxSteps, checkRunId, checkListener, checkBinder, checkClock];
    for (const check of left) for (const nothing of [null, undefined]) check(nothing);
    expect(codes(PLAN, { tools: null, policy: null, input: null })).toEqual([]);
  });
});

test("tools may be names or facts about them", () => {
  const plan = { steps: [{ ...STEP, args: { x: 1 } }], returns: ["a"] };
  const unknown = [["unknown_tool", "/steps/0/tool"]];
  expect(codes(plan, { tools: ["t"] })).toEqual([]);
  expect(codes(plan, { tools: new Set(["u"]) })).toEqual(unknown);
  expect(codes(plan, { tools: { t: new ToolInfo() } })).toEqual([]);
  expect(codes(plan, { tools: { t: new ToolInfo({ plannable: false }) } })).toEqual([
    ["tool_not_plannable", "/steps/0/tool"],
  ]);
  expect(codes(plan, { tools: { t: { input_schema: { properties: {} } } } })).toEqual([
    ["unknown_argument", "/steps/0/args/x"],
  ]);
  expect(codes(plan, { tools: [] })).toEqual(unknown);
  const inherited = { steps: [{ ...STEP, tool: "constructor" }], returns: ["a"] };
  expect(codes(inherited, { tools: {} })).toEqual(unknown);
});

describe("a schema", () => {
  test("that refers to itself for ever says nothing", () => {
    const schema = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } };
    const plan = { steps: [{ ...STEP, args: { x: 1 } }], returns: ["a"] };
    const tools = { t: { input_schema: schema, output_schema: schema } };
    expect(codes(plan, { tools })).toEqual([]);
  });

  test.each([
    { type: 5 },
    { type: ["integer", 5] },
    { type: "strange" },
    { properties: [] },
    { required: "x" },
    { required: [5] },
    { enum: "abc" },
    { properties: { x: true } },
    { properties: { x: { $ref: 5 } } },
    { properties: { x: { $ref: "#/a/~1/%41" } } },
    { properties: { x: { $ref: "#/a/%E9%zz%" } } },
    { properties: { x: { $ref: "#anchor" } } },
    { properties: { x: { items: [{ type: "string" }] } } },
    { properties: { x: { type: "integer", nullable: true } } },
  ])("that is odd throws nothing: %j", (schema) => {
    for (const x of [null, [1], { y: 1 }]) {
      const reader = { id: "b", tool: "t", args: { x: 1 }, bind: { x: "steps.a.x.y" } };
      const plan = { steps: [{ ...STEP, args: { x } }, reader], returns: ["a"] };
      validatePlan(plan, { tools: { t: { input_schema: schema, output_schema: schema } } });
    }
  });

  test("may have escapes in a reference", () => {
    const schema = {
      properties: { x: { $ref: "#/$defs/a~1b%20%C3%A9/0" } },
      $defs: { "a/b é": [{ type: "string" }] },
    };
    const plan = { steps: [{ ...STEP, args: { x: 1 } }], returns: ["a"] };
    expect(codes(plan, { tools: { t: { input_schema: schema } } })).toEqual([
      ["argument_type", "/steps/0/args/x"],
    ]);
  });

  test("knows the properties that it names and none that every object inherits", () => {
    const schema = { properties: { toString: {}, x: {} }, required: ["constructor"] };
    const args = { toString: 1, hasOwnProperty: 2 };
    const plan = { steps: [{ ...STEP, args }], returns: ["a"] };
    expect(codes(plan, { tools: { t: { input_schema: schema } } })).toEqual([
      ["missing_argument", "/steps/0/args"],
      ["unknown_argument", "/steps/0/args/hasOwnProperty"],
    ]);
  });
});

describe("the limits of all expressions together", () => {
  function expressions(count: number, text: string) {
    const bind = Object.fromEntries(Array.from({ length: 100 }, (_, m) => [`x${m}`, text]));
    const readers = Array.from({ length: count / 100 }, (_, n) => ({
      id: `s${n}`,
      tool: "t",
      bind,
    }));
    return { steps: [STEP, ...readers], returns: ["a"] };
  }
  const full = expressions(1000, "steps.a.v + 1");

  test("allow a thousand, and one more is told where it stands", () => {
    expect(codes(full)).toEqual([]);
    const over = [["expression_limit", "/output"]];
    expect(codes({ ...full, output: "1 + 1" })).toEqual(over);
    const policy = { single_final_step: true };
    expect(codes({ ...full, output: "1 + 1" }, { policy })).toEqual(over);
  });

  test("do not count plain paths, which are still read behind them", () => {
    const [, ...readers] = full.steps;
    const last = { id: "z", tool: "t", bind: { p: "steps.a.v", q: "steps.no.v" } };
    const steps = [{ ...STEP, bind: { y: "1" } }, ...readers, last];
    expect(codes({ steps, returns: ["a"] })).toEqual([
      ["expression_limit", "/steps/10/bind/x99"],
      ["unknown_step", "/steps/11/bind/q"],
    ]);
    expect(codes(expressions(3000, "steps.a.v"))).toEqual([]);
  });

  test("are 64 KiB too", () => {
    const x = `"${"é".repeat(1022)}"`;
    const steps = Array.from({ length: 32 }, (_, n) => ({
      id: `s${n}`,
      tool: "t",
      bind: { x },
    }));
    const plan = { steps, returns: ["s0"] };
    expect(codes(plan)).toEqual([]);
    expect(codes({ ...plan, output: "1".repeat(65) })).toEqual([
      ["expression_limit", "/output"],
    ]);
  });
});

describe("strings in args", () => {
  function literals(texts: readonly string[]): [string, string][] {
    const args = Object.fromEntries(texts.map((text, at) => [`x${at}`, text]));
    return codes({ steps: [STEP, { id: "b", tool: "t", args }], returns: ["a"] });
  }
  const found = (at: number) => ["template_in_args", `/steps/1/args/x${at}`];
  const prose = (count: number) => new Array<string>(count).fill("steps and steps");

  test("that only look like expressions are read up to a limit", () => {
    const call = "$sum(steps.a.v)";
    expect(literals([call])).toEqual([found(0)]);
    expect(literals([...prose(999), call, call])).toEqual([found(999)]);
    expect(literals([...prose(1000), "{{steps.a.v}}", "steps.a.v", call])).toEqual([
      found(1000),
      found(1001),
    ]);
  });

  test("are looked at as a template once however many braces they have", () => {
    const braces = "{{".repeat(100_000);
    expect(literals([`${braces}}}`, "{{steps.a.v ".repeat(20_000), "${steps.a.v"])).toEqual([]);
    expect(literals([`${braces}steps.a.v}}`])).toEqual([found(0)]);
  });

  test("make no bind that no plan could hold", () => {
    const args = { x: "{{steps.a.v}}".repeat(2_000) };
    const plan = { steps: [STEP, { id: "b", tool: "t", args }], returns: ["a"] };
    expect(validatePlan(plan).map(({ hint }) => hint)).toEqual([
      'write it in "bind", as an expression',
    ]);
  });
});

test("a plan of ten thousand bad steps is told whole", () => {
  const numbers = Array.from({ length: 10_000 }, (_, n) => n);
  const steps = numbers.map((n) => ({
    id: `s${n}`,
    tool: `tool_${n}`,
    after: [`x${n}`],
    bind: { y: `steps.z${n}` },
  }));
  const counts: Record<string, number> = {};
  const tools = numbers.map((n) => `tool_${n}x`);
  for (const { code } of validatePlan({ steps }, { tools })) {
    counts[code] = (counts[code] ?? 0) + 1;
  }
  expect(counts).toEqual({
    unknown_tool: 10_000,
    unknown_step: 20_000,
    too_many_steps: 1,
    nothing_returned: 1,
  });
});
