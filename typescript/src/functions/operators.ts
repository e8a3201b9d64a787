/** What the operators do with two values, types checked first, from left to right. */

import {
  deepSize,
  failed,
  listTooLong,
  MAX_LIST,
  MAX_TEXT,
  madeText,
  type State,
  size,
  spend,
  textSize,
  textTooLong,
} from "../values/budget.js";
import {
  double,
  doublings,
  EXACT_LIMIT,
  isNumber,
  type Numeric,
  numberToText,
} from "../values/doubles.js";
import { equal, identical, kind, Sequence } from "../values/sequences.js";
import { written } from "../values/text.js";

/** What an operator does with its two sides, types and budget included. */
export type Operation = (state: State, left: unknown, right: unknown) => unknown;

/**
 * A result that must be a finite number, in the one form of its value.
 *
 * @param value - What was computed.
 * @param operation - What computed it, for the message.
 * @throws EvaluationError: it is NaN or infinite.
 */
export function finite(value: Numeric, operation: string): number {
  const number = double(value);
  if (!Number.isFinite(number)) {
    throw failed(
      `${operation} gives no finite number`,
      "test the numbers first, as in `b != 0 ? a / b : 0`",
    );
  }
  return number;
}

/** Refuses a side of an arithmetic operator that is there and is no number. */
function checkOperand(operator: string, side: string, value: unknown): void {
  if (value !== undefined && !isNumber(value)) {
    throw failed(
      `\`${operator}\` needs numbers, and its ${side} side is ${kind(value)}`,
      arithmeticHint(operator, value),
    );
  }
}

function arithmeticHint(operator: string, value: unknown): string {
  if (typeof value === "string") {
    const joined = operator === "+" ? "join texts with `&`, or " : "";
    return `${joined}make a number of it with $number(...)`;
  }
  if (Array.isArray(value)) {
    return "take one item, as in x[0], or use $sum(...) or $map(...)";
  }
  if (value === null) {
    return "say what null stands for, as in `x = null ? 0 : x`";
  }
  return "give it a number";
}

function arithmetic(
  operator: string,
  compute: (left: number, right: number) => number,
): Operation {
  const shownAs = `\`${operator}\``;
  return (_state, left, right) => {
    checkOperand(operator, "left", left);
    checkOperand(operator, "right", right);
    if (left === undefined || right === undefined) {
      return undefined;
    }
    return finite(compute(Number(left), Number(right)), shownAs);
  };
}

function division(
  operator: string,
  byZero: string,
  compute: (left: number, right: number) => number,
): Operation {
  const divide = arithmetic(operator, compute);
  return (state, left, right) => {
    if (right === 0 && isNumber(left)) {
      return finite(Number.NaN, byZero);
    }
    return divide(state, left, right);
  };
}

/** Of the powers of two that a remainder goes down by, as many as take one step. */
export const DOUBLINGS_OF_A_STEP = 32;

const DIVIDED = division(
  "%",
  "the remainder of a division by zero",
  (left, right) => left % right,
);

function remainder(state: State, left: unknown, right: unknown): unknown {
  if (isNumber(left) && isNumber(right)) {
    const over = doublings(Number(left), Number(right));
    spend(state, Math.floor(over / DOUBLINGS_OF_A_STEP));
  }
  return DIVIDED(state, left, right);
}

/** Prefix `-`. */
export function negated(value: unknown): unknown {
  if (value === undefined) {
    return undefined;
  }
  if (!isNumber(value)) {
    throw failed(
      `prefix \`-\` needs a number, and it is given ${kind(value)}`,
      arithmeticHint("-", value),
    );
  }
  return double(-value);
}

/** Whether both sides of a comparison are there, once they prove to be comparable. */
function areOrdered(operator: string, left: unknown, right: unknown): boolean {
  checkComparable(operator, "left", left);
  checkComparable(operator, "right", right);
  if (left === undefined || right === undefined) {
    return false;
  }
  if ((typeof left === "string") !== (typeof right === "string")) {
    throw failed(
      `\`${operator}\` compares ${kind(left)} with ${kind(right)}`,
      "make both sides numbers with $number(...), or both texts with $string(...)",
    );
  }
  return true;
}

function checkComparable(operator: string, side: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string" && !isNumber(value)) {
    throw failed(
      `\`${operator}\` compares numbers or texts, and its ${side} side is ${kind(value)}`,
      comparisonHint(value),
    );
  }
}

function comparisonHint(value: unknown): string {
  if (value === null) {
    return "say what null stands for, as in `x != null and x > 3`";
  }
  if (Array.isArray(value)) {
    return "compare its length, as in `$count(x) > 3`, or one item, as in `x[0] > 3`";
  }
  if (typeof value === "object") {
    return "compare one of its fields, as in `x.size > 3`";
  }
  return "compare it with `=`";
}

