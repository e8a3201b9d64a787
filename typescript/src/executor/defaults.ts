/** Data of a schema without what need not be written. */

import { z } from "zod";
import { isContainer, isObject, type Members } from "../values/index.js";

/**
 * The same data, its members in the order of the schema and without those that have their
 * default.
 *
 * @param schema - A schema of the models.
 * @param data - What fits it; values of no fixed shape in it are taken over as they are.
 */
export function withoutDefaults(schema: unknown, data: unknown): unknown {
  if (schema instanceof z.ZodObject && isObject(data)) {
    const made: Members = {};
    for (const [name, field] of Object.entries<unknown>(schema.shape)) {
      const usual = field instanceof z.ZodDefault ? field.def.defaultValue : undefined;
      const inner = field instanceof z.ZodDefault ? field.unwrap() : field;
      const member = data[name];
      if (member !== undefined && !isSame(member, usual)) {
        made[name] = withoutDefaults(inner, member);
      }
    }
    return made;
  }
  if (schema instanceof z.ZodArray && Array.isArray(data)) {
    return data.map((item) => withoutDefaults(schema.element, item));
  }
  if (schema instanceof z.ZodRecord && isObject(data)) {
    const members = Object.entries(data);
    return Object.fromEntries(
      members.map(([name, member]) => [name, withoutDefaults(schema.valueType, member)]),
    );
  }
  return schema instanceof z.ZodNullable ? withoutDefaults(schema.unwrap(), data) : data;
}

/** Whether a member is its default, which is a scalar, an empty list or an empty object. */
function isSame(member: unknown, usual: unknown): boolean {
  if (!isContainer(member) || !isContainer(usual)) return member === usual;
  return Object.keys(member).length === 0;
}
