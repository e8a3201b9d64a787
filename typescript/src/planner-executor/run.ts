/** Planner, executors, synthesizer: the plan and the run, apart from each other. */

import { Agent, type InvocationState } from "@strands-agents/sdk";
import type { z } from "zod";
import type { PlanEvent } from "../events.js";
import type { Diagnostic, TaskPlan } from "../models.js";
import { checkTasks, type DoTask, MAX_TASKS, runTasks } from "../tasks/index.js";
import { Executors, type OneAgent, type Source, type Thinker, thinker } from "./agents.js";
import { type Budget, budgetOf, Meter, OutOfBudget, type Price } from "./budget.js";
import { Conduct, messageOf, unlessStopped } from "./conduct.js";
import {
  AllStepsFailedError,
  AnswerFailedError,
  BudgetExceededError,
  PlanRejectedError,
} from "./errors.js";
import { Ledger } from "./ledger.js";
import { askForPlan, plannerPrompt } from "./planning.js";
import { filled, outcomes, PROMPTS, type Prompts, results, stripped } from "./prompts.js";
import { Answer, type Attempt, type Plan, type Run, UNUSED } from "./record.js";

/** How a `PlannerExecutor` does its work, beside who does it. */
export interface WorkOptions<T = Answer> {
  /** The Zod schema of the answer; by default `Answer`. */
  readonly answerType?: z.ZodType<T> | undefined;
  /** Steps that a plan may have; 6 unless given. */
  readonly maxSteps?: number | undefined;
  /** Plans that may be refused before it ends with `PlanRejectedError`; 3 unless given. */
  readonly retries?: number | undefined;
  /** Steps that may run at once; 16 unless given. */
  readonly maxConcurrency?: number | undefined;
  /**
   * Whether a level of the plan starts only when the one before has ended; else each step
   * starts as soon as what it needs is there.
   */
  readonly waves?: boolean | undefined;
  /** What one run may use, all agents together; what is left out has its default. */
  readonly budget?: Partial<Budget> | undefined;
  /** What a model request costs; needed if the budget limits the cost. */
  readonly price?: Price | undefined;
  /** The texts for the agents; what is left out has its default. */
  readonly prompts?: Partial<Prompts> | undefined;
  /** Told of each step that fails or is skipped; by default `console.warn`. */
  readonly warn?: ((message: string) => unknown) | undefined;
}

/** What a `PlannerExecutor` is made of. */
export interface PlannerExecutorOptions<T = Answer> extends WorkOptions<T> {
  /**
   * Writes the plan: an `Agent`, a model, or the id of one. Tools that it has are not offered
   * to it.
   */
  readonly planner: OneAgent;
  /**
   * Carry out the steps: one `Agent`, of which each step gets a copy with an empty
   * conversation; a function that makes a new agent; or either by step id, in an object in
   * which `"*"` stands for the steps that it does not name.
   */
  readonly executors: Source | Readonly<Record<string, Source>>;
  /** Writes the answer; by default an agent of ours on the planner's model. */
  readonly synthesizer?: OneAgent | undefined;
}

/** What one run is given beside its question. */
export interface RunOptions {
  /**
   * Passed to every agent of this run, as Strands does; each gets an object of its own with
   * these values.
   */
  readonly invocationState?: InvocationState | undefined;
  /** Cancels the run, which then rejects with this signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One agent writes a plan, code holds it to rules, executors carry it out, one answers.
 *
 * It keeps nothing of a run, so one may serve any number of runs, also at the same time.
 */
export class PlannerExecutor<T = Answer> {
  private readonly planner: Thinker;
  private readonly executors: Executors;
  private readonly synthesizer: Thinker;
  private readonly answerType: z.ZodType<T>;
  private readonly maxSteps: number;
  private readonly retries: number;
  private readonly maxConcurrency: number;
  private readonly waves: boolean;
  private readonly budget: Budget;
  private readonly price: Price | undefined;
  private readonly prompts: Prompts;
  private readonly warn: (message: string) => unknown;

  /**
   * @param options - See `PlannerExecutorOptions`.
   * @throws RangeError if a limit makes no sense.
   * @throws TypeError if the cost is limited without a `price`, or something is no agent.
   */
  constructor(options: PlannerExecutorOptions<T>) {
    const { maxSteps = MAX_TASKS, retries = 3, maxConcurrency = 16 } = options;
    if (![maxSteps, retries, maxConcurrency].every((limit) => limit >= 1)) {
      throw new RangeError("maxSteps, retries and maxConcurrency must be at least 1");
    }
    this.budget = budgetOf(options.budget ?? {});
    if (this.budget.cost !== null && options.price === undefined) {
      throw new TypeError("the budget limits the cost: give price(model, usage) too");
    }
    const { planner, waves = false } = options;
    const answering = planner instanceof Agent ? planner.model : planner;
    this.prompts = { ...PROMPTS, ...options.prompts };
    this.planner = thinker(planner, this.prompts.plannerSystem);
    this.executors = new Executors(options.executors);
    this.synthesizer = thinker(
      options.synthesizer ?? answering,
      this.prompts.synthesizerSystem,
    );
    // Without a type of the host's, T is what stands for it: `Answer`.
    this.answerType = options.answerType ?? (Answer as unknown as z.ZodType<T>);
    this.maxSteps = maxSteps;
    this.retries = retries;
    this.maxConcurrency = maxConcurrency;
    this.waves = waves;
    this.price = options.price;
    this.warn = options.warn ?? toConsole;
  }

