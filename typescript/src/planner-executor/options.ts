/** What a host passes, refused at once where a run would stumble over it later. */

import type { InvocationState } from "@strands-agents/sdk";
import { z } from "zod";
import { wellFormed } from "../diagnostics.js";
import { TaskPlan } from "../models.js";
import { MAX_TASKS } from "../tasks/index.js";
import { isObject } from "../values/index.js";
import type { OneAgent, Source } from "./agents.js";
import { type Budget, budgetOf, type Price } from "./budget.js";
import { whole } from "./checks.js";
import { type Prompts, promptsOf } from "./prompts.js";
import { Answer } from "./record.js";
import { mended } from "./said.js";

/** How a `PlannerExecutor` does its work, beside who does it. */
export interface WorkOptions<T = Answer> {
  /** The Zod schema of the answer, an object; by default `Answer`. */
  readonly answerType?: z.ZodType<T> | undefined;
  /** Steps that a plan may have; 6 unless given. */
  readonly maxSteps?: number | undefined;
  /** Plans that may be refused before it ends with `PlanRejectedError`; 3 unless given. */
  readonly retries?: number | undefined;
  /** Steps that may run at once; 16 unless given. */
  readonly maxConcurrency?: number | undefined;
  /**
   * Whether a level of the plan starts only when the one before has ended; else each step
   * starts as soon as what it needs is there.
   */
  readonly waves?: boolean | undefined;
  /** What one run may use, all agents together; what is left out has its default. */
  readonly budget?: Partial<Budget> | undefined;
  /** What a model request costs; needed if the budget limits the cost. */
  readonly price?: Price | undefined;
  /** The texts for the agents; what is left out has its default. */
  readonly prompts?: Partial<Prompts> | undefined;
  /** Told of each step that fails or is skipped; by default `console.warn`. */
  readonly warn?: ((message: string) => unknown) | undefined;
}

/** What a `PlannerExecutor` is made of. */
export interface PlannerExecutorOptions<T = Answer> extends WorkOptions<T> {
  /**
   * Writes the plan: an `Agent`, a function that makes a new one, a model, or the id of one.
   * Tools that it has are not offered to it.
   */
  readonly planner: OneAgent;
  /**
   * Carry out the steps: one `Agent`, of which each step gets a copy with an empty
   * conversation; a function that makes a new agent; or either by step id, in an object in
   * which `"*"` stands for the steps that it does not name.
   */
  readonly executors: Source | Readonly<Record<string, Source>>;
  /**
   * Writes the answer, and is given like the planner; by default an agent of ours on the
   * planner's model.
   */
  readonly synthesizer?: OneAgent | undefined;
}

