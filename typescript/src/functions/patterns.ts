/** Regular expressions in `$contains`, `$match`, `$split` and `$replace`. */

import { listTooLong, MAX_LIST, MAX_TEXT, madeText, textTooLong } from "../values/budget.js";
import { codePoints } from "../values/utf8.js";
import { type Charge, free, type Match, type Pattern } from "./pattern-search.js";
import { Replacement } from "./replacements.js";

export { type Charge, type Match, Pattern, type PatternFlags } from "./pattern-search.js";

const PARTS_OF_A_STEP = 8;
/** Steps of each match that is given as an object. */
const GIVEN = 32;

/** `$contains`: whether a pattern matches anywhere in a text. */
export function contains(text: string, pattern: Pattern, charge: Charge = free): boolean {
  return pattern.found(text, charge);
}

/**
 * `$match`: the matches of a pattern in a text.
 *
 * @param text - Where to look.
 * @param pattern - What to look for.
 * @param limit - How many at most; undefined for all.
 * @param charge - Takes the steps that it needs.
 * @throws EvaluationError if a match after the first is empty (also the one after the last
 *   that is wanted), or there are more than a list may hold.
 */
export function matches(
  text: string,
  pattern: Pattern,
  limit?: number,
  charge: Charge = free,
): Match[] {
  if (limit === 0) return [];
  const found: Match[] = [];
  for (const match of pattern.search(text, { charge })) {
    // As in the reference, the match after the last one wanted is searched for too.
    if (limit !== undefined && found.length >= limit) break;
    charge(GIVEN);
    found.push(match);
    if (found.length > MAX_LIST) throw listTooLong();
  }
  return found;
}

/**
 * `$split`: the pieces of a text between the matches of a pattern.
 *
 * @param text - What to split.
 * @param pattern - What stands between the pieces.
 * @param limit - How many pieces at most; undefined for all.
 * @param charge - Takes the steps that it needs.
 * @throws EvaluationError as for `matches`.
 */
export function split(
  text: string,
  pattern: Pattern,
  limit?: number,
  charge: Charge = free,
): string[] {
  if (limit === 0) return [];
  const pieces: string[] = [];
  let start = 0;
  for (const match of pattern.search(text, { groups: false, charge })) {
    if (limit !== undefined && pieces.length >= limit) break;
    pieces.push(text.slice(start, match.from));
    start = match.to;
    if (pieces.length > MAX_LIST) throw listTooLong();
  }
  if (limit === undefined || pieces.length < limit) pieces.push(text.slice(start));
  if (pieces.length > MAX_LIST) throw listTooLong();
  return pieces;
}

/**
 * `$replace`: a text with the matches of a pattern replaced.
 *
 * @param text - The text.
 * @param pattern - What to replace.
 * @param replacement - What to put there, with `$1` for a group, `$0` for the match and `$$`
 *   for a dollar sign; or what gives the text for a match.
 * @param limit - How many at most; undefined for all.
 * @param charge - Takes the steps that it needs.
 * @throws EvaluationError as for `matches`; or the text becomes too long.
 */
export function replace(
  text: string,
  pattern: Pattern,
  replacement: string | ((match: Match) => string),
  limit?: number,
  charge: Charge = free,
): string {
  if (limit === 0) return text;
  let put = replacement;
  let groups = true;
  let work = 0;
  if (typeof put === "string") {
    const template = new Replacement(put, pattern.groups);
    put = (match) => template.text(match);
    groups = template.usesGroups;
    work = Math.floor(template.parts / PARTS_OF_A_STEP);
  }
  let made = "";
  let done = 0;
  let start = 0;
  // Halves of a pair that meet become shorter, so what is too long is seen at the end.
  let room = MAX_TEXT + MAX_TEXT / 2;
  for (const match of pattern.search(text, { groups, charge })) {
    if (limit !== undefined && done >= limit) break;
    charge(work);
    const before = text.slice(start, match.from);
    const after = put(match);
    made += before + after;
    start = match.to;
    room -= codePoints(before) + codePoints(after);
    if (room < 0) throw textTooLong();
    done += 1;
  }
  return done === 0 ? text : madeText(made + text.slice(start));
}
