/** Does with promises and a clock what a schedule decides: calls for attempts, timers. */

import { StepPaused, ToolDeniedError } from "../errors.js";
import type { Action } from "./actions.js";
import type { Invoke } from "./calls.js";
import type { Clock } from "./clock.js";
import { toolMessage } from "./faults.js";
import type { Pace } from "./pace.js";
import type { Attempt } from "./progress.js";
import type { Schedule } from "./schedule.js";
import { done, isPromise, type Work } from "./waiting.js";

// What only has to be told that it is over is done within a few turns.
const TURNS = 10;
// A deadline that comes this late came to a thread that was blocked.
const LATE_S = 0.05;

/** How long what a run does may take, in seconds; null for no limit. */
export interface Deadlines {
  /** One attempt. */
  readonly stepTimeoutS: number | null;
  /** The whole run. */
  readonly planTimeoutS: number | null;
}

/** Tells the schedule of something that happened at a moment. */
type Report = (now: number) => Work<Action[]>;

/** Drives one run from its start to its end. */
export class Driver {
  /** The attempts in flight, each with what takes its deadline back. */
  private readonly running = new Map<Attempt, AbortController | undefined>();
  /** Attempts that were told to stop and have not ended. */
  private readonly stopped = new Set<Attempt>();
  private readonly timers = new Set<AbortController>();
  /** What happened and the schedule was not told of yet, with the moment. */
  private readonly heard: { readonly report: Report; readonly now: number }[] = [];
  /** What the schedule is about, where that has to wait. */
  private work: Work<Action[]> | undefined;
  private readonly turns = new Set<ReturnType<typeof setTimeout>>();
  /** How many overdue attempts there are whose end may be under way. */
  private spared = 0;
  private over = false;
  private succeed: () => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

  /**
   * @param schedule - Decides what starts, and hears of what ended.
   * @param invoke - Calls a tool.
   * @param clock - What timers go by.
   * @param pace - Bounds how long the schedule evaluates at once; told here what it goes by.
   * @param deadlines - How long an attempt and the whole run may take.
   */
  constructor(
    private readonly schedule: Schedule,
    private readonly invoke: Invoke,
    private readonly clock: Clock,
    private readonly pace: Pace,
    private readonly deadlines: Deadlines,
  ) {}

