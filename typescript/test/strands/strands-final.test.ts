/** A final plan ends the agent's turn, where nothing else is waiting to be said. */

import {
  AfterToolCallEvent,
  AfterToolsEvent,
  ExecuteToolStage,
  TextBlock,
  ToolResultBlock,
} from "@strands-agents/sdk";
import { ContextOffloader } from "@strands-agents/sdk/vended-plugins/context-offloader";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { toolCall } from "../../src/testing/scripted-model.js";
import {
  echo,
  fail,
  functionTool,
  modelOf,
  planAgent,
  type Step,
  submit,
  texts,
} from "./plan-agents.js";

const ASK: Step = { id: "a", tool: "echo", args: { value: { n: 2 } } };
const BAD: Step = { id: "b", tool: "fail", args: { message: "broken" } };
const SECRET = submit([ASK], { output: "'secret ' & steps.a.n", final: true });
const WITHHELD = [new TextBlock("[withheld]")];

describe("the turn ends", () => {
  test.each([
    [{ output: "'Found ' & steps.a.n" }, "Found 2"],
    [{ output: "steps.a" }, '{"n":2}'],
    [{ output: "null" }, "null"],
    [{ returns: ["a"] }, '{"a":{"n":2}}'],
    [{ returns: ["a"], output: "'both'" }, "both"],
    [{ output: "''" }, ""],
  ])("with output as prose or else JSON: %j", async (fields, text) => {
    const agent = planAgent([submit([ASK], { ...fields, final: true })], { tools: [echo] });
    const result = await agent.invoke("go");
    expect(result.stopReason).toBe("endTurn");
    expect(result.lastMessage.content).toEqual([new TextBlock(text)]);
    expect(agent.messages.at(-1)?.content).toEqual([new TextBlock(text)]);
    expect(modelOf(agent).calls).toBe(1);
  });

  test("although a middleware gave the plan a copy of the state", async () => {
    const agent = planAgent([submit([ASK], { output: "'told'", final: true })], {
      tools: [echo],
    });
    agent.addMiddleware(ExecuteToolStage.Input, (context) => ({
      ...context,
      invocationState: { ...context.invocationState },
    }));
    expect(String(await agent.invoke("go"))).toBe("told");
  });

  test("although a hook handed an equal result on", async () => {
    const agent = planAgent([submit([ASK], { output: "'told'", final: true })], {
      tools: [echo],
    });
    agent.addHook(AfterToolCallEvent, (event) => {
      event.result = ToolResultBlock.fromJSON(event.result.toJSON());
    });
    expect(String(await agent.invoke("go"))).toBe("told");
  });

  test("with the second result of a plan that a hook has run again", async () => {
    let told = 0;
    const count = functionTool("count", () => {
      told += 1;
      return told;
    });
    const plan = submit([{ id: "a", tool: "count" }], { output: "steps.a", final: true });
    const agent = planAgent([plan], { tools: [count] });
    agent.addHook(AfterToolCallEvent, (event) => {
      event.retry = event.toolUse.name === TOOL_NAME && told < 2;
    });
    expect(String(await agent.invoke("go"))).toBe("2");
  });

  test("and the conversation goes on after it", async () => {
    const agent = planAgent(
      [
        submit([ASK], { output: "'first'", final: true }),
        submit([ASK], { output: "'second'", final: true }),
      ],
      { tools: [echo] },
    );
    expect(String(await agent.invoke("go"))).toBe("first");
    expect(String(await agent.invoke("again"))).toBe("second");
  });
});

