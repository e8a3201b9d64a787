/**
 * Expressions that were written where only literals belong, and the `bind` they should be.
 *
 * `args` are passed on as they are, so a template or a path in them would reach the tool as
 * text, without a warning. Two things are told from prose: a template that begins with a step,
 * and a string that as a whole is an expression reading one.
 */

import { type Finding, type Path, pointer } from "../diagnostics.js";
import { piped } from "../expressions/filters.js";
import {
  MAX_EXPRESSION_BYTES,
  MAX_EXPRESSIONS,
  MAX_LENGTH,
  parseExpression,
  repaired,
  Scope,
} from "../expressions/index.js";
import { namesAStep } from "../expressions/templates.js";
import { codePoints, isObject, type Members, toJsonText, utf8Size } from "../values/index.js";
import { objectText } from "../wire/objects.js";
import { looksPlain } from "./plan-expressions.js";

const OPENER = /\{\{|\$\{/g;
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["{{", "}}"],
  ["${", "}"],
]);
// As far into a template as its start is looked for: spaces, `steps.` and an id.
const PROBE = 128;
const SIMPLE = /^\$?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[-?[0-9]+\])*$/;
// Mending costs more than reading, and a plan may have any number of templates.
const MOST_REPAIRS = 100;
const LONGEST_REPAIR = 600;
const MESSAGE = '"args" are passed on as they are, and this reads a result';

interface Template {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** A string that is no literal; `""` stands for an expression nobody can be certain of. */
interface Meant {
  readonly path: Path;
  readonly expression: string;
}

/**
 * Finds what is not literal in the `args` of a plan's steps.
 *
 * A plan may have any number of strings that look like expressions and are none; reading them
 * has limits of its own, as large as those of the plan's expressions. Templates and plain
 * paths are told whatever has been read before.
 */
export class Literals {
  private readonly ofItems: Scope;
  private readonly ofOneCall: Scope;
  private texts = MAX_EXPRESSIONS;
  private bytes = MAX_EXPRESSION_BYTES;
  private repairs = MOST_REPAIRS;

  /** @param ids - The ids of the plan's steps. */
  constructor(ids: readonly string[]) {
    this.ofItems = new Scope(ids, { field: "bind", hasItem: true });
    this.ofOneCall = new Scope(ids, { field: "bind", hasItem: false });
  }

  /**
   * Where the literals of a step hold what is not literal.
   *
   * @param at - The step's position.
   * @param step - The step as the repaired plan has it.
   */
  findings(at: number, step: Members): readonly Finding[] {
    const args = isObject(step.args) ? step.args : {};
    if (!Object.values(args).some(isSuspect)) return [];
    const bind = isObject(step.bind) ? step.bind : {};
    const scope = typeof step.for_each === "string" ? this.ofItems : this.ofOneCall;
    const found: Path[] = [];
    const whole = new Map(Object.entries(bind).map(([name, text]) => [name, toJsonText(text)]));
    let certain = true;
    for (const [name, value] of Object.entries(args)) {
      // A binding of the same name wins, so such a literal never reaches the tool.
      if (Object.hasOwn(bind, name)) continue;
      const here: Path = ["steps", at, "args", name];
      const meant = new Map<string, string>();
      for (const { path, expression } of this.expressions(value, scope, here)) {
        found.push(path);
        meant.set(pointer(path), expression);
        if (expression === "") certain = false;
      }
      if (meant.size > 0) whole.set(name, toJsonText(asExpression(value, meant, here)));
    }
    const hints = hintsFor(found, certain ? objectText(whole) : "");
    return found.map((path, index) => ({
      code: "template_in_args",
      path,
      message: MESSAGE,
      hint: hints[index] ?? "",
    }));
  }

