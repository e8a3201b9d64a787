/**
 * The answer to what a step asked is for that step of that plan alone: where it is not known any
 * more what had been done by then, or the plan is another one, nothing runs.
 */

import {
  type Agent,
  BeforeToolCallEvent,
  type JSONValue,
  type SnapshotField,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { STATE_KEY } from "../../src/strands-adapter/pauses.js";
import { gate, Ran, replies, stateOf } from "./pause-agents.js";
import { answer, planAgent, type Step, submit, texts, toolResults } from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const PLAN = submit([READ, PAY], { returns: ["r", "p"] });
const LOST =
  "The plan was waiting for an answer, and what it had done by then cannot be read any more. " +
  "It does not go on. See what has been done before you send it again.";
const CHANGED =
  "The plan was waiting for an answer and has been changed since, so the answer is not for it. " +
  "It does not go on.";

function gated(ran: Ran, turns: Parameters<typeof planAgent>[0], plugin?: WorkflowPlanPlugin) {
  return gate(planAgent(turns, { tools: ran.tools, ...(plugin && { plugin }) }), "pay");
}

/** The agent's interrupted batch, as the SDK keeps it. */
function batchOf(agent: Agent): { message: { trackingId?: string; content: Step[] } } {
  const { _interruptState: kept } = agent as unknown as {
    _interruptState: { pendingToolExecution: { assistantMessageData: never } };
  };
  return { message: kept.pendingToolExecution.assistantMessageData };
}

/** Change what is kept of the plan. */
function changing(change: (entry: Record<string, unknown>) => unknown): (agent: Agent) => void {
  return (agent) => {
    const { plans } = stateOf(agent) as { plans: Record<string, string> };
    const entry = change(JSON.parse(plans.call_1_0 ?? ""));
    agent.appState.set(STATE_KEY, { plans: { call_1_0: JSON.stringify(entry) } });
  };
}

function keeping(kept: JSONValue): (agent: Agent) => void {
  return (agent) => agent.appState.set(STATE_KEY, kept);
}

test.each<[string, (agent: Agent) => void]>([
  ["the state is gone", (agent) => agent.appState.clear()],
  ["the state is something else", keeping("mine")],
  ["the state is a list", keeping([1])],
  ["the plans are none", keeping({ plans: "x" })],
  ["the plans are a list", keeping({ plans: ["x"] })],
  ["the plan is no text", keeping({ plans: { call_1_0: 5 } })],
  ["the plan is no JSON", keeping({ plans: { call_1_0: "{" } })],
  ["the plan is no object", keeping({ plans: { call_1_0: "7" } })],
  ["the run is another", changing((entry) => ({ ...entry, run: "other/call_1_0" }))],
  ["the media are none", changing(({ media: _, ...entry }) => entry)],
  ["the media are wrong", changing((entry) => ({ ...entry, media: { a: 5 } }))],
  ["the texts are wrong", changing((entry) => ({ ...entry, texts: { "{": 5 } }))],
  ["what was told is wrong", changing(({ run }) => ({ run, told: { status: "ok" } }))],
  [
    "the checkpoint is of another version",
    changing(({ checkpoint, ...entry }) => ({
      ...entry,
      checkpoint: { ...(checkpoint as object), version: 2 },
    })),
  ],
  [
    "the message is called otherwise",
    (agent) => {
      batchOf(agent).message.trackingId = "other";
    },
  ],
  ["the message is not called anything", (agent) => delete batchOf(agent).message.trackingId],
])("an answer is for nothing where %s", async (_, change) => {
  const ran = new Ran();
  const agent = gated(ran, [PLAN, "done"]);
  const waits = await agent.invoke("go");
  change(agent);
  expect(String(await agent.invoke(replies(waits, { p: "yes" })))).toBe("done");
  expect(toolResults(agent)).toEqual([{ status: "error", content: [{ text: LOST }] }]);
  expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1 }, undefined]);
});

