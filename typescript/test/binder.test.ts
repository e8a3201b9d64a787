/** Expressions one by one, and languages other than the engine's own. */

import jsonata from "jsonata";
import { describe, expect, test } from "vitest";
import {
  type Binder,
  type Environment,
  JsonataBinder,
  listed,
  referencesByLibrary,
} from "../src/binder.js";
import {
  DanglingReferenceError,
  EvalNotAllowedError,
  PlanCycleError,
  PlanError,
  ToolNotPlannableError,
} from "../src/errors.js";
import { EvaluationError } from "../src/evaluate/index.js";
import { type ExecuteOptions, executePlan } from "../src/executor/index.js";
import type { PlanResult, PlanStepInput } from "../src/models.js";
import { callRow, Recorder, StubTools, VirtualClock } from "../src/testing/index.js";
import { type PlanGiven, parsePlan } from "../src/validate/index.js";

const ENV: Environment = { steps: { a: { n: 2, none: null } }, input: { name: "Ann" } };
const WHOLE = new JsonataBinder({ allowEval: true });

/** A foreign language: `steps.a` and the name of a field, with a blank between. */
class Names implements Binder {
  bind(expression: string, env: Environment): unknown {
    const [step = "", field] = expression.replace(/^steps\./, "").split(" ");
    const steps = env.steps as Record<string, Record<string, unknown>>;
    if (!Object.hasOwn(steps, step)) throw new Error(`no result of ${step}`);
    return field === undefined ? steps[step] : (steps[step]?.[field] ?? null);
  }
}

function step(id: string, more: object = {}): PlanStepInput {
  return { id, tool: "t", ...more };
}

async function run(
  plan: PlanGiven,
  binder: Binder,
  more: ExecuteOptions = {},
): Promise<[PlanResult, readonly object[]]> {
  const clock = new VirtualClock();
  const tools = new StubTools({ t: { echo: true, takes_ms: 10 } }, { clock });
  const result = await clock.run(() => executePlan(plan, tools, { binder, clock, ...more }));
  return [result, tools.calls.map(callRow)];
}

