/**
 * A call of the plan tool that Strands makes once more runs nothing again, whatever ended the
 * plan before; and whatever ends a plan in the middle, the model hears what has run.
 */

import {
  AfterToolCallEvent,
  AfterToolsEvent,
  Agent,
  BeforeToolCallEvent,
  ExecuteToolStage,
  FunctionTool,
  type SnapshotField,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { STATE_KEY } from "../../src/strands-adapter/pauses.js";
import { ScriptedModel, toolCall } from "../../src/testing/scripted-model.js";
import { asked, gate, Ran, replies, stateOf } from "./pause-agents.js";
import {
  answer,
  functionTool,
  planAgent,
  Signal,
  type Step,
  soon,
  submit,
  texts,
} from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const LAST: Step = { id: "l", tool: "read", args: { value: 2 }, after: ["p"] };
const LAST_ALONE: Step = { id: "l", tool: "read", args: { value: 2 } };
const PLAN = submit([READ, PAY], { returns: ["r", "p"] });

function gated(ran: Ran, turns: Parameters<typeof planAgent>[0], plugin?: WorkflowPlanPlugin) {
  return gate(planAgent(turns, { tools: ran.tools, ...(plugin && { plugin }) }), "pay");
}

/** The ids of all that the agent has to ask. */
function openOf(agent: Agent): string[] {
  const { interrupts } = agent.takeSnapshot({ include: ["interrupts"] }).data;
  return Object.keys((interrupts as { interrupts: object }).interrupts);
}

/** Throw once, before the agent reads 2. */
function breaking(agent: Agent): Agent {
  let isBroken = true;
  agent.addHook(BeforeToolCallEvent, ({ toolUse: { input } }) => {
    if (!isBroken || (input as { value?: number }).value !== 2) return;
    isBroken = false;
    throw new Error("broken hook");
  });
  return agent;
}

/** Ask once more when the plan has ended: in a middleware, or by a hook. */
const asking: Record<string, (agent: Agent) => void> = {
  "a middleware": (agent) => {
    agent.addMiddleware(ExecuteToolStage, async function* (context, next) {
      const result = yield* next(context);
      if (context.toolUse.name === TOOL_NAME) context.interrupt({ name: "after" });
      return result;
    });
  },
  "a hook": (agent) => {
    agent.addHook(AfterToolCallEvent, ({ toolUse, invocationState }) => {
      if (toolUse.name !== TOOL_NAME) return;
      const event = { agent, toolUse, tool: undefined, invocationState };
      new BeforeToolCallEvent(event).interrupt({ name: "after" });
    });
  },
};

describe.each(Object.entries(asking))(
  "a plan after which %s asks is not run again",
  (_, ask) => {
    test("though it had not waited", async () => {
      const ran = new Ran();
      const agent = planAgent([PLAN, "done"], { tools: ran.tools });
      ask(agent);
      const waits = await agent.invoke("go");
      expect(asked(waits)).toEqual(["plan"]);
      await agent.invoke(replies(waits, { plan: "yes" }));
      expect(answer(agent)).toBe('{"r":{"value":1},"p":{"paid":5}}');
      expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 5": 1 }, undefined]);
    });

    test("though it had waited", async () => {
      const ran = new Ran();
      const agent = gated(ran, [PLAN, "done"]);
      ask(agent);
      const waits = await agent.invoke("go");
      const after = await agent.invoke(replies(waits, { p: "yes" }));
      expect(asked(after)).toEqual(["plan"]);
      await agent.invoke(replies(after, { plan: "yes" }));
      expect(answer(agent)).toBe('{"r":{"value":1},"p":{"paid":5}}');
      expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 5": 1 }, undefined]);
    });
  },
);

test("a plan that was approved and that a hook then broke is not run again", async () => {
  const ran = new Ran();
  const plugin = new WorkflowPlanPlugin({ approvePlan: true });
  const plan = submit([PAY, LAST], { returns: ["l"] });
  const agent = breaking(planAgent([plan, "done"], { tools: ran.tools, plugin }));
  const waits = await agent.invoke("go");
  await expect(agent.invoke(replies(waits, { plan: "yes" }))).rejects.toThrow("broken hook");
  await agent.invoke(replies(waits, { plan: "yes" }));
  expect(texts(agent)).toEqual([
    "a hook stopped the plan: broken hook\nRan ok, do not repeat: p",
  ]);
  expect([ran.calls, stateOf(agent)]).toEqual([{ "pay 5": 1 }, undefined]);
});

test("a plan whose result is in the conversation already is not run again", async () => {
  const ran = new Ran();
  const first = gated(ran, [PLAN]);
  const waits = await first.invoke("go");
  const include: SnapshotField[] = ["messages", "interrupts", "state"];
  const paused = first.takeSnapshot({ include });
  const told = gated(ran, ["done"]);
  await told.initialize();
  told.loadSnapshot(paused);
  await told.invoke(replies(waits, { p: "yes" }));
  // As a process leaves them that ends between the one and the other.
  const last = gated(ran, ["done"]);
  await last.initialize();
  last.loadSnapshot(paused);
  last.messages.push(...told.messages.slice(0, -1));
  await last.invoke(replies(waits, { p: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
  expect(new Set(texts(last))).toEqual(new Set(['{"r":{"value":1},"p":{"paid":5}}']));
});

test("a plan is asked about, and not run, again where an error kept the agent from asking", async () => {
  const ran = new Ran();
  const agent = gated(ran, [[PLAN, submit([LAST_ALONE], { returns: ["l"] })], "done"]);
  let isBroken = true;
  agent.addHook(AfterToolsEvent, () => {
    if (!isBroken) return;
    isBroken = false;
    throw new Error("broken hook");
  });
  await expect(agent.invoke("go")).rejects.toThrow("broken hook");
  // The agent waits for nobody, and the SDK makes the calls once more all the same.
  const waits = await agent.invoke("and now?");
  expect(asked(waits)).toEqual(["p"]);
  await agent.invoke(replies(waits, { p: "yes" }));
  expect(texts(agent)).toEqual(['{"r":{"value":1},"p":{"paid":5}}', '{"l":{"value":2}}']);
  expect([ran.calls, stateOf(agent)]).toEqual([
    { "read 1": 1, "read 2": 1, "pay 5": 1 },
    undefined,
  ]);
});

describe("a plan that ends in the middle", () => {
  test("by a hook that throws leaves what ran to the plan that follows", async () => {
    const ran = new Ran();
    const plans = [submit([READ, PAY, LAST], { returns: ["l"] }), PLAN];
    const agent = breaking(gated(ran, [...plans, "done"]));
    const waits = await agent.invoke("go");
    await expect(agent.invoke(replies(waits, { p: "yes" }))).rejects.toThrow("broken hook");
    await agent.invoke(replies(waits, { p: "yes" }));
    expect(texts(agent)).toEqual([
      "a hook stopped the plan: broken hook\nRan ok, do not repeat: r, p",
      '{"r":{"value":1},"p":{"paid":5}}',
    ]);
    expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
  });

  test("by a hook that throws can be answered again as it was asked", async () => {
    const ran = new Ran();
    const steps = [PAY, { id: "q", tool: "pay", args: { value: 6 } }, LAST];
    const agent = breaking(gated(ran, [submit(steps, { returns: ["l"] }), "done"]));
    const waits = await agent.invoke("go");
    await expect(agent.invoke(replies(waits, { p: "yes" }))).rejects.toThrow("broken hook");
    const result = await agent.invoke(replies(waits, { p: "yes", q: "yes" }));
    expect([result.stopReason, ran.calls]).toEqual(["endTurn", { "pay 5": 1 }]);
  });

  test("by any other error tells what ran, and leaves it to the plan that follows", async () => {
    const ran = new Ran();
    let runs = 0;
    const input = (): Record<string, number> => {
      runs += 1;
      if (runs === 2) throw new Error("no connection");
      return { n: 1 };
    };
    const steps = [{ id: "r", tool: "read", bind: { value: "input.n" } }, PAY];
    const plan = submit(steps, { returns: ["r", "p"] });
    const agent = gated(ran, [plan, plan, "done"], new WorkflowPlanPlugin({ input }));
    const first = await agent.invoke("go");
    const second = await agent.invoke(replies(first, { p: "yes" }));
    await agent.invoke(replies(second, { p: "yes" }));
    expect(texts(agent)).toEqual([
      "Error: no connection\nRan ok, do not repeat: r",
      '{"r":{"value":1},"p":{"paid":5}}',
    ]);
    expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
  });
});

describe("what a step asked is asked no more", () => {
  const other = submit([{ id: "o", tool: "pay", args: { value: 9 } }], { returns: ["o"] });

  /** A tool that waits until it is stopped, and tells so. */
  class Waiting extends Ran {
    readonly begun = new Signal();

    override get tools() {
      const wait = functionTool("wait", async function* () {
        yield "begun";
        await new Promise(() => undefined);
      });
      return [...super.tools, wait];
    }
  }

  const plan = submit([PAY, { id: "w", tool: "wait" }], { returns: ["w"] });

  test("once a listener left as its plan had paused", async () => {
    const asks = new Signal();
    const late = functionTool("late", async () => {
      await asks.wait();
      // The plan has paused by then.
      await new Promise(setImmediate);
      return 1;
    });
    const ran = new Ran();
    const agent = gate(
      planAgent([[submit([PAY], { returns: ["p"] }), toolCall("late")], other], {
        tools: [...ran.tools, late],
      }),
      "pay",
    );
    agent.addHook(BeforeToolCallEvent, ({ toolUse }) => {
      if (toolUse.name === TOOL_NAME) asks.set();
    });
    for await (const event of agent.stream("go")) {
      if (event.type === "afterToolCallEvent" && event.toolUse.name === "late") break;
    }
    expect(openOf(agent)).toEqual(["hook:beforeToolCall:call_2_0__o:approval"]);
  });

  test("once its plan was cancelled", async () => {
    const agent = gated(new Waiting(), [plan, other]);
    for await (const event of agent.stream("go")) {
      if (event.type === "toolStreamUpdateEvent") agent.cancel();
    }
    expect(asked(await agent.invoke("go on"))).toEqual(["o"]);
  });

  test("once nobody listens to its plan", async () => {
    const agent = gated(new Waiting(), [plan, other]);
    for await (const event of agent.stream("go")) {
      if (event.type === "toolStreamUpdateEvent") break;
    }
    // The SDK goes on without a listener, with the next plan.
    expect(openOf(agent)).toEqual(["hook:beforeToolCall:call_2_0__o:approval"]);
  });
});

test("an agent that is a tool can be called again after a call of it was given up", async () => {
  const begun = new Signal();
  const wait = new FunctionTool({
    name: "wait",
    description: "Wait until it is told to stop.",
    callback: (_, { cancelSignal }) => {
      begun.set();
      return new Promise((resolve) => {
        cancelSignal.addEventListener("abort", () => resolve(1));
      });
    },
  });
  const helper = new Agent({
    model: new ScriptedModel(toolCall("wait"), "helped"),
    tools: [wait],
    name: "helper",
    description: "Helps.",
    printer: false,
  });
  const step: Step = { id: "h", tool: "helper", args: { input: "help" } };
  const plan = submit([step], { returns: ["h"] });
  const agent = planAgent([plan, plan, "done"], { tools: [helper.asTool()] });
  const turn = agent.invoke("go");
  await begun.wait();
  agent.cancel();
  await soon(turn);
  await soon(agent.invoke("again"));
  expect(texts(agent)).toEqual([
    "The plan was cancelled. No step had ended.",
    '{"h":"helped"}',
  ]);
});

test("nothing is kept in the state of an agent while it waits for nobody", async () => {
  const found: unknown[] = [];
  const look = functionTool("look", () => {
    found.push(agent.appState.get(STATE_KEY));
    return 1;
  });
  const plan = submit([{ id: "l", tool: "look" }], { returns: ["l"] });
  const agent: Agent = planAgent([plan, toolCall("look"), "done"], { tools: [look] });
  await agent.invoke("go");
  expect([found, stateOf(agent)]).toEqual([[undefined, undefined], undefined]);
});
