/**
 * The habits of other languages in an expression, each with the edit that mends it.
 *
 * These are the ones that the language names, `foreign_syntax`. They are told from tokens, so
 * that nothing inside a string or a comment is mistaken; templates are looked for in strings
 * too. A bare word and a step without `steps.` show later, in `unnamed`.
 */

import { absence, isAbsence, mayLack, unequal } from "./absence.js";
import { margin, trimmedEnd } from "./blanks.js";
import { operandEnd } from "./operands.js";
import { Edit, Fault, type Scope, shown } from "./problems.js";
import type { Scan } from "./scan.js";
import { fieldText, grouped, joined, meansAStep, templates } from "./templates.js";
import type { Token } from "./tokens.js";
import { Truths } from "./truths.js";

const WORDS: ReadonlyMap<unknown, string> = new Map([
  ["True", "true"],
  ["TRUE", "true"],
  ["False", "false"],
  ["FALSE", "false"],
  ["None", "null"],
  ["NULL", "null"],
  ["Null", "null"],
  ["nil", "null"],
  ["Nil", "null"],
  ["undefined", "null"],
]);
const CALM_BEFORE: ReadonlySet<string> = new Set("([{,;:&?");
const CALM_AFTER: ReadonlySet<string> = new Set(")]},;:&");
const NAMED: ReadonlySet<string> = new Set(["name", "quoted", "string", "end"]);
const BELOW: ReadonlySet<string> = new Set(["*", "**", "["]);

/** A fault and the index of the last token that it covers. */
type Found = readonly [fault: Fault, covered: number];

/**
 * Every habit in a text, from left to right.
 *
 * @param scope - Undefined (a bare root) leaves out what depends on names.
 */
export function foreign(scan: Scan, scope: Scope | undefined): readonly Fault[] {
  const faults: Fault[] = [];
  let covered = -1;
  const truths = new Truths(scan, scope);
  for (const [at, token] of scan.tokens.entries()) {
    if (at <= covered) continue;
    const found = foundAt(scan, at, token, scope, truths);
    if (found === undefined) continue;
    faults.push(found[0]);
    covered = found[1];
  }
  return faults;
}

function foundAt(
  scan: Scan,
  at: number,
  token: Token,
  scope: Scope | undefined,
  truths: Truths,
): Found | undefined {
  switch (token.sign) {
    case "=":
    case "&":
    case "|":
      return doubled(scan, at, truths);
    case "!=":
      if (scan.follows(at, "=")) return strictlyUnequal(scan, at);
      break;
    case "!":
      return negated(scan, at);
    case "{":
      if (scan.follows(at, "%")) return delimited(scan, at);
      // A function may begin with an object.
      if (scope !== undefined && scan.follows(at, "{") && scan.opens.get(at) !== "body") {
        return braced(scan, at, at + 1, scope);
      }
      break;
    case "[":
      if (!token.prefix) return subscript(scan, at);
      break;
    case "..":
      return descent(scan, at, scope);
    default:
      break;
  }
  if (scope === undefined) return undefined;
  if (token.kind === "name" && WORDS.has(token.value) && standsAlone(scan, at)) {
    return [word(scan, at), at];
  }
  if (token.kind === "string" || token.kind === "quoted") return templated(scan, at, scope);
  if (token.kind === "variable" && token.value === "" && scan.follows(at, "{")) {
    return braced(scan, at, at + 1, scope);
  }
  return undefined;
}

function faultAt(token: Token, message: string, hint: string, edits: readonly Edit[]): Fault {
  return new Fault("foreign_syntax", token.start, message, hint, edits);
}

/** `!==`. */
function strictlyUnequal(scan: Scan, at: number): Found {
  const token = scan.token(at);
  let made = absence(scan, at, at + 1, { equal: false, strict: true });
  if (made === undefined && !isAbsence(scan, at + 2)) made = unequal(scan, at);
  const plain = [new Edit(token.end, token.end + 1, "")];
  const { hint, edits } = made ?? { hint: "compare with `!=`", edits: plain };
  return [faultAt(token, "there is no `!==`", hint, edits), at + 1];
}

/** `==`, `===`, `&&`, `||`. */
function doubled(scan: Scan, at: number, truths: Truths): Found | undefined {
  const token = scan.token(at);
  if (!scan.follows(at, token.sign)) return undefined;
  let last = at + 1;
  if (token.sign === "=" && scan.follows(last, "=")) last += 1;
  const message = `there is no \`${scan.written(at, last)}\``;
  if (token.sign === "=") {
    const made = absence(scan, at, last, { equal: true, strict: last === at + 2 });
    const plain = [new Edit(token.end, scan.token(last).end, "")];
    const { hint, edits } = made ?? { hint: "compare with `=`", edits: plain };
    return [faultAt(token, message, hint, edits), last];
  }
  const { hint, edits } = truths.mended(at);
  return [faultAt(token, message, hint, edits), last];
}

