/** One attempt of one call. */

import type { JsonValue } from "./models.js";

/** One attempt of one call: everything that a runner of tools needs. */
export interface StepCall {
  /** The run that it belongs to. */
  readonly run_id: string;
  /** The step of the plan. */
  readonly step_id: string;
  /** The item's place in the `for_each` list, from 0; null without one. */
  readonly index: number | null;
  /**
   * Which attempt of this call, from 1; that of a call that waited for an answer is the same
   * when it is made again.
   */
  readonly attempt: number;
  /**
   * The same for every attempt of this call, and for the same call of a resumed run: see
   * `callKey`.
   */
  readonly key: string;
  /** The tool's name. */
  readonly tool: string;
  /** Its arguments, made for this attempt alone: the tool may change them. */
  readonly args: Record<string, JsonValue>;
  /**
   * Aborted when nobody waits for this attempt any more: it ran into a timeout, or the run was
   * cancelled. A tool that can stop should pass it on, as in `fetch(url, { signal })`; what it
   * still gives or throws is not heard.
   */
  readonly signal: AbortSignal;
}
