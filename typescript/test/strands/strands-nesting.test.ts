/** Plans inside of steps, beside each other, and of agents that share an invocation state. */

import {
  type Agent,
  BeforeToolCallEvent,
  FunctionTool,
  Message,
  ToolUseBlock,
} from "@strands-agents/sdk";
import { expect, test } from "vitest";
import type { PlanEvent } from "../../src/events.js";
import { Batch } from "../../src/strands-adapter/batch.js";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { namesOf } from "../../src/strands-adapter/naming.js";
import { type ToolCall, type Turn, toolCall } from "../../src/testing/scripted-model.js";
import {
  Barrier,
  echo,
  functionTool,
  modelOf,
  planAgent,
  submit,
  texts,
} from "./plan-agents.js";

const STORED = { steps: [{ id: "a", tool: "one" }], returns: ["a"] };
const OUTER = [
  { id: "s", tool: "stored" },
  { id: "t", tool: "one", after: ["s"] },
];
const one = functionTool("one", () => 1);

/** A plan call with this id, of one step that gives the value back. */
function call(id: string, value = 1): ToolCall {
  const step = { id: "a", tool: "echo", args: { value } };
  return toolCall(TOOL_NAME, { steps: [step], returns: ["a"] }, id);
}

/** An agent with a tool that runs a stored plan with the state that it was given. */
function nestingAgent(...turns: Turn[]): Agent {
  const plugin = new WorkflowPlanPlugin();
  const stored = new FunctionTool({
    name: "stored",
    description: "Run a stored plan.",
    callback: async (_, { agent, invocationState }) => {
      const result = await plugin.runPlan(STORED, { agent, invocationState });
      return result.returned;
    },
  });
  return planAgent(turns, { tools: [one, stored], plugin });
}

test("a plan stays final around a step that runs a plan", async () => {
  const invocationState = {};
  const agent = nestingAgent(submit(OUTER, { output: "'got ' & steps.s.a", final: true }));
  const result = await agent.invoke("go", { invocationState });
  expect([String(result), modelOf(agent).calls]).toEqual(["got 1", 1]);
  expect(invocationState).toEqual({});
});

test("an exception of a hook is thrown around a step that runs a plan", async () => {
  const agent = nestingAgent(submit(OUTER, { returns: ["t"] }), "never said");
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (event.toolUse.toolUseId.endsWith("__t")) throw new Error("broken hook");
  });
  await expect(agent.invoke("go")).rejects.toThrow("broken hook");
});

test("agents that share a state and call ids keep their plans apart", async () => {
  const barrier = new Barrier(2);
  const meet = functionTool(
    "meet",
    async ({ name }) => {
      await barrier.wait();
      return name;
    },
    { name: { type: "string" } },
  );
  const inners = new Map(
    ["ann", "bob"].map((name) => {
      const step = { id: "a", tool: "meet", args: { name } };
      const plan = { steps: [step], output: "'said ' & steps.a", final: true };
      return [name, planAgent([toolCall(TOOL_NAME, plan, "same")], { tools: [meet] })];
    }),
  );
  const ask = new FunctionTool({
    name: "ask",
    description: "Ask another agent, with the state of this one.",
    inputSchema: { type: "object", properties: { name: { type: "string" } } },
    callback: async (input, { invocationState }) => {
      const { name } = input as { name: string };
      return String(await inners.get(name)?.invoke("go", { invocationState }));
    },
  });
  const steps = [...inners.keys()].map((name) => ({ id: name, tool: "ask", args: { name } }));
  const plan = { steps, output: "steps.ann & ', ' & steps.bob", final: true };
  const agent = planAgent([toolCall(TOOL_NAME, plan, "same")], { tools: [ask] });
  const invocationState = {};
  const result = await agent.invoke("go", { invocationState });
  expect(String(result)).toBe("said ann, said bob");
  expect([agent, ...inners.values()].map((each) => modelOf(each).calls)).toEqual([1, 1, 1]);
  expect(invocationState).toEqual({});
});

test("two plans of one message with one id lose nothing", async () => {
  const uses: string[] = [];
  const events: PlanEvent[] = [];
  const plugin = new WorkflowPlanPlugin({ onEvent: (event) => events.push(event) });
  const agent = planAgent([[call("same", 1), call("same", 2)], "ok"], {
    tools: [echo],
    plugin,
    // The SDK's concurrent executor knows the results of a batch by their ids alone.
    toolExecutor: "sequential",
  });
  agent.addHook(BeforeToolCallEvent, (event) => void uses.push(event.toolUse.toolUseId));
  await agent.invoke("go");
  expect(texts(agent)).toEqual(['{"a":1}', '{"a":2}']);
  expect(uses.sort()).toEqual(["same", "same", "same-2__a", "same__a"]);
  const turn = agent.messages[1]?.trackingId;
  expect([...new Set(events.map((event) => event.run_id))]).toEqual([
    `${turn}/same`,
    `${turn}/same-2`,
  ]);
});

test("an exception of a hook is thrown beside a plan with the same id", async () => {
  const agent = planAgent([[call("same", 1), call("same", 2)], "never said"], {
    tools: [echo],
  });
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (event.toolUse.toolUseId === "same__a") throw new Error("broken hook");
  });
  await expect(agent.invoke("go")).rejects.toThrow("broken hook");
});

test("an id that comes again in each turn names another run each time", async () => {
  const runs = new Set<string>();
  const agent = planAgent(
    [call(TOOL_NAME), call(TOOL_NAME), "first", call(TOOL_NAME), "second"],
    {
      tools: [echo],
      plugin: new WorkflowPlanPlugin({ onEvent: (event) => runs.add(event.run_id) }),
    },
  );
  for (const text of ["go", "again"]) await agent.invoke(text);
  const turns = [1, 3, 7].map((at) => agent.messages[at]?.trackingId);
  expect([...runs]).toEqual(turns.map((turn) => `${turn}/${TOOL_NAME}`));
});

test("a turn that is taken up in another process names its run the same", () => {
  const use = new ToolUseBlock({ name: TOOL_NAME, toolUseId: "c", input: {} });
  const message = new Message({ role: "assistant", content: [use] });
  const batch = new Batch();
  batch.message = Message.fromJSON(JSON.parse(JSON.stringify(message)));
  const agent = planAgent([]);
  expect(namesOf(agent, "c", batch).run).toBe(`${message.trackingId}/c`);
});

test("a direct call of the plan tool names its run by chance and ends no turn", async () => {
  const runs = new Set<string>();
  const plugin = new WorkflowPlanPlugin({ onEvent: (event) => runs.add(event.run_id) });
  const agent = planAgent(["said"], { tools: [echo], plugin });
  await agent.initialize();
  const plan = { ...(call("c").input as object), final: true };
  for (const _ of [1, 2]) {
    const result = await agent.tool[TOOL_NAME]?.invoke(plan, { recordDirectToolCall: false });
    expect(result?.content.map((block) => block.toJSON())).toEqual([{ text: '{"a":1}' }]);
  }
  expect(runs.size).toBe(2);
  expect(String(await agent.invoke("go"))).toBe("said");
});
