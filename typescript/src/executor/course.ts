/** How each step of a run ends, and who is told: the part of the schedule without a queue. */

import type { EventKind, OnEvent } from "../events.js";
import type { StepStatus } from "../models.js";
import type { StepCall } from "../step-call.js";
import type { CheckedPlan } from "../validate/index.js";
import type { Members } from "../values/index.js";
import type { Fault } from "./faults.js";
import { Heap } from "./heap.js";
import { type Call, milliseconds, Progress } from "./progress.js";

/** What each run is told of its steps' ends. */
export interface CourseOptions {
  /** Names the run in events. */
  readonly runId: string;
  /** Told of each event; it must not throw. */
  readonly onEvent?: OnEvent | undefined;
}

/** A step whose dependencies have ended. */
export interface Ready {
  /** The event by which the last of them did. */
  readonly event: number;
  readonly position: number;
}

/** The steps of one run, by position in the document. */
export class Course {
  /** How far each step is. */
  readonly steps: readonly Progress[];
  /** The moment of the current event, in seconds of the run's clock. */
  now = 0;
  /** The moment of the first one, pauses left out. */
  began = 0;
  /** How many events there were before the current one. */
  event = 0;
  /** How many steps have not ended. */
  open: number;
  private elapsedS = 0;
  private readonly results: Members;
  private readonly endings: Map<string, StepStatus>;
  private readonly failsFast: boolean;
  private readonly options: CourseOptions;
  private readonly needs: readonly (readonly Progress[])[];
  private readonly feeds: readonly number[][];
  /** What can be decided, first of all by the event that made it so. */
  private readonly decidable = new Heap<Ready>(
    (one, other) => (one.event - other.event || one.position - other.position) < 0,
  );

  /**
   * @param plan - A plan that may run.
   * @param results - Where the results of `ok` steps go, by step id; empty at first.
   * @param endings - Where the status of each step that has ended goes, by step id.
   * @param options - Names the run, and who hears of it.
   */
  constructor(
    plan: CheckedPlan,
    results: Members,
    endings: Map<string, StepStatus>,
    options: CourseOptions,
  ) {
    this.steps = plan.steps.map((step) => new Progress(step, step.dependencies.length));
    this.open = this.steps.length;
    this.results = results;
    this.endings = endings;
    this.failsFast = plan.plan.on_error === "fail_fast";
    this.options = options;
    const byId = new Map(this.steps.map((progress) => [progress.step.step.id, progress]));
    this.needs = plan.steps.map(({ dependencies }) =>
      dependencies.flatMap((id) => byId.get(id) ?? []),
    );
    this.feeds = plan.steps.map(() => []);
    for (const [position, needs] of this.needs.entries()) {
      for (const need of needs) this.feeds[need.step.position]?.push(position);
    }
    for (const [position, progress] of this.steps.entries()) {
      if (progress.waitsFor === 0) this.decidable.push({ event: 0, position });
    }
  }

  /** How far one step is. */
  at(position: number): Progress {
    return this.steps[position] as Progress;
  }

  /** Go on with steps that were put where a checkpoint says, before `begin`. */
  resume(elapsedS: number): void {
    this.elapsedS = elapsedS;
    for (const [position, { status, step }] of this.steps.entries()) {
      if (status === undefined) continue;
      this.endings.set(step.step.id, status);
      this.open -= 1;
      for (const fed of this.feeds[position] ?? []) this.at(fed).waitsFor -= 1;
    }
    this.decidable.clear();
    for (const [position, progress] of this.steps.entries()) {
      const { status, waitsFor, waiting } = progress;
      if (status === undefined && waitsFor === 0 && waiting.size === 0) {
        this.decidable.push({ event: 0, position });
      }
    }
  }

  /** The run starts, or goes on: what it had taken at the pause counts, and no pause. */
  begin(now: number): void {
    this.now = now;
    this.began = now - this.elapsedS;
    for (const progress of this.steps) {
      if (progress.waiting.size > 0 && progress.beganAt !== undefined) progress.beganAt += now;
    }
  }

