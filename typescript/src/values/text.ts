/** Text as `$string` shows values, and the order of texts by UTF-16 unit. */

import {
  MAX_NESTING,
  MAX_TEXT,
  madeText,
  nestsTooDeep,
  type State,
  spend,
  textTooLong,
} from "./budget.js";
import {
  double,
  EXACT_LIMIT,
  isNumber,
  type Numeric,
  numberToText,
  roundedTo15Digits,
} from "./doubles.js";
import { isContainer, isObject, jsonString, type Members } from "./plain.js";
import { codePoints } from "./utf8.js";

const DIGITS_OF_A_DOUBLE = 15;
/** The steps for each character of the text that is made of what is no text. */
const WRITING = 2;

/** Whether a text stands before another in the order of UTF-16 units. */
export function precedes(first: string, second: string): boolean {
  return first < second;
}

/** `shown`, with what writing a value takes that is no text: 2 for each character. */
export function written(state: State, value: unknown, indent = 0): string {
  if (typeof value === "string") return value;
  const text = shown(value, indent);
  spend(state, WRITING * codePoints(text));
  return text;
}

/**
 * A value as `$string` shows it: a text as it is, all else as JSON.
 *
 * @param value - Any value but nothing; its depth was found to be within bounds.
 * @param indent - Spaces for each level; 0 puts all on one line.
 * @throws EvaluationError if the text becomes too long.
 */
export function shown(value: unknown, indent = 0): string {
  if (typeof value === "string") return value;
  if (!isContainer(value)) return scalar(value);
  const writer = new Writer(indent);
  writer.write(value, 1);
  return madeText(writer.text);
}

/** Writes JSON part by part, and stops once it is too long. */
class Writer {
  text = "";
  private room = MAX_TEXT;

  constructor(private readonly indent: number) {}

  write(value: unknown, depth: number): void {
    if (typeof value === "string") this.put(jsonString(value));
    else if (Array.isArray(value)) this.list(value, depth);
    else if (isObject(value)) this.object(value, depth);
    else this.put(scalar(value));
  }

  private put(text: string): void {
    this.text += text;
    // What is longer is seen to be so sooner than it is counted.
    this.room -= text.length;
    if (this.room < 0) throw textTooLong();
  }

  private list(value: readonly unknown[], depth: number): void {
    const line = this.lineOf(depth);
    let before = `[${line}`;
    for (const item of value) {
      this.put(before);
      before = `,${line}`;
      this.write(item, depth + 1);
    }
    this.put(value.length === 0 ? "[]" : `${this.lineOf(depth - 1)}]`);
  }

  private object(value: Members, depth: number): void {
    const line = this.lineOf(depth);
    const keys = Object.keys(value);
    let before = `{${line}`;
    for (const key of keys) {
      this.put(before);
      before = `,${line}`;
      this.put(jsonString(key) + (this.indent ? ": " : ":"));
      this.write(value[key], depth + 1);
    }
    this.put(keys.length === 0 ? "{}" : `${this.lineOf(depth - 1)}}`);
  }

  private lineOf(depth: number): string {
    if (depth > MAX_NESTING) throw nestsTooDeep();
    return this.indent ? `\n${" ".repeat(this.indent * depth)}` : "";
  }
}

/** The JSON of null, a boolean or a number; what is nothing in a list is null. */
function scalar(value: unknown): string {
  if (typeof value === "boolean") return String(value);
  return isNumber(value) ? numberText(value) : "null";
}

function numberText(value: Numeric): string {
  const near = double(value);
  const text = numberToText(near);
  if (text.length <= DIGITS_OF_A_DOUBLE || Math.abs(near) >= EXACT_LIMIT) return text;
  return Number.isInteger(near) ? text : numberToText(roundedTo15Digits(near));
}
