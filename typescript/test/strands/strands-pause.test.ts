/** A step that needs a person's answer pauses its plan, which goes on with the answer. */

import {
  type Agent,
  BeforeToolCallEvent,
  FunctionTool,
  InterruptResponseContent,
  type JSONValue,
} from "@strands-agents/sdk";
import { describe, expect, test, vi } from "vitest";
import type { PlanEvent } from "../../src/events.js";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { type Turn, toolCall } from "../../src/testing/scripted-model.js";
import { asked, gate, keptPlans, Ran, replies, stateOf } from "./pause-agents.js";
import {
  answer,
  functionTool,
  modelOf,
  planAgent,
  Signal,
  type Step,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const OTHER: Step = { id: "q", tool: "pay", args: { value: 6 } };
const AFTER: Step = { id: "a", tool: "read", bind: { value: "steps.p.paid" } };

type Options = Parameters<typeof planAgent>[1];

function gated(ran: Ran, turns: readonly Turn[], options: Options = {}): Agent {
  return gate(planAgent(turns, { tools: ran.tools, ...options }), "pay");
}

describe.each(["concurrent", "sequential"] as const)("with the %s executor", (toolExecutor) => {
  test("a gated step pauses the plan and the answer lets it go on", async () => {
    const ran = new Ran();
    const plan = submit([READ, PAY, AFTER], { returns: ["r", "a"] });
    const agent = gated(ran, [plan, "done"], { toolExecutor });
    const waits = await agent.invoke("go");
    expect(asked(waits)).toEqual(["p"]);
    expect(waits.interrupts?.map(({ reason }) => reason)).toEqual([{ value: 5 }]);
    expect(ran.calls).toEqual({ "read 1": 1 });
    const result = await agent.invoke(replies(waits, { p: "yes" }));
    expect(String(result)).toBe("done");
    expect(answer(agent)).toBe('{"r":{"value":1},"a":{"value":5}}');
    expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1, "read 5": 1 });
    expect([modelOf(agent).calls, stateOf(agent)]).toEqual([2, undefined]);
  });

  test("all that can be asked is asked at once, and what needs it later", async () => {
    const ran = new Ran();
    const third = { id: "t", tool: "pay", bind: { value: "steps.p.paid + steps.q.paid" } };
    const plan = submit([PAY, OTHER, third], { returns: ["t"] });
    const agent = gated(ran, [plan, "done"], { toolExecutor });
    const waits = await agent.invoke("go");
    expect(asked(waits)).toEqual(["p", "q"]);
    const again = await agent.invoke(replies(waits, { p: "yes", q: "yes" }));
    expect(asked(again)).toEqual(["t"]);
    await agent.invoke(replies(again, { t: "yes" }));
    expect(answer(agent)).toBe('{"t":{"paid":11}}');
    expect(ran.calls).toEqual({ "pay 5": 1, "pay 6": 1, "pay 11": 1 });
  });

  test("what is left unanswered is asked again and the rest goes on", async () => {
    const ran = new Ran();
    const plan = submit([PAY, OTHER, AFTER], { returns: ["a", "q"] });
    const agent = gated(ran, [plan, "done"], { toolExecutor });
    const waits = await agent.invoke("go");
    const again = await agent.invoke(replies(waits, { p: "yes" }));
    expect(asked(again)).toEqual(["q"]);
    expect(ran.calls).toEqual({ "pay 5": 1, "read 5": 1 });
    await agent.invoke(replies(again, { q: "yes" }));
    expect(answer(agent)).toBe('{"a":{"value":5},"q":{"paid":6}}');
    expect(ran.calls).toEqual({ "pay 5": 1, "read 5": 1, "pay 6": 1 });
  });

  test("a plan waits beside other calls of the turn that wait", async () => {
    const ran = new Ran();
    const calls = [
      toolCall("read", { value: 2 }),
      toolCall("pay", { value: 1 }),
      submit([READ, PAY, AFTER], { returns: ["a"] }),
      toolCall("pay", { value: 3 }),
    ];
    const agent = gated(ran, [calls, "done"], { toolExecutor });
    let result = await agent.invoke("go");
    const rounds: string[][] = [];
    while (result.stopReason === "interrupt") {
      rounds.push(asked(result).toSorted());
      result = await agent.invoke(replies(result, { plan: "yes", p: "yes" }));
    }
    expect(rounds).toEqual(
      // One tool at a time: nothing is begun behind a call that waits.
      toolExecutor === "sequential" ? [["plan"], ["p"], ["plan"]] : [["p", "plan", "plan"]],
    );
    expect(ran.calls).toEqual({
      "read 2": 1,
      "pay 1": 1,
      "read 1": 1,
      "pay 5": 1,
      "read 5": 1,
      "pay 3": 1,
    });
    expect(texts(agent)[2]).toBe('{"a":{"value":5}}');
    expect(stateOf(agent)).toBeUndefined();
  });

  test("a plan that ended beside a call that waits is not run again", async () => {
    const ran = new Ran();
    const calls = [submit([READ], { returns: ["r"] }), toolCall("pay", { value: 1 })];
    const agent = gated(ran, [calls, "done"], { toolExecutor });
    const waits = await agent.invoke("go");
    await agent.invoke(replies(waits, { plan: "yes" }));
    expect(ran.calls).toEqual({ "read 1": 1, "pay 1": 1 });
  });

  test("a plan whose call as such waits begins with the answer", async () => {
    const ran = new Ran();
    const agent = planAgent([submit([READ, PAY], { returns: ["p"] }), "done"], {
      tools: ran.tools,
      toolExecutor,
    });
    gate(agent, TOOL_NAME, "pay");
    const first = await agent.invoke("go");
    expect([asked(first), ran.calls]).toEqual([["plan"], {}]);
    const second = await agent.invoke(replies(first, { plan: "yes" }));
    expect([asked(second), ran.calls]).toEqual([["p"], { "read 1": 1 }]);
    await agent.invoke(replies(second, { p: "yes" }));
    expect([answer(agent), stateOf(agent)]).toEqual(['{"p":{"paid":5}}', undefined]);
    expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
  });

  test("a step that is not needed any more is not asked about again", async () => {
    const ran = new Ran();
    const calls = [submit([PAY, OTHER], { returns: ["p"] }), toolCall("pay", { value: 7 })];
    const agent = gated(ran, [calls, "done"], {
      toolExecutor,
      plugin: new WorkflowPlanPlugin({ policy: { max_concurrency: 1 } }),
    });
    const waits = await agent.invoke("go");
    const again = await agent.invoke(replies(waits, { p: "no" }));
    expect(asked(again)).toEqual(["plan"]);
    await agent.invoke(replies(again, { plan: "yes" }));
    expect(texts(agent)[0]).toBe("p failed (tool_failed): no\nq skipped");
    expect(ran.calls).toEqual({ "pay 7": 1 });
  });
});

