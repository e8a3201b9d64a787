/** What running a plan does beside the timelines that the conformance cases pin. */

import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import type { Binder } from "../src/binder.js";
import {
  PlanError,
  StepLimitError,
  ToolExecutionError,
  ToolNotPlannableError,
} from "../src/errors.js";
import { callKey, type StepCall } from "../src/executor/calls.js";
import {
  type Clock,
  type ExecuteOptions,
  executePlan,
  levelsOf,
  summarize,
} from "../src/executor/index.js";
import type { JsonValue, PlanResult } from "../src/models.js";
import {
  Recorder,
  RecordingInvoker,
  type Stub,
  StubTools,
  VirtualClock,
} from "../src/testing/index.js";
import {
  type CheckedPlan,
  checkPlan,
  type PlanGiven,
  ToolInfo,
} from "../src/validate/index.js";

type Tool = (name: string, args: Record<string, JsonValue>) => unknown;
type Using = Readonly<Record<string, Stub>> | Tool;

const ECHO = { t: { echo: true, takes_ms: 10 } };

function step(id: string, more: object = {}): { readonly id: string; readonly tool: string } {
  return { id, tool: "t", ...more };
}

function planOf(steps: readonly { readonly id: string }[], more: object = {}): PlanGiven {
  return { steps, returns: [steps[0]?.id], ...more } as PlanGiven;
}

async function run(
  plan: PlanGiven | CheckedPlan,
  using: Using = ECHO,
  options: ExecuteOptions = {},
): Promise<PlanResult> {
  const clock = new VirtualClock();
  const invoker = typeof using === "function" ? using : new StubTools(using, { clock });
  return await clock.run(() => executePlan(plan, invoker, { clock, ...options }));
}

async function refused(running: Promise<unknown>): Promise<PlanError> {
  const error: unknown = await running.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlanError)) throw error ?? new Error("it was not refused");
  return error;
}

function codesOf(error: PlanError): readonly string[] {
  return error.diagnostics.map(({ code }) => code);
}

function statuses(result: PlanResult): Readonly<Record<string, string>> {
  return Object.fromEntries(result.ledger.map(({ id, status }) => [id, status]));
}

function errorOf(result: PlanResult, at = 0): string {
  return result.ledger[at]?.error ?? "";
}

/** The end of a message, after the expression that it is about. */
function toldIn(message: string | null | undefined): string | undefined {
  return message?.split('": ').slice(1).join('": ');
}

