/**
 * How a run may end without an answer; each error carries the record of what was done.
 *
 *     PlanError
 *     └── PlanRejectedError         no plan was accepted
 *     PlannerExecutorError
 *     ├── PlannerFailedError        the planner itself failed
 *     ├── AllStepsFailedError       no step completed
 *     ├── BudgetExceededError       the budget ran out
 *     ├── PriceFailedError          the host's price failed
 *     └── AnswerFailedError         the synthesizer gave no answer
 */

import { PlanError } from "../errors.js";
import type { Budget, Limit } from "./budget.js";
import { reasons } from "./prompts.js";
import type { Attempt, Run } from "./record.js";

/** Every plan was refused, and nothing has run. */
export class PlanRejectedError extends PlanError {
  /**
   * @param attempts - Every plan that was handed in, with what was wrong with it.
   * @param record - What was done.
   */
  constructor(
    readonly attempts: readonly Attempt[],
    readonly record: Run<null>,
  ) {
    const told = attempts.map(
      ({ problem, diagnostics }, at) =>
        `plan ${at + 1} of ${attempts.length}:\n${problem ?? reasons(diagnostics)}`,
    );
    super(["no plan was accepted", ...told].join("\n"), {
      diagnostics: attempts.at(-1)?.diagnostics ?? [],
    });
  }

  static {
    PlanRejectedError.prototype.name = "PlanRejectedError";
  }
}

/** A run ended without an answer. */
export class PlannerExecutorError extends Error {
  /**
   * @param message - Why.
   * @param record - What was done.
   * @param options - `cause`: the error behind it.
   */
  constructor(
    message: string,
    readonly record: Run<null>,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }

  static {
    // On the prototype, as with the errors of the language, so that it is no own member.
    PlannerExecutorError.prototype.name = "PlannerExecutorError";
  }
}

/** The planner or its model failed; `record` has the plans that were refused before. */
export class PlannerFailedError extends PlannerExecutorError {
  static {
    PlannerFailedError.prototype.name = "PlannerFailedError";
  }
}

/** No step completed, so there is nothing to answer from. */
export class AllStepsFailedError extends PlannerExecutorError {
  /** Why each failed step failed, by id. */
  readonly failed: Readonly<Record<string, string>>;
  /** The steps that did not run for another's failure. */
  readonly skipped: readonly string[];

  /** @param record - What was done. */
  constructor(record: Run<null>) {
    const told = Object.entries(record.failed).map(([name, error]) => `${name}: ${error}`);
    super(`no step completed: ${told.join("; ")}`, record);
    this.failed = record.failed;
    this.skipped = record.skipped;
  }

  static {
    AllStepsFailedError.prototype.name = "AllStepsFailedError";
  }
}

/** The budget of the run is used up. */
export class BudgetExceededError extends PlannerExecutorError {
  /**
   * @param limit - Which limit it was.
   * @param budget - The budget.
   * @param record - What was done.
   */
  constructor(
    readonly limit: Limit,
    readonly budget: Budget,
    record: Run<null>,
  ) {
    super(`the budget is used up: ${limit} may be at most ${budget[limit]}`, record);
  }

  static {
    BudgetExceededError.prototype.name = "BudgetExceededError";
  }
}

/** The host's `price` failed, or gave what is no finite number of 0 or more. */
export class PriceFailedError extends PlannerExecutorError {
  static {
    PriceFailedError.prototype.name = "PriceFailedError";
  }
}

/** The steps ended, but the synthesizer failed; `record` has their results. */
export class AnswerFailedError extends PlannerExecutorError {
  static {
    AnswerFailedError.prototype.name = "AnswerFailedError";
  }
}
