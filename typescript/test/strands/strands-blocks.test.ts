/** What a paused plan keeps of blocks and texts, and the text that all of it is stored as. */

import { DocumentBlock, ImageBlock, VideoBlock } from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import {
  type Block,
  Blocks,
  NotStorable,
  restored,
  stored,
} from "../../src/strands-adapter/blocks.js";
import { parsedText } from "../../src/strands-adapter/json-text.js";
import { toJsonText } from "../../src/values/index.js";

const bytes = Uint8Array.of(0, 137, 255);

describe("a block that was stored is the same again", () => {
  test.each<[string, Block]>([
    ["image", new ImageBlock({ format: "png", source: { bytes } })],
    ["image by address", new ImageBlock({ format: "png", source: { url: "https://a.b/c" } })],
    ["video", new VideoBlock({ format: "mp4", source: { bytes } })],
    ["document", new DocumentBlock({ name: "n", format: "pdf", source: { bytes } })],
    ["words", new DocumentBlock({ name: "n", format: "txt", source: { text: "iVA=" } })],
    ["of no kind that is known", { sound: { pitch: 440 } }],
  ])("%s", (_, block) => {
    expect(restored(JSON.parse(JSON.stringify(stored(block))))).toEqual(block);
  });

  test("in plain form too, then as one of the SDK's", () => {
    const block = { image: { format: "png", source: { bytes } } };
    expect(stored(block)).toEqual({
      image: { format: "png", source: { bytes: { $bytes: "AIn/" } } },
    });
    expect(restored(stored(block))).toEqual(
      new ImageBlock({ format: "png", source: { bytes } }),
    );
  });
});

describe("where plans may wait", () => {
  test.each<[string, Block]>([
    ["a function", { image: { format: "png", source: { read: () => bytes } } }],
    ["an object of a class", { image: { format: "png", source: new Map() } }],
    ["what would come back as bytes", { image: { source: { name: { $bytes: "AA==" } } } }],
  ])("a block with %s is not kept", (_, block) => {
    expect(() => new Blocks(true).keep("a", block)).toThrow(NotStorable);
  });

  test("another block of a name that is taken gets a number", () => {
    const blocks = new Blocks(true);
    const image = (byte: number): Block =>
      new ImageBlock({ format: "png", source: { bytes: Uint8Array.of(byte) } });
    const names = [1, 1, 2, 3, 2].map((byte) => blocks.keep("a", image(byte)).$media);
    expect(names).toEqual(["a", "a", "a-2", "a-3", "a-2"]);
  });
});

test("texts are found again, also as the Python package writes their JSON", () => {
  const blocks = new Blocks();
  const texts = { '{"b": [1, 2.5], "a": "\\u00fc"}': '{ "a":"ü","b":[1,2.5] }' };
  blocks.restore({ media: {}, texts });
  expect(blocks.textOf({ a: "ü", b: [1, 2.5] })).toBe('{ "a":"ü","b":[1,2.5] }');
  const again = new Blocks();
  again.restore(blocks.toJson());
  expect(again.textOf({ b: [1, 2.5], a: "ü" })).toBe('{ "a":"ü","b":[1,2.5] }');
});

test.each<[unknown]>([
  [2n ** 53n + 1n],
  [-(10n ** 40n)],
  [[9007199254740991, 0.30000000000000004, 1e300, -1.2345678901234566e-7]],
  [{ "12345678901234567890": "12345678901234567890", n: 12345678901234567890n }],
  ['a "quoted" 12345678901234567890 \\'],
  [{ $integer: "1", $integer$: [10n ** 20n, "\\\\", { "\\": 10n ** 16n + 1n }] }],
])("a text gives the value back with every digit, case %#", (value) => {
  expect(parsedText(toJsonText(value))).toEqual(value);
});
