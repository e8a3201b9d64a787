/** Further habits of other languages, which no parser reads (`syntax`), with their edits. */

import { absence, mayLack } from "./absence.js";
import { BLANK, trimmed, WORDY } from "./blanks.js";
import { evident, region } from "./evident.js";
import { meaning } from "./methods.js";
import { operandEnd, operandStart } from "./operands.js";
import { Edit, Fault, type Scope, shown } from "./problems.js";
import type { Scan } from "./scan.js";
import { joined, namesAStep } from "./templates.js";
import type { Token } from "./tokens.js";

const OPERATORS: ReadonlyMap<unknown, string> = new Map([
  ["AND", "and"],
  ["And", "and"],
  ["OR", "or"],
  ["Or", "or"],
  ["IN", "in"],
  ["In", "in"],
  ["is", "="],
  ["IS", "="],
  ["eq", "="],
  ["equals", "="],
  ["ne", "!="],
  ["gt", ">"],
  ["gte", ">="],
  ["ge", ">="],
  ["lt", "<"],
  ["lte", "<="],
  ["le", "<="],
  ["mod", "%"],
]);
const DIGIT = "\\p{Nd}";
const DATE = `${DIGIT}{4}-${DIGIT}{2}-${DIGIT}{2}`;
const TIME = `[T ][0-9:.]+(?:Z|[+-]${DIGIT}{2}:${DIGIT}{2})?`;
const ADDRESS = `https?://[^${BLANK}]+`;
const MAIL = `[${WORDY}.+\\-]+@[${WORDY}\\-]+\\.[${WORDY}.\\-]+`;
const LITERAL = new RegExp(`^(?:${DATE}(?:${TIME})?|${ADDRESS}|${MAIL})$`, "u");
const FORMATTED = /^[fF]("[^"\\]*"|'[^'\\]*')$/;
const BRACED = /\{([^{}]*)\}/g;
const CALM: ReadonlySet<string> = new Set([
  "",
  "(",
  "[",
  "{",
  ",",
  ";",
  ":",
  "?",
  "and",
  "or",
  "|",
]);
const PUNCTUATION: ReadonlySet<string> = new Set("-:./,!?%&;#@");
const READING: ReadonlySet<unknown> = new Set([
  "steps",
  "input",
  "item",
  "index",
  "function",
  "lambda",
  "return",
  "typeof",
]);
const ENDS: ReadonlySet<string> = new Set([")", "]", "}", ",", ";"]);

/** Every such habit in a text, from left to right. */
export function slips(scan: Scan): readonly Fault[] {
  return scan.tokens
    .map((token, at) => slip(scan, at, token))
    .filter((fault) => fault !== undefined);
}

function slip(scan: Scan, at: number, token: Token): Fault | undefined {
  const gone = new Edit(token.start, token.end, "");
  switch (token.sign) {
    case "":
      return token.kind === "name" ? operatorWord(scan, at) : undefined;
    case "=":
      if (scan.follows(at, ">")) return arrow(scan, at);
      if (at > 0) return undefined;
      return faultAt(token, "the expression begins with `=`", "remove it", [gone]);
    case "?":
      return scan.follows(at, ".") ? optional(scan, at) : undefined;
    case ".":
      return at + 1 < scan.tokens.length ? afterDot(scan, at) : undefined;
    case "<": {
      if (!scan.follows(at, ">")) return undefined;
      const edit = new Edit(token.start, token.end + 1, "!=");
      return faultAt(token, "there is no `<>`", "write `!=`", [edit]);
    }
    case "[":
      return token.prefix ? undefined : slice(scan, at);
    case "..":
      return token.prefix ? undefined : range(scan, at);
    case "/":
      return !token.prefix && isMisread(scan, at) ? division(scan, at) : undefined;
    case ";":
      if (at < scan.tokens.length - 1) return undefined;
      return faultAt(token, "a `;` ends the expression", "remove it", [gone]);
    default:
      return undefined;
  }
}

function faultAt(token: Token, message: string, hint: string, edits: readonly Edit[]): Fault {
  return new Fault("syntax", token.start, message, hint, edits);
}

