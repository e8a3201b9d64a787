/** What to say of a text that no parser reads: in our own words, with the edit. */

import type { UnreadableError } from "./parser.js";
import { Edit, Fault, type Scope, shown } from "./problems.js";
import type { Scan } from "./scan.js";
import type { Token } from "./tokens.js";

const WANTED: ReadonlyMap<string, string> = new Map([
  [":", 'an object is written {"key": value}'],
  [")", "put an operator between values, or a comma between arguments"],
  ["]", "put an operator between values, or a comma between items"],
  ["}", "put a comma between members"],
  ["(", "a sort is written x^(key), or x^(>key) for the largest first"],
  ["{", "a function is written function($x){...}"],
]);
const MISREAD: ReadonlySet<string> = new Set("%/*|=<>");

/** Of a text without a token. */
export function emptyFault(scope: Scope | undefined): Fault {
  let hint = "write an expression, or leave the field out";
  if (scope?.field === "bind") {
    hint = "write an expression, or leave the binding out; an empty text is '' in quotes";
  }
  return new Fault("syntax", 0, "the expression is empty", hint);
}

/** Of a text that the parser gave up on. */
export function syntaxFault(scan: Scan, fault: UnreadableError): Fault {
  const { at } = fault;
  if (at >= scan.tokens.length) {
    const last = scan.token(scan.tokens.length - 1);
    const before = written(scan, at - 1);
    const message = `the expression ends after ${before}, where something is missing`;
    return faultAt(last, message, "write what belongs there, or remove what stands last");
  }
  const special = SPECIAL.get(fault.code);
  if (special !== undefined) return special(scan, at);
  const early = earlyEnd(scan, at);
  if (early !== undefined) return early;
  const token = scan.token(at);
  const here = written(scan, at);
  if (fault.wanted !== undefined) {
    const hint = WANTED.get(fault.wanted) ?? `write \`${fault.wanted}\` there`;
    return faultAt(token, `${here} stands where \`${fault.wanted}\` is due`, hint);
  }
  if (token.kind === "operator") {
    let hint = `write the value that ${here} applies to, or remove it`;
    if (MISREAD.has(token.sign) && scan.isSign(at - 1, "]")) {
      hint = "put what stands before it in parentheses";
    }
    return faultAt(token, `${here} stands where a value is due`, hint);
  }
  const message = `${here} follows ${written(scan, at - 1)} with no operator between them`;
  const hint = "put an operator between them (`&` joins text), or quotes around text";
  return faultAt(token, message, hint);
}

function faultAt(
  token: Token,
  message: string,
  hint: string,
  edits: readonly Edit[] = [],
): Fault {
  return new Fault("syntax", token.start, message, hint, edits);
}

function written(scan: Scan, at: number): string {
  return `\`${shown(scan.written(at))}\``;
}

/** `'O'Brien'`: the apostrophe ended the text. */
function earlyEnd(scan: Scan, at: number): Fault | undefined {
  const before = scan.token(at - 1);
  const token = scan.token(at);
  if (before.kind !== "string" || token.kind !== "name") return undefined;
  if (before.end !== token.start) return undefined;
  const rest = String(token.value);
  const edits: Edit[] = [];
  if (rest.endsWith("'") && !scan.written(at - 1, at).includes('"')) {
    const whole = scan.text.slice(before.start + 1, token.end - 1);
    edits.push(new Edit(before.start, token.end, `"${whole}"`));
  }
  const [early, after] = [written(scan, at - 1), written(scan, at)];
  const message = `the text ${early} ends early, and ${after} follows`;
  return faultAt(token, message, "put text that holds a ' between double quotes", edits);
}

/** `function(x){x + 1}`: its parameters lack their `$`. */
function parameter(scan: Scan, at: number): Fault {
  let opening = at;
  while (opening > 0 && scan.opens.get(opening) !== "params") opening -= 1;
  const body = scan.other(opening, at) + 1;
  const names = new Set(
    scan.tokens
      .slice(opening, body)
      .filter((token) => token.kind === "name")
      .map((token) => token.value),
  );
  const edits: Edit[] = [];
  const end = scan.other(body, body);
  for (let place = opening + 1; place < end; place += 1) {
    const token = scan.token(place);
    const isParameter = token.kind === "name" && names.has(token.value);
    if (isParameter && !scan.isSign(place - 1, ".")) {
      edits.push(new Edit(token.start, token.start, "$"));
    }
  }
  const message = `${written(scan, at)} is no variable, and a function's parameters are`;
  return faultAt(scan.token(at), message, "write function($x){...}", edits);
}

function assigned(scan: Scan, at: number): Fault {
  const token = scan.token(at);
  const edits = token.kind === "name" ? [new Edit(token.start, token.start, "$")] : [];
  const message = `${written(scan, at)} cannot be given a value, only a variable can`;
  return faultAt(token, message, "write ($x := ...; ...)", edits);
}

function literalStep(scan: Scan, at: number): Fault {
  const token = scan.token(at);
  const text = scan.written(at);
  const edits = token.kind === "value" ? [new Edit(token.start, token.end, `\`${text}\``)] : [];
  const message = `${shown(text)} is a literal and no field's name`;
  return faultAt(token, message, "put a field's name that looks like one in backticks", edits);
}

function groupedTwice(scan: Scan, at: number): Fault {
  const message = `a ${written(scan, at)} cannot come right after a group {...}`;
  const hint = "put all that stands before it in parentheses";
  return faultAt(scan.token(at), message, hint);
}

function noOperator(scan: Scan, at: number): Fault {
  const message = `${written(scan, at)} is no operator`;
  const hint =
    "write `!=` for unequal, `$not(...)` for not, `~>` to hand a value to a function";
  return faultAt(scan.token(at), message, hint);
}

const SPECIAL: ReadonlyMap<string, (scan: Scan, at: number) => Fault> = new Map([
  ["S0204", noOperator],
  ["S0208", parameter],
  ["S0209", groupedTwice],
  ["S0210", groupedTwice],
  ["S0212", assigned],
  ["S0213", literalStep],
]);
