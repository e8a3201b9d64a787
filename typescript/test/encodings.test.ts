/** Base64 and URLs: where a comment says nothing else, what jsonata 2.2.2 gives in Node. */

import { expect, it } from "vitest";
import {
  base64Decode,
  base64Encode,
  decodeUrl,
  decodeUrlComponent,
  encodeUrl,
  encodeUrlComponent,
} from "../src/functions/encodings.js";

const FAILS = expect.objectContaining({ code: "evaluation_failed" });

const ENCODED: readonly (readonly [text: string, encoded: string])[] = [
  ["", ""],
  ["a", "YQ=="],
  ["ab", "YWI="],
  ["hello:world", "aGVsbG86d29ybGQ="],
  ["\u0000~\u007f", "AH5/"],
  ["é", "w6k="],
  ["€😀", "4oKs8J+YgA=="],
];

const PASSED_OVER: readonly (readonly [encoded: string, text: string])[] = [
  ["aGk", "hi"],
  ["aG\nk=", "hi"],
  ["a G!k", "hi"],
  ["4oKs8J-YgA", "€😀"],
  ["YQ==YQ==", "a"],
  ["YQ=a", "a"],
  ["YWJjZ", "abc"],
  ["Y", ""],
  ["Y=Q", ""],
  ["!é", ""],
];

const NO_TEXT: readonly string[] = ["6Q==", "/w", "7aCA", "YQ\u2028==", "ŁQ=="];

const TEXT = "aZ09-_.!~*'();/?:@&=+$,# \"%<>[]\\^`{|}\n\u0000é€😀";
const COMPONENT =
  "aZ09-_.!~*'()%3B%2F%3F%3A%40%26%3D%2B%24%2C%23%20%22%25%3C%3E%5B%5D%5C%5E%60%7B%7C%7D%0A%00%C3%A9%E2%82%AC%F0%9F%98%80";
const WHOLE =
  "aZ09-_.!~*'();/?:@&=+$,#%20%22%25%3C%3E%5B%5D%5C%5E%60%7B%7C%7D%0A%00%C3%A9%E2%82%AC%F0%9F%98%80";

const DECODED: readonly (readonly [text: string, component: string, url: string])[] = [
  ["a%2fb%23%41", "a/b#A", "a%2fb%23A"],
  ["%3B%2C%2f%3F%3a%40%26%3D%2B%24", ";,/?:@&=+$", "%3B%2C%2f%3F%3a%40%26%3D%2B%24"],
  ["%C3%A9%2F%e2%82%ac", "é/€", "é%2F€"],
  ["a+b é%25", "a+b é%", "a+b é%"],
  ["%00", "\u0000", "\u0000"],
];

const SPELLS_NOTHING: readonly string[] = [
  "%",
  "a%4",
  "%zz",
  "%C3",
  "%C3a",
  "%80",
  "%C0%80",
  "%E0%80%80",
  "%ED%A0%80",
  "%F4%90%80%80",
  "%FF",
  "%41%",
];

// Of UTF-8, where the reference takes the low byte of each character.
it.each(ENCODED)("writes the UTF-8 of %j in base64 and reads it", (text, encoded) => {
  expect(base64Encode(text)).toBe(encoded);
  expect(base64Decode(encoded)).toBe(text);
});

it("writes and reads long texts too", () => {
  const text = "€uro 😀 ".repeat(20_000);
  expect(base64Decode(base64Encode(text))).toBe(text);
});

it.each(PASSED_OVER)("passes over in %j what is no sign of base64", (encoded, text) => {
  expect(base64Decode(encoded)).toBe(text);
});

it("keeps a byte order mark, which is a character", () => {
  expect(base64Decode(base64Encode("\ufeffa"))).toBe("\ufeffa");
});

it.each(NO_TEXT)("refuses the base64 %j of what is no text", (encoded) => {
  expect(() => base64Decode(encoded)).toThrow(FAILS);
});

it("encodes a URL or a part of one as ECMAScript does", () => {
  expect(encodeUrlComponent(TEXT)).toBe(COMPONENT);
  expect(encodeUrl(TEXT)).toBe(WHOLE);
  expect(decodeUrlComponent(COMPONENT)).toBe(TEXT);
  expect(decodeUrl(WHOLE)).toBe(TEXT);
});

it.each([base64Encode, encodeUrlComponent, encodeUrl])(
  "cannot encode half of a surrogate pair with %o",
  (encode) => {
    expect(() => encode("a\ud83d")).toThrow(FAILS);
    expect(() => encode("\ude00")).toThrow(FAILS);
  },
);

it.each(DECODED)(
  "leaves encoded in the URL %j what separates its parts",
  (text, component, url) => {
    expect(decodeUrlComponent(text)).toBe(component);
    expect(decodeUrl(text)).toBe(url);
  },
);

it.each(SPELLS_NOTHING)("refuses %j, an escape of which spells no character", (text) => {
  expect(() => decodeUrlComponent(text)).toThrow(FAILS);
  expect(() => decodeUrl(text)).toThrow(FAILS);
});
