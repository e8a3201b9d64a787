/** How messages show JSON: the same words for the same value in every language. */

import { quoted } from "../diagnostics.js";
import { codePoints, toJsonText } from "../values/index.js";

const SHOWN_CHARACTERS = 80;
const SHOWN_VALUES = 20;

/** What sort of JSON value it is, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "boolean":
      return "a boolean";
    case "string":
      return "a string";
    case "object":
      return "an object";
    default:
      return "a number";
  }
}

/** A value as JSON; a long string is cut, any other long value is only called its kind. */
export function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  const text = toJsonText(value);
  return codePoints(text) <= SHOWN_CHARACTERS ? text : kindOf(value);
}

/** Values to choose from: `1`, or `one of 1, "b"`; at most the first 20. */
export function oneOf(values: readonly unknown[]): string {
  const listed = values.slice(0, SHOWN_VALUES).map(shown).join(", ");
  if (values.length === 1) return listed;
  const rest = values.length - SHOWN_VALUES;
  return `one of ${listed}${rest > 0 ? ` and ${rest} more` : ""}`;
}
