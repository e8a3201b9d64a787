/** One budget over all agents of a run: what is allowed, what was used, and when it is out. */

import type { Usage } from "./record.js";

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
 * The unit is the host's own.
 */
export type Price = (model: string, usage: Tokens) => number;

/**
 * What one run may use, all its agents together; null is no limit.
 *
 * A run never returns having used more: at a limit no further request is made, and a response
 * that goes beyond one ends the run.
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

/**
 * A budget with what was left out.
 *
 * @throws RangeError if a limit is not more than 0.
 */
export function budgetOf(
  given: { readonly [Name in Limit]?: number | null | undefined },
): Budget {
  const budget = { ...BUDGET };
  for (const name of Object.keys(BUDGET) as Limit[]) {
    const limit = given[name];
    if (limit === undefined) continue;
    if (limit !== null && !(limit > 0 && Number.isFinite(limit))) {
      throw new RangeError(`budget: ${name} must be more than 0; null is no limit`);
    }
    budget[name] = limit;
  }
  return budget;
}

/** The budget is used up, which ends the run and is never one step's failure. */
export class OutOfBudget extends Error {
  /** @param limit - Which limit it was. */
  constructor(readonly limit: Limit) {
    super(limit);
    this.name = "OutOfBudget";
  }
}

/** Counts what the agents of one run use. */
export class Meter {
  /** The limit that was reached, once one was. */
  out: Limit | undefined;
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
   * @throws OutOfBudget if it may not be made.
   */
  request(): void {
    const { requests, tokens, cost } = this.budget;
    if (requests !== null && this.requests >= requests) this.end("requests");
    if (tokens !== null && this.total >= tokens) this.end("tokens");
    if (cost !== null && this.cost >= cost) this.end("cost");
    this.requests += 1;
  }

  /** A response has come; gives its price, 0 without prices. */
  response(model: string, usage: Tokens): number {
    this.input += usage.inputTokens;
    this.output += usage.outputTokens;
    this.total += usage.totalTokens || usage.inputTokens + usage.outputTokens;
    const price = this.price?.(model, usage) ?? 0;
    this.cost += price;
    const { tokens, cost } = this.budget;
    if (tokens !== null && this.total > tokens) this.out ??= "tokens";
    if (cost !== null && this.cost > cost) this.out ??= "cost";
    return price;
  }

  /**
   * Go on only while no limit was reached.
   *
   * @throws OutOfBudget if one was.
   */
  check(): void {
    if (this.out !== undefined) throw new OutOfBudget(this.out);
  }

  private end(limit: Limit): never {
    this.out ??= limit;
    throw new OutOfBudget(limit);
  }
}
