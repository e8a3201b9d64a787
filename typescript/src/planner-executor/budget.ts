/** One budget over all agents of a run: what is allowed, what was used, and when it is out. */

import { quoted } from "../diagnostics.js";
import { isObject } from "../values/index.js";
import { checkNames } from "./checks.js";
import type { Usage } from "./record.js";
import { messageOf } from "./said.js";

/** A limit of a budget. */
export type Limit = "requests" | "tokens" | "wall_s" | "cost";

/** What Strands tells of the tokens of one request. */
export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Where the provider says so. */
  readonly cacheReadInputTokens?: number | undefined;
  /** Where the provider says so. */
  readonly cacheWriteInputTokens?: number | undefined;
}

/**
 * What one model request costs, from the model's id and the usage that Strands tells of it.
 * The unit is the host's own. An error of it, or what is no finite number of 0 or more, ends
 * the run with `PriceFailedError`.
 */
export type Price = (model: string, usage: Tokens) => number;

/**
 * What one run may use, all its agents together; null is no limit.
 *
 * A run never returns having used more: at a limit no further request is made, and a response
 * that goes beyond one ends the run. What is counted are the requests of planner, executors and
 * synthesizer. An agent that one of them calls as a tool makes requests of its own, which are
 * not counted.
 */
export interface Budget {
  /** Requests to models; 40 unless given. */
  readonly requests: number | null;
  /** Tokens, those sent and those received; 200,000 unless given. */
  readonly tokens: number | null;
  /** Seconds, without the time between `plan()` and `run()`. */
  readonly wall_s: number | null;
  /** What the prices of all requests may add up to; needs a `price`. */
  readonly cost: number | null;
}

/** The budget of a run for which the host gives none. */
export const BUDGET: Budget = { requests: 40, tokens: 200_000, wall_s: null, cost: null };

const LIMITS = Object.keys(BUDGET) as Limit[];

/**
 * A budget with what was left out.
 *
 * @throws TypeError if it is something else, or has what a budget does not have.
 * @throws RangeError if a limit is out of range.
 */
export function budgetOf(given: unknown): Budget {
  if (!isObject(given)) {
    throw new TypeError("budget must be an object, such as { requests: 20 }");
  }
  checkNames("budget", given, LIMITS);
  const budget = { ...BUDGET };
  for (const name of LIMITS) {
    const limit = given[name];
    if (limit === undefined) continue;
    budget[name] = limit === null ? null : limitOf(name, limit);
  }
  return budget;
}

function limitOf(name: Limit, limit: unknown): number {
  const isWhole = name === "requests" || name === "tokens";
  const what = isWhole ? "a whole number, 1 or more" : "a finite number above 0";
  const wrong = `budget: ${name} must be ${what}; null is no limit`;
  if (typeof limit !== "number") throw new TypeError(wrong);
  if (
    !(isWhole ? Number.isInteger(limit) && limit >= 1 : limit > 0 && Number.isFinite(limit))
  ) {
    throw new RangeError(wrong);
  }
  return limit;
}

/** The run ends here, which is never one step's failure. */
export class RunOver extends Error {}

/** The budget is used up. */
export class OutOfBudget extends RunOver {
  /** @param limit - Which limit it was. */
  constructor(readonly limit: Limit) {
    super(`the budget is used up: ${limit}`);
    this.name = "OutOfBudget";
  }
}

/** The host's `price` failed, or gave what is no price. */
export class NoPrice extends RunOver {
  override readonly name = "NoPrice";
}

/** Counts what the agents of one run use. */
export class Meter {
  /** What ends the run, once a response does. */
  over: RunOver | undefined;
  private requests: number;
  private input: number;
  private output: number;
  private total: number;
  private cost: number;

  /**
   * @param budget - What they may use.
   * @param price - What a request costs, if the host says so.
   * @param used - What was used before, while planning.
   */
  constructor(
    private readonly budget: Budget,
    private readonly price: Price | undefined,
    used: Usage,
  ) {
    this.requests = used.requests;
    this.input = used.input_tokens;
    this.output = used.output_tokens;
    this.total = used.total_tokens;
    this.cost = used.cost ?? 0;
  }

  /** Whether requests have prices. */
  get prices(): boolean {
    return this.price !== undefined;
  }

  /** What was used in all. */
  usage(durationS: number): Usage {
    return {
      requests: this.requests,
      input_tokens: this.input,
      output_tokens: this.output,
      total_tokens: this.total,
      cost: this.price === undefined ? null : this.cost,
      duration_s: durationS,
    };
  }

  /**
   * A request is about to be made.
   *
   * @throws RunOver if it may not be made; what was asked before may still be answered.
   */
  request(): void {
    this.check();
    const { requests, tokens, cost } = this.budget;
    if (requests !== null && this.requests >= requests) throw new OutOfBudget("requests");
    if (tokens !== null && this.total >= tokens) throw new OutOfBudget("tokens");
    if (cost !== null && this.cost >= cost) throw new OutOfBudget("cost");
    this.requests += 1;
  }

  /**
   * A response has come; gives its price, 0 without prices.
   *
   * If it went beyond the budget, or has no price, `check` throws from now on.
   */
  response(model: string, usage: Tokens): number {
    this.input += usage.inputTokens;
    this.output += usage.outputTokens;
    this.total += usage.totalTokens || usage.inputTokens + usage.outputTokens;
    const price = this.costOf(model, usage);
    this.cost += price;
    const { tokens, cost } = this.budget;
    if (tokens !== null && this.total > tokens) this.over ??= new OutOfBudget("tokens");
    if (cost !== null && this.cost > cost) this.over ??= new OutOfBudget("cost");
    return price;
  }

  /**
   * Go on only while no response has ended the run.
   *
   * @throws RunOver if one has.
   */
  check(): void {
    if (this.over !== undefined) throw this.over;
  }

  private costOf(model: string, usage: Tokens): number {
    if (this.price === undefined) return 0;
    const called = `price(${quoted(model)}, usage)`;
    try {
      const given: unknown = this.price(model, usage);
      if (typeof given === "number" && given >= 0 && Number.isFinite(given)) return given;
      // A promise that rejects is nobody's error any more.
      if (given instanceof Promise) given.catch(() => undefined);
      this.over ??= new NoPrice(`${called} must give a finite number, 0 or more`);
    } catch (error) {
      this.over ??= new NoPrice(`${called} failed: ${messageOf(error)}`, { cause: error });
    }
    return 0;
  }
}
