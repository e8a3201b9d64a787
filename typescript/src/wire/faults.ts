/**
 * A plain value read by a schema of the models, and where it fails.
 *
 * The schemas hold all that is asked of a value; of their library only single values and the
 * lengths of lists are asked. A whole plan at once it reads too freely for our purpose: it
 * stops at a list that is too long, measures what is no list, and runs out of stack where a
 * plan has some hundred thousand faults.
 */

import { z } from "zod";
import { type Path, pointer, quoted } from "../diagnostics.js";
import { JsonValue } from "../models.js";
import { isObject, type Members } from "../values/index.js";
import { Fields } from "./fields.js";
import { own, put } from "./objects.js";

/** A document that is no plan, and what is known of it, found out once for all its faults. */
export class Sheet {
  #ids: ReadonlySet<string> | undefined;
  readonly #fields = new Map<string, Fields>();

  constructor(readonly document: unknown) {}

  /** The ids of its steps. */
  get ids(): ReadonlySet<string> {
    if (this.#ids === undefined) {
      const steps = isObject(this.document) ? own(this.document, "steps") : undefined;
      const every: readonly unknown[] = Array.isArray(steps) ? steps : [];
      const ids = every.map((step) => (isObject(step) ? own(step, "id") : undefined));
      this.#ids = new Set(ids.filter((id) => typeof id === "string"));
    }
    return this.#ids;
  }

  /** What is said of the unknown fields of the object at a place, the plan or a step. */
  fieldsOf(path: Path, members: unknown): Fields {
    const place = pointer(path);
    let fields = this.#fields.get(place);
    if (fields === undefined) {
      fields = new Fields(isObject(members) ? members : {}, path.length === 0);
      this.#fields.set(place, fields);
    }
    return fields;
  }
}

/** What may be wrong with a value. */
export type Problem =
  | { readonly kind: "missing" | "unknown" | "pattern" }
  | { readonly kind: "type"; readonly expected: string }
  | { readonly kind: "enum"; readonly words: readonly string[] }
  | Bound;

/** A number, or the length of a text or a list, is beyond a bound. */
export interface Bound {
  readonly kind: "bound";
  readonly of: "text" | "list" | "number";
  readonly end: "least" | "most";
  readonly bound: number;
  /** Whether the bound itself would do. */
  readonly inclusive: boolean;
}

/** One thing that is wrong with a document, and where. */
export class Fault<Found extends Problem = Problem> {
  /**
   * @param problem - What is wrong.
   * @param path - Where.
   * @param value - The value that is at fault.
   * @param owner - What holds the value.
   * @param sheet - The whole document.
   */
  constructor(
    readonly problem: Found,
    readonly path: Path,
    readonly value: unknown,
    readonly owner: unknown,
    readonly sheet: Sheet,
  ) {}

  /** The last part of the path. */
  get last(): string | number | undefined {
    return this.path.at(-1);
  }

  /** What is said of the unknown fields of the object that the fault is about. */
  get fields(): Fields {
    return this.sheet.fieldsOf(this.path.slice(0, -1), this.owner);
  }

  /** The field that a fault is in, as it is called in messages. */
  get name(): string {
    const names = this.path.filter((part) => typeof part === "string");
    const name = names.at(-1);
    if (name === undefined) return "the plan";
    if (typeof this.last === "number") {
      return name === "steps" ? "a step" : `a step id in ${quoted(name)}`;
    }
    const bound = names.slice(0, -1).includes("bind");
    return bound ? `the binding ${quoted(name)}` : quoted(name);
  }

  /** Whether the fault is in a step's id or in a reference to one. */
  get isId(): boolean {
    const field = this.path.at(-2);
    return this.last === "id" || field === "after" || field === "returns";
  }
}

/**
 * Reads a value by a schema.
 *
 * @param schema - A schema of the models.
 * @param value - Plain JSON, as `wire` gives it.
 * @returns A copy with the defaults filled in, meaningless if there are faults, and the faults
 *   in the order of the schema.
 */
export function readBy(
  schema: z.core.$ZodType,
  value: unknown,
): readonly [copy: unknown, faults: readonly Fault[]] {
  const reader = new Reader(new Sheet(value));
  return [reader.read(schema, value, undefined), reader.faults];
}

class Reader {
  readonly faults: Fault[] = [];
  private readonly path: (string | number)[] = [];

  constructor(private readonly sheet: Sheet) {}

