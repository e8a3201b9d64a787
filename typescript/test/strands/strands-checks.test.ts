/** A plan is checked against the agent's own tools before anything runs, and may be mended. */

import {
  type Agent,
  BeforeToolCallEvent,
  InterruptResponseContent,
  type Tool,
  tool,
} from "@strands-agents/sdk";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  AgentInterruptedError,
  InvalidPlanShapeError,
  ToolNotPlannableError,
} from "../../src/errors.js";
import { WorkflowPlan } from "../../src/models.js";
import {
  coercePlan,
  returning,
  TOOL_NAME,
  WorkflowPlanPlugin,
} from "../../src/strands-adapter/index.js";
import { type ToolCall, toolCall } from "../../src/testing/scripted-model.js";
import {
  answer,
  functionTool,
  planAgent,
  refusal,
  type Step,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const LOOKUP: Step = { id: "u", tool: "lookup", args: { name: "ann" } };
const FETCH: Step = { id: "f", tool: "fetch", bind: { target: "steps.u.id" } };

let ran: string[] = [];
let tools: Tool[] = [];

beforeEach(() => {
  ran = [];
  const lookup = tool({
    name: "lookup",
    description: "Look a user up.",
    inputSchema: z.object({ name: z.string(), deep: z.boolean().default(false) }),
    callback: ({ name, deep }) => {
      ran.push("lookup");
      return { id: 7, name, deep };
    },
  });
  const fetch = tool({
    name: "fetch",
    description: "Fetch what a user has.",
    inputSchema: z.object({ target: z.number() }),
    callback: ({ target }) => {
      ran.push("fetch");
      return { items: [{ sku: "a" }, { sku: "b" }], of: target };
    },
  });
  const note = tool({
    name: "note",
    description: "Note.",
    inputSchema: z.object({ text: z.string() }),
    callback: ({ text }) => {
      ran.push("note");
      return `noted ${text}`;
    },
  });
  const user = z.object({ id: z.int(), name: z.string(), deep: z.boolean() });
  tools = [returning(lookup, user), fetch, note];
});

async function toldBy(plan: ToolCall): Promise<Agent> {
  const agent = planAgent([plan, "ok"], { tools });
  await agent.invoke("go");
  return agent;
}

test("a chain of three tools runs in one model call", async () => {
  const noting = {
    id: "n",
    tool: "note",
    bind: { text: "$join(steps.f.items.sku, '+')" },
  };
  const output = "steps.n & ' for ' & steps.u.name";
  const agent = planAgent([submit([LOOKUP, FETCH, noting], { output, final: true })], {
    tools,
  });
  expect(String(await agent.invoke("go"))).toBe("noted a+b for ann");
  expect(ran).toEqual(["lookup", "fetch", "note"]);
});

test("five faults of five kinds are told at once and no tool runs", async () => {
  const steps = [
    { id: "u", tool: "lookup", args: { nmae: "ann", name: "ann" } },
    { id: "f", tool: "fetch", bind: { target: "steps.u.uid" } },
    { id: "x", tool: "lokup", args: { name: "bob" } },
    { id: "n", tool: "note", bind: { text: "steps.q.name" } },
    { id: "m", tool: "note", args: { text: "a" }, when: "steps.u.id == 7" },
  ];
  const text = refusal(await toldBy(submit(steps, { returns: ["f"] })));
  const [, ...lines] = text.split("\n");
  expect(lines.map((line) => [line.split(":")[0], line.split("(").at(-1)])).toEqual([
    ["/steps/0/args/nmae", "unknown_argument)"],
    ["/steps/1/bind/target", "unknown_result_field)"],
    ["/steps/2/tool", "unknown_tool)"],
    ["/steps/3/bind/text", "unknown_step)"],
    ["/steps/4/when", "foreign_syntax)"],
  ]);
  expect(ran).toEqual([]);
});

test("a refused plan is mended by the edit that it names", async () => {
  const wrong = { id: "f", tool: "fetch", bind: { target: "steps.u.uid" } };
  const agent = planAgent(
    [
      submit([LOOKUP, wrong], { output: "steps.f.of" }),
      submit([LOOKUP, FETCH], { output: "steps.f.of", final: true }),
    ],
    { tools },
  );
  expect(String(await agent.invoke("go"))).toBe("7");
  expect(texts(agent)[0]?.replaceAll('"', "")).toContain("id, name, deep");
  expect(toolResults(agent).map(({ status }) => status)).toEqual(["error", "success"]);
  expect(ran).toEqual(["lookup", "fetch"]);
});

test.each([
  [{ id: "a", tool: "lookup" }, "missing_argument"],
  [{ id: "a", tool: "lookup", args: { name: 5 } }, "argument_type"],
  [{ id: "a", tool: "lookup", args: { name: "x", depe: true } }, "unknown_argument"],
  [{ id: "a", tool: "nowhere" }, "unknown_tool"],
])("arguments are checked against the tool's own schema: %j", async (step, code) => {
  const text = refusal(await toldBy(submit([step], { returns: ["a"] })));
  expect([text.includes(`(${code})`), ran]).toEqual([true, []]);
});

test("an argument with a default may be left out, though the schema lists it", async () => {
  const [lookup] = tools;
  expect(lookup?.toolSpec.inputSchema?.required).toContain("deep");
  const agent = await toldBy(submit([LOOKUP], { output: "steps.u" }));
  expect(answer(agent)).toBe('{"id":7,"name":"ann","deep":false}');
});

describe("a misspelled path", () => {
  test.each(["bind", "when", "for_each"])(
    "in %s fails its step and names the fields there are",
    async (field) => {
      const fetched = { id: "f", tool: "fetch", args: { target: 1 } };
      const wrong =
        field === "bind" ? { bind: { text: "steps.f.itmes" } } : { [field]: "steps.f.itmes" };
      const step = { id: "n", tool: "note", bind: { text: "'x'" }, ...wrong };
      const agent = await toldBy(submit([fetched, step], { returns: ["n"] }));
      const [text] = texts(agent);
      expect(text).toMatch(/^n failed \(no_value\): /);
      expect(text).toContain("items");
      expect(ran).toEqual(["fetch"]);
    },
  );

  test("in output is told and the results stay", async () => {
    const step = { id: "f", tool: "fetch", args: { target: 1 } };
    const agent = await toldBy(submit([step], { returns: ["f"], output: "steps.f.itmes" }));
    const [first, second] = answer(agent).split("\n");
    expect(first).toBe('{"f":{"items":[{"sku":"a"},{"sku":"b"}],"of":1}}');
    expect(second).toMatch(/^output failed \(no_value\): /);
  });
});

test.each<[string, unknown]>([
  ["wrapped", { plan: { steps: [LOOKUP], returns: ["u"] } }],
  ["strings", { steps: JSON.stringify([LOOKUP]), returns: "u" }],
  ["whole text", JSON.stringify({ steps: [LOOKUP], returns: ["u"] })],
  ["nulls", { steps: [{ ...LOOKUP, when: null }], returns: ["u"], output: null }],
])("the usual slips of models are mended: %s", async (_, sent) => {
  const agent = await toldBy(toolCall(TOOL_NAME, sent));
  expect(answer(agent)).toBe('{"u":{"id":7,"name":"ann","deep":false}}');
});

test("a literal null passes where null is allowed", async () => {
  const schema = { text: { type: "string" }, limit: { type: ["integer", "null"] } };
  tools = [functionTool("search", ({ text, limit }) => [text, limit], schema)];
  const step = { id: "s", tool: "search", args: { text: "a", limit: null } };
  const agent = await toldBy(submit([step], { returns: ["s"] }));
  expect(answer(agent)).toBe('{"s":["a",null]}');
});

test("runPlan takes a plan in every form", async () => {
  const plugin = new WorkflowPlanPlugin();
  const agent = planAgent([], { tools, plugin });
  const plain = { steps: [{ id: "u", tool: "lookup", args: { name: "ann" } }], returns: ["u"] };
  for (const form of [WorkflowPlan.parse(plain), plain, JSON.stringify(plain)]) {
    const result = await plugin.runPlan(form, { agent });
    expect(result.returned).toEqual({ u: { id: 7, name: "ann", deep: false } });
  }
  const unknown = plugin.runPlan({ steps: [{ id: "a", tool: "x" }], returns: ["a"] });
  await expect(unknown).rejects.toThrow(ToolNotPlannableError);
  await expect(unknown).rejects.toMatchObject({ diagnostics: [{ code: "unknown_tool" }] });
});

test("a plan is read from every form", () => {
  const plain = { steps: [{ id: "a", tool: "t" }], returns: ["a"] };
  const plan = WorkflowPlan.parse(plain);
  for (const form of [plan, plain, JSON.stringify(plain), { plan: plain }]) {
    expect(coercePlan(form)).toEqual(plan);
  }
  expect(() => coercePlan({ returns: ["a"] })).toThrow(InvalidPlanShapeError);
});

test("no plan runs while the agent waits for a person", async () => {
  const plugin = new WorkflowPlanPlugin({ approvals: "refuse" });
  const plan = { steps: [LOOKUP], returns: ["u"] };
  const agent = planAgent([toolCall(TOOL_NAME, plan), "I see."], { tools, plugin });
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (event.toolUse.name === TOOL_NAME) event.interrupt({ name: "approval" });
  });
  const result = await agent.invoke("go");
  expect(result.stopReason).toBe("interrupt");
  await expect(plugin.runPlan(plan as never)).rejects.toThrow(AgentInterruptedError);
  const interruptId = result.interrupts?.[0]?.id ?? "";
  await agent.invoke([new InterruptResponseContent({ interruptId, response: "yes" })]);
  expect(refusal(agent)).toContain("nothing ran");
  expect(ran).toEqual([]);
});
