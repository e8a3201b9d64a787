/**
 * How long a run may go on at once: what it asks before it evaluates an expression.
 *
 * Evaluation holds the thread, and meanwhile no timer rings. So the clock is read between
 * evaluations: what is due is seen there, and the event loop is let go on before it was held
 * for long. On a clock that stands still during evaluation, as virtual time does, all of it is
 * nothing.
 */

import type { Attempt } from "./progress.js";

// Timers, cancellation and other work wait for about this long at most.
const HELD_S = 0.02;

/** The time of one run, as far as it bounds evaluation. */
export class Pace {
  /**
   * When the deadline of each attempt in flight comes; all have the same time, so the one that
   * began first is due first.
   */
  readonly due = new Map<Attempt, number>();
  private endsAt: number | undefined;
  private rang = false;
  private held = 0;
  private entered: number | undefined;

  /**
   * @param now - Tells the time.
   * @param planTimeoutS - Seconds for the whole run; null for no limit.
   */
  constructor(
    readonly now: () => number,
    private readonly planTimeoutS: number | null,
  ) {}

  /** When the plan's deadline comes, once the run has started. */
  get deadline(): number | undefined {
    return this.endsAt;
  }

  /** The run starts, or started then, if it was paused since. */
  begin(now: number): void {
    if (this.planTimeoutS !== null) this.endsAt = now + this.planTimeoutS;
  }

  /** The timer of the plan's deadline has rung. */
  ring(): void {
    this.rang = true;
  }

  /** From here on the thread is held. */
  enter(): void {
    this.entered = this.now();
  }

  /** The thread is let go, though whatever is ready may go on holding it. */
  leave(): void {
    if (this.entered === undefined) return;
    this.held += this.now() - this.entered;
    this.entered = undefined;
  }

  /** The event loop had a turn. */
  turned(): void {
    this.held = 0;
  }

  /** Whether the plan's deadline has passed; at the very moment its timer is to tell. */
  isOver(now: number): boolean {
    return this.rang || (this.endsAt !== undefined && now > this.endsAt);
  }

  /** Whether the loop is to have a turn: it was held, or an attempt's timer is due. */
  wantsTurn(now: number): boolean {
    const held = this.held + (this.entered === undefined ? 0 : now - this.entered);
    let isDue = false;
    for (const [attempt, due] of this.due) {
      if (due >= now) break;
      // One turn is enough for its timer to ring; nobody waits for one that does not.
      this.due.delete(attempt);
      isDue = true;
    }
    return isDue || held > HELD_S;
  }
}
