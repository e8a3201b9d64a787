/** What is stopped before its time: by a failure, the plan's deadline, a cancellation. */

import type { Policy } from "../models.js";
import type { CheckedPlan } from "../validate/index.js";
import type { Members } from "../values/index.js";
import type { Stop } from "./actions.js";
import { Course, type CourseOptions } from "./course.js";
import { Fault, planTimedOut } from "./faults.js";
import { byIndex, type Call, type Progress } from "./progress.js";
import type { Readings } from "./readings.js";

/** What an attempt is known by that the run's cancellation stopped. */
export const CANCELLED = new Fault("cancelled", "the run was cancelled");

/** The steps of one run, and how those end that may not go on. */
export class Stops extends Course {
  /** Whether nothing starts any more. */
  halted = false;
  private readonly policy: Policy;

  /**
   * @param plan - A plan that may run.
   * @param readings - Is kept up with how steps ended.
   * @param results - See `Course`.
   * @param options - See `Course`.
   */
  constructor(plan: CheckedPlan, readings: Readings, results: Members, options: CourseOptions) {
    super(plan, results, readings.endings, options);
    this.policy = plan.policy;
  }

  /** End a step if nothing of it runs, rests or is left to start. */
  settle(position: number): void {
    const progress = this.at(position);
    if (!progress.busy && (this.halted || progress.complete)) this.finish(position);
  }

  /** From now on nothing starts; calls that wait for an answer are dropped. */
  halt(): void {
    this.halted = true;
    for (const progress of this.steps) {
      if (progress.waiting.size === 0) continue;
      for (const call of progress.waiting.keys()) {
        // It was tried before, so that it has not only waited.
        if (call.fault !== undefined) progress.resting.add(call);
      }
      progress.waiting.clear();
      beginNot(progress);
    }
  }

  /** The failure of this step stops the plan, which is halted already. */
  stopFor(position: number): void {
    this.windUp(position);
    this.skipUnbegun();
    for (const [other, progress] of this.steps.entries()) {
      if (progress.status === undefined) this.windUp(other);
    }
  }

  /** A call would wait for an answer although the plan is halted. */
  drop(call: Call): void {
    const progress = this.at(call.position);
    if (call.fault !== undefined) this.fail(call, call.fault);
    else beginNot(progress);
    if (progress.unbegun) this.end(call.position, "skipped");
    else this.settle(call.position);
  }

  /** Skip every step of which no call was carried out. */
  skipUnbegun(): void {
    for (const [position, progress] of this.steps.entries()) {
      if (progress.unbegun) this.end(position, "skipped");
    }
  }

  /**
   * End every step for the plan's timeout; the plan is halted already.
   *
   * @returns What stops the attempts that nobody waits for any more.
   */
  expire(): Stop[] {
    const stops: Stop[] = [];
    for (const [position, progress] of this.steps.entries()) {
      if (progress.status !== undefined || progress.unbegun) continue;
      stops.push(...this.expireStep(position, progress));
    }
    this.skipUnbegun();
    return stops;
  }

  /** Fail the calls that wait to be tried again, and end the step if none runs. */
  private windUp(position: number): void {
    const progress = this.at(position);
    for (const call of byIndex(progress.resting)) this.fail(call, call.fault ?? CANCELLED);
    progress.resting.clear();
    this.settle(position);
  }

  /** Fail a begun step for the plan's timeout. */
  private expireStep(position: number, progress: Progress): Stop[] {
    const reason = planTimedOut(progress.step.step.id, this.policy);
    const known = this.lastingFault(progress);
    const stopped = [...progress.running];
    const calls = [...stopped.map(({ call }) => call), ...progress.resting];
    progress.running.clear();
    progress.resting.clear();
    for (const call of byIndex(calls)) this.fail(call, reason);
    progress.fault = known ?? reason;
    this.end(position, "failed");
    return stopped.map((attempt) => ({ kind: "stop", attempt, reason }));
  }
}

/** A step of which every call only waited, or was taken from memory, has not begun. */
function beginNot(progress: Progress): void {
  if (!progress.busy && progress.failed === 0 && progress.ok === progress.reused) {
    progress.beganAt = undefined;
  }
}
