/**
 * The shapes of the plan language; generated from `schema/`, do not edit.
 *
 * `nox -s generate` writes this file. Schema: sha256
 * a83d120a5213302592b402271deb28bc305a3cadef1641482667b7d70df64068
 */

import { z } from "zod";

/** Steps that a plan may have where the host sets no limit. */
export const MAX_STEPS = 32;

/** Steps that a plan may have whatever the host says. */
export const SCHEMA_MAX_STEPS = 10000;

/** What a step's id looks like. */
export const STEP_ID_PATTERN = "^[a-z][a-z0-9_]{0,31}$";

/** Any JSON value. */
export const JsonValue = z.json();
export type JsonValue = z.infer<typeof JsonValue>;

/** A step's name: a lower-case letter, then up to 31 of a-z, 0-9 and _. */
export const StepId = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/);
export type StepId = z.infer<typeof StepId>;

/** What a failure stops: everything not yet begun, or only what depended on it. */
export const OnError = z.enum(["fail_fast", "continue"]);
export type OnError = z.infer<typeof OnError>;

/** What a step needs of its dependencies: all of them ok, or any one. */
export const Join = z.enum(["all", "any"]);
export type Join = z.infer<typeof Join>;

/** One tool call of a plan, or one call for each item of a list. */
export const PlanStep = z.strictObject({
  id: StepId.describe("Unique name of this step."),
  tool: z.string().min(1).describe("Name of the tool to call, as it is registered."),
  args: z
    .record(z.string(), JsonValue)
    .default({})
    .describe("Literal arguments, passed on as they are."),
  bind: z
    .record(z.string(), z.string())
    .default({})
    .describe("Computed arguments: argument name to expression; each wins over a literal."),
  after: z
    .array(StepId)
    .default([])
    .describe("Steps that must end first, beyond those that the expressions read."),
  when: z
    .string()
    .nullable()
    .default(null)
    .describe("Expression giving true or false; if false, the step is not taken."),
  for_each: z
    .string()
    .nullable()
    .default(null)
    .describe("Expression giving a list: the tool is called once for each item."),
  join: Join.default("all").describe("What the step needs of its dependencies."),
});
export type PlanStep = z.infer<typeof PlanStep>;
/** What may be written for PlanStep, before defaults are filled in. */
export type PlanStepInput = z.input<typeof PlanStep>;

/** A whole plan: tool calls that form a directed acyclic graph. */
export const WorkflowPlan = z.strictObject({
  steps: z.array(PlanStep).min(1).max(10000).describe("The steps, in any order."),
  returns: z.array(StepId).default([]).describe("Steps whose whole results go back."),
  output: z
    .string()
    .nullable()
    .default(null)
    .describe("Expression shaping one value that goes back, instead of or beside returns."),
  final: z
    .boolean()
    .default(false)
    .describe("Whether the result answers the request, so that the turn may end with it."),
  on_error: OnError.default("fail_fast").describe("What a failed step stops."),
});
export type WorkflowPlan = z.infer<typeof WorkflowPlan>;
/** What may be written for WorkflowPlan, before defaults are filled in. */
export type WorkflowPlanInput = z.input<typeof WorkflowPlan>;

/** The most there may be of something, from 1; exact in every language. */
export const Limit = z.int().min(1).max(9007199254740991);
export type Limit = z.infer<typeof Limit>;

/** How far integers beyond 2^53-1 go: nowhere, or through plain paths (Python only). */
export const Integers = z.enum(["portable", "exact"]);
export type Integers = z.infer<typeof Integers>;

/** What a call of a tool does: it only reads, or it changes something. */
export const Effect = z.enum(["read", "write"]);
export type Effect = z.infer<typeof Effect>;

/** How often and how patiently a failing call is tried again. */
export const Retry = z.strictObject({
  attempts: Limit.describe("Calls in all, the first one included."),
  backoff_s: z
    .number()
    .min(0)
    .default(0)
    .describe("Seconds to wait before the second call; each further wait is twice as long."),
});
export type Retry = z.infer<typeof Retry>;
/** What may be written for Retry, before defaults are filled in. */
export type RetryInput = z.input<typeof Retry>;

/** The limits that a host sets for every plan it runs. */
export const Policy = z.strictObject({
  max_steps: Limit.default(32).describe("Steps in a plan."),
  max_concurrency: Limit.default(16).describe("Calls running at once."),
  max_items: Limit.default(1000).describe("Items in the list of one for_each step."),
  single_final_step: z
    .boolean()
    .default(false)
    .describe("Whether a plan with more than one step that nothing reads is refused."),
  step_timeout_s: z
    .number()
    .gt(0)
    .nullable()
    .default(null)
    .describe("Seconds for one attempt of one call, from its start; null for no limit."),
  plan_timeout_s: z
    .number()
    .gt(0)
    .nullable()
    .default(null)
    .describe("Seconds for a whole run; null for no limit."),
  retry: z
    .record(z.string(), Retry)
    .default({})
    .describe("Retries by tool name or * pattern; a tool that may write needs its own name."),
  effects: z
    .record(z.string(), Effect)
    .default({})
    .describe("What tools do, by tool name or * pattern; a tool not listed may write."),
  max_expression_steps: Limit
    .default(10000000)
    .describe("Steps of evaluation that the bindings of one call may take together."),
  max_result_bytes: Limit
    .default(1048576)
    .describe("Bytes of one call's result, as compact JSON in UTF-8."),
  max_output_bytes: Limit
    .default(65536)
    .describe("Bytes of all that goes back, as compact JSON in UTF-8; output counts first."),
  integers: Integers
    .default("portable")
    .describe("How integers that doubles do not hold are treated."),
});
export type Policy = z.infer<typeof Policy>;
/** What may be written for Policy, before defaults are filled in. */
export type PolicyInput = z.input<typeof Policy>;

