/** What a run tells while it goes on. */

import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { OnEvent, PlanEvent } from "../src/events.js";
import { type ExecuteOptions, executePlan } from "../src/executor/index.js";
import type { PlanResult } from "../src/models.js";
import { Recorder, StubTools, VirtualClock } from "../src/testing/index.js";

const PLAN = {
  steps: [
    { id: "a", tool: "flaky" },
    { id: "f", tool: "t", for_each: "[1, 2]", bind: { n: "item" } },
    { id: "b", tool: "t", after: ["a"], when: "1 = 2" },
  ],
  returns: ["a"],
  on_error: "continue" as const,
};
const TOOLS = {
  flaky: { returns: 1, takes_ms: 10, fails_first: 1, fails: "not yet" },
  t: {
    by_args: [
      { args: { n: 1 }, returns: 1, takes_ms: 1.5 },
      { args: { n: 2 }, fails: "two is bad", takes_ms: 2 },
    ],
  },
};
const policy = { retry: { flaky: { attempts: 2, backoff_s: 1 } } };

async function run(onEvent?: OnEvent, more: ExecuteOptions = {}): Promise<PlanResult> {
  const clock = new VirtualClock();
  const tools = new StubTools(TOOLS, { clock });
  const options = { policy, runId: "r", onEvent, clock, ...more };
  return await clock.run(() => executePlan(PLAN, tools, options));
}

function event(
  kind: PlanEvent["kind"],
  step_id: string,
  tool: string,
  at_ms: number,
  more: Partial<PlanEvent> = {},
): PlanEvent {
  const nothing = { index: null, attempt: null, code: null, error: null };
  return { kind, run_id: "r", step_id, tool, at_ms, ...nothing, ...more };
}

describe("a run", () => {
  test("tells of every start and end in order, with what it is about", async () => {
    const recorder = new Recorder();
    await run(recorder.onEvent);
    const two = { code: "tool_failed", error: "two is bad" } as const;
    const notYet = { code: "tool_failed", error: "not yet" } as const;
    expect(recorder.events).toEqual([
      event("start", "a", "flaky", 0, { attempt: 1 }),
      event("start", "f", "t", 0, { index: 0, attempt: 1 }),
      event("start", "f", "t", 0, { index: 1, attempt: 1 }),
      event("ok", "f", "t", 1.5, { index: 0, attempt: 1 }),
      event("failed", "f", "t", 2, { index: 1, attempt: 1, ...two }),
      event("ok", "f", "t", 2),
      event("retry", "a", "flaky", 10, { attempt: 1, ...notYet }),
      event("start", "a", "flaky", 1010, { attempt: 2 }),
      event("ok", "a", "flaky", 1020),
      event("not_taken", "b", "t", 1020),
    ]);
    expect(recorder.timeline.slice(3, 6)).toEqual([
      [1.5, "ok", "f", 0],
      [2, "failed", "f", 1],
      [2, "ok", "f"],
    ]);
  });

  test("loses neither itself nor later events to a listener that throws", async () => {
    const seen: PlanEvent[] = [];
    const errors: unknown[] = [];
    const gone = new Error("the progress bar is gone");
    const fails = (each: PlanEvent): void => {
      seen.push(each);
      throw gone;
    };
    const told = new Recorder();
    const result = await run(told.onEvent);
    expect(await run(fails)).toEqual(result);
    expect(await run(fails, { onEventError: (...of) => errors.push(of) })).toEqual(result);
    expect(seen).toEqual([...told.events, ...told.events]);
    expect(errors).toEqual([[gone, told.events[0]]]);
  });

  test("goes on where what hears of a listener's error throws as well", async () => {
    const seen: PlanEvent[] = [];
    const fails = (each: PlanEvent): void => {
      seen.push(each);
      throw new Error("the progress bar is gone");
    };
    const onEventError = (error: unknown): never => {
      throw error;
    };
    const told = new Recorder();
    const result = await run(told.onEvent);
    expect(await run(fails, { onEventError })).toEqual(result);
    expect(seen).toEqual(told.events);
  });

  test("hears the promise that a listener gives, and lets none reject unheard", async () => {
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    onTestFinished(() => void process.off("unhandledRejection", unheard));
    const gone = new Error("the progress bar is gone");
    const errors: unknown[] = [];
    const told = new Recorder();
    const result = await run(told.onEvent);
    const later = (): Promise<void> => Promise.reject(gone);
    expect(await run((_) => later())).toEqual(result);
    const onEventError = (...of: readonly unknown[]): Promise<void> => {
      errors.push(of);
      return later();
    };
    expect(await run((_) => later(), { onEventError })).toEqual(result);
    // What nobody hears is told once the queue of promises is empty.
    await new Promise(setImmediate);
    expect(errors).toEqual([[gone, told.events[0]]]);
    expect(unheard).not.toHaveBeenCalled();
  });
});
