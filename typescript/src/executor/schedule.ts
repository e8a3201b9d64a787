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

import type { JsonValue, Policy } from "../models.js";
import { backoffAfter, retryFor } from "../policy.js";
import type { CheckedPlan } from "../validate/index.js";
import { ingest, jsonSize, type Members, ValueFault } from "../values/index.js";
import type { Action } from "./actions.js";
import { stepCall } from "./calls.js";
import { Course, type CourseOptions, type Ready } from "./course.js";
import {
  Fault,
  planTimedOut,
  resultIsNoJson,
  resultTooLarge,
  stepTimedOut,
  tooManyItems,
} from "./faults.js";
import { Heap } from "./heap.js";
import type { Pace } from "./pace.js";
import { Attempt, Call, type Progress } from "./progress.js";
import type { Readings } from "./readings.js";
import type { Work } from "./waiting.js";

const CANCELLED = new Fault("cancelled", "the run was cancelled");

/** What waits for a slot, first of all by the event that made it ready. */
interface Waiting {
  readonly event: number;
  readonly position: number;
  readonly index: number;
  /** The call, if it was tried before. */
  readonly call: Call | undefined;
}

/** The order of one run. */
export class Schedule {
  /** How far each step is, in document order. */
  readonly steps: readonly Progress[];
  private readonly course: Course;
  private readonly policy: Policy;
  private readonly failsFast: boolean;
  private readonly readings: Readings;
  private readonly runId: string;
  private readonly queue = new Heap<Waiting>(
    (one, other) =>
      (one.event - other.event || one.position - other.position || one.index - other.index) < 0,
  );
  private free: number;
  private halted = false;
  private paused = false;
  private actions: Action[] = [];

  /**
   * @param plan - A plan that may run.
   * @param readings - What evaluates the plan's expressions over `results`.
   * @param results - Where the results of `ok` steps go, by step id; empty at first.
   * @param options - Names the run in calls, keys and events, and who hears of them.
   * @param pace - Says when evaluation has to stop; without it, it never does.
   */
  constructor(
    plan: CheckedPlan,
    readings: Readings,
    results: Members,
    options: CourseOptions,
    private readonly pace?: Pace,
  ) {
    this.course = new Course(plan, results, readings.endings, options);
    this.steps = this.course.steps;
    this.policy = plan.policy;
    this.failsFast = plan.plan.on_error === "fail_fast";
    this.readings = readings;
    this.runId = options.runId;
    this.free = plan.policy.max_concurrency;
  }

  /** Whether every step has ended. */
  get finished(): boolean {
    return this.course.open === 0;
  }

  // What happens outside.

