/**
 * Reads an expression's text before any parser does: its tokens, brackets and limits.
 *
 * One pass from left to right, so that a hostile text costs no more than its length.
 */

import { points, pointsBefore, unitsOf } from "./points.js";
import { Edit, Fault } from "./problems.js";
import {
  CLOSING,
  endless,
  nextPiece,
  numberOf,
  OPENING,
  regexAt,
  Token,
  textOf,
  UntoldError,
  untold,
  VALUES,
} from "./tokens.js";

/** The most code points of one expression. */
export const MAX_LENGTH = 4096;

/** The most expressions of a plan that are not wholly a plain path. */
export const MAX_EXPRESSIONS = 1000;

/** The most bytes of UTF-8 that those expressions have together. */
export const MAX_EXPRESSION_BYTES = 65_536;

const MAX_DEPTH = 64;
const MAX_RUN = 256;
const MAX_FALLBACKS = 3;

/**
 * What an opening bracket opens: `params` and `body` are a function's, a `predicate` stands
 * behind a value, a `group` is the `{...}` behind one.
 */
export type Opened =
  | "block"
  | "sort"
  | "call"
  | "params"
  | "body"
  | "list"
  | "predicate"
  | "object"
  | "group";

const NO_TOKEN = new Token("end", "", -1, -1, false);

/** A text in tokens. */
export class Scan {
  readonly tokens: Token[] = [];
  /** The index of the innermost opening bracket around each token; -1 outside. */
  readonly holder: number[] = [];
  /** The index of each bracket's other half, by the index of either. */
  readonly partner = new Map<number, number>();
  /** What an opening bracket opens, by its index. */
  readonly opens = new Map<number, Opened>();
  /** What stopped the reading, if anything did. */
  fault: Fault | undefined;
  #starts: Map<number, number> | undefined;

  constructor(readonly text: string) {}

  /** The token at an index; where there is none, one that is nothing. */
  token(at: number): Token {
    return this.tokens[at] ?? NO_TOKEN;
  }

  /** The operator at an index; `""` if there is none. */
  sign(at: number): string {
    return this.tokens[at]?.sign ?? "";
  }

  /** Whether the token at an index is an operator; there need be none. */
  isSign(at: number, sign: string): boolean {
    return this.tokens[at]?.sign === sign;
  }

  /** Whether an operator comes right after a token, with no space between. */
  follows(at: number, sign: string): boolean {
    return this.isSign(at + 1, sign) && this.token(at + 1).start === this.token(at).end;
  }

  /** The index of the token that starts at a place. */
  indexOf(start: number): number {
    this.#starts ??= new Map(this.tokens.map((token, at) => [token.start, at]));
    return this.#starts.get(start) ?? -1;
  }

  /** The index of a bracket's other half. */
  other(at: number, otherwise = -1): number {
    return this.partner.get(at) ?? otherwise;
  }

  /** What the innermost bracket around a token opens; undefined outside of any. */
  heldBy(at: number): Opened | undefined {
    return this.opens.get(this.holderOf(at));
  }

  /** The index of the innermost opening bracket around a token; -1 outside. */
  holderOf(at: number): number {
    return this.holder[at] ?? -1;
  }

  /** What is written from one token to another, both included. */
  written(first: number, last: number = first): string {
    return this.text.slice(this.token(first).start, this.token(last).end);
  }
}

/** A bracket that is open (the whole text is one) and the counts of the limits in it. */
class Bracket {
  /** The operators, dots and postfix brackets since the last mark in it. */
  run = 0;
  /** Where the first `??` or `?:` directly in it stands. */
  fallback: number | undefined;
  /** How many brackets in one another below it hold one. */
  height = 0;

  /**
   * @param before - The depth to go back to when it is closed.
   * @param base - The depth to go back to at `,` and `;`.
   */
  constructor(
    readonly index: number,
    readonly before: number,
    readonly base: number,
  ) {}
}

const HALF = /[\ud800-\udfff]/u;

/**
 * The tokens of a text, up to its end or to a fault.
 *
 * A fault is an `expression_limit` or a `syntax` that is plain without parsing: a string that
 * does not end, a bracket without its other half.
 */
export function scan(text: string): Scan {
  const found = new Scan(text);
  try {
    const length = text.length > MAX_LENGTH ? points(text) : 0;
    if (length > MAX_LENGTH) {
      throw limit(
        unitsOf(text, MAX_LENGTH),
        `the expression has ${length} characters, and ${MAX_LENGTH} are allowed`,
        "shorten it, or split the work over several steps or bindings",
      );
    }
    const half = HALF.exec(text);
    if (half !== null) {
      throw untold(half.index, "half of a surrogate pair is no character", "remove it");
    }
    read(found);
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
    found.fault = error.fault;
  }
  return found;
}

