/**
 * From what a Strands tool hands back to the plain JSON that a plan computes with.
 *
 * Strands wraps what a tool returns in blocks, each SDK in its own way, so the value has to be
 * read back out of them: the same value, whichever SDK it was. What a block cannot be read as
 * (an image, a document) stays out of the plan: a reference stands for it, and the block
 * itself goes wherever the whole reference is passed.
 */

import { ToolExecutionError } from "../errors.js";
import type { JsonValue } from "../models.js";
import type { Schema } from "../validate/schemas.js";
import { isObject, toJsonText } from "../values/index.js";
import { type Block, type Blocks, NotStorable, plain, reference } from "./blocks.js";

/** A tool result: the SDK's, or its plain form. */
export interface ToolResult {
  readonly toolUseId?: string | undefined;
  readonly status: string;
  readonly content: readonly Block[];
  /** What the tool threw, where Strands tells it. */
  readonly error?: Error | undefined;
}

// How the TypeScript SDK tells a list, which Bedrock does not take as JSON by itself.
const LISTED = "$value";
// How it tells that an MCP server gave no content at all.
const NO_OUTPUT = "Tool execution completed successfully with no output.";
const SAYS_NOTHING = "the tool reported an error and said nothing about it";
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const NO_JSON = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs;

/** What unwrapping goes by, beside the result itself. */
export interface UnwrapOptions {
  /**
   * The JSON Schema of what the tool returns, where it is known. A declared text keeps
   * literals such as `"5"` or `"true"` as text.
   */
  readonly outputSchema?: Schema | undefined;
  /** Where media blocks and texts are kept for the run. */
  readonly blocks?: Blocks | undefined;
}

/**
 * Read the value that a tool returned out of its Strands tool result.
 *
 * @param tool - The tool's name, for the error.
 * @param result - The tool result.
 * @param options - See `UnwrapOptions`.
 * @returns A lone block's value, or the list of all blocks' values; null for no content. Text
 *   is read as JSON if it is an object or a list, or a literal that could be nothing but the
 *   value the tool returned: `"007"` and `"12345678901234567890"` stay text.
 * @throws ToolExecutionError if the result's status is `error`; the detail is the tool's text.
 */
export function unwrapToolResult(
  tool: string,
  result: ToolResult,
  { outputSchema, blocks }: UnwrapOptions = {},
): JsonValue {
  if (result.status === "error") {
    throw new ToolExecutionError(tool, errorText(result.content, result.error));
  }
  const inner = soleResult(outputSchema);
  const kinds = kindsOf(inner ?? outputSchema);
  const isList = inner !== undefined && kinds?.length === 1 && kinds[0] === "array";
  // Of a declared list an MCP server sends a block for each item.
  const each = isList ? kindsOf(inner.items) : kinds;
  const values = result.content.map((block, position): unknown => {
    const data = plain(block);
    if (Object.hasOwn(data, "text")) return read(String(data.text), each, blocks);
    if (Object.hasOwn(data, "json")) return listed(data.json);
    return kept(`${result.toolUseId ?? tool}.${position}`, block, blocks);
  });
  const [value = null] = values;
  if (isNothing(result.content)) return isList ? [] : null;
  if (values.length > 1) return values as JsonValue;
  // A server's answer is text; an object with a `result` that a function gave is just that.
  const isAnswer =
    inner !== undefined && result.content.some((block) => "text" in plain(block));
  return (isAnswer ? bare(value, isList, blocks) : value) as JsonValue;
}

/**
 * What a failed tool said, without the words that Strands puts around it.
 *
 * @param content - The blocks of a tool result whose status is `error`.
 * @param error - What the tool threw, where Strands tells it.
 */
export function errorText(content: readonly Block[], error?: Error): string {
  const parts = content.map(plain).flatMap((data) => {
    if (Object.hasOwn(data, "text")) return [String(data.text)];
    return Object.hasOwn(data, "json") ? [toJsonText(data.json)] : [];
  });
  let text = parts.join("\n");
  if (error !== undefined && text === `Error: ${error.message}`) {
    text = error.message || error.name;
  }
  const lines = text.split(LINE_ENDS);
  if (lines.at(-1) === "") lines.pop();
  return lines.join("\n") || SAYS_NOTHING;
}

