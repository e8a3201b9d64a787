/** Literals that have a grammar of their own: regular expressions, and pictures of numbers. */

import { pictureProblem } from "../functions/number-pictures.js";
import { PatternError } from "../functions/pattern-errors.js";
import { parseFlags, parsePattern } from "../functions/pattern-grammar.js";
import type { Parsed } from "./parsed.js";
import { unitsOf } from "./points.js";
import { Fault } from "./problems.js";
import type { Scan } from "./scan.js";
import type { Pattern } from "./tokens.js";

/**
 * Why a regular expression may not be used; undefined if it may.
 *
 * @param written - What stands between the slashes and after them.
 * @param position - Where its first slash stands.
 */
export function patternFault(written: Pattern, position: number): Fault | undefined {
  const { source, flags } = written;
  const inside = position + 1;
  let ignoreCase: boolean;
  try {
    ({ ignoreCase } = parseFlags(flags));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return fault(error.code, inside + source.length + 1 + error.position, error);
  }
  try {
    parsePattern(source, ignoreCase);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return fault(error.code, inside + unitsOf(source, error.position), error);
  }
  return undefined;
}

/**
 * Why the picture that a call of `$formatNumber` ends with may not be used.
 *
 * @param scan - The text, for the place in it.
 * @param given - The call's arguments as they were parsed; a picture that is no literal is
 *   looked at when it is known.
 */
export function pictureFault(scan: Scan, given: readonly Parsed[]): Fault | undefined {
  const written = given.at(-1);
  if (written?.type !== "string") return undefined;
  const error = pictureProblem(written.value);
  if (error === undefined) return undefined;
  const start = written.position;
  // With an escape before it, the place in the value is none in the text.
  const plain = scan.text.startsWith(written.value, start + 1);
  const inside = start + 1 + unitsOf(written.value, error.position);
  return fault("not_in_profile", plain ? inside : start, error);
}

function fault(
  code: string,
  position: number,
  error: { readonly message: string; readonly hint: string },
): Fault {
  const hint = withSmallLetter(error.hint);
  return new Fault(
    code,
    position,
    withSmallLetter(error.message),
    hint.endsWith(".") ? hint.slice(0, -1) : hint,
  );
}

function withSmallLetter(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