/** `x?.y` and `x?.[0]`. */
function optional(scan: Scan, at: number): Fault {
  const token = scan.token(at);
  const end = scan.follows(at + 1, "[") ? token.end + 1 : token.end;
  const hint = "leave the `?` out: a field of nothing is nothing";
  return faultAt(token, "there is no `?.`", hint, [new Edit(token.start, end, "")]);
}

function operatorWord(scan: Scan, at: number): Fault | undefined {
  const token = scan.token(at);
  const written = String(token.value);
  if (at + 1 >= scan.tokens.length) return undefined;
  const after = scan.token(at + 1);
  const operator = token.prefix ? undefined : OPERATORS.get(written);
  if (operator !== undefined) return wordFor(scan, at, operator);
  if (written === "div" && !token.prefix) {
    const hint = "write `/`, and $floor(x / y) for a whole number";
    return faultAt(token, "there is no `div`", hint, []);
  }
  if (written === "not" && token.prefix && after.kind !== "operator") {
    return negation(scan, at);
  }
  return written === "not" && after.sign === "in" ? notIn(scan, at) : undefined;
}

/** A word where an operator belongs. */
function wordFor(scan: Scan, at: number, operator: string): Fault {
  const token = scan.token(at);
  const after = scan.token(at + 1);
  const written = String(token.value);
  const isNot = after.kind === "name" && (after.value === "not" || after.value === "NOT");
  const negates = operator === "=" && isNot;
  const sign = negates ? "!=" : operator;
  let hint = `write \`${sign}\``;
  let edits: readonly Edit[] = [new Edit(token.start, (negates ? after : token).end, sign)];
  if (written === "is" || written === "IS") {
    const last = sign === "=" ? at : at + 1;
    const strict = scan.token(last + 1).value === "undefined";
    const made = absence(scan, at, last, { equal: sign === "=", strict });
    ({ hint, edits } = made ?? { hint, edits });
  }
  return faultAt(token, `there is no \`${written}\``, hint, edits);
}

/** `not x`. */
function negation(scan: Scan, at: number): Fault {
  const token = scan.token(at);
  const last = negatedEnd(scan, at + 1);
  const end = scan.token(last).end;
  let opening = "$not(";
  let closing = mayLack(scan, { first: at + 1, last }) ? " ?? false)" : ")";
  if (closing !== ")" && operandEnd(scan, at + 1) !== last) {
    opening = "$not((";
    closing = `)${closing}`;
  }
  const edits = [
    new Edit(token.start, scan.token(at + 1).start, opening),
    new Edit(end, end, closing),
  ];
  return faultAt(token, "there is no `not`", `write \`$not(...${closing}\``, edits);
}

/** Where what a `not` before a token negates ends: it takes in comparisons. */
function negatedEnd(scan: Scan, at: number): number {
  let last = at;
  const end = region(scan, at).last;
  for (let place = at; place <= end; place += 1) {
    if (scan.holderOf(place) === scan.holderOf(at)) {
      const sign = scan.sign(place);
      if (sign === "and" || sign === "or" || sign === "|") break;
      if (sign === "&" && scan.follows(place, "&")) break;
    }
    last = place;
  }
  return last;
}

/** `x not in list`. */
function notIn(scan: Scan, at: number): Fault {
  const first = operandStart(scan, at - 1);
  const last = operandEnd(scan, at + 2);
  const edits: Edit[] = [];
  if (first !== undefined && last !== undefined && CALM.has(scan.sign(first - 1))) {
    const { start } = scan.token(first);
    const { end } = scan.token(last);
    const gone = new Edit(scan.token(at).start, scan.token(at + 1).start, "");
    edits.push(new Edit(start, start, "$not("), gone, new Edit(end, end, ")"));
  }
  return faultAt(scan.token(at), "there is no `not in`", "write `$not(x in list)`", edits);
}

