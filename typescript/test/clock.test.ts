/** Virtual time: what is due fires alone, in order, and takes no real time. */

import { describe, expect, test, vi } from "vitest";
import { SystemClock } from "../src/executor/clock.js";
import { VirtualClock } from "../src/testing/index.js";

async function note(
  log: [name: string, at: number][],
  name: string,
  clock: VirtualClock,
  seconds: number,
): Promise<void> {
  await clock.sleep(seconds);
  log.push([name, clock.now()]);
}

describe("a virtual clock", () => {
  test("passes an hour in a moment, which is exactly an hour", async () => {
    const clock = new VirtualClock();
    const began = performance.now();
    await clock.run(() => clock.sleep(3600));
    expect(clock.now()).toBe(3600);
    expect(performance.now() - began).toBeLessThan(3_600_000);
  });

  test("fires timers by time, and those due together in the order they were set", async () => {
    const clock = new VirtualClock();
    const log: [string, number][] = [];
    const waits = { a: 0.3, b: 0.1, c: 0.3, d: 0.2, e: 0.3 };
    await clock.run(() =>
      Promise.all(Object.entries(waits).map(([name, at]) => note(log, name, clock, at))),
    );
    expect(log).toEqual([
      ["b", 0.1],
      ["d", 0.2],
      ["a", 0.3],
      ["c", 0.3],
      ["e", 0.3],
    ]);
  });

  test("lets a timer have all its consequences before the next that is due with it", async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const first = async (): Promise<void> => {
      await clock.sleep(1);
      for (let turn = 0; turn < 500; turn += 1) await null;
      log.push("first");
    };
    const second = async (): Promise<void> => {
      await clock.sleep(1);
      log.push("second");
    };
    await clock.run(() => Promise.all([first(), second()]));
    expect(log).toEqual(["first", "second"]);
  });

  test("lets a sleep of no time wait behind timers that are due already", async () => {
    const clock = new VirtualClock();
    const log: [string, number][] = [];
    await clock.run(() =>
      Promise.all([note(log, "early", clock, 0), note(log, "late", clock, 0)]),
    );
    expect(log).toEqual([
      ["early", 0],
      ["late", 0],
    ]);
  });

  test("adds times up evenly", async () => {
    const clock = new VirtualClock();
    const log: [string, number][] = [];
    const twice = async (): Promise<void> => {
      await clock.sleep(0.1);
      await note(log, "sum", clock, 0.2);
    };
    await clock.run(() => Promise.all([twice(), note(log, "whole", clock, 0.3)]));
    expect(log).toEqual([
      ["whole", 0.3],
      ["sum", 0.3],
    ]);
  });

  test("is not moved by a timer that was taken back", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    await clock.run(async () => {
      const waiting = clock.sleep(100, stop.signal);
      await clock.sleep(1);
      stop.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      await expect(clock.sleep(100, stop.signal)).rejects.toThrow("enough");
      await clock.sleep(1);
    });
    expect(clock.now()).toBe(2);
  });

  test("goes on from one run to the next", async () => {
    const clock = new VirtualClock();
    await clock.run(() => clock.sleep(1));
    await clock.run(() => clock.sleep(2));
    expect(clock.now()).toBe(3);
  });

  test("sleeps only in its own run", async () => {
    const other = new VirtualClock();
    await expect(new VirtualClock().run(() => other.sleep(1))).rejects.toThrow("own run");
  });
});

describe("the system's clock", () => {
  test("sleeps until that much time has gone by, and by a timer for 0 seconds too", async () => {
    const clock = new SystemClock();
    const before = clock.now();
    await clock.sleep(0.0125);
    expect(clock.now() - before).toBeGreaterThanOrEqual(0.0125);
    const log: string[] = [];
    const sleeping = clock.sleep(0).then(() => log.push("timer"));
    await null;
    log.push("promise");
    await sleeping;
    expect(log).toEqual(["promise", "timer"]);
  });

  test("takes a timer back when its signal is aborted", async () => {
    const clear = vi.spyOn(globalThis, "clearTimeout");
    const stop = new AbortController();
    const waiting = new SystemClock().sleep(3600, stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect(clear).toHaveBeenCalledOnce();
    clear.mockRestore();
    await expect(new SystemClock().sleep(0, stop.signal)).rejects.toThrow("enough");
  });

  test("waits longer than the platform's timers can", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const clock = new SystemClock();
    const day = 86_400;
    let rang = false;
    void clock.sleep(30 * day).then(() => {
      rang = true;
    });
    await vi.advanceTimersByTimeAsync(29 * day * 1000);
    expect(rang).toBe(false);
    await vi.advanceTimersByTimeAsync(day * 1000 + 1);
    expect(rang).toBe(true);
    vi.useRealTimers();
  });
});
