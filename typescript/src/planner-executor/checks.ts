/** What a host's options have in common, refused at once with what to write instead. */

import { anyOf, closest, quoted } from "../diagnostics.js";

/**
 * A whole number from 1.
 *
 * @throws TypeError if it is no number.
 * @throws RangeError if it is another number.
 */
export function whole(name: string, given: unknown): number {
  const wrong = `${name} must be a whole number, 1 or more`;
  if (typeof given !== "number") throw new TypeError(wrong);
  if (!Number.isSafeInteger(given) || given < 1) throw new RangeError(wrong);
  return given;
}

/**
 * Refuse what has a name that is not known.
 *
 * @throws TypeError if there is one.
 */
export function checkNames(option: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = closest(name, known) ?? known.find((each) => folded(each) === folded(name));
    const hint = meant === undefined ? `it has ${anyOf(known)}` : `write ${quoted(meant)}`;
    throw new TypeError(`${option} has no ${quoted(name)}: ${hint}`);
  }
}

function folded(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}
