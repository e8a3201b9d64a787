/** One call of the plan tool: what it goes on from, and what it leaves for the next one. */

import type { LocalAgent } from "@strands-agents/sdk";
import type { PlanPaused } from "../errors.js";
import type { OnEvent } from "../events.js";
import type { PlanResult } from "../models.js";
import type { Approve } from "./approval.js";
import type { AgentToolInvoker } from "./invoker.js";
import type { Names } from "./naming.js";
import { cancelled, PausedPlan, ranOk, Told } from "./pauses.js";
import type { PlanRun } from "./plan-run.js";
import { forgetUnanswered, hasAsked, isInterrupted } from "./sdk.js";
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
  /** What the model is told of this very call already; then nothing is to run. */
  readonly told: Told | undefined;
  /** Whether this plan may wait for a person. */
  readonly canPause: boolean;
  /** The ids of the steps that have ended well. */
  private readonly done: string[] = [];
  private readonly turn: Turn | undefined;
  private readonly invocation: object | undefined;
  private readonly paused: PausedPlan | undefined;
  private hasLeft = false;
  private unwatch: () => void = () => undefined;

  /**
   * @param agent - The agent.
   * @param names - The names of the run.
   * @param turn - The turn; undefined for a call that nobody waits for.
   * @param canPause - Whether plans may wait for a person.
   */
  constructor(
    private readonly agent: LocalAgent,
    private readonly names: Names,
    turn: Turn | undefined,
    canPause: boolean,
  ) {
    // A direct call, and one of a message without a tracking id, is part of no turn.
    this.turn = names.canReturn ? turn : undefined;
    this.canPause = canPause && this.turn !== undefined;
    this.invocation = this.turn?.invocation;
    if (turn === undefined || !isInterrupted(agent)) return;
    const kept = keptOf(turn, names);
    const { result } = names;
    if (kept instanceof Told) {
      this.told = this.over(kept);
    } else if (result !== undefined) {
      // The process ended after the model had been told, and before the agent was stored.
      this.told = this.over(new Told(result.status, result.content));
    } else if (kept instanceof PausedPlan && this.canPause) {
      this.paused = kept;
      this.done.push(...kept.done);
    } else if (kept === null || hasAsked(agent, names.calls)) {
      // The answers are for steps of which nothing is known any more.
      this.told = this.refuse(() => LOST);
    }
  }

  /** Begin: from now on the plan is kept as cancelled, until something is kept in its place. */
  enter(stop: Stop): void {
    const { turn } = this;
    if (turn === undefined) return;
    if (this.canPause) turn.keep(this.names, cancelled(this.done));
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
    this.abandon(undefined);
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
    this.current?.pauses.save(this.names, plan);
    this.hasLeft = true;
    return invoker.asking(waiting);
  }

  /** Keep nothing: the plan has not begun, and somebody is asked whether it may. */
  ask(): void {
    this.current?.pauses.drop([this.names.calls]);
    this.hasLeft = true;
  }

  /** End a plan that was cancelled; nothing of its turn is remembered. */
  cancel(): Told {
    this.current?.planStopped();
    return this.end(cancelled(this.done));
  }

  /** End a plan that may not run, or not go on; the model is to send another. */
  refuse(text: (done: readonly string[]) => string): Told {
    this.current?.planEnded();
    return this.over(Told.error(text(this.done)));
  }

  /** End a plan that does not go on, though some of it may have run. */
  fail(text: string): Told {
    return this.refuse((done) => withRan(text, done));
  }

  /** End a plan in the middle of which the agent stops, so that it may be answered again. */
  break(text: string): Told {
    this.current?.planEnded();
    return this.end(Told.error(withRan(text, this.done)));
  }

  /** The steps that a corrected plan does not run again. */
  kept(result: PlanResult): readonly string[] {
    return this.turn?.keptOf(result) ?? [];
  }

  /** End a plan that has run. */
  finish(result: PlanResult, invoker: AgentToolInvoker, told: Told): Told {
    this.current?.planEnded(result, invoker.blocks);
    return this.over(told);
  }

  /**
   * The turn, while the invocation goes on that the call was made in, or no other follows.
   *
   * A call that nobody waits for any longer may end when it will, and has no say in what comes
   * after its own invocation.
   */
  private get current(): Turn | undefined {
    return this.turn?.invocation === this.invocation ? this.turn : undefined;
  }

  /** End a plan of which nothing is left to answer. */
  private over(told: Told): Told {
    // Steps that asked, and were not needed any more when another failed.
    if (this.current !== undefined) forgetUnanswered(this.agent, this.names.calls);
    return this.end(told);
  }

  private end(told: Told): Told {
    this.hasLeft = true;
    const { current } = this;
    if (current === undefined) return told;
    // What nobody was asked yet would be asked with the next interrupt, whatever that is of.
    if (!isInterrupted(this.agent)) forgetUnanswered(this.agent, this.names.calls);
    if (this.canPause) current.keep(this.names, told);
    return told;
  }

  private abandon(reason: unknown): void {
    if (this.hasLeft) return;
    if (reason instanceof AgentCancelledError) this.current?.planStopped();
    this.end(cancelled(this.done));
  }

  private readonly note: OnEvent = (event) => {
    if (event.kind === "ok" && event.index === null) this.done.push(event.step_id);
  };
}

function withRan(text: string, done: readonly string[]): string {
  return done.length > 0 ? `${text}\n${ranOk(done)}` : text;
}

/** What is kept of a plan; null if that cannot be read. */
function keptOf(turn: Turn, names: Names): PausedPlan | Told | undefined | null {
  try {
    return turn.pauses.load(names);
  } catch {
    return null;
  }
}