/** Whether a tool that declares this result may return text. */
export function isText(schema: Schema | undefined): boolean {
  return kindsOf(schema)?.includes("string") ?? false;
}

/** The schema inside the `{"result": ...}` that MCP servers put around a bare value. */
export function soleResult(schema: Schema | undefined): Schema | undefined {
  const properties = schema?.properties;
  if (!isObject(properties) || Object.keys(properties).join() !== "result") return undefined;
  const inner = properties.result;
  if (!isObject(inner)) return undefined;
  return schema?.$defs === undefined ? inner : { ...inner, $defs: schema.$defs };
}

/** The reference to a block; the block itself, which is no result, if it cannot be kept. */
function kept(key: string, block: Block, blocks: Blocks | undefined): unknown {
  if (blocks === undefined) return reference(key, block);
  try {
    return blocks.keep(key, block);
  } catch (error) {
    if (error instanceof NotStorable) return error.shown;
    throw error;
  }
}

function listed(json: unknown): unknown {
  if (!isObject(json) || Object.keys(json).join() !== LISTED) return json;
  return Array.isArray(json[LISTED]) ? json[LISTED] : json;
}

function isNothing(content: readonly Block[]): boolean {
  const [first, ...more] = content.map(plain);
  return first === undefined || (more.length === 0 && first.text === NO_OUTPUT);
}

/** A bare value of an MCP server, whichever of the usual ways it was sent in. */
function bare(value: unknown, isList: boolean, blocks: Blocks | undefined): unknown {
  const isWrapped = isObject(value) && Object.keys(value).join() === "result";
  const inner = isWrapped ? value.result : value;
  if (isWrapped && typeof inner === "string") return read(inner, ["string"], blocks);
  return isList && !Array.isArray(inner) ? [inner] : inner;
}

function read(
  text: string,
  kinds: readonly string[] | undefined,
  blocks: Blocks | undefined,
): unknown {
  const mayBeText = kinds?.includes("string") ?? false;
  const value = parsed(text, mayBeText);
  if (value === undefined || typeof value === "string") return text;
  if (typeof value === "object" && value !== null) {
    if (mayBeText) blocks?.keepText(value, text);
    return value;
  }
  if (kinds !== undefined) {
    // Nothing is what a tool that returns "text or nothing" means by `null`.
    const isDeclared = !mayBeText || (value === null && kinds.includes("null"));
    return isDeclared ? value : text;
  }
  // Undeclared: only what Strands would have written for that very value. A text of digits
  // with a leading zero, or longer than a number holds, is an identifier.
  return typeof value !== "number" || isExact(value, text) ? value : text;
}

/** The JSON that a text is; undefined if it is none. */
function parsed(text: string, mayBeText: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (mayBeText) return undefined;
  }
  try {
    // Servers in Python write these for numbers that are not finite: they are to be told of
    // as results that are no JSON, not to pass as text.
    return JSON.parse(text.replace(NO_JSON, (part) => (part[0] === '"' ? part : "1e999")));
  } catch {
    return undefined;
  }
}

/** Whether a text is how JavaScript or Python writes a number that it holds exactly. */
function isExact(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (Object.is(value, -0)) return text === "-0.0";
  if (/^-?[0-9]+$/.test(text)) return Number.isSafeInteger(value);
  return text === String(value) || text === asPythonWrites(value);
}

function asPythonWrites(value: number): string {
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The JSON types that a schema names at its top, or undefined where it does not say. */
function kindsOf(schema: unknown): readonly string[] | undefined {
  if (!isObject(schema)) return undefined;
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  for (const word of ["anyOf", "oneOf"]) {
    const parts = schema[word];
    if (!Array.isArray(parts)) continue;
    const kinds = parts.map(kindsOf);
    if (kinds.every((kind) => kind !== undefined)) return kinds.flat();
  }
  return undefined;
}
