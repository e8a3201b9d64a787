/**
 * When each step of a plan starts and what stops it: a state machine without time or promises.
 *
 * What happens outside (the start, an attempt that ended, a timer) comes in by a method with
 * the moment it happened at; what must happen outside (start this attempt, wake this call
 * later, stop that attempt) goes out as actions, to be carried out in their order. So the
 * order of everything is settled here, at one place and at once; only an expression in a
 * host's own language may have to be waited for (`Work`).
 *
 * Between two evaluations it may stop: when the plan's deadline has passed, or to let the event
 * loop have a turn (`Turn`). What is left to decide and to start waits in its queues, so that
 * other reports may come in between.
 *
 * Nothing recurs over steps, and a run costs O(n log n) in steps, dependencies and items.
 */

import type { CallMemory } from "../memory.js";
import type { JsonValue, Policy } from "../models.js";
import { backoffAfter, retryFor } from "../policy.js";
import type { CheckedPlan } from "../validate/index.js";
import { copyOut, ingest, type Members, ValueFault } from "../values/index.js";
import type { Action } from "./actions.js";
import { stepCall } from "./calls.js";
import type { CourseOptions } from "./course.js";
import { Deciding } from "./deciding.js";
import { Fault, resultIsNoJson, resultTooLarge, stepTimedOut } from "./faults.js";
import { Line } from "./line.js";
import type { Pace } from "./pace.js";
import { Attempt, type Call, type Progress } from "./progress.js";
import type { Readings } from "./readings.js";
import { CANCELLED, Stops } from "./stops.js";
import type { Work } from "./waiting.js";

/** The order of one run. */
export class Schedule {
  /** How far each step is, in document order. */
  readonly steps: readonly Progress[];
  private readonly course: Stops;
  private readonly policy: Policy;
  private readonly failsFast: boolean;
  private readonly readings: Readings;
  private readonly runId: string;
  private readonly line: Line;
  private readonly deciding: Deciding;
  private free: number;
  private turning = false;
  /** Whether a call has ever waited for an answer. */
  private asked = false;
  private actions: Action[] = [];

  /**
   * @param plan - A plan that may run.
   * @param readings - What evaluates the plan's expressions over `results`.
   * @param results - Where the results of `ok` steps go, by step id; empty at first.
   * @param options - Names the run in calls, keys and events, and who hears of them.
   * @param pace - Says when evaluation has to stop; without it, it never does.
   * @param memory - What earlier plans did; what this one does is noted there.
   */
  constructor(
    plan: CheckedPlan,
    readings: Readings,
    results: Members,
    options: CourseOptions,
    private readonly pace?: Pace,
    private readonly memory?: CallMemory,
  ) {
    this.course = new Stops(plan, readings, results, options);
    this.steps = this.course.steps;
    this.line = new Line(this.steps);
    this.policy = plan.policy;
    this.deciding = new Deciding(this.course, readings, this.line, plan.policy, (call, fault) =>
      this.fail(call, fault),
    );
    this.failsFast = plan.plan.on_error === "fail_fast";
    this.readings = readings;
    this.runId = options.runId;
    this.free = plan.policy.max_concurrency;
  }

  /** Whether every step has ended. */
  get finished(): boolean {
    return this.course.open === 0;
  }

  /** Whether every step has ended, or the run has paused. */
  get isOver(): boolean {
    return this.finished || (this.asked && this.isPaused);
  }

  /** Whether calls wait for an answer and nothing else is left to happen. */
  get isPaused(): boolean {
    return (
      !this.turning &&
      this.line.isEmpty &&
      this.free === this.policy.max_concurrency &&
      !this.finished &&
      this.steps.every(({ resting }) => resting.size === 0)
    );
  }

  /** The moments of the start, pauses left out, and of the current event. */
  get span(): { readonly began: number; readonly now: number } {
    return { began: this.course.began, now: this.course.now };
  }

  /** Go on with steps that were put where a checkpoint says, after so many seconds. */
  resume(elapsedS: number): void {
    this.asked = true;
    this.course.resume(elapsedS);
  }

  // What happens outside.