describe("what may be given", () => {
  const plan = planOf([step("a", { args: { n: 1 } }), step("b", { bind: { n: "steps.a.n" } })]);

  test.each([
    ["an object", plan],
    ["a text", JSON.stringify(plan)],
  ])("a plan may come as %s", async (_, given) => {
    expect((await run(given)).returned).toEqual({ a: { n: 1 } });
  });

  test("a plan may come checked, and runs again and again as it was checked", async () => {
    const checked = checkPlan(plan);
    expect((await run(checked)).returned).toEqual({ a: { n: 1 } });
    expect(await run(checked)).toEqual(await run(checked));
    const hasty = checkPlan(planOf([step("a")]), { policy: { step_timeout_s: 0.005 } });
    expect((await run(hasty)).ledger[0]?.code).toBe("timeout");
    for (const more of [
      { policy: {} },
      { maxSteps: 3 },
      { tools: ["t"] },
      { allowedTools: [] },
    ]) {
      await expect(run(checked, ECHO, more)).rejects.toThrow("as it was checked");
    }
  });

  test("a plan that may not run calls nothing and names all that is wrong", async () => {
    const recorder = new Recorder();
    const bad = planOf([step("a", { after: ["z"] }), step("b", { bind: { x: "steps.a +" } })]);
    const error = await refused(run(bad, ECHO, { onEvent: recorder.onEvent }));
    expect(codesOf(error)).toEqual(["unknown_step", "syntax"]);
    expect(recorder.events).toEqual([]);
  });

  test("maxSteps wins over the policy", async () => {
    const steps = (count: number): PlanGiven =>
      planOf(Array.from({ length: count }, (_, n) => step(`s${n}`)));
    const many = run(steps(3), ECHO, { maxSteps: 2, policy: { max_steps: 100 } });
    expect(await refused(many)).toBeInstanceOf(StepLimitError);
    const few = await run(steps(3), ECHO, { maxSteps: 3, policy: { max_steps: 1 } });
    expect(few.ledger.length).toBe(3);
    expect(await refused(run(steps(33)))).toBeInstanceOf(StepLimitError);
  });

  test("allowedTools wins over tools", async () => {
    const schema = { type: "object", properties: { n: {} } };
    const tools = { t: { input_schema: schema }, u: null };
    const no: ExecuteOptions[] = [
      { allowedTools: ["u"] },
      { allowedTools: ["u"], tools },
      { allowedTools: ["t"], tools: { t: new ToolInfo({ plannable: false }) } },
      { tools: ["u"] },
    ];
    for (const more of no) {
      const error = await refused(run(planOf([step("a")]), ECHO, more));
      expect(error).toBeInstanceOf(ToolNotPlannableError);
    }
    const yes: ExecuteOptions[] = [
      {},
      { allowedTools: ["t"] },
      { allowedTools: ["t"], tools },
      { allowedTools: ["t"], tools: { u: null } },
      { allowedTools: new Set(["t"]), tools: ["u"] },
      { tools },
    ];
    for (const more of yes) {
      expect((await run(planOf([step("a")]), ECHO, more)).returned).toEqual({ a: {} });
    }
    const wrong = planOf([step("a", { args: { m: 1 } })]);
    const error = await refused(run(wrong, ECHO, { allowedTools: ["t"], tools }));
    expect(codesOf(error)).toEqual(["unknown_argument"]);
  });

  test.each<[string, string, object]>([
    ["a text as input", "input must be an object", { input: "x" }],
    ["a list as input", "input must be an object", { input: [] }],
    ["a wrong policy", "policy must be a Policy", { policy: { max_step: 3 } }],
    ["a text as maxSteps", "maxSteps must be an integer", { maxSteps: "a" }],
    ["a boolean as maxSteps", "maxSteps must be an integer", { maxSteps: true }],
    ["a number as runId", "runId must be a string", { runId: 7 }],
    ["a number as onEvent", "onEvent must be a function", { onEvent: 5 }],
    ["an async onEvent", "it is never awaited", { onEvent: async () => null }],
    ["a text as binder", "binder must be an object with bind", { binder: "jsonata" }],
    ["one name as allowedTools", "must be a list of strings", { allowedTools: "t" as never }],
    ["a number as tools", "iterable", { tools: 5 }],
    ["a number as clock", "clock must be an object with now and sleep", { clock: 5 }],
  ])("a host's own mistake is a TypeError before anything runs: %s", async (_, text, host) => {
    const tools = new StubTools(ECHO, { clock: new VirtualClock() });
    const running = executePlan(planOf([step("a")]), tools, host as ExecuteOptions);
    await expect(running).rejects.toThrow(TypeError);
    await expect(running).rejects.toThrow(text);
    expect(tools.calls).toEqual([]);
  });

  test("an invoker is looked at before the run too", async () => {
    const invoker = { t: 1 } as unknown as Tool;
    await expect(executePlan(planOf([step("a")]), invoker)).rejects.toThrow(
      "an async function",
    );
  });

  test("input that is no JSON is refused", async () => {
    const running = run(planOf([step("a")]), ECHO, { input: { x: Number.NaN } });
    expect(codesOf(await refused(running))).toEqual(["not_json_result"]);
  });

  test("input is taken in before the run", async () => {
    const list = [1];
    const spoils: Tool = (_name, args) => {
      list.push(2);
      return args;
    };
    const steps = [step("a"), step("b", { bind: { x: "input.list" }, after: ["a"] })];
    const result = await run(planOf(steps, { returns: ["b"] }), spoils, { input: { list } });
    expect(result.returned).toEqual({ b: { x: [1] } });
  });
});

describe("what has no value says which steps gave none", () => {
  const tools = { t: { returns: { n: 1 } }, bad: { fails: "no" } };
  const steps = [
    step("a"),
    step("f", { tool: "bad" }),
    step("s", { after: ["f"] }),
    step("n", { when: "steps.a.n = 2" }),
  ];

  test.each([
    ["steps.f.n", 'it matches nothing, as step "f" failed; give a default with `??`'],
    ["steps.s.n", 'it matches nothing, as step "s" was skipped; give a default with `??`'],
    ["steps.n.n", 'it matches nothing, as step "n" was not taken; give a default with `??`'],
    [
      "steps.f.n ?? steps.n.n",
      'it matches nothing, as step "f" failed, step "n" was not taken; ' +
        "give a default with `??`",
    ],
    ["$error(steps.s.n & '!')", '!; step "s" was skipped'],
    [
      "steps.a.n[$ > 1]",
      "it matches nothing; check its names and predicates against what the tools return, " +
        "or give a default with `??`",
    ],
  ])("as output: %s", async (output, told) => {
    const result = await run(planOf(steps, { output, on_error: "continue" }), tools);
    expect(toldIn(result.output_error?.message)).toBe(told);
  });

  test.each<[object, string]>([
    [
      { bind: { x: "steps.f.n" } },
      'it matches nothing, as step "f" failed; give a default with `??`',
    ],
    [
      { when: "steps.f.n" },
      'it matches nothing, as step "f" failed; write (steps.f.n) ?? false if that means no',
    ],
  ])("as a field of a step that joins any: %j", async (fields, told) => {
    const joined = step("j", { join: "any", after: ["a"], ...fields });
    const plan = planOf([...steps.slice(0, 2), joined], { on_error: "continue" });
    const outcome = (await run(plan, tools)).ledger.at(-1);
    expect(outcome?.code).toBe("no_value");
    expect(toldIn(outcome?.error)).toBe(told);
  });
});