/** What one run is given beside its question. */
export interface RunOptions {
  /**
   * Passed to every agent of this run, as Strands does; each gets an object of its own with
   * these values.
   */
  readonly invocationState?: InvocationState | undefined;
  /** Cancels the run, which then rejects with this signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options with what was left out. */
export interface Settings<T> {
  readonly answerType: z.ZodType<T>;
  readonly maxSteps: number;
  readonly retries: number;
  readonly maxConcurrency: number;
  readonly waves: boolean;
  readonly budget: Budget;
  readonly price: Price | undefined;
  readonly prompts: Prompts;
  readonly warn: (message: string) => unknown;
}

/**
 * Options with what was left out.
 *
 * @throws TypeError if one is not what it has to be, or the cost is limited without a price.
 * @throws RangeError if a limit makes no sense.
 */
export function settingsOf<T>(options: WorkOptions<T>): Settings<T> {
  const given: unknown = options;
  if (!isObject(given)) {
    throw new TypeError(
      "options must be an object, such as { planner: model, executors: agent }",
    );
  }
  const { price, waves = false, warn = toConsole } = options;
  // Without a type of the host's, T is what stands for it: `Answer`.
  const { answerType = Answer as unknown as z.ZodType<T> } = options;
  if (!isOfObjects(answerType)) {
    throw new TypeError("answerType must be a Zod schema of an object");
  }
  if (typeof waves !== "boolean") throw new TypeError("waves must be true or false");
  if (typeof warn !== "function") throw new TypeError("warn must be a function");
  const budget = budgetOf(options.budget === undefined ? {} : options.budget);
  const prompts = promptsOf(options.prompts === undefined ? {} : options.prompts);
  if (price === undefined) {
    if (budget.cost !== null) {
      throw new TypeError("the budget limits the cost: give price(model, usage) too");
    }
  } else if (typeof price !== "function" || isAsync(price)) {
    throw new TypeError("price must be a plain function: price(model, usage) gives a number");
  }
  const limits = { maxSteps: MAX_TASKS, retries: 3, maxConcurrency: 16 };
  for (const name of ["maxSteps", "retries", "maxConcurrency"] as const) {
    if (options[name] !== undefined) limits[name] = whole(name, options[name]);
  }
  return { ...limits, answerType, waves, budget, price, prompts, warn };
}

/** Whether it is a schema, and not of what no tool's input can be. */
function isOfObjects(schema: unknown): boolean {
  if (!isObject(schema) || typeof schema.safeParse !== "function") return false;
  if (!(schema instanceof z.ZodType)) return true;
  const { type } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return type === undefined || type === "object";
}

function isAsync(called: unknown): boolean {
  return Object.prototype.toString.call(called) === "[object AsyncFunction]";
}

function toConsole(message: string): void {
  // biome-ignore lint/suspicious/noConsole: where the SDK warns too, unless the host says else.
  console.warn(message);
}

/**
 * A question, as records can keep it.
 *
 * @throws TypeError if it is no text.
 */
export function questionGiven(question: unknown): string {
  if (typeof question !== "string") throw new TypeError("question must be a text");
  return wellFormed(question);
}

/**
 * What a run is given beside its question.
 *
 * @throws TypeError if it is something else.
 */
export function runOptions({ invocationState, signal }: RunOptions): {
  readonly state: InvocationState;
  readonly signal: AbortSignal | undefined;
} {
  if (invocationState !== undefined && !isObject(invocationState)) {
    throw new TypeError("invocationState must be an object");
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError("signal must be an AbortSignal");
  }
  return { state: { ...invocationState }, signal };
}

/** The fields of a plan that is to be run; whether it may run is not looked at. */
export interface PlanGiven extends Readonly<Record<string, unknown>> {
  readonly question: string;
  readonly plan: unknown;
}

/**
 * The fields of the `Plan` that is to be run.
 *
 * @param plan - A `Plan` or a `TaskPlan`.
 * @param question - The question that was given beside it.
 * @throws TypeError if it is something else, or has no question, or another.
 */
export function planGiven(plan: unknown, question: unknown): PlanGiven {
  if (!isObject(plan)) {
    throw new TypeError("the plan must be a Plan, or a TaskPlan with its question");
  }
  if (Object.hasOwn(plan, "answer")) {
    throw new TypeError(
      "this is the record of a run: to run its plan again give its `plan` and its " +
        "`question`; to have the same run offline use `replayed`",
    );
  }
  const fields = Object.hasOwn(plan, "plan") ? plan : { plan };
  const asked: unknown = fields.question ?? undefined;
  if (asked === undefined && question === undefined) {
    throw new TypeError("a TaskPlan alone has no question: give `question` too");
  }
  if (asked !== undefined && question !== undefined && question !== asked) {
    throw new TypeError("the plan is for another question: have a plan written for this one");
  }
  return { ...fields, plan: fields.plan, question: questionGiven(asked ?? question) };
}

/** What plain JSON is a plan of, though it may not run; null if it is none. */
export function planIfAny(tasks: unknown): TaskPlan | null {
  return TaskPlan.safeParse(mended(tasks)).data ?? null;
}
