/**
 * What a walk through nested lists remembers of those that it meets again.
 *
 * What holds one list in many places is small to keep and may be endless to walk through. A
 * walk that counts steps is not made again where its outcome and its steps are known: the
 * steps are taken at once, as many as the walk would take.
 */

import type { State } from "./budget.js";

// Fewer steps than this are sooner walked than remembered.
const LARGE = 64;

/** A walk that ended. */
export interface Walk<T> {
  /** What it took. */
  readonly steps: number;
  /** How deep the list stood. */
  readonly depth: number;
  /** What it gave. */
  readonly outcome: T;
}

/** The walks of one call: lists by identity. */
export class Walks<T> {
  private walks: Map<readonly unknown[], Walk<T>> | undefined;

  /**
   * The steps and the outcome of a walk, if it fits the budget; else it is to be made.
   *
   * @param state - The run, from which nothing is taken yet.
   * @param value - The list.
   * @param depth - How deep it stands: what fitted may be too deep in another place.
   */
  known(state: State, value: readonly unknown[], depth: number): Walk<T> | undefined {
    const seen = this.walks?.get(value);
    if (seen === undefined || depth > seen.depth || state.left < seen.steps) return undefined;
    return seen;
  }

  /** Remember a walk that ended. */
  keep(value: readonly unknown[], steps: number, depth: number, outcome: T): void {
    if (steps < LARGE) return;
    this.walks ??= new Map();
    this.walks.set(value, { steps, depth, outcome });
  }
}
