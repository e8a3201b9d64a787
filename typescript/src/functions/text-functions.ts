/** The listed functions about text. */

import {
  deepSize,
  type EvaluationError,
  failed,
  MAX_TEXT,
  madeText,
  type State,
  size,
  spend,
  textTooLong,
} from "../values/budget.js";
import type { Numeric } from "../values/doubles.js";
import { RootList } from "../values/sequences.js";
import { written } from "../values/text.js";
import { codePoints, hasPairs } from "../values/utf8.js";

const SPACE = /[ \t\n\r]+/g;
const ENDS = /^ | $/g;
const PRETTY = 2;
const TEXT_OF_NOTHING = "undefined";

/** `$string`: a text as it is, all else as JSON; `pretty` spreads it over lines. */
export function string(
  state: State,
  value: unknown,
  pretty: boolean | undefined,
): string | undefined {
  if (value === undefined) {
    return undefined;
  }
  const given = value instanceof RootList ? value[0] : value;
  spend(state, deepSize(given));
  const text = written(state, given, pretty ? PRETTY : 0);
  spend(state, size(text));
  return text;
}

/** `$length`: how many code points. */
export function length(_state: State, text: string | undefined): number | undefined {
  return text === undefined ? undefined : codePoints(text);
}

/** `$substring`: so many code points from a place, which may count from the end. */
export function substring(
  _state: State,
  text: string | undefined,
  start: Numeric | undefined,
  count: Numeric | undefined,
): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (start === undefined) {
    // The reference's arithmetic with nothing: all of the text, or none of it.
    return count === undefined ? text : "";
  }
  const points = hasPairs(text) ? Array.from(text) : undefined;
  const size = points === undefined ? text.length : points.length;
  const given = Number(start);
  const begin = size + given < 0 ? 0 : given;
  let end = size;
  if (count !== undefined) {
    const many = Number(count);
    if (many <= 0) {
      return "";
    }
    end = begin >= 0 ? begin + many : size + begin + many;
  }
  return points === undefined ? text.slice(begin, end) : points.slice(begin, end).join("");
}

/** `$substringBefore`: what stands before a mark, or all. */
export function substringBefore(
  _state: State,
  text: string | undefined,
  mark: string | undefined = TEXT_OF_NOTHING,
): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** `$substringAfter`: what stands after a mark, or all. */
export function substringAfter(
  _state: State,
  text: string | undefined,
  mark: string | undefined,
): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (mark === undefined) {
    if (text.includes(TEXT_OF_NOTHING)) {
      throw missing("substringAfter", 2);
    }
    return text;
  }
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(at + mark.length);
}

/** `$lowercase`. */
export function lowercase(_state: State, text: string | undefined): string | undefined {
  return text === undefined ? undefined : madeText(text.toLowerCase());
}

/** `$uppercase`. */
export function uppercase(_state: State, text: string | undefined): string | undefined {
  return text === undefined ? undefined : madeText(text.toUpperCase());
}

/** `$trim`: no space at the ends, and one in place of several. */
export function trim(_state: State, text: string | undefined): string | undefined {
  return text?.replace(SPACE, " ").replace(ENDS, "");
}

/** `$pad`: at least so many code points; below zero the filling comes first. */
export function pad(
  _state: State,
  text: string | undefined,
  width: Numeric | undefined,
  filler: string | undefined,
): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const wanted = Number(width ?? 0);
  const lacking = Math.trunc(Math.abs(wanted)) - codePoints(text);
  if (lacking <= 0) {
    return text;
  }
  if (lacking > MAX_TEXT) {
    throw textTooLong();
  }
  const unit = filler || " ";
  const points = Array.from(unit);
  const rest = points.slice(0, lacking % points.length).join("");
  const filling = unit.repeat(Math.floor(lacking / points.length)) + rest;
  return madeText(wanted > 0 ? text + filling : filling + text);
}

/** An argument that matches nothing, where that is an error. */
export function missing(name: string, place: number): EvaluationError {
  return failed(`argument ${place} of $${name} matches nothing`, "give a default with `??`");
}

/** `$join`: texts behind one another, a separator between them. */
export function join(
  _state: State,
  texts: readonly string[] | undefined,
  separator = "",
): string | undefined {
  if (texts === undefined) {
    return undefined;
  }
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length + separator.length * (texts.length - 1) > MAX_TEXT) {
    throw textTooLong();
  }
  return madeText(texts.join(separator));
}
