/** How long a text is: in bytes of UTF-8 and in code points, which limits and charges count. */

const ENCODER = new TextEncoder();
const BEYOND_ASCII = /[^\0-\x7f]/;
// A text longer than this is sooner encoded at once than gone through unit by unit.
const LONG = 500;

/** The bytes of a text in UTF-8; half a surrogate pair takes three. */
export function utf8Size(text: string): number {
  const length = text.length;
  if (!BEYOND_ASCII.test(text)) return length;
  if (length > LONG) return ENCODER.encode(text).length;
  let size = length;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    size += unit < 0x800 ? 1 : 2;
    // A whole pair takes four bytes: two for its units, and two more.
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at += 1;
  }
  return size;
}

/** The code points of a text; half a surrogate pair is one of its own. */
export function codePoints(text: string): number {
  const length = text.length;
  let count = length;
  if (!hasPairs(text)) return count;
  for (let at = 0; at + 1 < length; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** Whether a text has a character of two UTF-16 units. */
export function hasPairs(text: string): boolean {
  return PAIR.test(text);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
