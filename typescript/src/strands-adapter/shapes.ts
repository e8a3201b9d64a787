/**
 * What a registered tool takes and returns, as JSON Schema, where that is known.
 *
 * MCP tools say both in their specification. A TypeScript function's return type is gone when
 * it runs, so of another tool its author has to say it: see `returning`.
 */

import type { Tool } from "@strands-agents/sdk";
import { z } from "zod";
import type { Schema } from "../validate/schemas.js";
import { isObject } from "../values/index.js";
import { isText, soleResult } from "./results.js";

const declared = new WeakMap<Tool, Schema>();

/**
 * Say what a tool returns, so that plans are checked against it before anything runs.
 *
 *     const findUser = returning(
 *       tool({ name: "find_user", inputSchema, callback }),
 *       z.object({ id: z.int(), name: z.string() }),
 *     );
 *
 * @param tool - The tool.
 * @param schema - What it returns, as a Zod schema or as JSON Schema. A declared text keeps
 *   literals such as `"5"` or `"true"` as text.
 * @returns The tool itself. The model is told nothing of it: that is for the description.
 */
export function returning<Given extends Tool>(tool: Given, schema: z.ZodType | Schema): Given {
  declared.set(tool, schema instanceof z.ZodType ? z.toJSONSchema(schema) : schema);
  return tool;
}

/** The schema of a tool's arguments. */
export function inputSchema(tool: Tool): Schema | undefined {
  return schemaOf(tool.toolSpec.inputSchema);
}

/**
 * The schema of what a tool returns, or undefined where nothing says it.
 *
 * A schema of text is given too: it decides how a result is read (`unwrapToolResult`).
 */
export function returnedSchema(tool: Tool): Schema | undefined {
  return declared.get(tool) ?? schemaOf(tool.toolSpec.outputSchema);
}

/**
 * The schema that a plan's paths into the tool's result are checked against, if any.
 *
 * A tool that returns text has none: the text may be a JSON document, which plans can read.
 */
export function checkedSchema(tool: Tool): Schema | undefined {
  const returned = returnedSchema(tool);
  // An MCP server's wrapper; a function that returns a `result` returns just that.
  const schema = (declared.has(tool) ? undefined : soleResult(returned)) ?? returned;
  return isText(schema) ? undefined : schema;
}

function schemaOf(given: unknown): Schema | undefined {
  return isObject(given) ? given : undefined;
}