test.each<[string, SnapshotField[], WorkflowPlanPlugin]>([
  ["without its state", ["messages", "interrupts"], new WorkflowPlanPlugin()],
  [
    "where no plan waits",
    ["messages", "interrupts", "state"],
    new WorkflowPlanPlugin({ approvals: "refuse" }),
  ],
])("an answer is for nothing in an agent that is made anew %s", async (_, include, plugin) => {
  const ran = new Ran();
  const first = gated(ran, [PLAN]);
  const waits = await first.invoke("go");
  const last = gated(ran, ["done"], plugin);
  await last.initialize();
  last.loadSnapshot(first.takeSnapshot({ include }));
  await last.invoke(replies(waits, { p: "yes" }));
  expect([texts(last), ran.calls, stateOf(last)]).toEqual([[LOST], { "read 1": 1 }, undefined]);
});

test("an answer to one plan is for no other, and the model hears what ran", async () => {
  const ran = new Ran();
  const agent = gated(ran, [PLAN, PLAN, "done"]);
  let count = 0;
  agent.addHook(BeforeToolCallEvent, (event) => {
    count += 1;
    if (event.toolUse.name !== TOOL_NAME || count === 1) return;
    const steps = [READ, { ...PAY, args: { value: 1000 } }];
    event.toolUse.input = { steps, returns: ["p"] } as unknown as JSONValue;
  });
  const waits = await agent.invoke("go");
  const asks = await agent.invoke(replies(waits, { p: "yes" }));
  const [question] = asks.interrupts ?? [];
  expect(question?.reason).toEqual({ value: 1000 });
  await agent.invoke(replies(asks, { p: "yes" }));
  expect(texts(agent)).toEqual([`${CHANGED}\nRan ok, do not repeat: r`, '{"p":{"paid":1000}}']);
  expect(ran.calls).toEqual({ "read 1": 1, "pay 1000": 1 });
});

test("what is lost of a plan is still taken over by the plan that follows", async () => {
  const ran = new Ran();
  const agent = gated(ran, [PLAN, PLAN, "done"]);
  const waits = await agent.invoke("go");
  const { memory = "" } = stateOf(agent) as { memory?: string };
  agent.appState.set(STATE_KEY, { memory, plans: {} });
  const asks = await agent.invoke(replies(waits, { p: "yes" }));
  await agent.invoke(replies(asks, { p: "yes" }));
  expect(texts(agent)).toEqual([LOST, '{"r":{"value":1},"p":{"paid":5}}']);
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
});

test("a plan that had not begun waits for no answer of its own", async () => {
  const ran = new Ran();
  const agent = gate(planAgent([PLAN, "done"], { tools: ran.tools }), TOOL_NAME);
  const waits = await agent.invoke("go");
  agent.appState.clear();
  await agent.invoke(replies(waits, { plan: "yes" }));
  expect(answer(agent)).toBe('{"r":{"value":1},"p":{"paid":5}}');
});

describe("two calls of one message whose ids could be taken for one another", () => {
  test.each([
    ["a", "p__p", "a__p", "p"],
    ["a__p", "p", "a__p.", "p"],
  ])("%s with %s and %s with %s ask twice", async (first, one, second, other) => {
    const ran = new Ran();
    const [cheap, dear] = [
      { id: one, tool: "pay", args: { value: 1 } },
      { id: other, tool: "pay", args: { value: 1000 } },
    ];
    const plans = [
      { ...submit([cheap], { returns: [one] }), id: first },
      { ...submit([dear], { returns: [other] }), id: second },
    ];
    const agent = gated(ran, [plans, "done"]);
    const waits = await agent.invoke("go");
    const asks = waits.interrupts ?? [];
    expect(asks.map(({ reason }) => reason)).toEqual([{ value: 1 }, { value: 1000 }]);
    const [question] = asks;
    const left = await agent.invoke(
      replies({ ...waits, interrupts: [question] } as never, {
        p: "yes",
        p__p: "yes",
      }),
    );
    expect(left.interrupts?.map(({ reason }) => reason)).toEqual([{ value: 1000 }]);
    expect(ran.calls).toEqual({ "pay 1": 1 });
  });
});
