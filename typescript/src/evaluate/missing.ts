/** What to say where a name must exist and does not. */

import { listing } from "../diagnostics.js";
import { EvaluationError, MAX_NESTING } from "../values/budget.js";
import { isObject } from "../values/index.js";
import { kind } from "../values/sequences.js";

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The error that a strict name makes, if it does.
 *
 * @param foundIn - The values in which the name gave nothing.
 * @param path - How they are reached, as a message shows it.
 * @param name - The name.
 * @returns undefined if there are no values, or an object among them does have the name.
 */
export function missingName(
  foundIn: readonly unknown[],
  path: string,
  name: string,
): EvaluationError | undefined {
  const fields = new Set<string>();
  const kinds = new Set<string>();
  for (const value of valuesIn(foundIn, 1)) {
    if (isObject(value)) {
      if (Object.hasOwn(value, name)) {
        return undefined;
      }
      for (const key of Object.keys(value)) {
        fields.add(key);
      }
    }
    kinds.add(kind(value));
  }
  if (kinds.size === 0) {
    return undefined;
  }
  return new EvaluationError(
    "no_value",
    messageFor(path, name, fields, kinds),
    hintFor(path, name, fields, kinds),
  );
}

function* valuesIn(foundIn: readonly unknown[], depth: number): Generator<unknown> {
  for (let at = 0; at < foundIn.length; at += 1) {
    const value = foundIn[at];
    if (!Array.isArray(value)) {
      yield value;
    } else if (depth <= MAX_NESTING) {
      yield* valuesIn(value, depth + 1);
    }
  }
}

function messageFor(
  path: string,
  name: string,
  fields: ReadonlySet<string>,
  kinds: ReadonlySet<string>,
): string {
  const whole = PLAIN_NAME.test(name) ? `${path}.${name}` : `${path}.\`${name}\``;
  if (!kinds.has("an object")) {
    const what = [...kinds].join(" and ");
    return `\`${whole}\` names no field: \`${path}\` is ${what}, not an object`;
  }
  if (fields.size === 0) {
    return `\`${whole}\` names no field: \`${path}\` is an object without fields`;
  }
  return `\`${whole}\` names no field; the fields of \`${path}\` are ${listing(fields)}`;
}

function hintFor(
  path: string,
  name: string,
  fields: ReadonlySet<string>,
  kinds: ReadonlySet<string>,
): string {
  const isText = kinds.size === 1 && kinds.has("text");
  if (name === "length") {
    return `for its length write $${isText ? "length" : "count"}(${path})`;
  }
  const hyphenated = [...fields].find((field) => field.startsWith(`${name}-`));
  if (hyphenated !== undefined) {
    return `a name with a hyphen stands in backticks: ${path}.\`${hyphenated}\``;
  }
  if (!kinds.has("an object")) {
    return isText
      ? `use \`${path}\` itself, or let the tool return an object`
      : `use \`${path}\` itself, or give a default with \`??\``;
  }
  if (fields.size === 0) {
    return "give a default with `??`, or let the tool return the field";
  }
  return "write one of these, or give a default with `??` if the field may be missing";
}