describe("while a step waits", () => {
  test("steps in flight end and independent ones go on", async () => {
    const ran = new Ran();
    const log: string[] = [];
    const asking = new Signal();
    const slow = functionTool("slow", async () => {
      await asking.wait();
      log.push("slow");
      return 1;
    });
    const steps = [
      PAY,
      AFTER,
      { id: "s", tool: "slow" },
      { id: "t", tool: "read", bind: { value: "steps.s" } },
    ];
    const agent = planAgent([submit(steps, { returns: ["a", "t"] }), "done"], {
      tools: [...ran.tools, slow],
    });
    agent.addHook(BeforeToolCallEvent, (event) => {
      if (event.toolUse.name !== "pay") return;
      asking.set();
      event.interrupt({ name: "approval" });
    });
    const waits = await agent.invoke("go");
    expect([asked(waits), log, ran.calls]).toEqual([["p"], ["slow"], { "read 1": 1 }]);
    await agent.invoke(replies(waits, { p: "anything" }));
    expect(log).toEqual(["slow"]);
    expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1, "read 5": 1 });
  });

  test("a list that is half done keeps its items and goes on where it was", async () => {
    const ran = new Ran();
    const list = { id: "l", tool: "pay", for_each: "[1, 2, 3, 4]", bind: { value: "item" } };
    const agent = planAgent([submit([list], { returns: ["l"] }), "done"], { tools: ran.tools });
    agent.addHook(BeforeToolCallEvent, (event) => {
      const { value } = event.toolUse.input as { readonly value?: number };
      if (value !== undefined && value % 2 === 0) event.interrupt({ name: "approval" });
    });
    const waits = await agent.invoke("go");
    expect([asked(waits), ran.calls]).toEqual([["l-1", "l-3"], { "pay 1": 1, "pay 3": 1 }]);
    const again = await agent.invoke(replies(waits, { "l-3": "yes" }));
    expect(asked(again)).toEqual(["l-1"]);
    await agent.invoke(replies(again, { "l-1": "yes" }));
    expect(answer(agent)).toBe('{"l":[{"paid":1},{"paid":2},{"paid":3},{"paid":4}]}');
    expect(ran.calls).toEqual({ "pay 1": 1, "pay 2": 1, "pay 3": 1, "pay 4": 1 });
  });

  test("failures and skips stay as they were and are told once", async () => {
    const events: PlanEvent[] = [];
    const ran = new Ran();
    const steps = [
      { id: "f", tool: "fail" },
      { id: "n", tool: "read", after: ["f"] },
      { id: "w", tool: "read", when: "false" },
      PAY,
    ];
    const plan = submit(steps, { returns: ["p"], on_error: "continue" });
    const agent = gated(ran, [plan, "done"], {
      plugin: new WorkflowPlanPlugin({ onEvent: (event) => events.push(event) }),
    });
    const waits = await agent.invoke("go");
    await agent.invoke(replies(waits, { p: "yes" }));
    expect(answer(agent).split("\n")).toEqual([
      '{"p":{"paid":5}}',
      "f failed (tool_failed): no such thing",
      "w not taken",
      "n skipped",
      "Ran ok, kept for a corrected plan: p",
    ]);
    expect(ran.calls).toEqual({ "fail 0": 1, "pay 5": 1 });
    expect(events.map(({ step_id, kind }) => `${step_id} ${kind}`)).toEqual([
      "w not_taken",
      "f start",
      "p start",
      "p waiting",
      "f failed",
      "n skipped",
      "p start",
      "p ok",
    ]);
    const times = events.map(({ at_ms }) => at_ms);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(events.map(({ run_id }) => run_id)).size).toBe(1);
  });
});