  /** The strings in a literal that are none, each with the expression that it means. */
  private *expressions(value: unknown, scope: Scope, path: Path): Iterable<Meant> {
    if (typeof value === "string") {
      const expression = this.meant(value, scope);
      if (expression !== undefined) yield { path, expression };
    } else if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        yield* this.expressions(item, scope, [...path, at]);
      }
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        yield* this.expressions(member, scope, [...path, name]);
      }
    }
  }

  /** The expression that a string means, or undefined if it is just a string. */
  private meant(text: string, scope: Scope): string | undefined {
    const found = templatesIn(text, scope);
    if (found.length > 0) {
      const contents = found.map(({ content }) => this.content(content, scope));
      return contents.includes("") ? "" : joined(text, found, contents);
    }
    if (text.length > MAX_LENGTH && codePoints(text) > MAX_LENGTH) return undefined;
    if (!text.includes("steps") && !(scope.hasItem && text.includes("item"))) return undefined;
    if (!looksPlain(text)) {
      this.texts -= 1;
      this.bytes -= utf8Size(text);
      if (this.texts < 0 || this.bytes < 0) return undefined;
    }
    return readsAResult(text, scope) ? text : undefined;
  }

  /** A template's content as an expression; `""` if what it means cannot be told. */
  private content(content: string, scope: Scope): string {
    const meant = piped(content) ?? content;
    const [expression, problems] = parseExpression(meant, scope);
    if (expression !== undefined && problems.length === 0) return meant;
    this.repairs -= 1;
    if (this.repairs < 0 || codePoints(content) > LONGEST_REPAIR) return "";
    return repaired(meant, scope);
  }
}

/** The whole `bind` to write, with the first; one edit mends them all. */
function hintsFor(found: readonly Path[], edit: string): readonly string[] {
  const [first] = found;
  if (first === undefined) return [];
  const length = codePoints(edit);
  if (length === 0 || length > MAX_LENGTH) {
    return found.map(() => 'write it in "bind", as an expression');
  }
  const hint = `make the edit given for ${pointer(first)}: its "bind" has this too`;
  return [`write "bind": ${edit}`, ...found.slice(1).map(() => hint)];
}

/** Whether a literal has any text at all that could be read as an expression. */
function isSuspect(value: unknown): boolean {
  if (typeof value === "string") {
    return value.includes("steps") || value.includes("item") || value.includes("{");
  }
  if (Array.isArray(value)) return value.some(isSuspect);
  return isObject(value) && Object.values(value).some(isSuspect);
}

function readsAResult(text: string, scope: Scope): boolean {
  const [expression, problems] = parseExpression(text, scope);
  if (expression === undefined || problems.length > 0) return false;
  return expression.reads.some(
    (read) =>
      (read.root === "steps" && scope.ids.includes(read.id)) ||
      (read.root === "item" && read.names.length > 0),
  );
}

/** The templates that begin with a step, left to right, each text looked at once. */
function templatesIn(text: string, scope: Scope): readonly Template[] {
  const found: Template[] = [];
  const ended = new Set<string>();
  OPENER.lastIndex = 0;
  for (let opener = OPENER.exec(text); opener !== null; opener = OPENER.exec(text)) {
    const at = OPENER.lastIndex;
    const closer = CLOSERS.get(opener[0]) ?? "";
    const probe = text.slice(at, at + PROBE);
    if (ended.has(closer) || namesAStep(probe, scope) === undefined) continue;
    const end = text.indexOf(closer, at);
    if (end < 0) {
      ended.add(closer);
      continue;
    }
    const content = namesAStep(text.slice(at, end), scope);
    if (content !== undefined) {
      OPENER.lastIndex = end + closer.length;
      found.push({ start: opener.index, end: OPENER.lastIndex, content });
    }
  }
  return found;
}

/** The text with its templates' values in it, as one expression. */
function joined(
  text: string,
  templates: readonly Template[],
  contents: readonly string[],
): string {
  const parts: string[] = [];
  let at = 0;
  for (const [index, { start, end }] of templates.entries()) {
    if (start > at) parts.push(toJsonText(text.slice(at, start)));
    parts.push(contents[index] ?? "");
    at = end;
  }
  if (at < text.length) parts.push(toJsonText(text.slice(at)));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return parts.map((part) => (standsAlone(part) ? part : `(${part})`)).join(" & ");
}

function standsAlone(part: string): boolean {
  return part.startsWith('"') || SIMPLE.test(part);
}

/** A literal as an expression in which what was written as text is read. */
function asExpression(value: unknown, meant: ReadonlyMap<string, string>, path: Path): string {
  const known = meant.get(pointer(path));
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const items = value.map((item, at) => asExpression(item, meant, [...path, at]));
    return `[${items.join(", ")}]`;
  }
  if (!isObject(value)) return toJsonText(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${toJsonText(name)}: ${asExpression(member, meant, [...path, name])}`,
  );
  return `{${members.join(", ")}}`;
}
