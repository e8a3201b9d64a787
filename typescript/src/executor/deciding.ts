/** Whether a step runs once its dependencies have ended, and which calls that makes. */

import type { Policy } from "../models.js";
import type { Ready } from "./course.js";
import { Fault, tooManyItems } from "./faults.js";
import type { Line } from "./line.js";
import { Call } from "./progress.js";
import type { Readings } from "./readings.js";
import type { Stops } from "./stops.js";
import type { Work } from "./waiting.js";

/** Decides the steps of one run. */
export class Deciding {
  /**
   * @param course - The steps.
   * @param readings - What evaluates conditions and lists.
   * @param line - Where calls wait for a slot.
   * @param policy - How many items a list may have.
   * @param fail - What fails a step, with all that follows from it.
   */
  constructor(
    private readonly course: Stops,
    private readonly readings: Readings,
    private readonly line: Line,
    private readonly policy: Policy,
    private readonly fail: (call: Call, fault: Fault) => void,
  ) {}

  /** Decide the step that `nextToDecide` gave. */
  *decide(ready: Ready): Work<void> {
    this.course.decided();
    const progress = this.course.at(ready.position);
    if (!progress.taken && !(yield* this.isTaken(ready.position))) return;
    const { step } = progress.step;
    if (step.for_each === null) {
      this.line.add(ready);
    } else if (step.when !== null && !progress.taken) {
      // Its list is another evaluation: it comes next, if there is time for it.
      progress.taken = true;
      this.course.decideAgain(ready);
    } else {
      yield* this.spread(ready);
    }
  }

  /** Whether a step runs; if it does not, it ends here. */
  private *isTaken(position: number): Work<boolean> {
    const verdict = this.course.verdict(position);
    if (verdict !== undefined) {
      this.course.end(position, verdict);
      return false;
    }
    const { step } = this.course.at(position);
    const taken = step.step.when === null ? true : yield* this.readings.condition(step);
    if (taken instanceof Fault) {
      this.fail(new Call(position, null), taken);
      return false;
    }
    if (!taken) this.course.end(position, "not_taken");
    return taken;
  }

  /** Put a call for each item of the step's list in line. */
  private *spread(ready: Ready): Work<void> {
    const { position } = ready;
    const progress = this.course.at(position);
    const items = yield* this.readings.items(progress.step);
    if (items instanceof Fault) {
      this.fail(new Call(position, null), items);
    } else if (items.length > this.policy.max_items) {
      const { id, for_each: text } = progress.step.step;
      const tooMany = tooManyItems(id, text ?? "", items.length, this.policy);
      this.fail(new Call(position, null), tooMany);
    } else {
      progress.items = items;
      progress.results = items.map(() => null);
      if (items.length > 0) this.line.add(ready);
      else this.course.finish(position);
    }
  }
}
