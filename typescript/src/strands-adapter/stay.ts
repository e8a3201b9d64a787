/** One call of the plan tool: what it goes on from, and what it leaves for the next one. */

import type { LocalAgent } from "@strands-agents/sdk";
import type { PlanPaused } from "../errors.js";
import type { OnEvent } from "../events.js";
import type { PlanResult } from "../models.js";
import type { Approve } from "./approval.js";
import type { AgentToolInvoker } from "./invoker.js";
import type { Names } from "./naming.js";
import { cancelled, PausedPlan, Told } from "./pauses.js";
import type { PlanRun } from "./plan-run.js";
import { forgetUnanswered, isInterrupted } from "./sdk.js";
import { AgentCancelledError, type Stop } from "./stopping.js";
import type { Turn } from "./turn.js";

const LOST =
  "The plan was waiting for an answer, and what it had done by then cannot be read any more. " +
  "It does not go on. See what has been done before you send it again.";

/**
 * One call of the plan tool, within a turn of its agent.
 *
 * While it lasts, a plan that Strands could call once more is kept as cancelled: a call that
 * nobody lets end (a consumer that leaves, a hook that throws) may be made again, and then it
 * must neither go on nor begin anew.
 */
export class Stay {
  /** What the model was told of this very call already; then nothing is to run. */
  readonly told: Told | undefined;
  /** The ids of the steps that have ended well. */
  private readonly done: string[] = [];
  private readonly paused: PausedPlan | undefined;
  private hasLeft = false;
  private unwatch: () => void = () => undefined;

  /**
   * @param agent - The agent.
   * @param names - The names of the run.
   * @param turn - The turn; undefined for a call that is not part of one.
   * @param canPause - Whether the plan may wait for a person.
   */
  constructor(
    private readonly agent: LocalAgent,
    private readonly names: Names,
    private readonly turn: Turn | undefined,
    private readonly canPause: boolean,
  ) {
    if (turn === undefined || !canPause) return;
    try {
      const kept = turn.pauses.load(names);
      if (kept instanceof Told) {
        this.told = kept;
      } else if (kept !== undefined) {
        this.paused = kept;
        this.done.push(...kept.done);
      }
    } catch {
      this.told = Told.error(LOST);
    }
  }

  /** Begin: from now on the plan is kept as cancelled, until something is kept in its place. */
  enter(stop: Stop): void {
    const { turn } = this;
    if (turn === undefined) return;
    this.keep(cancelled(this.done));
    const { signal } = stop;
    const stopped = (): void => this.abandon(signal.reason);
    const end = (): void => stop.now(new AgentCancelledError());
    signal.addEventListener("abort", stopped, { once: true });
    turn.running.add(end);
    this.unwatch = () => {
      signal.removeEventListener("abort", stopped);
      turn.running.delete(end);
    };
  }

  /** End, however that came. */
  leave(): void {
    this.unwatch();
    if (!this.hasLeft) this.abandon(undefined);
  }

  /**
   * How the plan is to run.
   *
   * @param plan - The plan as the model sent it.
   * @param invoker - Calls its tools.
   * @param approve - What it has to be approved by.
   */
  runOf(plan: unknown, invoker: AgentToolInvoker, approve: Approve | undefined): PlanRun {
    const { turn, paused } = this;
    const memory = turn?.memory;
    if (turn !== undefined && memory !== undefined) invoker.blocks.takeOver(turn.blocks);
    if (paused !== undefined) invoker.blocks.takeOver(paused.blocks);
    return { plan, invoker, onEvent: this.note, resume: paused?.checkpoint, memory, approve };
  }

  /**
   * Keep the plan until it is answered.
   *
   * @returns What asks everything that is asked, to be thrown.
   */
  pause({ checkpoint, waiting }: PlanPaused, invoker: AgentToolInvoker): Error {
    const plan = new PausedPlan(checkpoint, invoker.blocks);
    this.turn?.pauses.save(this.names, plan);
    this.hasLeft = true;
    return invoker.asking(waiting);
  }

  /** Keep nothing: the plan has not begun, and somebody is asked whether it may. */
  ask(): void {
    this.turn?.pauses.drop([this.names.calls]);
    this.hasLeft = true;
  }

  /** End a plan that was cancelled; nothing of its turn is remembered. */
  cancel(): Told {
    this.turn?.planStopped();
    return this.end(cancelled(this.done));
  }

  /** End a plan that may not run, or not go on; the model is to send another. */
  refuse(text: (done: readonly string[]) => string): Told {
    this.turn?.planEnded();
    return this.over(Told.error(text(this.done)));
  }

  /** End a plan in the middle of which the agent is about to stop. */
  fail(text: string): Told {
    return this.end(Told.error(text));
  }

  /** The steps that a corrected plan does not run again. */
  kept(result: PlanResult): readonly string[] {
    return this.turn?.keptOf(result) ?? [];
  }

  /** End a plan that has run. */
  finish(result: PlanResult, invoker: AgentToolInvoker, told: Told): Told {
    this.turn?.planEnded(result, invoker.blocks);
    return this.over(told);
  }

  /** End a plan of which nothing is left to answer. */
  private over(told: Told): Told {
    // Steps that asked, and were not needed any more when another failed.
    if (this.turn !== undefined) forgetUnanswered(this.agent, this.names.calls);
    return this.end(told);
  }

  private end(told: Told): Told {
    this.keep(told);
    this.hasLeft = true;
    return told;
  }

  private abandon(reason: unknown): void {
    if (this.hasLeft) return;
    if (reason instanceof AgentCancelledError) this.turn?.planStopped();
    this.keep(cancelled(this.done));
  }

  /** Keep what the model is told, if the plan could be called once more. */
  private keep(told: Told): void {
    // An agent that waits for nothing does not make the call again.
    if (!this.canPause || !isInterrupted(this.agent)) return;
    this.turn?.pauses.save(this.names, told);
  }

  private readonly note: OnEvent = (event) => {
    if (event.kind === "ok" && event.index === null) this.done.push(event.step_id);
  };
}