function read(found: Scan): void {
  const { text, tokens, opens, holder } = found;
  let here = new Bracket(-1, 0, 0);
  const brackets = [here];
  let depth = 0;
  let position = 0;
  let operand = true; // whether one is due
  while (position < text.length) {
    const start = position;
    const { kind, end } = nextPiece(text, start);
    position = end;
    if (kind === "space" || kind === "comment") continue;
    holder.push(here.index);
    switch (kind) {
      case "word": {
        const word = text.slice(start, end);
        const value = VALUES.get(word);
        if (word.startsWith("$")) {
          tokens.push(new Token("variable", word.slice(1), start, end, operand));
        } else if (value !== undefined) {
          tokens.push(new Token("value", value, start, end, operand));
        } else if (!operand && (word === "and" || word === "or" || word === "in")) {
          tokens.push(new Token("operator", word, start, end, false));
          here.run = longer(here.run, start);
          operand = true;
          break;
        } else {
          tokens.push(new Token("name", word, start, end, operand));
        }
        operand = false;
        break;
      }
      case "operator": {
        const sign = text.slice(start, end);
        if (sign === "/" && text.startsWith("/*", start)) {
          throw untold(start, "the comment does not end", "close it with */ or remove it");
        }
        if (sign === "/" && isRegexDue(tokens)) {
          const [pattern, after] = regexAt(text, start);
          position = after;
          tokens.push(new Token("regex", pattern, start, after, operand));
          operand = false;
          break;
        }
        const index = tokens.length;
        tokens.push(new Token("operator", sign, start, end, operand));
        if (OPENING.has(sign)) {
          const opened = openedBy(found, index);
          opens.set(index, opened);
          if (opened === "call" || opened === "predicate" || opened === "group") {
            here.run = longer(here.run, start);
          }
          here = new Bracket(index, depth, depth + 1);
          brackets.push(here);
          depth = deeper(depth, start);
          operand = true;
        } else if (CLOSING.has(sign)) {
          pair(found, here, index);
          depth = here.before;
          const height = heightOf(here);
          brackets.pop();
          here = brackets.at(-1) ?? here;
          here.height = Math.max(here.height, height);
          operand = false;
        } else if (sign === "," || sign === ";") {
          depth = here.base;
          here.run = 0;
          operand = true;
        } else if (sign === "?" || sign === ":=" || (sign === "-" && operand)) {
          depth = deeper(depth, start);
          here.run = 0;
          operand = true;
        } else if (operand && (sign === "*" || sign === "**" || sign === "%")) {
          operand = false;
        } else {
          if (!operand && sign !== ":" && sign !== "!" && sign !== "~") {
            here.run = longer(here.run, start);
            if (sign === "??" || sign === "?:") here.fallback ??= start;
          }
          operand = true;
        }
        break;
      }
      case "string":
        tokens.push(new Token("string", textOf(text, start, end), start, end, operand));
        operand = false;
        break;
      case "number": {
        const number = numberOf(text.slice(start, end), start);
        tokens.push(new Token("number", number, start, end, operand));
        operand = false;
        break;
      }
      case "quoted":
        tokens.push(new Token("quoted", text.slice(start + 1, end - 1), start, end, operand));
        operand = false;
        break;
      case "open":
        throw endless(text, start);
    }
  }
  if (here.index >= 0) throw unclosed(found, here);
  heightOf(here);
}

/** What the opening bracket at an index opens. */
function openedBy(found: Scan, index: number): Opened {
  const { sign, prefix } = found.token(index);
  if (sign === "[") return prefix ? "list" : "predicate";
  if (sign === "{") {
    if (prefix) return "object";
    return found.opens.get(found.other(index - 1)) === "params" ? "body" : "group";
  }
  const before = found.token(index - 1);
  if (prefix || index === 0) return before.sign === "^" ? "sort" : "block";
  const isName = before.kind === "name" || before.kind === "quoted";
  return isName && (before.value === "function" || before.value === "λ") ? "params" : "call";
}

/** `/` divides after a name, a variable, a literal or a closing bracket. */
function isRegexDue(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  return last === undefined || (last.kind === "operator" && !CLOSING.has(last.sign));
}

function pair(found: Scan, here: Bracket, index: number): void {
  const closing = found.token(index);
  if (here.index < 0) {
    const gone = new Edit(closing.start, closing.end, "");
    throw untold(closing.start, `the \`${closing.sign}\` closes nothing`, "remove it", gone);
  }
  const opening = found.token(here.index);
  const wanted = OPENING.get(opening.sign) ?? "";
  if (wanted !== closing.sign) {
    const where = pointsBefore(found.text, opening.start);
    throw untold(
      closing.start,
      `the \`${closing.sign}\` cannot close the \`${opening.sign}\` at ${where}`,
      `write \`${wanted}\` there, or open what it closes`,
    );
  }
  found.partner.set(index, here.index);
  found.partner.set(here.index, index);
}

function unclosed(found: Scan, here: Bracket): UntoldError {
  const opening = found.token(here.index);
  const end = found.token(found.tokens.length - 1).end;
  const wanted = OPENING.get(opening.sign) ?? "";
  return untold(
    opening.start,
    `the \`${opening.sign}\` is never closed`,
    `add the \`${wanted}\``,
    new Edit(end, end, wanted),
  );
}

function deeper(depth: number, position: number): number {
  if (depth >= MAX_DEPTH) {
    throw limit(
      position,
      `the expression nests more than ${MAX_DEPTH} deep (brackets, signs, \`?\` and \`:=\`)`,
      "compute the inner part in a step or binding of its own",
    );
  }
  return depth + 1;
}

function longer(run: number, position: number): number {
  if (run >= MAX_RUN) {
    throw limit(
      position,
      `more than ${MAX_RUN} operators, dots and brackets follow one another`,
      "split the expression over several steps or bindings",
    );
  }
  return run + 1;
}

/** How many brackets, this one and below, directly hold a `??` or `?:`. */
function heightOf(bracket: Bracket): number {
  if (bracket.fallback === undefined) return bracket.height;
  if (bracket.height >= MAX_FALLBACKS) {
    throw limit(
      bracket.fallback,
      `\`??\` and \`?:\` stand in more than ${MAX_FALLBACKS} brackets that hold one`,
      "write a ?? b ?? c, or name the inner value first: ($x := a ?? b; $x ?? c)",
    );
  }
  return bracket.height + 1;
}

function limit(position: number, message: string, hint: string): UntoldError {
  return new UntoldError(new Fault("expression_limit", position, message, hint));
}
