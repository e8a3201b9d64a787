/** The listed functions about numbers. */

import { failed, type State, spend } from "../values/budget.js";
import {
  double,
  EXACT_LIMIT,
  halfEven,
  isNumber,
  type Numeric,
  numberToText,
  tidy,
} from "../values/doubles.js";
import { power as raised } from "../values/power.js";
import { codePoints } from "../values/utf8.js";
import { finite } from "./operators.js";

const DECIMAL = /^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$/;
// The reference's own test of the other bases looks at one end of the text or at neither.
const OTHER_BASE = /^0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+$/;
const LITERAL = /^(?:0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+)$/;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const MAX_BASE = 36;
const POWER_STEPS = 16;

/** A list of numbers as an argument. */
type Numbers = readonly Numeric[] | undefined;

/** `$sum`: added from left to right. */
export function total(_state: State, numbers: Numbers): number | undefined {
  return numbers === undefined ? undefined : finite(sum(numbers), "$sum");
}

function sum(numbers: readonly Numeric[]): number {
  let result = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    result += Number(numbers[at]);
  }
  return result;
}

/** `$average`. */
export function average(_state: State, numbers: Numbers): number | undefined {
  if (numbers === undefined || numbers.length === 0) {
    return undefined;
  }
  return finite(sum(numbers) / numbers.length, "$average");
}

/** `$max`. */
export function largest(_state: State, numbers: Numbers): number | undefined {
  return extreme(numbers, (number, best) => number > best);
}

/** `$min`. */
export function smallest(_state: State, numbers: Numbers): number | undefined {
  return extreme(numbers, (number, best) => number < best);
}

function extreme(
  numbers: Numbers,
  beats: (number: Numeric, best: Numeric) => boolean,
): number | undefined {
  let best = numbers?.[0];
  if (numbers === undefined || best === undefined) {
    return undefined;
  }
  for (let at = 1; at < numbers.length; at += 1) {
    const number = numbers[at] as Numeric;
    if (beats(number, best)) {
      best = number;
    }
  }
  return double(best);
}

/** `$number`: of a text of digits, a boolean or a number. */
export function number(
  state: State,
  value: Numeric | string | boolean | undefined,
): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (isNumber(value)) {
    return double(value);
  }
  if (typeof value === "boolean") {
    return value ? 1 : 0;
  }
  // Some texts take their length many times over until the nearest double is found.
  spend(state, codePoints(value));
  if (DECIMAL.test(value)) {
    const result = Number(value);
    if (Number.isFinite(result)) {
      return tidy(result);
    }
  } else if (OTHER_BASE.test(value)) {
    const bare = value.trim();
    if (LITERAL.test(bare)) {
      return finite(Number(bare), "$number");
    }
  }
  throw failed(
    "$number is given a text that is no number",
    'test it first, or give it digits alone, as in "-12.5"',
  );
}

/** A function of one number that gives one. */
function ofNumber(
  compute: (value: number) => number,
): (state: State, value: Numeric | undefined) => number | undefined {
  return (_state, value) => (value === undefined ? undefined : tidy(compute(Number(value))));
}

/** `$abs`. */
export const absolute = ofNumber(Math.abs);

/** `$floor`. */
export const floor = ofNumber(Math.floor);

/** `$ceil`. */
export const ceil = ofNumber(Math.ceil);

/** `$round`: to so many places, ties to even. */
export function round(
  _state: State,
  value: Numeric | undefined,
  places: Numeric = 0,
): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  return finite(halfEven(double(value), double(places)), "$round");
}

/** `$sqrt`. */
export function sqrt(_state: State, value: Numeric | undefined): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const number = double(value);
  if (number < 0) {
    throw failed(
      `$sqrt is given ${numberToText(number)}, which is below zero`,
      "test it first",
    );
  }
  return Math.sqrt(number);
}

/** `$power`. */
export function power(
  state: State,
  base: Numeric | undefined,
  exponent: Numeric | undefined,
): number | undefined {
  if (base === undefined) {
    return undefined;
  }
  spend(state, POWER_STEPS);
  const result = exponent === undefined ? Number.NaN : raised(base, exponent);
  return finite(result, "$power");
}

/** `$formatBase`: the digits of a rounded number in a base from 2 to 36. */
export function formatBase(
  state: State,
  value: Numeric | undefined,
  base: Numeric = 10,
): string | undefined {
  if (value === undefined) {
    return undefined;
  }
  const whole = halfEven(double(value), 0);
  const radix = halfEven(double(base), 0);
  if (!(radix >= 2 && radix <= MAX_BASE)) {
    throw failed(
      `the base of $formatBase is ${numberToText(radix)}`,
      "give a base from 2 to 36",
    );
  }
  const digits =
    radix === 10
      ? numberToText(whole)
      : (whole < 0 ? "-" : "") + inBase(Math.abs(whole), radix);
  spend(state, digits.length);
  return digits;
}

/** The digits of a whole number; the last ones of a large one are zeros, as in V8. */
function inBase(whole: number, radix: number): string {
  let digits = "";
  let rest = whole;
  while (rest / radix >= EXACT_LIMIT) {
    rest /= radix;
    digits = `0${digits}`;
  }
  do {
    const digit = rest % radix;
    digits = DIGITS.charAt(Math.trunc(digit)) + digits;
    rest = (rest - digit) / radix;
  } while (rest > 0);
  return digits;
}
