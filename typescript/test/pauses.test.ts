/** Runs that wait for an answer from outside, and go on from where they stood. */

import { describe, expect, test } from "vitest";
import type { Binder } from "../src/binder.js";
import { PlanPaused, StepPaused, ToolDeniedError } from "../src/errors.js";
import type { ToolInvoker } from "../src/executor/calls.js";
import { type ExecuteOptions, executePlan, planHash } from "../src/executor/index.js";
import {
  Checkpoint,
  type CheckpointInput,
  type PlanResult,
  type StepCheckpointInput,
  WorkflowPlan,
  type WorkflowPlanInput,
} from "../src/models.js";
import type { StepCall } from "../src/step-call.js";
import { Recorder, type Stub, StubTools, VirtualClock } from "../src/testing/index.js";
import { callName, type StubReply } from "../src/testing/tools.js";
import { Dice } from "./dice.js";

const PLAN = {
  steps: [
    { id: "find", tool: "find" },
    { id: "pay", tool: "pay", bind: { to: "steps.find.to" } },
  ],
  returns: ["pay"],
};
const TOOLS = {
  find: { returns: { to: "ann" }, takes_ms: 10 },
  pay: { returns: "paid", gate: true, takes_ms: 20 },
};
const HASH = planHash(PLAN);

/** Tools and the clock that they go by, over all rounds of a run. */
class Bench {
  readonly clock = new VirtualClock();
  readonly tools: StubTools;

  constructor(tools: Readonly<Record<string, Stub>> = TOOLS) {
    this.tools = new StubTools(tools, { clock: this.clock });
  }

  /** One round. */
  async run(
    plan: WorkflowPlanInput,
    options: ExecuteOptions = {},
    answers: Readonly<Record<string, StubReply>> = {},
  ): Promise<PlanResult> {
    const { clock, tools } = this;
    tools.answers = { ...answers };
    return await clock.run(() => executePlan(plan, tools, { clock, ...options }));
  }

  /** What a round throws that pauses. */
  async paused(plan: WorkflowPlanInput, options: ExecuteOptions = {}): Promise<PlanPaused> {
    return await pauseOf(this.run(plan, options));
  }
}

async function pauseOf(running: Promise<unknown>): Promise<PlanPaused> {
  const thrown: unknown = await running.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof PlanPaused)) throw thrown ?? new Error("it did not pause");
  return thrown;
}