  /**
   * Resolve once every step has ended, or the run has paused.
   *
   * @param signal - Cancels the run.
   * @throws The signal's reason if the run was cancelled, once every attempt in flight has been
   *   told; likewise whatever the clock or the listener fails with.
   */
  async run(signal?: AbortSignal): Promise<void> {
    // Whoever started the run goes on first: no tool is called in the middle of that.
    await null;
    signal?.throwIfAborted();
    const cancel = (): void => this.fail(signal?.reason);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        this.succeed = resolve;
        this.reject = reject;
        const { planTimeoutS } = this.deadlines;
        if (planTimeoutS !== null) {
          this.setTimer(
            planTimeoutS,
            (now) => this.schedule.expired(now),
            () => {
              this.giveUpWork();
            },
          );
        }
        this.hear((now) => this.schedule.begin(now));
      });
    } catch (error) {
      await this.stopEverything(error);
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
      await this.clearAway();
    }
  }

  /**
   * What comes before the first step or after the last, by the run's own deadline and signal.
   *
   * @param work - The work.
   * @param late - What a promise that it waits for fails with at the plan's deadline.
   * @param signal - Cancels the run.
   */
  async within<T>(work: Work<T>, late: () => Error, signal?: AbortSignal): Promise<T> {
    const timer = new AbortController();
    let cancel = (): void => undefined;
    const limit = (): Promise<never> =>
      new Promise((_, reject) => {
        cancel = () => reject(signal?.reason);
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel, { once: true });
        const { deadline } = this.pace;
        if (deadline === undefined) return;
        const left = Math.max(deadline - this.clock.now(), 0);
        this.clock.sleep(left, timer.signal).then(() => reject(late()), reject);
      });
    try {
      return await done(work, limit);
    } finally {
      signal?.removeEventListener("abort", cancel);
      timer.abort();
    }
  }

  /** Tell the schedule of something and do what it then wants done. */
  private hear(report: Report): void {
    if (this.over) return;
    try {
      this.heard.push({ report, now: this.clock.now() });
      if (this.work === undefined) this.react();
    } catch (error) {
      // Timers and promises have nobody above them: what fails here fails the run.
      this.fail(error);
    }
  }

  private react(): void {
    for (;;) {
      const next = this.heard.shift();
      if (next === undefined || this.over) return;
      this.pace.enter();
      const work = next.report(next.now);
      const actions = done(work);
      if (isPromise(actions)) {
        this.work = work;
        actions.then(
          (made) => this.goOn(work, made),
          (error) => {
            if (this.work === work) this.fail(error);
          },
        );
        return;
      }
      this.carryOut(actions);
      this.pace.leave();
    }
  }

  private goOn(work: Work<Action[]>, actions: Action[]): void {
    if (this.work !== work) return;
    this.work = undefined;
    if (this.over) return;
    try {
      this.carryOut(actions);
      this.pace.leave();
      this.react();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The plan's deadline has come: no expression is waited for any more. */
  private giveUpWork(): void {
    this.pace.ring();
    const { work } = this;
    this.work = undefined;
    work?.return([]);
  }

  private carryOut(actions: readonly Action[]): void {
    for (const action of actions) {
      // A tool that was just called, or told to stop, may have cancelled the run.
      if (this.over) return;
      this.act(action);
    }
    if (!this.over && this.schedule.isOver) {
      this.over = true;
      this.succeed();
    }
  }

  private act(action: Action): void {
    switch (action.kind) {
      case "start":
        this.start(action.attempt);
        break;
      case "rest":
        this.setTimer(action.seconds, (now) => this.schedule.rested(action.call, now));
        break;
      case "stop":
        this.stop(action.attempt, new DOMException(action.reason.message, "TimeoutError"));
        break;
      case "turn":
        this.setTimer(0, (now) => this.turned(now));
        break;
    }
  }

  /** The loop had a turn; what began to end in it ends before more is evaluated. */
  private *turned(now: number): Work<Action[]> {
    if (this.spared === 0) return yield* this.schedule.resumed(now);
    this.setTimer(0, (later) => this.turned(later));
    return [];
  }

  private start(attempt: Attempt): void {
    // The plan's deadline came before it could be called.
    if (attempt.over) return;
    const { stepTimeoutS } = this.deadlines;
    let deadline: AbortController | undefined;
    if (stepTimeoutS !== null) {
      // Set before the call, so that of two that are due together it comes first.
      const due = this.clock.now() + stepTimeoutS;
      this.pace.due.set(attempt, due);
      deadline = this.setTimer(stepTimeoutS, (now) => this.overdue(attempt, due, now));
    }
    this.running.set(attempt, deadline);
    settled(() => this.invoke(attempt.sent)).then(
      (value) => this.ended(attempt, (now) => this.schedule.returned(attempt, value, now)),
      (error: unknown) => this.ended(attempt, (now) => this.failed(attempt, error, now)),
    );
  }

  /** An attempt's tool threw something, which may say that the call only waits. */
  private failed(attempt: Attempt, error: unknown, now: number): Work<Action[]> {
    if (error instanceof StepPaused) return this.schedule.waited(attempt, now);
    const denied = error instanceof ToolDeniedError;
    return this.schedule.raised(attempt, toolMessage(error), now, denied);
  }

  /** An attempt's deadline has come; in a blocked thread its end may be under way. */
  private *overdue(attempt: Attempt, due: number, now: number): Work<Action[]> {
    this.pace.due.delete(attempt);
    if (now - due <= LATE_S) return yield* this.schedule.overdue(attempt, now);
    this.spared += 1;
    this.afterTurns(TURNS, (later) => this.schedule.overdue(attempt, later));
    return [];
  }

  private afterTurns(turns: number, report: Report): void {
    if (turns === 0) {
      this.spared -= 1;
      this.hear(report);
    } else {
      const timer = setTimeout(() => {
        this.turns.delete(timer);
        this.afterTurns(turns - 1, report);
      }, 0);
      this.turns.add(timer);
    }
  }

  private ended(attempt: Attempt, report: Report): void {
    this.stopped.delete(attempt);
    if (!this.running.has(attempt)) return;
    this.letGo(attempt);
    this.hear(report);
  }

  /** An attempt has ended, or nobody waits for it: it has no deadline any more. */
  private letGo(attempt: Attempt): void {
    this.running.get(attempt)?.abort();
    this.running.delete(attempt);
    this.pace.due.delete(attempt);
  }

  /** Stop an attempt: whatever it still does, nobody hears of it. */
  private stop(attempt: Attempt, reason: unknown): void {
    if (!this.running.has(attempt)) return;
    this.letGo(attempt);
    this.stopped.add(attempt);
    attempt.controller.abort(reason);
  }

  /** Report in so many seconds; what must come before all that waits is done first. */
  private setTimer(seconds: number, report: Report, first?: () => void): AbortController {
    const timer = new AbortController();
    this.timers.add(timer);
    settled(() => this.clock.sleep(seconds, timer.signal)).then(
      () => {
        this.timers.delete(timer);
        if (timer.signal.aborted) return;
        if (!this.over) first?.();
        this.hear(report);
      },
      (error: unknown) => {
        this.timers.delete(timer);
        if (!timer.signal.aborted) this.fail(error);
      },
    );
    return timer;
  }

  private fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.reject(error);
  }

  /** Tell the attempts in flight to stop, let them, and say so. */
  private async stopEverything(reason: unknown): Promise<void> {
    this.work?.return([]);
    for (const attempt of [...this.running.keys()]) this.stop(attempt, reason);
    await this.untilStopped();
    this.schedule.cancelled(this.clock.now());
  }

  /** Leave no timer behind, nor a stopped attempt that is about to end. */
  private async clearAway(): Promise<void> {
    for (const timer of this.timers) timer.abort();
    for (const timer of this.turns) clearTimeout(timer);
    await this.untilStopped();
  }

  /** Give the attempts that were told to stop a few turns; who needs longer is not awaited. */
  private async untilStopped(): Promise<void> {
    for (let turn = 0; turn < TURNS && this.stopped.size > 0; turn += 1) await null;
  }
}

/** A promise of what something gives, even if it throws at once. */
function settled(act: () => unknown): Promise<unknown> {
  return new Promise((resolve) => resolve(act()));
}
