/** Blank space and the letters of words, by the same lists of Unicode in every engine. */

/** The characters that are blank space, for a class of a regular expression. */
export const BLANK =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** The characters of a word, for a class of a regular expression with the flag `u`. */
export const WORDY = "\\p{L}\\p{N}_";

const IS_BLANK = new RegExp(`[${BLANK}]`);

/** A text without the blank space around it. */
export function trimmed(text: string): string {
  return trimmedEnd(text).slice(margin(text));
}

/** A text without the blank space behind it. */
export function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && IS_BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** How long the blank space before a text is. */
export function margin(text: string): number {
  let start = 0;
  while (start < text.length && IS_BLANK.test(text.charAt(start))) start += 1;
  return start;
}
