/**
 * What a step is given: its condition, its list, its arguments; and the plan's output.
 *
 * Each is read off the results of steps by an expression of the plan. A failure is a value
 * here (`Fault`), since in a run it is data.
 */

import { type Binder, JsonataBinder, listed } from "../binder.js";
import { quoted } from "../diagnostics.js";
import { Context, compileTree, EvaluationError, type Program } from "../evaluate/index.js";
import type { Expression } from "../expressions/index.js";
import type { Code, JsonValue, StepStatus } from "../models.js";
import type { CheckedPlan, CheckedStep } from "../validate/index.js";
import { OutOfStepsError } from "../values/budget.js";
import { copyOut, ingest, type Members, NOTHING, ValueFault } from "../values/index.js";
import {
  binderMessage,
  type Fault,
  notABoolean,
  notAList,
  outputFault,
  readingFault,
} from "./faults.js";
import { isPromise, type Work, waited } from "./waiting.js";

const WITHOUT_RESULT: Readonly<Partial<Record<StepStatus, string>>> = {
  failed: "failed",
  skipped: "was skipped",
  not_taken: "was not taken",
};
const SHOWN_STEPS = 5;
const TOGETHER = "with the bindings before it, ";

/** What the bindings of one call have in common. */
export class Call {
  /** The steps that its bindings have taken so far, of the budget that they share. */
  taken = 0;

  /**
   * @param item - The item of the call, if there is an `index`.
   * @param index - Its place in the list; null without one.
   */
  constructor(
    readonly item: unknown,
    readonly index: number | null,
  ) {}
}

/** What gives the expressions of one plan their values in one run. */
export interface Engine {
  /**
   * The value of an expression, the reader's own to keep, or `NOTHING`; or a promise of it.
   *
   * @param text - The expression as written.
   * @param expression - The same as the check has read it, if it was ours to read.
   * @param call - The call whose binding it is.
   * @throws EvaluationError if it failed.
   */
  value(text: string, expression: Expression | undefined, call?: Call): unknown;
}

/** Reads what steps are given, by the rules that every expression language is held to. */
export class Readings {
  /** How the steps did that have ended, by id; the run keeps it up. */
  readonly endings = new Map<string, StepStatus>();
  private readonly plan: CheckedPlan;
  private readonly engine: Engine;

  /**
   * @param plan - The plan.
   * @param engine - What evaluates its expressions.
   */
  constructor(plan: CheckedPlan, engine: Engine) {
    this.plan = plan;
    this.engine = engine;
  }

  /** Whether a step with `when` is to run. */
  *condition(step: CheckedStep): Work<boolean | Fault> {
    const stepId = step.step.id;
    const text = step.step.when ?? "";
    let value: unknown;
    try {
      value = yield* this.value(text, step.when);
    } catch (error) {
      return readingFault(stepId, "when", text, ...this.told(error, step.when));
    }
    if (value === NOTHING) {
      const edit = `write (${text}) ?? false if that means no`;
      const cause = `${this.nothing(step.when)}; ${edit}`;
      return readingFault(stepId, "when", text, "no_value", cause);
    }
    return typeof value === "boolean" ? value : notABoolean(stepId, text, value);
  }

  /** The items of a step with `for_each`, by the list rule. */
  *items(step: CheckedStep): Work<readonly unknown[] | Fault> {
    const stepId = step.step.id;
    const text = step.step.for_each ?? "";
    let items: unknown;
    try {
      items = listed(yield* this.value(text, step.forEach));
    } catch (error) {
      return readingFault(stepId, "for_each", text, ...this.told(error, step.forEach));
    }
    return Array.isArray(items) ? items : notAList(stepId, text);
  }

  /** The arguments of a call: its literals, and its bindings from left to right. */
  *arguments(
    step: CheckedStep,
    item: unknown,
    index: number | null,
  ): Work<Record<string, JsonValue> | Fault> {
    const args = copyOut(step.step.args) as Members;
    const call = new Call(item, index);
    for (const [name, text] of Object.entries(step.step.bind)) {
      const read = step.bind.get(name);
      let value: unknown;
      try {
        value = yield* this.value(text, read, call);
      } catch (error) {
        return readingFault(step.step.id, name, text, ...this.told(error, read));
      }
      if (step.listArguments.has(name)) {
        value = listed(value);
      } else if (value === NOTHING) {
        return readingFault(step.step.id, name, text, ...this.noValue(read));
      }
      args[name] = value;
    }
    return args as Record<string, JsonValue>;
  }

  /** The value of the plan's `output`, once every step has ended. */
  *output(): Work<unknown> {
    const text = this.plan.plan.output ?? "";
    const read = this.plan.output;
    let value: unknown;
    try {
      value = yield* this.value(text, read);
    } catch (error) {
      return outputFault(text, ...this.told(error, read));
    }
    return value === NOTHING ? outputFault(text, ...this.noValue(read)) : value;
  }

