/** A plan that is cancelled after it was answered stops what is in flight, resumes nothing. */

import { type Span, trace } from "@opentelemetry/api";
import {
  type Agent,
  BeforeInvocationEvent,
  BeforeToolCallEvent,
  BeforeToolsEvent,
  FunctionTool,
  type InvokeArgs,
  MessageAddedEvent,
  ToolStreamUpdateEvent,
} from "@strands-agents/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { type Turn, toolCall } from "../../src/testing/scripted-model.js";
import { asked, gate, keptPlans, Lives, Ran, replies, stateOf } from "./pause-agents.js";
import {
  answer,
  functionTool,
  planAgent,
  Signal,
  type Step,
  soon,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const WAIT: Step = { id: "w", tool: "wait", after: ["p"] };
const PLAN = submit([READ, PAY, WAIT], { returns: ["w"] });
const STOPPED = { "read 1": 1, "pay 5": 1, wait: 1 };

function told(done: string): object[] {
  const text = `The plan was cancelled. Ran ok, do not repeat: ${done}`;
  return [{ status: "error", content: [{ text }] }];
}

/** The counted tools, and one that waits for ever and tells how it was stopped. */
class Endless extends Ran {
  readonly begun = new Signal();
  readonly stopped = new Signal();

  override get tools(): FunctionTool[] {
    const wait = new FunctionTool({
      name: "wait",
      description: "Wait for ever.",
      callback: (_, { cancelSignal }) => this.wait(cancelSignal),
    });
    return [...super.tools, wait];
  }

  private async *wait(signal: AbortSignal): AsyncGenerator<string, number, undefined> {
    this.count("wait");
    yield "begun";
    this.begun.set();
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    this.stopped.set();
    return 1;
  }
}

function gated(
  ran: Ran,
  turns: readonly Turn[],
  options: Parameters<typeof planAgent>[1] = {},
): Agent {
  return gate(planAgent(turns, { tools: ran.tools, ...options }), "pay");
}

/** Listen to an agent until its tool that waits streams something, and then no longer. */
async function leave(agent: Agent, prompt: InvokeArgs): Promise<void> {
  for await (const event of agent.stream(prompt)) {
    if (event.type === "toolStreamUpdateEvent") break;
  }
}

/** The spans of calls of tools that were begun and not ended. */
const open = new Set<string>();
let begun = 0;

beforeEach(() => {
  begun = 0;
  open.clear();
  const startSpan = (name: string): Span => {
    begun += 1;
    const id = `${name} ${begun}`;
    const span = trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: id, traceFlags: 1 });
    if (name.startsWith("execute_tool")) open.add(id);
    return Object.assign(span, { end: () => void open.delete(id) });
  };
  const tracer = { startSpan, startActiveSpan: startSpan };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
});

afterEach(() => {
  trace.disable();
  expect([begun > 1, [...open]]).toEqual([true, []]);
});

describe("cancelling the agent", () => {
  test("stops a plan that went on", async () => {
    const ran = new Endless();
    const agent = gated(ran, [PLAN, "never said"]);
    const waits = await agent.invoke("go");
    const turn = agent.invoke(replies(waits, { p: "yes" }));
    await ran.begun.wait();
    agent.cancel();
    expect((await soon(turn)).stopReason).toBe("cancelled");
    await ran.stopped.wait();
    expect([toolResults(agent), stateOf(agent)]).toEqual([told("r, p"), undefined]);
  });

  test("lets the plan not go on even if it is answered once more", async () => {
    const ran = new Endless();
    const agent = gated(ran, [PLAN, "done"]);
    const waits = await agent.invoke("go");
    const turn = agent.invoke(replies(waits, { p: "yes" }));
    await ran.begun.wait();
    agent.cancel();
    await soon(turn);
    await agent.invoke(replies(waits, { p: "yes" }));
    expect([ran.calls, stateOf(agent)]).toEqual([STOPPED, undefined]);
  });

  test.each<[string, (agent: Agent, cancel: () => void) => void]>([
    ["the invocation", (agent, cancel) => agent.addHook(BeforeInvocationEvent, cancel)],
    ["its tools", (agent, cancel) => agent.addHook(BeforeToolsEvent, cancel)],
  ])("before %s lets the plan run no step, now or later", async (_, hook) => {
    const ran = new Endless();
    const lives = new Lives(ran.tools);
    const waits = await lives.agent([PLAN]).invoke("go");
    const second = lives.agent();
    hook(second, () => second.cancel());
    const result = await second.invoke(replies(waits, { p: "yes" }));
    expect([result.stopReason, ran.calls]).toEqual(["cancelled", { "read 1": 1 }]);
    const last = lives.agent(["done"]);
    await last.invoke(replies(waits, { p: "yes" }));
    expect([ran.calls, toolResults(last)]).toEqual([{ "read 1": 1 }, told("r")]);
    expect(stateOf(last)).toBeUndefined();
  });

  test("by a signal from outside does so too", async () => {
    const ran = new Endless();
    const agent = gated(ran, [PLAN, "done"]);
    const waits = await agent.invoke("go");
    const cancelSignal = AbortSignal.abort();
    const result = await agent.invoke(replies(waits, { p: "yes" }), { cancelSignal });
    expect(result.stopReason).toBe("cancelled");
    await agent.invoke(replies(waits, { p: "yes" }));
    expect([ran.calls, toolResults(agent)]).toEqual([{ "read 1": 1 }, told("r")]);
  });
});

