/** Why the profile refuses a thing, in words, and the edit that mends it. */

import { closest } from "../diagnostics.js";
import type { Call, Node } from "../tree.js";
import { LISTED, REFUSED, usage } from "./listed.js";
import { meaning } from "./methods.js";
import { callEdits, operandEnd, operandStart } from "./operands.js";
import { Edit, Fault, type Scope, shown } from "./problems.js";
import type { Scan } from "./scan.js";
import type { Token } from "./tokens.js";

const FALLBACKS: ReadonlySet<string> = new Set(["??", "?:"]);
const COUNTING: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%"]);
const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["map", ["$v"]],
  ["filter", ["$v"]],
  ["single", ["$v"]],
  ["reduce", ["$kept", "$v"]],
  ["sift", ["$v", "$k"]],
  ["each", ["$v", "$k"]],
  ["sort", ["$l", "$r"]],
  ["replace", ["$m"]],
]);

// What the function is that a bare name stands for, where it is given more than a value.
const BODIES: ReadonlyMap<string, string> = new Map([
  ["reduce", "%($kept, $v)"],
  ["sort", "%($l) > %($r)"],
  ["replace", "%($m.match)"],
]);
const WITHOUT: ReadonlyMap<string, string> = new Map([
  ["formatNumber", "the picture has no options beside it"],
  ["toMillis", "a date is 2024-02-29 or 2024-02-29T12:34:56Z, and takes no picture"],
  [
    "fromMillis",
    "it gives 2024-02-29T12:34:56.789Z and takes no picture; " +
      "$substring(..., 0, 10) is the day",
  ],
]);
const ALL = [...LISTED.keys()].map((name) => `$${name}`).join(" ");

/** A `not_in_profile`. */
export function refused(
  position: number,
  message: string,
  hint: string,
  edits: readonly Edit[] = [],
): Fault {
  return new Fault("not_in_profile", position, message, hint, edits);
}

/** What is refused by the look of a token, before the parser sees it. */
export function marks(scan: Scan): readonly Fault[] {
  const faults: Fault[] = [];
  for (const [at, token] of scan.tokens.entries()) {
    const flags = token.kind === "regex" ? flagsFault(scan, at) : undefined;
    if (flags !== undefined) faults.push(flags);
    const reason = refusedMark(scan, at, token);
    if (reason !== undefined) faults.push(refused(token.start, ...reason));
  }
  return faults;
}

function refusedMark(
  scan: Scan,
  at: number,
  token: Token,
): readonly [message: string, hint: string] | undefined {
  switch (token.sign) {
    case "|":
      return [
        "a transform `|...|...|` is not allowed",
        'build the object: $merge([x, {"field": value}])',
      ];
    case "@":
      return [
        "a join with `@` is not allowed",
        "filter with a predicate: $steps, $item and variables can be read in it",
      ];
    case "#":
      return [
        "an index with `#` is not allowed",
        "number the rows: $map(list, function($v, $i){...})",
      ];
    case "%":
      if (!token.prefix) return undefined;
      return [
        "the parent `%` is not allowed",
        "go down with $map(list, function($v){...}), where $v stays at hand",
      ];
    case "?":
      if (!token.prefix) return undefined;
      return [
        "a call that leaves arguments open with `?` is not allowed",
        "write function($v){...} where the function is wanted",
      ];
    case "<":
      if (scan.opens.get(scan.other(at - 1)) !== "params") return undefined;
      return ["a signature after function(...) is not allowed", "leave <...> out"];
    default:
      return undefined;
  }
}

/** Other flags than `i` and `m` directly behind a regular expression. */
function flagsFault(scan: Scan, at: number): Fault | undefined {
  const after = scan.token(at + 1);
  if (after.kind !== "name" || after.start !== scan.token(at).end) return undefined;
  const message = `the regular expression has the flag ${shown(String(after.value))}`;
  const hint = "leave it out: the flags are i and m, and every match is found";
  const gone = new Edit(after.start, after.end, "");
  return new Fault("syntax", after.start, message, hint, [gone]);
}

