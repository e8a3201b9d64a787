/** What a run keeps beside its JSON values: media blocks, and texts as tools sent them. */

import { type ToolResultContent, toolResultContentFromData } from "@strands-agents/sdk";
import { ingest, isObject, type Members, toJsonText, ValueFault } from "../values/index.js";
import { parsedText } from "./json-text.js";

/** The key that marks a reference to a block which is not JSON. */
export const MEDIA = "$media";

/** The key under which bytes stand in a stored block, in base64. */
export const BYTES = "$bytes";

/** A block of a tool result: one of the SDK's, or its plain form, such as `{ text: "a" }`. */
export type Block = ToolResultContent | Readonly<Members>;

/** All that a run keeps, as plain JSON. */
export interface StoredBlocks {
  /** The blocks by the keys of their references. */
  readonly media: Readonly<Members>;
  /** The texts by the JSON that they were read as. */
  readonly texts: Readonly<Members>;
}

/** A block holds something besides JSON and bytes, so no paused plan could keep it. */
export class NotStorable extends Error {
  override readonly name = "NotStorable";

  /**
   * @param shown - The block without its bytes: what is left in it that is not JSON is what it
   *   cannot be stored for.
   */
  constructor(readonly shown: unknown) {
    super("a media block holds what is neither JSON nor bytes");
  }
}

/** What one run keeps beside its JSON values. */
export class Blocks {
  private readonly media = new Map<string, Block>();
  private readonly texts = new Map<string, string>();

  /** @param storable - Whether only blocks are taken that a paused plan can keep. */
  constructor(private readonly storable = false) {}

  /**
   * Store a block and give the reference that stands for it.
   *
   * @param key - What to call it; if another block is called so already, `-2` or the next free
   *   number is put behind it.
   * @param block - The block.
   * @returns `{"$media": key, "kind": "image", "format": "png"}`; without `format` where the
   *   block names none.
   * @throws NotStorable if the block holds something else than JSON and bytes.
   */
  keep(key: string, block: Block): Members {
    if (this.storable) check(block);
    let named = key;
    for (let count = 2; this.isTaken(named, block); count += 1) named = `${key}-${count}`;
    this.media.set(named, block);
    return reference(named, block);
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

  /** Keep what another run kept as well, so that its results can be passed on here. */
  takeOver(others: Blocks): void {
    for (const [key, block] of others.media) this.media.set(key, block);
    for (const [key, text] of others.texts) this.texts.set(key, text);
  }

  /** All that is kept, as plain JSON. */
  toJson(): StoredBlocks {
    const media = [...this.media].map(([key, block]) => [key, stored(block)] as const);
    return { media: Object.fromEntries(media), texts: Object.fromEntries(this.texts) };
  }

  /**
   * Keep what `toJson` wrote as well.
   *
   * @throws Error if it is nothing that it wrote.
   */
  restore(data: StoredBlocks): void {
    for (const [key, block] of Object.entries(data.media)) this.media.set(key, restored(block));
    // Read anew: the Python package writes the same JSON in another way.
    for (const [json, text] of Object.entries(data.texts)) {
      this.keepText(parsedText(json), String(text));
    }
  }

  private isTaken(key: string, block: Block): boolean {
    const known = this.media.get(key);
    if (known === undefined || known === block) return false;
    return !this.storable || toJsonText(stored(known)) !== toJsonText(stored(block));
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

/** A block as data: `{text}`, `{json}`, `{image}` and so on. */
export function plain(block: Block): Readonly<Members> {
  const { toJSON } = block;
  return (typeof toJSON === "function" ? toJSON.call(block) : block) as Readonly<Members>;
}

/** A block as plain JSON in which bytes stand in base64 under `$bytes`. */
export function stored(block: Block): unknown {
  return mapped(withBytes(block), (bytes) => ({ [BYTES]: bytes }));
}

/** What `stored` was given, as a block of the SDK where it is of a kind that it knows. */
export function restored(data: unknown): Block {
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read);
    if (!isObject(value)) return value;
    if (isMarker(value)) return String(value[BYTES]);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, read(item)]));
  };
  const block = read(data);
  if (!isObject(block)) throw new Error("this is no block that was stored");
  try {
    return toolResultContentFromData(block as never);
  } catch {
    return block;
  }
}

/** Bytes, as base64, in the data of a block. */
class Bytes {
  constructor(readonly base64: string) {}
}

/** A block as data, its bytes told apart from text. */
function withBytes(block: Block): unknown {
  const data = plain(block);
  if (data === block) return data;
  // The SDK's own blocks write the bytes of their source as base64.
  return Object.fromEntries(
    Object.entries(data).map(([kind, body]) => {
      const source = isObject(body) ? body.source : undefined;
      if (!isObject(source) || typeof source.bytes !== "string") return [kind, body];
      const bytes = new Bytes(source.bytes);
      return [kind, { ...(body as Members), source: { ...source, bytes } }];
    }),
  );
}

function mapped(value: unknown, ofBytes: (base64: string) => unknown): unknown {
  if (value instanceof Bytes) return ofBytes(value.base64);
  if (value instanceof Uint8Array) return ofBytes(base64Of(value));
  if (Array.isArray(value)) return value.map((item) => mapped(item, ofBytes));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapped(item, ofBytes)]),
  );
}

function check(block: Block): void {
  const shown = withoutBytes(withBytes(block));
  try {
    ingest(shown, "exact");
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    throw new NotStorable(shown);
  }
}

/** The block with empty texts for bytes, and nothing in it that would be read as bytes. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Bytes || value instanceof Uint8Array) return "";
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (!isPlain(value)) return value;
  // It would come back as bytes; a set is no JSON, which is the way to say so.
  if (isMarker(value)) return { [BYTES]: new Set([BYTES]) };
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutBytes(item)]),
  );
}

/** Whether it is an object of data alone: of a class it may hold anything. */
function isPlain(value: unknown): value is Members {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isMarker(value: Readonly<Members>): boolean {
  return Object.keys(value).join() === BYTES;
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** The text of a value, the same for every order of its members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return toJsonText(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${toJsonText(name)}:${canonical(value[name])}`).join()}}`;
}