describe("the seam", () => {
  test("an object with invokeStep gets everything about the call", async () => {
    const clock = new VirtualClock();
    const invoker = new RecordingInvoker(new StubTools(ECHO, { clock }));
    const steps = [
      step("a", { args: { n: 1 } }),
      step("f", { for_each: "[5]", bind: { n: "item" } }),
    ];
    await clock.run(() => executePlan(planOf(steps), invoker, { runId: "r", clock }));
    const sent = { run_id: "r", attempt: 1, tool: "t", signal: expect.any(AbortSignal) };
    expect(invoker.calls).toEqual([
      { ...sent, step_id: "a", index: null, key: callKey("r", "a", null), args: { n: 1 } },
      { ...sent, step_id: "f", index: 0, key: callKey("r", "f", 0), args: { n: 5 } },
    ]);
  });

  test("a function gets the tool's name and its arguments", async () => {
    const invoker = vi.fn(async (_name: string, _args: object) => ({ ok: true }));
    const result = await run(planOf([step("a", { args: { n: 1 } })]), invoker);
    expect(result.returned).toEqual({ a: { ok: true } });
    expect(invoker.mock.calls).toEqual([["t", { n: 1 }]]);
  });

  test("a tool may give its result at once, and nothing is null", async () => {
    const at = (name: string): unknown => (name === "t" ? 1 : undefined);
    const plan = planOf([step("a"), step("b", { tool: "u" })], { returns: ["a", "b"] });
    expect((await run(plan, at)).returned).toEqual({ a: 1, b: null });
  });

  test("no tool is called before whoever started the run goes on", async () => {
    const log: string[] = [];
    const running = executePlan(planOf([step("a")]), () => log.push("tool"));
    log.push("host");
    await running;
    expect(log).toEqual(["host", "tool"]);
  });

  test("a key is the hash of the names as JSON", () => {
    // printf '%s' '["r1","pay",null]' | sha256sum
    const key = "6cefd93d0616126024562f423f2d0dad2d32617fdb1eaea60217c6fcb84a1a30";
    expect(callKey("r1", "pay", null)).toBe(key);
    for (const runId of ['r"\u00e4', "", "x".repeat(40), "y".repeat(200), "\u{1f600}"]) {
      const named = JSON.stringify([runId, "a", 3]);
      expect(callKey(runId, "a", 3)).toBe(createHash("sha256").update(named).digest("hex"));
    }
  });

  test("each run has an id of its own unless it is given one", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const recorder = new Recorder();
        await run(planOf([step("a")]), ECHO, { onEvent: recorder.onEvent });
        return new Set(recorder.events.map(({ run_id }) => run_id));
      }),
    );
    const [[one, ...others] = [], [other] = []] = ids.map((each) => [...each]);
    expect(others).toEqual([]);
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(one).not.toBe(other);
  });

  test("arguments, results and what goes back are nobody else's", async () => {
    const held: Record<string, unknown>[] = [];
    const holds: Tool = (_name, args) => {
      const result = { args, list: [1] };
      held.push(args, result);
      return result;
    };
    const checked = checkPlan(
      planOf(
        [step("a", { args: { deep: { x: 1 } } }), step("b", { bind: { y: "steps.a.list" } })],
        {
          returns: ["a", "b"],
          output: "steps.a.list",
        },
      ),
    );
    const first = await run(checked, holds);
    for (const value of held) for (const key of Object.keys(value)) delete value[key];
    const result = await run(checked, holds);
    expect(result).toEqual(first);
    (result.returned.a as { list: number[] }).list.push(2);
    (result.output as number[]).push(3);
    expect(result.returned.b).toEqual({ args: { y: [1] }, list: [1] });
    expect(first.output).toEqual([1]);
  });

  test("large integers go back whole, and through plain paths if they are exact", async () => {
    const id = 2n ** 60n + 1n;
    const tools = { gives: { returns: { id } }, ...ECHO };
    const steps = [step("a", { tool: "gives" }), step("b", { bind: { id: "steps.a.id" } })];
    const plan = planOf(steps, { returns: ["a", "b"], output: "steps.a.id" });
    const exact = await run(plan, tools, { policy: { integers: "exact" } });
    expect([exact.returned, exact.output]).toEqual([{ a: { id }, b: { id } }, id]);
    const portable = await run(plan, tools);
    expect(portable.returned).toEqual({ a: { id } });
    expect(portable.ledger[1]?.code).toBe("unsafe_number");
  });
});

