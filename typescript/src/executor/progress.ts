/** How far a run is: what is known of each step, each call and each attempt of it. */

import type { ItemCounts, StepStatus } from "../models.js";
import type { StepCall } from "../step-call.js";
import type { CheckedStep } from "../validate/index.js";
import type { Members } from "../values/index.js";
import type { Fault } from "./faults.js";

/** One call of a tool with all its attempts: a step's own, or that of one item. */
export class Call {
  attempts = 0;
  fault: Fault | undefined;

  /**
   * @param position - Which step it is of.
   * @param index - Which item it is for; null without one.
   */
  constructor(
    readonly position: number,
    readonly index: number | null,
  ) {}
}

/** One attempt of a call; it holds a slot until it is `over`. */
export class Attempt {
  over = false;

  /**
   * @param call - The call that it is of.
   * @param sent - What the tool is sent.
   * @param controller - Of the signal that the tool is sent.
   * @param noted - Its arguments as they were, if its result is to be remembered with them.
   */
  constructor(
    readonly call: Call,
    readonly sent: StepCall,
    readonly controller: AbortController,
    readonly noted?: Members,
  ) {}
}

/** How far one step is. */
export class Progress {
  /** How it ended; undefined until it has. */
  status: StepStatus | undefined;
  /** Whether its condition is known to hold. */
  taken = false;
  /** When its first attempt started, in seconds of the run's clock. */
  beganAt: number | undefined;
  /** When it ended. */
  endedAt: number | undefined;
  /** What failed it; of a `for_each` step that goes on, its first failed item. */
  fault: Fault | undefined;
  /**
   * The list of a `for_each` step, once it was read; of one that ended before the run was
   * resumed its length alone counts.
   */
  items: readonly unknown[] | undefined;
  /** The results of its items, null where there is none. */
  results: unknown[] = [];
  /** How many items have a result. */
  ok = 0;
  /** How many failed for good. */
  failed = 0;
  /** How many of its calls were taken from memory. */
  reused = 0;
  /** What failed each failed item, by index. */
  readonly itemFaults = new Map<number, Fault>();
  /** Its attempts that hold a slot, in the order they started. */
  readonly running = new Set<Attempt>();
  /** Its calls between two attempts: in backoff, or in line for a slot after it. */
  readonly resting = new Set<Call>();
  /**
   * Its calls that wait for an answer, and what was last sent of each; in a resumed run also
   * those that are in line for a slot once more.
   */
  readonly waiting = new Map<Call, StepCall | undefined>();

  /**
   * @param step - The step.
   * @param waitsFor - How many of its dependencies have not ended.
   */
  constructor(
    readonly step: CheckedStep,
    public waitsFor: number,
  ) {}

  /** Whether it has not ended and no attempt of it has started. */
  get unbegun(): boolean {
    return this.status === undefined && this.beganAt === undefined;
  }

  /** Whether an attempt runs or a call waits to be tried again. */
  get busy(): boolean {
    return this.running.size > 0 || this.resting.size > 0;
  }

  /** Whether no call of it is left to start. */
  get complete(): boolean {
    return this.items === undefined || this.ok + this.failed === this.items.length;
  }

  /** The counts of a `for_each` step whose list was read. */
  get counts(): ItemCounts | null {
    if (this.items === undefined) return null;
    return { total: this.items.length, ok: this.ok, failed: this.failed };
  }

  /** From the start of its first attempt to its end; 0 if none started. */
  get durationMs(): number {
    if (this.beganAt === undefined || this.endedAt === undefined) return 0;
    return milliseconds(this.endedAt - this.beganAt);
  }
}

/** The calls of one step by the place of their items. */
export function byIndex(calls: Iterable<Call>): Call[] {
  return [...calls].sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
}

/** Seconds as milliseconds, to the microsecond: differences of clock times come out even. */
export function milliseconds(seconds: number): number {
  const whole = seconds * 1000;
  const rounded = Number(whole.toFixed(3));
  // A double lies halfway between two microseconds only on an odd sixteenth of a millisecond,
  // and goes to the even one of them.
  if ((whole * 16) % 2 === 1 && Math.round(rounded * 1000) % 2 === 1) {
    return (Math.round(rounded * 1000) - 1) / 1000;
  }
  return rounded;
}
