/**
 * Writes a pattern for RE2 such that it matches what ECMAScript would match.
 *
 * Nothing is left to RE2's own reading: sets are spelled out by code point and edges in the
 * one form that has the ECMAScript meaning. Where `^` and `$` stand at every line, RE2 knows
 * one end of a line only; the text is then rewritten so that each end of a line stands
 * between two newlines, and the pattern with it (`framed`).
 */

import { type CodePoints, complement, LINE_ENDS, without } from "./pattern-sets.js";
import type { EdgeKind, Part, Repeat } from "./pattern-tree.js";

// A frame's middle says which end of a line it stands for. It need not be rare: in the
// framed text every newline belongs to a frame.
const MIDDLES: ReadonlyMap<string, string> = new Map([
  ["\n", "\x01"],
  ["\r", "\x02"],
  ["\u2028", "\x03"],
  ["\u2029", "\x04"],
]);
const LINE_END = /[\n\r\u2028\u2029]/g;
const RARE_END = /[\r\u2028\u2029]/;

type Edges = Readonly<Record<EdgeKind, string>>;

const WHOLE_TEXT: Edges = { "^": "\\A", $: "\\z", b: "\\b", B: "\\B" };
const EVERY_LINE: Edges = { ...WHOLE_TEXT, "^": "(?m:^)", $: "(?m:$)" };
const LAST = 0x10ffff;
const ALPHANUMERIC = /^[0-9A-Za-z]$/;

/** Whether a text has an end of a line that RE2 does not know as one. */
export function needsFrames(text: string): boolean {
  return RARE_END.test(text);
}

/** A text with every end of a line as three characters, the outer two of them newlines. */
export function framed(text: string): string {
  return text.replace(LINE_END, (end) => `\n${MIDDLES.get(end)}\n`);
}

/** Whether `^` or `$` stands in a pattern. */
export function hasEdgeOfLine(part: Part): boolean {
  switch (part.kind) {
    case "edge":
      return part.edge === "^" || part.edge === "$";
    case "group":
    case "repeat":
      return hasEdgeOfLine(part.body);
    case "row":
      return part.items.some(hasEdgeOfLine);
    case "choice":
      return part.options.some(hasEdgeOfLine);
    case "chars":
      return false;
  }
}

/** How a pattern is to be written. */
export interface Translation {
  /** The flag `m`. */
  readonly multiline: boolean;
  /** Whether groups with a number capture. */
  readonly captures: boolean;
  /** Whether the text is framed. */
  readonly frames: boolean;
}

/**
 * The pattern that RE2 is to be given.
 *
 * @param tree - The pattern, its letters in both cases if case is ignored.
 * @param how - How it is to be written.
 */
export function translated(tree: Part, how: Translation): string {
  const edges = how.multiline ? EVERY_LINE : WHOLE_TEXT;
  const write = (part: Part): string => {
    switch (part.kind) {
      case "chars":
        return how.frames ? framedSet(part.points) : set(part.points);
      case "edge":
        return edges[part.edge];
      case "group":
        return `${part.number > 0 && how.captures ? "(" : "(?:"}${write(part.body)})`;
      case "repeat":
        if (part.most === 0) return "(?:)";
        return write(part.body) + counts(part) + (part.lazy ? "?" : "");
      case "row":
        return part.items.map(write).join("");
      case "choice":
        return part.options.map(write).join("|");
    }
  };
  return write(tree);
}

function counts({ least, most }: Repeat): string {
  if (most === undefined && least <= 1) return least === 0 ? "*" : "+";
  if (least === 0 && most === 1) return "?";
  return least === most ? `{${least}}` : `{${least},${most ?? ""}}`;
}

function set(points: CodePoints): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "[^\\x{0}-\\x{10ffff}]";
  if (points.length === 1 && first[0] === first[1]) return point(first[0]);
  if (first[0] > 0 || last[1] < LAST) return `[${ranges(points)}]`;
  const rest = complement(points);
  return rest.length > 0 ? `[^${ranges(rest)}]` : "(?s:.)";
}

function ranges(points: CodePoints): string {
  return points
    .map(([first, last]) => (first === last ? point(first) : `${point(first)}-${point(last)}`))
    .join("");
}

function point(code: number): string {
  const letter = String.fromCodePoint(code);
  return ALPHANUMERIC.test(letter) ? letter : `\\x{${code.toString(16)}}`;
}

function framedSet(points: CodePoints): string {
  const rest = without(points, LINE_ENDS);
  const inside = without(points, rest);
  if (inside.length === 0) return set(points);
  let middles = "";
  for (const [end, middle] of MIDDLES) {
    const code = end.charCodeAt(0);
    if (inside.some(([first, last]) => first <= code && code <= last)) middles += middle;
  }
  const frame = `\\n[${middles}]\\n`;
  return rest.length > 0 ? `(?:${set(rest)}|${frame})` : `(?:${frame})`;
}

/** Where a part stands, which both hold for the whole pattern. */
interface Standing {
  /** Whether all that follows it may be empty. */
  readonly ends: boolean;
  /** Whether it stands in no choice and in no repeat. */
  readonly alone: boolean;
}

/**
 * Whether a search may read far beyond the match that it finds, again and again.
 *
 * A search reads on past a match while something that would be preferred may still come.
 * That is bounded, or is paid for by the matches themselves, if each repeat without an upper
 * bound either can stop with a match at any time, or is of one set of characters and stands
 * where every match must pass through it.
 *
 * @param part - A part of a pattern.
 * @param standing - Where it stands.
 */
export function looksFar(
  part: Part,
  standing: Standing = { ends: true, alone: true },
): boolean {
  switch (part.kind) {
    case "group":
      return looksFar(part.body, standing);
    case "choice":
      return part.options.some((option) => looksFar(option, { ...standing, alone: false }));
    case "row": {
      let { ends } = standing;
      for (const item of part.items.toReversed()) {
        if (looksFar(item, { ...standing, ends })) return true;
        ends = ends && item.nullable;
      }
      return false;
    }
    case "repeat":
      return repeatLooksFar(part, standing);
    case "chars":
    case "edge":
      return false;
  }
}

function repeatLooksFar({ body, least, most }: Repeat, { ends, alone }: Standing): boolean {
  if (most === undefined) {
    if (body.kind === "chars") return !(ends || alone);
    return !ends || looksFar(body, { ends: true, alone: false });
  }
  if (least === 1 && most === 1) return looksFar(body, { ends, alone });
  return looksFar(body, { ends: ends && (least <= 1 || body.nullable), alone: false });
}