describe("a pause", () => {
  test("has a checkpoint that is plain JSON without defaults", async () => {
    const { checkpoint } = await new Bench().paused(PLAN, { runId: "r1" });
    expect(checkpoint).toStrictEqual({
      version: 1,
      plan: HASH,
      run_id: "r1",
      elapsed_ms: 10,
      steps: {
        find: { status: "ok", result: { to: "ann" }, duration_ms: 10 },
        pay: { waiting: [{ attempt: 1 }] },
      },
    });
    expect(Object.keys(checkpoint)).toEqual([
      "version",
      "plan",
      "run_id",
      "elapsed_ms",
      "steps",
    ]);
    expect(Checkpoint.parse(checkpoint).input).toEqual({});
  });

  test("holds the ended items of a half-done list", async () => {
    const byArgs = [
      { args: { to: 1 }, returns: null },
      { args: { to: 2 }, returns: 2, gate: true },
      { args: { to: 3 }, fails: "gone" },
    ];
    const mail = { id: "mail", tool: "mail", for_each: "input.ids", bind: { to: "item" } };
    const plan: WorkflowPlanInput = { steps: [mail], returns: ["mail"], on_error: "continue" };
    const bench = new Bench({ mail: { by_args: byArgs, takes_ms: 5 } });
    const { checkpoint } = await bench.paused(plan, { input: { ids: [1, 2, 3] } });
    expect(checkpoint.input).toStrictEqual({ ids: [1, 2, 3] });
    expect(checkpoint.steps).toStrictEqual({
      mail: {
        duration_ms: 5,
        counts: { total: 3, ok: 1, failed: 1 },
        items: [{ index: 0 }, { index: 2, code: "tool_failed", error: "gone" }],
        waiting: [{ index: 1, attempt: 1 }],
      },
    });
  });

  test("tells the calls that wait", async () => {
    const bench = new Bench();
    const pause = await bench.paused(PLAN, { runId: "r1" });
    const key = bench.tools.calls[1]?.key;
    const call = { run_id: "r1", step_id: "pay", index: null, attempt: 1, tool: "pay" };
    expect(pause.waiting).toMatchObject([{ ...call, key, args: { to: "ann" } }]);
    expect(pause.message).toBe("the plan is paused: 1 call waits for an answer");
    expect(pause.name).toBe("PlanPaused");
  });

  test("shares nothing with the run", async () => {
    const held = { rows: [1] };
    const clock = new VirtualClock();
    const invoke: ToolInvoker = (name) => {
      if (name === "find") return held;
      throw new StepPaused();
    };
    const steps = [
      { id: "find", tool: "find" },
      { id: "pay", tool: "pay" },
    ];
    const plan = { steps, returns: ["find"] };
    const running = clock.run(() => executePlan(plan, invoke, { clock, input: { a: held } }));
    const { checkpoint } = await pauseOf(running);
    held.rows = [];
    expect(checkpoint.steps?.find?.result).toEqual({ rows: [1] });
    expect(checkpoint.input).toEqual({ a: { rows: [1] } });
  });

  test("tells the attempt of a call that begins to wait", async () => {
    const recorder = new Recorder();
    await new Bench().paused(PLAN, { runId: "r1", onEvent: recorder.onEvent });
    expect(recorder.events.at(-1)).toStrictEqual({
      kind: "waiting",
      run_id: "r1",
      step_id: "pay",
      tool: "pay",
      at_ms: 10,
      index: null,
      attempt: 1,
      code: null,
      error: null,
    });
  });

  test("leaves nothing behind when the run is cancelled while a call waits", async () => {
    const bench = new Bench({ ...TOOLS, slow: { returns: 1, takes_ms: 1000 } });
    const { clock, tools } = bench;
    const recorder = new Recorder();
    const steps = [
      { id: "pay", tool: "pay" },
      { id: "slow", tool: "slow" },
    ];
    const stop = new AbortController();
    const { signal } = stop;
    const running = clock.run(() => {
      void clock.sleep(0.5).then(() => stop.abort());
      const options = { clock, signal, onEvent: recorder.onEvent };
      return executePlan({ steps, returns: ["pay"] }, tools, options);
    });
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(recorder.timeline).toEqual([
      [0, "start", "pay"],
      [0, "start", "slow"],
      [0, "waiting", "pay"],
      [500, "cancelled", "slow"],
    ]);
  });
});

describe("a resumed run", () => {
  test("goes on from a checkpoint, a full one and one that went over text", async () => {
    const bench = new Bench();
    const { checkpoint } = await bench.paused(PLAN);
    const text = JSON.stringify(checkpoint);
    for (const resume of [checkpoint, Checkpoint.parse(checkpoint), JSON.parse(text)]) {
      const result = await bench.run(PLAN, { resume }, { pay: true });
      expect(result.returned).toEqual({ pay: "paid" });
    }
    const steps = bench.tools.calls.map((call) => call.step_id);
    expect(steps).toEqual(["find", "pay", "pay", "pay", "pay"]);
  });

  test("has the input and the id of the checkpoint", async () => {
    const steps = [{ id: "pay", tool: "pay", bind: { to: "input.to" } }];
    const plan = { steps, returns: ["pay"] };
    const bench = new Bench({ pay: { echo: true, gate: true } });
    const first = { runId: "r1", input: { to: "ann" } };
    const { checkpoint: resume } = await bench.paused(plan, first);
    const second = { resume, runId: "r2", input: { to: "bob", more: 1 } };
    const result = await bench.run(plan, second, { pay: true });
    expect(result.returned).toEqual({ pay: { to: "ann" } });
    const [asked, made] = bench.tools.calls;
    expect([made?.run_id, made?.key]).toEqual(["r1", asked?.key]);
  });

  test("keeps every digit of a result", async () => {
    const wide = 9007199254740993n;
    const clock = new VirtualClock();
    let waits = true;
    const invoke: ToolInvoker = (name) => {
      if (name === "find") return { id: wide };
      if (waits) throw new StepPaused();
      return 1;
    };
    const steps = [
      { id: "find", tool: "find" },
      { id: "pay", tool: "pay", after: ["find"] },
    ];
    const plan = { steps, returns: ["find"] };
    const { checkpoint: resume } = await pauseOf(
      clock.run(() => executePlan(plan, invoke, { clock })),
    );
    waits = false;
    const result = await clock.run(() => executePlan(plan, invoke, { clock, resume }));
    expect(result.returned).toEqual({ find: { id: wide } });
  });

  test("starts nothing after a deadline that passed before the answer", async () => {
    const bench = new Bench();
    const policy = { plan_timeout_s: 1 };
    const result = await bench.run(PLAN, { resume: kept({ elapsed_ms: 1001 }), policy });
    expect(result.ledger.map((entry) => [entry.id, entry.status, entry.duration_ms])).toEqual([
      ["find", "ok", 10],
      ["pay", "skipped", 0],
    ]);
    expect(bench.tools.calls).toEqual([]);
  });
});