describe("failures", () => {
  test.each<[string, unknown, string]>([
    ["an error", new Error("it broke"), "it broke"],
    ["a tool's error", new ToolExecutionError("t", "the detail"), "the detail"],
    ["an error without words", new Error(), "the tool failed without a message"],
    ["an error with half a character", new Error("half \ud800"), "half \ufffd"],
    ["an abort", new DOMException("x", "AbortError"), "the tool cancelled its own call"],
    ["a text", "no luck", "no luck"],
    ["nothing", undefined, "the tool failed without a message"],
    ["an object", {}, "the tool failed without a message"],
    ["an object with a message", { message: "told" }, "told"],
    [
      "an error that cannot tell what it is",
      Object.defineProperty(new Error(), "message", {
        get: () => {
          throw new Error();
        },
      }),
      "the tool failed without a message",
    ],
  ])("a failure is told in the tool's own words: %s", async (_, error, message) => {
    const later: Tool = () => Promise.reject(error);
    const atOnce: Tool = () => {
      throw error;
    };
    for (const fails of [later, atOnce]) {
      const { ledger } = await run(planOf([step("a")]), fails);
      expect(ledger).toMatchObject([{ status: "failed", code: "tool_failed", error: message }]);
    }
  });

  test.each<[object, readonly string[]]>([
    [{ step_timeout_s: 0.005 }, ['"a"', "step_timeout_s", "0.005"]],
    [{ plan_timeout_s: 0.005 }, ['"a"', "plan_timeout_s", "0.005"]],
    [{ max_result_bytes: 1 }, ['"a"', "max_result_bytes", "more than 1 bytes"]],
  ])("a limit names itself, its value and the step: %j", async (policy, named) => {
    const error = errorOf(await run(planOf([step("a")]), ECHO, { policy }));
    expect(named.filter((part) => !error.includes(part))).toEqual([]);
  });

  test.each<[unknown, string]>([
    [null, "null"],
    [1, "a number"],
    [0.5, "a number"],
    ["true", "a string"],
    [[true], "a list"],
    [{ a: true }, "an object"],
  ])("a condition that is no boolean says what it gave: %j", async (flag, kind) => {
    const plan = planOf([step("a", { when: "input.flag" })]);
    expect(errorOf(await run(plan, ECHO, { input: { flag } }))).toContain(`gave ${kind};`);
  });

  test("a failing binding names step, argument, expression and the edit", async () => {
    const steps = [
      step("a", { args: { name: "x" } }),
      step("b", { bind: { to: "steps.a.nmae" } }),
    ];
    const error = errorOf(await run(planOf(steps)), 1);
    const parts = ['"b"', '"to"', "steps.a.nmae", "name"];
    expect(parts.filter((part) => !error.includes(part))).toEqual([]);
    const nothing = planOf([step("a", { when: "input.list[5]" })]);
    const told = errorOf(await run(nothing, ECHO, { input: { list: [] } }));
    expect(told).toContain("(input.list[5]) ?? false");
  });
});

