/** The order of a run as a machine: reports go in, actions come out, no loop and no clock. */

import { describe, expect, test } from "vitest";
import type { Action } from "../src/executor/actions.js";
import { Pace } from "../src/executor/pace.js";
import type { Attempt } from "../src/executor/progress.js";
import { ProfileEngine, Readings } from "../src/executor/readings.js";
import { Schedule } from "../src/executor/schedule.js";
import { done, type Work } from "../src/executor/waiting.js";
import type { PolicyInput } from "../src/models.js";
import { Recorder } from "../src/testing/index.js";
import { checkPlan, type PlanGiven } from "../src/validate/index.js";
import type { Members } from "../src/values/index.js";

const CHAIN = [
  { id: "a", tool: "t" },
  { id: "b", tool: "t", after: ["a"] },
];

/** A schedule with all that it leans on. */
class Bench {
  readonly results: Members = {};
  readonly told = new Recorder();
  readonly schedule: Schedule;

  constructor(steps: readonly object[], policy: PolicyInput = {}, pace?: Pace) {
    const checked = checkPlan({ steps, returns: ["a"] } as PlanGiven, { policy });
    const readings = new Readings(checked, new ProfileEngine(checked, this.results, {}));
    const options = { runId: "r", onEvent: this.told.onEvent };
    this.schedule = new Schedule(checked, readings, this.results, options, pace);
  }

  get statuses(): readonly unknown[] {
    return this.schedule.steps.map(({ status }) => status);
  }
}

function actions(work: Work<Action[]>): Action[] {
  const made = done(work);
  if (!Array.isArray(made)) throw new Error("nothing here has to be waited for");
  return made;
}

function started(work: Work<Action[]>): Attempt[] {
  return actions(work).flatMap((action) => (action.kind === "start" ? action.attempt : []));
}

describe("a schedule", () => {
  test("starts what waited for a result", () => {
    const { schedule, results, told } = new Bench(CHAIN);
    const [first] = started(schedule.begin(10)) as [Attempt];
    const [second] = started(schedule.returned(first, { v: 1 }, 11)) as [Attempt];
    expect(second.sent.step_id).toBe("b");
    expect(actions(schedule.returned(second, 2, 12.5))).toEqual([]);
    expect(schedule.finished).toBe(true);
    expect(results).toEqual({ a: { v: 1 }, b: 2 });
    expect(told.timeline).toEqual([
      [0, "start", "a"],
      [1000, "ok", "a"],
      [1000, "start", "b"],
      [2500, "ok", "b"],
    ]);
  });

  test("is changed by no report that comes late", () => {
    const bench = new Bench([
      { id: "a", tool: "t" },
      { id: "b", tool: "t" },
    ]);
    const { schedule } = bench;
    const [late, other] = started(schedule.begin(0)) as [Attempt, Attempt];
    expect(actions(schedule.overdue(late, 1))).toMatchObject([{ kind: "stop", attempt: late }]);
    for (const report of [
      schedule.returned(late, 1, 2),
      schedule.raised(late, "too late", 2),
      schedule.overdue(late, 2),
      schedule.rested(late.call, 2),
    ]) {
      expect(actions(report)).toEqual([]);
    }
    expect(actions(schedule.returned(other, 1, 3))).toEqual([]);
    expect(actions(schedule.expired(4))).toEqual([]);
    expect(bench.statuses).toEqual(["failed", "ok"]);
    expect(schedule.steps[0]?.fault?.code).toBe("timeout");
  });

  test("lets a failed attempt rest and starts it again", () => {
    const policy = { retry: { t: { attempts: 2, backoff_s: 3 } } };
    const bench = new Bench([{ id: "a", tool: "t" }], policy);
    const { schedule } = bench;
    const [first] = started(schedule.begin(0)) as [Attempt];
    const rest = { kind: "rest", call: first.call, seconds: 3 };
    expect(actions(schedule.raised(first, "no", 1))).toEqual([rest]);
    const [second] = started(schedule.rested(first.call, 4)) as [Attempt];
    expect([second.sent.attempt, second.sent.key]).toEqual([2, first.sent.key]);
    expect(actions(schedule.rested(first.call, 4))).toEqual([]);
    expect(actions(schedule.raised(second, "no", 5))).toEqual([]);
    expect(bench.statuses).toEqual(["failed"]);
  });

  test("stops what runs when the plan's deadline comes", () => {
    const bench = new Bench(CHAIN);
    const [first] = started(bench.schedule.begin(0)) as [Attempt];
    const stop = { kind: "stop", attempt: first };
    expect(actions(bench.schedule.expired(1))).toMatchObject([stop]);
    expect(bench.statuses).toEqual(["failed", "skipped"]);
  });

  test("tells of each attempt that ran when it is cancelled, and ends no step", () => {
    const bench = new Bench(CHAIN);
    const [first] = started(bench.schedule.begin(0)) as [Attempt];
    bench.schedule.cancelled(1);
    const last = bench.told.events.at(-1);
    expect(last).toMatchObject({ kind: "cancelled", step_id: "a", code: "cancelled" });
    expect(actions(bench.schedule.returned(first, 1, 2))).toEqual([]);
    expect(bench.statuses).toEqual([undefined, undefined]);
  });

  test("winds a long plan up in one pass after a failure", () => {
    const count = 3000;
    const steps = Array.from({ length: count }, (_, n) => ({
      id: n ? `s${n}` : "a",
      tool: "t",
    }));
    const bench = new Bench(steps, { max_steps: count });
    const first = started(bench.schedule.begin(0));
    expect(first.length).toBe(16);
    for (const attempt of first) {
      expect(started(bench.schedule.raised(attempt, "no", 1))).toEqual([]);
    }
    const wanted = [...Array(16).fill("failed"), ...Array(count - 16).fill("skipped")];
    expect(bench.statuses).toEqual(wanted);
  });
});