  /** The run starts. */
  *begin(now: number): Work<Action[]> {
    this.course.began = now;
    this.course.now = now;
    this.pace?.begin(now);
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

  /** An attempt's tool failed with this message. */
  *raised(attempt: Attempt, message: string, now: number): Work<Action[]> {
    if (attempt.over) return [];
    this.note(now);
    this.leave(attempt);
    this.failAttempt(attempt, new Fault("tool_failed", message));
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
    const { event } = this.course;
    this.queue.push({ event, position: call.position, index: call.index ?? 0, call });
    return yield* this.react();
  }

  /** The loop had its turn: what an event began goes on, and is no new event. */
  *resumed(now: number): Work<Action[]> {
    this.paused = false;
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
    let size: number;
    try {
      kept = ingest(value, "exact", this.policy.max_result_bytes);
      size = jsonSize(kept);
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error;
      this.fail(
        attempt.call,
        error.size === undefined
          ? resultIsNoJson(attempt.sent, error.message)
          : resultTooLarge(attempt.sent, `at least ${error.size}`, this.policy),
      );
      return;
    }
    if (size > this.policy.max_result_bytes) {
      this.fail(attempt.call, resultTooLarge(attempt.sent, size, this.policy));
    } else {
      this.course.succeed(attempt.call, kept);
      this.settle(attempt.call.position);
    }
  }

  /** Decide what can be decided, then fill a slot, and again until nothing follows. */
  private *react(): Work<Action[]> {
    for (;;) {
      const ready = this.course.nextToDecide();
      if (ready === undefined && !(this.free > 0 && this.queue.size > 0)) break;
      if (!this.mayGoOn()) break;
      // The plan's deadline may just have come: then nothing is left to do.
      if (ready !== undefined && this.course.at(ready.position).status === undefined) {
        yield* this.decide(ready);
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
    if (!this.halted && this.pace.isOver(now)) {
      this.expireAll(now);
    } else if (this.paused) {
      return false;
    } else if (this.pace.wantsTurn(now)) {
      this.paused = true;
      this.actions.push({ kind: "turn" });
      return false;
    }
    return true;
  }

  private *decide(ready: Ready): Work<void> {
    this.course.decided();
    const progress = this.course.at(ready.position);
    if (!progress.taken && !(yield* this.isTaken(ready.position))) return;
    const { step } = progress.step;
    if (step.for_each === null) {
      this.enqueue(ready);
    } else if (step.when !== null && !progress.taken) {
      // Its list is another evaluation: it comes next, if there is time for it.
      progress.taken = true;
      this.course.decideAgain(ready);
    } else {
      yield* this.spread(ready);
    }
  }

  /** Whether a step runs; if it does not, it ends here. */
  private *isTaken(position: number): Work<boolean> {
    const verdict = this.course.verdict(position);
    if (verdict !== undefined) {
      this.course.end(position, verdict);
      return false;
    }
    const { step } = this.course.at(position);
    const taken = step.step.when === null ? true : yield* this.readings.condition(step);
    if (taken instanceof Fault) {
      this.fail(new Call(position, null), taken);
      return false;
    }
    if (!taken) this.course.end(position, "not_taken");
    return taken;
  }

  /** Put a call for each item of the step's list in line. */
  private *spread(ready: Ready): Work<void> {
    const { position } = ready;
    const progress = this.course.at(position);
    const items = yield* this.readings.items(progress.step);
    if (items instanceof Fault) {
      this.fail(new Call(position, null), items);
    } else if (items.length > this.policy.max_items) {
      const { id, for_each: text } = progress.step.step;
      const tooMany = tooManyItems(id, text ?? "", items.length, this.policy);
      this.fail(new Call(position, null), tooMany);
    } else if (items.length === 0) {
      progress.items = items;
      this.course.finish(position);
    } else {
      progress.items = items;
      progress.results = items.map(() => null);
      this.enqueue(ready);
    }
  }

  private enqueue(ready: Ready): void {
    this.queue.push({ ...ready, index: 0, call: undefined });
  }

  /** Give a free slot to what waits longest, if it does not fail before it can start. */
  private *fill(): Work<void> {
    const next = this.queue.pop();
    if (next === undefined) return;
    const { event, position, index } = next;
    const progress = this.course.at(position);
    const { items } = progress;
    if (next.call === undefined && items !== undefined && index + 1 < items.length) {
      // The next item waits where this one waited.
      this.queue.push({ event, position, index: index + 1, call: undefined });
    }
    const call = next.call ?? new Call(position, items === undefined ? null : index);
    const item = items === undefined ? null : items[index];
    const args = yield* this.readings.arguments(progress.step, item, call.index);
    if (args instanceof Fault) {
      this.fail(call, args);
    } else {
      this.start(call, progress, args);
    }
  }

  private start(call: Call, progress: Progress, args: Record<string, JsonValue>): void {
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
    const attempt = new Attempt(call, sent, controller);
    progress.beganAt ??= this.course.now;
    progress.resting.delete(call);
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
    if (this.halted || call.attempts >= retry.attempts) {
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
    if (!this.failsFast || this.halted) {
      this.settle(call.position);
      return;
    }
    this.halt();
    this.windUp(call.position);
    this.skipUnbegun();
    for (const [position, progress] of this.steps.entries()) {
      if (progress.status === undefined) this.windUp(position);
    }
  }

  /** End a step if nothing of it runs, waits or is left to start. */
  private settle(position: number): void {
    const progress = this.course.at(position);
    if (!progress.busy && (this.halted || progress.complete)) this.course.finish(position);
  }

  /** From now on nothing starts. */
  private halt(): void {
    this.halted = true;
    this.queue.clear();
  }

  /** Fail the calls that wait to be tried again, and end the step if none runs. */
  private windUp(position: number): void {
    const progress = this.course.at(position);
    for (const call of byIndex(progress.resting)) {
      this.course.fail(call, call.fault ?? CANCELLED);
    }
    progress.resting.clear();
    this.settle(position);
  }

  private skipUnbegun(): void {
    for (const [position, progress] of this.steps.entries()) {
      if (progress.unbegun) this.course.end(position, "skipped");
    }
  }

  /** End the run for the plan's timeout. */
  private expireAll(now: number): void {
    this.note(now);
    this.halt();
    for (const [position, progress] of this.steps.entries()) {
      if (progress.status === undefined && !progress.unbegun) this.expire(position, progress);
    }
    this.skipUnbegun();
  }

  /** Fail a begun step for the plan's timeout, and stop what runs of it. */
  private expire(position: number, progress: Progress): void {
    const timeout = planTimedOut(progress.step.step.id, this.policy);
    const known = this.course.lastingFault(progress);
    const calls = [...progress.resting];
    for (const attempt of progress.running) {
      attempt.over = true;
      this.free += 1;
      this.actions.push({ kind: "stop", attempt, reason: timeout });
      calls.push(attempt.call);
    }
    progress.running.clear();
    progress.resting.clear();
    for (const call of byIndex(calls)) this.course.fail(call, timeout);
    progress.fault = known ?? timeout;
    this.course.end(position, "failed");
  }
}

function byIndex(calls: Iterable<Call>): Call[] {
  return [...calls].sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
}
