/**
 * The search for the matches of a regular expression.
 *
 * RE2 finds one match at a time; which match comes next, and when a match of the empty text
 * is an error, is decided here as the reference decides it.
 */

import { MatcherInput, RE2JS } from "re2js";
import { failed } from "../values/budget.js";
import { numberToText } from "../values/doubles.js";
import { Opaque } from "../values/plain.js";
import { codePoints, hasPairs } from "../values/utf8.js";
import { parsePattern } from "./pattern-grammar.js";
import { framed, hasEdgeOfLine, looksFar, needsFrames, translated } from "./pattern-re2.js";
import type { Part } from "./pattern-tree.js";

/** Takes steps from the budget of an evaluation; throws if fewer are left. */
export type Charge = (steps: number) => void;

// A step pays for so many code points of a group.
const TEXT_OF_A_STEP = 8;
// Steps of each search, beside those for the text.
const SEARCH = 32;
// Steps, for each unit of weight, of a pattern too heavy to be kept compiled.
const COMPILING = 32;
const HEAVY = 1000;

/** Charges nothing. */
export function free(_steps: number): void {}

/** One match. */
export interface Match {
  /** What was matched. */
  readonly text: string;
  /** Where it begins, in code points. */
  readonly start: number;
  /** Where it ends, in code points. */
  readonly end: number;
  /** Where it begins, in UTF-16 units. */
  readonly from: number;
  /** Where it ends, in UTF-16 units. */
  readonly to: number;
  /** What each group with a number holds; undefined if it took no part. */
  readonly groups: readonly (string | undefined)[];
}

/** What a pattern is read with. */
export interface PatternFlags {
  /** The flag `i`. */
  readonly ignoreCase?: boolean;
  /** The flag `m`. */
  readonly multiline?: boolean;
}

/** What a search is made with. */
export interface SearchOptions {
  /** Whether the groups of a match are wanted; without them it is faster. */
  readonly groups?: boolean;
  /** Takes the steps that a search needs, before it starts. */
  readonly charge?: Charge;
}

/** The library's own machine of one pattern, which finds a match from a place on. */
type Engine = ReturnType<RE2JS["re2"]>;

const UNANCHORED = 0;

/** A regular expression of the grammar, compiled when it is first used. */
export class Pattern extends Opaque {
  /** How many groups with a number it has. */
  readonly groups: number;
  private readonly tree: Part;
  private readonly weight: number;
  private readonly far: boolean;
  private readonly multiline: boolean;
  private readonly lines: boolean;
  private readonly engines = new Map<string, Engine>();

  /**
   * @param source - What stands between the slashes.
   * @param flags - The flags after them.
   * @throws PatternError if it is outside the grammar.
   */
  constructor(
    readonly source: string,
    { ignoreCase = false, multiline = false }: PatternFlags = {},
  ) {
    super();
    const { tree, groups } = parsePattern(source, ignoreCase);
    this.tree = tree;
    this.groups = groups;
    this.weight = Math.max(1, tree.weight);
    this.far = looksFar(tree);
    this.multiline = multiline;
    this.lines = multiline && hasEdgeOfLine(tree);
  }

  /**
   * Whether there is a match in a text.
   *
   * @param text - Where to look.
   * @param charge - Takes the steps that the search needs, before it starts.
   */
  found(text: string, charge: Charge = free): boolean {
    if (this.lines && needsFrames(text)) {
      return this.search(text, { groups: false, charge }).next().done !== true;
    }
    this.chargeSearch(codePoints(text), charge);
    return this.engine(false, false, charge).match(text);
  }

  /**
   * The matches in a text, each searched for when it is asked for.
   *
   * @param text - Where to look.
   * @param options - What is wanted.
   * @throws EvaluationError if a match after the first is empty, or the steps are used up.
   */
  *search(
    text: string,
    { groups = true, charge = free }: SearchOptions = {},
  ): Generator<Match, void> {
    const size = codePoints(text);
    this.chargeSearch(size, charge);
    const frames = this.lines && needsFrames(text);
    const wanted = groups ? this.groups : 0;
    const subject = new Subject(text, frames);
    const engine = this.engine(wanted > 0, frames, charge);
    for (let isFirst = true; ; isFirst = false) {
      const match = subject.next(engine, wanted);
      if (match === undefined) return;
      if (match.start === match.end && !isFirst) throw this.endless(match.start);
      for (const group of match.groups) {
        if (group) charge(Math.floor(codePoints(group) / TEXT_OF_A_STEP));
      }
      yield match;
      const rest = size - match.end;
      if (rest === 0) return;
      this.chargeSearch(this.far ? rest : Math.min(rest, this.weight), charge);
    }
  }

