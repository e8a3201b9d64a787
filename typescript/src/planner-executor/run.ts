/** Planner, executors, synthesizer: the plan and the run, apart from each other. */

import type { Diagnostic, TaskPlan } from "../models.js";
import { unlessStopped } from "../signals.js";
import { checkTasks, type TaskPlanGiven } from "../tasks/index.js";
import { Executors, modelSource, type Thinker, thinker } from "./agents.js";
import { Meter, OutOfBudget, RunOver } from "./budget.js";
import { Conduct } from "./conduct.js";
import {
  AllStepsFailedError,
  BudgetExceededError,
  PlannerFailedError,
  PlanRejectedError,
  PriceFailedError,
} from "./errors.js";
import { Ledger } from "./ledger.js";
import {
  type PlanGiven,
  type PlannerExecutorOptions,
  planGiven,
  planIfAny,
  questionGiven,
  type RunOptions,
  runOptions,
  type Settings,
  settingsOf,
} from "./options.js";
import { askForPlan, plannerPrompt } from "./planning.js";
import { type Answer, type Attempt, Plan, type Run, UNUSED } from "./record.js";
import { mended, messageOf } from "./said.js";
import { Stop } from "./stop.js";
import { answered, carryOut } from "./work.js";

/**
 * One agent writes a plan, code holds it to rules, executors carry it out, one answers.
 *
 * It keeps nothing of a run, so one may serve any number of runs, also at the same time.
 */
export class PlannerExecutor<T = Answer> {
  private readonly planner: Thinker;
  private readonly executors: Executors;
  private readonly synthesizer: Thinker;
  private readonly settings: Settings<T>;

  /**
   * @param options - See `PlannerExecutorOptions`.
   * @throws RangeError if a limit makes no sense.
   * @throws TypeError if something is not what it has to be, an agent cannot be copied, or the
   *   cost is limited without a `price`.
   */
  constructor(options: PlannerExecutorOptions<T>) {
    this.settings = settingsOf(options);
    const { planner, executors, synthesizer } = options;
    const { plannerSystem, synthesizerSystem } = this.settings.prompts;
    this.planner = thinker(planner, plannerSystem, "planner");
    const answering = synthesizer ?? modelSource(planner, "planner");
    this.synthesizer = thinker(answering, synthesizerSystem, "synthesizer");
    // A replay has its own.
    this.executors = executors instanceof Executors ? executors : new Executors(executors);
  }

  /**
   * What is wrong with a plan, here and for these executors; nothing if it may run.
   *
   * It sees the graph alone. That a step's words need a result which its `depends_on` does
   * not name, it cannot see.
   */
  check(plan: TaskPlanGiven): readonly Diagnostic[] {
    const found = checkTasks(plan, { maxSteps: this.settings.maxSteps });
    return found.length > 0 ? found : this.executors.unknown(plan as TaskPlan);
  }

  /**
   * Have a plan written, and run nothing.
   *
   * @param question - What to answer.
   * @param options - See `RunOptions`.
   * @throws PlanRejectedError if so many plans were refused as `retries` says.
   * @throws PlannerFailedError if the planner or its model failed.
   * @throws BudgetExceededError if the budget ran out.
   * @throws PriceFailedError if `price` failed.
   * @throws The reason of the signal if it was cancelled.
   */
  async plan(question: string, options: RunOptions = {}): Promise<Plan> {
    const asked = questionGiven(question);
    const { state, signal } = runOptions(options);
    const ledger = new Ledger(asked, this.meter(UNUSED));
    const attempts: Attempt[] = [];
    ledger.attempts = attempts;
    return await this.within(ledger, signal, async (stop) => {
      const offer = await unlessStopped(this.executors.offer(), stop.signal);
      const { tools, named } = Object.assign(ledger, offer);
      const agent = await unlessStopped(this.planner(), stop.signal);
      const role = { name: "planner", meter: ledger.meter, state, signal: stop.signal };
      const planner = new Conduct(agent, role);
      const { prompts, maxSteps, retries } = this.settings;
      const work = { question: asked, tools: offer.tools, maxSteps, named };
      const prompt = plannerPrompt(prompts, work);
      const check = (plan: TaskPlan) => this.check(plan);
      const asking = { prompt, prompts, check, retries, attempts };
      const plan = await askForPlan(planner, asking)
        .finally(() => ledger.ended(planner))
        .catch((error: unknown) => {
          if (error instanceof RunOver || stop.signal.aborted) throw error;
          const record = ledger.record(null);
          throw new PlannerFailedError(messageOf(error), record, { cause: error });
        });
      if (plan === undefined) throw new PlanRejectedError(attempts, ledger.record(null));
      const { runs } = ledger;
      const usage = ledger.usage();
      return { question: asked, plan, tools: [...tools], named, attempts, runs, usage };
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
   * @throws PriceFailedError if `price` failed.
   * @throws AnswerFailedError if the synthesizer gave no answer.
   * @throws The reason of the signal if the run was cancelled.
   */
  async run(
    plan: Plan | TaskPlanGiven,
    options: RunOptions & { readonly question?: string | undefined } = {},
  ): Promise<Run<T>> {
    const { state, signal } = runOptions(options);
    const given = this.checked(planGiven(plan, options.question));
    const ledger = new Ledger(given.question, this.meter(given.usage), given);
    return await this.within(ledger, signal, async (stop) => {
      if (given.tools.length === 0 && given.attempts.length === 0) {
        const offer = this.executors.offer(false);
        Object.assign(ledger, await unlessStopped(offer, stop.signal));
      }
      const work = { given, ledger, state, stop };
      await carryOut(this.executors, this.settings, work);
      if (ledger.results.size === 0) throw new AllStepsFailedError(ledger.record(null));
      const agent = await unlessStopped(this.synthesizer(), stop.signal);
      const { answerType, prompts } = this.settings;
      return ledger.record(await answered(agent, answerType, prompts.synthesizer, work));
    });
  }

  /** Plan and run in one go; what may be thrown is what `plan` and `run` throw. */
  async answer(question: string, options: RunOptions = {}): Promise<Run<T>> {
    return await this.run(await this.plan(question, options), options);
  }

  private checked(fields: PlanGiven): Plan {
    const { question, plan: tasks } = fields;
    const found = this.check(tasks as TaskPlanGiven);
    if (found.length > 0) {
      const plan = planIfAny(tasks);
      const kept = plan === null ? undefined : Plan.parse({ question, plan });
      const ledger = new Ledger(question, this.meter(UNUSED), kept);
      const attempt: Attempt = { plan, diagnostics: [...found], problem: null };
      throw new PlanRejectedError([attempt], ledger.record(null));
    }
    return Plan.parse({ ...fields, plan: mended(tasks) });
  }

  private meter(used: Plan["usage"]): Meter {
    return new Meter(this.settings.budget, this.settings.price, used);
  }

  /** Do something in the time that the budget leaves, until the host's signal comes. */
  private async within<Given>(
    ledger: Ledger,
    signal: AbortSignal | undefined,
    work: (stop: Stop) => Promise<Given>,
  ): Promise<Given> {
    const { budget } = this.settings;
    const { wall_s: wall } = budget;
    const stop = new Stop(wall === null ? null : wall - ledger.secondsBefore, signal);
    try {
      return await work(stop);
    } catch (error) {
      if (!(error instanceof RunOver)) throw error;
      const record = ledger.record(null);
      if (error instanceof OutOfBudget) {
        throw new BudgetExceededError(error.limit, budget, record);
      }
      throw new PriceFailedError(error.message, record, { cause: error.cause });
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
