/** The JSON text that a paused plan is kept as, read back with every digit. */

import { isObject } from "../values/index.js";

// Only such a run of digits can be more than a double holds.
const MANY_DIGITS = /[0-9]{16}/;
const WIDE = /(?<![0-9.eE+-])-?[0-9]{16,}(?![0-9.eE])/g;

/**
 * The value of a JSON text; an integer that no double holds exactly is a `bigint`.
 *
 * @throws SyntaxError if it is no JSON.
 */
export function parsedText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MANY_DIGITS.test(text)) return value;
  // A member that no object of the text has.
  let mark = "$integer";
  while (text.includes(mark)) mark += "$";
  const marked = outsideStrings(text, (part) =>
    part.replace(WIDE, (digits) =>
      Number.isSafeInteger(Number(digits)) ? digits : `{"${mark}":"${digits}"}`,
    ),
  );
  return JSON.parse(marked, (_, read: unknown) =>
    isObject(read) && Object.hasOwn(read, mark) ? BigInt(String(read[mark])) : read,
  );
}

/** A JSON text, everything in it but its strings changed. */
function outsideStrings(text: string, change: (part: string) => string): string {
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    if (quote === -1) break;
    const end = pastString(text, quote);
    parts.push(change(text.slice(from, quote)), text.slice(quote, end));
    from = end;
  }
  return parts.join("") + change(text.slice(from));
}

/** Where the string ends that begins at `at`. */
function pastString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from -= 1;
  return (at - from) % 2 === 1;
}