describe("the model is heard again", () => {
  test.each([
    ["where the plan is not final", submit([ASK], { returns: ["a"] })],
    [
      "where a step failed",
      submit([ASK, BAD], { returns: ["a"], final: true, on_error: "continue" }),
    ],
    ["where the output failed", submit([ASK], { output: "steps.a.nmae", final: true })],
    [
      "where there is nothing to say",
      submit([{ ...ASK, when: "false" }], { returns: ["a"], final: true }),
    ],
  ])("%s", async (_, plan) => {
    const agent = planAgent([plan, "The model's words."], { tools: [echo, fail] });
    expect(String(await agent.invoke("go"))).toBe("The model's words.");
  });

  test("where the host keeps plans from ending the turn", async () => {
    const agent = planAgent([SECRET, "The model's words."], {
      tools: [echo],
      plugin: new WorkflowPlanPlugin({ honorFinal: false }),
    });
    expect(String(await agent.invoke("go"))).toBe("The model's words.");
  });

  test("beside another tool's result", async () => {
    const other = toolCall("echo", { value: 1 });
    const agent = planAgent([[SECRET, other], "Both seen."], { tools: [echo] });
    expect(String(await agent.invoke("go"))).toBe("Both seen.");
  });

  test("where two plans of one batch are final", async () => {
    const plan = submit([ASK], { returns: ["a"], final: true });
    const agent = planAgent([[plan, plan], "Both seen."], { tools: [echo] });
    expect(String(await agent.invoke("go"))).toBe("Both seen.");
    expect(texts(agent)).toEqual(['{"a":{"n":2}}', '{"a":{"n":2}}']);
  });

  test("where the caller is to get structured output", async () => {
    const Verdict = z.object({ good: z.boolean() });
    const agent = planAgent([SECRET, toolCall("strands_structured_output", { good: true })], {
      tools: [echo],
    });
    const result = await agent.invoke("go", { structuredOutputSchema: Verdict });
    expect(result.structuredOutput).toEqual({ good: true });
  });

  test.each<[string, (event: AfterToolCallEvent) => ToolResultBlock]>([
    ["replaced", ({ result }) => new ToolResultBlock({ ...result, content: WITHHELD })],
    ["failed", ({ result }) => new ToolResultBlock({ ...result, status: "error" })],
    [
      "extended",
      ({ result }) =>
        new ToolResultBlock({ ...result, content: [...result.content, ...WITHHELD] }),
    ],
  ])("where a hook %s the result", async (_, change) => {
    const agent = planAgent([SECRET, "The model's words."], { tools: [echo] });
    agent.addHook(AfterToolCallEvent, (event) => {
      if (event.toolUse.name === TOOL_NAME) event.result = change(event);
    });
    expect(String(await agent.invoke("go"))).toBe("The model's words.");
    expect(modelOf(agent).calls).toBe(2);
  });

  test("where a hook changed the result after the batch", async () => {
    const agent = planAgent([SECRET, "The model's words."], { tools: [echo] });
    agent.addHook(AfterToolsEvent, ({ message }) => {
      const [block] = message.content;
      if (block?.type === "toolResultBlock") block.content.splice(0, 1, ...WITHHELD);
    });
    expect(String(await agent.invoke("go"))).toBe("The model's words.");
  });

  test("where a middleware changed the result", async () => {
    const agent = planAgent([SECRET, "The model's words."], { tools: [echo] });
    agent.addMiddleware(ExecuteToolStage.Output, ({ result }) => {
      const withheld = new ToolResultBlock({ ...result, content: WITHHELD });
      return { result: result.toolUseId.includes("__") ? result : withheld };
    });
    expect(String(await agent.invoke("go"))).toBe("The model's words.");
  });

  test("where the result was moved out of the context", async () => {
    const long = { id: "a", tool: "echo", args: { value: "x".repeat(30_000) } };
    const agent = planAgent(
      [submit([long], { output: "steps.a", final: true }), "It is long."],
      { tools: [echo], plugins: [new ContextOffloader({})] },
    );
    expect(String(await agent.invoke("go"))).toBe("It is long.");
  });
});

test("what another hook ends the turn with stays", async () => {
  const agent = planAgent([SECRET], { tools: [echo] });
  agent.addHook(AfterToolsEvent, (event) => {
    event.endTurn = "the hook's words";
  });
  expect(String(await agent.invoke("go"))).toBe("the hook's words");
});
