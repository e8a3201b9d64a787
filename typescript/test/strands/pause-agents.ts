/** Gates for the tests of plans that wait, and answers to what they ask. */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  type AgentConfig,
  type AgentResult,
  BeforeToolCallEvent,
  FileStorage,
  FunctionTool,
  InterruptResponseContent,
  type JSONValue,
  SessionManager,
  type Tool,
} from "@strands-agents/sdk";
import { expect, onTestFinished } from "vitest";
import {
  type WorkflowPlanOptions,
  WorkflowPlanPlugin,
} from "../../src/strands-adapter/index.js";
import { STATE_KEY } from "../../src/strands-adapter/pauses.js";
import type { Turn } from "../../src/testing/scripted-model.js";
import { planAgent } from "./plan-agents.js";

/** Tools that count how often each was called, by tool and argument. */
export class Ran {
  readonly calls: Record<string, number> = {};

  /** `read` and `pay` give back what they are given; `fail` fails. */
  get tools(): FunctionTool[] {
    return [
      this.tool("read", (value) => ({ value })),
      this.tool("pay", (value) => ({ paid: value })),
      this.tool("fail", () => {
        throw new Error("no such thing");
      }),
    ];
  }

  private tool(name: string, give: (value: JSONValue) => JSONValue): FunctionTool {
    return new FunctionTool({
      name,
      description: `${name}.`,
      inputSchema: { type: "object", properties: { value: {} } },
      callback: (input) => {
        const { value = 0 } = input as { readonly value?: JSONValue };
        this.count(`${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
        return give(value);
      },
    });
  }

  /** Note that something was called. */
  count(call: string): void {
    this.calls[call] = (this.calls[call] ?? 0) + 1;
  }
}

/** Make these tools ask before they run, by a hook; what is not yes is the reason. */
export function gate(agent: Agent, ...names: readonly string[]): Agent {
  agent.addHook(BeforeToolCallEvent, (event) => {
    if (!names.includes(event.toolUse.name)) return;
    const reason = event.toolUse.input;
    const answer = event.interrupt<JSONValue>({ name: "approval", reason });
    if (answer !== "yes") event.cancel = String(answer);
  });
  return agent;
}

/** Which step asks: `pay`, or `pay-2` for an item; `plan` for a call outside of a plan. */
export function stepOf(interrupt: { readonly id: string }): string {
  return /__([\w-]+)/.exec(interrupt.id)?.[1] ?? "plan";
}

/** Which steps ask. */
export function asked(result: AgentResult): string[] {
  expect(result.stopReason).toBe("interrupt");
  return (result.interrupts ?? []).map(stepOf);
}

/** The answers to what some steps ask. */
export function replies(
  result: AgentResult,
  answers: Readonly<Record<string, JSONValue>>,
): InterruptResponseContent[] {
  return (result.interrupts ?? []).flatMap((interrupt) => {
    const response = answers[stepOf(interrupt)];
    if (response === undefined) return [];
    return [new InterruptResponseContent({ interruptId: interrupt.id, response })];
  });
}

/** What is kept of plans in an agent's state. */
export function stateOf(agent: Agent): unknown {
  return agent.appState.get(STATE_KEY);
}

/** The names of the plans that are kept. */
export function keptPlans(agent: Agent): string[] {
  const state = stateOf(agent);
  const plans = typeof state === "object" && state !== null && "plans" in state && state.plans;
  return Object.keys(plans || {});
}

function remove(folder: string): void {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
}

/** A session in a folder of its own, from which agents are made anew as in new processes. */
export class Lives {
  private folder = mkdtempSync(join(tmpdir(), "plan-tool-"));
  /** The tools that ask before they run. */
  gates: readonly string[] = ["pay"];

  /**
   * @param tools - The tools of each agent.
   * @param options - Those of the plugin.
   * @param saveLatestOn - When the session is stored.
   */
  constructor(
    private readonly tools: readonly Tool[],
    private readonly options: WorkflowPlanOptions = {},
    private readonly saveLatestOn: "invocation" | "message" = "invocation",
  ) {
    remove(this.folder);
  }

  /** Go on with what is stored at this moment, whatever is stored later. */
  keepThis(): void {
    const kept = mkdtempSync(join(tmpdir(), "plan-tool-"));
    remove(kept);
    cpSync(this.folder, kept, { recursive: true });
    this.folder = kept;
  }

  /** A new agent, with what its model says from now on. */
  agent(turns: readonly Turn[] = [], config: AgentConfig = {}): Agent {
    const sessionManager = new SessionManager({
      sessionId: "s",
      storage: { snapshot: new FileStorage(this.folder) },
      saveLatestOn: this.saveLatestOn,
    });
    const agent = planAgent(turns, {
      id: "one",
      tools: [...this.tools],
      plugin: new WorkflowPlanPlugin(this.options),
      sessionManager,
      ...config,
    });
    return gate(agent, ...this.gates);
  }

  /** All that is stored. */
  stored(): string {
    const files = readdirSync(this.folder, { recursive: true, encoding: "utf8" });
    const texts = files.filter((name) => name.endsWith(".json"));
    return texts.map((name) => readFileSync(join(this.folder, name), "utf8")).join("\n");
  }
}
