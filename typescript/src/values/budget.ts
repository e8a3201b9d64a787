/** What one evaluation may use: its steps, and the size of what it makes. */

import type { Code } from "../models.js";
import { numberToText } from "./doubles.js";
import { isContainer, MAX_NESTING, type Members } from "./plain.js";
import { utf8Size } from "./utf8.js";

export { MAX_NESTING };

/** One run's state: what is left of its steps, and what its expression's names stand for. */
export class State {
  /** The steps that are left. */
  left: number;
  /** The expression's own variables, each in a place fixed when it was compiled. */
  readonly places: unknown[];

  /**
   * @param max - The steps that there are.
   * @param root - `$$`.
   * @param given - The variables that the plan gives: `steps`, `input`, `item`, `index`.
   * @param places - How many variables the expression has of its own.
   */
  constructor(
    readonly max: number,
    readonly root: unknown,
    readonly given: Readonly<Members>,
    places: number,
  ) {
    this.left = max;
    this.places = new Array<unknown>(places).fill(undefined);
  }
}

/** Steps that an expression may take where the host sets no limit. */
export const DEFAULT_MAX_STEPS = 10_000_000;

/** Items in a made list. */
export const MAX_LIST = 100_000;

/** Bytes of a made text in UTF-8. */
export const MAX_TEXT = 1_048_576;

/** The whole size of what an expression gives. */
export const MAX_RESULT = 1_000_000;

// A text of fewer units than this cannot fill 64 bytes.
const SHORT = 22;
// A part of a value that is worth remembering when a value is walked through.
const LARGE = 64;

/** An expression failed while it was evaluated. */
export class EvaluationError extends Error {
  override readonly name: string = "EvaluationError";

  /**
   * @param code - `no_value`, `evaluation_failed`, `expression_limit` or `unsafe_number`.
   * @param message - What went wrong.
   * @param hint - The edit that would mend it; may be empty.
   */
  constructor(
    readonly code: Code,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The budget of steps is used up. */
export class OutOfStepsError extends EvaluationError {
  override readonly name: string = "OutOfStepsError";

  /**
   * @param allowed - The steps that there were.
   * @param before - What else they were for, as the message begins.
   */
  constructor(allowed: number, before = "") {
    super(
      "expression_limit",
      `${before}it takes more than ${numberToText(allowed)} steps, ` +
        "which is max_expression_steps",
      "filter the list first, avoid a loop inside a loop, or let a tool do the work",
    );
  }
}

/** An expression that cannot give a value. */
export function failed(message: string, hint: string): EvaluationError {
  return new EvaluationError("evaluation_failed", message, hint);
}

/** The budget of steps is used up. */
export function outOfSteps(state: State): OutOfStepsError {
  return new OutOfStepsError(state.max);
}

/** A made list has too many items. */
export function listTooLong(): EvaluationError {
  return new EvaluationError(
    "expression_limit",
    `it makes a list of more than ${MAX_LIST} items`,
    "filter the list first, or let a tool return less",
  );
}

/** A made text is too long. */
export function textTooLong(): EvaluationError {
  return new EvaluationError(
    "expression_limit",
    `it makes a text of more than ${MAX_TEXT} bytes`,
    "join fewer or shorter texts, or let a tool do the work",
  );
}

/** What an expression gives is too much in all. */
export function resultTooLarge(): EvaluationError {
  return new EvaluationError(
    "expression_limit",
    `it gives more than ${MAX_RESULT} items, members and pieces of 64 bytes of text in all`,
    "give less: filter the list first, or pick the fields that are needed",
  );
}

/** A made value nests too deep. */
export function nestsTooDeep(): EvaluationError {
  return new EvaluationError(
    "expression_limit",
    `it makes a value that nests over ${MAX_NESTING} levels`,
    "put the values side by side in one list",
  );
}

/**
 * Take steps from the budget.
 *
 * @throws EvaluationError if fewer were left.
 */
export function spend(state: State, steps: number): void {
  state.left -= steps;
  if (state.left < 0) throw outOfSteps(state);
}

/** One for each full 64 bytes of UTF-8; half a surrogate pair is three bytes. */
export function textSize(text: string): number {
  return text.length < SHORT ? 0 : Math.floor(utf8Size(text) / 64);
}

/** How many members an object has. */
export function memberCount(value: Members): number {
  return Object.keys(value).length;
}

/** What a value adds for itself: its items, its members, or its text. */
export function size(value: unknown): number {
  if (typeof value === "string") return textSize(value);
  if (typeof value !== "object" || value === null) return 0;
  return isContainer(value) ? length(value) : 0;
}

function length(value: Members | unknown[]): number {
  return Array.isArray(value) ? value.length : memberCount(value);
}

/** What several values add. */
export function sizes(values: readonly unknown[]): number {
  let total = 0;
  for (const value of values) total += size(value);
  return total;
}

/**
 * What a value adds at every depth.
 *
 * What holds one value in many places is small to keep and may be endless to walk through,
 * so larger parts are counted once and remembered.
 *
 * @throws EvaluationError if it nests too deep.
 */
export function deepSize(value: unknown): number {
  if (typeof value === "string") return textSize(value);
  return isContainer(value) ? deep(value, new Map(), 1) : 0;
}

interface Counted {
  readonly total: number;
  readonly depth: number;
}

function deep(value: Members | unknown[], known: Map<object, Counted>, depth: number): number {
  if (depth > MAX_NESTING) throw nestsTooDeep();
  const items = Array.isArray(value) ? value : Object.values(value);
  let total = items.length;
  for (const item of items) {
    if (typeof item === "string") {
      total += textSize(item);
    } else if (typeof item === "object" && item !== null && isContainer(item)) {
      const seen = known.size > 0 ? known.get(item) : undefined;
      // What was found to fit may still stand too deep in another place.
      const fits = seen !== undefined && depth < seen.depth;
      total += fits ? seen.total : deep(item, known, depth + 1);
    }
  }
  if (total >= LARGE) known.set(value, { total, depth });
  return total;
}

/**
 * A list that was made, if it may be so long.
 *
 * @throws EvaluationError if it is too long.
 */
export function madeList<T extends readonly unknown[]>(items: T): T {
  if (items.length > MAX_LIST) throw listTooLong();
  return items;
}

/**
 * A text that was made, if it may be so long.
 *
 * @throws EvaluationError if it is too long.
 */
export function madeText(text: string): string {
  // A UTF-16 unit takes one to three bytes.
  if (text.length > MAX_TEXT) throw textTooLong();
  if (text.length * 3 > MAX_TEXT && utf8Size(text) > MAX_TEXT) throw textTooLong();
  return text;
}
