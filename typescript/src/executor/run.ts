/** Runs a plan and gives back what it asked for. */

import { type Binder, JsonataBinder, referencesByLibrary } from "../binder.js";
import { errorFor, PlanPaused } from "../errors.js";
import type { OnEvent, PlanEvent } from "../events.js";
import { planLevels, textReferences } from "../graph.js";
import type { CallMemory } from "../memory.js";
import type {
  CheckpointInput,
  PlanResult,
  PlanStepInput,
  Policy,
  PolicyInput,
  StepOutcome,
  WorkflowPlanInput,
} from "../models.js";
import {
  checkBinder,
  checkClock,
  checkInput,
  checkInvoker,
  checkListener,
  checkMaxSteps,
  checkMemory,
  checkOptions,
  checkPolicy,
  checkRunId,
  checkSignal,
} from "../validate/host-checks.js";
import {
  CheckedPlan,
  checkPlan,
  type PlanGiven,
  ToolInfo,
  type ToolsGiven,
} from "../validate/index.js";
import { codePoints, ingest, type Members, ValueFault } from "../values/index.js";
import { invocation, type StepInvoker, type ToolInvoker } from "./calls.js";
import { checkpointOf, readCheckpoint, restore, waitingCalls } from "./checkpoints.js";
import { type Clock, SystemClock } from "./clock.js";
import type { CourseOptions } from "./course.js";
import { Driver } from "./driver.js";
import { outputTimedOut } from "./faults.js";
import { checkForeignPlan, type References } from "./foreign.js";
import { Pace } from "./pace.js";
import { ForeignEngine, ProfileEngine, Readings } from "./readings.js";
import { compose } from "./results.js";
import { Schedule } from "./schedule.js";