/** `!x` and `!!x`. */
function negated(scan: Scan, at: number): Found | undefined {
  const token = scan.token(at);
  if (!token.prefix) return undefined;
  let last = at;
  while (scan.isSign(last + 1, "!")) last += 1;
  const name = (last - at) % 2 === 0 ? "$not" : "$boolean";
  const message = "there is no `!`";
  let hint = `write \`${name}(...)\``;
  const end = operandEnd(scan, last + 1);
  if (end === undefined) return [faultAt(token, message, hint, []), last];
  const sign = new Edit(token.start, scan.token(last + 1).start, name);
  let closing = ")";
  if (mayLack(scan, { first: last + 1, last: end })) {
    hint = `write \`${name}(... ?? false)\`, as it may be missing`;
    closing = " ?? false)";
  } else if (scan.isSign(last + 1, "(") && scan.other(last + 1) === end) {
    return [faultAt(token, message, hint, [sign]), last];
  }
  const after = scan.token(end).end;
  const opened = new Edit(sign.start, sign.end, `${name}(`);
  return [faultAt(token, message, hint, [opened, new Edit(after, after, closing)]), last];
}

/** `{% ... %}`, which other engines put around an expression. */
function delimited(scan: Scan, at: number): Found {
  const { text } = scan;
  const start = scan.token(at).start;
  const inside = scan.token(at + 1).end;
  const close = scan.other(at);
  const kept = inside + margin(text.slice(inside));
  const edits = [new Edit(start, kept, "")];
  if (close > at + 2 && scan.isSign(close - 1, "%") && scan.follows(close - 1, "}")) {
    const end = trimmedEnd(text.slice(0, scan.token(close - 1).start)).length;
    if (end > kept) edits.push(new Edit(end, scan.token(close).end, ""));
  }
  const message = "there is no `{% %}` around an expression";
  return [faultAt(scan.token(at), message, "leave `{%` and `%}` out", edits), at + 1];
}

/** `{{...}}` or `${...}` outside a string; `inner` is the innermost brace. */
function braced(scan: Scan, at: number, inner: number, scope: Scope): Found | undefined {
  const { text, tokens } = scan;
  const token = scan.token(at);
  const close = scan.other(inner);
  const last = token.sign === "{" ? scan.other(at) : close;
  if (last !== close && last !== close + 1) return undefined;
  const content = text.slice(scan.token(inner).end, scan.token(close).start);
  let expression = meansAStep(content, scope);
  if (expression === undefined) return undefined;
  const message = `there are no templates: ${shown(scan.written(at, last))}`;
  const isBeside = last + 1 < tokens.length && scan.token(last + 1).kind !== "operator";
  if (!token.prefix || isBeside) {
    // Words stand beside it, so all of it is text.
    const raw = escaped(text);
    const pieces = joined(raw, templates(raw, scope), '"');
    const edit = new Edit(0, text.length, pieces.join(" & "));
    const hint = "put the text between quotes and join the pieces with `&`";
    return [faultAt(token, message, hint, [edit]), tokens.length];
  }
  if (tokens.length > last - at + 1) expression = grouped(expression);
  const edit = new Edit(token.start, scan.token(last).end, expression);
  return [faultAt(token, message, "name the step without braces", [edit]), last];
}

/** A text as it is written between double quotes. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

/** A template inside a string, or in backticks as in JavaScript. */
function templated(scan: Scan, at: number, scope: Scope): Found | undefined {
  const token = scan.token(at);
  let raw = scan.text.slice(token.start + 1, token.end - 1);
  let quote = scan.text.charAt(token.start);
  if (token.kind === "quoted") {
    raw = escaped(raw);
    quote = '"';
  }
  const found = templates(raw, scope);
  const [first] = found;
  if (first === undefined) return undefined;
  const pieces = joined(raw, found, quote);
  let fixed = pieces.join(" & ");
  const isCalmBefore = at === 0 || CALM_BEFORE.has(scan.sign(at - 1));
  const isCalmAfter = at + 1 === scan.tokens.length || CALM_AFTER.has(scan.sign(at + 1));
  if (pieces.length > 1 && !(isCalmBefore && isCalmAfter)) fixed = `(${fixed})`;
  const message = `there are no templates in text: ${shown(raw.slice(first.start, first.end))}`;
  const edit = new Edit(token.start, token.end, fixed);
  return [faultAt(token, message, "join the pieces with `&`", [edit]), at];
}

