/**
 * Reads the commonest expressions, plain paths, without the library's parser.
 *
 * `steps.<id>` or `item`, then `.name` or `[n]`: alone, as the items of an array constructor,
 * or as the one argument of a call. The tree is the one that the library's parser leads to.
 */

import { FUNCTIONS } from "../functions/index.js";
import { BARE, type Name, type Node, type Path } from "../tree.js";
import { leavesContext } from "./listed.js";
import type { Scope } from "./problems.js";
import type { Read } from "./references.js";
import { MAX_LENGTH } from "./scan.js";

const WORD = "(?!(?:and|or|in|true|false|null)(?![A-Za-z0-9_]))[A-Za-z_][A-Za-z0-9_]*";
const WHOLE =
  `(?:steps\\.${WORD}|item(?![A-Za-z0-9_]))` +
  `(?:\\.${WORD}|\\[(?:0|[1-9][0-9]{0,14})\\]){0,40}`;
const PLAIN = new RegExp(`^(\\[|\\$([A-Za-z0-9]+)\\()?(${WHOLE})([\\])]?)$`);
const NEXT = new RegExp(`(${WHOLE})(?:, *|\\]$)`, "y");
const PART = /([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]/g;
const LONGEST = 1024;

/** The tree and the read of a plain path; undefined for any other text. */
export function readPlain(
  text: string,
  scope: Scope,
): readonly [tree: Node, read: Read] | undefined {
  const match = text.length <= LONGEST ? PLAIN.exec(text) : null;
  if (match === null) return undefined;
  const [, before, called, whole = "", after] = match;
  const closing = before === undefined ? "" : called === undefined ? "]" : ")";
  if (after !== closing) return undefined;
  if (called !== undefined && !takesOne(called)) return undefined;
  const [path, read] = pathOf(whole, before?.length ?? 0, called === "exists");
  if (read.root === "item" && !scope.hasItem) return undefined;
  if (before === undefined) return [path, read];
  if (called === undefined) {
    return [{ kind: "array", items: [path], cons: false, ...BARE }, read];
  }
  return [{ kind: "call", name: called, arguments: [path], ...BARE }, read];
}

/** The tree and the reads of an array of several plain paths; undefined for any other text. */
export function readPlainList(
  text: string,
  scope: Scope,
): readonly [tree: Node, reads: readonly Read[]] | undefined {
  if (!text.startsWith("[") || !text.endsWith("]") || !text.includes(",")) return undefined;
  if (text.length > MAX_LENGTH) return undefined;
  const items: Node[] = [];
  const reads: Read[] = [];
  let at = 1;
  while (at < text.length) {
    NEXT.lastIndex = at;
    const match = NEXT.exec(text);
    if (match === null) return undefined;
    const [path, read] = pathOf(match[1] ?? "", at, false);
    if (read.root === "item" && !scope.hasItem) return undefined;
    items.push(path);
    reads.push(read);
    at = NEXT.lastIndex;
  }
  if (text.at(-2) === "," || text.at(-2) === " ") return undefined;
  return [{ kind: "array", items, cons: false, ...BARE }, reads];
}

/** The tree and the read of a path that stands at a place. */
function pathOf(text: string, start: number, lenient: boolean): readonly [Path, Read] {
  if (!text.includes("[")) return pathOfNames(text.split("."), start, lenient);
  const parts: { name: string; position: number; stages: Node[] }[] = [];
  for (const piece of text.matchAll(PART)) {
    const [, name, index] = piece;
    const position = start + piece.index;
    if (name !== undefined) {
      parts.push({ name, position, stages: [] });
    } else {
      const value = Number(index);
      const stage: Node = { kind: "literal", value, ...BARE, position: position + 1 };
      parts.at(-1)?.stages.push(stage);
    }
  }
  const ofItem = parts[0]?.name === "item";
  const steps: Name[] = [];
  const names: string[] = [];
  let isOpen = !lenient;
  let where: string | undefined;
  for (const [place, { name, position, stages }] of parts.entries()) {
    steps.push({ kind: "name", value: name, strict: where, ...BARE, position, stages });
    if (where !== undefined) {
      names.push(name);
      where += `.${name}`;
    } else if (place === (ofItem ? 0 : 1) && isOpen) {
      where = ofItem ? "item" : `steps.${name}`;
    }
    if (stages.length > 0) {
      where = undefined;
      isOpen = false;
    }
  }
  return [madePath(steps, start), madeRead(ofItem ? undefined : parts[1]?.name, names, start)];
}

/** As `pathOf` for what has no item in brackets; a plan may have very many. */
function pathOfNames(
  names: readonly string[],
  start: number,
  lenient: boolean,
): readonly [Path, Read] {
  const known = names[0] === "item" ? 1 : 2;
  const steps: Name[] = [];
  let at = start;
  let where: string | undefined;
  for (const [place, value] of names.entries()) {
    steps.push({ kind: "name", value, strict: where, ...BARE, position: at });
    at += value.length + 1;
    if (where !== undefined) where += `.${value}`;
    else if (place === known - 1 && !lenient) where = names.slice(0, known).join(".");
  }
  const strict = lenient ? [] : names.slice(known);
  return [madePath(steps, start), madeRead(known === 1 ? undefined : names[1], strict, start)];
}

function madePath(steps: readonly Name[], position: number): Path {
  return { kind: "path", steps, keepSingleton: false, ...BARE, position };
}

/** @param id - The step's; undefined for the item. */
function madeRead(id: string | undefined, names: readonly string[], start: number): Read {
  if (id === undefined) return { root: "item", id: "", names, position: start };
  return { root: "steps", id, names, position: start + "steps.".length };
}

/** Whether a call of one argument, which is no function, is a whole call. */
function takesOne(name: string): boolean {
  const listed = FUNCTIONS.get(name);
  return listed !== undefined && listed.least <= 1 && !leavesContext(name, 1);
}

/** Whether an expression is wholly a plain path, however it was read. */
export function isPlainPath(tree: Node): boolean {
  if (tree.kind !== "path" || tree.group !== undefined || tree.keepArray) return false;
  for (const [place, step] of tree.steps.entries()) {
    if (step.kind !== "name" || step.keepArray || step.group !== undefined) return false;
    if (!step.stages.every(isIndex)) return false;
    if (place > 0) continue;
    if (step.value === "steps") {
      if (tree.steps.length === 1 || step.stages.length > 0) return false;
    } else if (step.value !== "item") {
      return false;
    }
  }
  return true;
}

function isIndex(node: Node): boolean {
  const isWhole = node.kind === "literal" && Number.isSafeInteger(node.value);
  return isWhole && node.predicates.length === 0;
}