/** What a run is given beside its plan and its tools. */
export interface ExecuteOptions {
  /** Another expression language than the engine's own. */
  readonly binder?: Binder | null | undefined;
  /** Steps that a plan may have; wins over the policy's if given. */
  readonly maxSteps?: number | null | undefined;
  /**
   * Names of the tools that a plan may call. It wins over `tools`: what it does not name is
   * not plannable, and it may name tools of which `tools` knows nothing.
   */
  readonly allowedTools?: (Iterable<string> & object) | null | undefined;
  /** The host's limits, timeouts and retries; what is left out has its default. */
  readonly policy?: PolicyInput | null | undefined;
  /**
   * What is known of the tools, by name. Without it and `allowedTools` no tool is checked.
   */
  readonly tools?: ToolsGiven | null | undefined;
  /** JSON values that expressions read as `input.<name>`. */
  readonly input?: Readonly<Record<string, unknown>> | null | undefined;
  /**
   * Names the run in calls, keys and events; a new id unless given. Under the same id each
   * call has the same `key`.
   */
  readonly runId?: string | null | undefined;
  /**
   * Told of each thing that starts or ends, while the run waits; a plain function, which is
   * never awaited. An error that it throws, or a promise that it gives and that rejects, loses
   * neither the run nor later events.
   */
  readonly onEvent?: OnEvent | null | undefined;
  /**
   * Told of the first error that `onEvent` throws, or that its promise rejects with; without
   * it nobody is. What it throws itself is lost: the run goes on.
   */
  readonly onEventError?: ((error: unknown, event: PlanEvent) => unknown) | null | undefined;
  /** What timeouts, backoffs and durations go by; the platform's own time unless given. */
  readonly clock?: Clock | null | undefined;
  /**
   * Where an earlier run of this very plan paused, as `PlanPaused` tells: this one goes on from
   * there. Its input and run id are that run's, whatever is given here.
   */
  readonly resume?: CheckpointInput | null | undefined;
  /**
   * What plans before this one did: a call that is in it is not made, and its result is taken
   * over. What goes well here is noted in it.
   */
  readonly memory?: CallMemory | null | undefined;
  /**
   * Cancels the run: the attempts in flight are told by their own signals, and the run rejects
   * with this signal's reason.
   */
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Check a plan, run it, and give back what it asked for.
 *
 * What tools do is data: a step that fails is `failed` in the ledger and throws nothing.
 *
 * @param plan - The plan in any form; or one that `checkPlan` has passed, and then `maxSteps`,
 *   `allowedTools`, `policy` and `tools`, which that check was for, and another language's
 *   `binder` may not be given.
 * @param invoker - What calls the tools: an async function of name and arguments, or an object
 *   with `invokeStep`.
 * @param options - See `ExecuteOptions`.
 * @returns The result; it shares nothing with what tools hold.
 * @throws PlanError if the plan or the input is refused and nothing has run. The class is that
 *   of the first problem, and `diagnostics` has them all.
 * @throws PlanPaused if calls wait for an answer, as their invoker said by `StepPaused`, and
 *   nothing else is left to do: run the plan again with its checkpoint as `resume`.
 * @throws TypeError if an argument beside the plan is not of its type, or a checked plan is to
 *   run otherwise than it was checked.
 * @throws Error if `resume` is no checkpoint, or that of another plan.
 * @throws The reason of `signal`, usually an `AbortError`, if the run was cancelled.
 */
export async function executePlan(
  plan: PlanGiven | CheckedPlan,
  invoker: ToolInvoker | StepInvoker,
  options: ExecuteOptions = {},
): Promise<PlanResult> {
  checkOptions(options);
  const { binder, onEvent, clock } = options;
  const signal = options.signal ?? undefined;
  checkInvoker(invoker);
  checkBinder(binder);
  checkMaxSteps(options.maxSteps);
  const policy = checkPolicy(options.policy);
  checkInput(options.input);
  checkRunId(options.runId);
  checkListener(onEvent);
  checkClock(clock);
  checkMemory(options.memory);
  checkSignal(signal);
  signal?.throwIfAborted();
  const paused = isGiven(options.resume) ? readCheckpoint(options.resume) : undefined;
  const given = takenIn(paused === undefined ? options.input : paused.input);
  const foreign = !binder || isProfile(binder) ? undefined : binder;
  const checked = checkedFor(plan, options, { policy, input: given, foreign });
  const results: Members = {};
  const engine =
    foreign === undefined
      ? new ProfileEngine(checked, results, given)
      : new ForeignEngine(foreign, results, given);
  const readings = new Readings(checked, engine);
  const time = clock ?? new SystemClock();
  const { step_timeout_s: stepTimeoutS, plan_timeout_s: planTimeoutS } = checked.policy;
  const pace = new Pace(() => time.now(), planTimeoutS);
  const runId = paused?.run_id ?? options.runId ?? crypto.randomUUID().replaceAll("-", "");
  const told: CourseOptions = {
    runId,
    onEvent: onEvent ? unfailing(onEvent, options.onEventError) : undefined,
  };
  const memory = options.memory ?? undefined;
  const schedule = new Schedule(checked, readings, results, told, pace, memory);
  const elapsed = (paused?.elapsed_ms ?? 0) / 1000;
  const driver = new Driver(schedule, invocation(invoker), time, pace, {
    stepTimeoutS,
    planTimeoutS: planTimeoutS === null ? null : Math.max(planTimeoutS - elapsed, 0),
  });
  const { plan: whole } = checked;
  const { steps } = schedule;
  const late = (): Error => outputTimedOut(checked.policy);
  if (paused !== undefined) {
    await driver.within(restore(paused, whole, steps, results, readings), late, signal);
    schedule.resume(elapsed);
  }
  await driver.run(signal);
  if (schedule.isPaused) {
    const pause = { plan: whole, steps, results, given, runId, ...schedule.span };
    throw new PlanPaused(checkpointOf(pause), waitingCalls(steps));
  }
  return await driver.within(compose(checked, steps, results, readings), late, signal);
}

/**
 * The steps by level, for a preview: see `planLevels`, which this is the same as.
 *
 * @throws PlanError if the plan has no levels: a cycle, an unknown step, too many steps.
 */
export function levelsOf<Step extends PlanStepInput>(
  plan: Omit<WorkflowPlanInput, "steps"> & { readonly steps: readonly Step[] },
): readonly (readonly Step[])[] {
  return planLevels(plan);
}

/** The ledger as lines for a person: level, status, id, tool, milliseconds, error. */
export function summarize(result: PlanResult): string {
  return result.ledger.map(summary).join("\n");
}

function summary(outcome: StepOutcome): string {
  const { level, id, tool, items, error } = outcome;
  const status = outcome.status === "failed" ? "FAILED" : outcome.status;
  // Half up, as no two languages round alike.
  const tenths = Math.floor(outcome.duration_ms * 10 + 0.5);
  const took = `${Math.floor(tenths / 10)}.${tenths % 10} ms`;
  const counts = items ? `  ${items.ok} of ${items.total} items` : "";
  const told = error ? `  ${error}` : "";
  const columns = [status.padEnd(9), padded(id, 16), padded(tool, 20), took.padStart(12)];
  return `L${level} ${columns.join(" ")}${counts}${told}`;
}

/** A text in a column of so many characters. */
function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(width - codePoints(text), 0));
}

