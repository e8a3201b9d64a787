/** Runs a task plan on the engine's scheduler: who starts when, and what a failure takes down. */

import type { OnEvent, PlanEvent } from "../events.js";
import { type Clock, executePlan, type StepCall, SystemClock } from "../executor/index.js";
import {
  type JsonValue,
  type PlanResult,
  Policy,
  type TaskPlan,
  type TaskStep,
} from "../models.js";
import { checkListener } from "../validate/host-checks.js";
import { checkedTasks, type TaskPlanGiven } from "./check.js";

const TOOL = "task";
const LARGEST = 1_000_000_000;

/**
 * Carries out one step, given the results of the steps in its `depends_on` by id.
 *
 * An error that it throws fails the step, in its own words. What is to end the whole run
 * aborts the run's `signal`, whose reason the run then rejects with.
 *
 * @param step - The step.
 * @param results - What the steps that it depends on gave, by id.
 * @param signal - Aborted when nobody waits for the step any more.
 */
export type DoTask = (
  step: TaskStep,
  results: Readonly<Record<string, JsonValue>>,
  signal: AbortSignal,
) => unknown;

/** How the steps of a task plan ended. */
export interface TaskRun {
  /** What the completed steps gave, by id, in the order of the plan. */
  readonly results: Readonly<Record<string, JsonValue>>;
  /** Why each failed step failed, by id, in the order of the plan. */
  readonly failed: Readonly<Record<string, string>>;
  /** The steps that did not run because one they needed failed or was skipped. */
  readonly skipped: readonly string[];
  /**
   * The steps that started, by level: those of a level wait for none of each other. A level
   * of which none started is left out.
   */
  readonly waves: readonly (readonly string[])[];
}

/** What a run of a task plan is given beside the plan. */
export interface TaskOptions {
  /** Steps that the plan may have. */
  readonly maxSteps?: number | undefined;
  /** Steps that may run at once. */
  readonly maxConcurrency?: number | undefined;
  /**
   * Whether a level starts only when the one before has ended; else each step starts as soon
   * as what it needs is there.
   */
  readonly waves?: boolean | undefined;
  /** Names the run in events; a new id unless given. */
  readonly runId?: string | undefined;
  /** Told of each thing that starts or ends. */
  readonly onEvent?: OnEvent | undefined;
  /** What events are timed by; the platform's own time unless given. */
  readonly clock?: Clock | undefined;
  /** Cancels the run, which then rejects with this signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Run a task plan: a failed step takes down what needs it, and the rest goes on.
 *
 * @param plan - The plan; it is checked first.
 * @param carryOut - Carries out one step.
 * @param options - See `TaskOptions`.
 * @throws PlanError if the plan may not run.
 * @throws The reason of `signal` if the run was cancelled. What was in flight has been told.
 */
export async function runTasks(
  plan: TaskPlanGiven,
  carryOut: DoTask,
  options: TaskOptions = {},
): Promise<TaskRun> {
  checkListener(options.onEvent);
  const { plan: checked, levels } = checkedTasks(plan, { maxSteps: options.maxSteps });
  const run = new Run(checked, carryOut, options);
  await (options.waves ? run.byWaves(levels) : run.round(checked.steps));
  return run.outcome(levels);
}

/** One run; `round` is called once, or once a level. */
class Run {
  private readonly results = new Map<string, JsonValue>();
  private readonly failed = new Map<string, string>();
  private readonly skipped = new Set<string>();
  private readonly maxConcurrency: number;
  private readonly runId: string;

  constructor(
    private readonly plan: TaskPlan,
    private readonly carryOut: DoTask,
    private readonly options: TaskOptions,
  ) {
    this.maxConcurrency = options.maxConcurrency ?? Policy.parse({}).max_concurrency;
    this.runId = options.runId ?? crypto.randomUUID().replaceAll("-", "");
  }

  /** Run level by level. */
  async byWaves(levels: readonly (readonly string[])[]): Promise<void> {
    const clock = this.options.clock ?? new SystemClock();
    const began = clock.now();
    for (const level of levels) {
      const atMs = Math.round((clock.now() - began) * 1_000_000) / 1000;
      const ready: TaskStep[] = [];
      for (const step of this.plan.steps.filter(({ id }) => level.includes(id))) {
        if (step.depends_on.every((name) => this.results.has(name))) {
          ready.push(step);
        } else {
          this.skipped.add(step.id);
          this.tell(this.skippedEvent(step), atMs);
        }
      }
      if (ready.length > 0) await this.round(ready, atMs);
    }
  }

  /** Run some steps as a plan of the engine; what they need from before is there. */
  async round(steps: readonly TaskStep[], afterMs = 0): Promise<void> {
    const own = new Map(steps.map((step) => [step.id, step]));
    const invokeStep = async (call: StepCall): Promise<unknown> => {
      const step = own.get(call.step_id) as TaskStep;
      const given = step.depends_on.map((name) => [name, this.results.get(name)] as const);
      const results = Object.fromEntries(given) as Record<string, JsonValue>;
      const result = (await this.carryOut(step, results, call.signal)) ?? null;
      this.results.set(step.id, result as JsonValue);
      return result;
    };
    const plan = {
      steps: steps.map(({ id, depends_on }) => ({
        id,
        tool: TOOL,
        after: depends_on.filter((name) => own.has(name)),
      })),
      returns: [...own.keys()],
      on_error: "continue" as const,
    };
    const { onEvent, clock, signal } = this.options;
    const result = await executePlan(
      plan,
      { invokeStep },
      {
        policy: {
          max_steps: Math.max(steps.length, 1),
          max_concurrency: this.maxConcurrency,
          max_output_bytes: LARGEST,
        },
        runId: this.runId,
        onEvent: onEvent && ((event) => this.tell(event, afterMs)),
        clock,
        signal,
      },
    );
    this.take(result);
  }

  private take(result: PlanResult): void {
    for (const entry of result.ledger) {
      const returned = result.returned[entry.id];
      if (entry.status === "ok" && returned !== undefined) {
        this.results.set(entry.id, returned);
        continue;
      }
      // A result that the scheduler refused, such as one that is too large, is none.
      this.results.delete(entry.id);
      if (entry.status === "failed") this.failed.set(entry.id, entry.error ?? "");
      else this.skipped.add(entry.id);
    }
  }

  private tell(event: PlanEvent, afterMs: number): void {
    const at_ms = event.at_ms + afterMs;
    this.options.onEvent?.(afterMs === 0 ? event : { ...event, at_ms });
  }

  private skippedEvent(step: TaskStep): PlanEvent {
    return {
      kind: "skipped",
      run_id: this.runId,
      step_id: step.id,
      tool: TOOL,
      at_ms: 0,
      index: null,
      attempt: null,
      code: null,
      error: null,
    };
  }

  /** What became of each step, in the order of the plan. */
  outcome(levels: readonly (readonly string[])[]): TaskRun {
    const ids = this.plan.steps.map(({ id }) => id);
    const started = levels.map((level) => level.filter((name) => !this.skipped.has(name)));
    return {
      results: inOrder(ids, this.results),
      failed: inOrder(ids, this.failed),
      skipped: ids.filter((name) => this.skipped.has(name)),
      waves: started.filter((level) => level.length > 0),
    };
  }
}

/** What there is of some names, in their order. */
function inOrder<Value>(
  ids: readonly string[],
  values: ReadonlyMap<string, Value>,
): Record<string, Value> {
  const known = ids.filter((name) => values.has(name));
  return Object.fromEntries(known.map((name) => [name, values.get(name) as Value]));
}
