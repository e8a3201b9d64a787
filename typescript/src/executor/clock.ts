/**
 * Time as the scheduler sees it, so that a caller can put another in its place.
 *
 * A run asks one clock for the time and lets one clock wait: step and plan timeouts, backoffs
 * and durations all come from it. `testing`'s `VirtualClock` is a clock that jumps.
 */

/** What a run needs of time. */
export interface Clock {
  /** Seconds from any fixed moment, never going back. */
  now(): number;

  /**
   * Resolve once that many seconds have gone by; with 0 still by a timer.
   *
   * @param signal - Once it is aborted nobody waits any more: the timer is to be taken back,
   *   and the promise rejected with the signal's reason.
   */
  sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}

// The longest that the platform's timers wait at once; longer ones fire immediately.
const LONGEST_MS = 2 ** 31 - 1;

/** The platform's own time: what a run uses unless it is given another clock. */
export class SystemClock implements Clock {
  /** Seconds since the program began. */
  now(): number {
    return performance.now() / 1000;
  }

  /** Wait by a timer of the platform, for 0 seconds too. */
  sleep(seconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const due = this.now() + seconds;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const wait = (left: number): void => {
        timer = setTimeout(ring, Math.min(Math.ceil(left * 1000), LONGEST_MS));
      };
      const ring = (): void => {
        // The platform's timers may come a little early.
        const left = due - this.now();
        if (left > 0) {
          wait(left);
          return;
        }
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      if (signal?.aborted) {
        stop();
        return;
      }
      signal?.addEventListener("abort", stop, { once: true });
      wait(Math.max(seconds, 0));
    });
  }
}