/** What the host gave, as it is used. */
interface Host {
  readonly policy: Policy;
  readonly input: Members;
  /** The binder, if it is of another language. */
  readonly foreign: Binder | undefined;
}

function checkedFor(
  plan: PlanGiven | CheckedPlan,
  options: ExecuteOptions,
  { policy, input, foreign }: Host,
): CheckedPlan {
  const { maxSteps, allowedTools } = options;
  if (plan instanceof CheckedPlan) {
    const asked = [foreign, maxSteps, allowedTools, options.policy, options.tools];
    if (asked.some(isGiven)) {
      throw new TypeError(
        "a checked plan runs as it was checked: give maxSteps, allowedTools, policy and tools " +
          "to checkPlan, or the plan itself to executePlan",
      );
    }
    return plan;
  }
  const limits = { ...policy, max_steps: maxSteps ?? policy.max_steps };
  const tools = plannable(options.tools ?? undefined, allowedTools ?? undefined);
  if (foreign === undefined) return checkPlan(plan, { tools, policy: limits, input });
  const references = referencesOf(foreign);
  return checkForeignPlan(plan, { references, tools, policy: limits });
}

function isProfile(binder: Binder): boolean {
  return (
    binder instanceof JsonataBinder && binder.constructor === JsonataBinder && !binder.allowEval
  );
}

function referencesOf(binder: Binder): References {
  const isLibrary = binder instanceof JsonataBinder && binder.allowEval;
  return isLibrary ? referencesByLibrary : textReferences;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The run's input, as a copy that nobody else can change. */
function takenIn(given: ExecuteOptions["input"]): Members {
  try {
    return ingest({ ...given }) as Members;
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    const hint = "pass plain JSON values as input";
    throw errorFor([{ code: error.code, path: "", message: `input: ${error.message}`, hint }]);
  }
}

/** What is known of the tools, those that are not allowed marked as not plannable. */
function plannable(
  tools: ToolsGiven | undefined,
  allowed: Iterable<string> | undefined,
): ToolsGiven | undefined {
  if (allowed === undefined) return tools;
  if (typeof allowed === "string") {
    throw new TypeError("allowed_tools must be a list of strings, not one string");
  }
  const names = new Set(allowed);
  if (tools === undefined) return [...names];
  const infos =
    Symbol.iterator in tools
      ? new Map([...tools].map((name) => [name, undefined]))
      : new Map(Object.entries(tools));
  const known = [...new Set([...infos.keys(), ...names])].map((name) => {
    const info = new ToolInfo(infos.get(name) ?? {});
    const mayCall = info.plannable && names.has(name);
    return [name, new ToolInfo({ ...info, plannable: mayCall })] as const;
  });
  return Object.fromEntries(known);
}

/** The same callback, its errors kept from the run. */
function unfailing(onEvent: OnEvent, onError: ExecuteOptions["onEventError"]): OnEvent {
  let failed = false;
  return (event) => {
    quietly(
      () => onEvent(event),
      (error) => {
        if (failed) return;
        failed = true;
        // Nobody is left to be told, and the run is not to be lost for it.
        quietly(
          () => onError?.(error, event),
          () => undefined,
        );
      },
    );
  };
}

/** Call what may throw, or give a promise that nobody awaits and that may reject. */
function quietly(call: () => unknown, onError: (error: unknown) => void): void {
  try {
    const given = call();
    // To the platform a rejection that nobody hears is a reason to end the process.
    if (given instanceof Promise) given.catch(onError);
  } catch (error) {
    onError(error);
  }
}