  private *value(text: string, read: Expression | undefined, call?: Call): Work<unknown> {
    return yield* waited(this.engine.value(text, read, call));
  }

  private noValue(read: Expression | undefined): [code: Code, cause: string] {
    let hint = "give a default with `??`";
    if (!this.withoutResult(read)) {
      hint = `check its names and predicates against what the tools return, or ${hint}`;
    }
    return ["no_value", `${this.nothing(read)}; ${hint}`];
  }

  private nothing(read: Expression | undefined): string {
    const absent = this.withoutResult(read);
    return absent ? `it matches nothing, as ${absent}` : "it matches nothing";
  }

  /** What an evaluation that failed says; any other error is a fault of the program. */
  private told(error: unknown, read: Expression | undefined): [code: Code, cause: string] {
    if (!(error instanceof EvaluationError)) throw error;
    const cause = error.hint ? `${error.message}; ${error.hint}` : error.message;
    const absent = this.withoutResult(read);
    return [error.code, absent ? `${cause}; ${absent}` : cause];
  }

  /** Which of the steps that an expression reads have no result, and why. */
  private withoutResult(read: Expression | undefined): string {
    const absent: string[] = [];
    for (const name of read?.dependencies ?? []) {
      const status = this.endings.get(name);
      const what = status === undefined ? undefined : WITHOUT_RESULT[status];
      if (what !== undefined) absent.push(`step ${quoted(name)} ${what}`);
    }
    const rest = absent.length - SHOWN_STEPS;
    return absent.slice(0, SHOWN_STEPS).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  }
}

/** The engine's own language: the expressions as the check has read them. */
export class ProfileEngine implements Engine {
  private readonly plan: CheckedPlan;
  private readonly results: Members;
  private readonly given: Members;
  private readonly context: Context;
  private readonly programs = new Map<Expression, Program>();

  /**
   * @param plan - The plan.
   * @param results - The results of steps by id; they may grow.
   * @param given - The run's `input`.
   */
  constructor(plan: CheckedPlan, results: Members, given: Members) {
    this.plan = plan;
    this.results = results;
    this.given = given;
    this.context = new Context(results, { input: given });
  }

  /** See `Engine`. */
  value(text: string, expression: Expression | undefined, call?: Call): unknown {
    if (expression === undefined) throw new TypeError(`the check has not read ${text}`);
    let program = this.programs.get(expression);
    if (program === undefined) {
      program = compileTree(expression.tree);
      this.programs.set(expression, program);
    }
    let context = this.context;
    if (call !== undefined && call.index !== null) {
      const { item, index } = call;
      context = new Context(this.results, { input: this.given, item, index });
    }
    const { max_expression_steps: budget, integers } = this.plan.policy;
    const taken = call?.taken ?? 0;
    try {
      const found = program.runCounted(context, { maxSteps: budget - taken, integers });
      if (call !== undefined) call.taken += found.steps;
      return found.value;
    } catch (error) {
      if (taken === 0 || !(error instanceof OutOfStepsError)) throw error;
      throw new OutOfStepsError(budget, TOGETHER);
    }
  }
}

/** A host's own binder, which sees copies and whose values are taken in like a tool's. */
export class ForeignEngine implements Engine {
  private readonly find: (text: string, env: Record<string, JsonValue>) => unknown;
  private readonly results: Members;
  private readonly given: Members;

  /**
   * @param binder - The binder.
   * @param results - The results of steps by id; they may grow.
   * @param given - The run's `input`.
   */
  constructor(binder: Binder, results: Members, given: Members) {
    this.find =
      binder instanceof JsonataBinder && binder.constructor === JsonataBinder
        ? (text, env) => binder.find(text, env)
        : (text, env) => binder.bind(text, env);
    this.results = results;
    this.given = given;
  }

  /** See `Engine`. */
  value(text: string, _expression: Expression | undefined, call?: Call): unknown {
    const env: Members = { steps: this.results, input: this.given };
    if (call !== undefined && call.index !== null) {
      Object.assign(env, { item: call.item, index: call.index });
    }
    try {
      const found = this.find(text, copyOut(env) as Record<string, JsonValue>);
      return isPromise(found) ? found.then(takenIn, failedWith) : takenIn(found);
    } catch (error) {
      return failedWith(error);
    }
  }
}

function takenIn(found: unknown): unknown {
  try {
    return found === NOTHING ? found : ingest(found);
  } catch (error) {
    return failedWith(error);
  }
}

function failedWith(error: unknown): never {
  const message = error instanceof ValueFault ? error.message : binderMessage(error);
  throw new EvaluationError("evaluation_failed", message, "");
}
