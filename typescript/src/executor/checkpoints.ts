/**
 * Where a paused run stands, as plain data, and how a run goes on from it.
 *
 * A checkpoint holds what cannot be had again: results, ends, counts, time. What follows from
 * the plan and the results (the list of a `for_each`, arguments) is read again.
 */

import { z } from "zod";
import {
  Checkpoint,
  type CheckpointInput,
  type Code,
  ItemCheckpoint,
  StepCheckpoint,
  WorkflowPlan,
  type WorkflowPlanInput,
} from "../models.js";
import type { StepCall } from "../step-call.js";
import {
  copyOut,
  ingest,
  isObject,
  type Members,
  toJsonText,
  ValueFault,
} from "../values/index.js";
import { withoutDefaults } from "./defaults.js";
import { Fault } from "./faults.js";
import { byIndex, Call, milliseconds, type Progress } from "./progress.js";
import type { Readings } from "./readings.js";
import { sha256 } from "./sha256.js";
import type { Work } from "./waiting.js";

/** The version of the form that is written and read. */
export const VERSION = 1;

const NO_CHECKPOINT = "this is no checkpoint: run the plan from its start";
const OTHER_PLAN = "this checkpoint is of another plan: run the plan from its start";

// What tools gave is taken in as from a tool, integers of any length included.
const AnyValue = z.unknown().default(null);
const ReadItem = ItemCheckpoint.extend({ result: AnyValue });
const ReadStep = StepCheckpoint.extend({
  result: AnyValue,
  items: z.array(ReadItem).default([]),
});
const ReadCheckpoint = Checkpoint.extend({
  input: z.record(z.string(), z.unknown()).default({}),
  steps: z.record(z.string(), ReadStep).default({}),
});
type ReadStep = z.infer<typeof ReadStep>;

/** A checkpoint with all its members, its values as they were given. */
export type ReadCheckpoint = z.infer<typeof ReadCheckpoint>;

/**
 * Which plan it is: SHA-256, in lower-case hex, of its compact JSON in UTF-8.
 *
 * Fields stand in the order of the schema, and one that has its default is left out.
 */
export function planHash(plan: WorkflowPlanInput): string {
  const text = toJsonText(withoutDefaults(WorkflowPlan, plan));
  return sha256(new TextEncoder().encode(text));
}

/** A run that has just paused. */
export interface Pause {
  readonly plan: WorkflowPlan;
  /** How far its steps are, in document order. */
  readonly steps: readonly Progress[];
  /** The results of those that are `ok`. */
  readonly results: Members;
  /** The run's `input`. */
  readonly given: Members;
  readonly runId: string;
  /** When it began, in seconds of its clock, pauses left out. */
  readonly began: number;
  /** The moment of the pause. */
  readonly now: number;
}

/** The checkpoint of a run that has just paused; it shares nothing with the run. */
export function checkpointOf(pause: Pause): CheckpointInput {
  const steps: Members = {};
  for (const progress of pause.steps) {
    if (progress.status === undefined && progress.waiting.size === 0) continue;
    steps[progress.step.step.id] = written(progress, pause.results, pause.now);
  }
  const whole = {
    version: VERSION,
    plan: planHash(pause.plan),
    run_id: pause.runId,
    elapsed_ms: milliseconds(pause.now - pause.began),
    input: copyOut(pause.given),
    steps,
  };
  return withoutDefaults(Checkpoint, whole) as CheckpointInput;
}

/** The calls that wait for an answer, in document order and by index. */
export function waitingCalls(steps: readonly Progress[]): StepCall[] {
  return steps.flatMap(({ waiting }) =>
    byIndex(waiting.keys()).flatMap((call) => waiting.get(call) ?? []),
  );
}

function written(progress: Progress, results: Members, now: number): Members {
  const { status, reused, counts, fault, durationMs } = progress;
  if (status !== undefined) {
    // A step may be called as something that every object has.
    const result = status === "ok" ? copyOut(results[progress.step.step.id]) : undefined;
    return { status, result, ...told(fault), duration_ms: durationMs, reused, counts };
  }
  const waiting = byIndex(progress.waiting.keys());
  const open = new Set(waiting.map(({ index }) => index));
  const items = progress.results.map((result, index) => ({
    index,
    result: copyOut(result),
    ...told(progress.itemFaults.get(index)),
  }));
  return {
    duration_ms: milliseconds(now - (progress.beganAt ?? now)),
    reused,
    counts,
    items: items.filter(({ index }) => !open.has(index)),
    waiting: waiting.map((call) => ({
      index: call.index,
      attempt: call.attempts + 1,
      ...told(call.fault),
    })),
  };
}

