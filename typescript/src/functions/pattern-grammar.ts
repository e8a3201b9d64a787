/**
 * Reads a regular expression by the closed grammar of `schema/regex-grammar.md`.
 *
 * What the grammar accepts means the same in ECMAScript and in RE2 once it is translated;
 * everything that the two would read differently is refused here, with the edit that mends
 * it.
 */

import { CharacterReader } from "./pattern-characters.js";
import { beyond, groupError, refused, syntax } from "./pattern-errors.js";
import { ANY_BUT_LINE_END, type CodePoints } from "./pattern-sets.js";
import {
  chars,
  choice,
  type EdgeKind,
  edge,
  group,
  type Part,
  repeat,
  row,
} from "./pattern-tree.js";

/** The most code points of a pattern. */
export const MAX_PATTERN = 256;

/** The most that a count, or the product of counts in one another, may be. */
export const MAX_REPEAT = 1000;

/** The most that a pattern may weigh: sets of characters, its repeats written out. */
export const MAX_WEIGHT = 10_000;

const SURROGATE = /^[\ud800-\udfff]$/u;
const DIGIT = /^[0-9]$/;

/** How often something is repeated; without `most` there is no upper bound. */
interface Counts {
  readonly least: number;
  readonly most: number | undefined;
}

const STAR: Counts = { least: 0, most: undefined };
const PLUS: Counts = { least: 1, most: undefined };
const OPTIONAL: Counts = { least: 0, most: 1 };

/** A pattern that was read. */
export interface Parsed {
  readonly tree: Part;
  /** How many groups with a number it has. */
  readonly groups: number;
}

/**
 * The tree of a pattern, and how many groups with a number it has.
 *
 * @param source - What stands between the slashes.
 * @param ignoreCase - The flag `i`: letters are put into the tree in both cases.
 * @throws PatternError if it is outside the grammar.
 */
export function parsePattern(source: string, ignoreCase = false): Parsed {
  return new Reader(source, ignoreCase).read();
}

/** What the flags after a pattern say. */
export interface Flags {
  readonly ignoreCase: boolean;
  /** Whether `^` and `$` are of lines. */
  readonly multiline: boolean;
}

/**
 * What the flags after a pattern say.
 *
 * @throws PatternError if they are others than `i` and `m`, each once; its position counts
 *   from the first flag.
 */
export function parseFlags(flags: string): Flags {
  const letters = Array.from(flags);
  for (const [at, flag] of letters.entries()) {
    if ((flag !== "i" && flag !== "m") || letters.indexOf(flag) < at) {
      throw syntax(at, `the flags ${flags}`, "Write i, m, both or none, each once.");
    }
  }
  return { ignoreCase: flags.includes("i"), multiline: flags.includes("m") };
}

/** Brackets that are open, or the whole pattern. */
class Open {
  items: Part[] = [];
  readonly options: Part[] = [];
  repeatable = false;

  constructor(
    readonly start: number,
    readonly number: number,
  ) {}

  closeOption(): void {
    this.options.push(row(this.items));
    this.items = [];
    this.repeatable = false;
  }
}

/** One pass from left to right over a pattern. */
class Reader extends CharacterReader {
  private groups = 0;
  private here = new Open(0, 0);
  private readonly outside: Open[] = [];

  read(): Parsed {
    this.checkText();
    for (let letter = this.letters[this.at]; letter !== undefined; ) {
      this.part(letter);
      letter = this.letters[this.at];
    }
    if (this.outside.length > 0) {
      throw syntax(this.here.start, "a ( without its )", "Close it, or write \\(.");
    }
    this.here.closeOption();
    const tree = choice(this.here.options);
    if (tree.weight > MAX_WEIGHT) {
      throw beyond(
        0,
        `The regular expression weighs ${tree.weight} with its repeats written out;` +
          ` at most ${MAX_WEIGHT} is allowed`,
        "Lower its counts, or write * or + in place of a high one.",
      );
    }
    return { tree, groups: this.groups };
  }

  private checkText(): void {
    const size = this.letters.length;
    if (size === 0) throw syntax(0, "nothing in it", "Write what it is to match.");
    if (size > MAX_PATTERN) {
      throw beyond(
        MAX_PATTERN,
        `The regular expression has ${size} characters;` +
          ` at most ${MAX_PATTERN} are allowed`,
        "Shorten it, or take the text apart in several calls.",
      );
    }
    const half = this.letters.findIndex((letter) => SURROGATE.test(letter));
    if (half >= 0) {
      throw refused(half, "half of a surrogate pair", "Write the whole character.");
    }
  }

