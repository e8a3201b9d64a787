/** Whether the paths into a step's result exist, where its tool says what it returns. */

import { closest, type Finding, listing, type Path, quoted } from "../diagnostics.js";
import type { Read } from "../expressions/index.js";
import { fieldText } from "../expressions/templates.js";
import {
  describe,
  isClosed,
  itemsOf,
  propertiesOf,
  resolved,
  type Schema,
  typesOf,
} from "./schemas.js";

const MOST_LISTS = 64;

/**
 * What is wrong with a path into a result, by the output schema of the step's tool.
 *
 * Lists are walked through, as a path in an expression walks through them; so the result of a
 * `for_each` step, a list of what the tool returns, needs no schema of its own.
 *
 * @param read - The path: a step's id and the strict names after it.
 * @param root - The output schema.
 * @param path - Where the expression stands.
 */
export function resultFinding(read: Read, root: Schema, path: Path): Finding | undefined {
  let here: unknown = root;
  let text = `steps.${fieldText(read.id)}`;
  for (const name of read.names) {
    const known = throughLists(here, root);
    if (known === undefined) return undefined;
    const types = typesOf(known);
    if (types.length > 0 && !types.includes("object")) {
      return noFields(name, text, describe(types), types.includes("string"), path);
    }
    const properties = propertiesOf(known) ?? {};
    if (Object.hasOwn(properties, name)) {
      here = properties[name];
    } else if (isClosed(known)) {
      return unknownField(name, text, Object.keys(properties), path);
    } else {
      here = Object.hasOwn(known, "additionalProperties")
        ? known.additionalProperties
        : undefined;
    }
    text += `.${fieldText(name)}`;
  }
  return undefined;
}

/** What a name is looked up in: the schema itself, or that of its items. */
function throughLists(schema: unknown, root: Schema): Schema | undefined {
  let here = schema;
  for (let count = 0; count < MOST_LISTS; count += 1) {
    const known = resolved(here, root);
    if (known === undefined) return undefined;
    const types = typesOf(known);
    if (!types.includes("array")) {
      return types.length > 0 || propertiesOf(known) !== undefined ? known : undefined;
    }
    if (types.includes("object")) return undefined;
    here = itemsOf(known);
  }
  return undefined;
}

function noFields(
  name: string,
  text: string,
  what: string,
  isText: boolean,
  path: Path,
): Finding {
  const count = isText ? "$length" : "$count";
  return {
    code: "unknown_result_field",
    path,
    message: `${text} is ${what} and has no field ${quoted(name)}`,
    hint: name === "length" ? `write ${count}(${text})` : `read ${text} itself`,
  };
}

function unknownField(
  name: string,
  text: string,
  fields: readonly string[],
  path: Path,
): Finding {
  const meant = closest(name, fields);
  const only = fields.length > 0 ? `, only ${listing(fields)}` : "";
  let hint = `read ${text} itself`;
  if (name === "length") hint = `write $count(${text})`;
  else if (meant !== undefined) hint = `change ${quoted(name)} to ${quoted(meant)}`;
  else if (fields.length > 0) hint = `change ${quoted(name)} to one of them`;
  return {
    code: "unknown_result_field",
    path,
    message: `${text} has no field ${quoted(name)}${only}`,
    hint,
  };
}
