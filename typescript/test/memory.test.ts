/** What a corrected plan takes over from the plans before it. */

import { describe, expect, test } from "vitest";
import { type ExecuteOptions, executePlan } from "../src/executor/index.js";
import { CallMemory, type CallMemoryJson } from "../src/memory.js";
import { renderForModel } from "../src/render.js";
import { StubTools, VirtualClock } from "../src/testing/index.js";
import { readJson, writeJson } from "../src/testing/json-lines.js";

function taken(memory: CallMemory, tool: string, args: Record<string, unknown> = {}): unknown {
  return memory.take(tool, args)?.result;
}

describe("a memory", () => {
  test("gives what was noted after a batch that failed, and once", () => {
    const memory = new CallMemory();
    memory.note("pay", { n: 1 }, "paid");
    expect(memory.take("pay", { n: 1 })).toBe(undefined);
    memory.settle(true);
    const call = { tool: "pay", args: { n: 1 }, result: "paid" };
    expect(memory.take("pay", { n: 1 })).toStrictEqual(call);
    expect(memory.take("pay", { n: 1 })).toBe(undefined);
  });

  test("forgets everything after a batch that went well", () => {
    const memory = new CallMemory();
    memory.note("pay", {}, 1);
    memory.settle(true);
    memory.note("mail", {}, 2);
    memory.settle(false);
    expect([memory.available, memory.pending]).toEqual([[], []]);
  });

  test("keeps for the next plan what a corrected one did not take", () => {
    const memory = new CallMemory();
    memory.note("pay", {}, 1);
    memory.note("mail", {}, 2);
    memory.settle(true);
    expect(taken(memory, "pay")).toBe(1);
    memory.note("pay", {}, 1);
    memory.settle(true);
    const tools = ["pay", "mail", "pay"];
    expect(tools.map((tool) => taken(memory, tool))).toEqual([1, 2, undefined]);
  });

  test("gives equal calls in the order they were noted", () => {
    const memory = new CallMemory();
    for (const result of ["first", "second"]) memory.note("t", { a: 1, b: 2 }, result);
    memory.settle(true);
    const take = (): unknown => taken(memory, "t", { b: 2, a: 1 });
    expect([take(), take(), take()]).toEqual(["first", "second", undefined]);
  });

  test("keeps only tools that are reusable", () => {
    const memory = new CallMemory((tool) => tool.startsWith("get_"));
    memory.note("pay", {}, 1);
    memory.note("get_user", {}, 2);
    memory.settle(true);
    expect(memory.available).toEqual([{ tool: "get_user", args: {}, result: 2 }]);
  });

  test("has nothing left once it has forgotten", () => {
    const memory = new CallMemory();
    memory.note("a", {}, 1);
    memory.settle(true);
    memory.note("b", {}, 2);
    memory.forget();
    expect(memory.toJson()).toEqual({ available: [], pending: [] });
  });

  test("goes over JSON with every digit", () => {
    const memory = new CallMemory();
    memory.note("a", { id: 9007199254740993n }, [1, null]);
    memory.settle(true);
    memory.note("b", {}, { x: 12345678901234567890n });
    const written = memory.toJson();
    expect(written).toStrictEqual({
      available: [{ tool: "a", args: { id: 9007199254740993n }, result: [1, null] }],
      pending: [{ tool: "b", args: {}, result: { x: 12345678901234567890n } }],
    });
    const again = CallMemory.fromJson(readJson(writeJson(written)) as CallMemoryJson);
    expect(again.toJson()).toEqual(written);
    expect(taken(again, "a", { id: 9007199254740992 })).toBe(undefined);
    expect(taken(again, "a", { id: 9007199254740993n })).toEqual([1, null]);
  });

  test("keeps to what is reusable when it is read", () => {
    const data = { available: [{ tool: "pay", args: {}, result: 1 }] };
    expect(CallMemory.fromJson(data, () => false).take("pay", {})).toBe(undefined);
  });

  test.each<unknown>([
    null,
    [],
    { available: [1] },
    { pending: [{ tool: "a" }] },
    { pending: [{ tool: 1, args: {}, result: 1 }] },
    { pending: [{ tool: "a", args: [], result: 1 }] },
    { available: 1 },
  ])("is read from nothing else: %j", (data) => {
    const words = "this is no memory that toJson wrote";
    expect(() => CallMemory.fromJson(data as CallMemoryJson)).toThrow(new Error(words));
  });
});

describe("a corrected plan", () => {
  const pay = { id: "pay", tool: "pay" };

  test("calls only what did not go well", async () => {
    const clock = new VirtualClock();
    const memory = new CallMemory();
    const spec = {
      pay: { returns: "paid" },
      mail: { by_args: [{ args: { to: 1 }, returns: 1 }] },
    };
    const tools = new StubTools(spec, { clock });
    const plan = (to: number): { steps: { id: string; tool: string }[]; returns: string[] } => {
      const mail = { id: "mail", tool: "mail", args: { to }, after: ["pay"] };
      return { steps: [pay, mail], returns: ["pay", "mail"] };
    };
    const options = { clock, memory };
    const first = await clock.run(() => executePlan(plan(2), tools, options));
    memory.settle(true);
    const second = await clock.run(() => executePlan(plan(1), tools, options));
    memory.settle(false);
    expect(second.ledger.map(({ reused }) => reused)).toEqual([1, 0]);
    expect(second.returned).toEqual({ pay: "paid", mail: 1 });
    expect(tools.calls.map((call) => call.step_id)).toEqual(["pay", "mail", "mail"]);
    expect(renderForModel(first, plan(2), { remembered: ["pay", "mail"] })).toBe(
      '{"pay":"paid"}\n' +
        "mail failed (tool_failed): no answer for these arguments\n" +
        "Ran ok, kept for a corrected plan: pay",
    );
  });

  test("does the steps that are not kept, which are named first", async () => {
    const clock = new VirtualClock();
    const tools = new StubTools({ ok: { returns: 1 }, bad: { fails: "broken" } }, { clock });
    const well = ["a", "b", "c"].map((id) => ({ id, tool: "ok" }));
    const plan = { steps: [...well, { id: "d", tool: "bad", after: ["a"] }], returns: ["d"] };
    const result = await clock.run(() => executePlan(plan, tools, { clock }));
    expect(renderForModel(result, plan, { remembered: new Set(["b"]) })).toBe(
      "d failed (tool_failed): broken\n" +
        "Ran ok, do not repeat: a, c\n" +
        "Ran ok, kept for a corrected plan: b",
    );
  });

  test("finds the arguments as they were before the tool changed them", async () => {
    const clock = new VirtualClock();
    const memory = new CallMemory();
    const tools = new StubTools({ pay: { returns: 1, edits_args: true } }, { clock });
    const plan = { steps: [{ ...pay, args: { to: ["ann"] } }], returns: ["pay"] };
    await clock.run(() => executePlan(plan, tools, { clock, memory }));
    expect(memory.pending).toEqual([{ tool: "pay", args: { to: ["ann"] }, result: 1 }]);
  });

  test("is run with a memory and nothing else", async () => {
    const options = { memory: {} } as ExecuteOptions;
    const running = executePlan({ steps: [pay], returns: ["pay"] }, () => 1, options);
    await expect(running).rejects.toThrow(new TypeError("memory must be a CallMemory"));
  });
});
