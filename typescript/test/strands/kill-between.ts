/**
 * One life of an agent whose plan waits: it says what is asked, and then it lives until it is
 * killed. Run by `strands-kill.test.ts` in a process of its own.
 *
 * Arguments: the folder of the session, the file in which each run of a tool is noted, and the
 * answers as JSON, by the ids of what was asked; without answers the turn begins.
 */

import { appendFileSync } from "node:fs";
import {
  Agent,
  BeforeToolCallEvent,
  FileStorage,
  FunctionTool,
  ImageBlock,
  InterruptResponseContent,
  type JSONValue,
  SessionManager,
} from "@strands-agents/sdk";
import { WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { ScriptedModel, toolCall } from "../../src/testing/scripted-model.js";

const [folder = "", noted = "", answers] = process.argv.slice(2);

function tool(name: string, give: (value: JSONValue) => unknown): FunctionTool {
  return new FunctionTool({
    name,
    description: `${name}.`,
    inputSchema: { type: "object", properties: { value: {} } },
    callback: (input) => {
      const { value = null } = input as { readonly value?: JSONValue };
      appendFileSync(noted, `${name} ${JSON.stringify(value)}\n`);
      return give(value) as JSONValue;
    },
  });
}

const STEPS = [
  { id: "find", tool: "read", args: { value: [1, 2, 3] } },
  { id: "shot", tool: "shoot" },
  { id: "bad", tool: "fail" },
  { id: "never", tool: "read", after: ["bad"] },
  { id: "each", tool: "pay", for_each: "steps.find", bind: { value: "item" } },
  { id: "first", tool: "pay", args: { value: 10 } },
  { id: "then", tool: "read", bind: { value: "steps.first + 1" } },
  { id: "last", tool: "pay", bind: { value: "steps.each[0] + steps.then" } },
  { id: "look", tool: "read", bind: { value: "steps.shot" }, after: ["last"] },
];
const PLAN = { steps: STEPS, returns: ["each", "last"], on_error: "continue" };

const agent = new Agent({
  id: "one",
  model: new ScriptedModel(
    ...(answers === undefined ? [toolCall("submit_workflow_plan", PLAN)] : ["done"]),
  ),
  tools: [
    tool("read", (value) => value),
    tool("pay", (value) => value),
    tool("shoot", () => new ImageBlock({ format: "png", source: { bytes: Uint8Array.of(1) } })),
    tool("fail", () => {
      throw new Error("down");
    }),
  ],
  plugins: [new WorkflowPlanPlugin()],
  sessionManager: new SessionManager({
    sessionId: "s",
    storage: { snapshot: new FileStorage(folder) },
  }),
  printer: false,
});
agent.addHook(BeforeToolCallEvent, (event) => {
  if (event.toolUse.name !== "pay") return;
  if (event.interrupt({ name: "approval" }) !== "yes") event.cancel = "no";
});

const given = Object.entries(JSON.parse(answers ?? "{}") as Record<string, JSONValue>);
const result = await agent.invoke(
  answers === undefined
    ? "go"
    : given.map(
        ([interruptId, response]) => new InterruptResponseContent({ interruptId, response }),
      ),
);
const told = agent.messages
  .flatMap(({ content }) => content)
  .flatMap((block) => (block.type === "toolResultBlock" ? block.content : []))
  .flatMap((block) => (block.type === "textBlock" ? [block.text] : []));
const asked = (result.interrupts ?? []).map(({ id }) => id);
process.stdout.write(`${JSON.stringify({ asked, told })}\n`);
// Killed from outside, without any chance to tidy up.
setInterval(() => undefined, 1_000_000);
