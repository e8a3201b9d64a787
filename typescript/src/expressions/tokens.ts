/** The tokens of an expression, each told by itself as the reference's tokenizer does. */

import { Edit, Fault } from "./problems.js";

/** What a token is; `end` stands for the place before the first and behind the last. */
export type TokenKind =
  | "name"
  | "quoted"
  | "variable"
  | "string"
  | "number"
  | "value"
  | "operator"
  | "regex"
  | "end";

/** The opening brackets, each with the one that closes it. */
export const OPENING: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

/** The closing brackets. */
export const CLOSING: ReadonlySet<string> = new Set([")", "]", "}"]);

/** The words that are values. */
export const VALUES: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** A regular expression as written; it is never given to a regular expression engine. */
export class Pattern {
  constructor(
    readonly source: string,
    readonly flags: string,
  ) {}
}

/** What a token says. */
export type TokenValue = string | number | boolean | null | Pattern;

/** A piece of the text; its places are in UTF-16 units. */
export class Token {
  /** The operator that it is; `""` if it is none. */
  readonly sign: string;

  /**
   * @param prefix - Whether it stands where an operand is due: `-` is then a sign, `*` a
   *   wildcard, `[` a list.
   */
  constructor(
    readonly kind: TokenKind,
    readonly value: TokenValue,
    readonly start: number,
    readonly end: number,
    readonly prefix: boolean,
  ) {
    this.sign = kind === "operator" ? String(value) : "";
  }
}

/** What stopped the reading of a text. */
export class UntoldError extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
    this.name = "UntoldError";
  }
}

/** What a piece of a text is; one that is `open` does not end. */
export type PieceKind =
  | "space"
  | "word"
  | "comment"
  | "operator"
  | "string"
  | "number"
  | "quoted"
  | "open";

/** A piece of a text, from where it was looked for to its end. */
export interface Piece {
  readonly kind: PieceKind;
  readonly end: number;
}

const SPACES = " \t\n\r\v";
const OPERATORS = ".[]{}(),@#;:?+-*/%|=<>^&!~";
const DOUBLES: ReadonlySet<string> = new Set([
  "..",
  ":=",
  "!=",
  ">=",
  "<=",
  "**",
  "~>",
  "?:",
  "??",
]);
const SPACE = /[ \t\n\r\v]+/y;
const WORD = /[^ \t\n\r\v.[\]{}(),@#;:?+\-*/%|=<>^&!~]+/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'/sy;
const NUMBER = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][-+]?[0-9]+)?/y;

/** The piece that starts at a place inside a text; every text has one everywhere. */
export function nextPiece(text: string, at: number): Piece {
  const letter = text.charAt(at);
  if (SPACES.includes(letter)) return { kind: "space", end: endOf(SPACE, text, at) };
  if (OPERATORS.includes(letter)) return operatorAt(text, at);
  if (letter === '"' || letter === "'") {
    const end = endOf(STRING, text, at);
    return end < 0 ? { kind: "open", end: at + 1 } : { kind: "string", end };
  }
  if (letter >= "0" && letter <= "9") return { kind: "number", end: endOf(NUMBER, text, at) };
  if (letter === "`") {
    const end = text.indexOf("`", at + 1) + 1;
    return end === 0 ? { kind: "open", end: at + 1 } : { kind: "quoted", end };
  }
  return { kind: "word", end: endOf(WORD, text, at) };
}

function operatorAt(text: string, at: number): Piece {
  const two = text.slice(at, at + 2);
  if (two === "/*") {
    const end = text.indexOf("*/", at + 2);
    return end < 0 ? { kind: "operator", end: at + 1 } : { kind: "comment", end: end + 2 };
  }
  return { kind: "operator", end: at + (DOUBLES.has(two) ? 2 : 1) };
}

/** Where what a pattern matches at a place ends; -1 if it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** A `syntax` fault to raise. */
export function untold(
  position: number,
  message: string,
  hint: string,
  ...edits: readonly Edit[]
): UntoldError {
  return new UntoldError(new Fault("syntax", position, message, hint, edits));
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gsu;
const HALF = /[\ud800-\udfff]/u;

/**
 * The value of a string literal, its escapes read and surrogate pairs joined.
 *
 * @throws UntoldError if an escape is none, or half of a surrogate pair stands alone.
 */
export function textOf(text: string, start: number, end: number): string {
  const body = text.slice(start + 1, end - 1);
  if (!body.includes("\\")) return body;
  let halves = false;
  const plain = (_: string, code: string | undefined, letter: string, at: number): string => {
    if (code !== undefined) {
      halves ||= code.startsWith("d") || code.startsWith("D");
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const meant = ESCAPES.get(letter);
    if (meant === undefined) {
      throw untold(
        start + 1 + at,
        `\`\\${letter}\` is no escape in a string`,
        'the escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex' +
          " digits; a backslash itself is \\\\",
      );
    }
    return meant;
  };
  const value = body.replace(ESCAPE, plain);
  if (halves && HALF.test(value)) {
    throw untold(
      start,
      "the string has half of a surrogate pair",
      "write both halves, or the character itself",
    );
  }
  return value;
}

/**
 * The value of a number literal.
 *
 * @throws UntoldError if no double is as large.
 */
export function numberOf(digits: string, start: number): number {
  const value = Number(digits);
  if (value === Number.POSITIVE_INFINITY) {
    throw untold(start, "the number is too large", "write a number below 1.8e308");
  }
  return value;
}

const MARKUP = /<\/?[a-zA-Z_:]+/y;

/**
 * The regular expression whose first `/` stands at `start`, and where it ends.
 *
 * @throws UntoldError if it does not end, or is empty.
 */
export function regexAt(text: string, start: number): readonly [Pattern, number] {
  let depth = 0;
  let slashes = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === "/" && depth === 0 && slashes % 2 === 0) {
      if (at === start + 1) break;
      let end = at + 1;
      while (text[end] === "i" || text[end] === "m") end += 1;
      return [new Pattern(text.slice(start + 1, at), text.slice(at + 1, end)), end];
    }
    if (slashes === 0) depth += Number("([{".includes(letter)) - Number(")]}".includes(letter));
    slashes = letter === "\\" ? slashes + 1 : 0;
  }
  const leak = start > 0 ? endOf(MARKUP, text, start - 1) : -1;
  if (leak >= 0) {
    throw untold(
      start - 1,
      `markup of a tool call, \`${text.slice(start - 1, leak)}\`, is in the expression`,
      "remove it and all that follows it",
      new Edit(start - 1, text.length, ""),
    );
  }
  throw untold(
    start,
    "a `/` here opens a regular expression, and that does not end",
    "to divide, put what stands before the `/` in parentheses",
  );
}

/** The fault of a string or a quoted name that does not end. */
export function endless(text: string, start: number): UntoldError {
  const quote = text.charAt(start);
  if (quote === "`") {
    return untold(start, "the name in backticks does not end", "close it with a backtick");
  }
  return untold(
    start,
    `the string does not end: no ${quote} follows`,
    "close it; text that holds a ' belongs between double quotes",
  );
}