/** What to write instead of `item` where there is none. */
export function itemHint(scope: Scope): string {
  switch (scope.field) {
    case "for_each":
      return (
        "filter or shape the list itself, as in steps.a.rows[size > 3]; `item` is there" +
        " in `bind`, for each entry of it"
      );
    case "when":
      return (
        "`when` is decided once for the step and not for each item: filter the list in" +
        " `for_each`, as in steps.a.rows[size > 3]"
      );
    case "output":
      return "read the results: steps.<id> is the list that a step with `for_each` gave";
    case "bind":
      return "give the step a `for_each` that makes the list, or read a step: steps.<id>";
  }
}

/** Where a `$name` stands that nothing defines. */
export interface Surroundings {
  readonly scope: Scope | undefined;
  /** The variables in sight. */
  readonly known: readonly string[];
  /** Whether a bare name would be a field of a row there. */
  readonly ofRow: boolean;
}

/** A `$name` that nothing defines. */
export function unknownVariable(
  name: string,
  position: number,
  { scope, known, ofRow }: Surroundings,
): Fault {
  const end = position + 1 + name.length;
  const written = shown(name);
  if (LISTED.has(name)) {
    const message = `the function $${name} stands where a value belongs`;
    return refused(position, message, `call it: ${usage(name)}`);
  }
  const instead = REFUSED.get(name);
  if (instead !== undefined) return refused(position, `$${name} is not allowed`, instead);
  const edits: Edit[] = [];
  const near = closest(name, known);
  let hint =
    `define it first, ($${written} := ...; ...), or read steps.<id> or input.<name>;` +
    " a field whose name begins with $ is written in backticks";
  if (scope?.ids.includes(name)) {
    const meant = `${ofRow ? "$" : ""}steps.${name}`;
    hint = `write ${meant}`;
    edits.push(new Edit(position, end, meant));
  } else if (scope !== undefined && (name === "item" || name === "index")) {
    hint = itemHint(scope);
  } else if (near !== undefined) {
    hint = `write $${near}`;
    edits.push(new Edit(position, end, `$${near}`));
  }
  const message = `there is no variable $${written}`;
  return new Fault("unknown_variable", position, message, hint, edits);
}

/**
 * A call of what is no function: misspelled, without its `$`, or a method.
 *
 * @param mark - `"$"` if that was written.
 */
export function unknownFunction(scan: Scan, name: string, position: number, mark = ""): Fault {
  const instead = REFUSED.get(name);
  if (instead !== undefined) return refused(position, `$${name} is not allowed`, instead);
  const message = `there is no function ${mark}${shown(name)}`;
  const meant = meaning(scan, position, name);
  if (meant !== undefined) {
    return new Fault("unknown_function", position, message, meant.hint, meant.edits);
  }
  const near = closest(name, LISTED.keys());
  if (near === undefined) {
    const hint = `the functions are ${ALL}`;
    return new Fault("unknown_function", position, message, hint);
  }
  const edits = callEdits(scan, position, near);
  return new Fault("unknown_function", position, message, `write ${usage(near)}`, edits);
}

/** A call of a variable. */
export function uncallableVariable(name: string, position: number): Fault {
  const message = `$${shown(name)} is a variable, and variables are not called`;
  const hint = "write its body where it is wanted, or use $map(list, function($v){...})";
  return refused(position, message, hint);
}

/** A call with so many arguments as its function does not take. */
export function tooManyOrFew(name: string, count: number, position: number): Fault {
  const given = count === 1 ? `${count} argument` : `${count} arguments`;
  const without = WITHOUT.get(name);
  let hint = `write ${usage(name)}`;
  if (without !== undefined && count > (LISTED.get(name)?.length ?? 0)) {
    hint = `${hint}: ${without}`;
  }
  return refused(position, `$${name} is given ${given}`, hint);
}

/** Something else where `$match` takes a regular expression. */
export function patternWanted(place: number, position: number): Fault {
  const message = `argument ${place + 1} of $match is a regular expression, written out there`;
  return refused(position, message, "write it between slashes, as in $match(text, /[0-9]+/)");
}

