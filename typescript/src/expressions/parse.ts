/** One expression, from its text to what runs: limits, habits, syntax, profile, references. */

import type { Node } from "../tree.js";
import { trimmed } from "./blanks.js";
import { foreign } from "./habits.js";
import { parse, UnreadableError } from "./parser.js";
import { isPlainPath, readPlain, readPlainList } from "./paths.js";
import { isOfSingleUnits, points, pointsBefore } from "./points.js";
import { Edit, edited, Fault, type Problem, type Scope } from "./problems.js";
import { treeOf } from "./profile.js";
import { type Read, type References, references } from "./references.js";
import { marks } from "./refusals.js";
import { MAX_LENGTH, type Scan, scan } from "./scan.js";
import { literalFault, slips } from "./slips.js";
import { emptyFault, syntaxFault } from "./syntax.js";

const ROUNDS = 4;
const LONGEST_REPAIR = 600;

/** An expression that may run. */
export interface Expression {
  readonly text: string;
  readonly tree: Node;
  /** The ids of the steps it reads, by first appearance. */
  readonly dependencies: readonly string[];
  /** The names of the host's input it reads, by first appearance. */
  readonly inputs: readonly string[];
  /** Each place where it reads a step, an input or the item, from left to right. */
  readonly reads: readonly Read[];
  /** Whether it is wholly a plain path. */
  readonly plainPath: boolean;
  /** Whether it reads `item` or `index`. */
  readonly usesItem: boolean;
}

/** All that reading a text told. */
export interface Reading {
  /** Undefined if there are problems. */
  readonly expression: Expression | undefined;
  /** From left to right, then by code. */
  readonly problems: readonly Problem[];
  /**
   * What it reads, as far as the text could be understood: also where the profile refuses it.
   */
  readonly reads: readonly Read[];
}

/**
 * Reads an expression and checks all that can be known before it runs.
 *
 * @param scope - What it may name; undefined lifts the rules of root names, strict names and
 *   references, and keeps the profile and the limits.
 * @returns The expression, or undefined and what is wrong with it. Bad text raises nothing.
 */
export function parseExpression(
  text: string,
  scope: Scope | undefined,
): readonly [expression: Expression | undefined, problems: readonly Problem[]] {
  const reading = readExpression(text, scope);
  return [reading.expression, reading.problems];
}

/** As `parseExpression`, with the reads also of an expression that is refused. */
export function readExpression(text: string, scope: Scope | undefined): Reading {
  if (scope !== undefined) {
    const plain = readPlain(text, scope);
    if (plain !== undefined) return ofPlainPaths(text, plain[0], [plain[1]]);
    const several = readPlainList(text, scope);
    if (several !== undefined) return ofPlainPaths(text, ...several);
  }
  const { tree, found, faults } = examined(text, scope);
  const reads = inCodePoints(text, found.reads);
  if (tree !== undefined && faults.length === 0) {
    const expression = madeExpression(text, tree, { ...found, reads });
    return { expression, problems: [], reads };
  }
  return { expression: undefined, problems: problemsOf(text, scope, faults), reads };
}

/**
 * Whether a text is as a whole an expression that reads a step there is, or the item.
 *
 * For text that stands where an expression would have been meant. Texts beyond the limits,
 * and all that are no expression, are quickly told.
 */
export function readsAStep(text: string, scope: Scope): boolean {
  if (text.length > MAX_LENGTH && points(text) > MAX_LENGTH) return false;
  if (!text.includes("steps") && !text.includes("item")) return false;
  const plain = readPlain(trimmed(text), scope);
  if (plain !== undefined) return namesSomething(plain[1], scope);
  const { found, faults } = examined(text, scope, false);
  return faults.length === 0 && found.reads.some((read) => namesSomething(read, scope));
}

/** The text with the edits of its faults made; `""` if that does not mend it wholly. */
export function repaired(text: string, scope: Scope | undefined): string {
  let here = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { faults } = examined(here, scope);
    if (faults.length === 0) return inOneLine(here);
    const after = trimmed(
      edited(
        here,
        faults.flatMap((fault) => fault.edits),
      ),
    );
    if (after === here) break;
    here = after;
  }
  return "";
}

/** A text without line breaks between its tokens, for a hint. */
function inOneLine(text: string): string {
  if (!text.includes("\n")) return text;
  let line = "";
  let at = 0;
  for (const token of scan(text).tokens) {
    const between = text.slice(at, token.start);
    line += (between.includes("\n") ? " " : between) + text.slice(token.start, token.end);
    at = token.end;
  }
  return line;
}

/** What is known of a text; its places are in UTF-16 units. */
interface Found {
  readonly tree?: Node;
  readonly found: References;
  readonly faults: readonly Fault[];
}

const NO_REFERENCES: References = { reads: [], faults: [], usesItem: false };