test("an invocation without an answer leaves the plan waiting", async () => {
  const ran = new Ran();
  const agent = gated(ran, [submit([READ, PAY], { returns: ["p"] }), "done"]);
  const waits = await agent.invoke("go");
  await expect(agent.invoke("and now?")).rejects.toThrow("interrupted state");
  await agent.invoke(replies(waits, { p: "yes" }));
  expect([answer(agent), ran.calls]).toEqual(['{"p":{"paid":5}}', { "read 1": 1, "pay 5": 1 }]);
});

describe("a consumer that leaves", () => {
  test("stops a plan that went on for good, in any process", async () => {
    const ran = new Endless();
    const lives = new Lives(ran.tools);
    const waits = await lives.agent([PLAN]).invoke("go");
    await leave(lives.agent(["never said"]), replies(waits, { p: "yes" }));
    await ran.stopped.wait();
    // The SDK makes the call again, at once or on the next answer.
    const last = lives.agent(["done"]);
    expect(String(await last.invoke(replies(waits, { p: "yes" })))).toBe("done");
    expect([toolResults(last), ran.calls]).toEqual([told("r, p"), STOPPED]);
    expect(stateOf(last)).toBeUndefined();
  });

  test("leaves nothing that a plan which follows in the turn takes over", async () => {
    const ran = new Endless();
    const other = { id: "o", tool: "read", args: { value: 9 } };
    const failing = [READ, other, { id: "f", tool: "fail", after: ["r", "o"] }];
    const again = submit([other], { returns: ["o"] });
    const agent = gated(ran, [submit(failing, { returns: ["f"] }), PLAN, again, "done"]);
    const waits = await agent.invoke("go");
    expect(ran.calls).toEqual({ "read 1": 1, "read 9": 1, "fail 0": 1 });
    // The SDK makes the call again at once, and goes on with the turn.
    await leave(agent, replies(waits, { p: "yes" }));
    expect(texts(agent).at(-1)).toBe('{"o":{"value":9}}');
    expect(ran.calls).toEqual({ ...STOPPED, "read 9": 2, "fail 0": 1 });
  });

  test("stops a plan for good that had yet to begin when the agent was interrupted", async () => {
    const ran = new Endless();
    const calls = [
      toolCall("pay", { value: 1 }),
      submit([READ, { ...WAIT, after: ["r"] }], { returns: ["w"] }),
    ];
    const agent = gated(ran, [calls, "not heard", "done"], { toolExecutor: "sequential" });
    const waits = await agent.invoke("go");
    expect([asked(waits), ran.calls]).toEqual([["plan"], {}]);
    await leave(agent, replies(waits, { plan: "yes" }));
    await ran.stopped.wait();
    expect(String(await agent.invoke(replies(waits, { plan: "yes" })))).toBe("done");
    expect(ran.calls["read 1"]).toBe(1);
    expect(toolResults(agent).slice(1)).toEqual(told("r"));
  });

  test("leaves no state of a plan that has not waited", async () => {
    const ran = new Endless();
    const plan = submit([READ, { ...WAIT, after: ["r"] }], { returns: ["w"] });
    // The SDK goes on without a listener.
    const agent = gated(ran, [plan, "not heard", "done"]);
    await leave(agent, "go");
    await ran.stopped.wait();
    expect(stateOf(agent)).toBeUndefined();
    expect(String(await agent.invoke("and now?"))).toBe("done");
    expect(ran.calls).toEqual({ "read 1": 1, wait: 1 });
  });
});