  /**
   * What is wrong with a plan, here and for these executors; nothing if it may run.
   *
   * It sees the graph alone. That a step's words need a result which its `depends_on` does
   * not name, it cannot see.
   */
  check(plan: TaskPlan): readonly Diagnostic[] {
    const found = checkTasks(plan, { maxSteps: this.maxSteps });
    return found.length > 0 ? found : this.executors.unknown(plan);
  }

  /**
   * Have a plan written, and run nothing.
   *
   * @param question - What to answer.
   * @param options - See `RunOptions`.
   * @throws PlanRejectedError if so many plans were refused as `retries` says.
   * @throws BudgetExceededError if the budget ran out.
   */
  async plan(question: string, options: RunOptions = {}): Promise<Plan> {
    const ledger = new Ledger(question, new Meter(this.budget, this.price, UNUSED));
    const attempts: Attempt[] = [];
    ledger.attempts = attempts;
    return await this.within(ledger, options.signal, async (stop) => {
      const tools = await unlessStopped(this.executors.tools(), stop.signal);
      ledger.tools = tools;
      const planner = new Conduct(await unlessStopped(this.planner(), stop.signal), {
        name: "planner",
        meter: ledger.meter,
        state: options.invocationState ?? {},
        signal: stop.signal,
      });
      const { prompts, maxSteps, retries } = this;
      const named = await unlessStopped(this.executors.told(), stop.signal);
      const prompt = plannerPrompt(prompts, { question, tools, maxSteps, named });
      const check = (plan: TaskPlan) => this.check(plan);
      const asking = { prompt, prompts, check, retries, attempts };
      const plan = await askForPlan(planner, asking).finally(() => ledger.ended(planner));
      if (plan === undefined) throw new PlanRejectedError(attempts, ledger.record(null));
      return { question, plan, tools, attempts, runs: ledger.runs, usage: ledger.usage() };
    });
  }

  /**
   * Carry out a plan and answer its question.
   *
   * @param plan - What `plan` gave; or steps written by somebody else, with the question.
   * @param options - `question`: the question, if the plan does not have it. Else see
   *   `RunOptions`.
   * @returns The record, with the answer.
   * @throws PlanRejectedError if the plan may not run.
   * @throws AllStepsFailedError if no step completed.
   * @throws BudgetExceededError if the budget ran out.
   * @throws AnswerFailedError if the synthesizer gave no answer.
   * @throws The reason of the signal if the run was cancelled.
   */
  async run(
    plan: Plan | TaskPlan,
    options: RunOptions & { readonly question?: string | undefined } = {},
  ): Promise<Run<T>> {
    const given = withQuestion(plan, options.question);
    const meter = new Meter(this.budget, this.price, given.usage);
    const ledger = new Ledger(given.question, meter, given);
    const found = this.check(given.plan);
    if (found.length > 0) {
      const attempt: Attempt = { plan: given.plan, diagnostics: [...found], problem: null };
      throw new PlanRejectedError([attempt], ledger.record(null));
    }
    const state = { ...options.invocationState };
    return await this.within(ledger, options.signal, async (stop) => {
      await this.carryOut(given, ledger, state, stop);
      if (ledger.results.size === 0) throw new AllStepsFailedError(ledger.record(null));
      return ledger.record(await this.answered(given, ledger, state, stop));
    });
  }

  /** Plan and run in one go; what may be thrown is what `plan` and `run` throw. */
  async answer(question: string, options: RunOptions = {}): Promise<Run<T>> {
    return await this.run(await this.plan(question, options), options);
  }

  private async carryOut(
    given: Plan,
    ledger: Ledger,
    state: InvocationState,
    stop: Stop,
  ): Promise<void> {
    const inFlight = new Set<Promise<string>>();
    const carryOut: DoTask = ({ id, instruction }, found, signal) => {
      const prompt = filled(this.prompts.executor, {
        question: given.question,
        instruction,
        results: results(found as Readonly<Record<string, string>>),
      });
      const work = this.step(id, prompt, { ledger, state, signal });
      inFlight.add(work);
      return work.catch((error) => {
        // Used up is the run's end, and never the failure of this step.
        if (error instanceof OutOfBudget) stop.now(error);
        throw error;
      });
    };
    try {
      await runTasks(given.plan, carryOut, {
        maxSteps: this.maxSteps,
        maxConcurrency: this.maxConcurrency,
        waves: this.waves,
        onEvent: (event) => this.tell(event, ledger),
        signal: stop.signal,
      });
    } finally {
      // What was stopped is kept too.
      await Promise.allSettled(inFlight);
    }
  }

