/**
 * Whether a plain value has the shape of a plan, told in our own words.
 *
 * The schemas of the models decide, and say what failed and where. Bounds, patterns and words
 * come out of them, so a changed schema changes the text too.
 */

import { z } from "zod";
import {
  anyOf,
  closest,
  type Finding,
  listing,
  ordered,
  type Path,
  pointer,
  quoted,
} from "../diagnostics.js";
import { type Code, PlanStep, STEP_ID_PATTERN, WorkflowPlan } from "../models.js";
import {
  codePoints,
  isContainer,
  isObject,
  type Members,
  numberToText,
  toJsonText,
} from "../values/index.js";
import { type Bound, type Fault, readBy } from "./faults.js";

import { ID_LENGTH, idLike } from "./fields.js";
import { own } from "./objects.js";
import { keepWritten } from "./repairs.js";
import { asExpression, readsSomething } from "./spelled.js";
import { stripped } from "./strings.js";
import { kindOf, shown } from "./wording.js";
import { plansInside } from "./wrappers.js";

/** What a value of a wrong type should be, by the name that the schemas have for the type. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["int", "an integer"],
  ["boolean", "true or false"],
  ["array", "an array"],
  ["record", "an object"],
  ["object", "an object"],
]);
const ID = new RegExp(STEP_ID_PATTERN);
const SEPARATORS = /[, \t\n\r]+/;
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ["steps", '"steps": [{"id": ..., "tool": ...}]'],
  ["id", '"id": a short name'],
  ["tool", '"tool": the name of a tool'],
]);
const LONGEST_EDIT = 600;
const TOOL_WANTED = "write the name of a tool";
/** What a step cannot do without. */
const REQUIRED: readonly string[] = Object.entries(PlanStep.shape)
  .filter(([, field]) => !(field instanceof z.ZodDefault))
  .map(([name]) => name);
const PLAN_WANTED = 'submit one JSON object with "steps"';

/** The plan and no findings, or the findings in the order of the value. */
export type Shape =
  | { readonly plan: WorkflowPlan; readonly findings: readonly [] }
  | { readonly plan: undefined; readonly findings: readonly Finding[] };

/**
 * The plan that a value is, or what is wrong with its shape.
 *
 * @param value - Plain JSON, as `wire` gives it.
 */
export function readShape(value: unknown): Shape {
  const [plan, faults] = readBy(WorkflowPlan, value);
  if (faults.length === 0) return { plan: made(plan as WorkflowPlan, value), findings: [] };
  const findings = faults.flatMap(findingOf);
  const wrapped = unwrapped(findings, plansInside(value));
  if (wrapped !== undefined) return { plan: undefined, findings: [wrapped] };
  return { plan: undefined, findings: ordered([...findings, ...missing(faults)], value) };
}

/** The plan, which nobody can change any more, with what was written of it kept in mind. */
function made(plan: WorkflowPlan, value: unknown): WorkflowPlan {
  const document = value as { readonly steps: readonly Members[] } & Members;
  keepWritten(plan, document);
  for (const [at, step] of plan.steps.entries()) {
    keepWritten(step, document.steps[at] ?? {});
    Object.freeze(step.after);
    Object.freeze(step);
  }
  Object.freeze(plan.steps);
  Object.freeze(plan.returns);
  return Object.freeze(plan);
}

/** The one edit for what is no plan but has plans in it. */
function unwrapped(findings: readonly Finding[], plans: readonly Path[]): Finding | undefined {
  const [outer] = plans;
  if (outer === undefined) return undefined;
  const here = outer.slice(0, 1);
  const first = findings.find((finding) => finding.path[0] === here[0]);
  if (first === undefined) return undefined;
  const places = plans.map((path) =>
    path.length === 1 ? quoted(String(path[0])) : pointer(path),
  );
  const hint =
    places.length > 1
      ? `submit one plan at a time: what stands in ${places.join(", then in ")}`
      : `submit what stands in ${places[0]} alone`;
  return { ...first, path: here, hint };
}

