/** The seam through which each call of a tool leaves the engine. */

import type { JsonValue } from "../models.js";
import type { StepCall } from "../step-call.js";
import { jsonString } from "../values/index.js";
import { sha256 } from "./sha256.js";

export type { StepCall };

/**
 * The simplest form of the seam: a tool's name and its arguments.
 *
 * It gives the tool's result as plain JSON, or a promise of it; nothing (`undefined`) is taken
 * for null. If it throws, the call failed, and the error's message becomes the step's `error`;
 * but `StepPaused` says that the call waits for an answer from outside and that nothing was
 * carried out, and `ToolDeniedError` that somebody refused it, so that it is not tried again.
 */
export type ToolInvoker = (name: string, args: Record<string, JsonValue>) => unknown;

/** The whole seam: an invoker with this method is given the `StepCall` instead. */
export interface StepInvoker {
  /** Carry out one attempt; results and errors as for `ToolInvoker`. */
  invokeStep(call: StepCall): unknown;
}

/** What starts an attempt. */
export type Invoke = (call: StepCall) => unknown;

/** The one function that starts an attempt, whichever form the invoker has. */
export function invocation(invoker: ToolInvoker | StepInvoker): Invoke {
  if ("invokeStep" in invoker) return (call) => invoker.invokeStep(call);
  return (call) => invoker(call.tool, call.args);
}

/** A call with its key, which few ask for, and which is made when it is asked for. */
export function stepCall(call: Omit<StepCall, "key">): StepCall {
  let key: string | undefined;
  return {
    ...call,
    get key() {
      key ??= callKey(call.run_id, call.step_id, call.index);
      return key;
    },
  };
}

/**
 * The idempotency key of a call: SHA-256, in lower-case hex, of its names.
 *
 * What is hashed is the UTF-8 text of the compact JSON array `[run_id, step_id, index]`, in
 * which a call without an item has `null` for the index: `["r1","pay",null]`.
 */
export function callKey(runId: string, stepId: string, index: number | null): string {
  // An id of a step has nothing that JSON would escape.
  const named = `[${jsonString(runId)},"${stepId}",${index}]`;
  return sha256(new TextEncoder().encode(named));
}
