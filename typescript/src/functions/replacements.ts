/** What `$replace` puts in place of a match: a text with `$1`, `$0` and `$$` in it. */

import { MAX_TEXT, textTooLong } from "../values/budget.js";
import { codePoints } from "../values/utf8.js";
import type { Match } from "./pattern-search.js";
import { SPACE } from "./pattern-sets.js";

/** A replacement, read once for all matches of a pattern. */
export class Replacement {
  /** Whether it puts in what a group holds. */
  readonly usesGroups: boolean;
  private readonly pieces: readonly (string | number)[];
  private readonly own: number;

  /**
   * @param source - As written.
   * @param groups - How many groups with a number the pattern has.
   */
  constructor(source: string, groups: number) {
    this.pieces = joined(parts(source, groups));
    this.own = 0;
    this.usesGroups = false;
    for (const piece of this.pieces) {
      if (typeof piece === "string") this.own += codePoints(piece);
      else if (piece > 0) this.usesGroups = true;
    }
  }

  /** Of how many pieces what it makes is put together. */
  get parts(): number {
    return this.pieces.length;
  }

  /**
   * What takes the place of a match.
   *
   * @throws EvaluationError if it is longer than a text may be.
   */
  text(match: Match): string {
    let length = this.own;
    let made = "";
    const lengths = new Map<number, number>();
    for (const piece of this.pieces) {
      if (typeof piece === "string") {
        made += piece;
        continue;
      }
      const held = textOf(match, piece);
      const size = lengths.get(piece) ?? codePoints(held);
      lengths.set(piece, size);
      length += size;
      if (length > MAX_TEXT) throw textTooLong();
      made += held;
    }
    if (length > MAX_TEXT) throw textTooLong();
    return made;
  }
}

function textOf(match: Match, group: number): string {
  return group === 0 ? match.text : (match.groups[group - 1] ?? "");
}

function joined(parts: Iterable<string | number>): (string | number)[] {
  const made: (string | number)[] = [];
  for (const part of parts) {
    const before = made.at(-1);
    if (typeof part === "string" && typeof before === "string") {
      made[made.length - 1] = before + part;
    } else {
      made.push(part);
    }
  }
  return made;
}

/** Texts, and the numbers of groups; 0 is the whole match. */
function* parts(source: string, groups: number): Generator<string | number, void> {
  let at = 0;
  for (let dollar = source.indexOf("$"); dollar >= 0; dollar = source.indexOf("$", at)) {
    yield source.slice(at, dollar);
    at = dollar + 1;
    const after = source[at];
    if (after === "$") {
      yield "$";
      at += 1;
    } else if (after === "0") {
      yield 0;
      at += 1;
    } else {
      const group = groupNumber(source, at, groups);
      if (group === undefined) {
        yield "$";
        continue;
      }
      if (group >= 1 && group <= groups) yield group;
      at += String(group).length;
    }
  }
  yield source.slice(at);
}

/**
 * The number of a group after a `$`, if there is one.
 *
 * It has as many digits as the number of groups has, or one less if that is too large.
 */
function groupNumber(source: string, at: number, groups: number): number | undefined {
  const digits = String(groups).length;
  const number = parsed(source.slice(at, at + digits));
  if (digits > 1 && number !== undefined && number > groups) {
    return parsed(source.slice(at, at + digits - 1));
  }
  return number;
}

/** A whole number as `parseInt` reads it: blanks and a sign may come first. */
function parsed(text: string): number | undefined {
  let at = 0;
  while (isSpace(text.charCodeAt(at))) at += 1;
  const number = /^[+-]?[0-9]+/.exec(text.slice(at));
  // A zero with a sign before it is written out without one.
  return number === null ? undefined : Number(number[0]) + 0;
}

function isSpace(code: number): boolean {
  return SPACE.some(([first, last]) => first <= code && code <= last);
}
