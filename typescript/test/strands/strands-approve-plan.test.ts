/** A plan as a whole is approved before anything of it runs. */

import { type Agent, BeforeToolCallEvent, type JSONValue } from "@strands-agents/sdk";
import { expect, test } from "vitest";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import type { Turn } from "../../src/testing/scripted-model.js";
import { asked, gate, Lives, Ran, replies, stateOf } from "./pause-agents.js";
import {
  answer,
  modelOf,
  planAgent,
  refusal,
  type Step,
  submit,
  toolResults,
} from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", bind: { value: "steps.r.value + 4" } };
const PLAN = submit([READ, PAY], { returns: ["p"] });
const OPTIONS = {
  approvePlan: true,
  policy: { effects: { read: "read", pay: "write" } },
} as const;

function approvedAgent(
  ran: Ran,
  turns: readonly Turn[],
  config: Parameters<typeof planAgent>[1] = {},
): Agent {
  return planAgent(turns, {
    tools: ran.tools,
    plugin: new WorkflowPlanPlugin(OPTIONS),
    ...config,
  });
}

test("a person reads what the plan would do before anything runs", async () => {
  const ran = new Ran();
  const waits = await approvedAgent(ran, [PLAN, "done"]).invoke("go");
  const [interrupt, ...more] = waits.interrupts ?? [];
  expect([interrupt?.name, more]).toEqual([TOOL_NAME, []]);
  expect(String(interrupt?.reason).split("\n").slice(0, 2)).toEqual([
    "1. r: read (reads) with value = 1",
    "2. p: pay (writes) with value from steps.r.value + 4",
  ]);
  expect(ran.calls).toEqual({});
});

test.each<[JSONValue]>([[true], ["y"], [" Yes "], [{ approved: true }]])(
  "an approved plan runs: %j",
  async (yes) => {
    const ran = new Ran();
    const agent = approvedAgent(ran, [PLAN, "done"]);
    const waits = await agent.invoke("go");
    await agent.invoke(replies(waits, { plan: yes }));
    expect([answer(agent), modelOf(agent).calls]).toEqual(['{"p":{"paid":5}}', 2]);
    expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 5": 1 }, undefined]);
  },
);

test.each<[JSONValue, string]>([
  [false, ""],
  [null, ""],
  ["", ""],
  ["n", " Answer: n"],
  [" not\n before  Monday ", " Answer: not before  Monday"],
  [{ approved: false }, ""],
  [{ approved: false, reason: "too dear" }, " Answer: too dear"],
  [{ approved: "yes" }, ""],
  [{ limit: 3 }, ' Answer: {"limit":3}'],
  [0, " Answer: 0"],
  ["too \ud800 dear \u{1f600}", " Answer: too \ufffd dear \u{1f600}"],
  ["x".repeat(2000), ` Answer: ${"x".repeat(1000)}…`],
])("a plan that is not approved runs nothing and says why, case %#", async (no, words) => {
  const ran = new Ran();
  const agent = approvedAgent(ran, [PLAN, "I see."]);
  const waits = await agent.invoke("go");
  const result = await agent.invoke(replies(waits, { plan: no }));
  expect([String(result), ran.calls]).toEqual(["I see.", {}]);
  expect(refusal(agent)).toBe(`The plan was not approved and nothing ran.${words}`);
});

test("an approval holds for no other plan", async () => {
  const ran = new Ran();
  const agent = approvedAgent(ran, [submit([READ], { returns: ["r"] }), PLAN, "done"]);
  const first = await agent.invoke("go");
  const second = await agent.invoke(replies(first, { plan: "yes" }));
  expect([asked(second), ran.calls]).toEqual([["plan"], { "read 1": 1 }]);
  await agent.invoke(replies(second, { plan: "no" }));
  expect(ran.calls).toEqual({ "read 1": 1 });
});

