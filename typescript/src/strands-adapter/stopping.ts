/** A run that ends when its agent is cancelled. */

/** The agent was cancelled, and the run with it. */
export class AgentCancelledError extends Error {
  // What is aborted is known by this name throughout the platform.
  override readonly name = "AbortError";

  /** Said where a plan that runs, or is about to, is stopped by its agent. */
  constructor() {
    super(
      "the agent was cancelled, so its plan was stopped; no plan of it runs before an " +
        "invocation of the agent has ended",
    );
  }
}

/** A hook of the user's threw: that ends the run, as it ends an agent without a plan. */
export class HookRaised extends Error {
  override readonly name = "HookRaised";

  /** @param error - What it threw. */
  constructor(readonly error: unknown) {
    super(error instanceof Error ? error.message : String(error));
  }
}

/** Stops one run: by its agent, by the caller, by a hook, or as nobody listens any more. */
export class Stop {
  private readonly controller = new AbortController();
  private readonly unlink: () => void;

  /**
   * @param agent - The signal of the agent's invocation.
   * @param caller - The caller's own signal; the run rejects with its reason.
   */
  constructor(agent: AbortSignal, caller?: AbortSignal) {
    const byAgent = (): void => this.now(new AgentCancelledError());
    const byCaller = (): void => this.now(caller?.reason);
    agent.addEventListener("abort", byAgent, { once: true });
    caller?.addEventListener("abort", byCaller, { once: true });
    this.unlink = () => {
      agent.removeEventListener("abort", byAgent);
      caller?.removeEventListener("abort", byCaller);
    };
    if (agent.aborted) byAgent();
    else if (caller?.aborted) byCaller();
  }

  /** Tells the run to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Stop the run; the first reason counts. */
  now(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Listen to nobody any more: the run is over. */
  done(): void {
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
