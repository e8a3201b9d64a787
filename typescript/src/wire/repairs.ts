/**
 * The ways in which models bend the JSON of a plan, put right before anything is checked.
 *
 * The list is closed (section 3 of the plan language), works from the outside in, never
 * guesses at meaning, and leaves a note for each thing it changed. What the caller passed is
 * never touched: containers that change are copied.
 */

import { z } from "zod";
import { type Finding, type Path, pointer, quoted } from "../diagnostics.js";
import { PlanStep, STEP_ID_PATTERN, WorkflowPlan } from "../models.js";
import { type Members, numberToText } from "../values/index.js";
import { JsonTextError, loads } from "./json-text.js";
import { own, put } from "./objects.js";
import { leftStripped, stripped } from "./strings.js";

const DECODINGS = 2;
const BEGINNINGS: ReadonlySet<string> = new Set(["{", "[", '"', "\ufeff"]);
const FENCE = "```";
const FENCE_WORD = /^[A-Za-z0-9_-]*/;
const STEP_ID = new RegExp(STEP_ID_PATTERN);

function neverNull(model: z.ZodObject): ReadonlySet<string> {
  const fields = Object.entries(model.shape);
  return new Set(
    fields
      .filter(([, field]) => field instanceof z.ZodDefault && field.def.defaultValue !== null)
      .map(([name]) => name),
  );
}

// Where null is a value of the field (`when`, `for_each`, `output`) it is nothing to repair.
const PLAN_OPTIONAL = neverNull(WorkflowPlan);
const STEP_OPTIONAL = neverNull(PlanStep);
const STEP_BENT: readonly string[] = [...STEP_OPTIONAL, "depends_on"];

/** A plan after repair. */
export class Repaired {
  /** The plan; its own containers may be shared with what was given. */
  value: unknown;
  /** Containers that stood around it and were taken off: they count as nesting. */
  depth = 0;
  /** What was changed, outermost first. */
  readonly notes: string[] = [];
  /** Texts that should have been JSON and are not. */
  readonly findings: Finding[] = [];
  /** Whether there is a value at all. */
  readable = true;

  constructor(value: unknown) {
    this.value = value;
  }

  note(path: Path, what: string): void {
    this.notes.push(`${pointer(path) || "the plan"}: ${what}`);
  }

  fault(path: Path, { code, message, hint }: JsonTextError): void {
    this.findings.push({ code, path, message, hint });
  }
}

const given = new WeakMap<object, readonly string[]>();

/**
 * Keeps which fields of a plan or a step were written, beside those that have their default:
 * read again, it is the plan that was written.
 */
export function keepWritten(model: WorkflowPlan | PlanStep, written: Members): void {
  given.set(
    model,
    Object.keys(model).filter((name) => Object.hasOwn(written, name)),
  );
}

/**
 * The members of what stands for a JSON object: a plain object, or a plan or step that was
 * parsed; else undefined. What is undefined is no member.
 */
export function asObject(value: unknown): Members | undefined {
  if (typeof value !== "object" || value === null || !isPlain(value)) return undefined;
  const members = value as Members;
  const names = given.get(value);
  if (names !== undefined) {
    return Object.fromEntries(names.map((name) => [name, members[name]]));
  }
  if (!Object.values(members).includes(undefined)) return members;
  const result: Members = {};
  for (const [name, member] of Object.entries(members)) {
    if (member !== undefined) put(result, name, member);
  }
  return result;
}

/** Whether an object is made by `{}` or `JSON.parse`, in whatever window, and by no class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What stands for a JSON array, else undefined. A set is none. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * Puts right what models are known to bend in a plan.
 *
 * @param plan - JSON text, an object, or a plan that was parsed.
 */
export function repaired(plan: unknown): Repaired {
  const result = new Repaired(plan);
  if (typeof plan === "string") readText(result, plan);
  if (result.readable) {
    unwrap(result);
    const members = asObject(result.value);
    if (members !== undefined) result.value = planOf(result, members);
  }
  return result;
}

function readText(plan: Repaired, text: string): void {
  const bare = unfenced(plan, text);
  try {
    plan.value = loads(bare);
  } catch (error) {
    plan.fault([], ofNoPlan(bare, textError(error)));
    plan.readable = false;
    return;
  }
  if (typeof plan.value === "string") {
    const whole = decoded(plan, plan.value, [], { wholePlan: true });
    if (whole !== undefined) {
      plan.value = whole;
      plan.note([], "a JSON string was decoded");
    }
  }
}

/** What `loads` threw, if it is about its text. */
function textError(error: unknown): JsonTextError {
  if (error instanceof JsonTextError) return error;
  throw error;
}

/** What is said of a text that does not begin as a plan does: prose, or one word. */
function ofNoPlan(text: string, fault: JsonTextError): JsonTextError {
  if (fault.code !== "json_syntax" || BEGINNINGS.has(leftStripped(text).charAt(0))) {
    return fault;
  }
  let hint = 'submit one JSON object with "steps"';
  if (text.includes("{")) hint += ", with no text around it";
  return new JsonTextError(fault.code, fault.message, hint);
}