function missing(faults: readonly Fault[]): Finding[] {
  const lacking = new Map<string, [Fault, ...Fault[]]>();
  for (const fault of faults) {
    if (fault.problem.kind !== "missing") continue;
    const place = pointer(fault.path.slice(0, -1));
    const known = lacking.get(place);
    if (known === undefined) lacking.set(place, [fault]);
    else known.push(fault);
  }
  return Array.from(lacking.values(), (every) => {
    const path = every[0].path.slice(0, -1);
    const names = every.map((fault) => String(fault.last));
    const what = path.length > 0 ? "a step" : "the plan";
    return {
      code: "missing_field",
      path,
      message: `${what} lacks ${listing(names)}`,
      hint: supplied(every[0], names),
    };
  });
}

/** The edit that gives an object what it lacks, of what it has under another name first. */
function supplied({ path, owner, fields }: Fault, names: readonly string[]): string {
  const isPlan = path.length === 1 && names[0] === "steps";
  if (isPlan && isObject(owner) && ["id", "tool"].some((name) => Object.hasOwn(owner, name))) {
    return 'put this step into a list: {"steps": [{"id": ..., "tool": ...}]}';
  }
  const meant = new Map<string, string>();
  for (const each of fields.meant.values()) if (each.named) meant.set(each.field, each.named);
  const edits = names.flatMap((name) => meant.get(name) ?? []);
  const added = names
    .filter((name) => !meant.has(name))
    .map((name) => WRITTEN.get(name) ?? quoted(name));
  if (added.length > 0) edits.push(`add ${added.join(", ")}`);
  return edits.join(", ");
}

/** What is said of a fault; nothing of a field that is missing, which `missing` tells. */
function findingOf(fault: Fault): Finding | [] {
  const { problem } = fault;
  switch (problem.kind) {
    case "missing":
      return [];
    case "unknown":
      return unknownField(fault);
    case "enum":
      return notInEnum(fault, problem.words);
    case "pattern":
      return badPattern(fault, String(fault.value));
    case "bound":
      return bounded(fault, problem);
    case "type":
      return wrongType(fault, problem.expected);
  }
}

function unknownField(fault: Fault): Finding {
  const name = String(fault.last);
  const what = fault.path.length === 1 ? "a plan" : "a step";
  const message = `${what} has no field ${quoted(name)}`;
  return { code: "unknown_field", path: fault.path, message, hint: fault.fields.hint(name) };
}

function notInEnum({ name, path, value }: Fault, words: readonly string[]): Finding {
  const message = `${name} is ${shown(value)}, not ${anyOf(words)}`;
  let meant: string | undefined;
  if (typeof value === "string") {
    const folded = stripped(value)
      .toLowerCase()
      .replace(/[^a-z]+/g, "_");
    meant = words.includes(folded) ? folded : closest(value, words);
  }
  const hint =
    meant === undefined
      ? `write ${anyOf(words)}`
      : `change ${shown(value)} to ${quoted(meant)}`;
  return { code: "not_in_enum", path, message, hint };
}

function badPattern(fault: Fault, written: string): Finding {
  const meant = idMeant(fault, written);
  let hint = "write a short name";
  if (meant !== undefined) {
    const everywhere = fault.last === "id" ? ", here and wherever it is used" : "";
    hint = `change ${quoted(written)} to ${quoted(meant)}${everywhere}`;
  }
  const message =
    `${quoted(written)} is no step id: a lower-case letter, then up to ${ID_LENGTH - 1} ` +
    "lower-case letters, digits or underscores";
  return { code: "bad_pattern", path: fault.path, message, hint };
}

/** The id that a text was probably meant to be; a path is meant for its step. */
function idMeant(fault: Fault, written: string): string | undefined {
  const slug = idLike(written);
  if (slug === undefined) return undefined;
  const taken = fault.last === "id" ? fault.sheet.ids : new Set<string>();
  let at = 2;
  let name = slug;
  while (taken.has(name)) {
    name = `${slug.slice(0, ID_LENGTH - 1 - String(at).length)}_${at}`;
    at += 1;
  }
  return name;
}

