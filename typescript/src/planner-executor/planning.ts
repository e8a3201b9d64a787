/** Gets a plan that may run out of the planner: asks, checks, and sends refused ones back. */

import { type Diagnostic, TaskPlan } from "../models.js";
import { type Conduct, StoppedError } from "./conduct.js";
import { described, filled, type Prompts, reasons } from "./prompts.js";
import type { Attempt, Named, Tool } from "./record.js";
import { messageOf } from "./said.js";

/** Requests for one structured output: one of another shape goes back by way of the SDK. */
export const REQUESTS = 3;

/** What is wrong with a plan. */
export type Check = (plan: TaskPlan) => readonly Diagnostic[];

/** What the planner is told of the work. */
export interface Work {
  /** What to answer. */
  readonly question: string;
  /** What executors can do. */
  readonly tools: readonly Tool[];
  /** Steps that a plan may have. */
  readonly maxSteps: number;
  /**
   * The ids that steps must have, each with the tools of its executor; null if they may have
   * any.
   */
  readonly named: Named | null;
}

/** What the planner is asked first. */
export function plannerPrompt(prompts: Prompts, work: Work): string {
  let tools = described(work.tools);
  if (work.named !== null) {
    const parts = Object.entries(work.named).map(
      ([name, own]) => `${name} (${own.join(", ") || "no tools"})`,
    );
    tools += `\nThe ids of the steps must be among: ${parts.join(", ")}`;
  }
  const { question, maxSteps } = work;
  return filled(prompts.planner, { question, tools, max_steps: String(maxSteps) });
}

/** How a plan is asked for. */
export interface Asking {
  /** What the planner is asked first. */
  readonly prompt: string;
  readonly prompts: Prompts;
  readonly check: Check;
  /** Plans that may be refused; the last of them is not sent back. */
  readonly retries: number;
  /** Each plan that is handed in is added, the accepted one too. */
  readonly attempts: Attempt[];
}

/** The first plan that may run; undefined once so many were refused. */
export async function askForPlan(
  planner: Conduct,
  { prompt: first, prompts, check, retries, attempts }: Asking,
): Promise<TaskPlan | undefined> {
  let prompt = first;
  for (let tried = 0; tried < retries; tried += 1) {
    const attempt = await attemptOf(planner, prompt, check);
    attempts.push(attempt);
    if (attempt.problem !== null) {
      prompt = filled(prompts.noPlan, { reasons: attempt.problem });
    } else if (attempt.diagnostics.length > 0) {
      prompt = filled(prompts.refused, { reasons: reasons(attempt.diagnostics) });
    } else if (attempt.plan !== null) {
      return attempt.plan;
    }
  }
  return undefined;
}

async function attemptOf(planner: Conduct, prompt: string, check: Check): Promise<Attempt> {
  let plan: unknown;
  try {
    plan = (await planner.ask(prompt, TaskPlan, REQUESTS)).structuredOutput;
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    return { plan: null, diagnostics: [], problem: messageOf(error) };
  }
  const read = TaskPlan.safeParse(plan);
  if (!read.success) return { plan: null, diagnostics: [], problem: "the answer was no plan" };
  return { plan: read.data, diagnostics: [...check(read.data)], problem: null };
}