function comparison(
  operator: string,
  compare: (left: number | string, right: number | string) => boolean,
): Operation {
  return (state, left, right) => {
    if (!areOrdered(operator, left, right)) {
      return undefined;
    }
    spend(state, size(left) + size(right));
    if (typeof left === "string") {
      return compare(left, right as string);
    }
    return compare(Number(left), Number(right));
  };
}

function equals(state: State, left: unknown, right: unknown): boolean {
  spendDeep(state, left, right);
  return left !== undefined && right !== undefined && equal(left, right);
}

function differs(state: State, left: unknown, right: unknown): boolean {
  spendDeep(state, left, right);
  return left !== undefined && right !== undefined && !equal(left, right);
}

function spendDeep(state: State, left: unknown, right: unknown): void {
  spend(state, deepSize(left));
  spend(state, deepSize(right));
}

function joined(state: State, left: unknown, right: unknown): string {
  spendDeep(state, left, right);
  const first = textOf(state, left);
  const second = textOf(state, right);
  if (first.length + second.length > MAX_TEXT) {
    throw textTooLong();
  }
  const made = madeText(first + second);
  spend(state, textSize(made));
  return made;
}

function textOf(state: State, value: unknown): string {
  return value === undefined ? "" : written(state, value);
}

function isIn(state: State, left: unknown, right: unknown): boolean {
  spend(state, size(left) + size(right));
  if (left === undefined || right === undefined) {
    return false;
  }
  if (!Array.isArray(right)) {
    return identical(left, right);
  }
  if (typeof left === "string") {
    // One item may be compared to its last character.
    spend(state, textSize(left) * right.length);
  }
  for (let at = 0; at < right.length; at += 1) {
    if (identical(left, right[at])) {
      return true;
    }
  }
  return false;
}

/**
 * `first..last`: a sequence of whole numbers, nothing if there are none.
 *
 * @throws EvaluationError: an end is not a whole number, or the list would be too long.
 */
export function numbersFrom(state: State, first: unknown, last: unknown): unknown {
  checkEnd("left", first);
  checkEnd("right", last);
  if (first === undefined || last === undefined) {
    return undefined;
  }
  const [from, to] = [first as Numeric, last as Numeric];
  if (from > to) {
    return undefined;
  }
  const length = double(to) - double(from) + 1;
  if (length > MAX_LIST) {
    throw listTooLong();
  }
  if (isInexact(from) || isInexact(to)) {
    throw failed("`..` counts beyond ±9007199254740992", "use smaller numbers");
  }
  spend(state, length);
  return typeof from === "bigint" || typeof to === "bigint"
    ? wideNumbers(BigInt(from), BigInt(to))
    : numbersBetween(from, to);
}

function numbersBetween(first: number, last: number): Sequence {
  const found = new Sequence();
  for (let at = 0; first + at <= last; at += 1) {
    found[at] = first + at;
  }
  return found;
}

/** Counts by the digits that a tool gave, and gives the doubles that these numbers are. */
function wideNumbers(first: bigint, last: bigint): Sequence {
  const found = new Sequence();
  for (let next = first; next <= last; next += 1n) {
    found[found.length] = double(next);
  }
  return found;
}

function checkEnd(side: string, value: unknown): void {
  if (value !== undefined && !(isNumber(value) && Number.isInteger(double(value)))) {
    const found = isNumber(value) ? numberToText(value) : kind(value);
    throw failed(
      `\`..\` needs whole numbers, and its ${side} side is ${found}`,
      "round it with $round(...), or make a number of a text with $number(...)",
    );
  }
}

/** Whether a whole number is a double beyond what it can count by ones. */
function isInexact(value: Numeric): boolean {
  return typeof value === "number" && Math.abs(value) > EXACT_LIMIT;
}

/** What each operator does, types and budget included; `and` and `or` are closures. */
export const OPERATORS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["+", arithmetic("+", (left, right) => left + right)],
  ["-", arithmetic("-", (left, right) => left - right)],
  ["*", arithmetic("*", (left, right) => left * right)],
  ["/", division("/", "division by zero", (left, right) => left / right)],
  ["%", remainder],
  ["=", equals],
  ["!=", differs],
  ["<", comparison("<", (left, right) => left < right)],
  ["<=", comparison("<=", (left, right) => left <= right)],
  [">", comparison(">", (left, right) => left > right)],
  [">=", comparison(">=", (left, right) => left >= right)],
  ["&", joined],
  ["in", isIn],
]);
