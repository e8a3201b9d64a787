/** Base64, of UTF-8, and the four functions that encode and decode parts of a URL. */

import { failed } from "../values/budget.js";
import { isWellFormed } from "../values/index.js";

const OUTSIDE_LATIN_1 = /[^\0-\xff]/;
const OUTSIDE_BASE64 = /[^A-Za-z0-9+/]+/g;
const ENCODER = new TextEncoder();
// What is no text is refused, and a byte order mark is a character like any other.
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// No more arguments than every engine lets a call have.
const CHUNK = 8192;

/**
 * The UTF-8 of a text in base64.
 *
 * @throws EvaluationError if it has half of a surrogate pair.
 */
export function base64Encode(text: string): string {
  const octets = ENCODER.encode(whole(text, "base64encode"));
  let binary = "";
  for (let at = 0; at < octets.length; at += CHUNK) {
    binary += String.fromCharCode(...octets.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/**
 * The text whose UTF-8 some base64 is.
 *
 * As in the reference `-` and `_` stand for `+` and `/`, what is no sign of base64 is passed
 * over, and all ends at the first `=` or where no whole byte is left.
 *
 * @throws EvaluationError if the bytes are no UTF-8; or the text goes beyond Latin-1, of
 *   which the reference would read a part of each character only.
 */
export function base64Decode(text: string): string {
  if (OUTSIDE_LATIN_1.test(text)) {
    throw failed(
      "$base64decode is given a text that is no base64",
      "give it what $base64encode makes",
    );
  }
  const [beforeEnd = ""] = text.split("=", 1);
  const signs = beforeEnd.replaceAll("-", "+").replaceAll("_", "/").replace(OUTSIDE_BASE64, "");
  const binary = atob(signs.length % 4 === 1 ? signs.slice(0, -1) : signs);
  try {
    return DECODER.decode(Uint8Array.from(binary, (octet) => octet.charCodeAt(0)));
  } catch {
    throw failed(
      "$base64decode is given bytes that are no text in UTF-8",
      "let a tool decode what is no text",
    );
  }
}

/**
 * `encodeURIComponent` of ECMAScript.
 *
 * @throws EvaluationError if it has half of a surrogate pair.
 */
export function encodeUrlComponent(text: string): string {
  return encodeURIComponent(whole(text, "encodeUrlComponent"));
}

/**
 * `encodeURI` of ECMAScript.
 *
 * @throws EvaluationError if it has half of a surrogate pair.
 */
export function encodeUrl(text: string): string {
  return encodeURI(whole(text, "encodeUrl"));
}

/**
 * `decodeURIComponent` of ECMAScript.
 *
 * @throws EvaluationError if a `%` is followed by no two hex digits, or the bytes that they
 *   spell are no UTF-8.
 */
export function decodeUrlComponent(text: string): string {
  return decoded(text, "decodeUrlComponent", decodeURIComponent);
}

/**
 * `decodeURI` of ECMAScript: what separates the parts of a URL stays encoded.
 *
 * @throws EvaluationError as for `decodeUrlComponent`.
 */
export function decodeUrl(text: string): string {
  return decoded(text, "decodeUrl", decodeURI);
}

function whole(text: string, name: string): string {
  if (!isWellFormed(text)) {
    throw failed(
      `$${name} is given a text with half of a surrogate pair`,
      "cut texts between characters, as $substring does",
    );
  }
  return text;
}

function decoded(text: string, name: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    throw failed(
      `$${name} is given a text that is not encoded as a URL is`,
      "write %25 for a % that begins no escape",
    );
  }
}
