/** A run that ends when its agent is cancelled. */

import { StopSignal } from "../signals.js";

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
export class Stop extends StopSignal {
  /**
   * @param agent - The signal of the agent's invocation.
   * @param caller - The caller's own signal; the run rejects with its reason.
   */
  constructor(agent: AbortSignal, caller?: AbortSignal) {
    super();
    this.follow(agent, () => new AgentCancelledError());
    this.follow(caller);
  }
}
