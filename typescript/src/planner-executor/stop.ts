/** What ends a run before its end, and whom it stops. */

import { OutOfBudget } from "./budget.js";

const LONGEST_MS = 2 ** 31 - 1;

/** Ends a run: its budget is used up, its time is over, or the host cancels it. */
export class Stop {
  private readonly controller = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout> | undefined;
  private readonly unlink: () => void;

  /**
   * @param secondsLeft - How long the run may take; null for no limit.
   * @param host - The host's own signal; the run rejects with its reason.
   */
  constructor(secondsLeft: number | null, host: AbortSignal | undefined) {
    const byHost = (): void => this.now(host?.reason);
    host?.addEventListener("abort", byHost, { once: true });
    this.unlink = () => host?.removeEventListener("abort", byHost);
    if (host?.aborted) byHost();
    if (secondsLeft === null) return;
    const over = (): void => this.now(new OutOfBudget("wall_s"));
    if (secondsLeft <= 0) over();
    // What the platform's timers cannot wait at once is no limit that a run comes near.
    else this.timer = setTimeout(over, Math.min(secondsLeft * 1000, LONGEST_MS));
  }

  /** Tells the agents to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** End the run; the first reason counts. */
  now(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** The run is over. */
  done(): void {
    clearTimeout(this.timer);
    this.unlink();
  }
}

/**
 * What a promise gives, unless the signal comes first.
 *
 * @throws The signal's reason.
 */
export async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([stopped, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The end of what is going on in this moment, in which answers that are there are taken. */
export async function momentOver(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