describe("a schedule that must stop between evaluations", () => {
  test("keeps what was ready before a turn ahead of what became ready in it", () => {
    let time = 0;
    // So long that only the first evaluation after a turn is within the time.
    const pace = new Pace(() => {
      time += 0.015;
      return time;
    }, null);
    const steps = [
      { id: "late", tool: "t", after: ["a"] },
      { id: "a", tool: "t" },
      { id: "b", tool: "t" },
    ];
    const { schedule } = new Bench(steps, { max_concurrency: 1 }, pace);
    const held = (report: () => Work<Action[]>): Action[] => {
      pace.enter();
      const made = actions(report());
      pace.leave();
      return made;
    };
    expect(held(() => schedule.begin(0))).toEqual([{ kind: "turn" }]);
    expect(held(() => schedule.resumed(1))).toEqual([{ kind: "turn" }]);
    const [start] = held(() => schedule.resumed(2));
    if (start?.kind !== "start") throw new Error("nothing started");
    const first = start.attempt;
    // It ends while a turn is asked for: nothing is evaluated until that is over.
    expect(held(() => schedule.returned(first, 1, 3))).toEqual([{ kind: "turn" }]);
    const order = [first.sent.step_id];
    let running: Attempt | undefined;
    while (!schedule.finished) {
      const ended = running;
      const made = held(() =>
        ended === undefined ? schedule.resumed(4) : schedule.returned(ended, 1, 4),
      );
      running = made.flatMap((action) => (action.kind === "start" ? action.attempt : []))[0];
      if (running !== undefined) order.push(running.sent.step_id);
    }
    expect(order).toEqual(["a", "b", "late"]);
  });

  test("evaluates nothing once the plan is over, and asks for no turn", () => {
    let time = 0;
    const pace = new Pace(() => time, 5);
    const policy = { plan_timeout_s: 5 };
    const inTime = new Bench(CHAIN, policy, pace).schedule;
    const [first] = started(inTime.begin(0)) as [Attempt];
    time = 5;
    // At the very moment the timer is to tell.
    const [second] = started(inTime.returned(first, 1, 5)) as [Attempt];
    expect(second.sent.step_id).toBe("b");
    time = 0;
    const late = new Bench(CHAIN, policy, pace);
    const [only] = started(late.schedule.begin(0)) as [Attempt];
    time = 5.5;
    expect(actions(late.schedule.returned(only, 1, 5.5))).toEqual([]);
    expect(late.statuses).toEqual(["ok", "skipped"]);
  });
});