test("a plan that is changed after it was approved is asked about anew", async () => {
  const ran = new Ran();
  let isChanged = false;
  const agent = approvedAgent(ran, [PLAN, "done"]);
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (event.toolUse.name !== TOOL_NAME || !isChanged) return;
    const steps = [{ ...READ, args: { value: 1000 } }, PAY] as unknown as JSONValue;
    event.toolUse.input = { steps, returns: ["p"] };
  });
  const first = await agent.invoke("go");
  isChanged = true;
  const second = await agent.invoke(replies(first, { plan: "yes" }));
  expect([asked(second), ran.calls]).toEqual([["plan"], {}]);
  expect(String(second.interrupts?.[0]?.reason)).toContain("value = 1000");
});

test("an approved plan whose steps wait is not asked about again, in any process", async () => {
  const ran = new Ran();
  const lives = new Lives(ran.tools, OPTIONS);
  const first = await lives.agent([PLAN]).invoke("go");
  expect([asked(first), ran.calls]).toEqual([["plan"], {}]);
  const second = await lives.agent().invoke(replies(first, { plan: "yes" }));
  expect([asked(second), ran.calls]).toEqual([["p"], { "read 1": 1 }]);
  const last = lives.agent(["done"]);
  await last.invoke(replies(second, { p: "yes" }));
  expect([answer(last), ran.calls]).toEqual(['{"p":{"paid":5}}', { "read 1": 1, "pay 5": 1 }]);
});

test("a corrected plan is asked about and takes over what went well", async () => {
  const ran = new Ran();
  const wrong = { id: "f", tool: "fail", after: ["r"] };
  const agent = approvedAgent(ran, [
    submit([READ, wrong], { returns: ["f"] }),
    submit([READ], { returns: ["r"] }),
    "done",
  ]);
  const first = await agent.invoke("go");
  const second = await agent.invoke(replies(first, { plan: "yes" }));
  expect(asked(second)).toEqual(["plan"]);
  await agent.invoke(replies(second, { plan: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 1, "fail 0": 1 });
});

test("a refused plan is not shown to anybody", async () => {
  const agent = approvedAgent(new Ran(), [
    submit([{ ...READ, tool: "raed" }], { returns: ["r"] }),
    "I see.",
  ]);
  expect((await agent.invoke("go")).stopReason).toBe("endTurn");
  expect(refusal(agent)).toContain("unknown_tool");
});

test("two plans are asked about at once", async () => {
  const ran = new Ran();
  const agent = approvedAgent(ran, [[submit([READ], { returns: ["r"] }), PLAN], "done"]);
  const waits = await agent.invoke("go");
  expect(asked(waits)).toEqual(["plan", "plan"]);
  await agent.invoke(replies(waits, { plan: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 2, "pay 5": 1 });
});

test("a plan and its call as such may both have to be approved", async () => {
  const ran = new Ran();
  const agent = gate(approvedAgent(ran, [PLAN, "done"]), TOOL_NAME);
  const first = await agent.invoke("go");
  const second = await agent.invoke(replies(first, { plan: "yes" }));
  expect([asked(second), ran.calls]).toEqual([["plan"], {}]);
  await agent.invoke(replies(second, { plan: "yes" }));
  expect([answer(agent), stateOf(agent)]).toEqual(['{"p":{"paid":5}}', undefined]);
});

test("a plan in the background runs nothing since nobody is asked", async () => {
  const ran = new Ran();
  const plan = submit([READ], { returns: ["r"], _background_execution: true });
  const agent = approvedAgent(ran, [plan, "waiting", "done"], { backgroundTasks: true });
  await agent.invoke("go");
  expect(JSON.stringify(toolResults(agent).at(-1))).toContain(
    "The plan was not approved and nothing ran. Nobody can be asked here: send it again in " +
      "the foreground.",
  );
  expect(ran.calls).toEqual({});
});

test("a plan of the host's own needs no approval", async () => {
  const plugin = new WorkflowPlanPlugin({ approvePlan: true });
  const agent = planAgent([], { tools: new Ran().tools, plugin });
  const plan = { steps: [READ], returns: ["r"] };
  expect((await plugin.runPlan(plan as never, { agent })).returned).toEqual({
    r: { value: 1 },
  });
});
