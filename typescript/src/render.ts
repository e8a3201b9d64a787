/**
 * What a model reads of a run, and of a plan that was refused.
 *
 * A model pays for each word and may act on it, so it reads the values as they are and what
 * did not go well, and nothing else.
 */

import type { Diagnostic, PlanResult, StepOutcome, WorkflowPlanInput } from "./models.js";
import { toJsonText } from "./values/index.js";

/** What is looked at of a plan. */
type Asked = Pick<WorkflowPlanInput, "returns">;

const LEFT_OUT = "result_too_large:";
const LONGEST = 1000;
// White space and line ends as Python knows them, so that both languages flatten the same.
const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
const LINE_END = /[\n-\r\x1c-\x1e\x85\u2028\u2029]/;

/** What more is known of a run than its result says. */
export interface RenderOptions {
  /**
   * The ids of steps whose results a corrected plan takes over, if it has them unchanged.
   */
  readonly remembered?: (Iterable<string> & object) | undefined;
}

/**
 * What a model reads of a run.
 *
 * @param result - How it went.
 * @param plan - What was asked for.
 * @param options - See `RenderOptions`.
 * @returns The values first, each on a line of its own: the returned results as one object by
 *   step id, in `returns` order, and `output`, text as it is, anything else as compact JSON.
 *   Then a line for each step that is not `ok` or has failed items, for an output that failed
 *   and for each value left out; and, where a step failed or was skipped, one that names the
 *   steps not to repeat, and one that names those that are kept.
 */
export function renderForModel(
  result: PlanResult,
  plan: Asked,
  options: RenderOptions = {},
): string {
  const returned = inOrder(result, plan);
  const lines: string[] = [];
  if (Object.keys(returned).length > 0) lines.push(toJsonText(returned));
  if (result.has_output) lines.push(text(result.output));
  for (const entry of result.ledger) {
    const told = line(entry);
    if (told !== undefined) lines.push(told);
  }
  const error = result.output_error;
  if (error !== null) lines.push(`output failed (${error.code}): ${inShort(error.message)}`);
  // Repairs of the plan's form are noted too, and are nothing that a model has to act on.
  lines.push(...result.notes.filter((note) => note.startsWith(LEFT_OUT)));
  if (result.ledger.some(({ status }) => status === "failed" || status === "skipped")) {
    const ran = result.ledger.filter(({ status }) => status === "ok").map(({ id }) => id);
    const remembered = new Set(options.remembered);
    const kept = ran.filter((id) => remembered.has(id));
    const gone = ran.filter((id) => !remembered.has(id));
    if (gone.length > 0) lines.push(`Ran ok, do not repeat: ${gone.join(", ")}`);
    if (kept.length > 0) lines.push(`Ran ok, kept for a corrected plan: ${kept.join(", ")}`);
  }
  return lines.join("\n");
}

/**
 * The message that ends a turn: `output` if there is one, else what is returned.
 *
 * @returns A text output as it is; anything else as compact JSON, results in `returns` order.
 */
export function closingMessage(result: PlanResult, plan: Asked): string {
  return result.has_output ? text(result.output) : toJsonText(inOrder(result, plan));
}

/** What a model reads of a refused plan: every problem, with the edit that mends it. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map(
    ({ path, message, hint, code }) => `${path || "the plan"}: ${message}; ${hint} (${code})`,
  );
  const head =
    "The plan was refused and nothing ran. Make every edit below and submit it again.";
  return [head, ...lines].join("\n");
}

function inOrder(result: PlanResult, plan: Asked): PlanResult["returned"] {
  const returned: PlanResult["returned"] = {};
  for (const id of plan.returns ?? []) {
    const value = Object.hasOwn(result.returned, id) ? result.returned[id] : undefined;
    if (value !== undefined) returned[id] = value;
  }
  return returned;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : toJsonText(value);
}

function line(entry: StepOutcome): string | undefined {
  switch (entry.status) {
    case "failed":
      return `${entry.id} failed (${entry.code}): ${inShort(entry.error ?? "")}${counts(entry)}`;
    case "skipped":
      return `${entry.id} skipped${counts(entry)}`;
    case "not_taken":
      return `${entry.id} not taken`;
    case "ok":
  }
  if (!entry.items?.failed) return undefined;
  const failed = `${entry.items.failed} of ${entry.items.total} items failed, null in its result`;
  return `${entry.id}: ${failed}${entry.error ? `: ${inShort(entry.error)}` : ""}`;
}

/**
 * A text whose white space with a line break in it is one space each.
 *
 * What a tool or a plan says must not look like a line of ours.
 */
export function onOneLine(text: string): string {
  return text.replace(BLANKS, (blanks) => (LINE_END.test(blanks) ? " " : blanks));
}

/** A text on one line, of which at most 1,000 characters are shown. */
export function inShort(text: string): string {
  const flat = onOneLine(text);
  let end = 0;
  for (let count = 0; count < LONGEST && end < flat.length; count += 1) {
    end += (flat.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end < flat.length ? `${flat.slice(0, end)}…` : flat;
}

/** How far a step with items came, where some of its calls did run. */
function counts(entry: StepOutcome): string {
  return entry.items?.ok ? ` (${entry.items.ok} of ${entry.items.total} items ran ok)` : "";
}