  /** The run starts, or goes on after a pause. */
  *begin(now: number): Work<Action[]> {
    this.course.begin(now);
    this.pace?.begin(this.course.began);
    if (this.asked) {
      // The calls that waited are in line before all that follows.
      for (const { waiting } of this.steps) {
        for (const call of waiting.keys()) this.line.addAgain(call, 0);
      }
    }
    return yield* this.react();
  }

  /** An attempt's tool gave a result; a late one is discarded. */
  *returned(attempt: Attempt, value: unknown, now: number): Work<Action[]> {
    if (attempt.over) return [];
    this.note(now);
    this.leave(attempt);
    this.take(attempt, value);
    return yield* this.react();
  }

  /** An attempt's tool failed with this message, or somebody refused the call. */
  *raised(attempt: Attempt, message: string, now: number, denied = false): Work<Action[]> {
    if (attempt.over) return [];
    this.note(now);
    this.leave(attempt);
    const fault = new Fault("tool_failed", message);
    if (denied) this.fail(attempt.call, fault);
    else this.failAttempt(attempt, fault);
    return yield* this.react();
  }

  /** An attempt cannot go on before somebody outside has answered. */
  *waited(attempt: Attempt, now: number): Work<Action[]> {
    if (attempt.over) return [];
    this.note(now);
    this.leave(attempt);
    this.asked = true;
    const { call, sent } = attempt;
    this.course.tellOf("waiting", sent, call.position);
    // It was no attempt: the one that follows the answer is.
    call.attempts -= 1;
    if (this.course.halted) this.course.drop(call);
    else this.course.at(call.position).waiting.set(call, sent);
    return yield* this.react();
  }

  /** An attempt's deadline has come. */
  *overdue(attempt: Attempt, now: number): Work<Action[]> {
    if (attempt.over) return [];
    this.note(now);
    this.leave(attempt);
    const reason = stepTimedOut(attempt.sent, this.policy);
    this.actions.push({ kind: "stop", attempt, reason });
    this.failAttempt(attempt, reason);
    return yield* this.react();
  }

  /** A call's backoff is over: it queues again, behind all that wait. */
  *rested(call: Call, now: number): Work<Action[]> {
    if (!this.course.at(call.position).resting.has(call)) return [];
    this.note(now);
    this.line.addAgain(call, this.course.event);
    return yield* this.react();
  }

  /** The loop had its turn: what an event began goes on, and is no new event. */
  *resumed(now: number): Work<Action[]> {
    this.turning = false;
    this.pace?.turned();
    if (this.finished) return [];
    this.course.now = now;
    return yield* this.react();
  }

  /** The plan's deadline has come: what has begun fails, the rest is skipped. */
  *expired(now: number): Work<Action[]> {
    if (this.finished) return [];
    this.expireAll(now);
    return yield* this.react();
  }

  /** The run was cancelled, and the running attempts have been stopped. */
  cancelled(now: number): void {
    this.note(now);
    this.halt();
    for (const [position, progress] of this.steps.entries()) {
      for (const attempt of progress.running) {
        attempt.over = true;
        this.course.tellOf("cancelled", attempt.sent, position, CANCELLED);
      }
    }
  }

  // What follows from it.

  /** A new event, at this moment. */
  private note(now: number): void {
    this.course.now = now;
    this.course.event += 1;
  }

  /** Take in what a tool gave, if it is JSON and not too much of it. */
  private take(attempt: Attempt, value: unknown): void {
    let kept: unknown;
    try {
      kept = ingest(value, "exact", this.policy.max_result_bytes);
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error;
      this.fail(
        attempt.call,
        error.code === "result_too_large"
          ? resultTooLarge(attempt.sent, this.policy)
          : resultIsNoJson(attempt.sent, error.message),
      );
      return;
    }
    this.succeed(attempt.call, kept, attempt.sent.tool, attempt.noted);
  }

  /** Decide what can be decided, then fill a slot, and again until nothing follows. */
  private *react(): Work<Action[]> {
    for (;;) {
      const ready = this.course.nextToDecide();
      if (ready === undefined && !(this.free > 0 && !this.line.isEmpty)) break;
      if (!this.mayGoOn()) break;
      // The plan's deadline may just have come: then nothing is left to do.
      if (ready !== undefined && this.course.at(ready.position).status === undefined) {
        yield* this.deciding.decide(ready);
      } else {
        yield* this.fill();
      }
    }
    const actions = this.actions;
    this.actions = [];
    return actions;
  }

