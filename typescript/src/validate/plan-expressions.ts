/** Every expression of a plan, read once, with the limits that hold for all together. */

import type { Finding, Path } from "../diagnostics.js";
import {
  type Expression,
  type Field,
  MAX_EXPRESSION_BYTES,
  MAX_EXPRESSIONS,
  type Read,
  type Reading,
  readExpression,
  Scope,
} from "../expressions/index.js";
import { Code } from "../models.js";
import { isObject, type Members, utf8Size } from "../values/index.js";

const LOOKS_PLAIN =
  /^(?:steps\.[A-Za-z_][A-Za-z0-9_]*|item)(?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])*$/;

/** The ids of a plan's steps, of which one is found at once among ten thousand. */
export class StepIds extends Array<string> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  #members: ReadonlySet<string> | undefined;

  override includes(name: string): boolean {
    this.#members ??= new Set(this);
    return this.#members.has(name);
  }
}

/** One expression of a plan. */
export interface PlanExpression {
  /** Where it stands. */
  readonly path: Path;
  /** The position of its step; undefined for the plan's `output`. */
  readonly step: number | undefined;
  /** The field that holds it. */
  readonly field: Field;
  /** What was read; undefined if it cannot run. */
  readonly expression: Expression | undefined;
  /** What it reads, as far as it was understood even if it cannot run. */
  readonly reads: readonly Read[];
}

/** The ids of the steps that an expression reads, by first appearance. */
export function stepIdsOf({ reads }: PlanExpression): readonly string[] {
  const names = reads.filter((read) => read.root === "steps").map((read) => read.id);
  return names.length > 1 ? [...new Set(names)] : names;
}

/**
 * Whether a text is a plain path by its looks.
 *
 * Behind a limit only such texts are read, and how they are written is all there is to go by:
 * which others are plain paths is only known once they have been read.
 */
export function looksPlain(text: string): boolean {
  return LOOKS_PLAIN.test(text);
}

/**
 * Reads the expressions of a plan in document order.
 *
 * @param plan - The repaired plan, whose shape has been checked.
 * @param ids - Its steps' ids.
 * @param inputs - The names that the host passes as `input`.
 * @returns The expressions, and what keeps some of them from running. Once the limits of the
 *   whole plan are reached only plain paths are read any more.
 */
export function readExpressions(
  plan: Members,
  ids: StepIds,
  inputs: readonly string[],
): readonly [readonly PlanExpression[], readonly Finding[]] {
  const found: PlanExpression[] = [];
  const findings: Finding[] = [];
  const scopes = new Map<string, Scope>();
  const readings = new Map<string, Map<string, Reading>>();
  let count = 0;
  let size = 0;
  let full = false;
  for (const { path, step, field, hasItem, text } of textsOf(plan)) {
    if (full && !looksPlain(text)) {
      found.push({ path, step, field, expression: undefined, reads: [] });
      continue;
    }
    // A plan may say the same thing in each of ten thousand steps.
    const place = `${field} ${hasItem}`;
    let known = readings.get(place);
    if (known === undefined) {
      known = new Map();
      readings.set(place, known);
    }
    let reading = known.get(text);
    if (reading === undefined) {
      let scope = scopes.get(place);
      if (scope === undefined) {
        scope = new Scope(ids, { field, hasItem, inputs });
        scopes.set(place, scope);
      }
      reading = readExpression(text, scope);
      known.set(text, reading);
    }
    for (const { code, message, hint } of reading.problems) {
      findings.push({ code: Code.parse(code), path, message, hint });
    }
    let expression = reading.expression;
    if (!full && !expression?.plainPath) {
      count += 1;
      size += utf8Size(text);
      full = count > MAX_EXPRESSIONS || size > MAX_EXPRESSION_BYTES;
      if (full) {
        findings.push(tooMany(path));
        expression = undefined;
      }
    }
    found.push({ path, step, field, expression, reads: reading.reads });
  }
  return [found, findings];
}

/** The text of an expression, and its place. */
interface Text {
  readonly path: Path;
  readonly step: number | undefined;
  readonly field: Field;
  readonly hasItem: boolean;
  readonly text: string;
}

/** The texts of a plan in the order in which they stand in it, each with its place. */
function* textsOf(plan: Members): Iterable<Text> {
  for (const [name, value] of Object.entries(plan)) {
    if (name === "output" && typeof value === "string") {
      yield { path: ["output"], step: undefined, field: "output", hasItem: false, text: value };
    } else if (name === "steps" && Array.isArray(value)) {
      for (const [step, members] of value.entries()) yield* textsOfStep(step, members);
    }
  }
}

function* textsOfStep(step: number, members: Members): Iterable<Text> {
  const forEach = typeof members.for_each === "string";
  for (const [field, value] of Object.entries(members)) {
    if (field === "bind" && isObject(value)) {
      for (const [argument, text] of Object.entries(value)) {
        const path = ["steps", step, field, argument];
        if (typeof text === "string") yield { path, step, field, hasItem: forEach, text };
      }
    } else if ((field === "when" || field === "for_each") && typeof value === "string") {
      yield { path: ["steps", step, field], step, field, hasItem: false, text: value };
    }
  }
}

function tooMany(path: Path): Finding {
  return {
    code: "expression_limit",
    path,
    message:
      `the plan's expressions, plain paths aside, are over ${MAX_EXPRESSIONS} or over ` +
      `${MAX_EXPRESSION_BYTES} bytes together`,
    hint: "shorten them, or let a tool do more of the work",
  };
}
