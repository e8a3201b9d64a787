/**
 * Random plans with random gates, answered in any order, denied, and taken up by new agents: each
 * call is made once at most, and a plan ends as it does without gates, where what is denied
 * there is denied at once.
 */

import {
  type Agent,
  type AgentResult,
  BeforeToolCallEvent,
  FunctionTool,
  ImageBlock,
  InterruptResponseContent,
  type JSONValue,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import type { PlanResult } from "../../src/models.js";
import { TOOL_NAME } from "../../src/strands-adapter/index.js";
import { Dice } from "../dice.js";
import { Lives, stateOf } from "./pause-agents.js";
import { type Step, submit, toolResults } from "./plan-agents.js";

const PLANS = 200;
const AT_ONCE = 20;
const LIMIT_MS = 120_000;

/** How often what matters came about, in all plans together. */
const tally = { plans: 0, pauses: 0, partly: 0, denied: 0, restarts: 0 };

/** Whether something of this name is chosen, the same wherever it is asked. */
function chosen(seed: number, name: string, likely: number): boolean {
  let mixed = seed + 1;
  for (const char of name) mixed = Math.imul(mixed ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return new Dice(mixed).next() < likely;
}

function randomStep(dice: Dice, id: string, before: readonly string[]): Step {
  const needed = dice.some(before, 0.35);
  const bound = needed.length > 0 ? dice.one(needed) : undefined;
  const list = dice.chance(0.25) ? { for_each: `[1..${1 + dice.below(4)}]` } : {};
  const value = "for_each" in list ? "item" : bound && `$string(steps.${bound})`;
  return {
    id,
    tool: dice.chance(0.1) ? "fail" : dice.chance(0.1) ? "shoot" : dice.one(["read", "pay"]),
    ...list,
    ...(value ? { bind: { value } } : { args: { value: id } }),
    ...(needed.length > 0 && { after: needed }),
    ...(dice.chance(0.1) && { when: "1 = 2" }),
    ...(dice.chance(0.15) && { join: "any" }),
  };
}

/** How a random plan is run. */
interface Case {
  readonly seed: number;
  readonly plan: ReturnType<typeof submit>;
  readonly toolExecutor: "concurrent" | "sequential";
}

function randomCase(seed: number, onError: string): Case {
  const dice = new Dice(seed);
  const steps: Step[] = [];
  for (let count = 2 + dice.below(6); count > 0; count -= 1) {
    const before = steps.map(({ id }) => String(id));
    steps.push(randomStep(dice, `s${steps.length}`, before));
  }
  const returns = dice.some(
    steps.map(({ id }) => String(id)),
    0.5,
  );
  return {
    seed,
    plan: submit(steps, {
      returns: returns.length > 0 ? returns : ["s0"],
      on_error: onError,
    }),
    toolExecutor: dice.chance(0.3) ? "sequential" : "concurrent",
  };
}

/** The runs of one plan, with a note of each call that reached its tool. */
class Course {
  readonly ran: string[] = [];
  results: PlanResult[] = [];
  private readonly lives = new Lives([
    this.tool("read", (value) => ({ read: value })),
    this.tool("pay", (value) => ({ paid: value })),
    this.tool(
      "shoot",
      () => new ImageBlock({ format: "png", source: { bytes: Uint8Array.of(7) } }),
    ),
    this.tool("fail", () => {
      throw new Error("down");
    }),
  ]);

  constructor(
    private readonly of: Case,
    private readonly isGated: boolean,
  ) {
    this.lives.gates = [];
  }

  /** Run the plan to its end, as often as it has to be answered. */
  async run(dice: Dice): Promise<Agent> {
    let agent = this.agent(true);
    let result = await this.told(agent, "go");
    tally.plans += this.isGated ? 1 : 0;
    for (let rounds = 0; result.stopReason === "interrupt"; rounds += 1) {
      expect(rounds).toBeLessThan(50);
      const asked = result.interrupts ?? [];
      const answered = dice.some(asked, 0.6);
      const given = answered.length > 0 ? answered : asked.slice(0, 1);
      const isRestarted = dice.chance(0.5);
      if (isRestarted) agent = this.agent(false);
      tally.pauses += 1;
      tally.partly += given.length < asked.length ? 1 : 0;
      tally.restarts += isRestarted ? 1 : 0;
      result = await this.told(
        agent,
        given.map(({ id: interruptId }) => {
          const [, use = ""] = /:(call_[\w-]+)/.exec(interruptId) ?? [];
          const response = this.isDenied(use) ? "denied" : "yes";
          tally.denied += response === "denied" ? 1 : 0;
          return new InterruptResponseContent({ interruptId, response });
        }),
      );
    }
    return agent;
  }

  private async told(
    agent: Agent,
    prompt: Parameters<Agent["invoke"]>[0],
  ): Promise<AgentResult> {
    const stream = agent.stream(prompt);
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
      if (next.value.type !== "toolStreamUpdateEvent") continue;
      const { plan_result } = next.value.event.data as { plan_result?: PlanResult };
      if (plan_result !== undefined) this.results.push(plan_result);
    }
  }

  private isDenied(use: string): boolean {
    return this.isAsked(use) && chosen(this.of.seed, `${use} denied`, 0.2);
  }

  private isAsked(use: string): boolean {
    return chosen(this.of.seed, use, 0.4);
  }

  private agent(isFirst: boolean): Agent {
    // Who goes on in the same process has the plan behind it, and who does not the rest ahead.
    const turns = isFirst ? [this.of.plan, "done"] : ["done"];
    const { toolExecutor } = this.of;
    const agent = this.lives.agent(turns, { toolExecutor });
    agent.addHook(BeforeToolCallEvent, (event) => {
      const { name, toolUseId } = event.toolUse;
      if (name === TOOL_NAME || !this.isAsked(toolUseId)) return;
      const answer = this.isGated
        ? event.interrupt<string>({ name: "approval" })
        : this.isDenied(toolUseId)
          ? "denied"
          : "yes";
      if (answer !== "yes") event.cancel = answer;
    });
    return agent;
  }

  private tool(name: string, give: (value: JSONValue) => unknown): FunctionTool {
    return new FunctionTool({
      name,
      description: `${name}.`,
      inputSchema: { type: "object", properties: { value: {} } },
      callback: async (input, { toolUse }) => {
        this.ran.push(toolUse.toolUseId);
        await null;
        return give((input as { value?: JSONValue }).value ?? null) as JSONValue;
      },
    });
  }
}

function seedsOf(chunk: number): number[] {
  return Array.from({ length: AT_ONCE }, (_, at) => chunk * AT_ONCE + at);
}

/** How each step ended, whatever time it took. */
function endsOf(course: Course): object[] {
  expect(course.results.length).toBe(1);
  return (course.results[0]?.ledger ?? []).map(({ duration_ms: _, ...entry }) => entry);
}

describe.each(Array.from({ length: PLANS / AT_ONCE }, (_, chunk) => chunk))(
  "of random plans, part %i,",
  (chunk) => {
    test(
      "each ends as without gates",
      async () => {
        for (const seed of seedsOf(chunk)) {
          const each = randomCase(seed, "continue");
          const plain = new Course(each, false);
          const expected = await plain.run(new Dice(seed));
          const gated = new Course(each, true);
          const agent = await gated.run(new Dice(seed + PLANS));
          const told = { seed, ends: endsOf(gated), ran: gated.ran.toSorted() };
          expect(told).toEqual({ seed, ends: endsOf(plain), ran: plain.ran.toSorted() });
          expect([new Set(gated.ran).size, toolResults(agent)]).toEqual([
            gated.ran.length,
            toolResults(expected),
          ]);
          expect(stateOf(agent)).toBeUndefined();
        }
      },
      LIMIT_MS,
    );

    test(
      "one that stops at its first failure makes no call twice either",
      async () => {
        for (const seed of seedsOf(chunk).slice(0, AT_ONCE / 4)) {
          const gated = new Course(randomCase(seed, "fail_fast"), true);
          const agent = await gated.run(new Dice(seed + 2 * PLANS));
          expect({ seed, twice: gated.ran.length - new Set(gated.ran).size }).toEqual({
            seed,
            twice: 0,
          });
          endsOf(gated);
          expect(stateOf(agent)).toBeUndefined();
        }
      },
      LIMIT_MS,
    );
  },
);

test("those plans paused, were answered in part, denied and taken up anew", ({ skip }) => {
  const { plans, ...seen } = tally;
  skip(plans < PLANS, "not all of them ran");
  const least = { pauses: 300, partly: 50, denied: 50, restarts: 150 };
  for (const [name, count] of Object.entries(least)) {
    expect(seen[name as keyof typeof seen], name).toBeGreaterThan(count);
  }
});
