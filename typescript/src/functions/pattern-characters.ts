/** Reads what in a regular expression stands for one character: itself, an escape, a class. */

import { escapeError, refused, syntax } from "./pattern-errors.js";
import {
  type CodePoints,
  type CodeRange,
  complement,
  DIGIT,
  LAST_ASCII,
  SPACE,
  single,
  union,
  WORD,
  withBothCases,
} from "./pattern-sets.js";

const SETS: ReadonlyMap<string, CodePoints> = new Map([
  ["d", DIGIT],
  ["D", complement(DIGIT)],
  ["s", SPACE],
  ["S", complement(SPACE)],
  ["w", WORD],
  ["W", complement(WORD)],
]);
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["f", "\f"],
  ["v", "\v"],
]);
const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
]);
const HEX = /^[0-9a-fA-F]*$/;
const PUNCTUATION = /^[ -/:-@[-`{-~]$/;
const POSIX_NAME = /^\^?[A-Za-z]+$/;
const BACKSPACE = 0x08;
const DASH = 0x2d;

/** What a part of a class stands for; with a code point if it is one character. */
export interface Member {
  readonly points: CodePoints;
  readonly code: number | undefined;
}

/** A place in a pattern, and the reading of the character that stands there. */
export class CharacterReader {
  /** Where it is, in code points; each reading goes past what it has read. */
  protected at = 0;
  /** The pattern, one code point each. */
  protected readonly letters: readonly string[];

  /**
   * @param source - The pattern.
   * @param ignoreCase - Letters stand for both their cases, and must be of ASCII.
   */
  constructor(
    protected readonly source: string,
    protected readonly ignoreCase: boolean,
  ) {
    this.letters = Array.from(source);
  }

  /** Whether some ASCII text stands at a place. */
  protected startsWith(text: string, at: number): boolean {
    for (let offset = 0; offset < text.length; offset += 1) {
      if (this.letters[at + offset] !== text[offset]) return false;
    }
    return true;
  }

  /** What stands between two places. */
  protected between(start: number, end: number): string {
    return this.letters.slice(start, end).join("");
  }

  /** One character, which under the flag i must be of ASCII. */
  protected literal(at: number, code: number): CodePoints {
    const points = single(code);
    if (!this.ignoreCase) return points;
    if (code > LAST_ASCII) {
      throw refused(
        at,
        "a character beyond ASCII under the flag i",
        "Leave out the flag, and write each case: (?:é|É) or [éÉ].",
      );
    }
    return withBothCases(points);
  }

  /** What an escape stands for; the code point too if it is one character. */
  protected escaped(at: number): Member {
    const letter = this.letters[this.at];
    if (letter === undefined) {
      throw syntax(at, "a backslash at its end", "Write \\\\ for the character.");
    }
    this.at += 1;
    const set = SETS.get(letter);
    if (set !== undefined) return { points: set, code: undefined };
    const code = this.escapedCode(at, letter);
    return { points: this.literal(at, code), code };
  }

  private escapedCode(at: number, letter: string): number {
    const control = CONTROLS.get(letter);
    if (control !== undefined) return codeOf(control);
    const length = HEX_LENGTHS.get(letter);
    if (length !== undefined) return this.coded(at, letter, length);
    if (PUNCTUATION.test(letter)) return codeOf(letter);
    throw escapeError(at, letter);
  }

  private coded(at: number, letter: string, length: number): number {
    const digits = this.between(this.at, this.at + length);
    if (digits.length < length || !HEX.test(digits)) {
      const hint = digits.startsWith("{")
        ? "Write \\u with four hex digits, or the character itself."
        : `Write ${length} hex digits after it, or ${letter} for the letter.`;
      throw refused(at, `\\${letter} without its ${length} hex digits`, hint);
    }
    this.at += length;
    const code = Number.parseInt(digits, 16);
    if (code >= 0xd800 && code <= 0xdfff) {
      throw refused(at, "half of a surrogate pair", "Write the whole character itself.");
    }
    return code;
  }

  /** `[...]`, whose `[` was read. */
  protected charClass(at: number): CodePoints {
    const negated = this.startsWith("^", this.at);
    if (negated) this.at += 1;
    if (this.startsWith("]", this.at)) {
      throw refused(
        at,
        `an empty class, ${this.between(at, this.at + 1)}`,
        negated
          ? "Write [\\s\\S] for any character."
          : "Write what it is to match, and \\] for the bracket.",
      );
    }
    const found: CodeRange[] = [];
    while (!this.startsWith("]", this.at)) found.push(...this.classPart(at));
    this.at += 1;
    const points = this.ignoreCase ? withBothCases(union(found)) : union(found);
    return negated ? complement(points) : points;
  }

  /** A range of a class, or one unit of it. */
  private classPart(opening: number): CodePoints {
    const start = this.at;
    const first = this.classUnit(opening);
    if (!this.startsWith("-", this.at) || this.startsWith("-]", this.at)) return first.points;
    this.at += 1;
    const last = this.classUnit(opening);
    if (first.code === undefined || last.code === undefined) {
      // With a set at either end the dash is a character, as in [\w-.].
      return [...first.points, ...last.points, ...single(DASH)];
    }
    if (first.code > last.code) {
      throw syntax(
        start,
        `the range ${this.between(start, this.at)}, whose end comes before its start`,
        "Write the smaller one first, or \\- for the dash itself.",
      );
    }
    return [[first.code, last.code]];
  }

  private classUnit(opening: number): Member {
    const at = this.at;
    const letter = this.letters[at];
    if (letter === undefined)
      throw syntax(opening, "a [ without its ]", "Close it, or write \\[.");
    this.at += 1;
    if (letter === "\\") {
      if (!this.startsWith("b", this.at)) return this.escaped(at);
      this.at += 1;
      return { points: single(BACKSPACE), code: BACKSPACE };
    }
    const posix = letter === "[" ? this.posixClass(at) : undefined;
    if (posix !== undefined) {
      throw refused(
        at,
        `a POSIX class, ${posix}`,
        "Name the characters, as in [a-zA-Z], or write \\d, \\w or \\s.",
      );
    }
    const code = codeOf(letter);
    return { points: this.literal(at, code), code };
  }

  /** The class `[:name:]` that stands at a place, if one does. */
  private posixClass(at: number): string | undefined {
    if (!this.startsWith("[:", at)) return undefined;
    let end = at + 2;
    while (end < this.letters.length && !this.startsWith(":]", end)) end += 1;
    if (end === this.letters.length || !POSIX_NAME.test(this.between(at + 2, end))) {
      return undefined;
    }
    return this.between(at, end + 2);
  }
}

function codeOf(letter: string): number {
  return letter.codePointAt(0) ?? 0;
}