test("two plans of one turn wait together and each goes on with its own", async () => {
  const ran = new Ran();
  const other = { ...PAY, args: { value: 6 } };
  const plans = [submit([READ, PAY], { returns: ["p"] }), submit([other], { returns: ["p"] })];
  const agent = gated(ran, [plans, "done"]);
  const waits = await agent.invoke("go");
  const ids = (waits.interrupts ?? []).map(({ id }) => id);
  expect(ids.map((id) => id.split(":")[2]).toSorted()).toEqual(["call_1_0__p", "call_1_1__p"]);
  expect(keptPlans(agent).toSorted()).toEqual(["call_1_0", "call_1_1"]);
  const interruptId = ids.find((id) => id.includes("call_1_1")) ?? "";
  const again = await agent.invoke([
    new InterruptResponseContent({ interruptId, response: "yes" }),
  ]);
  expect([asked(again), keptPlans(agent)]).toEqual([["p"], ["call_1_0"]]);
  await agent.invoke(replies(again, { p: "no, thanks" }));
  expect(texts(agent)).toEqual([
    "p failed (tool_failed): no, thanks\nRan ok, kept for a corrected plan: r",
    '{"p":{"paid":6}}',
  ]);
  expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 6": 1 }, undefined]);
});

test("a final plan ends the turn after it was answered", async () => {
  const ran = new Ran();
  const output = "'Paid ' & $string(steps.p.paid)";
  const agent = gated(ran, [submit([PAY], { output, final: true })]);
  const waits = await agent.invoke("go");
  const result = await agent.invoke(replies(waits, { p: "yes" }));
  expect([String(result), modelOf(agent).calls]).toEqual(["Paid 5", 1]);
});

test("the agent works on as ever after a plan that waited", async () => {
  const ran = new Ran();
  const agent = gated(ran, [
    submit([PAY], { returns: ["p"] }),
    "one",
    submit([READ, PAY], { returns: ["p"] }),
    "two",
  ]);
  await agent.invoke(replies(await agent.invoke("go"), { p: "yes" }));
  const waits = await agent.invoke("again");
  expect([asked(waits), ran.calls]).toEqual([["p"], { "pay 5": 1, "read 1": 1 }]);
  expect(String(await agent.invoke(replies(waits, { p: "yes" })))).toBe("two");
  expect(ran.calls).toEqual({ "pay 5": 2, "read 1": 1 });
});

