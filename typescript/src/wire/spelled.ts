/** Lists and objects that stand where the text of an expression belongs. */

import { isObject, toJsonText } from "../values/index.js";

const READS = /(?<![A-Za-z0-9_.])\$?(?:steps|input|item)\.[A-Za-z_`"]/;

/** Whether a text in a value, at any depth, looks like an expression that reads. */
export function readsSomething(value: unknown): boolean {
  if (typeof value === "string") return READS.test(value);
  if (Array.isArray(value)) return value.some(readsSomething);
  return isObject(value) && Object.values(value).some(readsSomething);
}

/** A value as the expression that it was meant for: texts that read stand as they are. */
export function asExpression(value: unknown): string {
  if (typeof value === "string" && readsSomething(value)) return value;
  if (Array.isArray(value)) return `[${value.map(asExpression).join(", ")}]`;
  if (!isObject(value)) return toJsonText(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${toJsonText(key)}: ${asExpression(member)}`,
  );
  return `{${members.join(", ")}}`;
}
