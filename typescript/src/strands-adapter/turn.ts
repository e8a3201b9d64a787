/** What an agent keeps between the plans of one turn: a turn may go on after an interrupt. */

import type {
  AfterInvocationEvent,
  BeforeInvocationEvent,
  BeforeToolsEvent,
  LocalAgent,
} from "@strands-agents/sdk";
import { CallMemory, type CallMemoryJson } from "../memory.js";
import type { PlanResult } from "../models.js";
import { isObject } from "../values/index.js";
import type { Closed } from "./batch.js";
import { Blocks, type StoredBlocks } from "./blocks.js";
import type { Names } from "./naming.js";
import { Pauses, type Told } from "./pauses.js";
import { answeredCalls, forgetUnanswered, isInterrupted } from "./sdk.js";

/**
 * The turns of some agents.
 *
 * Whoever copies an agent copies its hooks with it: they have to find the turn of the agent
 * that they are called for.
 */
export class Turns {
  private readonly known = new WeakMap<LocalAgent, Turn>();

  /**
   * @param reusable - Whether a corrected plan may take over results of a tool, by its name;
   *   undefined if nothing is to be remembered.
   */
  constructor(private readonly reusable: ((tool: string) => boolean) | undefined) {}

  /** The turn that an agent is in. */
  of(agent: LocalAgent): Turn {
    const known = this.known.get(agent);
    if (known !== undefined) return known;
    const made = new Turn(agent, this.reusable);
    this.known.set(agent, made);
    return made;
  }
}

/** The turn that an agent is in. */
export class Turn {
  /** The agent's paused plans. */
  readonly pauses: Pauses;
  /** What remembered results refer to. */
  blocks = new Blocks();
  /** What stops each plan of this turn that runs. */
  readonly running = new Set<() => void>();
  /** The invocation that goes on, or the last one. */
  invocation = {};
  private kept: CallMemory;
  /** Of the batch that runs: whether a plan has ended, and one that has to be corrected. */
  private hasEnded = false;
  private hasFailed = false;
  /** The signal of the invocation, if it goes on with what was interrupted. */
  private resuming: AbortSignal | undefined;
  /** Whether an invocation goes on. */
  private isOn = false;

  /**
   * @param agent - The agent.
   * @param reusable - As in `Turns`.
   */
  constructor(
    private readonly agent: LocalAgent,
    private readonly reusable: ((tool: string) => boolean) | undefined,
  ) {
    this.pauses = new Pauses(agent);
    this.kept = new CallMemory(reusable);
  }

  /** What the plans of this turn remember; undefined if nothing may be remembered. */
  get memory(): CallMemory | undefined {
    return this.reusable === undefined ? undefined : this.kept;
  }

  /** The steps that a corrected plan does not run again. */
  keptOf(result: PlanResult): string[] {
    const { memory } = this;
    if (memory === undefined) return [];
    return result.ledger
      .filter(({ status, tool }) => status === "ok" && memory.keeps(tool))
      .map(({ id }) => id);
  }

  /** A plan has ended; without a result it was refused, and is to be corrected too. */
  planEnded(result?: PlanResult, blocks?: Blocks): void {
    this.hasEnded = true;
    if (result === undefined || needsCorrection(result)) this.hasFailed = true;
    if (this.memory !== undefined && blocks !== undefined) this.blocks.takeOver(blocks);
  }

  /** A plan was cancelled: nothing of this turn is taken over. */
  planStopped(): void {
    this.forget();
  }

  /** Keep what the model is told of a plan, as far as the plan could be called once more. */
  keep(names: Names, told: Told): void {
    // An agent that waits for nobody may still come to wait before the call is answered.
    if (isInterrupted(this.agent)) this.pauses.save(names, told);
    else if (this.isOn) this.pauses.putAside(names, told);
  }

  // Hooks.

  /** After all others: a new turn begins, or one goes on that was interrupted. */
  begin(event: BeforeInvocationEvent): void {
    this.invocation = {};
    this.isOn = true;
    this.forget();
    this.pauses.begin();
    const isResumed = isInterrupted(this.agent);
    this.resuming = isResumed ? event.agent.cancelSignal : undefined;
    if (isResumed) this.recall();
    else this.clear();
  }

  /** Before any session manager stores the agent. */
  end(_: AfterInvocationEvent): void {
    // A hook may have taken a call away from whoever ran it.
    for (const stop of [...this.running]) stop();
    this.running.clear();
    this.isOn = false;
    if (!isInterrupted(this.agent)) {
      this.clear();
    } else {
      this.pauses.keepAside();
      // Cancelled before its call was made: it must not go on later.
      if (this.resuming?.aborted) this.pauses.stopOld();
      this.remember();
    }
    this.forget();
  }

  /** Before a batch: what earlier batches kept is part of the conversation by now. */
  beginBatch(_: BeforeToolsEvent): void {
    if (!isInterrupted(this.agent)) this.clear();
  }

  /** A batch of calls is over, or waits in part. */
  settle({ endings, answered, isWhole }: Closed): void {
    // Strands keeps their results by itself. It does so only when it stops for an interrupt:
    // until the results are part of the conversation it may make the calls again.
    const safe = answeredCalls(this.agent);
    const ended = endings.filter(({ planId }) => safe.has(planId));
    this.pauses.drop(ended.flatMap(({ calls }) => calls ?? []));
    // What was answered without having run must not run later.
    this.pauses.stop((calls) => answered.has(calls));
    if (!this.hasEnded || !isWhole) return;
    this.kept.settle(this.hasFailed);
    if (!this.hasFailed) this.blocks = new Blocks();
    this.hasEnded = this.hasFailed = false;
  }

  /** Keep nothing of plans: the agent waits for nobody. */
  private clear(): void {
    // A listener that left kept Strands from stopping for what a paused plan asks.
    for (const calls of this.pauses.names) forgetUnanswered(this.agent, calls);
    this.pauses.clear();
  }

  private recall(): void {
    try {
      const kept = this.pauses.loadMemory();
      if (kept === undefined || this.reusable === undefined) return;
      const { calls, media, texts, ended, failed } = kept;
      if (!isObject(calls)) throw new TypeError("it holds no calls");
      const stored = { media, texts } as StoredBlocks;
      this.blocks.restore(stored);
      this.kept = CallMemory.fromJson(calls as CallMemoryJson, this.reusable);
      this.hasEnded = ended === true;
      this.hasFailed = failed === true;
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: the SDK's own logger is not to be had.
      console.warn("strands-plan-tool: what this turn had remembered cannot be read", error);
      this.forget();
    }
  }

  private remember(): void {
    const { memory } = this;
    if (memory === undefined) return;
    if (memory.available.length === 0 && memory.pending.length === 0) return;
    this.pauses.saveMemory({
      calls: memory.toJson(),
      ...this.blocks.toJson(),
      ended: this.hasEnded,
      failed: this.hasFailed,
    });
  }

  private forget(): void {
    this.kept = new CallMemory(this.reusable);
    this.blocks = new Blocks();
    this.hasEnded = this.hasFailed = false;
  }
}

function needsCorrection(result: PlanResult): boolean {
  if (result.output_error !== null) return true;
  return result.ledger.some(
    ({ status, items }) =>
      status === "failed" || status === "skipped" || (items !== null && items.failed > 0),
  );
}