  private chargeSearch(ahead: number, charge: Charge): void {
    charge(SEARCH + ahead * this.weight);
  }

  private endless(place: number): Error {
    return failed(
      `the regular expression /${this.source}/ matches the empty text at ` +
        `${numberToText(place)}, where it would do so again and again`,
      "let it match at least one character, as + does in place of *",
    );
  }

  private engine(captures: boolean, frames: boolean, charge: Charge): Engine {
    const key = `${captures} ${frames}`;
    const kept = this.engines.get(key);
    if (kept !== undefined) return kept;
    if (this.weight > HEAVY) charge(this.weight * COMPILING);
    const how = { multiline: this.multiline, captures, frames };
    const engine = RE2JS.compile(translated(this.tree, how)).re2();
    // It would look through all that is left of a text before each search, which nobody pays.
    engine.prefilter = null;
    if (this.weight <= HEAVY) this.engines.set(key, engine);
    return engine;
  }
}

/** A text that is searched, as RE2 reads it: with or without frames. */
class Subject {
  private readonly data: string;
  private readonly input: ReturnType<typeof MatcherInput.utf16>;
  private readonly pairs: boolean;
  // Where the next search begins: in the data, and in the text in units and code points.
  private at = 0;
  private units = 0;
  private points = 0;

  constructor(
    private readonly text: string,
    private readonly frames: boolean,
  ) {
    this.data = frames ? framed(text) : text;
    this.input = MatcherInput.utf16(this.data);
    this.pairs = hasPairs(text);
  }

  /** The next match, if there is one; the search after it begins at its end. */
  next(engine: Engine, groups: number): Match | undefined {
    const spans = this.spans(engine, groups);
    if (spans === undefined) return undefined;
    const [start = 0, end = 0] = spans;
    const from = this.units + this.unitsOf(this.at, start);
    const to = from + this.unitsOf(start, end);
    const first = this.points + this.pointsOf(this.units, from);
    const last = first + this.pointsOf(from, to);
    const held: (string | undefined)[] = [];
    for (let group = 1; group <= groups; group += 1) {
      const low = spans[2 * group] ?? -1;
      const high = spans[2 * group + 1] ?? -1;
      if (low < 0) {
        held.push(undefined);
      } else {
        const place = from + this.unitsOf(start, low);
        held.push(this.text.slice(place, place + this.unitsOf(low, high)));
      }
    }
    this.at = end;
    this.units = to;
    this.points = last;
    return { text: this.text.slice(from, to), start: first, end: last, from, to, groups: held };
  }

  /** Where in the data the next match and its groups begin and end. */
  private spans(engine: Engine, groups: number): readonly number[] | undefined {
    const { data, input } = this;
    let at = this.at;
    for (;;) {
      const [found, spans] = engine.matchWithGroup(
        input,
        at,
        data.length,
        UNANCHORED,
        1 + groups,
      ) as [boolean, number[] | null];
      const start = found ? spans?.[0] : undefined;
      if (start === undefined || spans === null) return undefined;
      // A match that begins inside a frame is none.
      if (!this.frames || newlines(data, at, start) % 2 === 0) return spans;
      at = data.indexOf("\n", start) + 1;
    }
  }

  /** How many units of the text a stretch of the data stands for. */
  private unitsOf(start: number, end: number): number {
    return end - start - (this.frames ? newlines(this.data, start, end) : 0);
  }

  /** How many code points a stretch of the text has. */
  private pointsOf(start: number, end: number): number {
    return this.pairs ? codePoints(this.text.slice(start, end)) : end - start;
  }
}

function newlines(data: string, start: number, end: number): number {
  let count = 0;
  for (let at = data.indexOf("\n", start); at >= 0 && at < end; count += 1) {
    at = data.indexOf("\n", at + 1);
  }
  return count;
}