  read(schema: z.core.$ZodType, value: unknown, owner: unknown): unknown {
    // What `wire` gives is JSON.
    if (schema === JsonValue) return value;
    if (schema instanceof z.ZodDefault) return this.read(schema.def.innerType, value, owner);
    if (schema instanceof z.ZodNullable) {
      return value === null ? null : this.read(schema.def.innerType, value, owner);
    }
    if (schema instanceof z.ZodArray) return this.list(schema, value, owner);
    if (schema instanceof z.ZodRecord) return this.record(schema, value, owner);
    if (schema instanceof z.ZodObject) return this.object(schema, value, owner);
    return this.single(schema, value, owner);
  }

  private list(schema: z.ZodArray, value: unknown, owner: unknown): unknown {
    if (!Array.isArray(value))
      return this.add({ kind: "type", expected: "array" }, value, owner);
    const before = this.faults.length;
    const result = value.map((item, at) => this.under(at, schema.element, item, value));
    // A length means something only once all items are valid.
    if (this.faults.length === before) this.single(hollow(schema), value, owner);
    return result;
  }

  private record(schema: z.ZodRecord, value: unknown, owner: unknown): unknown {
    if (!isObject(value)) return this.add({ kind: "type", expected: "record" }, value, owner);
    const result: Members = {};
    for (const [name, member] of Object.entries(value)) {
      put(result, name, this.under(name, schema.valueType, member, value));
    }
    return result;
  }

  private object(schema: z.ZodObject, value: unknown, owner: unknown): unknown {
    if (!isObject(value)) return this.add({ kind: "type", expected: "object" }, value, owner);
    const result: Members = {};
    for (const [name, field] of Object.entries(schema.shape)) {
      if (Object.hasOwn(value, name)) {
        result[name] = this.under(name, field, value[name], value);
      } else if (field instanceof z.ZodDefault) {
        result[name] = field.def.defaultValue;
      } else {
        this.at(name, { kind: "missing" }, undefined, value);
      }
    }
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(schema.shape, name)) this.at(name, { kind: "unknown" }, member, value);
    }
    return result;
  }

  private under(
    part: string | number,
    schema: z.core.$ZodType,
    value: unknown,
    owner: unknown,
  ): unknown {
    this.path.push(part);
    const result = this.read(schema, value, owner);
    this.path.pop();
    return result;
  }

  private at(part: string, problem: Problem, value: unknown, owner: unknown): void {
    this.path.push(part);
    this.add(problem, value, owner);
    this.path.pop();
  }

  /** A value that the library reads whole. */
  private single(schema: z.core.$ZodType, value: unknown, owner: unknown): unknown {
    const read = z.safeParse(schema, value);
    if (!read.success) this.add(problemOf(read.error.issues), value, owner);
    return value;
  }

  private add(problem: Problem, value: unknown, owner: unknown): undefined {
    this.faults.push(new Fault(problem, [...this.path], value, owner, this.sheet));
  }
}

const hollows = new WeakMap<z.ZodArray, z.ZodArray>();

/** A list's schema that asks nothing of its items. */
function hollow(schema: z.ZodArray): z.ZodArray {
  const known = hollows.get(schema);
  if (known !== undefined) return known;
  const made = schema.clone({ ...schema.def, element: z.unknown() });
  hollows.set(schema, made);
  return made;
}

/** The first problem of a value: its type, then its size, then what else there is. */
function problemOf(issues: readonly z.core.$ZodIssue[]): Problem {
  const problems = issues.map(told);
  return (
    problems.find(({ kind }) => kind === "type") ??
    problems.find(({ kind }) => kind === "bound") ??
    problems[0] ?? { kind: "pattern" }
  );
}

function told(issue: z.core.$ZodIssue): Problem {
  switch (issue.code) {
    case "invalid_type":
      return { kind: "type", expected: issue.expected };
    case "invalid_value":
      return { kind: "enum", words: issue.values.map(String) };
    case "invalid_format":
      return { kind: "pattern" };
    case "too_small":
      return boundOf(issue, "least", issue.minimum);
    case "too_big":
      return boundOf(issue, "most", issue.maximum);
    default:
      throw new Error(`a schema of the models asks what is not told yet: ${issue.code}`);
  }
}

const MEASURED: Readonly<Record<string, Bound["of"]>> = { string: "text", array: "list" };

function boundOf(
  { origin, inclusive }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  end: Bound["end"],
  bound: number | bigint,
): Bound {
  const of = MEASURED[origin] ?? "number";
  return { kind: "bound", of, end, bound: Number(bound), inclusive: inclusive !== false };
}
