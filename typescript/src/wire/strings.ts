/** Text without JSON's white space, and the order of texts by code point. */

const BEFORE = /^[ \t\n\r]+/;
const SPACE = " \t\n\r";

/** A text without JSON's white space before it. */
export function leftStripped(text: string): string {
  return text.replace(BEFORE, "");
}

/** A text without JSON's white space around it. */
export function stripped(text: string): string {
  let end = text.length;
  // A pattern that is anchored at the end would look at each run of spaces anew.
  while (end > 0 && SPACE.includes(text.charAt(end - 1))) end -= 1;
  return leftStripped(text.slice(0, end));
}

/** Which of two texts stands before the other by code point, for a sort. */
export function byCodePoint(one: string, other: string): number {
  const least = Math.min(one.length, other.length);
  for (let at = 0; at < least; at += 1) {
    const difference = rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** A unit so that halves of pairs, which stand for the highest code points, come last. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