describe("time and cancellation", () => {
  /** A tool that waits for its end in virtual time, as long as it is let. */
  function waits(clock: Clock, seconds: number): (call: StepCall) => Promise<string> {
    return async (call) => {
      await clock.sleep(seconds, call.signal);
      return "done";
    };
  }

  test("eight calls run at once", async () => {
    let arrived = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const meets: Tool = async (name) => {
      arrived += 1;
      if (arrived === 8) open();
      await gate;
      return name;
    };
    const plan = planOf(Array.from({ length: 8 }, (_, n) => step(`s${n}`)));
    const result = await executePlan(plan, meets);
    expect(new Set(Object.values(statuses(result)))).toEqual(new Set(["ok"]));
  });

  test("a run leaves no timer and no listener behind", async () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    const fired = vi.fn();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const tools = new StubTools({ t: { returns: 1, takes_ms: 5 }, bad: { fails: "x" } });
    const policy = {
      step_timeout_s: 60,
      plan_timeout_s: 90,
      retry: { bad: { attempts: 2, backoff_s: 60 } },
    };
    const signal = new AbortController().signal;
    const removed = vi.spyOn(signal, "removeEventListener");
    const plan = planOf([step("a"), step("b", { tool: "bad" }), step("c", { when: "1" })]);
    const running = executePlan(plan, tools, { policy, signal }).then(fired);
    await vi.advanceTimersByTimeAsync(100);
    expect(fired).toHaveBeenCalledOnce();
    await running;
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalled();
    vi.useRealTimers();
    set.mockRestore();
  });

  test("a call that timed out is told so, and its late result is not heard", async () => {
    const clock = new VirtualClock();
    const reasons: unknown[] = [];
    const invoker = {
      invokeStep: async (call: StepCall): Promise<string> => {
        call.signal.addEventListener("abort", () => reasons.push(call.signal.reason));
        await clock.sleep(60);
        return "late";
      },
    };
    const policy = { step_timeout_s: 1 };
    const result = await clock.run(() =>
      executePlan(planOf([step("a")]), invoker, { policy, clock }),
    );
    expect([statuses(result), result.returned]).toEqual([{ a: "failed" }, {}]);
    expect(reasons).toMatchObject([{ name: "TimeoutError", message: errorOf(result) }]);
    expect(clock.now()).toBe(1);
  });

  test("a call that will not stop does not hold up the run, and is not heard", async () => {
    const clock = new VirtualClock();
    const stubborn: Tool = async () => {
      await clock.sleep(100);
      throw new Error("nobody hears this");
    };
    await clock.run(async () => {
      const policy = { plan_timeout_s: 5 };
      const result = await executePlan(planOf([step("a")]), stubborn, { policy, clock });
      expect([result.ledger[0]?.code, clock.now()]).toEqual(["timeout", 5]);
      await clock.sleep(200);
    });
  });

  test("a cancelled run tells what is in flight and rejects with the signal's reason", async () => {
    const clock = new VirtualClock();
    const recorder = new Recorder();
    const stop = new AbortController();
    const reason = new Error("the user left");
    const seen: unknown[] = [];
    const invoker = {
      invokeStep: async (call: StepCall): Promise<unknown> => {
        call.signal.addEventListener("abort", () => seen.push(call.signal.reason));
        if (call.step_id === "a") return await waits(clock, 60)(call);
        await clock.sleep(60);
        throw new Error("too late");
      },
    };
    const plan = planOf([step("a"), step("b"), step("c", { after: ["a"] })]);
    await clock.run(async () => {
      const options = { clock, signal: stop.signal, onEvent: recorder.onEvent };
      const running = executePlan(plan, invoker, options);
      await clock.sleep(1);
      stop.abort(reason);
      await expect(running).rejects.toBe(reason);
      expect(clock.now()).toBe(1);
      await clock.sleep(100);
    });
    expect(seen).toEqual([reason, reason]);
    expect(recorder.timeline).toEqual([
      [0, "start", "a"],
      [0, "start", "b"],
      [1000, "cancelled", "a"],
      [1000, "cancelled", "b"],
    ]);
  });

  test("a run that is cancelled before it starts calls nothing", async () => {
    const tool = vi.fn();
    const signal = AbortSignal.abort();
    await expect(executePlan(planOf([step("a")]), tool, { signal })).rejects.toBe(
      signal.reason,
    );
    const stop = new AbortController();
    const running = executePlan(planOf([step("a")]), tool, { signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toBe(stop.signal.reason);
    expect(tool).not.toHaveBeenCalled();
  });

  test("a run may be cancelled by a tool and by a listener, and nothing starts then", async () => {
    for (const by of ["tool", "listener"]) {
      const stop = new AbortController();
      const reason = new Error("enough");
      const called: string[] = [];
      const recorder = new Recorder();
      const tool: Tool = (name) => {
        called.push(name);
        if (by === "tool") stop.abort(reason);
        return name;
      };
      const plan = planOf([step("a", { tool: "t" }), step("b", { tool: "u" })]);
      const options: ExecuteOptions = {
        signal: stop.signal,
        onEvent: (event) => {
          recorder.onEvent(event);
          if (by === "listener") stop.abort(reason);
        },
      };
      await expect(run(plan, tool, options)).rejects.toBe(reason);
      expect(called).toEqual(by === "tool" ? ["t"] : []);
      expect(recorder.timeline.map(([, kind]) => kind)).toEqual([
        "start",
        "start",
        "cancelled",
        "cancelled",
      ]);
    }
  });

  test("a call that ended in time is no timeout though the thread was blocked", async () => {
    let time = 0;
    let over = (): void => undefined;
    const blocked = new Promise<void>((resolve) => {
      over = resolve;
    });
    // The thread stands still for a second; then deadline and tool are told at once.
    const clock: Clock = { now: () => time, sleep: () => blocked };
    const tool: Tool = async (name) => {
      if (name === "blocks") {
        await null;
        time += 1;
        over();
      } else if (name === "hangs") {
        await new Promise(() => undefined);
      } else {
        await blocked;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return name;
    };
    const plan = planOf([
      step("a", { tool: "waits" }),
      step("b", { tool: "blocks" }),
      step("c", { tool: "hangs" }),
    ]);
    const result = await executePlan(plan, tool, { policy: { step_timeout_s: 0.5 }, clock });
    expect(statuses(result)).toEqual({ a: "ok", b: "ok", c: "failed" });
  });

  test("a clock needs only now and sleep", async () => {
    let time = 5;
    const clock: Clock = { now: () => time, sleep: () => new Promise(() => undefined) };
    const tool: Tool = () => {
      time += 0.25;
      return 1;
    };
    const policy = { step_timeout_s: 60, plan_timeout_s: 60 };
    const result = await executePlan(planOf([step("a")]), tool, { policy, clock });
    expect(result.ledger[0]?.duration_ms).toBe(250);
  });

  test.each<[string, Partial<Clock>]>([
    ["sleeping", { sleep: () => Promise.reject(new Error("no clock")) }],
    [
      "sleeping, at once",
      {
        sleep: () => {
          throw new Error("no clock");
        },
      },
    ],
    [
      "telling the time",
      {
        now: () => {
          throw new Error("no clock");
        },
      },
    ],
  ])("a clock that fails %s ends the run", async (_, broken) => {
    const clock = { now: () => 0, sleep: async () => undefined, ...broken };
    const policy = { step_timeout_s: 60 };
    const running = executePlan(planOf([step("a")]), () => new Promise(() => undefined), {
      policy,
      clock,
    });
    await expect(running).rejects.toThrow("no clock");
  });

  test("a run goes by the system's clock unless it is given another", async () => {
    const policy = { step_timeout_s: 0.02, retry: { t: { attempts: 2, backoff_s: 0.01 } } };
    const tools = new StubTools({ t: { returns: 1, fails_first: 1, takes_ms: 1 } });
    const result = await executePlan(planOf([step("a")]), tools, { policy });
    expect(result.ledger[0]?.status).toBe("ok");
    expect(result.ledger[0]?.duration_ms).toBeGreaterThanOrEqual(12);
  });
});

describe("size", () => {
  test("the longest chain runs without recursion", async () => {
    const count = 2000;
    const steps = Array.from({ length: count }, (_, n) =>
      step(`s${n}`, { after: n ? [`s${n - 1}`] : [] }),
    );
    const result = await run(planOf(steps), { t: { returns: 1 } }, { maxSteps: count });
    expect(result.levels).toBe(count);
    expect(new Set(Object.values(statuses(result)))).toEqual(new Set(["ok"]));
  });

  test("a chain of untaken steps is decided without recursion", async () => {
    const count = 2000;
    const steps = Array.from({ length: count - 1 }, (_, n) =>
      step(`s${n}`, { after: [`s${n + 1}`] }),
    );
    steps.push(step(`s${count - 1}`, { when: "1 = 2" }));
    const result = await run(planOf(steps), ECHO, { maxSteps: count });
    expect(new Set(Object.values(statuses(result)))).toEqual(new Set(["not_taken"]));
  });

  test("a wide fan and its join run", async () => {
    const count = 1000;
    const steps = Array.from({ length: count }, (_, n) => step(`s${n}`));
    const join = step("join", { after: steps.map(({ id }) => id) });
    const plan = planOf([...steps, join], { returns: ["join"] });
    const result = await run(plan, ECHO, { maxSteps: count + 1 });
    expect([result.levels, result.returned]).toEqual([2, { join: {} }]);
  });
});

describe("telling of it", () => {
  test("levelsOf gives the steps by level", () => {
    const steps = [step("b", { after: ["a"] }), step("a"), step("c")];
    const levels = levelsOf({ steps, returns: ["b"] });
    expect(levels.map((level) => level.map(({ id }) => id))).toEqual([["a", "c"], ["b"]]);
    expect(() => levelsOf({ steps: [step("a", { after: ["z"] })] })).toThrow(PlanError);
  });

  test("summarize has a line for each step", async () => {
    const steps = [
      step("fetch", { tool: "get" }),
      step("all", { tool: "get", for_each: "[1, 2]" }),
      step("pay", { tool: "pay", when: "1 = 2" }),
      step("bad", { tool: "bad" }),
      step("last", { tool: "get", after: ["bad"] }),
    ];
    const tools = { get: { returns: 1, takes_ms: 12.25 }, bad: { fails: "no money" }, pay: {} };
    const result = await run(planOf(steps, { on_error: "continue" }), tools);
    expect(summarize(result).split("\n")).toEqual([
      "L0 ok        fetch            get                       12.3 ms",
      "L0 ok        all              get                       12.3 ms  2 of 2 items",
      "L0 not_taken pay              pay                        0.0 ms",
      "L0 FAILED    bad              bad                        0.0 ms  no money",
      "L1 skipped   last             get                        0.0 ms",
    ]);
  });

  test("an outcome says how a step went", async () => {
    const bare = { error: null, code: null, items: null, reused: 0 };
    const outcome = { id: "a", tool: "t", status: "ok", level: 0, duration_ms: 10, ...bare };
    expect((await run(planOf([step("a")]))).ledger).toEqual([outcome]);
  });
});

/**
 * A clock as real as a test can hold: it stands still but for what a test makes it leap, and
 * what is due rings at the event loop's next turn.
 */
class LeapingClock implements Clock {
  time = 100;
  private isTurning = false;
  private readonly sleeps = new Set<{ readonly due: number; readonly ring: () => void }>();

  now(): number {
    return this.time;
  }

  leap(seconds: number): void {
    this.time += seconds;
    this.ringSoon();
  }

  sleep(seconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleep = { due: this.time + seconds, ring: resolve };
      this.sleeps.add(sleep);
      signal?.addEventListener("abort", () => {
        this.sleeps.delete(sleep);
        reject(signal.reason);
      });
      this.ringSoon();
    });
  }

  private ringSoon(): void {
    if (this.isTurning) return;
    this.isTurning = true;
    setTimeout(() => this.ring(), 0);
  }

  private ring(): void {
    this.isTurning = false;
    for (const sleep of [...this.sleeps].sort((one, other) => one.due - other.due)) {
      if (sleep.due > this.time) return;
      this.sleeps.delete(sleep);
      sleep.ring();
    }
  }
}

