/**
 * The listed functions that look for something in a text: a text, or a regular expression.
 *
 * `$match` takes a regular expression only; `$contains`, `$split` and `$replace` take both,
 * and do with a text what the reference does with it.
 */

import {
  failed,
  MAX_LIST,
  MAX_TEXT,
  madeList,
  madeText,
  type State,
  spend,
  textTooLong,
} from "../values/budget.js";
import { type Numeric, tidy } from "../values/doubles.js";
import { kind, Sequence } from "../values/sequences.js";
import { type Charge, type Match, Pattern } from "./pattern-search.js";
import * as patterns from "./patterns.js";
import { FunctionValue } from "./signatures.js";
import { missing } from "./text-functions.js";

const TEXT_OF_NOTHING = "undefined";

function charging(state: State): Charge {
  return (steps) => spend(state, steps);
}

/** `$contains`: whether a text or a regular expression is found in a text. */
export function contains(
  state: State,
  text: string | undefined,
  pattern: string | Pattern | undefined,
): boolean | undefined {
  if (text === undefined || pattern === undefined) {
    return undefined;
  }
  if (pattern instanceof Pattern) {
    return patterns.contains(text, pattern, charging(state));
  }
  return text.includes(pattern);
}

/** `$match`: for each match its text, where it begins, and what its groups hold. */
export function match(
  state: State,
  text: string | undefined,
  pattern: Pattern,
  limit: Numeric | undefined,
): Sequence | undefined {
  if (text === undefined) {
    return undefined;
  }
  const most = limited("match", 3, limit);
  const found = new Sequence();
  const every = patterns.matches(text, pattern, most, charging(state));
  for (const each of every) {
    found[found.length] = { match: each.text, index: each.start, groups: [...each.groups] };
  }
  return found;
}

/** `$split`: the parts between separators, or the UTF-16 units; at most so many. */
export function split(
  state: State,
  text: string | undefined,
  separator: string | Pattern | undefined,
  limit: Numeric | undefined,
): string[] | undefined {
  if (text === undefined) {
    return undefined;
  }
  const most = limited("split", 3, limit);
  if (most === 0) {
    return [];
  }
  if (separator === undefined) {
    throw missing("split", 2);
  }
  if (separator instanceof Pattern) {
    return patterns.split(text, separator, most, charging(state));
  }
  // The reference hands the limit to ECMAScript, which cuts it to 32 bits.
  const cut = limit === undefined ? MAX_LIST + 1 : Number(limit) >>> 0;
  return madeList(text.split(separator, Math.min(cut, MAX_LIST + 1)));
}

/** `$replace`: another text in place of each occurrence, or of so many. */
export function replace(
  state: State,
  text: string | undefined,
  pattern: string | Pattern | undefined,
  replacement: string | FunctionValue | undefined,
  limit: Numeric | undefined,
): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (pattern === "") {
    throw failed(
      "argument 2 of $replace must not be an empty text",
      "write the text to replace",
    );
  }
  const most = limited("replace", 4, limit);
  if (most === 0) {
    return text;
  }
  if (pattern === undefined) {
    throw missing("replace", 2);
  }
  if (pattern instanceof Pattern) {
    const given =
      typeof replacement === "string"
        ? replacement
        : (found: Match) => givenFor(replacement, found);
    return patterns.replace(text, pattern, given, most, charging(state));
  }
  return replaced(text, pattern, replacement, most);
}

/** What a function gives for a match. */
function givenFor(callee: FunctionValue | undefined, found: Match): string {
  if (callee === undefined) {
    throw missing("replace", 3);
  }
  const whole = {
    match: found.text,
    start: found.start,
    end: found.end,
    groups: [...found.groups],
  };
  const given = callee.each(whole, undefined, undefined);
  if (typeof given !== "string") {
    throw failed(
      `the function of $replace must give a text, and it gives ${kind(given)}`,
      "make a text of it with $string(...)",
    );
  }
  return given;
}

function replaced(
  text: string,
  pattern: string,
  replacement: string | FunctionValue | undefined,
  most: number | undefined,
): string {
  let at = text.indexOf(pattern);
  if (at < 0) {
    return text;
  }
  if (replacement instanceof FunctionValue) {
    throw failed(
      "$replace calls a function for the matches of a regular expression only",
      "give it a text to put in place of the other",
    );
  }
  const other = replacement ?? TEXT_OF_NOTHING;
  let made = "";
  let from = 0;
  for (let times = 0; at >= 0 && (most === undefined || times < most); times += 1) {
    made += text.slice(from, at) + other;
    from = at + pattern.length;
    if (made.length > MAX_TEXT) {
      throw textTooLong();
    }
    at = text.indexOf(pattern, from);
  }
  return madeText(made + text.slice(from));
}

/** How often at most; undefined for as often as there is. */
function limited(name: string, place: number, limit: Numeric | undefined): number | undefined {
  if (limit === undefined) {
    return undefined;
  }
  const most = Number(limit);
  if (most < 0) {
    throw failed(
      `argument ${place} of $${name} must not be below zero`,
      "leave it out for no limit",
    );
  }
  return tidy(Math.ceil(most));
}