function afterDot(scan: Scan, at: number): Fault | undefined {
  const dot = scan.token(at);
  const after = scan.token(at + 1);
  if (after.kind === "number" && after.start === dot.end) {
    const written = scan.written(at + 1);
    const items = written.split(".").map((part) => `[${part}]`);
    const edit = new Edit(dot.start, after.end, items.join(""));
    const message = `a number after a dot takes no item: \`.${shown(written)}\``;
    return faultAt(dot, message, "put it in brackets", [edit]);
  }
  const name = scan.token(at + 2);
  if (after.sign === "@" && name.kind === "name" && name.start === after.end) {
    const written = String(name.value);
    const edit = new Edit(after.start, name.end, `\`@${written}\``);
    const message = `@${shown(written)} is no plain name`;
    return faultAt(after, message, "put it in backticks", [edit]);
  }
  return undefined;
}

/** `x[0:3]` of other languages takes the items 0 to 2. */
function slice(scan: Scan, at: number): Fault | undefined {
  const [first, colon, stop] = scan.tokens.slice(at + 1, scan.other(at));
  if (scan.other(at) !== at + 4 || first === undefined || stop === undefined) return undefined;
  const start = wholeOf(first);
  const end = wholeOf(stop);
  if (colon?.sign !== ":" || start === undefined || end === undefined) return undefined;
  const base = operandStart(scan, at - 1);
  const kind = base === undefined ? undefined : evident(scan, { first: base, last: at - 1 });
  const items = `[${start}..${end - 1}]`;
  const hint = `for items of a list write x[${items}], for a part of a text $substring(x, ...)`;
  const certain = start < end && kind === "list";
  const edits = certain ? [new Edit(first.start, stop.end, items)] : [];
  return faultAt(scan.token(at), "there are no slices", hint, edits);
}

function wholeOf(token: Token): number | undefined {
  const { kind, value } = token;
  const isWhole = kind === "number" && typeof value === "number" && Number.isSafeInteger(value);
  return isWhole ? value : undefined;
}

/** `x[0..2]`: a list of indexes has brackets of its own. */
function range(scan: Scan, at: number): Fault | undefined {
  if (scan.heldBy(at) !== "predicate") return undefined;
  const around = scan.holderOf(at);
  const start = scan.token(around).end;
  const end = scan.token(scan.other(around)).start;
  const edits = [new Edit(start, start, "["), new Edit(end, end, "]")];
  const hint = "take items by a list of their indexes";
  return faultAt(scan.token(at), "a range stands in brackets of its own", hint, edits);
}

/** The reference takes a `/` after `[]` and `^(...)` for a regular expression. */
function isMisread(scan: Scan, at: number): boolean {
  const opening = scan.other(at - 1);
  const opened = scan.opens.get(opening);
  return opened === "sort" || (opened === "predicate" && opening === at - 2);
}

function division(scan: Scan, at: number): Fault {
  const start = operandStart(scan, at - 1);
  const { end } = scan.token(at - 1);
  const edits: Edit[] = [];
  if (start !== undefined) {
    const first = scan.token(start).start;
    edits.push(new Edit(first, first, "("), new Edit(end, end, ")"));
  }
  const hint = "put what stands before it in parentheses";
  return faultAt(scan.token(at), "a `/` here opens a regular expression", hint, edits);
}

/** `x => body` becomes `function($x){body}`, with `$x` for `x` in it. */
function arrow(scan: Scan, at: number): Fault {
  const { tokens } = scan;
  const message = "there is no `=>`";
  const hint = "write function($x){...}, and in it $x";
  const first = scan.other(at - 1, at - 1);
  const names = tokens
    .slice(Math.max(first, 0), at)
    .filter((token) => token.kind === "name")
    .map((token) => String(token.value));
  let end = at + 2;
  while (end < tokens.length && !ENDS.has(scan.sign(end))) end = scan.other(end, end) + 1;
  if (names.length === 0 || end >= tokens.length) {
    return faultAt(scan.token(at), message, hint, []);
  }
  const parameters = names.map((name) => `$${name}`).join(", ");
  const body = scan.token(at + 2).start;
  const edits = [new Edit(scan.token(first).start, body, `function(${parameters}){`)];
  for (let place = at + 2; place < end; place += 1) {
    const token = scan.token(place);
    const isParameter = token.kind === "name" && names.includes(String(token.value));
    if (isParameter && !scan.isSign(place - 1, ".")) {
      edits.push(new Edit(token.start, token.start, "$"));
    }
  }
  const close = scan.token(end).start;
  edits.push(new Edit(close, close, "}"));
  const around = scan.holderOf(first);
  if (scan.opens.get(around) === "call") {
    const caller = scan.token(around - 1);
    if (caller.kind === "name") {
      edits.push(...(meaning(scan, caller.start, String(caller.value))?.edits ?? []));
    }
    if (caller.value === "sort") edits.push(...compared(scan, at + 2, end));
  }
  return faultAt(scan.token(at), message, hint, edits);
}