/** A checkpoint of `PLAN` with other members. */
function kept(changes: object = {}): CheckpointInput {
  const steps = {
    find: { status: "ok" as const, result: { to: "ann" }, duration_ms: 10 },
    pay: { waiting: [{ attempt: 1 }] },
  };
  const whole = { version: 1, plan: HASH, run_id: "r1", elapsed_ms: 10 };
  return { ...whole, steps, ...changes };
}

const OTHER = "this checkpoint is of another plan: run the plan from its start";
const NONE = "this is no checkpoint: run the plan from its start";
const HOSTILE = {
  get version(): number {
    throw new Error("no");
  },
};

describe("what is given as a checkpoint", () => {
  const first = { attempt: 1 };
  test.each<[unknown, string]>([
    [kept({ plan: "0".repeat(64) }), OTHER],
    [kept({ steps: { other: { status: "ok" } } }), OTHER],
    [kept({ steps: { pay: { waiting: [{ attempt: 1, index: 0 }] } } }), OTHER],
    [kept({ steps: { pay: { waiting: [] } } }), OTHER],
    [kept({ steps: { pay: { waiting: [first], items: [{ index: 0 }] } } }), OTHER],
    [kept({ version: 2 }), NONE],
    [kept({ more: 1 }), NONE],
    [kept({ steps: { find: { status: "ok", more: 1 } } }), NONE],
    [kept({ elapsed_ms: -1 }), NONE],
    [kept({ steps: { find: { status: "ok", result: JSON.parse('{"__proto__":1}') } } }), NONE],
    [{}, NONE],
    [HOSTILE, NONE],
  ])("is refused unless it is one of the plan: %#", async (resume, words) => {
    const bench = new Bench();
    const running = bench.run(PLAN, { resume: resume as CheckpointInput });
    await expect(running).rejects.toThrow(new Error(words));
    expect(bench.tools.calls).toEqual([]);
  });

  const item = { index: 0, attempt: 1 };
  test.each<StepCheckpointInput>([
    { waiting: [item], counts: { total: 2, ok: 0, failed: 0 } },
    {
      waiting: [item],
      counts: { total: 3, ok: 1, failed: 0 },
      items: [{ index: 1 }, { index: 2 }],
    },
    { waiting: [item], counts: { total: 2, ok: 1, failed: 0 }, items: [{ index: 0 }] },
    {
      waiting: [first],
      counts: { total: 2, ok: 1, failed: 0 },
      items: [{ index: 0 }, { index: 1 }],
    },
    {
      waiting: [],
      counts: { total: 2, ok: 2, failed: 0 },
      items: [{ index: 0 }, { index: 1 }],
    },
    { waiting: [item], items: [{ index: 1 }] },
  ])("is refused if a list does not fit it: %#", async (pay) => {
    const steps = [{ id: "pay", tool: "pay", for_each: "[1, 2]" }];
    const plan = { steps, returns: ["pay"] };
    const resume = kept({ plan: planHash(plan), steps: { pay } });
    await expect(new Bench().run(plan, { resume })).rejects.toThrow(new Error(OTHER));
  });

  test.each(["{}", [], 1])("is an object: %j", async (resume) => {
    const words = "resume must be a checkpoint, such as that of a PlanPaused";
    const running = new Bench().run(PLAN, { resume: resume as never });
    await expect(running).rejects.toThrow(new TypeError(words));
  });
});

