/** What ends a run before its end, and whom it stops. */

import { StopSignal } from "../signals.js";
import { OutOfBudget } from "./budget.js";

const LONGEST_MS = 2 ** 31 - 1;

/** Ends a run: its budget is used up, its time is over, or the host cancels it. */
export class Stop extends StopSignal {
  private readonly timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param secondsLeft - How long the run may take; null for no limit.
   * @param host - The host's own signal; the run rejects with its reason.
   */
  constructor(secondsLeft: number | null, host: AbortSignal | undefined) {
    super();
    this.follow(host);
    if (secondsLeft === null) return;
    const over = (): void => this.now(new OutOfBudget("wall_s"));
    if (secondsLeft <= 0) over();
    // What the platform's timers cannot wait at once is no limit that a run comes near.
    else this.timer = setTimeout(over, Math.min(secondsLeft * 1000, LONGEST_MS));
  }

  override done(): void {
    clearTimeout(this.timer);
    super.done();
  }
}

/** The end of what is going on in this moment, in which answers that are there are taken. */
export async function momentOver(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