/** `[*]`, `[?(...)]` and `['field']`. */
function subscript(scan: Scan, at: number): Found | undefined {
  const token = scan.token(at);
  const last = scan.other(at);
  const inner = scan.token(at + 1);
  const end = scan.token(last).end;
  if (last === at + 2 && inner.sign === "*") {
    const hint = "leave it out: a path goes through every item of a list by itself";
    const gone = [new Edit(token.start, end, "")];
    return [faultAt(token, "there is no `[*]`", hint, gone), last];
  }
  if (last === at + 2 && inner.kind === "string") {
    const name = String(inner.value);
    const message = `a string in brackets reads no field: ${shown(scan.written(at, last))}`;
    if (name.includes("`")) {
      return [faultAt(token, message, "write `$lookup(x, ...)`", []), last];
    }
    const edit = new Edit(token.start, end, `.${fieldText(name)}`);
    return [faultAt(token, message, "write the field after a dot", [edit]), last];
  }
  if (inner.sign === "?" || inner.sign === "?:" || inner.sign === "??") {
    return [filtered(scan, at, last), at + 1];
  }
  return undefined;
}

/** JSONPath's filter, where `@` is the row. */
function filtered(scan: Scan, at: number, last: number): Fault {
  const gone = (place: number) => {
    const token = scan.token(place);
    return new Edit(token.start, token.end, "");
  };
  const edits = [gone(at + 1)];
  if (scan.isSign(at + 2, "(") && scan.other(at + 2) === last - 1) {
    edits.push(gone(at + 2), gone(last - 1));
  }
  for (let place = at + 2; place < last; place += 1) {
    if (!scan.isSign(place, "@")) continue;
    const dotted = scan.follows(place, ".");
    const stop = scan.token(dotted ? place + 1 : place).end;
    edits.push(new Edit(scan.token(place).start, stop, dotted ? "" : "$"));
  }
  const hint = "write the condition itself; a bare name in it is a field of the row";
  return faultAt(scan.token(at), "there is no `[?(...)]`", hint, edits);
}

/** JSONPath's `..`; in brackets it is a range, or meant as one. */
function descent(scan: Scan, at: number, scope: Scope | undefined): Found | undefined {
  const token = scan.token(at);
  const before = scan.token(at - 1);
  const after = scan.token(at + 1);
  const held = scan.heldBy(at);
  // To a name or a `*` JSONPath goes down; to a number or a call there goes only a range.
  const isRange = held === "list" && !NAMED.has(after.kind) && !BELOW.has(after.sign);
  if (before.kind === "variable" && before.value === "" && !isRange) {
    const some = scope?.ids[0] ?? "<id>";
    const hint = `name the step and search below it with \`**\`: steps.${some}.**.name`;
    return [faultAt(before, "there is no `$..`", hint, []), at];
  }
  if (token.prefix || held === "list" || held === "predicate") return undefined;
  const edit = new Edit(token.start, token.end, ".**.");
  const message = "there is no `..` in a path";
  return [faultAt(token, message, "search below with `**`", [edit]), at];
}

/** Whether a name is a whole operand: no part of a path, no call and no key. */
function standsAlone(scan: Scan, at: number): boolean {
  const after = scan.sign(at + 1);
  const before = scan.sign(at - 1);
  const held = scan.heldBy(at);
  // Before a `:` stands a key, or what a condition gives.
  const inObject = held === "object" || held === "group";
  const isKey = after === ":" && (before === "{" || before === ",") && inObject;
  const isPart = before === "." || after === "." || after === "(";
  return scan.token(at).prefix && !isPart && !isKey;
}

function word(scan: Scan, at: number): Fault {
  const token = scan.token(at);
  const meant = WORDS.get(token.value) ?? "";
  let hint = `write \`${meant}\``;
  let edits: readonly Edit[] = [new Edit(token.start, token.end, meant)];
  if (meant === "null") {
    hint += "; whether a value is there at all, `$exists(...)` tells";
    const isUndefined = token.value === "undefined";
    if (scan.isSign(at - 1, "=") && !scan.isSign(at - 2, "=")) {
      const made = absence(scan, at - 1, at - 1, { equal: true, strict: isUndefined });
      ({ hint, edits } = made ?? { hint, edits });
    }
    const after = scan.sign(at + 1);
    if (isUndefined && (after === "=" || after === "!=")) edits = [];
  }
  return faultAt(token, `\`${String(token.value)}\` is read as a field's name`, hint, edits);
}
