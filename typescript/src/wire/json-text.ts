/**
 * JSON text, read by the standard's letter, and where a text breaks it.
 *
 * What the two languages' parsers read unlike each other (`NaN`, numbers of thousands of
 * digits, brackets a hundred thousand deep) ends here with a code; what one of them would
 * merely call an error is named with its place and the edit that mends it.
 */

import { quoted } from "../diagnostics.js";
import type { Code } from "../models.js";
import { codePoints } from "../values/index.js";

/** Containers that may stand in one another. */
export const MAX_DEPTH = 64;

const NEAR = 16;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMERIC = /[0-9.+-]/;
const GLUED = /[0-9A-Za-z_.+-]/;
const WORD = /[A-Za-z_$][A-Za-z0-9_$]*/y;
const HEX = /[0-9a-fA-F]{4}/y;
const ESCAPED = '"\\/bfnrt';
const WORDS: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["nil", "null"],
  ["undefined", "null"],
  ["NaN", "null"],
  ["Infinity", "null"],
]);

/** A text is not JSON, or nests too deep to be read. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";

  /**
   * @param code - `json_syntax` or `too_deep`.
   * @param message - What is wrong, and where.
   * @param hint - The edit that mends it.
   */
  constructor(
    readonly code: Code,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/**
 * The value of a JSON text: of a repeated key the last, in the place of the first.
 *
 * @throws JsonTextError if it is no JSON, or nests over 64 deep.
 */
export function loads(text: string): unknown {
  if (nestsTooDeep(text)) {
    const message = `it nests over ${MAX_DEPTH} levels`;
    throw new JsonTextError("too_deep", message, "flatten what nests deepest");
  }
  try {
    return JSON.parse(text);
  } catch {
    const { at, what, hint } = faultIn(text);
    const near = at < text.length ? `, at ${quoted(beginning(text.slice(at)))}` : "";
    const place = codePoints(text.slice(0, at));
    throw new JsonTextError(
      "json_syntax",
      `not JSON at position ${place}${near}: ${what}`,
      hint,
    );
  }
}

function beginning(text: string): string {
  return Array.from(text.slice(0, 2 * NEAR))
    .slice(0, NEAR)
    .join("");
}

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      at = pastString(text, at) - 1;
    } else if (char === "[" || char === "{") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (char === "]" || char === "}") {
      depth -= 1;
    }
  }
  return false;
}

/** Where a string ends whose first quote stands at `at`; an unclosed one is walked once. */
function pastString(text: string, at: number): number {
  let here = at + 1;
  while (here < text.length) {
    const char = text[here];
    if (char === '"') return here + 1;
    if (char === "\\" && here + 1 === text.length) return here;
    here += char === "\\" ? 2 : 1;
  }
  return here;
}

/** Where a text stops being JSON, what is wrong there, and the edit. */
interface TextFault {
  readonly at: number;
  readonly what: string;
  readonly hint: string;
}

type Words = readonly [what: string, hint: string];

