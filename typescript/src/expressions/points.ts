/**
 * Places of a text in code points, which is how a person and the limits count.
 *
 * Inside this room places are those of JavaScript's strings, in UTF-16 units; what leaves it
 * is told in code points. The two differ only behind characters outside the basic plane.
 */

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;
const SURROGATE = /[\ud800-\udfff]/;

/** How many code points a text has. */
export function points(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  return text.length - (text.match(PAIRS)?.length ?? 0);
}

/** Whether code points and UTF-16 units are counted alike in a text. */
export function isOfSingleUnits(text: string): boolean {
  return !SURROGATE.test(text);
}

/** The code points before a place in a text. */
export function pointsBefore(text: string, unit: number): number {
  return points(text.slice(0, unit));
}

/** The UTF-16 units that the first code points of a text have. */
export function unitsOf(text: string, count: number): number {
  if (!SURROGATE.test(text)) return Math.min(count, text.length);
  let unit = 0;
  for (let left = count; left > 0 && unit < text.length; left -= 1) {
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit;
}