  private async step(
    id: string,
    prompt: string,
    run: { ledger: Ledger; state: InvocationState; signal: AbortSignal },
  ): Promise<string> {
    const { ledger, state, signal } = run;
    const agent = await unlessStopped(this.executors.agentFor(id), signal);
    const role = { name: `executor.${id}`, step: id, meter: ledger.meter, state, signal };
    const conduct = new Conduct(agent, role);
    let text: string;
    try {
      text = stripped(String(await conduct.ask(prompt)));
    } finally {
      ledger.ended(conduct);
    }
    if (text === "") throw new Error("the executor gave no result");
    ledger.results.set(id, text);
    return text;
  }

  private tell(event: PlanEvent, ledger: Ledger): void {
    ledger.saw(event);
    const { kind, step_id: id, error } = event;
    if (kind === "failed") this.warn(`step ${id} failed: ${error}`);
    else if (kind === "skipped") {
      this.warn(`step ${id} is skipped: one that it needs failed`);
    }
  }

  private async answered(
    given: Plan,
    ledger: Ledger,
    state: InvocationState,
    { signal }: Stop,
  ): Promise<T> {
    const agent = await unlessStopped(this.synthesizer(), signal);
    const conduct = new Conduct(agent, {
      name: "synthesizer",
      meter: ledger.meter,
      state,
      signal,
    });
    const steps = outcomes(given.plan, ledger.results, ledger.failed);
    const { question } = given;
    const prompt = filled(this.prompts.synthesizer, { question, steps });
    let answer: unknown;
    try {
      answer = (await conduct.ask(prompt, this.answerType)).structuredOutput;
    } catch (error) {
      ledger.ended(conduct);
      if (error instanceof OutOfBudget || signal.aborted) throw error;
      throw new AnswerFailedError(messageOf(error), ledger.record(null), { cause: error });
    }
    ledger.ended(conduct);
    if (answer === undefined) {
      throw new AnswerFailedError("the synthesizer gave no answer", ledger.record(null));
    }
    return answer as T;
  }

  /** Do something in the time that the budget leaves, until the host's signal comes. */
  private async within<Given>(
    ledger: Ledger,
    signal: AbortSignal | undefined,
    work: (stop: Stop) => Promise<Given>,
  ): Promise<Given> {
    const { wall_s: wall } = this.budget;
    const stop = new Stop(wall === null ? null : wall - ledger.secondsBefore, signal);
    try {
      return await work(stop);
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      throw new BudgetExceededError(error.limit, this.budget, ledger.record(null));
    } finally {
      stop.done();
    }
  }
}

/**
 * Answer one question: plan, run and answer in one go.
 *
 * @param question - What to answer.
 * @param options - Those of `PlannerExecutor` and of its runs.
 * @throws What `PlannerExecutor.plan` and `run` throw.
 */
export async function runPlannerExecutor<T = Answer>(
  question: string,
  options: PlannerExecutorOptions<T> & RunOptions,
): Promise<Run<T>> {
  return await new PlannerExecutor(options).answer(question, options);
}

/** Ends a run: its budget is used up, its time is over, or the host cancels it. */
class Stop {
  private readonly controller = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout> | undefined;
  private readonly unlink: () => void;

  /**
   * @param secondsLeft - How long the run may take; null for no limit.
   * @param host - The host's own signal; the run rejects with its reason.
   */
  constructor(secondsLeft: number | null, host: AbortSignal | undefined) {
    const byHost = (): void => this.now(host?.reason);
    host?.addEventListener("abort", byHost, { once: true });
    this.unlink = () => host?.removeEventListener("abort", byHost);
    if (host?.aborted) byHost();
    if (secondsLeft === null) return;
    const over = (): void => this.now(new OutOfBudget("wall_s"));
    if (secondsLeft <= 0) over();
    // What the platform's timers cannot wait at once is no limit that a run comes near.
    else this.timer = setTimeout(over, Math.min(secondsLeft * 1000, LONGEST_MS));
  }

  /** Tells the agents to stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** End the run; the first reason counts. */
  now(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** The run is over. */
  done(): void {
    clearTimeout(this.timer);
    this.unlink();
  }
}

const LONGEST_MS = 2 ** 31 - 1;

function withQuestion(plan: Plan | TaskPlan, question: string | undefined): Plan {
  if ("question" in plan) return plan;
  if (question === undefined) {
    throw new TypeError("a TaskPlan alone has no question: give `question` too");
  }
  return { question, plan, tools: [], attempts: [], runs: [], usage: UNUSED };
}

function toConsole(message: string): void {
  // biome-ignore lint/suspicious/noConsole: where the SDK warns too, unless the host says else.
  console.warn(message);
}