async function refusedWith(running: Promise<unknown>): Promise<unknown> {
  return await running.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe("one expression", () => {
  const binder = new JsonataBinder();

  test("has a value", () => {
    expect(binder.bind("steps.a.n + 1", ENV)).toBe(3);
    expect(binder.bind("input.name & '!'", ENV)).toBe("Ann!");
    expect(binder.bind("item.v * index", { steps: {}, item: { v: 2 }, index: 3 })).toBe(6);
  });

  test("reads what it is given as a run takes it in", () => {
    const given = { steps: { a: { b: -0, "2": 1, "1": 2 } }, input: { x: 2 } };
    expect(binder.bind("$string(steps.a)", given)).toBe('{"1":2,"2":1,"b":0}');
    expect(binder.bind("$string(input.x & '' & steps.a.b)", given)).toBe("20");
    expect(Object.is(given.steps.a.b, -0)).toBe(true);
  });

  test.each<[unknown, string]>([
    [{ steps: { a: { x: new Set() } } }, "steps.a: at /x: a value of type Set"],
    [{ steps: {}, input: { x: Number.NaN } }, "input: at /x: a number that is not finite"],
    [{ steps: {}, item: () => 1 }, "item: a value of type function"],
    [{ steps: {}, item: 1, index: new Date() }, "index: a value of type Date"],
    [{ a: "\ud800" }, "env: at /a: text with a lone surrogate"],
  ])("refuses what is no JSON: %o", (env, message) => {
    const error = thrownBy(() => binder.bind("1", env as Environment));
    expect(error).toBeInstanceOf(PlanError);
    expect((error as PlanError).diagnostics).toEqual([
      { code: "not_json_result", path: "", message, hint: "pass plain JSON values" },
    ]);
  });

  test("is told of, and not rounded, where an integer is not safe", () => {
    const error = thrownBy(() =>
      binder.bind("steps.a", { steps: { a: 2n ** 53n + 1n } } as unknown as Environment),
    );
    expect(error).toMatchObject({ code: "unsafe_number" });
  });

  test("is null for nothing and for null", () => {
    expect(binder.bind("steps.a.none", ENV)).toBeNull();
    expect(binder.bind("steps.a.missing", ENV)).toBeNull();
    expect(binder.bind("steps.b.n", ENV)).toBeNull();
    expect(binder.find("steps.a.none", ENV)).toBeNull();
    expect(binder.find("steps.a.missing", ENV)).toBeUndefined();
  });

  test("reads any object by name where there are no steps", () => {
    expect(binder.bind("a.b", { a: { b: 1 } })).toBe(1);
    expect(binder.bind("nope", {})).toBeNull();
  });

  test("may not call $eval", () => {
    const error = thrownBy(() => binder.bind('"\u{1f600}" & $eval("1 + 1")', ENV));
    expect(error).toBeInstanceOf(EvalNotAllowedError);
    expect((error as PlanError).diagnostics.map(({ code }) => code)).toEqual([
      "not_in_profile",
    ]);
  });

  test.each([
    ["steps.a.n +", "syntax"],
    ["$now()", "not_in_profile"],
    ["$summ(steps.a.n)", "unknown_function"],
    ["steps.a.n == 2", "foreign_syntax"],
  ])("is refused with its diagnostic where the profile lacks it: %s", (text, code) => {
    const error = thrownBy(() => binder.bind(text, ENV));
    expect(error).toBeInstanceOf(PlanError);
    expect((error as PlanError).diagnostics.map((each) => each.code)).toEqual([code]);
  });

  test("throws an EvaluationError where it fails", () => {
    const error = thrownBy(() => binder.bind("steps.a.n + 'x'", ENV));
    expect(error).toBeInstanceOf(EvaluationError);
    expect((error as EvaluationError).code).toBe("evaluation_failed");
  });

  test("gives a copy", () => {
    const env = { steps: { a: { list: [1] } } };
    (binder.bind("steps.a.list", env) as number[]).push(2);
    expect(env).toEqual({ steps: { a: { list: [1] } } });
  });

  test.each<[unknown, unknown]>([
    [undefined, []],
    [[], []],
    [
      [1, 2],
      [1, 2],
    ],
    [null, null],
    [0, [0]],
    [{ a: 1 }, [{ a: 1 }]],
  ])("follows the list rule: %j", (value, made) => {
    expect(listed(value)).toEqual(made);
  });
});

describe("with allowEval", () => {
  test("the whole library is there", async () => {
    expect(await WHOLE.bind('$eval("steps.a.n * 2")', ENV)).toBe(4);
    expect(await WHOLE.bind("$steps.a.n", ENV)).toBe(2);
    expect(await WHOLE.find("steps.a.none", ENV)).toBeNull();
    expect(await WHOLE.find("steps.a.missing", ENV)).toBeUndefined();
    expect(await WHOLE.bind("steps.a.missing", ENV)).toBeNull();
  });

  test.each<[string, readonly string[]]>([
    ["steps.a.b", ["a"]],
    ["$steps.a", ["a"]],
    ["$.steps.a & $$.steps.b", ["a", "b"]],
    ['steps."a"[id = $$.steps.`b`.id].c', ["a", "b"]],
    ['$lookup(steps, "a").x', ["a"]],
    ['$lookup($$.steps, "a").x', ["a"]],
    ["$map(steps.a, function($v){$v + $$.steps.b})", ["a", "b"]],
    ["steps.a{steps.b: $sum(steps.c)}^(x)", ["a", "b", "c"]],
    ['steps.a ~> |x|{"y": steps.b}|', ["a", "b"]],
    ["jobs.steps.a", []],
    ['/* steps.b */ "steps.a"', []],
    ["steps.*.a", []],
  ])("references are read off the tree: %s", (text, read) => {
    expect([...(referencesByLibrary(text) ?? [])].sort()).toEqual(read);
  });

  test("a plan runs what the profile refuses", async () => {
    const plan = {
      steps: [
        step("a", { args: { rows: [{ n: 1 }] } }),
        step("b", { bind: { x: '$eval("steps.a.rows.n + 1")' }, after: ["a"] }),
        step("c", { bind: { x: "steps.`a`.rows ~> |$|{'n': 9}|" } }),
      ],
      returns: ["a", "b", "c"],
    };
    expect((await run(plan, WHOLE))[0].returned).toEqual({
      a: { rows: [{ n: 1 }] },
      b: { x: 2 },
      c: { x: [{ n: 9 }] },
    });
  });

  test("nothing still fails its step, and bad syntax refuses the plan", async () => {
    const nothing = { steps: [step("a"), step("b", { bind: { x: "steps.a.nope" } })] };
    const [result, calls] = await run({ ...nothing, returns: ["b"] }, WHOLE);
    expect([result.ledger[1]?.code, calls.length]).toEqual(["no_value", 1]);
    const bad = { steps: [step("a"), step("b", { bind: { x: "steps.a.(" } })], returns: ["b"] };
    const error = await refusedWith(run(bad, WHOLE));
    const [found] = (error as PlanError).diagnostics;
    expect([found?.code, found?.path]).toEqual(["syntax", "/steps/1/bind/x"]);
  });
});

describe("a language of the host's own", () => {
  const plan = {
    steps: [
      step("a", { args: { n: 1, go: true, list: [{ v: 1 }, { v: 2 }] } }),
      step("b", { bind: { x: "steps.a n" }, when: "steps.a go" }),
      step("c", { for_each: "steps.a list", bind: { x: "steps.b x" } }),
    ],
    returns: ["b", "c"],
    output: "steps.c",
  };

  test("runs a plan, at once or by promises, in the same order", async () => {
    const names = new Names();
    const later: Binder = {
      bind: async (expression, env) => {
        for (let turn = 0; turn < 7; turn += 1) await null;
        return names.bind(expression, env);
      },
    };
    const timelines = await Promise.all(
      [names, later].map(async (binder) => {
        const recorder = new Recorder();
        const [result, calls] = await run(plan, binder, { onEvent: recorder.onEvent });
        expect(result.returned).toEqual({ b: { x: 1 }, c: [{ x: 1 }, { x: 1 }] });
        expect(result.output).toEqual([{ x: 1 }, { x: 1 }]);
        expect(result.ledger.map(({ level }) => level)).toEqual([0, 1, 2]);
        expect(calls.length).toBe(4);
        return recorder.timeline;
      }),
    );
    expect(timelines[1]).toEqual(timelines[0]);
  });

  test("may be the library itself, used as a host uses it", async () => {
    const binder: Binder = { bind: (text, env) => jsonata(text).evaluate(env) };
    const two = {
      steps: [step("a", { args: { n: 1 } }), step("b", { bind: { x: "steps.a.n + 1" } })],
      returns: ["b"],
    };
    expect((await run(two, binder))[0].returned).toEqual({ b: { x: 2 } });
  });

  test("tells nothing from null", async () => {
    const odd: Binder = { bind: (text) => (text === "null" ? null : undefined) };
    const steps = [
      step("a", { bind: { x: "null" } }),
      step("b", { bind: { x: "nothing" } }),
      step("c", { when: "null" }),
      step("d", { for_each: "null" }),
      step("e", { for_each: "nothing" }),
    ];
    const [result] = await run(
      { steps, returns: ["a", "e"], output: "null", on_error: "continue" },
      odd,
    );
    expect(result.returned).toEqual({ a: { x: null }, e: [] });
    expect([result.output, result.has_output]).toEqual([null, true]);
    expect(result.ledger.map(({ code }) => code)).toEqual([
      null,
      "no_value",
      "not_boolean",
      "not_a_list",
      null,
    ]);
  });

  test("fails a step in the binder's own words", async () => {
    const bad = { steps: [step("a", { bind: { x: "b" } })], returns: ["a"], output: "c" };
    const names = new Names();
    const later: Binder = { bind: async (...of) => names.bind(...of) };
    for (const binder of [names, later]) {
      const [result, calls] = await run(bad, binder);
      expect([result.ledger[0]?.code, calls]).toEqual(["evaluation_failed", []]);
      expect(result.ledger[0]?.error).toContain("no result of b");
      expect(result.output_error?.code).toBe("evaluation_failed");
    }
  });

  test("fails a step whose value is no JSON", async () => {
    const set = { steps: [step("a", { bind: { x: "x" } })], returns: ["a"] };
    for (const bind of [() => new Set([1, 2]), async () => new Set([1, 2])]) {
      expect((await run(set, { bind }))[0].ledger[0]?.code).toBe("evaluation_failed");
    }
  });

  test("sees a copy", async () => {
    const names = new Names();
    const vandal: Binder = {
      bind: (expression, env) => {
        const value = structuredClone(names.bind(expression, env));
        const steps = env.steps as Record<string, unknown>;
        for (const name of Object.keys(steps)) delete steps[name];
        return value;
      },
    };
    const both = { bind: { x: "steps.a", y: "steps.a n" } };
    const [result] = await run(
      { steps: [step("a", { args: { n: 1 } }), step("b", both)], returns: ["a", "b"] },
      vandal,
    );
    expect(result.returned).toEqual({ a: { n: 1 }, b: { x: { n: 1 }, y: 1 } });
  });

  test("can be cancelled while it is waited for, and is not heard after", async () => {
    const stop = new AbortController();
    const recorder = new Recorder();
    let answer = (_value: unknown): void => undefined;
    const slow: Binder = {
      bind: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    };
    const running = executePlan(
      { steps: [step("a"), step("b", { bind: { x: "x" } })], returns: ["b"] },
      () => new Promise(() => undefined),
      { binder: slow, signal: stop.signal, onEvent: recorder.onEvent },
    );
    await new Promise((resolve) => setTimeout(resolve, 1));
    stop.abort();
    expect(await refusedWith(running)).toBe(stop.signal.reason);
    answer(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(recorder.timeline.map(([, ...row]) => row)).toEqual([
      ["start", "a"],
      ["cancelled", "a"],
    ]);
  });

  test("is still checked for its graph and its tools", async () => {
    const names = new Names();
    const lost = { steps: [step("a", { bind: { x: "steps.z n" } })], returns: ["a"] };
    const dangling = await refusedWith(run(lost, names));
    expect(dangling).toBeInstanceOf(DanglingReferenceError);
    expect(dangling).toMatchObject({ stepId: "a", missing: "z" });
    expect((dangling as PlanError).diagnostics[0]?.path).toBe("/steps/0/bind/x");
    const around = [step("a", { bind: { x: "steps.b" } }), step("b", { when: "steps.a" })];
    const cycle = await refusedWith(run({ steps: around, returns: ["a"] }, names));
    expect(cycle).toBeInstanceOf(PlanCycleError);
    const one = { steps: [step("a", { after: [], join: "any" })], returns: ["a"] };
    const no: ExecuteOptions[] = [
      { allowedTools: ["other"] },
      { tools: { other: null } },
      { tools: { t: { plannable: false } } },
      { tools: { t: null }, allowedTools: ["other"] },
    ];
    for (const more of no) {
      expect(await refusedWith(run(one, names, more))).toBeInstanceOf(ToolNotPlannableError);
    }
    const known = await run(one, names, { tools: { t: { input_schema: {} } } });
    expect(known[0].returned).toEqual({ a: {} });
    for (const bad of [{ steps: [step("a")] }, { steps: [step("A")], returns: ["A"] }, "{"]) {
      expect(await refusedWith(run(bad, names))).toBeInstanceOf(PlanError);
    }
    const after = { steps: [step("a", { after: ["b"] })], returns: ["a"] };
    expect(await refusedWith(run(after, names))).toBeInstanceOf(DanglingReferenceError);
  });

  test("lets a step name itself, which does not wait for itself", async () => {
    const steps = [step("a", { bind: { x: "steps.b" } }), step("b")];
    const [result] = await run({ steps, returns: ["a"] }, new Names());
    expect(result.ledger[1]?.level).toBe(1);
    const itself = { steps: [step("b", { when: "steps.b" })], returns: ["b"] };
    expect((await run(itself, new Names()))[0].ledger[0]?.code).toBe("evaluation_failed");
  });

  test("has its plan repaired, and takes it as a text or parsed", async () => {
    const text = '```json\n{"steps": {"id": "a", "tool": "t"}, "returns": "a"}\n```';
    const [result] = await run(text, new Names());
    expect([result.returned, result.notes.length]).toEqual([{ a: {} }, 3]);
    expect((await run(parsePlan(text), new Names()))[0].returned).toEqual({ a: {} });
  });

  test("may extend the engine's binder, which makes it a language of its own", async () => {
    class Shouts extends JsonataBinder {
      override bind(expression: string, env: Environment): string {
        return `${super.bind(expression, env)}!`;
      }
    }
    const two = [step("a", { args: { n: "x" } }), step("b", { bind: { y: "steps.a.n" } })];
    const [result] = await run({ steps: two, returns: ["b"] }, new Shouts());
    expect(result.returned).toEqual({ b: { y: "x!" } });
  });

  test("may be the engine's own, named", async () => {
    const two = [step("a", { args: { n: 1 } }), step("b", { bind: { x: "steps.a.n" } })];
    const [result] = await run({ steps: two, returns: ["b"] }, new JsonataBinder());
    expect(result.returned).toEqual({ b: { x: 1 } });
  });
});