  private part(letter: string): void {
    const at = this.at;
    this.at += 1;
    switch (letter) {
      case "(":
        this.openGroup(at);
        break;
      case ")":
        this.closeGroup(at);
        break;
      case "|":
        this.here.closeOption();
        break;
      case "^":
      case "$":
        this.addEdge(letter);
        break;
      case "[":
        this.add(this.charClass(at));
        break;
      case ".":
        this.add(ANY_BUT_LINE_END);
        break;
      case "\\":
        this.escape(at);
        break;
      case "*":
      case "+":
      case "?":
      case "{":
        this.quantifier(at, letter);
        break;
      case "]":
      case "}":
        throw refused(at, `a ${letter} without its other half`, `Write \\${letter} for it.`);
      default:
        this.add(this.literal(at, letter.codePointAt(0) ?? 0));
    }
  }

  private add(points: CodePoints): void {
    this.here.items.push(chars(points));
    this.here.repeatable = true;
  }

  private addEdge(kind: EdgeKind): void {
    this.here.items.push(edge(kind));
    this.here.repeatable = false;
  }

  // Groups.

  private openGroup(at: number): void {
    let number = 0;
    if (this.startsWith("(?:", at)) {
      this.at = at + 3;
    } else if (this.startsWith("(?", at)) {
      throw groupError(at, this.between(at, at + 4));
    } else {
      this.groups += 1;
      number = this.groups;
    }
    this.outside.push(this.here);
    this.here = new Open(at, number);
  }

  private closeGroup(at: number): void {
    const around = this.outside.pop();
    if (around === undefined) throw syntax(at, "a ) without its (", "Remove it, or write \\).");
    const closed = this.here;
    closed.closeOption();
    this.here = around;
    this.here.items.push(group(choice(closed.options), closed.number));
    this.here.repeatable = true;
  }

  // Repeats.

  private quantifier(at: number, letter: "*" | "+" | "?" | "{"): void {
    const { least, most } = this.bounds(at, letter);
    const body = this.here.repeatable ? this.here.items.pop() : undefined;
    if (body === undefined) {
      throw syntax(
        at,
        `${this.between(at, this.at)} with nothing before it to repeat`,
        `Write \\${letter} for the character, or remove it.`,
      );
    }
    const lazy = this.startsWith("?", this.at);
    if (lazy) this.at += 1;
    checkRepeat(at, body, least, most);
    const made = repeat(body, least, most, lazy);
    if (made.product > MAX_REPEAT) {
      throw beyond(
        at,
        `The regular expression repeats a part ${made.product} times;` +
          ` at most ${MAX_REPEAT} are allowed`,
        "Lower its counts, or write * or + in place of a high one.",
      );
    }
    this.here.items.push(made);
    this.here.repeatable = false;
  }

  private bounds(at: number, letter: "*" | "+" | "?" | "{"): Counts {
    switch (letter) {
      case "*":
        return STAR;
      case "+":
        return PLUS;
      case "?":
        return OPTIONAL;
      case "{":
        return this.counts(at);
    }
  }

  /** The counts of `{n}`, `{n,}` or `{n,m}`, past which it goes. */
  private counts(at: number): Counts {
    const least = this.number();
    let most = least;
    if (least !== undefined && this.startsWith(",", this.at)) {
      this.at += 1;
      most = this.number();
    }
    if (least === undefined || !this.startsWith("}", this.at)) {
      const openBelow = this.startsWith("{,", at);
      throw refused(
        at,
        "a { that opens no count",
        openBelow ? "Write {0, for a count from 0." : "Write \\{ for it.",
      );
    }
    this.at += 1;
    if (most !== undefined && most < least) {
      throw syntax(at, `a count from ${least} to ${most}`, "Write the smaller one first.");
    }
    const greatest = most ?? least;
    if (greatest > MAX_REPEAT) {
      throw beyond(
        at,
        `The regular expression has the count ${greatest};` +
          ` at most ${MAX_REPEAT} are allowed`,
        "Lower it, or write * or + in its place.",
      );
    }
    return { least: Number(least), most: most === undefined ? undefined : Number(most) };
  }

  /** A number, however many digits it has, so that a message can repeat it. */
  private number(): bigint | undefined {
    const start = this.at;
    while (DIGIT.test(this.letters[this.at] ?? "")) this.at += 1;
    return this.at > start ? BigInt(this.between(start, this.at)) : undefined;
  }

  private escape(at: number): void {
    const letter = this.letters[this.at];
    if (letter === "b" || letter === "B") {
      this.addEdge(letter);
      this.at += 1;
    } else {
      this.add(this.escaped(at).points);
    }
  }
}

/** Refuse what ECMAScript and RE2 repeat differently. */
function checkRepeat(at: number, body: Part, least: number, most: number | undefined): void {
  if (body.captures && most !== 1) {
    throw refused(
      at,
      "a group that captures inside a repeat",
      "Write (?:...) for it, or put the whole repeat into one group: ((?:...)*).",
    );
  }
  if (body.captures && least === 0 && body.nullable) {
    throw refused(
      at,
      "a group that captures inside an optional part that can match nothing",
      "Let the part match at least one character, or leave out the ? after it.",
    );
  }
  if (body.nullable && !body.emptyLast && least !== most) {
    throw refused(
      at,
      "a repeat of a part that tries to match nothing before it tries to match more",
      "Let the part match at least one character.",
    );
  }
}
