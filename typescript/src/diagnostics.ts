/**
 * What is wrong with a plan: a code, where, what, and the edit that would mend it.
 *
 * Checks gather findings; `ordered` puts them into the order of the document and gives each
 * code once for each place. All text is made of parts that read alike in every language:
 * names in JSON quotes, numbers as JSON, never a type name of JavaScript.
 */

import type { Code, Diagnostic } from "./models.js";

/** Where something stands in a plan: names of members and indexes of items, from the root. */
export type Path = readonly (string | number)[];

/** A diagnostic in the making. */
export interface Finding {
  /** Its code. */
  readonly code: Code;
  /** Where it stands in the repaired plan. */
  readonly path: Path;
  /** What is wrong. */
  readonly message: string;
  /** The edit that mends it. */
  readonly hint: string;
  /**
   * What the exception of its family is made from, in the order of that exception's
   * arguments.
   */
  readonly subject?: readonly unknown[];
}

const SURROGATE = /[\ud800-\udfff]/gu;
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
const LAST_INDEX = 2 ** 32 - 2;
const SHOWN_CHARACTERS = 80;
const SHOWN_NAMES = 20;
const BUDGET = 300_000;
const DISTANCE_COST = 20;

/** The JSON Pointer (RFC 6901) of a place; `""` is the whole plan. */
export function pointer(parts: Iterable<string | number>): string {
  let made = "";
  for (const part of parts) {
    made += `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return made;
}

/** One diagnostic, its place given as parts. */
export function diagnostic(
  code: Code,
  path: Iterable<string | number>,
  message: string,
  hint: string,
): Diagnostic {
  return { code, path: pointer(path), message, hint };
}

/** The findings as a caller sees them. */
export function diagnosticsOf(findings: readonly Finding[]): readonly Diagnostic[] {
  return findings.map(({ code, path, message, hint }) => diagnostic(code, path, message, hint));
}

/**
 * Findings by their place in the document, then by code; each code once for a place.
 *
 * Items of an array stand by index, members of an object in the object's own order, and
 * what holds something stands before it. Of findings with one code and place the first given
 * is kept, so whoever reads a text gives them from left to right.
 */
export function ordered(findings: Iterable<Finding>, document: unknown): readonly Finding[] {
  const kept = new Map<string, Finding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.code, ...finding.path]);
    if (!kept.has(key)) kept.set(key, finding);
  }
  const places = new Map<object, ReadonlyMap<unknown, number>>();
  return [...kept.values()]
    .map((finding) => ({ finding, position: position(finding.path, document, places) }))
    .sort(
      (first, second) =>
        compared(first.position, second.position) ||
        byUnit(first.finding.code, second.finding.code),
    )
    .map(({ finding }) => finding);
}

function position(
  path: Path,
  document: unknown,
  places: Map<object, ReadonlyMap<unknown, number>>,
): readonly number[] {
  const made: number[] = [];
  let here = document;
  for (const part of path) {
    if (Array.isArray(here) && typeof part === "number" && part < here.length) {
      made.push(part);
      here = here[part];
    } else if (typeof here === "object" && here !== null && !Array.isArray(here)) {
      let known = places.get(here);
      if (known === undefined) {
        known = new Map(Object.keys(here).map((name, at) => [name, at]));
        places.set(here, known);
      }
      made.push(known.get(part) ?? known.size);
      here = known.has(part) ? (here as Record<string, unknown>)[part] : undefined;
    } else {
      made.push(typeof part === "number" ? part : 0);
      here = undefined;
    }
  }
  return made;
}

/** As tuples are compared: the first difference decides, and else what is shorter is less. */
function compared(first: readonly number[], second: readonly number[]): number {
  for (const [at, place] of first.entries()) {
    const other = second[at];
    if (other === undefined) return 1;
    if (place !== other) return place - other;
  }
  return first.length - second.length;
}

function byUnit(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The keys of an object as ECMAScript has them: array indexes ascending, then as given. */
export function keyOrder(keys: Iterable<string>): string[] {
  const every = [...keys];
  const indexes = every.filter(isIndex);
  if (indexes.length === 0) return every;
  indexes.sort((first, second) => Number(first) - Number(second));
  return [...indexes, ...every.filter((key) => !isIndex(key))];
}

function isIndex(key: string): boolean {
  return INDEX.test(key) && Number(key) <= LAST_INDEX;
}

/** A text that JSON can carry in every language: a lone half of a character is replaced. */
export function wellFormed(text: string): string {
  return text.replace(SURROGATE, "\ufffd");
}

/** A text as JSON, cut to 80 characters: for messages, which repeat what was written. */
export function quoted(text: string): string {
  // Messages travel as UTF-8, which has no half of a surrogate pair.
  let shown = wellFormed(text);
  if (shown.length > SHOWN_CHARACTERS) {
    const letters = Array.from(cut(shown, SHOWN_CHARACTERS + 1));
    if (letters.length > SHOWN_CHARACTERS) {
      shown = `${letters.slice(0, SHOWN_CHARACTERS - 3).join("")}...`;
    }
  }
  return JSON.stringify(shown);
}

/** What surely holds the first so many code points of a text, if it has as many. */
function cut(text: string, letters: number): string {
  return text.slice(0, 2 * letters);
}

/** Names for a reader: quoted, separated by commas, at most the first 20. */
export function listing(names: Iterable<string>): string {
  const every = [...names];
  const shown = every.slice(0, SHOWN_NAMES).map(quoted).join(", ");
  const rest = every.length - SHOWN_NAMES;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** Names to choose from: `"a"`, or `one of "a", "b"`. */
export function anyOf(names: Iterable<string>): string {
  const every = [...names];
  const [only] = every;
  return every.length === 1 && only !== undefined ? quoted(only) : `one of ${listing(every)}`;
}

/**
 * The candidate that was probably meant, or undefined.
 *
 * It is the one of least Levenshtein distance by code point, at most a third of the written
 * name's length, rounded down; of equals the first listed.
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  return new Speller(candidates).closest(name);
}

/** A name as code points, and which letters it has. */
interface Spelled {
  readonly name: string;
  readonly points: readonly number[];
  readonly letters: number;
}

/**
 * Finds the closest of one list of names, again and again.
 *
 * A plan may misspell ten thousand names, each to be compared with ten thousand, so there is
 * a budget: looking at a candidate costs 1, and the distance, where length and letters do
 * not rule it out, 20 more. Once 300,000 are spent nothing is close any more.
 */
export class Speller {
  private readonly candidates: readonly string[];
  private spelled: readonly Spelled[] | undefined;
  private readonly found = new Map<string, string | undefined>();
  private left = BUDGET;

  /** @param candidates - The names, in the order in which equals are preferred. */
  constructor(candidates: Iterable<string>) {
    this.candidates = [...candidates];
  }

  /** The closest candidate to `name` other than `but`, or undefined. */
  closest(name: string, but?: string): string | undefined {
    const key = JSON.stringify(but === undefined ? [name] : [name, but]);
    if (!this.found.has(key)) this.found.set(key, this.search(name, but));
    return this.found.get(key);
  }

  private search(name: string, but: string | undefined): string | undefined {
    const mine = spelled(name);
    const size = mine.points.length;
    let limit = Math.floor(size / 3);
    let best: string | undefined;
    if (limit === 0 || this.left <= 0) return undefined;
    this.left -= this.candidates.length;
    this.spelled ??= this.candidates.map(spelled);
    for (const other of this.spelled) {
      if (Math.abs(other.points.length - size) > limit || other.name === but) continue;
      const missing = bitCount(mine.letters & ~other.letters);
      if (Math.max(missing, bitCount(other.letters & ~mine.letters)) > limit) continue;
      this.left -= DISTANCE_COST;
      const distance = distanceUpTo(limit, mine.points, other.points);
      if (distance <= limit) {
        best = other.name;
        limit = distance - 1;
        if (limit <= 0) break;
      }
    }
    return best;
  }
}

/** The letters stand as bits: two names differ by at least the bits that one lacks. */
function spelled(name: string): Spelled {
  const points = Array.from(name, (letter) => letter.codePointAt(0) ?? 0);
  const letters = points.reduce((bits, point) => bits | (1 << (point & 31)), 0);
  return { name, points, letters };
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Levenshtein distance, or some number above `limit` where it is more than that. */
function distanceUpTo(
  limit: number,
  first: readonly number[],
  second: readonly number[],
): number {
  const width = second.length;
  const far = limit + 1;
  let row = new Int32Array(width + 1).map((_, at) => Math.min(at, far));
  let next = new Int32Array(width + 1);
  for (const [line, letter] of first.entries()) {
    // Only what lies near the diagonal can still be within the limit.
    const start = Math.max(1, line + 1 - limit);
    const end = Math.min(width, line + 1 + limit);
    let cost = start === 1 ? Math.min(line + 1, far) : far;
    let least = cost;
    next[start - 1] = cost;
    for (let at = start; at <= end; at += 1) {
      const replaced = (row[at - 1] ?? far) + (second[at - 1] === letter ? 0 : 1);
      const gone = (row[at] ?? far) + 1;
      cost = Math.min(replaced, gone, cost + 1);
      next[at] = cost;
      least = Math.min(least, cost);
    }
    if (least > limit) return far;
    if (end < width) next[end + 1] = far;
    [row, next] = [next, row];
  }
  return row[width] ?? far;
}