/**
 * `a.n - b.n` sorts as `a.n > b.n` does, and so does that with `? 1 : -1`.
 *
 * Here a comparator tells a truth.
 */
function compared(scan: Scan, first: number, end: number): readonly Edit[] {
  const around = scan.holderOf(first);
  const signs = scan.tokens.slice(first, end).filter((token, place) => {
    const isHere = scan.holderOf(first + place) === around;
    return isHere && !token.prefix && token.sign !== "" && token.sign !== ".";
  });
  const [only] = signs;
  if (only?.sign === "-" && signs.length === 1) return [new Edit(only.start, only.end, ">")];
  const question = signs.at(-2);
  if (question?.sign === "?" && signs.at(-1)?.sign === ":") {
    const chosen = scan.text.slice(question.end, scan.token(end).start).split(":");
    const [yes = "", no = ""] = chosen.map(trimmed);
    if (chosen.length === 2 && yes === "1" && no === "-1") {
      const start = scan.token(scan.indexOf(question.start) - 1).end;
      return [new Edit(start, scan.token(end - 1).end, "")];
    }
  }
  return [];
}

/** Plain text in place of an expression: a date, an address, words in a row. */
export function literalFault(scan: Scan, scope: Scope): Fault | undefined {
  const text = trimmed(scan.text);
  const start = scan.text.indexOf(text);
  const formatted = FORMATTED.exec(text)?.[1];
  if (formatted !== undefined) {
    const raw = formatted.slice(1, -1);
    const found = [...raw.matchAll(BRACED)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      expression: namesAStep(match[1] ?? "", scope) ?? match[1] ?? "",
    }));
    const pieces = joined(raw, found, formatted.charAt(0));
    const edit = new Edit(start, start + text.length, pieces.join(" & "));
    const hint = "join the pieces with `&`";
    return new Fault("foreign_syntax", start, "there are no f-strings", hint, [edit]);
  }
  const readable = scan.fault === undefined && isProse(scan.tokens);
  if (!LITERAL.test(text) && !readable) return undefined;
  const message = `this is text and no expression: ${shown(text)}`;
  const hint = 'text belongs in "args", or between quotes';
  const namesAnId = scan.tokens.some(
    (token) => token.kind === "name" && scope.ids.includes(String(token.value)),
  );
  // With a step's id among the words, the step may be meant.
  const edits = namesAnId ? [] : [new Edit(start, start + text.length, JSON.stringify(text))];
  return new Fault("foreign_syntax", start, message, hint, edits);
}

/** Words and punctuation, two words in a row among them, and nothing that is read. */
function isProse(tokens: readonly Token[]): boolean {
  let isRow = false;
  let hasWord = false;
  let hasName = false;
  let wasWord = false;
  for (const { kind, sign, value } of tokens) {
    const isWord = kind === "name" || kind === "number" || kind === "value";
    if (kind === "operator") {
      if (!PUNCTUATION.has(sign)) return false;
    } else if (!isWord || READING.has(value)) {
      return false;
    } else {
      hasName ||= kind === "name";
      hasWord ||= kind === "name" && !OPERATORS.has(value);
      isRow ||= wasWord;
    }
    wasWord = isWord;
  }
  return isRow && (hasWord || !hasName);
}