function unfenced(plan: Repaired, text: string): string {
  const bare = stripped(text);
  if (bare.length < 2 * FENCE.length || !(bare.startsWith(FENCE) && bare.endsWith(FENCE))) {
    return text;
  }
  const inside = bare.slice(FENCE.length, -FENCE.length);
  plan.note([], "a code fence was removed");
  return inside.replace(FENCE_WORD, "");
}

/**
 * The array or object that a string holds; undefined if it holds none.
 *
 * A provider may encode twice, so a string that holds a string is looked into once more.
 */
function decoded(
  plan: Repaired,
  written: string,
  path: Path,
  { wholePlan = false } = {},
): unknown {
  let text = written;
  for (let round = 0; round < DECODINGS; round += 1) {
    const inner = wholePlan ? unfenced(plan, text) : text;
    const first = leftStripped(inner).charAt(0);
    if (first !== "{" && first !== "[" && first !== '"') return undefined;
    let value: unknown;
    try {
      value = loads(inner);
    } catch (error) {
      if (first !== '"') plan.fault(path, textError(error));
      return undefined;
    }
    if (typeof value !== "string") return value;
    text = value;
  }
  return undefined;
}

function unwrap(plan: Repaired): void {
  const members = Object.entries(asObject(plan.value) ?? {});
  const [only] = members;
  if (only === undefined || members.length !== 1) return;
  const [name, inner] = only;
  if (Object.hasOwn(WorkflowPlan.shape, name)) return;
  // Its own notes, so that the wrapper's, which is further out, comes first.
  const inside = new Repaired(inner);
  if (typeof inner === "string") {
    inside.value = decoded(inside, inner, [name], { wholePlan: true });
    if (inside.value !== undefined) inside.note([], "a JSON string was decoded");
  }
  const unwrapped = asObject(inside.value);
  if (unwrapped !== undefined && Object.hasOwn(unwrapped, "steps")) {
    plan.value = inside.value;
    plan.depth = 1;
    plan.note([], `the wrapper ${quoted(name)} was removed`);
    plan.notes.push(...inside.notes);
  } else {
    plan.findings.push(...inside.findings);
  }
}

function planOf(plan: Repaired, members: Members): Members {
  const result: Members = {};
  for (const [name, value] of Object.entries(members)) {
    const path: Path = [name];
    if (value === null && PLAN_OPTIONAL.has(name)) {
      plan.note(path, "null was left out");
    } else if (name === "steps") {
      result[name] = steps(plan, whole(plan, value, path), path);
    } else if (name === "returns") {
      result[name] = ids(plan, value, path);
    } else {
      put(result, name, value);
    }
  }
  return result;
}

function steps(plan: Repaired, value: unknown, path: Path): unknown {
  let list = asList(value);
  const single = asObject(value);
  if (single !== undefined && (Object.hasOwn(single, "id") || Object.hasOwn(single, "tool"))) {
    plan.note(path, "one step was made a list");
    list = [single];
  }
  return list === undefined ? value : list.map((each, at) => step(plan, each, [...path, at]));
}

function step(plan: Repaired, value: unknown, path: Path): unknown {
  const members = asObject(value);
  if (
    members === undefined ||
    (members === value && !STEP_BENT.some((name) => Object.hasOwn(members, name)))
  ) {
    return value;
  }
  const result: Members = {};
  const alias = (own(members, "after") ?? null) === null;
  for (const [written, member] of Object.entries(members)) {
    let name = written;
    if (written === "depends_on" && alias) {
      name = "after";
      if (member !== null) plan.note([...path, name], '"depends_on" was read as "after"');
    }
    const place = [...path, name];
    if (member === null && STEP_OPTIONAL.has(name)) {
      plan.note([...path, written], "null was left out");
    } else if (name === "after") {
      result[name] = ids(plan, member, place);
    } else if (name === "bind") {
      result[name] = bind(plan, whole(plan, member, place), place);
    } else if (name === "args") {
      result[name] = whole(plan, member, place);
    } else {
      put(result, name, member);
    }
  }
  return result;
}

/** A field's value, decoded if it is a JSON string. */
function whole(plan: Repaired, value: unknown, path: Path): unknown {
  if (typeof value === "string") {
    const inside = decoded(plan, value, path);
    if (inside !== undefined) {
      plan.note(path, "a JSON string was decoded");
      return inside;
    }
  }
  return value;
}

function ids(plan: Repaired, written: unknown, path: Path): unknown {
  const value = whole(plan, written, path);
  if (typeof value === "string" && STEP_ID.test(value)) {
    plan.note(path, "one id was made a list");
    return [value];
  }
  return value;
}

function bind(plan: Repaired, value: unknown, path: Path): unknown {
  const members = asObject(value);
  if (
    members === undefined ||
    Object.values(members).every((member) => typeof member === "string")
  ) {
    return value;
  }
  const result: Members = {};
  for (const [name, member] of Object.entries(members)) {
    const text = scalarText(member);
    put(result, name, text ?? member);
    if (text !== undefined) {
      plan.note([...path, name], `${text} was made the expression ${quoted(text)}`);
    }
  }
  return result;
}

/** The JSON text of a boolean or of a number that is exact, else undefined. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return isSafe(value) ? String(value) : undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return !Number.isInteger(value) || isSafe(value) ? numberToText(value) : undefined;
}

/** Whether a whole number is one that a double tells from its neighbours. */
export function isSafe(value: number | bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}