function told(fault: Fault | undefined): Members {
  return fault === undefined ? {} : { code: fault.code, error: fault.message };
}

/**
 * A checkpoint as it was written.
 *
 * @throws TypeError if it is no object.
 * @throws Error if it is no checkpoint.
 */
export function readCheckpoint(given: unknown): ReadCheckpoint {
  if (!isObject(given)) {
    throw new TypeError("resume must be a checkpoint, such as that of a PlanPaused");
  }
  try {
    const read = ReadCheckpoint.safeParse(given);
    if (read.success) return read.data;
  } catch {
    // A getter or a proxy runs code of its own, which may throw whatever it likes.
  }
  throw new Error(NO_CHECKPOINT);
}

/**
 * Put the steps of a run that has not begun where a checkpoint says.
 *
 * @param checkpoint - Where they stand.
 * @param plan - What runs.
 * @param steps - The steps in document order.
 * @param results - Where the results of `ok` steps go.
 * @param readings - Reads the lists of steps with `for_each` again.
 * @throws Error if the checkpoint is of another plan.
 */
export function* restore(
  checkpoint: ReadCheckpoint,
  plan: WorkflowPlan,
  steps: readonly Progress[],
  results: Members,
  readings: Readings,
): Work<void> {
  const known = new Set(steps.map(({ step }) => step.step.id));
  const others = Object.keys(checkpoint.steps).filter((id) => !known.has(id));
  if (checkpoint.plan !== planHash(plan) || others.length > 0) throw new Error(OTHER_PLAN);
  const halfDone: [Progress, ReadStep][] = [];
  for (const [position, progress] of steps.entries()) {
    const { id } = progress.step.step;
    const kept = Object.hasOwn(checkpoint.steps, id) ? checkpoint.steps[id] : undefined;
    if (kept === undefined) continue;
    progress.reused = kept.reused;
    if (kept.status !== null) {
      end(progress, kept, results);
      continue;
    }
    progress.taken = true;
    progress.beganAt = -kept.duration_ms / 1000;
    for (const { index, attempt, code, error } of kept.waiting) {
      const call = new Call(position, index);
      call.attempts = attempt - 1;
      call.fault = readFault(code, error);
      progress.waiting.set(call, undefined);
    }
    halfDone.push([progress, kept]);
  }
  // A list is read off results, so that all of these come first.
  for (const [progress, kept] of halfDone) yield* readListAgain(progress, kept, readings);
}

function end(progress: Progress, kept: ReadStep, results: Members): void {
  progress.status = kept.status ?? undefined;
  progress.fault = readFault(kept.code, kept.error);
  progress.beganAt = 0;
  progress.endedAt = kept.duration_ms / 1000;
  if (kept.counts !== null) {
    progress.items = new Array(kept.counts.total);
    progress.ok = kept.counts.ok;
    progress.failed = kept.counts.failed;
  }
  if (kept.status === "ok") results[progress.step.step.id] = value(kept.result);
}

function* readListAgain(progress: Progress, kept: ReadStep, readings: Readings): Work<void> {
  const waiting = kept.waiting.map(({ index }) => index);
  if (progress.step.step.for_each === null) {
    const fits = waiting.length === 1 && waiting[0] === null && kept.items.length === 0;
    if (!fits) throw new Error(OTHER_PLAN);
    return;
  }
  const items = yield* readings.items(progress.step);
  if (items instanceof Fault || items.length !== kept.counts?.total) {
    throw new Error(OTHER_PLAN);
  }
  // Each item has ended or waits, and none does both.
  const places = waiting.filter((index) => index !== null);
  const known = [...places, ...kept.items.map(({ index }) => index)].sort((a, b) => a - b);
  const fits =
    places.length > 0 &&
    places.length === waiting.length &&
    known.length === items.length &&
    known.every((index, at) => index === at);
  if (!fits) throw new Error(OTHER_PLAN);
  progress.items = items;
  progress.results = items.map(() => null);
  for (const { index, result, code, error } of kept.items) {
    const fault = readFault(code, error);
    if (fault === undefined) {
      progress.results[index] = value(result);
      progress.ok += 1;
    } else {
      progress.itemFaults.set(index, fault);
      progress.failed += 1;
      progress.fault ??= fault;
    }
  }
}

function readFault(code: Code | null, error: string | null): Fault | undefined {
  return code === null ? undefined : new Fault(code, error ?? "");
}

/** A stored result as it was taken in from its tool. */
function value(stored: unknown): unknown {
  try {
    return ingest(stored, "exact");
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    throw new Error(NO_CHECKPOINT);
  }
}
