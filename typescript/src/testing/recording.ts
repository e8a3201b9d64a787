/** What happened in a run, kept for a test to compare. */

import type { PlanEvent } from "../events.js";
import {
  type Invoke,
  invocation,
  type StepCall,
  type StepInvoker,
  type ToolInvoker,
} from "../executor/calls.js";
import type { JsonValue } from "../models.js";

/** A row of a timeline. */
export type Row = (number | string)[];

/** Keeps every event of a run: `onEvent: recorder.onEvent`. */
export class Recorder {
  /** The events, in order. */
  readonly events: PlanEvent[] = [];

  /** An `onEvent`. */
  readonly onEvent = (event: PlanEvent): void => {
    this.events.push(event);
  };

  /** The events as rows: see `timelineRow`. */
  get timeline(): Row[] {
    return this.events.map(timelineRow);
  }
}

/** Passes every attempt on to another invoker and keeps it. */
export class RecordingInvoker implements StepInvoker {
  /** Every attempt in the order they started, with the arguments as they came. */
  readonly calls: StepCall[] = [];
  private readonly invoke: Invoke;

  /** @param invoker - What carries the attempts out, in either form. */
  constructor(invoker: ToolInvoker | StepInvoker) {
    this.invoke = invocation(invoker);
  }

  /** Keep the attempt and carry it out. */
  invokeStep(call: StepCall): unknown {
    this.calls.push({ ...call, args: structuredClone(call.args) });
    return this.invoke(call);
  }
}

/** `[milliseconds, kind, step id]`, and the item's index if the event is an item's. */
export function timelineRow(event: PlanEvent): Row {
  const row: Row = [event.at_ms, event.kind, event.step_id];
  return event.index === null ? row : [...row, event.index];
}

/** An attempt as cases write it: step, tool, args, and index and attempt if they tell. */
export function callRow(call: StepCall): Record<string, JsonValue> {
  return {
    step: call.step_id,
    tool: call.tool,
    args: call.args,
    ...(call.index !== null && { index: call.index }),
    ...(call.attempt > 1 && { attempt: call.attempt }),
  };
}