/** A number of things, from 0; exact in every language. */
export const Count = z.int().min(0).max(9007199254740991);
export type Count = z.infer<typeof Count>;

/** How a step ended; skipped is a failure's doing, not_taken a condition's. */
export const StepStatus = z.enum(["ok", "failed", "skipped", "not_taken"]);
export type StepStatus = z.infer<typeof StepStatus>;

/** What went wrong, in one word: of wire and shape, graph, expressions, tools, running. */
export const Code = z.enum([
  "json_syntax",
  "too_deep",
  "too_many",
  "unsafe_number",
  "bad_unicode",
  "forbidden_key",
  "not_json",
  "missing_field",
  "unknown_field",
  "wrong_type",
  "not_in_enum",
  "bad_pattern",
  "too_short",
  "too_long",
  "out_of_range",
  "duplicate_step",
  "unknown_step",
  "self_reference",
  "cycle",
  "too_many_steps",
  "nothing_returned",
  "loose_ends",
  "syntax",
  "not_in_profile",
  "unknown_function",
  "unknown_variable",
  "unknown_root",
  "unresolvable_reference",
  "relative_steps",
  "foreign_syntax",
  "template_in_args",
  "unknown_tool",
  "tool_not_plannable",
  "missing_argument",
  "unknown_argument",
  "argument_type",
  "unknown_result_field",
  "no_value",
  "not_boolean",
  "not_a_list",
  "too_many_items",
  "evaluation_failed",
  "expression_limit",
  "tool_failed",
  "timeout",
  "result_too_large",
  "not_json_result",
  "cancelled",
]);
export type Code = z.infer<typeof Code>;

/** One problem of a plan, worded for the model that must repair it. */
export const Diagnostic = z.strictObject({
  code: Code.describe("Which problem it is."),
  path: z.string().describe("Where: a JSON Pointer (RFC 6901) into the plan."),
  message: z.string().describe("What is wrong."),
  hint: z.string().describe("The exact edit that would mend it."),
});
export type Diagnostic = z.infer<typeof Diagnostic>;

/** How the calls of a for_each step went. */
export const ItemCounts = z.strictObject({
  total: Count.describe("Items in the list."),
  ok: Count.describe("Items whose call gave a result."),
  failed: Count
    .describe("Items whose call failed; the others of the total were never started."),
});
export type ItemCounts = z.infer<typeof ItemCounts>;

/** One entry of the ledger: how a step went. */
export const StepOutcome = z.strictObject({
  id: StepId.describe("Id of the step."),
  tool: z.string().min(1).describe("Tool that the step names."),
  status: StepStatus.describe("How the step ended."),
  level: Count
    .describe("Depth in the graph: 0 without dependencies, else one more than the highest."),
  duration_ms: z
    .number()
    .min(0)
    .describe("Milliseconds from the start of its first call to its end; 0 if none began."),
  error: z
    .string()
    .nullable()
    .default(null)
    .describe("What went wrong, a tool's failure in its own words; null if nothing did."),
  code: Code.nullable().default(null).describe("Which failure it was; null if there was none."),
  items: ItemCounts
    .nullable()
    .default(null)
    .describe("Counts of a for_each step whose list was read; null for any other."),
  reused: Count
    .default(0)
    .describe("How many calls of the step were taken from memory and not made."),
});
export type StepOutcome = z.infer<typeof StepOutcome>;
/** What may be written for StepOutcome, before defaults are filled in. */
export type StepOutcomeInput = z.input<typeof StepOutcome>;

/** Why a plan's output expression gave no value. */
export const OutputError = z.strictObject({
  code: Code.describe("Which failure it was."),
  message: z.string().describe("What went wrong."),
});
export type OutputError = z.infer<typeof OutputError>;

