/** Plain JSON as it is held and goes out, and the difference between nothing and null. */

import { utf8Size } from "./utf8.js";

/** Containers that may stand in one another. */
export const MAX_NESTING = 64;

/**
 * What an expression gives that matches nothing; unlike `null`, which is JSON's.
 *
 * It is `undefined`, which the data never holds.
 */
export const NOTHING = undefined;

/** The members of an object of the data. */
export type Members = Record<string, unknown>;

/** A value that is no JSON and may yet be an argument: a function, a regular expression. */
export abstract class Opaque {}

/** Whether a value is an object of the data: no list, and nothing that is no JSON. */
export function isObject(value: unknown): value is Members {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Opaque)
  );
}

/** Whether a value is a list or an object of the data. */
export function isContainer(value: unknown): value is Members | unknown[] {
  return typeof value === "object" && value !== null && !(value instanceof Opaque);
}

const SURROGATE = /[\ud800-\udfff]/u;

/** Whether a text is free of lone surrogates. */
export function isWellFormed(text: string): boolean {
  return !SURROGATE.test(text);
}

/** A deep copy of stored JSON, for whoever may change it. */
export function copyOut(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOut);
  const made: Members = {};
  for (const key of Object.keys(value)) made[key] = copyOut((value as Members)[key]);
  return made;
}

/**
 * Compact JSON as `JSON.stringify` writes it, integers with all their digits.
 *
 * @param value - Plain JSON.
 */
export function toJsonText(value: unknown): string {
  // `JSON.stringify` refuses a bigint, or asks a `toJSON` that a host may have given it.
  return holdsWide(value) ? writtenOut(value) : JSON.stringify(value);
}

function holdsWide(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  if (Array.isArray(value)) return value.some(holdsWide);
  for (const key of Object.keys(value)) if (holdsWide((value as Members)[key])) return true;
  return false;
}

function writtenOut(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(writtenOut).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${jsonString(key)}:${writtenOut(member)}`,
  );
  return `{${members.join(",")}}`;
}

/** The bytes of a value as compact JSON in UTF-8. */
export function jsonSize(value: unknown): number {
  return utf8Size(toJsonText(value));
}

/** A text as JSON writes it, quotes and all; a lone surrogate is escaped. */
export function jsonString(text: string): string {
  return JSON.stringify(text);
}
