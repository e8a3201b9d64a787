/**
 * Sets of code points, as the classes of a regular expression name them.
 *
 * A set is its inclusive ranges in ascending order, which neither overlap nor touch, so that
 * equal sets have equal ranges.
 */

/** A set of code points; see the head of this file. */
export type CodePoints = readonly CodeRange[];

/** From a code point to another, both included. */
export type CodeRange = readonly [first: number, last: number];

/** The last code point of ASCII. */
export const LAST_ASCII = 0x7f;

const LAST = 0x10ffff;
const CASE = 0x20;
const CASES = [
  { low: 0x61, high: 0x7a, other: -CASE },
  { low: 0x41, high: 0x5a, other: CASE },
] as const;

/** The set of all that some ranges hold, whatever their order. */
export function union(ranges: readonly CodeRange[]): CodePoints {
  const merged: CodeRange[] = [];
  const sorted = ranges.toSorted((one, other) => one[0] - other[0] || one[1] - other[1]);
  for (const [first, last] of sorted) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) {
      merged[merged.length - 1] = [before[0], Math.max(before[1], last)];
    } else {
      merged.push([first, last]);
    }
  }
  return merged;
}

/** All code points that are not in a set. */
export function complement(points: CodePoints): CodePoints {
  const gaps: CodeRange[] = [];
  let due = 0;
  for (const [first, last] of points) {
    if (due < first) gaps.push([due, first - 1]);
    due = last + 1;
  }
  if (due <= LAST) gaps.push([due, LAST]);
  return gaps;
}

/** What is in the first set and not in the second. */
export function without(points: CodePoints, others: CodePoints): CodePoints {
  return complement(union([...complement(points), ...others]));
}

/** The set of one character. */
export function single(code: number): CodePoints {
  return [[code, code]];
}

/** A set with the other case of each ASCII letter in it; no other letter has one here. */
export function withBothCases(points: CodePoints): CodePoints {
  const more = [...points];
  for (const { low, high, other } of CASES) {
    for (const [first, last] of points) {
      const start = Math.max(first, low);
      const end = Math.min(last, high);
      if (start <= end) more.push([start + other, end + other]);
    }
  }
  return union(more);
}

/** `\d`. */
export const DIGIT: CodePoints = [[0x30, 0x39]];

/** `\w`. */
export const WORD: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** `\s`: what ECMAScript calls white space or the end of a line. */
export const SPACE: CodePoints = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** What `.` does not match, and what `^` and `$` stand beside under the flag m. */
export const LINE_ENDS: CodePoints = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** `.`. */
export const ANY_BUT_LINE_END: CodePoints = complement(LINE_ENDS);
