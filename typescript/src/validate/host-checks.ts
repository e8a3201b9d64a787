/**
 * What a host passes beside a plan, checked where it is passed.
 *
 * A bad plan is data, told in diagnostics; a host's own mistake is a `TypeError` at once,
 * with the same text wherever it is made.
 */

import { Policy } from "../models.js";
import { ingest, type Members, ValueFault } from "../values/index.js";
import { asObject } from "../wire/repairs.js";

/**
 * The policy that a host gives, with the defaults of what it leaves out.
 *
 * @throws TypeError if it is none.
 */
export function checkPolicy(policy: unknown): Policy {
  const read = Policy.safeParse(policy ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place =
    issue === undefined || issue.path.length === 0 ? "" : ` (${issue.path.join(".")})`;
  throw new TypeError(`policy must be a Policy, such as { max_steps: 8 }${place}`);
}

/**
 * Input is an object or left out.
 *
 * @throws TypeError if it is anything else.
 */
export function checkInput(input: unknown): void {
  if (!isGiven(input)) return;
  let named: Members | undefined;
  try {
    named = asObject(input);
  } catch (error) {
    throw new TypeError(`input must be plain JSON: ${faultOf(input, error).message}`);
  }
  if (named === undefined) {
    throw new TypeError("input must be an object of names to JSON values");
  }
}

/**
 * What is wrong with data that threw as it was read, by a getter or a proxy of the host's.
 *
 * @param error - What was thrown: again, if the data is not at fault.
 */
export function faultOf(data: unknown, error: unknown): ValueFault {
  try {
    ingest(data);
  } catch (fault) {
    if (fault instanceof ValueFault) return fault;
  }
  throw error;
}

/**
 * Options are an object or left out.
 *
 * @throws TypeError if they are anything else.
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("options must be an object, such as { policy }, or left out");
  }
}

/**
 * What cancels a run is an `AbortSignal`, of whatever window, or left out.
 *
 * @throws TypeError if it is anything else.
 */
export function checkSignal(signal: unknown): void {
  if (isGiven(signal) && !(has(signal, "throwIfAborted") && has(signal, "addEventListener"))) {
    throw new TypeError("signal must be an AbortSignal, such as that of an AbortController");
  }
}

/**
 * A limit of steps is an integer or left out.
 *
 * @throws TypeError if it is anything else.
 */
export function checkMaxSteps(count: unknown): void {
  if (isGiven(count) && !Number.isInteger(count)) {
    throw new TypeError("maxSteps must be an integer");
  }
}

/**
 * A run's name is text or left out.
 *
 * @throws TypeError if it is anything else.
 */
export function checkRunId(runId: unknown): void {
  if (isGiven(runId) && typeof runId !== "string") {
    throw new TypeError("runId must be a string");
  }
}

/**
 * What is told of events is a plain function: nobody would await what it gives.
 *
 * @throws TypeError if it cannot be called, or what it gives would have to be awaited.
 */
export function checkListener(onEvent: unknown): void {
  if (!isGiven(onEvent)) return;
  if (typeof onEvent !== "function") {
    throw new TypeError("onEvent must be a function that takes an event");
  }
  if (Object.prototype.toString.call(onEvent) === "[object AsyncFunction]") {
    throw new TypeError("onEvent must be a plain function: it is never awaited");
  }
}

/**
 * What calls the tools is a function or has `invokeStep`.
 *
 * @throws TypeError if it is neither.
 */
export function checkInvoker(invoker: unknown): void {
  if (typeof invoker !== "function" && !has(invoker, "invokeStep")) {
    throw new TypeError("invoker must be an async function, or an object with invokeStep");
  }
}

/**
 * A binder has `bind`.
 *
 * @throws TypeError if it has not.
 */
export function checkBinder(binder: unknown): void {
  // Every function has a `bind`, which is another.
  if (isGiven(binder) && (typeof binder === "function" || !has(binder, "bind"))) {
    throw new TypeError("binder must be an object with bind");
  }
}

/**
 * A clock has `now` and `sleep`.
 *
 * @throws TypeError if it has not.
 */
export function checkClock(clock: unknown): void {
  if (isGiven(clock) && !(has(clock, "now") && has(clock, "sleep"))) {
    throw new TypeError("clock must be an object with now and sleep");
  }
}

/**
 * A memory is a `CallMemory` or left out.
 *
 * @throws TypeError if it is anything else.
 */
export function checkMemory(memory: unknown): void {
  if (isGiven(memory) && !(has(memory, "take") && has(memory, "note"))) {
    throw new TypeError("memory must be a CallMemory");
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function has(given: unknown, method: string): boolean {
  if (typeof given !== "object" && typeof given !== "function") return false;
  return given !== null && typeof Reflect.get(given, method) === "function";
}