  /** Whether there is time to evaluate; if there is none, see to what is due. */
  private mayGoOn(): boolean {
    if (this.pace === undefined) return true;
    const now = this.pace.now();
    if (!this.course.halted && this.pace.isOver(now)) {
      this.expireAll(now);
    } else if (this.turning) {
      return false;
    } else if (this.pace.wantsTurn(now)) {
      this.turning = true;
      this.actions.push({ kind: "turn" });
      return false;
    }
    return true;
  }

  /** Give a free slot to what waits longest, if it does not fail before it can start. */
  private *fill(): Work<void> {
    const call = this.line.next();
    if (call === undefined) return;
    const progress = this.course.at(call.position);
    const item = call.index === null ? null : progress.items?.[call.index];
    const args = yield* this.readings.arguments(progress.step, item, call.index);
    progress.resting.delete(call);
    progress.waiting.delete(call);
    if (args instanceof Fault) this.fail(call, args);
    else this.startOrRecall(call, progress, args);
  }

  /** Start a call, if the memory does not have its result. */
  private startOrRecall(call: Call, progress: Progress, args: Record<string, JsonValue>): void {
    const { tool } = progress.step.step;
    if (!this.memory?.keeps(tool)) {
      this.start(call, progress, args);
      return;
    }
    const done = this.memory.take(tool, args);
    if (done === undefined) {
      this.start(call, progress, args, copyOut(args) as Members);
    } else {
      progress.reused += 1;
      this.succeed(call, done.result, done.tool, args);
    }
  }

  /** A call has its result, which is remembered with the arguments that are noted. */
  private succeed(call: Call, value: unknown, tool: string, noted: Members | undefined): void {
    if (noted !== undefined) this.memory?.note(tool, noted, value);
    this.course.succeed(call, value);
    this.course.settle(call.position);
  }

  private start(
    call: Call,
    progress: Progress,
    args: Record<string, JsonValue>,
    noted?: Members,
  ): void {
    const { step } = progress.step;
    call.attempts += 1;
    const controller = new AbortController();
    const sent = stepCall({
      run_id: this.runId,
      step_id: step.id,
      index: call.index,
      attempt: call.attempts,
      tool: step.tool,
      args,
      signal: controller.signal,
    });
    const attempt = new Attempt(call, sent, controller, noted);
    progress.beganAt ??= this.course.now;
    progress.running.add(attempt);
    this.free -= 1;
    this.course.tellOf("start", sent, call.position);
    this.actions.push({ kind: "start", attempt });
  }

  /** An attempt gives its slot back. */
  private leave(attempt: Attempt): void {
    attempt.over = true;
    this.course.at(attempt.call.position).running.delete(attempt);
    this.free += 1;
  }

  // What fails, and what that stops.

  /** An attempt failed in a way that a retry could mend. */
  private failAttempt(attempt: Attempt, fault: Fault): void {
    const { call } = attempt;
    const retry = retryFor(this.policy, attempt.sent.tool);
    if (this.course.halted || call.attempts >= retry.attempts) {
      this.fail(call, fault);
      return;
    }
    call.fault = fault;
    this.course.at(call.position).resting.add(call);
    this.course.tellOf("retry", attempt.sent, call.position, fault);
    this.actions.push({ kind: "rest", call, seconds: backoffAfter(retry, call.attempts) });
  }

  /** A call, or what had to be read before it, failed for good. */
  private fail(call: Call, fault: Fault): void {
    this.course.fail(call, fault);
    if (!this.failsFast || this.course.halted) {
      this.course.settle(call.position);
      return;
    }
    this.halt();
    this.course.stopFor(call.position);
  }

  /** End the run for the plan's timeout. */
  private expireAll(now: number): void {
    this.note(now);
    this.halt();
    for (const stop of this.course.expire()) {
      stop.attempt.over = true;
      this.free += 1;
      this.actions.push(stop);
    }
  }

  /** From now on nothing starts. */
  private halt(): void {
    this.line.clear();
    this.course.halt();
  }
}
