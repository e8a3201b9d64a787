/** Agents with a scripted model for the tests of the plugin, and what they then said. */

import { Agent, type AgentConfig, FunctionTool, type JSONValue } from "@strands-agents/sdk";
import { expect } from "vitest";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import {
  ScriptedModel,
  type ToolCall,
  type Turn,
  toolCall,
} from "../../src/testing/scripted-model.js";

/** A step of a plan, as a model writes it. */
export type Step = Readonly<Record<string, unknown>>;

/** How long a test waits for what never takes any time, before it is called hung. */
const GUARD_MS = 10_000;

/** The model's call of the plan tool. */
export function submit(steps: readonly Step[], fields: Step = {}): ToolCall {
  return toolCall(TOOL_NAME, { steps, ...fields });
}

/** A tool of a name, whose function is given its input. */
export function functionTool(
  name: string,
  callback: (input: Record<string, JSONValue>) => unknown,
  properties: Readonly<Record<string, object>> = {},
): FunctionTool {
  return new FunctionTool({
    name,
    description: `${name}.`,
    inputSchema: { type: "object", properties, required: Object.keys(properties) },
    callback: (input) => callback(input as Record<string, JSONValue>) as JSONValue,
  });
}

/** A tool that gives its argument `value` back. */
export const echo: FunctionTool = functionTool(
  "echo",
  async ({ value }) => {
    await null;
    return value;
  },
  { value: {} },
);

/** A tool that fails with its argument `message`. */
export const fail: FunctionTool = functionTool(
  "fail",
  ({ message }) => {
    throw new Error(String(message));
  },
  { message: { type: "string" } },
);

/** An agent with the plugin, whose model says these turns. */
export function planAgent(
  turns: readonly Turn[],
  { plugin, plugins = [], ...config }: AgentConfig & { plugin?: WorkflowPlanPlugin } = {},
): Agent {
  return new Agent({
    model: new ScriptedModel(...turns),
    plugins: [plugin ?? new WorkflowPlanPlugin(), ...plugins],
    printer: false,
    ...config,
  });
}

/** The agent's scripted model. */
export function modelOf(agent: Agent): ScriptedModel {
  if (agent.model instanceof ScriptedModel) return agent.model;
  throw new TypeError("the agent's model is no script");
}

/** What the conversation holds of a tool call. */
export interface Told {
  readonly status: string;
  readonly content: readonly unknown[];
}

/** Every tool result in the conversation, as plain data without its id. */
export function toolResults(agent: Agent): readonly Told[] {
  return agent.messages
    .flatMap((message) => message.content)
    .flatMap((block) => (block.type === "toolResultBlock" ? [block.toJSON().toolResult] : []))
    .map(({ status, content }) => ({ status, content }));
}

/** The texts of all tool results in the conversation. */
export function texts(agent: Agent): readonly string[] {
  return toolResults(agent).map(({ content }) => textOf(content));
}

/** The text of the only tool result in the conversation, which went well. */
export function answer(agent: Agent): string {
  return only(agent, "success");
}

/** The text of the only tool result in the conversation, which is an error. */
export function refusal(agent: Agent): string {
  return only(agent, "error");
}

function only(agent: Agent, status: string): string {
  const [result, ...more] = toolResults(agent);
  expect([result?.status, more], JSON.stringify(result)).toEqual([status, []]);
  return textOf(result?.content ?? []);
}

function textOf(content: readonly unknown[]): string {
  const [first] = content;
  return typeof first === "object" && first !== null && "text" in first
    ? String(first.text)
    : "";
}

/** Something that is to happen, and waiting for it. */
export class Signal {
  private ring: () => void = () => undefined;
  private readonly rung = new Promise<void>((resolve) => {
    this.ring = resolve;
  });

  set(): void {
    this.ring();
  }

  /** Wait for what must come without any time going by. */
  wait(): Promise<void> {
    return soon(this.rung);
  }
}

/** A place where so many have to be at one time before any goes on. */
export class Barrier {
  private readonly full = new Signal();
  private missing: number;

  constructor(parties: number) {
    this.missing = parties;
  }

  wait(): Promise<void> {
    this.missing -= 1;
    if (this.missing === 0) this.full.set();
    return this.full.wait();
  }
}

/** Wait for what must come without any time going by. */
export async function soon<T>(waited: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not come")), GUARD_MS);
  });
  try {
    return await Promise.race([waited, late]);
  } finally {
    clearTimeout(timer);
  }
}