  /** The undecided step whose dependencies ended first. */
  nextToDecide(): Ready | undefined {
    for (;;) {
      const ready = this.decidable.first;
      if (ready === undefined || this.at(ready.position).status === undefined) return ready;
      this.decidable.pop();
    }
  }

  /** What `nextToDecide` gave is being decided. */
  decided(): void {
    this.decidable.pop();
  }

  /** It is not decided yet, and still in its place. */
  decideAgain(ready: Ready): void {
    this.decidable.push(ready);
  }

  /** How a step ends for the sake of its dependencies; undefined if it runs. */
  verdict(position: number): StepStatus | undefined {
    const ended = new Set(this.needs[position]?.map(({ status }) => status));
    if (ended.size === 0 || (ended.size === 1 && ended.has("ok"))) return undefined;
    if (ended.has("ok") && this.at(position).step.step.join === "any") return undefined;
    return ended.has("failed") || ended.has("skipped") ? "skipped" : "not_taken";
  }

  /** A call has its result. */
  succeed(call: Call, value: unknown): void {
    const progress = this.at(call.position);
    if (call.index === null) {
      this.results[progress.step.step.id] = value;
      return;
    }
    progress.results[call.index] = value;
    progress.ok += 1;
    // What was taken from memory has no attempt.
    this.tell("ok", progress, undefined, call.index, call.attempts || null);
  }

  /** A call has failed for good. */
  fail(call: Call, fault: Fault): void {
    const progress = this.at(call.position);
    progress.fault ??= fault;
    if (call.index === null) return;
    progress.failed += 1;
    progress.itemFaults.set(call.index, fault);
    this.tell("failed", progress, fault, call.index, call.attempts || null);
  }

  /** The fault that a failed step is known by: the first in time, or of lowest index. */
  lastingFault(progress: Progress): Fault | undefined {
    if (this.failsFast || progress.itemFaults.size === 0) return progress.fault;
    let lowest = Number.POSITIVE_INFINITY;
    for (const index of progress.itemFaults.keys()) lowest = Math.min(lowest, index);
    return progress.itemFaults.get(lowest);
  }

  /** End a step of which nothing more runs or will. */
  finish(position: number): void {
    const progress = this.at(position);
    if (progress.items === undefined) {
      this.end(position, progress.fault ? "failed" : "ok");
    } else if (progress.fault && (this.failsFast || progress.ok === 0)) {
      progress.fault = this.lastingFault(progress);
      this.end(position, "failed");
    } else if (!progress.complete) {
      this.end(position, "skipped");
    } else {
      progress.fault = undefined;
      this.results[progress.step.step.id] = progress.results;
      this.end(position, "ok");
    }
  }

  /** A step has ended; those that wait for it come closer to being decided. */
  end(position: number, status: StepStatus): void {
    const progress = this.at(position);
    progress.status = status;
    progress.endedAt = this.now;
    this.endings.set(progress.step.step.id, status);
    this.open -= 1;
    this.tell(status, progress, progress.fault);
    for (const fed of this.feeds[position] ?? []) {
      const waiting = this.at(fed);
      waiting.waitsFor -= 1;
      if (waiting.waitsFor === 0) {
        this.decidable.push({ event: this.event, position: fed });
      }
    }
  }

  /** Emit an event of this moment. */
  tell(
    kind: EventKind,
    progress: Progress,
    fault?: Fault,
    index: number | null = null,
    attempt: number | null = null,
  ): void {
    const { runId, onEvent } = this.options;
    onEvent?.({
      kind,
      run_id: runId,
      step_id: progress.step.step.id,
      tool: progress.step.step.tool,
      at_ms: milliseconds(this.now - this.began),
      index,
      attempt,
      code: fault?.code ?? null,
      error: fault?.message ?? null,
    });
  }

  /** Emit an event about one attempt. */
  tellOf(kind: EventKind, sent: StepCall, position: number, fault?: Fault): void {
    this.tell(kind, this.at(position), fault, sent.index, sent.attempt);
  }
}
