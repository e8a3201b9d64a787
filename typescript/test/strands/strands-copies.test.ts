/** Copies of an agent, hooks and all: each is in a turn of its own. */

import type { Agent } from "@strands-agents/sdk";
import { expect, test } from "vitest";
import { freshCopy } from "../../src/planner-executor/copies.js";
import { WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { ScriptedModel, type Turn } from "../../src/testing/scripted-model.js";
import { asked, gate, keptPlans, Ran, replies, stateOf } from "./pause-agents.js";
import { planAgent, type Step, submit, texts } from "./plan-agents.js";

/** A copy of an agent, whose model says these turns. */
async function copyOf(agent: Agent, turns: readonly Turn[]): Promise<Agent> {
  const copy = await freshCopy(agent);
  Object.defineProperty(copy, "model", { value: new ScriptedModel(...turns) });
  return copy;
}

function planOf(value: number) {
  const steps: Step[] = [
    { id: "r", tool: "read", args: { value } },
    { id: "p", tool: "pay", args: { value } },
    { id: "l", tool: "read", args: { value: value + 1 }, after: ["p"] },
  ];
  return submit(steps, { returns: ["p", "l"] });
}

test("plans of an agent and of its copies wait beside each other", async () => {
  const ran = new Ran();
  const agent = gate(planAgent([planOf(10), "done"], { tools: ran.tools }), "pay");
  const copies = [
    await copyOf(agent, [planOf(20), "done"]),
    await copyOf(agent, [planOf(30), "done"]),
  ];
  const agents = [agent, ...copies];
  const waits = await Promise.all(agents.map((each) => each.invoke("go")));
  expect(waits.map(asked)).toEqual([["p"], ["p"], ["p"]]);
  for (const [at, wait] of waits.entries()) {
    await agents[at]?.invoke(replies(wait, { p: "yes" }));
    expect(agents.map(keptPlans).map(({ length }) => length)).toEqual(
      agents.map((_, other) => (other > at ? 1 : 0)),
    );
  }
  expect(agents.map(texts)).toEqual(
    [10, 20, 30].map((value) => [`{"p":{"paid":${value}},"l":{"value":${value + 1}}}`]),
  );
  expect(agents.map(stateOf)).toEqual([undefined, undefined, undefined]);
  expect(new Set(Object.values(ran.calls))).toEqual(new Set([1]));
});

test("a copy takes over what its own plans did, and nothing of another's", async () => {
  const ran = new Ran();
  const read = { id: "r", tool: "read", args: { value: 1 } };
  const wrong = submit([read, { id: "f", tool: "fail" }], { returns: ["r"] });
  const right = submit([read], { returns: ["r"] });
  const agent = planAgent([], { tools: ran.tools });
  const copies = [
    await copyOf(agent, [wrong, right, "done"]),
    await copyOf(agent, [wrong, right, "done"]),
  ];
  await Promise.all(copies.map((copy) => copy.invoke("go")));
  expect(ran.calls).toEqual({ "read 1": 2, "fail 0": 2 });
});

test("a plan of a copy is approved in the copy", async () => {
  const ran = new Ran();
  const plugin = new WorkflowPlanPlugin({ approvePlan: true });
  const copy = await copyOf(planAgent([], { tools: ran.tools, plugin }), [planOf(1), "done"]);
  const waits = await copy.invoke("go");
  expect([asked(waits), ran.calls]).toEqual([["plan"], {}]);
  await copy.invoke(replies(waits, { plan: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 1, "pay 1": 1, "read 2": 1 });
});

test("a copy of an agent that waits begins with nothing of what that keeps", async () => {
  const ran = new Ran();
  const agent = gate(planAgent([planOf(1), "done"], { tools: ran.tools }), "pay");
  const waits = await agent.invoke("go");
  const copy = await copyOf(agent, ["hello"]);
  await copy.invoke("go");
  expect([stateOf(copy), keptPlans(agent)]).toEqual([undefined, ["call_1_0"]]);
  await agent.invoke(replies(waits, { p: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 1, "pay 1": 1, "read 2": 1 });
});
