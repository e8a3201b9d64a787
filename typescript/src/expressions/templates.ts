/** Templates of other languages: `{{steps.a.x}}` and `${steps.a.x}`, and what they mean. */

import { trimmed, WORDY } from "./blanks.js";
import { piped } from "./filters.js";
import type { Scope } from "./problems.js";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
const KEYWORDS: ReadonlySet<string> = new Set(["and", "or", "in", "true", "false", "null"]);
const BEGINNING = /^(\$?steps\.)?([a-z][a-z0-9_]*)/;
const MENTION = new RegExp(
  `(?<![${WORDY}.\`$])\\$?steps\\.([a-z][a-z0-9_]*)(?![${WORDY}])`,
  "gu",
);
const SIMPLE = new RegExp(`^\\$?[${WORDY}]+(?:\\.[${WORDY}]+|\\[\\p{Nd}+\\])*$`, "u");
const STARTS_WORDY = new RegExp(`^[${WORDY}]`, "u");
const OPENER = /\{\{|\$\{|\{%/g;
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["{{", "}}"],
  ["${", "}"],
  ["{%", "%}"],
]);

/** A template in a text: where it stands and the expression it means. */
export interface Template {
  readonly start: number;
  readonly end: number;
  readonly expression: string;
}

/** The expression that a template's content means if it names a step, else undefined. */
export function namesAStep(content: string, scope: Scope): string | undefined {
  const inner = trimmed(content);
  const match = BEGINNING.exec(inner);
  if (match === null) return undefined;
  const [beginning, root, name = ""] = match;
  const after = inner.slice(beginning.length);
  const isStep = scope.ids.includes(name);
  if (root !== undefined) return isStep && !STARTS_WORDY.test(after) ? inner : undefined;
  if (!after.startsWith(".")) return undefined;
  if (isStep) return `steps.${inner}`;
  return name === "item" && scope.hasItem ? inner : undefined;
}

/** As `namesAStep`, and also where the step stands further on: `$count(steps.a)`. */
export function meansAStep(content: string, scope: Scope): string | undefined {
  const named = namesAStep(content, scope);
  if (named !== undefined) return piped(named) ?? named;
  for (const match of content.matchAll(MENTION)) {
    if (scope.ids.includes(match[1] ?? "")) return trimmed(content);
  }
  return undefined;
}

/** The templates in a text that name a step, from left to right, in linear time. */
export function templates(text: string, scope: Scope): readonly Template[] {
  const found: Template[] = [];
  const gone = new Set<string>();
  let at = 0;
  for (;;) {
    OPENER.lastIndex = at;
    const opener = OPENER.exec(text);
    if (opener === null) return found;
    at = opener.index + opener[0].length;
    const closer = CLOSERS.get(opener[0]) ?? "";
    const end = gone.has(closer) ? -1 : text.indexOf(closer, at);
    if (end < 0) {
      gone.add(closer);
      continue;
    }
    const expression = meansAStep(text.slice(at, end), scope);
    if (expression !== undefined) {
      at = end + closer.length;
      found.push({ start: opener.index, end: at, expression });
    }
  }
}

/** The pieces of a text, its strings in quotes and its templates' expressions. */
export function joined(raw: string, found: readonly Template[], quote: string): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const template of found) {
    if (template.start > at) pieces.push(quote + raw.slice(at, template.start) + quote);
    pieces.push(grouped(template.expression));
    at = template.end;
  }
  if (at < raw.length) pieces.push(quote + raw.slice(at) + quote);
  return pieces;
}

/** An expression that can stand beside an operator: in parentheses unless it is simple. */
export function grouped(expression: string): string {
  return SIMPLE.test(expression) ? expression : `(${expression})`;
}

/** A field's name as it stands after a dot: in backticks unless it is a plain word. */
export function fieldText(name: string): string {
  return PLAIN.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``;
}
