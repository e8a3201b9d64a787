/**
 * What can fail a step while it runs, as data, and the words for it.
 *
 * A text says what is wrong, in which step, and what to change; a limit that was reached names
 * itself and its value.
 */

import { quoted, wellFormed } from "../diagnostics.js";
import { BindEvaluationError, ToolExecutionError } from "../errors.js";
import type { Code, Policy } from "../models.js";
import { EvaluationError } from "../values/budget.js";
import { numberToText } from "../values/index.js";
import type { StepCall } from "./calls.js";

const CANCELLED_ITSELF = "the tool cancelled its own call";
const WITHOUT_WORDS = "the tool failed without a message";
const BINDER_CANCELLED_ITSELF = "the binder cancelled its own evaluation";
const BINDER_WITHOUT_WORDS = "the binder failed without a message";

/** Why a step, a call or an expression failed. */
export class Fault {
  constructor(
    readonly code: Code,
    readonly message: string,
  ) {}
}

/**
 * An expression of a step failed or gave nothing.
 *
 * @param stepId - The step.
 * @param parameter - The argument that it was to give, or `when` or `for_each`.
 * @param text - The expression.
 * @param code - Which failure it is.
 * @param cause - What went wrong, and the edit that mends it.
 */
export function readingFault(
  stepId: string,
  parameter: string,
  text: string,
  code: Code,
  cause: string,
): Fault {
  return new Fault(code, new BindEvaluationError(stepId, parameter, text, cause).message);
}

/** The plan's `output` failed or gave nothing. */
export function outputFault(text: string, code: Code, cause: string): Fault {
  return new Fault(code, `output, ${quoted(text)}: ${cause}`);
}

/** A condition gave a value that is neither true nor false. */
export function notABoolean(stepId: string, text: string, value: unknown): Fault {
  const cause =
    `it must give true or false and gave ${kindOf(value)}; write a comparison, ` +
    `or ${quoted(`$boolean(${text})`)}`;
  return readingFault(stepId, "when", text, "not_boolean", cause);
}

/** A `for_each` gave null. */
export function notAList(stepId: string, text: string): Fault {
  const cause =
    "it must give a list and gave null; if null stands for no items, say so in `when`, " +
    `as in ${quoted(`(${text}) != null`)}`;
  return readingFault(stepId, "for_each", text, "not_a_list", cause);
}

/** A `for_each` gave a longer list than the policy allows. */
export function tooManyItems(
  stepId: string,
  text: string,
  count: number,
  policy: Policy,
): Fault {
  const cause =
    `it gave ${count} items and max_items is ${policy.max_items}; ` +
    "filter the list, or ask the tool for fewer";
  return readingFault(stepId, "for_each", text, "too_many_items", cause);
}

/** An attempt ran for as long as an attempt may. */
export function stepTimedOut(sent: StepCall, policy: Policy): Fault {
  const limit = numberToText(policy.step_timeout_s ?? 0);
  return new Fault(
    "timeout",
    `${named(sent)} was still running when it reached step_timeout_s, which is ${limit}`,
  );
}

/** The whole run took as long as a run may, while this step was going on. */
export function planTimedOut(stepId: string, policy: Policy): Fault {
  const limit = numberToText(policy.plan_timeout_s ?? 0);
  return new Fault(
    "timeout",
    `step ${quoted(stepId)} had not ended when the plan reached plan_timeout_s, ` +
      `which is ${limit}`,
  );
}

/** The whole run took as long as a run may, while its output was being evaluated. */
export function outputTimedOut(policy: Policy): EvaluationError {
  const limit = numberToText(policy.plan_timeout_s ?? 0);
  const cause = `it had not ended when the plan reached plan_timeout_s, which is ${limit}`;
  return new EvaluationError("timeout", cause, "");
}

/** A tool gave something that is not JSON. */
export function resultIsNoJson(sent: StepCall, why: string): Fault {
  return new Fault("not_json_result", `the result of ${named(sent)} is not JSON: ${why}`);
}

/** A tool gave a larger result than the policy allows. */
export function resultTooLarge(sent: StepCall, policy: Policy): Fault {
  // How large it is nobody knows: it is gone through no further than it may be large.
  return new Fault(
    "result_too_large",
    `the result of ${named(sent)} is more than ${policy.max_result_bytes} bytes of JSON, ` +
      "which is max_result_bytes; ask the tool for less",
  );
}

/**
 * What a tool's failure says: its own words, without the error's class.
 *
 * @param error - What the tool threw; an `AbortError`, where nobody stopped the call, is that
 *   of a call which the tool itself cancelled.
 */
export function toolMessage(error: unknown): string {
  return told(error, CANCELLED_ITSELF) || WITHOUT_WORDS;
}

/** The same of the failure of a host's own binder. */
export function binderMessage(error: unknown): string {
  return told(error, BINDER_CANCELLED_ITSELF) || BINDER_WITHOUT_WORDS;
}

function told(error: unknown, cancelled: string): string {
  try {
    // A lone surrogate is no text, and nothing that leaves the engine holds one.
    return wellFormed(words(error, cancelled));
  } catch {
    // A failure stays data even where its error cannot tell what it is.
    return "";
  }
}

/** What something thrown says, which may be anything. */
function words(error: unknown, cancelled: string): string {
  if (typeof error !== "object" || error === null) return error == null ? "" : String(error);
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (name === "AbortError") return cancelled;
  if (error instanceof ToolExecutionError) return error.detail;
  if (error instanceof EvaluationError && error.hint) return `${error.message}; ${error.hint}`;
  if (typeof message === "string") return message;
  const text = String(error);
  return text === "[object Object]" ? "" : text;
}

function named(sent: StepCall): string {
  const item = sent.index === null ? "" : `, item ${sent.index}`;
  return `step ${quoted(sent.step_id)}${item}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "boolean":
      return "a boolean";
    case "string":
      return "a string";
    case "object":
      return "an object";
    default:
      return "a number";
  }
}