test("a refusal says its own words, and the call is not tried again", async () => {
  const clock = new VirtualClock();
  const calls: string[] = [];
  const invoke: ToolInvoker = (name) => {
    calls.push(name);
    throw new ToolDeniedError(name, "not today");
  };
  const policy = { retry: { pay: { attempts: 5 } } };
  const plan = { steps: [{ id: "pay", tool: "pay" }], returns: ["pay"] };
  const result = await clock.run(() => executePlan(plan, invoke, { clock, policy }));
  expect(result.ledger).toMatchObject([
    { status: "failed", code: "tool_failed", error: "not today" },
  ]);
  expect(calls).toEqual(["pay"]);
});

/** A host's own language, in which what has to be waited for comes later. */
class Later implements Binder {
  hangs = false;

  bind(_: string, env: Record<string, unknown>): unknown {
    if (this.hangs) return new Promise(() => undefined);
    return Promise.resolve(Object.hasOwn(env, "item") ? env.item : [1, 2]);
  }
}

describe("with another binder", () => {
  const mail = { id: "mail", tool: "mail", for_each: "LIST", bind: { to: "IT" } };
  const plan = { steps: [mail], returns: ["mail"] };
  const tools = { mail: { echo: true, gate: true } };

  test("a run pauses and goes on too", async () => {
    const bench = new Bench(tools);
    const binder = new Later();
    const pause = await bench.paused(plan, { binder });
    expect(pause.waiting.map(callName)).toEqual(["mail[0]", "mail[1]"]);
    const resume = pause.checkpoint;
    const second = bench.run(plan, { binder, resume }, { "mail[1]": true });
    const { checkpoint } = await pauseOf(second);
    expect(checkpoint.steps).toStrictEqual({
      mail: {
        counts: { total: 2, ok: 1, failed: 0 },
        items: [{ index: 1, result: { to: 2 } }],
        waiting: [{ index: 0, attempt: 1 }],
      },
    });
    const third = await bench.run(plan, { binder, resume: checkpoint }, { "mail[0]": true });
    expect(third.returned).toEqual({ mail: [{ to: 1 }, { to: 2 }] });
  });

  test("a run is cancelled that reads a list again", async () => {
    const bench = new Bench(tools);
    const binder = new Later();
    const { checkpoint: resume } = await bench.paused(plan, { binder });
    binder.hangs = true;
    const stop = new AbortController();
    const running = bench.run(plan, { binder, resume, signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toBe(stop.signal.reason);
  });
});

describe("a plan's hash", () => {
  const written = "c9fce51038d67e438d8778f25565cdfc91cf88ca063a4dd0c6e40b10c0c95b92";
  const bare = { id: "a", tool: "t" };
  test.each<WorkflowPlanInput>([
    { steps: [bare], returns: ["a"] },
    WorkflowPlan.parse({ steps: [bare], returns: ["a"] }),
    {
      returns: ["a"],
      final: false,
      on_error: "fail_fast",
      output: null,
      steps: [{ tool: "t", id: "a", args: {}, when: null, join: "all" }],
    },
  ])("is that of its compact JSON: %#", (plan) => {
    expect(planHash(plan)).toBe(written);
  });

  test("differs for plans that differ", () => {
    const [find, pay] = PLAN.steps as [object, object];
    const plans = [
      PLAN,
      { ...PLAN, final: true },
      { ...PLAN, returns: ["find"] },
      { ...PLAN, steps: [pay, find] },
      { ...PLAN, steps: [find, { ...pay, args: { n: 1 } }] },
      { ...PLAN, steps: [find, { ...pay, args: { n: "1" } }] },
    ];
    const hashes = plans.map((plan) => planHash(plan as WorkflowPlanInput));
    expect(new Set(hashes).size).toBe(plans.length);
  });
});

/** A plan of a few steps with lists, branches, failures; and its tools, ungated. */
function randomPlan(dice: Dice): [WorkflowPlanInput, Record<string, Stub>] {
  const ids = Array.from({ length: dice.between(2, 8) }, (_, at) => `s${at}`);
  const steps = ids.map((id, at) => {
    const before = dice.shuffled(ids.slice(0, at)).slice(0, dice.between(0, 2));
    const binds = before.length > 0 && dice.next() < 0.5;
    const loops = dice.next() < 0.4;
    return {
      id,
      tool: ["plain", "slow", "flaky", "bad"][dice.between(0, 3)] ?? "plain",
      args: { own: id },
      bind: {
        ...(binds &&
          Object.fromEntries(before.map((name) => [name, `steps.${name}.own ?? 0`]))),
        ...(loops && { item: "item" }),
      },
      after: binds ? [] : before,
      for_each: loops ? `[1..${dice.between(1, 4)}]` : null,
      join: dice.next() < 0.2 ? ("any" as const) : ("all" as const),
    };
  });
  const plan = { steps: dice.shuffled(steps), returns: ids, on_error: "continue" as const };
  const tools = {
    plain: { echo: true, takes_ms: dice.between(0, 20) },
    slow: { echo: true, takes_ms: dice.between(20, 90) },
    flaky: { echo: true, takes_ms: 5, fails_first: 1 },
    bad: { fails: "broken", takes_ms: dice.between(0, 20) },
  };
  return [plan, tools];
}

const POLICY = { retry: { flaky: { attempts: 2, backoff_s: 0.01 } }, max_concurrency: 2 };

test.each(Array.from({ length: 200 }, (_, seed) => seed))(
  "a random plan with random gates ends as without them: %i",
  async (seed) => {
    const dice = new Dice(seed);
    const [plan, spec] = randomPlan(dice);
    const free = new Bench(spec);
    const wanted = await free.run(plan, { policy: POLICY });
    const gated = Object.entries(spec).map(
      ([name, tool]) => [name, { ...tool, gate: dice.next() < 0.6 }] as const,
    );
    const bench = new Bench(Object.fromEntries(gated));
    const made: string[] = [];
    let result: PlanResult | undefined;
    let resume: CheckpointInput | undefined;
    let answers: Record<string, StubReply> = {};
    while (result === undefined) {
      const asked = bench.tools.calls.length;
      const options = { policy: POLICY, resume };
      const ended = await bench.run(plan, options, answers).catch((error: unknown) => error);
      const tried = bench.tools.calls.slice(asked).map(attemptName);
      if (ended instanceof PlanPaused) {
        const open = new Set(ended.waiting.map(attemptName));
        made.push(...tried.filter((name) => !open.has(name)));
        resume = JSON.parse(JSON.stringify(ended.checkpoint)) as CheckpointInput;
        const names = dice.shuffled(ended.waiting.map(callName));
        const told = names.slice(0, dice.between(1, names.length));
        answers = Object.fromEntries(told.map((name) => [name, true]));
      } else if (ended instanceof Error) {
        throw ended;
      } else {
        made.push(...tried);
        result = ended as PlanResult;
      }
    }
    expect(made.sort()).toEqual(free.tools.calls.map(attemptName).sort());
    expect(outcome(result)).toEqual(outcome(wanted));
  },
);

function attemptName(call: StepCall): string {
  return `${callName(call)} ${call.attempt}`;
}

/** All of a result but how long it took. */
function outcome(result: PlanResult): object {
  return { ...result, ledger: result.ledger.map((entry) => ({ ...entry, duration_ms: 0 })) };
}
