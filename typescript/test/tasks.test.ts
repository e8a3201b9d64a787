/** Task plans: what cases do not show of the check and of the run. */

import { describe, expect, test } from "vitest";
import { PlanError } from "../src/errors.js";
import type { PlanEvent } from "../src/events.js";
import { TaskPlan, type TaskStepInput } from "../src/models.js";
import { checkTasks, MAX_TASKS, runTasks, taskLevels } from "../src/tasks/index.js";
import { VirtualClock } from "../src/testing/index.js";

function plan(...steps: readonly TaskStepInput[]): TaskPlan {
  return TaskPlan.parse({ steps });
}

const step = (id: string, ...depends_on: string[]) => ({
  id,
  instruction: `Do ${id}.`,
  depends_on,
});
const PAIR = plan(step("a"), step("b", "a"));

describe("the check", () => {
  test("allows six steps unless the host says otherwise", () => {
    expect(MAX_TASKS).toBe(6);
  });

  test("says everything of a refused plan, the whole diagnostic", () => {
    expect(checkTasks(plan(step("a"), step("b")))).toEqual([
      {
        code: "loose_ends",
        path: "/steps",
        message:
          'no step needs "a", "b", and a plan has one final step that needs all others, ' +
          "directly or through others",
        hint:
          'make "b" the final step: write "depends_on": ["a"] in step "b"; or add a final ' +
          'step with "depends_on": ["a","b"]',
      },
    ]);
  });

  test("takes a member that is undefined for one that is not there", () => {
    const one = { id: "a", instruction: "Do a.", depends_on: undefined };
    expect(checkTasks({ steps: [one] })).toEqual([]);
    const found = checkTasks({ steps: [{ ...one, instruction: undefined }] });
    expect(found.map(({ hint }) => hint)).toEqual(['add "instruction": what to do']);
  });

  test("knows a step by a name that every object has", () => {
    const odd = plan(step("constructor"), step("to_string", "constructor"));
    expect(checkTasks(odd)).toEqual([]);
    expect(taskLevels(odd)).toEqual([["constructor"], ["to_string"]]);
  });

  test("is quick with the most steps that there may be, each needing the one before", () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `s${at}`);
    const chain = ids.map((id, at) => step(id, ...ids.slice(Math.max(at - 1, 0), at)));
    expect(checkTasks({ steps: chain }, { maxSteps: 10_000 })).toEqual([]);
  });
});

describe("a run", () => {
  test("of a refused plan throws, and does nothing", async () => {
    const done: string[] = [];
    const refused = runTasks(plan(step("a"), step("b")), ({ id }) => done.push(id));
    await expect(refused).rejects.toThrow(PlanError);
    expect(done).toEqual([]);
  });

  test("takes nothing for null", async () => {
    const given: unknown[] = [];
    const run = await runTasks(PAIR, (_, results) => {
      given.push(results);
    });
    expect([run.results, given]).toEqual([{ a: null, b: null }, [{}, { a: null }]]);
  });

  test.each([false, true])("refuses a result that is no JSON (waves: %s)", async (waves) => {
    const run = await runTasks(PAIR, () => Number.NaN, { waves });
    expect(Object.keys(run.failed)).toEqual(["a"]);
    expect([run.results, run.skipped, run.waves]).toEqual([{}, ["b"], [["a"]]]);
  });

  test.each([false, true])("ends with the reason of its signal (waves: %s)", async (waves) => {
    const stop = new AbortController();
    const reason = new Error("used up");
    const begun: string[] = [];
    const seen: PlanEvent[] = [];
    const running = runTasks(
      PAIR,
      ({ id }) => {
        begun.push(id);
        stop.abort(reason);
        throw reason;
      },
      { waves, signal: stop.signal, onEvent: (event) => seen.push(event) },
    );
    await expect(running).rejects.toBe(reason);
    expect(begun).toEqual(["a"]);
    expect(seen.map(({ kind }) => kind)).toEqual(["start", "cancelled"]);
  });

  test("tells the step when nobody waits for it any more", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    let told: unknown;
    const running = clock.run(() =>
      runTasks(
        PAIR,
        (_, __, signal) => {
          signal.addEventListener("abort", () => {
            told = signal.reason;
          });
          void clock.sleep(1).then(() => stop.abort("late"));
          return clock.sleep(5, signal);
        },
        { clock, signal: stop.signal },
      ),
    );
    await expect(running).rejects.toBe("late");
    expect([told, clock.now()]).toEqual(["late", 1]);
  });

  test("in waves gives its events one run and one time", async () => {
    const clock = new VirtualClock();
    const seen: PlanEvent[] = [];
    const options = { waves: true, clock, onEvent: (event: PlanEvent) => seen.push(event) };
    await clock.run(() => runTasks(PAIR, () => clock.sleep(2), options));
    expect(seen.map(({ at_ms, kind, step_id }) => [at_ms, kind, step_id])).toEqual([
      [0, "start", "a"],
      [2000, "ok", "a"],
      [2000, "start", "b"],
      [4000, "ok", "b"],
    ]);
    expect(new Set(seen.map(({ run_id }) => run_id)).size).toBe(1);
  });
});
