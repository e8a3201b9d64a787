/** The listed functions that write a value in another form: encodings, dates, pictures. */

import { madeText, type State, spend } from "../values/budget.js";
import type { Numeric } from "../values/doubles.js";
import { codePoints } from "../values/utf8.js";
import * as dates from "./dates.js";
import * as encodings from "./encodings.js";
import { formatNumber as pictured } from "./number-pictures.js";
import { missing } from "./text-functions.js";

const PICTURE_STEPS = 64;
const DATE_STEPS = 16;
const LETTERS_OF_A_STEP = 8;

/** A listed function of one text. */
type OfText = (state: State, text: string | undefined) => string | undefined;

function ofText(code: (text: string) => string): OfText {
  return (state, text) => {
    if (text === undefined) return undefined;
    spend(state, codePoints(text));
    return madeText(code(text));
  };
}

/** `$base64encode`. */
export const base64Encode = ofText(encodings.base64Encode);

/** `$base64decode`. */
export const base64Decode = ofText(encodings.base64Decode);

/** `$encodeUrlComponent`. */
export const encodeUrlComponent = ofText(encodings.encodeUrlComponent);

/** `$encodeUrl`. */
export const encodeUrl = ofText(encodings.encodeUrl);

/** `$decodeUrlComponent`. */
export const decodeUrlComponent = ofText(encodings.decodeUrlComponent);

/** `$decodeUrl`. */
export const decodeUrl = ofText(encodings.decodeUrl);

/** `$toMillis`: the milliseconds from 1970 to a date. */
export function toMillis(state: State, date: string | undefined): number | undefined {
  if (date === undefined) return undefined;
  spend(state, DATE_STEPS + Math.floor(codePoints(date) / LETTERS_OF_A_STEP));
  return dates.toMillis(date);
}

/** `$fromMillis`: the date so many milliseconds after 1970. */
export function fromMillis(state: State, millis: Numeric | undefined): string | undefined {
  if (millis === undefined) return undefined;
  spend(state, DATE_STEPS);
  return dates.fromMillis(millis);
}

/** `$formatNumber`: a number as a picture shows it. */
export function formatNumber(
  state: State,
  number: Numeric | undefined,
  picture: string | undefined,
): string | undefined {
  if (number === undefined) return undefined;
  if (picture === undefined) throw missing("formatNumber", 2);
  spend(state, PICTURE_STEPS);
  return pictured(number, picture);
}
