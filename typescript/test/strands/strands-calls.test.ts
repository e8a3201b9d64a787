/** Each step is a tool call like any other, and steps run at once. */

import {
  AfterToolCallEvent,
  Agent,
  BeforeToolCallEvent,
  ExecuteToolStage,
  FunctionTool,
  InterventionActions,
  InterventionHandler,
  type JSONValue,
  TextBlock,
  ToolResultBlock,
  ToolStreamUpdateEvent,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { executePlan } from "../../src/executor/index.js";
import { AgentToolInvoker, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { ScriptedModel } from "../../src/testing/scripted-model.js";
import {
  answer,
  Barrier,
  echo,
  fail,
  functionTool,
  modelOf,
  planAgent,
  Signal,
  type Step,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

/** One independent step a value, called e0, e1, ... */
function echoes(...values: JSONValue[]): Step[] {
  return values.map((value, at) => ({ id: `e${at}`, tool: "echo", args: { value } }));
}

function numbered(count: number, tool: string): Step[] {
  return Array.from({ length: count }, (_, at) => ({ id: `m${at}`, tool }));
}

/** A gate that denies one tool. */
class Denying extends InterventionHandler {
  readonly name = "gate";

  constructor(private readonly denied: string) {
    super();
  }

  override beforeToolCall(event: BeforeToolCallEvent) {
    return event.toolUse.name === this.denied
      ? InterventionActions.deny("no")
      : InterventionActions.proceed();
  }
}

describe("steps", () => {
  test("eight are in their tools at one time", async () => {
    const barrier = new Barrier(8);
    const meet = functionTool("meet", async () => {
      await barrier.wait();
      return 1;
    });
    const plan = submit(numbered(8, "meet"), { output: "$sum([steps.m0, steps.m7])" });
    const agent = planAgent([plan, "ok"], { tools: [meet] });
    await agent.invoke("go");
    expect(answer(agent)).toBe("2");
  });

  test("run one at a time under a sequential executor", async () => {
    let inside = 0;
    let most = 0;
    const enter = functionTool("enter", async () => {
      inside += 1;
      most = Math.max(most, inside);
      await null;
      inside -= 1;
      return 1;
    });
    const plan = submit(numbered(4, "enter"), { returns: ["m0"] });
    const agent = planAgent([plan, "ok"], { tools: [enter], toolExecutor: "sequential" });
    await agent.invoke("go");
    expect([answer(agent), most]).toEqual(['{"m0":1}', 1]);
  });

  test("are seen by hooks, each with an id made of the plan's", async () => {
    const before: BeforeToolCallEvent["toolUse"][] = [];
    const after: string[] = [];
    const agent = planAgent(
      [
        submit(
          [
            { id: "a", tool: "echo", args: { value: [1, 2] } },
            { id: "b", tool: "echo", for_each: "steps.a", bind: { value: "item" } },
          ],
          { returns: ["b"] },
        ),
        "ok",
      ],
      { tools: [echo] },
    );
    agent.addHook(BeforeToolCallEvent, (event) => void before.push(event.toolUse));
    agent.addHook(AfterToolCallEvent, (event) => void after.push(event.toolUse.toolUseId));
    await agent.invoke("go");
    const ids = ["call_1_0", "call_1_0__a", "call_1_0__b-0", "call_1_0__b-1"];
    expect(before.map((use) => use.toolUseId)).toEqual(ids);
    expect(before.slice(2).map((use) => use.input)).toEqual([{ value: 1 }, { value: 2 }]);
    expect(after.sort()).toEqual(ids);
    expect(answer(agent)).toBe('{"b":[1,2]}');
  });

  test("may be changed by hooks in what they are called with and what they give", async () => {
    const agent = planAgent([submit(echoes("first"), { output: "steps.e0" }), "ok"], {
      tools: [echo],
    });
    agent.addHook(BeforeToolCallEvent, (event) => {
      if (event.toolUse.name === "echo") event.toolUse.input = { value: "changed" };
    });
    agent.addHook(AfterToolCallEvent, (event) => {
      if (event.toolUse.name !== "echo") return;
      const { toolUseId, status, content } = event.result;
      const told = [...content, new TextBlock("twice")];
      event.result = new ToolResultBlock({ toolUseId, status, content: told });
    });
    await agent.invoke("go");
    expect(answer(agent)).toBe('["changed","twice"]');
  });

  test("fail with the words of a hook that cancels them", async () => {
    const agent = planAgent([submit(echoes(1), { returns: ["e0"] }), "ok"], { tools: [echo] });
    agent.addHook(BeforeToolCallEvent, (event) => {
      if (event.toolUse.name === "echo") event.cancel = "not today";
    });
    await agent.invoke("go");
    expect(toolResults(agent)).toEqual([
      { status: "error", content: [{ text: "e0 failed (tool_failed): not today" }] },
    ]);
  });

  test("do not run their tool where an intervention denies it", async () => {
    const ran: number[] = [];
    const act = functionTool("act", () => ran.push(1));
    const steps = [{ id: "a", tool: "act" }, ...echoes(1)];
    const agent = planAgent([submit(steps, { returns: ["a"], on_error: "continue" }), "ok"], {
      tools: [act, echo],
      interventions: [new Denying("act")],
      plugin: new WorkflowPlanPlugin({ plannable: ["*"] }),
    });
    await agent.invoke("go");
    expect(toolResults(agent).map(({ content }) => content)).toEqual([
      [{ text: "a failed (tool_failed): DENIED: no\nRan ok, kept for a corrected plan: e0" }],
    ]);
    expect(ran).toEqual([]);
  });

  test("have middleware between them and their tool", async () => {
    const seen: string[] = [];
    const agent = planAgent([submit(echoes(1), { returns: ["e0"] }), "ok"], { tools: [echo] });
    agent.addMiddleware(ExecuteToolStage, async function* note(context, next) {
      seen.push(context.toolUse.name);
      return yield* next(context);
    });
    await agent.invoke("go");
    expect([answer(agent), seen]).toEqual(['{"e0":1}', ["submit_workflow_plan", "echo"]]);
  });

  test("fail where a middleware throws, and their tool does not run", async () => {
    const ran: number[] = [];
    const act = functionTool("act", () => ran.push(1));
    const agent = planAgent([submit([{ id: "a", tool: "act" }], { returns: ["a"] }), "ok"], {
      tools: [act],
    });
    agent.addMiddleware(ExecuteToolStage.Input, (context) => {
      if (context.toolUse.name === "act") throw new Error("not allowed");
      return context;
    });
    await agent.invoke("go");
    expect([texts(agent), ran]).toEqual([["a failed (tool_failed): not allowed"], []]);
  });

  test("are tried again where a hook says so", async () => {
    let attempts = 0;
    const flaky = functionTool("flaky", () => {
      attempts += 1;
      if (attempts < 3) throw new Error("down");
      return attempts;
    });
    const agent = planAgent(
      [submit([{ id: "a", tool: "flaky" }], { output: "steps.a" }), "ok"],
      { tools: [flaky] },
    );
    agent.addHook(AfterToolCallEvent, (event) => {
      event.retry = event.result.status === "error";
    });
    await agent.invoke("go");
    expect(answer(agent)).toBe("3");
  });

  test("hand the invocation state to tools, and the changes to the caller", async () => {
    const tenant = new FunctionTool({
      name: "tenant",
      description: "Tell the tenant.",
      callback: (_, context) => {
        context.invocationState.visited = true;
        return {
          tenant: String(context.invocationState.tenant),
          id: context.toolUse.toolUseId,
          agent: context.agent.id,
        };
      },
    });
    const invocationState: Record<string, unknown> = { tenant: "t1" };
    const agent = planAgent(
      [submit([{ id: "a", tool: "tenant" }], { output: "steps.a" }), "ok"],
      { tools: [tenant], id: "desk" },
    );
    await agent.invoke("go", { invocationState });
    expect(answer(agent)).toBe('{"tenant":"t1","id":"call_1_0__a","agent":"desk"}');
    expect(invocationState).toEqual({ tenant: "t1", visited: true });
  });

  test("stream what their tools stream, each piece with its call", async () => {
    const count = functionTool("count", async function* () {
      for (const number of [1, 2, 3]) {
        await null;
        yield number;
      }
      return 3;
    });
    const agent = planAgent(
      [submit([{ id: "a", tool: "count" }], { output: "steps.a" }), "ok"],
      { tools: [count] },
    );
    let hooked = 0;
    agent.addHook(ToolStreamUpdateEvent, () => {
      hooked += 1;
    });
    const streamed: unknown[] = [];
    for await (const event of agent.stream("go")) {
      if (event.type === "toolStreamUpdateEvent") streamed.push(event.event.data);
    }
    const toolUse = { name: "count", toolUseId: "call_1_0__a" };
    expect(streamed.slice(0, 3)).toEqual([1, 2, 3].map((data) => ({ toolUse, data })));
    expect(streamed[3]).toMatchObject({
      plan_result: { ledger: [{ id: "a", status: "ok" }] },
    });
    expect([streamed.length, hooked]).toEqual([4, 4]);
  });

  test("are counted by telemetry like other calls", async () => {
    const agent = planAgent([submit(echoes(1, 2), { returns: ["e0"] }), "ok"], {
      tools: [echo],
    });
    const result = await agent.invoke("go");
    expect(result.metrics?.toolMetrics.echo).toMatchObject({ callCount: 2, successCount: 2 });
  });

  test("have traces of their own, though they run at one time", async () => {
    const agent = planAgent([submit(echoes(1, 2), { returns: ["e0"] }), "ok"], {
      tools: [echo],
    });
    const { traces = [] } = await agent.invoke("go");
    const tools = traces[0]?.children.filter(({ name }) => name.startsWith("Tool:")) ?? [];
    expect(tools.map(({ name, endTime }) => [name, endTime !== null])).toEqual([
      ["Tool: submit_workflow_plan", true],
      ["Tool: echo", true],
      ["Tool: echo", true],
    ]);
  });
});

describe("an exception of a hook", () => {
  test("stops the agent as it does without a plan", async () => {
    const ran: JSONValue[] = [];
    const act = functionTool("act", ({ value = null }) => ran.push(value), { value: {} });
    const steps = [
      { id: "a", tool: "act", args: { value: 1 } },
      { id: "b", tool: "act", args: { value: 2 }, after: ["a"] },
      { id: "c", tool: "act", args: { value: 3 }, after: ["b"] },
    ];
    const plan = submit(steps, { returns: ["a"], on_error: "continue" });
    const agent = planAgent([plan, "never said"], { tools: [act] });
    const error = new Error("broken hook");
    agent.addHook(BeforeToolCallEvent, (event) => {
      if (event.toolUse.toolUseId.endsWith("__b")) throw error;
    });
    await expect(agent.invoke("go")).rejects.toBe(error);
    expect([ran, modelOf(agent).calls]).toEqual([[1], 1]);
  });

  test("stops the agent too where it comes after the call", async () => {
    const agent = planAgent([submit(echoes(1), { returns: ["e0"] }), "never said"], {
      tools: [echo],
    });
    agent.addHook(AfterToolCallEvent, (event) => {
      if (event.toolUse.name === "echo") throw new Error("broken hook");
    });
    await expect(agent.invoke("go")).rejects.toThrow("broken hook");
  });
});

describe("where no plan waits, a step that asks a person", () => {
  const plugin = new WorkflowPlanPlugin({ approvals: "refuse" });

  test("fails and says what to do, and nobody is asked", async () => {
    const ran: number[] = [];
    const act = functionTool("act", () => ran.push(1));
    const agent = planAgent(
      [submit([{ id: "a", tool: "act" }], { returns: ["a"] }), "I will ask."],
      { tools: [act], plugin },
    );
    agent.addHook(BeforeToolCallEvent, (event) => {
      if (event.toolUse.name === "act") event.interrupt({ name: "approval", reason: "sure?" });
    });
    const result = await agent.invoke("go");
    expect([result.stopReason, ran]).toEqual(["endTurn", []]);
    expect(texts(agent)).toEqual([
      "a failed (tool_failed): it needs a person's answer ('approval'), and a plan cannot " +
        "wait for one. Call this tool by itself, outside of a plan.",
    ]);
    const { interrupts } = agent.takeSnapshot({ include: ["interrupts"] }).data;
    expect(interrupts).toEqual({ activated: false, interrupts: {} });
  });

  test("fails the same way where its tool asks itself", async () => {
    const act = new FunctionTool({
      name: "act",
      description: "Act.",
      callback: (_, context) => context.interrupt({ name: "approval" }),
    });
    const agent = planAgent(
      [submit([{ id: "a", tool: "act" }], { returns: ["a"] }), "I will ask."],
      { tools: [act], plugin },
    );
    await agent.invoke("go");
    expect(texts(agent)[0]).toContain("it needs a person's answer ('approval')");
  });
});

test("steps on one agent that is a tool take turns", async () => {
  const helper = new Agent({
    model: new ScriptedModel("one", "two", "three"),
    name: "helper",
    description: "Helps.",
    printer: false,
  });
  const steps = [0, 1, 2].map((at) => ({ id: `h${at}`, tool: "helper", args: { input: "?" } }));
  const agent = planAgent([submit(steps, { output: "[steps.h0, steps.h1, steps.h2]" }), "ok"], {
    tools: [helper],
  });
  await agent.invoke("go");
  expect(answer(agent)).toBe('["one","two","three"]');
});

test("a failed tool's message comes without wrapping", async () => {
  const steps = [
    { id: "a", tool: "fail", args: { message: "no such user" } },
    { id: "b", tool: "echo", bind: { value: "steps.a" } },
  ];
  const agent = planAgent([submit(steps, { returns: ["b"] }), "ok"], { tools: [fail, echo] });
  await agent.invoke("go");
  expect(toolResults(agent)).toEqual([
    {
      status: "error",
      content: [{ text: "a failed (tool_failed): no such user\nb skipped" }],
    },
  ]);
});

test("an invoker calls a tool by name outside of any plan", async () => {
  const agent = planAgent([], { tools: [echo, fail] });
  const invoker = new AgentToolInvoker(agent);
  expect(await invoker.invoke("echo", { value: { a: 1 } })).toEqual({ a: 1 });
  await expect(invoker.invoke("fail", { message: "no such user" })).rejects.toThrow(
    "no such user",
  );
  agent.addHook(BeforeToolCallEvent, () => {
    throw new Error("broken hook");
  });
  await expect(invoker.invoke("echo", { value: 1 })).rejects.toThrow("broken hook");
});

test("an invoker runs the steps of a plan, which a hook's exception ends", async () => {
  const agent = planAgent([], { tools: [echo] });
  const steps = [
    { id: "a", tool: "echo", args: { value: 1 } },
    { id: "b", tool: "echo", bind: { value: "steps.a" } },
  ];
  const plan = { steps, output: "steps.b", on_error: "continue" as const };
  const invoker = new AgentToolInvoker(agent);
  expect((await executePlan(plan, invoker, { signal: invoker.signal })).output).toBe(1);
  agent.addHook(BeforeToolCallEvent, () => {
    throw new Error("broken hook");
  });
  const broken = executePlan(plan, invoker, { signal: invoker.signal });
  await expect(broken).rejects.toThrow("broken hook");
});

test("an agent that is a tool is not called again before a call that was left has ended", async () => {
  const release = new Signal();
  const seen: string[] = [];
  const helper = new Agent({
    model: new ScriptedModel(async () => {
      await release.wait();
      return "late";
    }, "in time"),
    name: "helper",
    description: "Helps.",
    printer: false,
  });
  const steps = [
    { id: "a", tool: "helper", args: { input: "?" } },
    { id: "b", tool: "helper", args: { input: "?" } },
  ];
  const agent = planAgent(
    [submit(steps, { returns: ["a", "b"], on_error: "continue" }), "ok"],
    {
      tools: [helper],
      plugin: new WorkflowPlanPlugin({ policy: { step_timeout_s: 0.03, max_concurrency: 1 } }),
    },
  );
  agent.addHook(AfterToolCallEvent, (event) => {
    seen.push(event.result.content.map((block) => JSON.stringify(block)).join());
  });
  await agent.invoke("go");
  release.set();
  expect(seen.join()).not.toContain("already processing");
});
