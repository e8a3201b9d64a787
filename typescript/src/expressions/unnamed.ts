/** Names that mean nothing where they stand: what was meant instead, and the edit. */

import { closest, quoted } from "../diagnostics.js";
import type { Name, Path } from "../tree.js";
import { isLiteral } from "./bare-words.js";
import { Edit, Fault, type Scope, shown } from "./problems.js";
import { itemHint } from "./refusals.js";
import type { Scan } from "./scan.js";
import { fieldText } from "./templates.js";

/** A bare `steps` (or `item`, `input`) where names are fields of a row. */
export function relative(name: string, position: number): Fault {
  const message = `a bare \`${name}\` is a field of the current row here`;
  const hint = `write $${name}; the row's own field is $.${name}`;
  return new Fault("relative_steps", position, message, hint, [
    new Edit(position, position, "$"),
  ]);
}

/** A use of `steps` or of the root as anything but the start of a path. */
export function unresolvable(whole: "steps" | "root", position: number, scope: Scope): Fault {
  const some = scope.ids.slice(0, 2).map((name) => `steps.${name}`);
  const where = whole === "steps" ? "`steps` stands without an id" : "all of them are in sight";
  let hint = `name the step that is meant, as in ${some[0] ?? "steps.<id>"}`;
  if (some.length > 1) hint += `, or each of several, as in [${some.join(", ")}]`;
  const message = `it cannot be told which steps are read: ${where}`;
  return new Fault("unresolvable_reference", position, message, hint);
}

/** `steps[0]`: steps are no list. */
export function indexedSteps(path: Path, scope: Scope, index: unknown): Fault {
  const position = path.steps[0]?.position ?? path.position;
  const meant = typeof index === "number" ? scope.ids[index] : undefined;
  const some = meant ?? scope.ids[0] ?? "<id>";
  const message = "`steps` is no list: a step is read by its id";
  const hint = `name the step that is meant, as in steps.${some}`;
  return new Fault("unresolvable_reference", position, message, hint);
}

/** An input that the host did not pass. */
export function unknownInput(
  scan: Scan,
  name: string,
  position: number,
  known: readonly string[],
): Fault {
  const near = closest(name, known);
  let edits: readonly Edit[] = [];
  let hint = "the host passed no input: read a step, or write the value itself";
  if (near !== undefined) {
    hint = `write ${inputText(near)}`;
    if (inputText(near).startsWith("input.")) {
      edits = replaced(scan, position, fieldText(near));
    }
  } else if (known.length > 0) {
    hint = `the host passed ${known.map(inputText).join(", ")}`;
  }
  return new Fault("unknown_root", position, `there is no input ${quoted(name)}`, hint, edits);
}

/** How an input is read: in backticks no name is empty, or holds one. */
function inputText(name: string): string {
  if (name !== "" && !name.includes("`")) return `input.${fieldText(name)}`;
  return `$lookup(input, ${JSON.stringify(name)})`;
}

/** A name at the root that is none of the few there are. */
export function unknownName(scan: Scan, scope: Scope, step: Name, path: Path): Fault {
  const { value: name, position } = step;
  const start = path.steps[0]?.position ?? position;
  if (scope.ids.includes(name)) {
    const message = `a step is read through \`steps\`, and ${quoted(name)} alone is nothing`;
    const edit = new Edit(start, position, "steps.");
    return new Fault("foreign_syntax", position, message, `write steps.${name}`, [edit]);
  }
  if (name === "item" || name === "index") {
    const message = `there is no \`${name}\` here`;
    return new Fault("unknown_root", position, message, itemHint(scope));
  }
  const subtraction = hyphenated(scan, position);
  if (subtraction !== undefined) return subtraction;
  if (path.steps.at(-1) === step && step.stages.length === 0) {
    return bareWord(scan, scope, name, position, start);
  }
  const token = scan.token(scan.indexOf(position));
  if (token.kind === "string") {
    const message = "a text in front of a dot is read as a name";
    const hint = "write what follows as a function: $f(text)";
    return new Fault("unknown_root", position, message, hint);
  }
  const near = scope.closestId(name);
  const message = `nothing is called ${quoted(name)} here`;
  if (near !== undefined) {
    const edit = new Edit(start, token.end, `steps.${near}`);
    return new Fault("unknown_root", position, message, `write steps.${near}`, [edit]);
  }
  const roots = `steps.<id>, input.<name>${scope.hasItem ? ", item and index" : ""}`;
  const hint = `an expression reads ${roots}; text stands between quotes`;
  return new Fault("unknown_root", position, message, hint);
}

function bareWord(
  scan: Scan,
  scope: Scope,
  name: string,
  position: number,
  start: number,
): Fault {
  const message = `${quoted(name)} is read as a name, and nothing here is called that`;
  const at = scan.indexOf(position);
  const alone = scan.tokens.length === 1;
  let meant = JSON.stringify(name);
  let hint = "put text between quotes";
  let certain = isLiteral(scan, scope, at, scan.indexOf(start));
  const near = scope.closestId(name);
  if (scope.inputs?.includes(name)) {
    meant = inputText(name);
    hint = `write ${meant}`;
    certain = true;
  } else if (near !== undefined && !certain) {
    hint = `write steps.${near} for the step; text stands between quotes`;
  } else if (scope.hasItem && !certain) {
    hint = `write item.${name} for a field of the item; text stands between quotes`;
  } else if (alone && scope.field === "when") {
    hint = "write a condition, such as steps.<id>.ok";
  } else if (alone && scope.field === "for_each") {
    hint = "read a list, such as steps.<id>.rows";
  } else if (alone && scope.field === "bind") {
    hint = 'a literal belongs in "args"; as an expression, text stands between quotes';
  } else if (!certain) {
    hint = "text stands between quotes, and a value is read as steps.<id> or input.<name>";
  }
  const edits = certain ? [new Edit(start, scan.token(at).end, meant)] : [];
  return new Fault("foreign_syntax", position, message, hint, edits);
}

/** `steps.a.user-name` takes `name` from `steps.a.user`. */
function hyphenated(scan: Scan, position: number): Fault | undefined {
  const last = scan.indexOf(position);
  let at = last;
  while (at >= 2 && isHyphen(scan, at - 1)) at -= 2;
  if (at === last) return undefined;
  const written = scan.written(at, last);
  const hint = "put a field's name that has a hyphen in backticks";
  const edit = new Edit(scan.token(at).start, scan.token(last).end, `\`${written}\``);
  const message = `${shown(written)} is a subtraction`;
  return new Fault("foreign_syntax", position, message, hint, [edit]);
}

/** Whether a token is a `-` between two names with no space around it. */
function isHyphen(scan: Scan, at: number): boolean {
  const before = scan.token(at - 1);
  const after = scan.token(at + 1);
  if (!scan.isSign(at, "-") || before.kind !== "name" || after.kind !== "name") return false;
  return before.end === scan.token(at).start && scan.token(at).end === after.start;
}

function replaced(scan: Scan, position: number, text: string): readonly Edit[] {
  const token = scan.token(scan.indexOf(position));
  return [new Edit(token.start, token.end, text)];
}
