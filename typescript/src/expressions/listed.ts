/**
 * The functions of the language by name: those listed, and what stands outside the list.
 *
 * What they take and do is the table of `functions`.
 */

import { FUNCTIONS } from "../functions/index.js";
import type { Node } from "../tree.js";

/** Every function of the profile, with its parameters as hints call them. */
export const LISTED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    string: "value indent",
    number: "value",
    boolean: "value",
    not: "value",
    length: "text",
    substring: "text start length",
    substringBefore: "text mark",
    substringAfter: "text mark",
    lowercase: "text",
    uppercase: "text",
    trim: "text",
    pad: "text width filler",
    contains: "text pattern",
    split: "text separator limit",
    join: "texts separator",
    match: "text pattern limit",
    replace: "text pattern replacement limit",
    formatNumber: "number picture",
    formatBase: "number radix",
    floor: "number",
    ceil: "number",
    abs: "number",
    round: "number precision",
    power: "base exponent",
    sqrt: "number",
    sum: "numbers",
    max: "numbers",
    min: "numbers",
    average: "numbers",
    count: "list",
    append: "list more",
    sort: "list function",
    reverse: "list",
    distinct: "list",
    zip: "list ...",
    keys: "object",
    lookup: "object key",
    spread: "object",
    merge: "objects",
    sift: "object function",
    each: "object function",
    type: "value",
    exists: "value",
    map: "list function",
    filter: "list function",
    single: "list function",
    reduce: "list function start",
    error: "message",
    assert: "condition message",
    base64encode: "text",
    base64decode: "text",
    encodeUrlComponent: "text",
    encodeUrl: "text",
    decodeUrlComponent: "text",
    decodeUrl: "text",
    toMillis: "date",
    fromMillis: "millis",
  }).map(([name, parameters]) => [name, parameters.split(" ")]),
);

/** Functions of JSONata that no plan may call, each with what to do instead. */
export const REFUSED: ReadonlyMap<string, string> = new Map([
  ["eval", "write the expression itself where its value is wanted"],
  ["now", "a plan must replay: let a tool or the host's input give the time"],
  ["millis", "a plan must replay: let a tool or the host's input give the time"],
  ["random", "a plan must replay: let a tool give the random number"],
  ["shuffle", "a plan must replay: let a tool give the order"],
  ["clone", "values never change, so leave $clone out"],
  ["formatInteger", "write $string(...) or $formatBase(...)"],
  ["parseInteger", "write $number(...)"],
]);

/** What functions and methods of other languages are called here, where they do the same. */
export const MEANT: ReadonlyMap<string, string> = new Map([
  ["avg", "average"],
  ["mean", "average"],
  ["upper", "uppercase"],
  ["lower", "lowercase"],
  ["toUpperCase", "uppercase"],
  ["toLowerCase", "lowercase"],
  ["toUpper", "uppercase"],
  ["toLower", "lowercase"],
  ["str", "string"],
  ["float", "number"],
  ["parseFloat", "number"],
  ["toNumber", "number"],
  ["bool", "boolean"],
  ["unique", "distinct"],
  ["uniq", "distinct"],
  ["forEach", "map"],
  ["fold", "reduce"],
  ["sorted", "sort"],
]);

/**
 * Whether a call leaves its first argument to the context.
 *
 * @param name - The function.
 * @param count - How many arguments it is given.
 * @param first - The first of them, which may be a regular expression: then it searches the
 *   context, however many follow.
 */
export function leavesContext(name: string, count: number, first?: Node): boolean {
  if (first?.kind === "regex") return true;
  const listed = FUNCTIONS.get(name);
  if (listed === undefined || !listed.signature.hasContext) return false;
  return count <= Math.max(listed.least, listed.functionAt ?? 0);
}

/** A listed function with its parameters: `$round(number, precision?)`. */
export function usage(name: string): string {
  const listed = FUNCTIONS.get(name);
  const least = (listed?.least ?? 0) + Number(listed?.signature.hasContext ?? false);
  const ofFunction = (listed?.functionAt ?? 0) + Number(name === "sift" || name === "each");
  const required = Math.max(least, ofFunction);
  const parameters = (LISTED.get(name) ?? []).map((parameter, index) =>
    index >= required && parameter !== "..." ? `${parameter}?` : parameter,
  );
  return `$${name}(${parameters.join(", ")})`;
}
