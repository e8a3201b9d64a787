/** The host's options, refused at once where a plan would stumble over them later. */

import type { InvocationState } from "@strands-agents/sdk";
import { closest } from "../diagnostics.js";
import type { Policy, PolicyInput } from "../models.js";
import { checkMaxSteps, checkPolicy, faultOf } from "../validate/host-checks.js";
import { ingest, type Members, ValueFault } from "../values/index.js";
import { asObject } from "../wire/repairs.js";

/** Values by name, which plans read as `input.<name>`. */
export type Values = Readonly<Record<string, unknown>>;

/** The host's values, or what makes them from the invocation state of a run. */
export type Input = Values | ((state: InvocationState) => Values);

/** What becomes of a step that needs a person's answer: the plan waits, or the step fails. */
export type Approvals = "pause" | "refuse";

/**
 * Options are an object with no other names than those there are, or left out.
 *
 * @param of - What they are options of.
 * @param options - The options.
 * @param names - The names that there are.
 * @param example - Options as they may be.
 * @throws TypeError if they are something else, or have another name, which a typo leaves
 *   without effect; it says which name is meant.
 */
export function checkNames(
  of: string,
  options: unknown,
  names: readonly string[],
  example: string,
): void {
  if (typeof options !== "object" || options === null || isIterable(options)) {
    throw new TypeError(`the options of ${of} must be an object, such as ${example}`);
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = closest(camelCased(unknown), names);
  throw new TypeError(
    `${of} has no option "${unknown}": ` +
      (near === undefined ? `it has ${names.join(", ")}` : `write "${near}"`),
  );
}

/**
 * Whether an option is on.
 *
 * @throws TypeError if it is no boolean.
 */
export function booleanOf(given: unknown, option: string): boolean {
  if (typeof given === "boolean") return given;
  throw new TypeError(`${option} must be true or false`);
}

/**
 * The patterns that say which tools are meant; one alone may stand without a list.
 *
 * @param given - The patterns.
 * @param option - What they were given as.
 * @throws TypeError if they are no strings.
 */
export function patternsOf(
  given: string | Iterable<string>,
  option = "plannable",
): readonly string[] {
  if (typeof given === "string") return [given];
  const patterns: readonly unknown[] = isIterable(given) ? [...given] : [given];
  if (patterns.every((pattern) => typeof pattern === "string")) return patterns;
  throw new TypeError(
    `${option} must be a list of tool names and patterns, such as ["*", "!delete_file"]`,
  );
}

/**
 * What becomes of a step that needs a person's answer.
 *
 * @throws TypeError if it is neither `pause` nor `refuse`.
 */
export function approvalsOf(approvals: unknown = "pause"): Approvals {
  if (approvals === "pause" || approvals === "refuse") return approvals;
  throw new TypeError('approvals must be "pause" or "refuse"');
}

/**
 * Whether each plan is shown to a person first.
 *
 * @throws TypeError if it is no boolean, or plans are not to wait for a person.
 */
export function approvePlanOf(approvePlan: unknown, approvals: Approvals): boolean {
  const isAsked = booleanOf(approvePlan, "approvePlan");
  if (isAsked && approvals === "refuse") {
    throw new TypeError(
      'approvePlan: true needs approvals: "pause": a plan waits for approval',
    );
  }
  return isAsked;
}

/**
 * The policy, with a limit of steps of its own if one is given.
 *
 * @throws TypeError if one of them is something else, or out of range.
 */
export function policyOf(
  policy: PolicyInput | undefined,
  maxSteps: number | undefined,
): Policy {
  const checked = checkPolicy(policy);
  checkMaxSteps(maxSteps);
  return maxSteps === undefined ? checked : checkPolicy({ ...checked, max_steps: maxSteps });
}

/**
 * The host's values, or the function that makes them.
 *
 * @throws TypeError if it is something else, an async function, which nobody would await, or a
 *   value is not JSON.
 */
export function inputOf(given: Input | undefined): Input | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "function") {
    // Read anew in each run: the host may change its values in between.
    takenIn(given);
    return given;
  }
  if (Object.prototype.toString.call(given) === "[object AsyncFunction]") {
    throw new TypeError("input must be a plain function: it is never awaited");
  }
  return given;
}

/**
 * The host's values as plans read them: a copy that nobody else can change.
 *
 * @throws TypeError if they are no object of names, or a value is not JSON.
 */
export function takenIn(values: unknown): Members {
  try {
    const named = asObject(values);
    if (named !== undefined) return ingest(named) as Members;
  } catch (error) {
    const fault = error instanceof ValueFault ? error : faultOf(values, error);
    throw new TypeError(`input must be plain JSON: ${fault.message}`);
  }
  throw new TypeError(
    "input must be an object of names to JSON values, or a function that makes one from " +
      "the invocation state",
  );
}

/** A name as Python has it, as it is here. */
function camelCased(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}
