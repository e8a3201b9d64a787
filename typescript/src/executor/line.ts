/** What waits for a slot, in the order in which it became ready. */

import type { Ready } from "./course.js";
import { Heap } from "./heap.js";
import { Call, type Progress } from "./progress.js";

/** What waits for a slot, first of all by the event that made it ready. */
interface Waiting {
  readonly event: number;
  readonly position: number;
  readonly index: number;
  /** The call, if it was in line before. */
  readonly call: Call | undefined;
}

/** The calls of one run that are in line for a slot. */
export class Line {
  private readonly queue = new Heap<Waiting>(
    (one, other) =>
      (one.event - other.event || one.position - other.position || one.index - other.index) < 0,
  );

  /** @param steps - How far each step is, in document order. */
  constructor(private readonly steps: readonly Progress[]) {}

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.queue.size === 0;
  }

  /** Put the call of a step in line, or one for each of its items. */
  add({ event, position }: Ready): void {
    this.queue.push({ event, position, index: 0, call: undefined });
  }

  /** Put a call in line once more. */
  addAgain(call: Call, event: number): void {
    this.queue.push({ event, position: call.position, index: call.index ?? 0, call });
  }

  /** Take out what waits longest; undefined if nothing does. */
  next(): Call | undefined {
    const next = this.queue.pop();
    if (next === undefined || next.call !== undefined) return next?.call;
    const { event, position, index } = next;
    const items = this.steps[position]?.items;
    if (items === undefined) return new Call(position, null);
    if (index + 1 < items.length) {
      // The next item waits where this one waited.
      this.queue.push({ event, position, index: index + 1, call: undefined });
    }
    return new Call(position, index);
  }

  /** Let nothing wait any more. */
  clear(): void {
    this.queue.clear();
  }
}