test("a plan that waits for nothing leaves the agent's state alone", async () => {
  const agent = planAgent([submit([READ, PAY], { returns: ["p"] }), "done"], {
    tools: new Ran().tools,
  });
  const set = vi.spyOn(agent.appState, "set");
  await agent.invoke("go");
  expect([answer(agent), set.mock.calls]).toEqual(['{"p":{"paid":5}}', []]);
});

test("a second plan of the turn may wait after a first one did", async () => {
  const ran = new Ran();
  const agent = gated(ran, [
    submit([PAY], { returns: ["p"] }),
    submit([READ, OTHER], { returns: ["q"] }),
    "done",
  ]);
  const first = await agent.invoke("go");
  const second = await agent.invoke(replies(first, { p: "yes" }));
  expect([asked(second), keptPlans(agent)]).toEqual([["q"], ["call_2_0"]]);
  await agent.invoke(replies(second, { q: "yes" }));
  expect([ran.calls, stateOf(agent)]).toEqual([
    { "pay 5": 1, "read 1": 1, "pay 6": 1 },
    undefined,
  ]);
});

describe("a plan that cannot wait says so", () => {
  test("when there is no model", async () => {
    const ran = new Ran();
    const plugin = new WorkflowPlanPlugin();
    const agent = gated(ran, [], { plugin });
    const plan = { steps: [PAY], returns: ["p"] };
    const result = await plugin.runPlan(plan as never, { agent });
    expect(result.ledger.map(({ error }) => error)).toEqual([
      "it needs a person's answer ('approval'), and a plan cannot wait for one. Call this " +
        "tool by itself, outside of a plan.",
    ]);
    expect([ran.calls, stateOf(agent)]).toEqual([{}, undefined]);
  });

  test("in the background", async () => {
    const ran = new Ran();
    const fields = { returns: ["r"], on_error: "continue", _background_execution: true };
    const agent = gated(ran, [submit([PAY, READ], fields), "waiting", "done"], {
      backgroundTasks: true,
    });
    await agent.invoke("go");
    const told = JSON.stringify(toolResults(agent).at(-1));
    expect(told).toContain("a plan cannot wait for one");
    expect(ran.calls).toEqual({ "read 1": 1 });
  });

  test("when a program calls the plan tool", async () => {
    const ran = new Ran();
    const agent = gated(ran, []);
    await agent.initialize();
    const result = await agent.tool[TOOL_NAME]?.invoke({
      steps: [PAY],
      returns: ["p"],
    } as Record<string, JSONValue>);
    expect(JSON.stringify(result)).toContain("a plan cannot wait for one");
    expect([ran.calls, stateOf(agent)]).toEqual([{}, undefined]);
  });
});

test("a plan in the foreground may wait where others run in the background", async () => {
  const ran = new Ran();
  const agent = gated(ran, [submit([PAY], { returns: ["p"] }), "done"], {
    backgroundTasks: true,
  });
  const waits = await agent.invoke("go");
  await agent.invoke(replies(waits, { p: "yes" }));
  expect([answer(agent), ran.calls]).toEqual(['{"p":{"paid":5}}', { "pay 5": 1 }]);
});

test("a plan may run in a tool while the agent is resumed", async () => {
  const ran = new Ran();
  const plugin = new WorkflowPlanPlugin();
  const stored = new FunctionTool({
    name: "stored",
    description: "Run a stored plan.",
    callback: async (_, { agent }) => {
      const plan = { steps: [READ], returns: ["r"] };
      return (await plugin.runPlan(plan as never, { agent })).returned as JSONValue;
    },
  });
  const agent = planAgent([submit([{ id: "s", tool: "stored" }], { returns: ["s"] }), "done"], {
    tools: [...ran.tools, stored],
    plugin,
  });
  gate(agent, "stored");
  const waits = await agent.invoke("go");
  await agent.invoke(replies(waits, { s: "yes" }));
  expect(answer(agent)).toBe('{"s":{"r":{"value":1}}}');
  expect(toolResults(agent).length).toBe(1);
});
