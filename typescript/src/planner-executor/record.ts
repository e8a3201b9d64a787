/** What is kept of a run: enough to read it, to store it, and to run it again offline. */

import { z } from "zod";
import { Diagnostic, TaskPlan } from "../models.js";

/** The answer to the question. */
export const Answer = z
  .strictObject({
    result: z.string().describe("The answer in words."),
    subject: z
      .string()
      .nullable()
      .default(null)
      .describe("What the answer is about, if it is one thing."),
    value: z
      .number()
      .nullable()
      .default(null)
      .describe("The number that the question asks for, if it asks for one."),
  })
  .describe("The answer to the question.");
export type Answer = z.infer<typeof Answer>;

/** What was used. */
export const Usage = z.strictObject({
  requests: z.int().default(0).describe("Requests to models."),
  input_tokens: z.int().default(0).describe("Tokens that were sent."),
  output_tokens: z.int().default(0).describe("Tokens that were received."),
  total_tokens: z.int().default(0).describe("Both, as the provider counts them."),
  cost: z
    .number()
    .nullable()
    .default(null)
    .describe("The price of it all; null where the host gave no prices."),
  duration_s: z.number().default(0).describe("Seconds."),
});
export type Usage = z.infer<typeof Usage>;

/** Nothing was used. */
export const UNUSED: Usage = Usage.parse({});

/** A tool of the executors, as the planner was told of it. */
export const Tool = z.strictObject({ name: z.string(), description: z.string() });
export type Tool = z.infer<typeof Tool>;

/** Ids of steps, each with the names of its executor's tools. */
export const Named = z.record(z.string(), z.array(z.string()));
export type Named = z.infer<typeof Named>;

/** A message in the form of Strands, as plain JSON. */
export const Said = z.record(z.string(), z.unknown());
export type Said = z.infer<typeof Said>;

/** What one agent did. */
export const AgentRun = z.strictObject({
  name: z
    .string()
    .describe(
      "`planner_executor.planner`, `planner_executor.executor.<step id>` or " +
        "`planner_executor.synthesizer`.",
    ),
  step: z
    .string()
    .nullable()
    .default(null)
    .describe("The step that it carried out, if it is an executor."),
  model: z.string().default("").describe("The id of its model; empty if it has none."),
  system_prompt: z
    .string()
    .nullable()
    .default(null)
    .describe("Its system prompt, if that is one text."),
  prompt: z.string().describe("What it was asked first."),
  tools_called: z
    .array(z.string())
    .default([])
    .describe("Names of the tools that it called, in order."),
  usage: Usage.default(UNUSED).describe("What it used."),
  stop_reasons: z
    .array(z.string())
    .default([])
    .describe("Why each response of its model ended."),
  error: z.string().nullable().default(null).describe("Why it failed, if it did."),
  messages: z
    .array(Said)
    .default([])
    .describe(
      "Its whole conversation, in the form of Strands; bytes as base64 text under the one " +
        "key `$bytes`.",
    ),
});
export type AgentRun = z.infer<typeof AgentRun>;

/** A plan that the planner handed in, and what was wrong with it. */
export const Attempt = z.strictObject({
  plan: TaskPlan.nullable().describe("The plan; null if there was none."),
  diagnostics: z
    .array(Diagnostic)
    .default([])
    .describe("Why it was refused; nothing if it was accepted."),
  problem: z.string().nullable().default(null).describe("Why there was no plan."),
});
export type Attempt = z.infer<typeof Attempt>;

/** A plan that may run, with the question it is for; it may be shown, stored, approved. */
export const Plan = z.strictObject({
  question: z.string().describe("The question."),
  plan: TaskPlan.describe("The steps."),
  tools: z.array(Tool).default([]).describe("What executors can do, as the planner was told."),
  named: Named.nullable()
    .default(null)
    .describe(
      "The ids that steps must have, each with the tools of its executor; null if they may " +
        "have any.",
    ),
  attempts: z
    .array(Attempt)
    .default([])
    .describe(
      "Every plan that the planner handed in, the accepted one last; empty if the plan was " +
        "written by the host.",
    ),
  runs: z.array(AgentRun).default([]).describe("The planner's own record."),
  usage: Usage.default(UNUSED).describe("What planning used."),
});
export type Plan = z.infer<typeof Plan>;

/**
 * A whole run.
 *
 * It is plain JSON, if the answer is: `JSON.stringify` stores it and
 * `runSchema(YourAnswer).parse(JSON.parse(text))` reads it back; `replayed` makes of it what
 * does the same run again offline, and `transcript` gives it to read.
 */
export interface Run<T = Answer> {
  /** The question. */
  readonly question: string;
  /** The answer; null in the record of a run that did not come to one, a `Run<null>`. */
  readonly answer: T;
  /** The plan; null if none was accepted. */
  readonly plan: TaskPlan | null;
  /** What the completed steps gave, by id. */
  readonly results: Readonly<Record<string, string>>;
  /** The steps that started, by level: those of a level need none of each other. */
  readonly waves: readonly (readonly string[])[];
  /** Why each failed step failed, by id. */
  readonly failed: Readonly<Record<string, string>>;
  /** The steps that did not run for another's failure. */
  readonly skipped: readonly string[];
  /** What the run used in all. */
  readonly usage: Usage;
  /** What executors can do, as the planner was told. */
  readonly tools: readonly Tool[];
  /**
   * The ids that steps must have, each with the tools of its executor; null if they may have
   * any.
   */
  readonly named: Named | null;
  /** Every plan that the planner handed in. */
  readonly attempts: readonly Attempt[];
  /** The agents: planner, executors as they finished, synthesizer. */
  readonly runs: readonly AgentRun[];
}

/** Reads the record of a run whose answer is of this type. */
export function runSchema<T>(answer: z.ZodType<T>): z.ZodType<Run<T>> {
  return z.strictObject({
    question: z.string(),
    answer,
    plan: TaskPlan.nullable().default(null),
    results: z.record(z.string(), z.string()).default({}),
    waves: z.array(z.array(z.string())).default([]),
    failed: z.record(z.string(), z.string()).default({}),
    skipped: z.array(z.string()).default([]),
    usage: Usage.default(UNUSED),
    tools: z.array(Tool).default([]),
    named: Named.nullable().default(null),
    attempts: z.array(Attempt).default([]),
    runs: z.array(AgentRun).default([]),
  }) as unknown as z.ZodType<Run<T>>;
}
