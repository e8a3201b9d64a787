/**
 * From what a Strands tool hands back to the plain JSON that a plan computes with.
 *
 * Strands wraps what a tool returns in blocks, each SDK in its own way, so the value has to be
 * read back out of them: the same value, whichever SDK it was. What a block cannot be read as
 * (an image, a document) stays out of the plan: a reference stands for it, and the block
 * itself goes wherever the whole reference is passed.
 */

import type { ToolResultContent } from "@strands-agents/sdk";
import { ToolExecutionError } from "../errors.js";
import type { JsonValue } from "../models.js";
import type { Schema } from "../validate/schemas.js";
import { ingest, isObject, type Members, toJsonText, ValueFault } from "../values/index.js";

/** The key that marks a reference to a block which is not JSON. */
export const MEDIA = "$media";

/** A block of a tool result: one of the SDK's, or its plain form, such as `{ text: "a" }`. */
export type Block = ToolResultContent | Readonly<Members>;

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

/** What one run keeps beside its JSON values: media blocks, and texts as they were sent. */
export class Blocks {
  private readonly media = new Map<string, Block>();
  private readonly texts = new Map<string, string>();

  /**
   * Store a block and give the reference that stands for it.
   *
   * @returns `{"$media": key, "kind": "image", "format": "png"}`; without `format` where the
   *   block names none.
   */
  keep(key: string, block: Block): Members {
    this.media.set(key, block);
    return reference(key, block);
  }

  /** Remember the text that a list or object was read from, to pass it on verbatim. */
  keepText(value: unknown, text: string): void {
    try {
      this.texts.set(canonical(ingest(value, "exact")), text);
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error;
    }
  }

  /** The text that a tool gave for this list or object, if one did. */
  textOf(value: unknown): string | undefined {
    if (this.texts.size === 0 || typeof value !== "object" || value === null) return undefined;
    return this.texts.get(canonical(value));
  }

  /** The value with every whole reference in it replaced by the block it stands for. */
  expand(value: unknown): unknown {
    if (this.media.size === 0) return value;
    if (Array.isArray(value)) return value.map((item) => this.expand(item));
    if (!isObject(value)) return value;
    const block = this.referred(value);
    if (block !== undefined) return structuredClone(plain(block));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.expand(item)]),
    );
  }

  /** The blocks that a value refers to, in order of first appearance. */
  within(value: unknown): readonly Block[] {
    const found = new Set<Block>();
    const look = (part: unknown): void => {
      if (Array.isArray(part)) {
        part.forEach(look);
      } else if (isObject(part)) {
        const block = this.referred(part);
        if (block === undefined) Object.values(part).forEach(look);
        else found.add(block);
      }
    };
    if (this.media.size > 0) look(value);
    return [...found];
  }

  private referred(value: Readonly<Members>): Block | undefined {
    const key = Object.hasOwn(value, MEDIA) ? value[MEDIA] : undefined;
    return typeof key === "string" ? this.media.get(key) : undefined;
  }
}

/** What stands in a plan for a block that is not JSON. */
export function reference(key: string, block: Block): Members {
  const [entry] = Object.entries(plain(block));
  const [kind, body] = entry ?? ["block", undefined];
  const format = isObject(body) && typeof body.format === "string" ? body.format : undefined;
  return { [MEDIA]: key, kind, ...(format !== undefined && { format }) };
}

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
    const key = `${result.toolUseId ?? tool}.${position}`;
    return blocks === undefined ? reference(key, block) : blocks.keep(key, block);
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

/** A block as data: `{text}`, `{json}`, `{image}` and so on. */
function plain(block: Block): Readonly<Members> {
  const { toJSON } = block;
  return (typeof toJSON === "function" ? toJSON.call(block) : block) as Readonly<Members>;
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

/** The text of a value, the same for every order of its members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return toJsonText(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${toJsonText(name)}:${canonical(value[name])}`).join()}}`;
}
