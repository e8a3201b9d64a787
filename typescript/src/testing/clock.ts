/**
 * Time that a test holds: a clock that jumps to the next timer that is due.
 *
 * What waits by this clock waits in virtual time, so a plan that takes an hour runs in a
 * moment and takes exactly an hour.
 */

import { setImmediate } from "node:timers";
import type { Clock } from "../executor/clock.js";
import { Heap } from "../executor/heap.js";

const PER_SECOND = 1_000_000;

/** A sleep that goes on. */
interface Timer {
  /** When it is over, in whole microseconds. */
  readonly due: number;
  /** How many timers were set before it. */
  readonly order: number;
  readonly ring: () => void;
  over: boolean;
}

/**
 * A clock for `executePlan` and stub tools.
 *
 * A timer fires only when nothing else can run, and one at a time: of timers that are due
 * together the one set first fires first, with all that follows from it, through however many
 * promises, before the next. Time is kept in whole microseconds, so that sums come out even.
 * It starts at 0 and goes on from one `run` to the next.
 *
 * What waits by anything else, such as `setTimeout` or a file, takes no virtual time, and the
 * clock does not wait for it.
 *
 * @example
 * const clock = new VirtualClock();
 * await clock.run(() => clock.sleep(3600));
 * clock.now(); // 3600
 */
export class VirtualClock implements Clock {
  private micros = 0;
  private timersSet = 0;
  private running = 0;
  private isTurning = false;
  private readonly timers = new Heap<Timer>(
    (one, other) => (one.due - other.due || one.order - other.order) < 0,
  );

  /** Virtual seconds since the clock was made. */
  now(): number {
    return this.micros / PER_SECOND;
  }

  /**
   * Wait in virtual time; with 0 seconds still until every timer set before has fired.
   *
   * @param signal - Once it is aborted the timer is taken back and the wait rejects.
   * @throws Error if the clock does not run.
   */
  sleep(seconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.running === 0) {
        throw new Error("a VirtualClock sleeps only inside its own run()");
      }
      signal?.throwIfAborted();
      const stop = (): void => {
        timer.over = true;
        reject(signal?.reason);
      };
      this.timersSet += 1;
      const timer: Timer = {
        due: halfEven((this.now() + seconds) * PER_SECOND),
        order: this.timersSet,
        ring: () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
        over: false,
      };
      signal?.addEventListener("abort", stop, { once: true });
      this.timers.push(timer);
      this.turn();
    });
  }

  /**
   * Run something to its end in virtual time.
   *
   * @param main - What is to run; its timers may be set from its first moment on.
   * @returns What it gives. Timers that are still set then never fire.
   */
  async run<Result>(main: () => Result | PromiseLike<Result>): Promise<Result> {
    this.running += 1;
    try {
      return await main();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.timers.clear();
    }
  }

  /** Fire the next timer once everything that can run has run. */
  private turn(): void {
    if (this.isTurning) return;
    this.isTurning = true;
    // Every promise that can go on has gone on before the event loop's next turn.
    setImmediate(() => {
      this.isTurning = false;
      this.fireNext();
      if (this.timers.size > 0) this.turn();
    });
  }

  private fireNext(): void {
    for (;;) {
      const timer = this.timers.pop();
      if (timer === undefined) return;
      if (timer.over) continue;
      this.micros = Math.max(this.micros, timer.due);
      timer.ring();
      return;
    }
  }
}

/** The nearest whole number, and of two the even one. */
function halfEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}