/** A number, a text or a list that is beyond a bound. */
function bounded({ path, name }: Fault, { of, end, bound, inclusive }: Bound): Finding {
  if (of === "number") {
    const beyond = end === "least" ? "more than" : "less than";
    const words = `${inclusive ? `at ${end}` : beyond} ${numberToText(bound)}`;
    const message = `${name} must be ${words}`;
    return { code: "out_of_range", path, message, hint: `write ${words}` };
  }
  const code: Code = end === "least" ? "too_short" : "too_long";
  if (end === "least" && bound === 1) {
    const hint = of === "text" ? TOOL_WANTED : "write at least one step";
    return { code, path, message: `${name} is empty`, hint };
  }
  const [one, many] = of === "text" ? ["character", "characters"] : ["entry", "entries"];
  const size = `at ${end} ${bound} ${bound === 1 ? one : many}`;
  return { code, path, message: `${name} must have ${size}`, hint: `write ${size}` };
}

function wrongType(fault: Fault, type: string): Finding {
  const { path, name, value } = fault;
  const expected = EXPECTED.get(type) ?? type;
  const message = `${name} must be ${expected}, not ${kindOf(value)}`;
  return { code: "wrong_type", path, message, hint: retyped(fault, expected, type) };
}

/** The edit that gives a value the type it should have. */
function retyped(fault: Fault, expected: string, type: string): string {
  const { value, path } = fault;
  if (expected === "true or false" && typeof value === "string") {
    const word = stripped(value).toLowerCase();
    if (word === "true" || word === "false") return `change ${shown(value)} to ${word}`;
  }
  if (expected === "a string") {
    if (fault.isId) {
      const meant = idMeant(fault, value === null || isContainer(value) ? "" : shown(value));
      return meant === undefined
        ? "write a step id"
        : `change ${shown(value)} to ${quoted(meant)}`;
    }
    if (fault.last === "tool") return TOOL_WANTED;
    if (isContainer(value)) return writtenAsExpression(fault, value);
    return `change ${shown(value)} to ${quoted(toJsonText(value))}`;
  }
  if (expected === "an array" && fault.last !== "steps") {
    const names = typeof value === "string" ? stripped(value).split(SEPARATORS) : [];
    if (names.length > 0 && names.every((name) => ID.test(name))) {
      return `change ${shown(value)} to ${toJsonText(names)}`;
    }
    return "write an array of step ids";
  }
  if (path.length === 0) {
    return Array.isArray(value) ? 'put it into "steps": {"steps": [...]}' : PLAN_WANTED;
  }
  if (type === "object") return `write an object with ${listing(REQUIRED)}`;
  return `write ${expected}${expected === "an array" ? " of steps" : ""}`;
}

/** The edit for a list or an object where the text of an expression belongs. */
function writtenAsExpression(fault: Fault, value: Members | unknown[]): string {
  const field = String(fault.last);
  const bound = fault.path.includes("bind");
  const returns = isObject(fault.owner) ? own(fault.owner, "returns") : undefined;
  const returnsNothing = isContainer(returns) ? Object.keys(returns).length === 0 : !returns;
  if (field === "output" && Array.isArray(value) && returnsNothing) {
    const { ids } = fault.sheet;
    if (value.every((name) => typeof name === "string" && ids.has(name))) {
      return 'rename it to "returns"';
    }
  }
  if (bound && !readsSomething(value)) return 'move it to "args"';
  if (field === "when" && !bound) {
    return 'write a condition as a string, such as "steps.a.n > 3"';
  }
  const text = toJsonText(asExpression(value));
  if (codePoints(text) < LONGEST_EDIT) return `write ${quoted(field)}: ${text}`;
  return 'write one expression as a string, such as "[steps.a.x, steps.b.x]"';
}
