/**
 * What a host's policy says about one tool: how it may be retried, and what it does.
 *
 * The policy itself is data (`models.Policy`). Its `retry` and `effects` are keyed by a tool's
 * name or by a pattern, in which `*` stands for any run of characters. Objects have no order,
 * so of several patterns that fit, the one with the most literal characters counts, and of
 * equals the first by code point.
 */

import type { Effect, Policy, Retry } from "./models.js";
import { codePoints } from "./values/index.js";
import { byCodePoint } from "./wire/strings.js";

/** How a tool is called that is never retried. */
export const ONCE: Retry = { attempts: 1, backoff_s: 0 };

const MOST_DOUBLINGS = 60;

/** What the host declares a tool to do; undefined for a tool it does not declare. */
export function effectOf(policy: Policy, tool: string): Effect | undefined {
  return named(policy.effects, tool) ?? byPattern(policy.effects, tool);
}

/**
 * How often a tool may be called in all, and how long to wait in between.
 *
 * A tool that may write, which is one not declared `read`, is retried only if `retry` has its
 * very name: a pattern says too little to repeat an effect.
 */
export function retryFor(policy: Policy, tool: string): Retry {
  const own = named(policy.retry, tool);
  if (own !== undefined) return own;
  if (Object.keys(policy.retry).length === 0 || effectOf(policy, tool) !== "read") return ONCE;
  return byPattern(policy.retry, tool) ?? ONCE;
}

/** Seconds between a failed attempt (from 1) and the next: doubling, without jitter. */
export function backoffAfter(retry: Retry, attempt: number): number {
  // Beyond that the wait is longer than any run, and a double would overflow in the end.
  return retry.backoff_s * 2 ** Math.min(attempt - 1, MOST_DOUBLINGS);
}

/** Whether a name fits a pattern; `*` is any run of characters and all else is itself. */
export function matches(pattern: string, name: string): boolean {
  const [first = "", ...middle] = pattern.split("*");
  const last = middle.pop();
  if (last === undefined) return pattern === name;
  if (
    name.length < first.length + last.length ||
    !name.startsWith(first) ||
    !name.endsWith(last)
  ) {
    return false;
  }
  const end = name.length - last.length;
  let at = first.length;
  for (const part of middle) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** What a table has under the very name of a tool. */
function named<Entry>(table: Readonly<Record<string, Entry>>, tool: string): Entry | undefined {
  return Object.hasOwn(table, tool) ? table[tool] : undefined;
}

function byPattern<Entry>(
  table: Readonly<Record<string, Entry>>,
  tool: string,
): Entry | undefined {
  const [best] = Object.keys(table)
    .filter((key) => key.includes("*") && matches(key, tool))
    .sort((one, other) => literals(other) - literals(one) || byCodePoint(one, other));
  return best === undefined ? undefined : table[best];
}

/** How many characters of a pattern stand for themselves. */
function literals(pattern: string): number {
  return codePoints(pattern) - (pattern.split("*").length - 1);
}
