/**
 * Sorting as the reference does it: a merge sort, each comparison evaluating its keys anew.
 *
 * What is compared with what decides what a sort counts. A key is worked out once for each
 * item, when it is first needed, and counted each time that it is asked for.
 */

import { failed, type State, size, spend } from "../values/budget.js";
import { isNumber } from "../values/doubles.js";
import { filled, kind } from "../values/sequences.js";
import type { Closure } from "./compiling.js";

/** A key of a sort. */
export interface Term {
  readonly closure: Closure;
  /** Whether the largest comes first. */
  readonly descending: boolean;
}

/**
 * The reference's merge sort, which fixes what is compared with what, and when.
 *
 * @param items - At least one item; they stay as they are.
 * @param follows - Whether the first of two items belongs behind the second.
 */
export function mergeSorted<Item>(
  items: readonly Item[],
  follows: (left: Item, right: Item) => boolean,
): Item[] {
  const sorted = filled<Item[]>([], items);
  const spare = sorted.slice();
  sortPart(sorted, spare, 0, items.length, follows);
  return sorted;
}

function sortPart<Item>(
  items: Item[],
  spare: Item[],
  start: number,
  end: number,
  follows: (left: Item, right: Item) => boolean,
): void {
  if (end - start <= 1) {
    return;
  }
  const middle = start + Math.floor((end - start) / 2);
  sortPart(items, spare, start, middle, follows);
  sortPart(items, spare, middle, end, follows);
  for (let at = start; at < end; at += 1) {
    spare[at] = items[at] as Item;
  }
  let left = start;
  let right = middle;
  let at = start;
  while (left < middle && right < end) {
    const first = spare[left] as Item;
    const second = spare[right] as Item;
    if (follows(first, second)) {
      items[at] = second;
      right += 1;
    } else {
      items[at] = first;
      left += 1;
    }
    at += 1;
  }
  while (left < middle) {
    items[at] = spare[left] as Item;
    left += 1;
    at += 1;
  }
  while (right < end) {
    items[at] = spare[right] as Item;
    right += 1;
    at += 1;
  }
}

/**
 * At least two items in the order of their keys.
 *
 * @throws EvaluationError: keys are of kinds that have no order, or a limit is reached.
 */
export function ordered(
  items: readonly unknown[],
  terms: readonly Term[],
  state: State,
): unknown[] {
  const columns = terms.map((term) => new Column(items, term));
  const places = Array.from({ length: items.length }, (_, place) => place);
  const follows = (left: number, right: number): boolean => {
    for (const column of columns) {
      const order = column.compared(left, right, state);
      if (order !== 0) {
        return order > 0;
      }
    }
    return false;
  };
  return mergeSorted(places, follows).map((place) => items[place]);
}

/** The keys of one term: each with what it counts, kept from when it was first needed. */
class Column {
  readonly #items: readonly unknown[];
  readonly #closure: Closure;
  readonly #descending: boolean;
  readonly #keys: unknown[];
  readonly #steps: number[];

  constructor(items: readonly unknown[], term: Term) {
    this.#items = items;
    this.#closure = term.closure;
    this.#descending = term.descending;
    this.#keys = new Array<unknown>(items.length).fill(undefined);
    this.#steps = new Array<number>(items.length).fill(-1);
  }

  /** Above zero where the left item belongs behind the right one; zero for equal keys. */
  compared(left: number, right: number, state: State): number {
    const first = this.#key(left, state);
    const second = this.#key(right, state);
    if (first === undefined || second === undefined) {
      if (first === second) {
        return 0;
      }
      return first === undefined ? 1 : -1;
    }
    if (typeof first === "number" && typeof second === "number") {
      return first === second ? 0 : first > second !== this.#descending ? 1 : -1;
    }
    checkKeys(first, second);
    spend(state, size(first) + size(second));
    if (areSame(first as number, second as number)) {
      return 0;
    }
    const isAbove =
      typeof first === "string" && typeof second === "string"
        ? first > second
        : Number(first) > Number(second);
    return isAbove !== this.#descending ? 1 : -1;
  }

  #key(place: number, state: State): unknown {
    const steps = this.#steps[place] as number;
    if (steps >= 0) {
      spend(state, steps);
      return this.#keys[place];
    }
    const before = state.left;
    const value = this.#closure(this.#items[place], state);
    this.#keys[place] = value;
    this.#steps[place] = before - state.left;
    return value;
  }
}

/** Whether two texts or two numbers are one; a double and a bigint are compared exactly. */
function areSame(first: number, second: number): boolean {
  return !(first < second || first > second);
}

function checkKeys(first: unknown, second: unknown): void {
  for (const value of [first, second]) {
    if (typeof value !== "string" && !isNumber(value)) {
      throw failed(
        `a sort compares numbers or texts, and one of its keys is ${kind(value)}`,
        "sort by a number or a text, as in x^(name)",
      );
    }
  }
  if ((typeof first === "string") !== (typeof second === "string")) {
    throw failed(
      `a sort compares ${kind(first)} with ${kind(second)}`,
      "make all its keys numbers with $number(...), or texts with $string(...)",
    );
  }
}
