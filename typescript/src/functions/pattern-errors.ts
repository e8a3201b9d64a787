/**
 * Why a regular expression is refused, in the words that a plan's author reads.
 *
 * `PatternError` is all that a reader of patterns throws: each says what is wrong, where, and
 * the edit that mends it.
 */

const GROUPS = [
  ["(?=", "a lookahead", "Match the text after it too, and take the part wanted from a group."],
  ["(?!", "a lookahead", "Match without it, and leave out with a filter what is not wanted."],
  [
    "(?<=",
    "a lookbehind",
    "Match the text before it too, and take the part wanted from a group.",
  ],
  ["(?<!", "a lookbehind", "Match without it, and leave out with a filter what is not wanted."],
  ["(?<", "a group with a name", "Write a plain group, (...), and use its number."],
  ["(?P", "a group with a name", "Write a plain group, (...), and use its number."],
  ["(?#", "a comment", "Remove it."],
  ["(?>", "an atomic group", "Write (?:...)."],
] as const;

const ESCAPED: ReadonlyMap<string, readonly [meaning: string, hint: string]> = new Map([
  ["A", ["the start of the text", "Write ^."]],
  ["Z", ["the end of the text", "Write $."]],
  ["z", ["the end of the text", "Write $."]],
  ["C", ["a single byte", "Write [\\s\\S] for any character."]],
  ["p", ["a class of Unicode", "Name the characters, as in [a-zA-Z]."]],
  ["P", ["a class of Unicode", "Name the characters, as in [^a-zA-Z]."]],
  ["c", ["a control character", "Write its code, as in \\x01."]],
  ["k", ["a back-reference", "Leave it out, and compare the groups of the match afterwards."]],
  ["Q", ["a quotation", "Put a backslash before each special character."]],
  ["E", ["the end of a quotation", "Put a backslash before each special character."]],
  ["h", ["blank space", "Write [ \\t]."]],
  ["R", ["the end of a line", "Write \\r?\\n."]],
  ["N", ["any character of a line", "Write a dot."]],
  ["K", ["a new start of the match", "Take the part wanted from a group."]],
  ["G", ["the end of the last match", "Leave it out."]],
  ["a", ["the bell", "Write \\x07."]],
  ["e", ["the escape character", "Write \\x1B."]],
  ["0", ["the character NUL", "Write \\x00."]],
]);

const BACK_REFERENCE = /^[1-9]$/;

/** A pattern is outside the grammar. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  /**
   * @param code - `syntax` if ECMAScript refuses it too, else `not_in_profile`.
   * @param position - Where, in code points from the start of the pattern.
   * @param message - What is wrong.
   * @param hint - The edit that mends it.
   */
  constructor(
    readonly code: "syntax" | "not_in_profile",
    readonly position: number,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/**
 * Brackets that open with `(?` and no `:`.
 *
 * @param at - Where they open, in code points.
 * @param opening - The pattern from there on.
 */
export function groupError(at: number, opening: string): PatternError {
  for (const [start, name, hint] of GROUPS) {
    if (opening.startsWith(start)) return refused(at, `${name}, ${start}`, hint);
  }
  const [, , flag = ""] = opening;
  return refused(
    at,
    `flags inside it, (?${flag}`,
    "Write flags after its closing slash, as in /a/i.",
  );
}

/** A backslash before a character that it gives no meaning in every language. */
export function escapeError(at: number, letter: string): PatternError {
  if (BACK_REFERENCE.test(letter)) {
    return refused(
      at,
      `a back-reference, \\${letter}`,
      "Leave it out, and compare the groups of the match afterwards.",
    );
  }
  const known = ESCAPED.get(letter);
  if (known !== undefined) {
    const [meaning, hint] = known;
    return refused(at, `\\${letter}, which other languages read as ${meaning}`, hint);
  }
  if (letter < " ") {
    return refused(at, "a backslash before a control character", "Write its code: \\x0A.");
  }
  return refused(
    at,
    `\\${letter}, which is no escape`,
    `Write ${letter} without the backslash.`,
  );
}

/** What ECMAScript has and the grammar leaves out. */
export function refused(position: number, what: string, hint: string): PatternError {
  return new PatternError(
    "not_in_profile",
    position,
    `The regular expression has ${what}`,
    hint,
  );
}

/** What ECMAScript refuses too. */
export function syntax(position: number, what: string, hint: string): PatternError {
  return new PatternError("syntax", position, `The regular expression has ${what}`, hint);
}

/** What is over a limit. */
export function beyond(position: number, message: string, hint: string): PatternError {
  return new PatternError("not_in_profile", position, message, hint);
}