/** What follows a call at the end of a function, where the reference forgets it. */
export function lostEnding(scan: Scan, ending: Node): Fault {
  const at = scan.indexOf(ending.position);
  // The call alone: to the end of its own brackets.
  const held = scan.partner.get(ending.kind === "block" ? at : at + 1);
  const last = operandEnd(scan, at);
  const message = "what follows a call at the end of a function is forgotten";
  if (held === undefined || last === undefined) {
    const hint = "name the value first: ($value := ...; $value)";
    return refused(ending.position, message, hint);
  }
  const { start, end: opened } = scan.token(at);
  const { start: close, end: closed } = scan.token(held);
  const { end } = scan.token(last);
  if (isCallAlone(ending) && ending.predicates.length > 0) {
    const hint = "leave out the parentheses around the call, as in $f($v)[0]";
    return refused(ending.position, message, hint, [
      new Edit(start, opened, ""),
      new Edit(close, closed, ""),
    ]);
  }
  if (ending.keepArray && ending.predicates.length === 0 && ending.group === undefined) {
    const hint = "make the list with brackets around the call, as in [$f($v)]";
    return refused(ending.position, message, hint, [
      new Edit(start, start, "["),
      new Edit(closed, end, "]"),
    ]);
  }
  const hint = "name the value first, as in ($value := $f($v); $value[0])";
  return refused(ending.position, message, hint, [
    new Edit(start, start, "($value := "),
    new Edit(closed, closed, "; $value"),
    new Edit(end, end, ")"),
  ]);
}

/** Whether a call stands alone in parentheses. */
function isCallAlone(node: Node): boolean {
  if (node.kind !== "block" || node.statements.length !== 1) return false;
  return node.statements[0]?.kind === "call";
}

/** A call at the end of a function that would take its context, and has none there. */
export function lostContext(scan: Scan, call: Call, parameters: readonly string[]): Fault {
  const where = "at the end of a function there is no context";
  const message = `$${call.name} is given no value: ${where}`;
  const [first] = parameters;
  if (first === undefined) {
    return refused(call.position, message, `write ${usage(call.name)}`);
  }
  const after = scan.token(scan.indexOf(call.position) + 1).end;
  const isGiven = call.arguments.length > 0;
  const edit = new Edit(after, after, `$${first}${isGiven ? ", " : ""}`);
  const rest = isGiven ? ", ..." : "";
  return refused(call.position, message, `write $${call.name}($${first}${rest})`, [edit]);
}

/** A listed function's bare name as the function argument of a call. */
export function nameAsFunction(name: string, position: number, caller: string): Fault {
  const written = PARAMETERS.get(caller) ?? [];
  const body = (BODIES.get(caller) ?? "%($v)").replaceAll("%", () => `$${name}`);
  const literal = `function(${written.join(", ")}){${body}}`;
  const edit = new Edit(position, position + 1 + name.length, literal);
  const message = `the bare name $${name} is not taken as the function of $${caller}`;
  return refused(position, message, `write ${literal}`, [edit]);
}

/** Something else where a call takes a function. */
export function functionWanted(caller: string, place: number, position: number): Fault {
  const message = `argument ${place + 1} of $${caller} is a function, written out there`;
  const parameters = (PARAMETERS.get(caller) ?? []).join(", ");
  return refused(position, message, `write function(${parameters}){...}`);
}

/** An operation beside `??` or `?:` that would be read otherwise than it looks. */
export function looseOperand(scan: Scan, position: number, operator: string): Fault {
  const at = scan.indexOf(position);
  const start = operandStart(scan, at - 1);
  let end = operandEnd(scan, at + 1);
  while (
    end !== undefined &&
    end + 2 < scan.tokens.length &&
    FALLBACKS.has(scan.sign(end + 1))
  ) {
    end = operandEnd(scan, end + 2);
  }
  const edits: Edit[] = [];
  if (start !== undefined && end !== undefined && !isTorn(scan, start, end)) {
    const first = scan.token(start).start;
    const last = scan.token(end).end;
    edits.push(new Edit(first, first, "("), new Edit(last, last, ")"));
  }
  const sign = `\`${operator}\``;
  const message = `an operation beside ${sign} needs parentheses: ${sign} takes it whole`;
  return refused(position, message, "put what belongs together in parentheses", edits);
}

/**
 * Whether a fallback between two tokens may just as well belong with what is beside it.
 *
 * `"n: " & a ?? 0` and `a ?? 0 > 3` make sense in one way only; a sum does in two.
 */
function isTorn(scan: Scan, start: number, end: number): boolean {
  const before = scan.token(start - 1);
  const after = scan.sign(end + 1);
  return (!before.prefix && COUNTING.has(before.sign)) || COUNTING.has(after) || after === "&";
}