test("a plan that a hook takes away from its agent is stopped with the turn", async () => {
  const ran = new Endless();
  const agent = gated(ran, [
    submit([READ, { ...WAIT, after: ["r"] }], { returns: ["w"] }),
    "done",
  ]);
  // An interrupt as the plan streams: the SDK then leaves the call as it is.
  agent.addHook(ToolStreamUpdateEvent, (event) => {
    const asking = new BeforeToolCallEvent({
      agent,
      toolUse: { name: "x", toolUseId: "y", input: {} },
      tool: undefined,
      invocationState: event.invocationState,
    });
    asking.interrupt({ name: "enough" });
  });
  const waits = await soon(agent.invoke("go"));
  expect([waits.stopReason, keptPlans(agent)]).toEqual(["interrupt", ["call_1_0"]]);
  await agent.invoke(replies(waits, { plan: "yes" }));
  expect([toolResults(agent), ran.calls]).toEqual([told("r"), { "read 1": 1, wait: 1 }]);
  // The SDK closes nothing of a call that it leaves like that.
  open.clear();
});

test("a plan whose call was refused in between does not go on later", async () => {
  const ran = new Ran();
  const agent = gated(ran, [submit([READ, PAY], { returns: ["p"] }), "done"]);
  let isRefused = false;
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (event.toolUse.name === TOOL_NAME && isRefused) event.cancel = "not now";
  });
  agent.addHook(MessageAddedEvent, () => {
    if (!isRefused) return;
    isRefused = false;
    throw new Error("broken hook");
  });
  const waits = await agent.invoke("go");
  isRefused = true;
  await expect(agent.invoke(replies(waits, { p: "yes" }))).rejects.toThrow("broken hook");
  // The SDK has forgotten that the call was refused, and makes it again.
  await agent.invoke(replies(waits, { p: "yes" }));
  expect([toolResults(agent), ran.calls]).toEqual([told("r"), { "read 1": 1 }]);
});

test("the plan's timeout ends a plan that went on", async () => {
  const ran = new Endless();
  const plugin = new WorkflowPlanPlugin({ policy: { plan_timeout_s: 0.2 } });
  const agent = gated(ran, [PLAN, "done"], { plugin });
  const waits = await agent.invoke("go");
  const result = await soon(agent.invoke(replies(waits, { p: "yes" })));
  expect(result.stopReason).toBe("endTurn");
  const [first, second] = texts(agent)[0]?.split("\n") ?? [];
  expect(first).toMatch(/^w failed \(timeout\): /);
  expect(second).toBe("Ran ok, kept for a corrected plan: r, p");
  await ran.stopped.wait();
  expect(stateOf(agent)).toBeUndefined();
});

test("a failure that stops the plan leaves nothing to ask", async () => {
  const ran = new Ran();
  const asking = new Signal();
  const fails = functionTool("fails", async () => {
    await asking.wait();
    throw new Error("down");
  });
  const agent = planAgent(
    [submit([PAY, { id: "f", tool: "fails" }], { returns: ["p"] }), "I see."],
    { tools: [...ran.tools, fails] },
  );
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (event.toolUse.name !== "pay") return;
    asking.set();
    event.interrupt({ name: "approval" });
  });
  const result = await agent.invoke("go");
  expect([result.stopReason, ran.calls, stateOf(agent)]).toEqual(["endTurn", {}, undefined]);
  expect(texts(agent)).toEqual(["p skipped\nf failed (tool_failed): down"]);
  const { interrupts } = agent.takeSnapshot({ include: ["interrupts"] }).data;
  expect(interrupts).toEqual({ activated: false, interrupts: {} });
});