/** Each evaluation takes so long; what is written is a number, a list, or true. */
class SlowBinder implements Binder {
  readonly seen: string[] = [];

  constructor(
    readonly clock: LeapingClock,
    readonly seconds: number,
    readonly meanwhile: (count: number) => void = () => undefined,
  ) {}

  bind(expression: string): unknown {
    this.seen.push(expression);
    this.meanwhile(this.seen.length);
    this.clock.leap(this.seconds);
    return JSON.parse(expression);
  }
}

describe("time that evaluation takes", () => {
  const fan = planOf([
    step("a", { for_each: "[1,2,3,4,5]", bind: { x: "1" } }),
    step("b", { after: ["a"] }),
  ]);
  const byName: Tool = (name) => name;

  test("the plan's deadline is seen between two evaluations", async () => {
    const clock = new LeapingClock();
    const binder = new SlowBinder(clock, 0.009);
    const recorder = new Recorder();
    const called = vi.fn(byName);
    const policy = { plan_timeout_s: 0.02 };
    const { onEvent } = recorder;
    const result = await executePlan(fan, called, { binder, clock, policy, onEvent });
    // The third evaluation ends past the deadline, and there is no fourth.
    expect(binder.seen).toEqual(["[1,2,3,4,5]", "1", "1"]);
    expect(called).not.toHaveBeenCalled();
    expect(statuses(result)).toEqual({ a: "failed", b: "skipped" });
    expect(result.ledger[0]).toMatchObject({
      code: "timeout",
      error: 'step "a" had not ended when the plan reached plan_timeout_s, which is 0.02',
    });
    expect(recorder.timeline.map(([, kind]) => kind)).toEqual([
      "start",
      "start",
      "failed",
      "failed",
      "failed",
      "skipped",
    ]);
  });

  test.each<[PlanGiven, readonly string[]]>([
    [planOf([step("a", { when: "true", for_each: "[1]", bind: { x: "1" } })]), ["true"]],
    [planOf([step("a", { for_each: "[1]", bind: { x: "1" } })]), ["[1]"]],
    [planOf([step("a", { when: "true" }), step("b", { when: "true" })]), ["true"]],
    [planOf([step("a", { bind: { x: "1" } }), step("b", { bind: { x: "2" } })]), ["1"]],
  ])("nothing is evaluated past the plan's deadline (%#)", async (plan, seen) => {
    const clock = new LeapingClock();
    const binder = new SlowBinder(clock, 1);
    const policy = { plan_timeout_s: 0.5 };
    const result = await executePlan(plan, byName, { binder, clock, policy });
    expect(binder.seen).toEqual(seen);
    expect(result.ledger.map(({ status }) => status)).not.toContain("ok");
  });

  test("evaluation lets the event loop have its turns", async () => {
    const clock = new LeapingClock();
    const binder = new SlowBinder(clock, 0.015);
    const called: number[] = [];
    await executePlan(fan, () => called.push(binder.seen.length), { binder, clock });
    // Every second evaluation is over the time that the loop may be held.
    expect(called).toEqual([2, 4, 4, 6, 6, 6]);
  });

  test("tools that answer at once do not hold the event loop either", async () => {
    const clock = new LeapingClock();
    const stop = new AbortController();
    const steps = Array.from({ length: 20 }, (_, at) => step(`s${at}`));
    const tool = vi.fn(() => clock.leap(0.015));
    const running = executePlan(planOf(steps), tool, {
      clock,
      signal: stop.signal,
      policy: { max_concurrency: 1 },
    });
    setTimeout(() => stop.abort(), 0);
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(tool.mock.calls.length).toBeLessThan(20);
  });

  test("a run is cancelled while it evaluates", async () => {
    const clock = new LeapingClock();
    const stop = new AbortController();
    const binder = new SlowBinder(clock, 0.1, (count) => {
      if (count === 3) setTimeout(() => stop.abort(), 0);
    });
    const running = executePlan(fan, byName, { binder, clock, signal: stop.signal });
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(binder.seen).toHaveLength(3);
  });

  test("an attempt's deadline is seen while others are evaluated", async () => {
    const clock = new LeapingClock();
    const binder = new SlowBinder(clock, 0.015);
    const stopped: number[] = [];
    const invoker = {
      invokeStep: (call: StepCall): unknown => {
        if (call.step_id !== "a") return 1;
        call.signal.addEventListener("abort", () => stopped.push(binder.seen.length));
        return new Promise(() => undefined);
      },
    };
    const plan = planOf(
      [
        step("a", { bind: { x: "1" } }),
        step("b", { for_each: "[1,2,3,4,5,6]", bind: { x: "2" } }),
      ],
      { on_error: "continue" },
    );
    const policy = { step_timeout_s: 0.01 };
    const result = await executePlan(plan, invoker, { binder, clock, policy });
    expect(statuses(result)).toEqual({ a: "failed", b: "ok" });
    expect(stopped[0]).toBeLessThan(8);
  });

  test("a binder that never settles ends with the plan's deadline", async () => {
    const clock = new VirtualClock();
    const binder: Binder = {
      bind: (text) => (text === "never" ? new Promise(() => undefined) : Promise.resolve(1)),
    };
    const policy = { plan_timeout_s: 2 };
    const tool = vi.fn(async () => await clock.sleep(1));
    const plan = planOf([
      step("a"),
      step("b", { bind: { x: "never" } }),
      step("c", { after: ["a"], bind: { x: "1" } }),
    ]);
    const result = await clock.run(() => executePlan(plan, tool, { clock, binder, policy }));
    expect(clock.now()).toBe(2);
    expect(statuses(result)).toMatchObject({ b: "skipped", c: "skipped" });
    const output = { ...(planOf([step("a")]) as object), output: "never" } as PlanGiven;
    const told = await clock.run(() => executePlan(output, tool, { clock, binder, policy }));
    expect(clock.now()).toBe(4);
    expect(told.output_error).toEqual({
      code: "timeout",
      message:
        'output, "never": it had not ended when the plan reached plan_timeout_s, which is 2',
    });
  });

  test("a run is cancelled while its output is waited for", async () => {
    const stop = new AbortController();
    const binder: Binder = {
      bind: () => {
        setTimeout(() => stop.abort(), 0);
        return new Promise(() => undefined);
      },
    };
    const output = { ...(planOf([step("a")]) as object), output: "never" } as PlanGiven;
    const running = executePlan(output, byName, { binder, signal: stop.signal });
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("hosts that fail", () => {
  test.each<[string, () => unknown]>([
    ["null", () => Promise.reject(null)],
    [
      "nothing",
      () => {
        throw undefined;
      },
    ],
    ["an error without words", () => Promise.reject(new Error())],
  ])("a binder that throws %s is no tool", async (_, bind) => {
    const plan = planOf([step("a", { bind: { x: "1" } })]);
    const result = await run(plan, ECHO, { binder: { bind } });
    expect(result.ledger[0]?.error).toBe(
      '"x" of step "a", "1": the binder failed without a message',
    );
  });

  test("what onEventError throws does not end the run", async () => {
    const onEventError = vi.fn(() => {
      throw new Error("of the handler");
    });
    const onEvent = (): void => {
      throw new Error("of the listener");
    };
    const result = await run(planOf([step("a")]), ECHO, { onEvent, onEventError });
    expect(statuses(result)).toEqual({ a: "ok" });
    expect(onEventError).toHaveBeenCalledOnce();
  });

  test("a run that is cancelled at its very last event is cancelled", async () => {
    const stop = new AbortController();
    const running = run(planOf([step("a")]), ECHO, {
      signal: stop.signal,
      onEvent: ({ kind }) => {
        if (kind === "ok") stop.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
  });
});
