/** Work that whichever of several signals comes first brings to its end. */

/** Ends a piece of work; the first reason counts. */
export class StopSignal {
  private readonly controller = new AbortController();
  private readonly unlinks: (() => void)[] = [];

  /** Tells the work to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Stop the work. */
  now(reason: unknown): void {
    this.controller.abort(reason);
  }

  /**
   * Stop it when another signal comes, or at once if that has come.
   *
   * @param other - The signal, if there is one.
   * @param reason - Why the work stops then; the signal's own reason unless given.
   */
  follow(other: AbortSignal | undefined, reason?: () => unknown): void {
    if (other === undefined) return;
    const stop = (): void => this.now(reason === undefined ? other.reason : reason());
    other.addEventListener("abort", stop, { once: true });
    this.unlinks.push(() => other.removeEventListener("abort", stop));
    if (other.aborted) stop();
  }

  /** Listen to nobody any more: the work is over. */
  done(): void {
    for (const unlink of this.unlinks) unlink();
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
