/**
 * What may be missing, where other languages take that for false, for null, or for unequal.
 *
 * Here a comparison with nothing is false whichever way it asks, and `$not` of nothing is
 * nothing: `!row.done` as it stands would leave out the rows without `done`. A strict name
 * that is missing fails by itself; where a name may be missing, the edit says so.
 */

import { gives, type Span } from "./evident.js";
import { operandStart } from "./operands.js";
import { Edit } from "./problems.js";
import type { Scan } from "./scan.js";

const NULLS: ReadonlySet<unknown> = new Set([
  "None",
  "NULL",
  "Null",
  "nil",
  "Nil",
  "undefined",
]);
const WORDS: ReadonlySet<unknown> = new Set([...NULLS, "True", "TRUE", "False", "FALSE"]);
const ROOTS: ReadonlySet<unknown> = new Set(["steps", "input", "item", "index"]);
const NEVER_NOTHING: ReadonlySet<unknown> = new Set(["exists", "count", "type"]);
const OF_SOME: ReadonlySet<unknown> = new Set(["max", "min", "average", "split", "filter"]);

/** What such a comparison is to become. */
export interface Absence {
  readonly hint: string;
  readonly edits: readonly Edit[];
}

/** How a comparison asks. */
export interface Asked {
  /** Whether it asks if they are equal. */
  readonly equal: boolean;
  /** Whether null and undefined differ for it, as for `===`. */
  readonly strict: boolean;
}

/**
 * What a comparison with such a word is to become; undefined if `=` tells the same.
 *
 * @param first - The index of the operator's first token.
 * @param last - That of its last; the word follows.
 */
export function absence(
  scan: Scan,
  first: number,
  last: number,
  { equal, strict }: Asked,
): Absence | undefined {
  const start = operandStart(scan, first - 1);
  if (start === undefined || !isAbsence(scan, last + 1)) return undefined;
  const word = scan.token(last + 1);
  const begin = scan.token(start).start;
  const end = scan.token(first - 1).end;
  if (word.value === "undefined" && strict) {
    const [before, after] = equal ? ["$not($exists(", "))"] : ["$exists(", ")"];
    const edits = [new Edit(begin, begin, before), new Edit(end, word.end, after)];
    return { hint: `write \`${before}...${after}\``, edits };
  }
  const lenient = mayLack(scan, { first: start, last: first - 1 });
  if (equal && !strict && (lenient || word.value === "undefined")) {
    const edits = [new Edit(begin, begin, "("), new Edit(end, word.end, " ?? null) = null")];
    return {
      hint: "what may be missing is null first: write `(... ?? null) = null`",
      edits,
    };
  }
  return undefined;
}

/**
 * What `x !== y` is to become where `x` may be missing, which then is unequal too.
 *
 * @param first - The index of the operator's first token.
 */
export function unequal(scan: Scan, first: number): Absence | undefined {
  const start = operandStart(scan, first - 1);
  if (start === undefined || !mayLack(scan, { first: start, last: first - 1 })) {
    return undefined;
  }
  const begin = scan.token(start).start;
  const end = scan.token(first - 1).end;
  const sign = scan.token(first + 1);
  return {
    hint: "compare with `!=`; what may be missing is null first: `(... ?? null) != ...`",
    edits: [
      new Edit(begin, begin, "("),
      new Edit(end, end, " ?? null)"),
      new Edit(sign.start, sign.end, ""),
    ],
  };
}

/** Whether a piece may be nothing without an error: not all that it reads is strict. */
export function mayLack(scan: Scan, span: Span): boolean {
  for (let at = span.first; at <= span.last; at += 1) {
    const token = scan.token(at);
    const called = scan.opens.get(at + 1) === "call";
    if (called && (token.kind === "name" || token.kind === "variable")) {
      if (NEVER_NOTHING.has(token.value)) at = scan.other(at + 1);
      else if (gives(token.value) === undefined || OF_SOME.has(token.value)) return true;
    } else if (token.kind === "variable") {
      if (!ROOTS.has(token.value)) return true;
    } else if (token.kind === "name" && !scan.isSign(at - 1, ".")) {
      if (!ROOTS.has(token.value) && !WORDS.has(token.value)) return true;
    } else if (
      scan.opens.get(at) === "predicate" ||
      (token.prefix && (token.sign === "*" || token.sign === "**"))
    ) {
      return true;
    }
  }
  return false;
}

/** Whether a token is a word for nothing or null that is an operand by itself. */
export function isAbsence(scan: Scan, at: number): boolean {
  const token = scan.token(at);
  const after = scan.sign(at + 1);
  const isNull = token.kind === "value" && token.value === null;
  const isWord = token.kind === "name" && NULLS.has(token.value);
  return (isNull || isWord) && after !== "." && after !== "(";
}
