/** What agents say and are told, in the form of records: plain JSON, and texts that are whole. */

import type { Message, MessageData } from "@strands-agents/sdk";
import { wellFormed } from "../diagnostics.js";
import { isObject } from "../values/index.js";
import type { Said } from "./record.js";

const MEDIA = ["image", "document", "video"] as const;

/** An error in its own words. */
export function messageOf(error: unknown): string {
  const told = error instanceof Error ? error.message || error.name : String(error);
  return wellFormed(told);
}

/** A plain value in which every text is well-formed. */
export function mended(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(mended);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [wellFormed(key), mended(part)]),
  );
}

/** Mend what a model said, before tools are called with it. */
export function mend(message: Message): void {
  for (const block of message.content) {
    if (block.type === "textBlock" || block.type === "reasoningBlock") {
      if (block.text !== undefined) Object.assign(block, { text: wellFormed(block.text) });
    } else if (block.type === "toolUseBlock") {
      Object.assign(block, { input: mended(block.input) });
    }
  }
}

/**
 * A message as plain JSON that shares nothing with it, its bytes marked as such.
 *
 * The SDK writes bytes as base64 text, which could as well be a text.
 */
export function plain(message: Pick<Message, "toJSON">): Said {
  const { role, content, metadata } = JSON.parse(JSON.stringify(message)) as MessageData;
  // What else the SDK adds for itself differs from run to run.
  const usage = metadata?.usage;
  const blocks = listed(mended(content)).map((block) =>
    changed(block, (bytes) => (typeof bytes === "string" ? { $bytes: bytes } : bytes)),
  );
  return { role, content: blocks, ...(usage !== undefined && { metadata: { usage } }) };
}

/** A recorded message as the SDK reads it, with the bytes of its media. */
export function restored(message: Said): Said {
  const content = listed(message.content).map((block) => {
    if (isObject(block.reasoningContent)) {
      // So the twin in Python has it.
      return { reasoning: block.reasoningContent.reasoningText ?? {} };
    }
    return changed(block, (bytes) => (isObject(bytes) ? bytes.$bytes : bytes));
  });
  return { ...message, content };
}

/** The blocks of a message's content, or the parts of a tool result's. */
export function listed(value: unknown): readonly Said[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The same with the bytes of its media changed; nowhere else are there any. */
function changed(block: Said, change: (bytes: unknown) => unknown): Said {
  if (isObject(block.toolResult)) {
    const content = listed(block.toolResult.content).map((part) => changed(part, change));
    return { ...block, toolResult: { ...block.toolResult, content } };
  }
  for (const kind of MEDIA) {
    const media = block[kind];
    if (!isObject(media) || !isObject(media.source)) continue;
    const { source } = media;
    if (!Object.hasOwn(source, "bytes")) continue;
    return {
      ...block,
      [kind]: { ...media, source: { ...source, bytes: change(source.bytes) } },
    };
  }
  return block;
}
