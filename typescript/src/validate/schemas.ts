/**
 * The part of JSON Schema that plans are checked by, and silence about the rest.
 *
 * A tool's schema comes from anywhere. What is read is read strictly: `type`, `enum`,
 * `properties`, `required`, a single `items` and local `$ref`. Where anything else could
 * change the answer there is no answer, so a plan is never refused for a guess.
 */

import { isObject, type Members } from "../values/index.js";
import { own, put } from "../wire/objects.js";

/** An object of JSON Schema. */
export type Schema = Readonly<Members>;

const MOST_REFERENCES = 64;

// Under these an object may have members that `properties` does not name.
const OPENING: readonly string[] = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "unevaluatedProperties",
  "$dynamicRef",
  "$recursiveRef",
];
const WORDS: ReadonlyMap<unknown, string> = new Map([
  ["integer", "an integer"],
  ["number", "a number"],
  ["string", "a string"],
  ["boolean", "true or false"],
  ["array", "an array"],
  ["object", "an object"],
  ["null", "null"],
]);

/**
 * A schema with its local references followed; undefined if nothing is known.
 *
 * @param schema - Any part of `root`.
 * @param root - The whole schema, which `#/...` points into.
 */
export function resolved(schema: unknown, root: Schema): Schema | undefined {
  let here = schema;
  let beside: Schema | undefined;
  for (let count = 0; count < MOST_REFERENCES; count += 1) {
    if (!isObject(here)) return undefined;
    if (!Object.hasOwn(here, "$ref")) return beside === undefined ? here : over(here, beside);
    const { $ref: reference, ...others } = here;
    // What stands beside a reference, such as a default, is about this place.
    if (Object.keys(others).length > 0) beside = over(others, beside ?? {});
    here = pointed(reference, root);
  }
  return undefined;
}

/** A schema with the members of another over its own. */
function over(schema: Schema, others: Schema): Schema {
  const result: Members = {};
  for (const [name, member] of Object.entries(schema)) put(result, name, member);
  for (const [name, member] of Object.entries(others)) put(result, name, member);
  return result;
}

function pointed(reference: unknown, root: Schema): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  if (reference.length > 1 && reference[1] !== "/") return undefined;
  let here: unknown = root;
  for (const written of unquoted(reference.slice(1)).split("/").slice(1)) {
    const part = written.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(here)) here = /^[0-9]+$/.test(part) ? here[Number(part)] : undefined;
    else if (isObject(here)) here = own(here, part);
    else return undefined;
  }
  return here;
}

const ASCII = /[\0-\x7f]+/g;
const ESCAPE = /%([0-9A-Fa-f]{2})|./gs;
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** A text without percent signs; what is no UTF-8 becomes U+FFFD, as browsers have it. */
function unquoted(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(ASCII, (run) => {
    const bytes = Array.from(run.matchAll(ESCAPE), ([char, code]) =>
      code === undefined ? char.charCodeAt(0) : Number.parseInt(code, 16),
    );
    return DECODER.decode(Uint8Array.from(bytes));
  });
}

/** The types that a schema allows; none if it does not say, or says it in other words. */
export function typesOf(schema: Schema): readonly string[] {
  const written = own(schema, "type");
  const types: unknown = typeof written === "string" ? [written] : written;
  if (!Array.isArray(types) || !types.every((name) => WORDS.has(name))) return [];
  const nullable = own(schema, "nullable") === true && !types.includes("null");
  return nullable ? [...types, "null"] : types;
}

/** Whether a JSON value is of one of the types. */
export function hasType(value: unknown, types: readonly string[]): boolean {
  if (value === null) return types.includes("null");
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value !== "number") return types.includes(typeof value);
  return types.includes("number") || (Number.isInteger(value) && types.includes("integer"));
}

/** Types in words: `an integer`, `a string or null`. */
export function describe(types: readonly string[]): string {
  return types.map((name) => WORDS.get(name)).join(" or ");
}

/** The properties that a schema names, else undefined. */
export function propertiesOf(schema: Schema): Schema | undefined {
  const properties = own(schema, "properties");
  return isObject(properties) ? properties : undefined;
}

/** The required names, in the order of the properties, then of `required` itself. */
export function requiredOf(schema: Schema): readonly string[] {
  const required = own(schema, "required");
  if (!Array.isArray(required)) return [];
  const names: string[] = required.filter((name) => typeof name === "string");
  const wanted = new Set(names);
  const known = Object.keys(propertiesOf(schema) ?? {}).filter((name) => wanted.has(name));
  return [...new Set([...known, ...names])];
}

/** Whether a name that `properties` does not have is certainly wrong. */
export function isClosed(schema: Schema): boolean {
  const additional = own(schema, "additionalProperties");
  if (propertiesOf(schema) === undefined || additional === true || isObject(additional)) {
    return false;
  }
  return !OPENING.some((word) => Object.hasOwn(schema, word));
}

/** Whether a property may be left out although it is required: it has a default. */
export function isOptional(schema: unknown, root: Schema): boolean {
  const known = resolved(schema, root);
  return known !== undefined && Object.hasOwn(known, "default");
}

/** The one schema of all items, else undefined. */
export function itemsOf(schema: Schema): unknown {
  const items = own(schema, "items");
  return isObject(items) && !Object.hasOwn(schema, "prefixItems") ? items : undefined;
}

/** Whether two JSON values are equal. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameJson(item, other[at]))
    );
  }
  if (isObject(one)) {
    if (!isObject(other)) return false;
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
    );
  }
  return one === other;
}