function faultIn(text: string): TextFault {
  const closers: string[] = [];
  let expected: "value" | "key" | "colon" | "next" | "end" = "value";
  let opened = false;
  let at = 0;
  const after = () => (closers.length > 0 ? "next" : "end");
  const fault = ([what, hint]: Words): TextFault => ({ at, what, hint });
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    const char = text[at];
    if (char === undefined) {
      const edit =
        expected === "next"
          ? `add ${closers.toReversed().join("")} at its end`
          : "write the rest of it";
      return fault(["it ends too early", edit]);
    }
    if (expected === "end") {
      return fault(["more text follows the JSON", "remove what follows it"]);
    }
    const closer = closers.at(-1) ?? "";
    if (char === closer && (expected === "next" || opened)) {
      closers.pop();
      expected = after();
      opened = false;
      at += 1;
    } else if (expected === "next") {
      if (char !== ",") return fault(noComma(char, closer));
      expected = closer === "}" ? "key" : "value";
      at += 1;
    } else if (expected === "colon") {
      if (char !== ":") {
        return fault(["a colon is missing after a key", "put a colon before it"]);
      }
      expected = "value";
      at += 1;
    } else if (char === '"') {
      at = endInString(text, at + 1);
      if (text[at] !== '"') return fault(inString(text, at));
      expected = expected === "key" ? "colon" : after();
      opened = false;
      at += 1;
    } else if (expected === "key") {
      return fault(noKey(text, at, char));
    } else if (char === "[" || char === "{") {
      closers.push(char === "[" ? "]" : "}");
      expected = char === "[" ? "value" : "key";
      opened = true;
      at += 1;
    } else {
      const end = endOfScalar(text, at);
      if (end === undefined) return fault(noValue(text, at, char));
      expected = after();
      opened = false;
      at = end;
    }
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function wordAt(text: string, at: number): string | undefined {
  const end = endOf(WORD, text, at);
  return end === undefined ? undefined : text.slice(at, end);
}

/** Where the well-formed part of a string ends. */
function endInString(text: string, at: number): number {
  let here = at;
  for (;;) {
    const char = text[here];
    if (char === undefined || char === '"' || char < " ") return here;
    if (char !== "\\") {
      here += 1;
      continue;
    }
    const escaped = text[here + 1];
    if (escaped === undefined) return here;
    if (ESCAPED.includes(escaped)) {
      here += 2;
      continue;
    }
    const end = escaped === "u" ? endOf(HEX, text, here + 2) : undefined;
    if (end === undefined) return here;
    here = end;
  }
}

/** Where a number, true, false or null at `at` ends; undefined if there is none. */
function endOfScalar(text: string, at: number): number | undefined {
  const word = wordAt(text, at);
  if (word !== undefined) {
    return ["true", "false", "null"].includes(word) ? at + word.length : undefined;
  }
  const end = endOf(NUMBER, text, at);
  return end !== undefined && !GLUED.test(text[end] ?? "") ? end : undefined;
}

function noComma(char: string, closer: string): Words {
  if (char === "]" || char === "}") {
    return [`${char} stands where ${closer} closes`, `change ${char} to ${closer}`];
  }
  return ["a comma is missing", "put a comma before it"];
}

function noKey(text: string, at: number, char: string): Words {
  if (char === "}") return ["a comma before }", "remove the comma"];
  const word = wordAt(text, at);
  if (word !== undefined) {
    return ["a key without quotes", `change ${word} to ${quoted(word)}`];
  }
  return foreign(char) ?? ["a key must be here", "write a key in double quotes"];
}

function noValue(text: string, at: number, char: string): Words {
  if (char === "]" || char === "}") {
    return [`a value must be before ${char}`, "remove the comma or write a value"];
  }
  const word = wordAt(text, at);
  if (word !== undefined) {
    const meant = WORDS.get(word);
    if (meant !== undefined) return [`${word} is not JSON`, `change ${word} to ${meant}`];
    return ["text without quotes", `change ${word} to ${quoted(word)}`];
  }
  if (NUMERIC.test(char)) {
    return ["not a number as JSON writes it", "write it like 0, -12 or 3.5"];
  }
  return foreign(char) ?? ["a value must be here", "write a value"];
}

function foreign(char: string): Words | undefined {
  if (char === "'") return ["single quotes", "use double quotes"];
  if (char === "/" || char === "#") return ["a comment", "remove the comment"];
  if (char === "\ufeff") return ["a byte order mark", "remove it"];
  return undefined;
}

function inString(text: string, at: number): Words {
  const char = text[at];
  if (char === undefined) return ["a string is not closed", 'close it with "'];
  if (char === "\\") {
    return ["a wrong escape in a string", "write two backslashes for a backslash"];
  }
  return ["a raw control character in a string", "write \\n for a line break, \\t for a tab"];
}
