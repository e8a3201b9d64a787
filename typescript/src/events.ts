/** What a run emits while it goes on: one event for each thing that starts or ends. */

import type { Code } from "./models.js";

/**
 * What happened.
 *
 * - `start`: an attempt of a call began: the tool is being called.
 * - `retry`: an attempt failed and its call goes on after a backoff.
 * - `waiting`: an attempt gave its slot back: its call waits for an answer from outside.
 * - `cancelled`: an attempt was stopped because the run was cancelled.
 * - `ok`: a step, or the call of one item, ended with a result.
 * - `failed`: a step, or the call of one item, failed for good.
 * - `skipped`: a step ended without running because of a failure.
 * - `not_taken`: a step ended without running because a condition said so.
 */
export type EventKind =
  | "start"
  | "retry"
  | "waiting"
  | "cancelled"
  | "ok"
  | "failed"
  | "skipped"
  | "not_taken";

/**
 * One thing that happened in a run, as plain data.
 *
 * The last four kinds are the ends of a step, where `index` is null, or of the call of one
 * item of a `for_each` step, where `index` is that item's (only `ok` and `failed`). A step's
 * end follows the ends of its items. Values are not in events. The end of an item that was
 * taken from memory has no start before it and no attempt.
 */
export interface PlanEvent {
  /** What happened. */
  readonly kind: EventKind;
  /** The run that it happened in. */
  readonly run_id: string;
  /** The step. */
  readonly step_id: string;
  /** The tool that the step names. */
  readonly tool: string;
  /** When, in milliseconds since the run began, pauses left out, to the microsecond. */
  readonly at_ms: number;
  /** The item's place in the `for_each` list, from 0. */
  readonly index: number | null;
  /** Which attempt of its call, from 1, where the event is about one. */
  readonly attempt: number | null;
  /** What went wrong (`failed`, `retry` and `cancelled`). */
  readonly code: Code | null;
  /** The same in words. */
  readonly error: string | null;
}

/**
 * Called with each event, in order, while the run waits; it must return soon.
 *
 * An exception that it throws loses neither the run nor later events: the first one of a run
 * goes to `onEventError`.
 */
export type OnEvent = (event: PlanEvent) => unknown;
