/**
 * What a plan is read from: one plain JSON value, the same in every language.
 *
 * Parsers differ in what they let through: lone halves of surrogate pairs, numbers that are
 * not exact, names that are special to one language. One set of rules decides here, before
 * any schema is looked at, and gives a copy: plain objects and lists that nobody else holds.
 */

import { type Finding, ordered, type Path } from "../diagnostics.js";
import type { Code } from "../models.js";
import { isWellFormed, type Members } from "../values/index.js";
import { MAX_DEPTH } from "./json-text.js";
import { asList, asObject, isSafe, repaired } from "./repairs.js";

/** Entries that one container may have. */
export const MAX_ENTRIES = 10_000;

const FORBIDDEN = "__proto__";

/** A plan as it was read. */
export interface Wire {
  /** Plain JSON, repaired; meaningless if there are findings. */
  readonly value: unknown;
  /** The repairs that were made, outermost first. */
  readonly notes: readonly string[];
  /** Breaches of the wire rules, in the order of the repaired plan. */
  readonly findings: readonly Finding[];
}

/** A value as plain JSON, meaningless where it breaks the wire rules. */
export type Checked = readonly [plain: unknown, findings: readonly Finding[]];

/**
 * Reads and repairs a plan; never throws for a bad one.
 *
 * @param given - JSON text, an object, or a `WorkflowPlan`.
 */
export function readPlan(given: unknown): Wire {
  const plan = repaired(given);
  const [value, breaches] = plan.readable ? checkJson(plan.value, plan.depth) : [null, []];
  const tooDeep = breaches.some((finding) => finding.code === "too_deep");
  const findings =
    plan.findings.length > 0 && !tooDeep
      ? ordered([...plan.findings, ...breaches], plan.value)
      : breaches;
  return { value, notes: plan.notes, findings };
}

/**
 * A value as plain JSON, and where it breaks the wire rules.
 *
 * @param value - What should be JSON.
 * @param depth - How many containers stand around it already.
 * @returns A deep copy without `-0`, and the findings in the order of the value. The copy is
 *   meaningless if there are any.
 */
export function checkJson(value: unknown, depth = 0): Checked {
  const reader = new Reader();
  try {
    const plain = reader.read(value, depth);
    return [plain, ordered(reader.findings, value)];
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    const message = `it nests over ${MAX_DEPTH} levels`;
    return [
      null,
      [{ code: "too_deep", path: [], message, hint: "flatten what nests deepest" }],
    ];
  }
}

/** Ends the walk at once: the text of such a value is not looked into either. */
class TooDeepError extends Error {}

class Reader {
  readonly findings: Finding[] = [];
  private readonly trail: (string | number)[] = [];

  read(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "boolean":
        return value;
      case "number":
        return this.number(value);
      case "bigint":
        return this.number(isSafe(value) ? Number(value) : Number.NaN);
      default:
        return value === null ? null : this.container(value, depth);
    }
  }

  private container(value: unknown, depth: number): unknown {
    const items = asList(value);
    const members = items === undefined ? asObject(value) : undefined;
    if (items === undefined && members === undefined) {
      this.add("not_json", "not a JSON value", "write JSON only");
      return null;
    }
    if (depth >= MAX_DEPTH) throw new TooDeepError();
    const keys = members === undefined ? undefined : keysOf(members);
    if ((keys ?? items ?? []).length > MAX_ENTRIES) {
      this.add(
        "too_many",
        `over ${MAX_ENTRIES} entries in one container`,
        "shorten it, or let a tool give the data",
      );
      return null;
    }
    return members === undefined || keys === undefined
      ? this.array(items ?? [], depth + 1)
      : this.object(members, keys, depth + 1);
  }

  private array(items: readonly unknown[], depth: number): unknown[] {
    const result: unknown[] = [];
    this.trail.push(0);
    // A list may have gaps, which `map` would keep.
    for (let at = 0; at < items.length; at += 1) {
      this.trail[this.trail.length - 1] = at;
      result.push(this.read(items[at], depth));
    }
    this.trail.pop();
    return result;
  }

  private object(members: Members, keys: readonly (string | symbol)[], depth: number): Members {
    const result: Members = {};
    this.trail.push("");
    for (const key of keys) {
      if (!this.allows(key)) continue;
      this.trail[this.trail.length - 1] = key;
      result[key] = this.read(members[key], depth);
    }
    this.trail.pop();
    return result;
  }

  /** Whether a key may stand; what is wrong with an unusual one is about its object. */
  private allows(key: string | symbol): key is string {
    if (key === FORBIDDEN) {
      this.trail[this.trail.length - 1] = FORBIDDEN;
      this.add("forbidden_key", `the key ${FORBIDDEN} is reserved`, "remove it");
      return false;
    }
    if (typeof key === "string" && isWellFormed(key)) return true;
    const mine = this.trail.pop() ?? "";
    if (typeof key === "string") this.surrogate("a key");
    else this.add("not_json", "a key that is not a string", "write keys as strings");
    this.trail.push(mine);
    return false;
  }

  private text(text: string): string {
    if (!isWellFormed(text)) this.surrogate("a string");
    return text;
  }

  private surrogate(what: string): void {
    this.add(
      "bad_unicode",
      `${what} with half of a surrogate pair`,
      "remove the half, or write both",
    );
  }

  private number(number: number): number | null {
    // Neither bound holds for NaN.
    if (isSafe(number)) return number + 0;
    this.add(
      "unsafe_number",
      "a number beyond 9007199254740991, where integers are not exact",
      "write it as a string",
    );
    return null;
  }

  private add(code: Code, message: string, hint: string): void {
    const path: Path = [...this.trail];
    this.findings.push({ code, path, message, hint });
  }
}

/** The names of an object's members; a symbol names one only if it can be enumerated. */
function keysOf(members: Members): readonly (string | symbol)[] {
  const symbols = Object.getOwnPropertySymbols(members);
  if (symbols.length === 0) return Object.keys(members);
  const enumerable = Object.prototype.propertyIsEnumerable;
  return [
    ...Object.keys(members),
    ...symbols.filter((symbol) => enumerable.call(members, symbol)),
  ];
}
