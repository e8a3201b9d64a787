/** What every check of an expression speaks in: where it stands, what is wrong, the edit. */

import { Speller } from "../diagnostics.js";
import { points, unitsOf } from "./points.js";

/** The fields of a plan that hold an expression. */
export type Field = "bind" | "when" | "for_each" | "output";

/** What a scope is told beside the ids of the steps. */
export interface ScopeOptions {
  /** The field that holds the expression; `bind` unless told. */
  readonly field?: Field;
  /** Whether `item` and `index` are there: in `bind` under `for_each`. */
  readonly hasItem?: boolean;
  /** The names that the host passed as `input`; undefined accepts any. */
  readonly inputs?: readonly string[] | undefined;
}

/** What an expression may name, and where in a plan it stands. */
export class Scope {
  readonly ids: readonly string[];
  readonly field: Field;
  readonly hasItem: boolean;
  readonly inputs: readonly string[] | undefined;
  #speller: Speller | undefined;

  /**
   * @param ids - The ids of the plan's steps.
   */
  constructor(ids: readonly string[], options: ScopeOptions = {}) {
    this.ids = ids;
    this.field = options.field ?? "bind";
    this.hasItem = options.hasItem ?? false;
    this.inputs = options.inputs;
  }

  /** The step's id that was probably meant by a name. */
  closestId(name: string): string | undefined {
    this.#speller ??= new Speller(this.ids);
    return this.#speller.closest(name);
  }
}

/** Why an expression cannot run: a code of the closed list, what, the edit, and where. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** In code points from 0. */
  readonly position: number;
}

/** Replaces the text from `start` to `end`. */
export class Edit {
  constructor(
    readonly start: number,
    readonly end: number,
    readonly text: string,
  ) {}
}

/** A problem in the making: its hint gains the whole text with every edit made. */
export class Fault {
  constructor(
    readonly code: string,
    readonly position: number,
    readonly message: string,
    readonly hint: string,
    readonly edits: readonly Edit[] = [],
  ) {}
}

/**
 * The text with every edit made; of two that overlap, the one that starts first.
 *
 * Of those that start at one place what is put before it comes first, then the longest.
 * What closes something before it comes ahead of what opens something there, and of two
 * that open something the later one, which stands further out.
 */
export function edited(text: string, edits: readonly Edit[]): string {
  const numbered = edits.map((edit, number) => ({ edit, place: placeOf(number, edit) }));
  numbered.sort((left, right) => compared(left.place, right.place));
  let done = "";
  let at = 0;
  for (const { edit } of numbered) {
    if (edit.start < at) continue;
    done += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return done + text.slice(at);
}

function placeOf(number: number, edit: Edit): readonly number[] {
  if (edit.end > edit.start) return [edit.start, 1, -edit.end, 0];
  const opens = edit.text.endsWith("(");
  const closes = edit.text.endsWith(")") && !edit.text.includes("(");
  const rank = closes ? 0 : opens ? 1 : 2;
  return [edit.start, 0, rank, opens ? -number : number];
}

function compared(left: readonly number[], right: readonly number[]): number {
  for (const [at, part] of left.entries()) {
    const difference = part - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const SHOWN = 40;

/** A piece of an expression for a message, cut to 40 code points. */
export function shown(text: string): string {
  if (text.length <= SHOWN || points(text) <= SHOWN) return text;
  return `${text.slice(0, unitsOf(text, SHOWN - 3))}...`;
}