/** Goes as far as the text can be understood; a later stage needs the one before it. */
function examined(text: string, scope: Scope | undefined, quoted = true): Found {
  const scanned = scan(text);
  const told = faultsOfText(scanned, scope);
  if (told.length > 0) return asLiteral(scanned, scope, { found: NO_REFERENCES, faults: told });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(scanned);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const faults = [syntaxFault(scanned, error)];
    return asLiteral(scanned, scope, { found: NO_REFERENCES, faults });
  }
  const [tree, refused] = treeOf(parsed, scanned, scope);
  if (scope === undefined) return { tree, found: NO_REFERENCES, faults: refused };
  const found = references(tree, scanned, scope);
  const faults = [...refused, ...found.faults];
  if (quoted && tree.kind === "literal" && typeof tree.value === "string") {
    faults.push(...quotedFaults(scanned, tree.value, scope));
  }
  const whole: Found = { tree, found, faults };
  // A date reads as a subtraction.
  const mayBeADate = faults.length === 0 && tree.kind === "binary";
  return mayBeADate ? asLiteral(scanned, scope, whole) : whole;
}

/** What is wrong with a text by its tokens alone. */
function faultsOfText(scanned: Scan, scope: Scope | undefined): readonly Fault[] {
  if (scanned.fault !== undefined) return [scanned.fault];
  if (scanned.tokens.length === 0) return [emptyFault(scope)];
  const faults = foreign(scanned, scope);
  const further = slips(scanned);
  const last = faults.at(-1);
  if (last === undefined) return further.length > 0 ? further : marks(scanned);
  // Their edits belong into the corrected text; they show once the habits are gone.
  const edits = [...last.edits, ...further.flatMap((slip) => slip.edits)];
  const { code, position, message, hint } = last;
  return [...faults.slice(0, -1), new Fault(code, position, message, hint, edits)];
}

/** What cannot be read may be text that was never meant as an expression. */
function asLiteral(scanned: Scan, scope: Scope | undefined, found: Found): Found {
  if (scope === undefined) return found;
  if (found.faults.some((fault) => fault.code === "expression_limit")) return found;
  const literal = literalFault(scanned, scope);
  return literal === undefined ? found : { ...found, faults: [literal] };
}

/** A whole expression between quotes is text. */
function quotedFaults(scanned: Scan, content: string, scope: Scope): readonly Fault[] {
  if (!readsAStep(content, scope)) return [];
  const first = scanned.token(0);
  const last = scanned.token(scanned.tokens.length - 1);
  const edit = new Edit(first.start, last.end, trimmed(content));
  const message = "the expression stands between quotes, so it is text";
  return [new Fault("foreign_syntax", first.start, message, "leave the quotes out", [edit])];
}

function namesSomething(read: Read, scope: Scope): boolean {
  if (read.root === "steps") return scope.ids.includes(read.id);
  return read.root === "item" && read.names.length > 0;
}

function ofPlainPaths(text: string, tree: Node, reads: readonly Read[]): Reading {
  const ids = reads.filter((read) => read.root === "steps").map((read) => read.id);
  const expression: Expression = {
    text,
    tree,
    dependencies: ids.length > 1 ? [...new Set(ids)] : ids,
    inputs: [],
    reads,
    plainPath: tree.kind === "path",
    usesItem: ids.length < reads.length,
  };
  return { expression, problems: [], reads };
}

function madeExpression(text: string, tree: Node, found: References): Expression {
  if (!isOfSingleUnits(text)) moveToCodePoints(text, tree);
  const { reads } = found;
  const named = (root: Read["root"]) => [
    ...new Set(reads.filter((read) => read.root === root).map((read) => read.id)),
  ];
  return {
    text,
    tree,
    dependencies: named("steps"),
    inputs: named("input"),
    reads,
    plainPath: isPlainPath(tree),
    usesItem: found.usesItem,
  };
}

function inCodePoints(text: string, reads: readonly Read[]): readonly Read[] {
  if (isOfSingleUnits(text)) return reads;
  return reads.map((read) => ({ ...read, position: pointsBefore(text, read.position) }));
}

/** Moves the positions of a new tree, which nobody else has yet, from units to code points. */
function moveToCodePoints(text: string, part: unknown): void {
  if (Array.isArray(part)) {
    for (const each of part) moveToCodePoints(text, each);
  } else if (typeof part === "object" && part !== null) {
    if ("position" in part && typeof part.position === "number") {
      part.position = pointsBefore(text, part.position);
    }
    for (const each of Object.values(part)) moveToCodePoints(text, each);
  }
}

function problemsOf(
  text: string,
  scope: Scope | undefined,
  faults: readonly Fault[],
): readonly Problem[] {
  let corrected = "";
  const isShort = text.length <= LONGEST_REPAIR || points(text) <= LONGEST_REPAIR;
  if (isShort && faults.some((fault) => fault.edits.length > 0)) {
    corrected = repaired(text, scope);
    if (points(corrected) > LONGEST_REPAIR) corrected = "";
  }
  return faults.toSorted(byPlace).map((fault) => {
    const { code, message, hint } = fault;
    const position = pointsBefore(text, fault.position);
    const isMended = corrected !== "" && fault.edits.length > 0;
    return {
      code,
      message: code === "syntax" ? `${message} (position ${position})` : message,
      hint: isMended ? `${hint}; corrected: ${corrected}` : hint,
      position,
    };
  });
}

function byPlace(left: Fault, right: Fault): number {
  if (left.position !== right.position) return left.position - right.position;
  return left.code < right.code ? -1 : Number(left.code > right.code);
}
