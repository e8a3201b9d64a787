/** What a piece of an expression evidently is: text, a list, a truth, by its tokens alone. */

import { operandStart } from "./operands.js";
import type { Scan } from "./scan.js";
import type { Token } from "./tokens.js";

/** What a piece may evidently be. */
export type Kind = "text" | "number" | "boolean" | "list" | "object" | "null";

const COMPARING: ReadonlySet<string> = new Set(["=", "!=", "<", ">", "<=", ">=", "in"]);
const COUNTING: ReadonlySet<string> = new Set("+-*/%");
const BORDERS: ReadonlySet<string> = new Set([",", ";", "?", ":", ":=", "~>"]);
const OPEN: ReadonlySet<string> = new Set([...BORDERS, "??", "?:", "|"]);
const WORDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ["True", "boolean"],
  ["TRUE", "boolean"],
  ["False", "boolean"],
  ["FALSE", "boolean"],
  ["None", "null"],
  ["Null", "null"],
  ["NULL", "null"],
  ["nil", "null"],
  ["undefined", "null"],
]);

/** What calls give, here and in other languages under names that mean the same there. */
const GIVES: ReadonlyMap<unknown, Kind> = kinds({
  text:
    "string substring substringBefore substringAfter lowercase uppercase trim pad " +
    "join replace formatNumber formatBase type base64encode base64decode encodeUrl " +
    "encodeUrlComponent decodeUrl decodeUrlComponent fromMillis upper lower str strip " +
    "toUpperCase toLowerCase toUpper toLower toString",
  number:
    "number length floor ceil abs round power sqrt sum max min average count " +
    "toMillis len size avg mean int float parseInt parseFloat toNumber",
  boolean: "boolean not contains exists includes bool startsWith endsWith",
  list:
    "split append sort reverse distinct zip keys spread map filter each sorted " +
    "unique uniq flatMap",
  object: "merge sift",
});

function kinds(names: Partial<Record<Kind, string>>): ReadonlyMap<unknown, Kind> {
  const found = new Map<unknown, Kind>();
  for (const [kind, every] of Object.entries(names)) {
    for (const name of every.split(" ")) found.set(name, kind as Kind);
  }
  return found;
}

/** What a call of a function or a method gives, if it is known. */
export function gives(name: unknown): Kind | undefined {
  return GIVES.get(name);
}

/** Tokens from an index to another, both included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The widest piece around a token that no border cuts, in the same brackets. */
export function region(scan: Scan, at: number, borders: ReadonlySet<string> = BORDERS): Span {
  let first = at;
  let last = at;
  while (first > 0 && !isOutside(scan, first - 1, at, borders)) {
    first = scan.other(first - 1, first - 1);
  }
  while (last + 1 < scan.tokens.length && !isOutside(scan, last + 1, at, borders)) {
    last = scan.opens.has(last + 1) ? scan.other(last + 1) : last + 1;
  }
  return { first, last };
}

/** Whether a token at a place beside a piece is outside of it. */
function isOutside(
  scan: Scan,
  place: number,
  at: number,
  borders: ReadonlySet<string>,
): boolean {
  const holder = scan.holderOf(at);
  if (place === holder || (holder >= 0 && scan.partner.get(place) === holder)) return true;
  const sign = scan.sign(place);
  const arrow = sign === ">" && scan.isSign(place - 1, "=");
  return arrow || borders.has(sign);
}

/** A piece cut where an operator stands twice: `&&` or `||`. */
export function parts(scan: Scan, span: Span, sign: string): readonly Span[] {
  const found: Span[] = [];
  let first = span.first;
  let at = span.first;
  while (at <= span.last) {
    if (scan.opens.has(at)) {
      at = scan.other(at);
    } else if (scan.isSign(at, sign) && scan.follows(at, sign)) {
      found.push({ first, last: at - 1 });
      first = at + 2;
      at += 1;
    }
    at += 1;
  }
  found.push({ first, last: span.last });
  return found;
}

/** What a piece gives; undefined if that cannot be told, or it is empty. */
export function evident(scan: Scan, span: Span): Kind | undefined {
  let { first, last } = span;
  while (scan.opens.get(first) === "block" && scan.other(first) === last) {
    first += 1;
    last -= 1;
  }
  if (first > last) return undefined;
  const signs = signsOf(scan, first, last);
  if (hasAny(OPEN, signs)) return undefined;
  const chain = parts(scan, { first, last }, "&");
  const end = chain.at(-1);
  if (chain.length > 1 && end !== undefined) {
    return evident(scan, end) === "boolean" ? "boolean" : undefined;
  }
  const start = scan.token(first);
  if (start.sign === "!" || start.value === "not" || signs.has("and")) return "boolean";
  if (signs.has("or") || hasAny(COMPARING, signs)) return "boolean";
  if (signs.has("&")) return "text";
  // `+` joins texts elsewhere.
  if (hasAny(COUNTING, signs)) return signs.has("+") ? undefined : "number";
  if (scan.isSign(first, "-")) return "number";
  if (operandStart(scan, last) !== first) return undefined;
  return ofOperand(scan, first, last);
}

/** The operators between the operands of a piece, those in brackets left out. */
function signsOf(scan: Scan, first: number, last: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = first; at <= last; at += 1) {
    const token = scan.token(at);
    if (scan.opens.has(at)) at = scan.other(at);
    else if (token.sign !== "" && token.sign !== "." && !token.prefix) found.add(token.sign);
  }
  return found;
}

function hasAny(wanted: ReadonlySet<string>, signs: ReadonlySet<string>): boolean {
  for (const sign of signs) if (wanted.has(sign)) return true;
  return false;
}

function ofOperand(scan: Scan, first: number, last: number): Kind | undefined {
  const opening = scan.partner.get(last);
  if (opening !== undefined && scan.opens.get(opening) === "call") {
    return GIVES.get(scan.token(opening - 1).value);
  }
  if (first === last) return ofToken(scan.token(first));
  if (scan.partner.get(first) === last) {
    const opened = scan.opens.get(first);
    return opened === "list" || opened === "object" ? opened : undefined;
  }
  return undefined;
}

function ofToken(token: Token): Kind | undefined {
  switch (token.kind) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "value":
      return token.value === null ? "null" : "boolean";
    case "name":
      return WORDS.get(token.value);
    default:
      return undefined;
  }
}

/** The text of a piece. */
export function textOfSpan(scan: Scan, span: Span): string {
  return span.first > span.last ? "" : scan.written(span.first, span.last);
}