/** What running a plan gives back. */
export const PlanResult = z.strictObject({
  returned: z
    .record(z.string(), JsonValue)
    .describe("Results of the steps in returns that are ok, by step id."),
  ledger: z
    .array(StepOutcome)
    .describe("One entry a step, by level and then in document order."),
  levels: Count.describe("How many levels the plan has."),
  inference_passes_saved: Count
    .describe("Model calls that the plan made needless: levels less one, and never below 0."),
  final: z
    .boolean()
    .default(false)
    .describe("Whether the plan says that its result answers the request."),
  output: JsonValue
    .default(null)
    .describe("Value of the plan's output expression; null too where has_output is false."),
  has_output: z.boolean().default(false).describe("Whether output holds a value; null is one."),
  output_error: OutputError
    .nullable()
    .default(null)
    .describe("Why there is no output although the plan asks for one; else null."),
  ends_turn: z
    .boolean()
    .default(false)
    .describe("Whether the turn ends with this result, without another model call."),
  notes: z
    .array(z.string())
    .default([])
    .describe("Remarks for the reader: repairs of the plan, values left out for their size."),
});
export type PlanResult = z.infer<typeof PlanResult>;
/** What may be written for PlanResult, before defaults are filled in. */
export type PlanResultInput = z.input<typeof PlanResult>;

/** A call that waits for an answer before it is made. */
export const WaitingCall = z.strictObject({
  index: Count
    .nullable()
    .default(null)
    .describe("The item's place in the list, from 0; null for a step without one."),
  attempt: Limit.describe("Which attempt of the call waits, from 1."),
  code: Code
    .nullable()
    .default(null)
    .describe("How the attempt before it failed; null if there was none."),
  error: z.string().nullable().default(null).describe("The same in words."),
});
export type WaitingCall = z.infer<typeof WaitingCall>;
/** What may be written for WaitingCall, before defaults are filled in. */
export type WaitingCallInput = z.input<typeof WaitingCall>;

/** An item of a half-done for_each step whose call has ended. */
export const ItemCheckpoint = z.strictObject({
  index: Count.describe("The item's place in the list, from 0."),
  result: JsonValue.default(null).describe("What the call gave; null too for one that failed."),
  code: Code.nullable().default(null).describe("How the call failed; null for one that is ok."),
  error: z.string().nullable().default(null).describe("The same in words."),
});
export type ItemCheckpoint = z.infer<typeof ItemCheckpoint>;
/** What may be written for ItemCheckpoint, before defaults are filled in. */
export type ItemCheckpointInput = z.input<typeof ItemCheckpoint>;

/** How far a step is that has ended, or has begun and waits. */
export const StepCheckpoint = z.strictObject({
  status: StepStatus
    .nullable()
    .default(null)
    .describe("How the step ended; null for one that waits."),
  result: JsonValue.default(null).describe("The result of a step that is ok."),
  code: Code
    .nullable()
    .default(null)
    .describe("Which failure an ended step has; null if there was none."),
  error: z.string().nullable().default(null).describe("The same in words."),
  duration_ms: z
    .number()
    .min(0)
    .default(0)
    .describe("Milliseconds that the step has taken so far, not those of a pause."),
  reused: Count.default(0).describe("Calls of the step that were taken from memory."),
  counts: ItemCounts
    .nullable()
    .default(null)
    .describe("Counts of a for_each step whose list was read."),
  items: z
    .array(ItemCheckpoint)
    .default([])
    .describe("The ended items of a for_each step that waits, by index."),
  waiting: z
    .array(WaitingCall)
    .default([])
    .describe("The calls that wait, by index; one at least unless the step has ended."),
});
export type StepCheckpoint = z.infer<typeof StepCheckpoint>;
/** What may be written for StepCheckpoint, before defaults are filled in. */
export type StepCheckpointInput = z.input<typeof StepCheckpoint>;

/** A paused run: plain JSON that either engine can go on from. */
export const Checkpoint = z.strictObject({
  version: z.int().min(1).max(1).describe("The version of this form: 1."),
  plan: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("Which plan runs: SHA-256 in hex of its compact JSON."),
  run_id: z.string().describe("The run's id."),
  elapsed_ms: z
    .number()
    .min(0)
    .describe("Milliseconds that the run has taken so far, not those of a pause."),
  input: z
    .record(z.string(), JsonValue)
    .default({})
    .describe("The host's values that expressions read."),
  steps: z
    .record(z.string(), StepCheckpoint)
    .default({})
    .describe("The steps that have ended or begun, by id, in document order."),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
/** What may be written for Checkpoint, before defaults are filled in. */
export type CheckpointInput = z.input<typeof Checkpoint>;

/** One piece of work, which one executor carries out on its own. */
export const TaskStep = z.strictObject({
  id: StepId.describe("Unique name of this step."),
  instruction: z
    .string()
    .min(1)
    .describe("What to do, in words that need nothing but the results of depends_on."),
  depends_on: z
    .array(StepId)
    .default([])
    .describe("Ids of the steps whose results this step needs."),
});
export type TaskStep = z.infer<typeof TaskStep>;
/** What may be written for TaskStep, before defaults are filled in. */
export type TaskStepInput = z.input<typeof TaskStep>;

/** A plan of work: steps in which one final step needs all others. */
export const TaskPlan = z.strictObject({
  steps: z.array(TaskStep).min(1).max(10000).describe("The steps, in any order."),
});
export type TaskPlan = z.infer<typeof TaskPlan>;
