/**
 * What depends on what: references, levels and cycles.
 *
 * Everything here is linear in the steps and references of a plan, and nothing recurses, so
 * that the longest chain a plan may have is as safe as a short one.
 */

import { components, levelsOfGraph, shortestCycle } from "./cycles.js";
import {
  anyOf,
  diagnosticsOf,
  type Finding,
  ordered,
  type Path,
  pointer,
  quoted,
  Speller,
} from "./diagnostics.js";
import { errorFor } from "./errors.js";
import { type Field, readExpression, Scope } from "./expressions/index.js";
import { MAX_STEPS, type PlanStepInput, type WorkflowPlanInput } from "./models.js";
import { byCodePoint } from "./wire/strings.js";

const SHOWN_STEPS = 10;
// Room for "_10000" within the 32 characters of an id.
const STEM = 26;
// Word characters and white space are those of Python's `\b` and `\s`, by which the published
// package goes.
const SPACES = String.raw`(?:(?!\ufeff)[\s\x1c-\x1f\x85])*`;
const TEXT_REFERENCE = new RegExp(
  String.raw`(?<![\p{L}\p{N}_])steps${SPACES}\.${SPACES}([a-z][a-z0-9_]{0,31})(?![\p{L}\p{N}_])`,
  "gu",
);

/** One place that names a step. */
export interface Reference {
  /**
   * The position of the step that it makes wait; undefined for `returns` and `output`, which
   * make no step wait.
   */
  readonly owner: number | undefined;
  /** The id that it names. */
  readonly target: string;
  /** Where it stands. */
  readonly path: Path;
  /** What its error calls it. */
  readonly field: "dependencies" | "returns" | "output";
}

/** The steps of a plan by position, and what each waits for. */
export interface Graph {
  /** The ids in document order. */
  readonly ids: readonly string[];
  /** For each step the positions of those it waits for, ascending, without itself. */
  readonly dependencies: readonly (readonly number[])[];
  /**
   * For each step 0 without dependencies, else one more than the highest of theirs; empty if
   * there is a cycle.
   */
  readonly levels: readonly number[];
  /** Ids given twice, references to no step or to the step itself, cycles. */
  readonly findings: readonly Finding[];
}

/**
 * The graph of a plan with everything that is wrong with it, in no certain order.
 *
 * @param ids - The steps' ids in document order; of equal ones references mean the first.
 * @param references - Every place that names a step, those of one path from left to right;
 *   gone through again if there is a cycle.
 */
export function buildGraph(ids: readonly string[], references: Iterable<Reference>): Graph {
  const positions = new Map<string, number>();
  for (const [at, name] of ids.entries()) if (!positions.has(name)) positions.set(name, at);
  const findings = duplicates(ids, positions);
  const speller = new Speller(positions.keys());
  const waits = ids.map(() => new Set<number>());
  for (const reference of references) {
    const target = positions.get(reference.target);
    if (target === undefined) {
      findings.push(unknownStep(reference, ids, speller));
    } else if (target === reference.owner) {
      findings.push(selfReference(reference));
    } else if (reference.owner !== undefined) {
      waits[reference.owner]?.add(target);
    }
  }
  const dependencies = waits.map((each) => [...each].sort((one, other) => one - other));
  const { levels, stuck } = levelsOfGraph(dependencies);
  if (stuck.length > 0) findings.push(...cycles(ids, dependencies, stuck, references));
  return { ids, dependencies, levels: stuck.length > 0 ? [] : levels, findings };
}

function duplicates(ids: readonly string[], positions: ReadonlyMap<string, number>): Finding[] {
  const taken = new Set(ids);
  const last = new Map<string, number>();
  const findings: Finding[] = [];
  for (const [at, name] of ids.entries()) {
    if (positions.get(name) === at) continue;
    let number = (last.get(name) ?? 1) + 1;
    const stem = name.slice(0, STEM);
    while (taken.has(`${stem}_${number}`)) number += 1;
    const free = `${stem}_${number}`;
    last.set(name, number);
    taken.add(free);
    findings.push({
      code: "duplicate_step",
      path: ["steps", at, "id"],
      message: `another step before it is called ${quoted(name)}`,
      hint: `change ${quoted(name)} to ${quoted(free)}, here and where this step is meant`,
      subject: [name],
    });
  }
  return findings;
}

function unknownStep(reference: Reference, ids: readonly string[], speller: Speller): Finding {
  const { owner, target: written, path, field } = reference;
  const own = owner === undefined ? undefined : ids[owner];
  const meant = speller.closest(written, own);
  const others = ids.slice(0, SHOWN_STEPS).filter((name) => name !== own);
  let hint = "remove it";
  if (meant !== undefined) hint = `change ${quoted(written)} to ${quoted(meant)}`;
  else if (others.length > 0) hint = `change ${quoted(written)} to ${anyOf(others)}`;
  return {
    code: "unknown_step",
    path,
    message: `no step is called ${quoted(written)}`,
    hint,
    subject: [own ?? written, written, field],
  };
}

function selfReference({ target: name, path }: Reference): Finding {
  return {
    code: "self_reference",
    path,
    message: `step ${quoted(name)} waits for its own result`,
    hint: path.includes("after") ? "remove it" : "read another step",
    subject: [[name]],
  };
}

/** One finding for each group of steps that all wait for each other. */
function cycles(
  ids: readonly string[],
  dependencies: readonly (readonly number[])[],
  stuck: readonly number[],
  references: Iterable<Reference>,
): Finding[] {
  const places = new Map<string, Path>();
  for (const { owner, target, path } of references) {
    const edge = `${owner} ${target}`;
    if (owner !== undefined && !places.has(edge)) places.set(edge, path);
  }
  return components(dependencies, stuck).map((group) => {
    const first = [...group].reduce((least, step) => Math.min(least, step));
    const cycle = shortestCycle(dependencies, first, group);
    const names = cycle.map((step) => ids[step] ?? "");
    const name = names[0] ?? "";
    const some = names.slice(0, SHOWN_STEPS);
    const shown = [...some, ...(names.length > SHOWN_STEPS ? ["..."] : [])].join(" -> ");
    const place = places.get(`${cycle.at(-1)} ${name}`) ?? [];
    return {
      code: "cycle",
      path: ["steps", cycle[0]],
      message: `steps wait for each other: ${shown} -> ${name}`,
      hint: `break it, for example at ${pointer(place)}, which reads ${quoted(name)}`,
      subject: [names],
    };
  });
}

/**
 * The step ids in a text as the published package finds them: by their looks alone.
 *
 * It is for expressions in a language of the host's own, where no parser tells a reference
 * from a word in a string.
 */
export function textReferences(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(TEXT_REFERENCE), ([, name = ""]) => name))];
}

/**
 * The ids that a step waits for: those its expressions read and those in `after`.
 *
 * The step's own id is left out; a plan in which a step reads itself is refused.
 */
export function dependenciesOf(step: PlanStepInput): ReadonlySet<string> {
  const names = new Set(Array.from(referencesOf(0, step), (reference) => reference.target));
  names.delete(step.id);
  return names;
}

function* referencesOf(owner: number, step: PlanStepInput): Iterable<Reference> {
  const here: Path = ["steps", owner];
  const field = "dependencies";
  for (const [place, target] of (step.after ?? []).entries()) {
    yield { owner, target, path: [...here, "after", place], field };
  }
  const texts: [Field, Path, string | null | undefined][] = [
    ...Object.entries(step.bind ?? {}).map(([name, text]): [Field, Path, string] => [
      "bind",
      [...here, "bind", name],
      text,
    ]),
    ["when", [...here, "when"], step.when],
    ["for_each", [...here, "for_each"], step.for_each],
  ];
  for (const [place, path, text] of texts) {
    if (text === null || text === undefined) continue;
    const hasItem = place === "bind" && (step.for_each ?? null) !== null;
    const reading = readExpression(text, new Scope([], { field: place, hasItem }));
    let names = reading.reads.filter((read) => read.root === "steps").map((read) => read.id);
    if (reading.expression === undefined && names.length === 0) {
      names = [...textReferences(text)];
    }
    for (const target of new Set(names)) yield { owner, target, path, field };
  }
}

/** What `planLevels` holds a plan to. */
export interface LevelOptions {
  /** Steps it may have. */
  readonly maxSteps?: number;
  /** Tools it may call; without it any. */
  readonly allowedTools?: Iterable<string>;
}

/**
 * The steps of a plan by level, each level in document order.
 *
 * @throws StepLimitError if it has more steps.
 * @throws DuplicateStepError if two steps have one id.
 * @throws ToolNotPlannableError if a step calls another tool.
 * @throws DanglingReferenceError if a step, or `returns`, names a step that is not there.
 * @throws PlanCycleError if steps wait for each other, or one for itself.
 * @throws TypeError if `allowedTools` is a string.
 */
export function planLevels<Step extends PlanStepInput>(
  plan: Omit<WorkflowPlanInput, "steps"> & { readonly steps: readonly Step[] },
  options: LevelOptions = {},
): readonly (readonly Step[])[] {
  const { maxSteps = MAX_STEPS, allowedTools } = options;
  const { steps, returns = [] } = plan;
  const references = steps.flatMap((step, at) => [...referencesOf(at, step)]);
  for (const [at, target] of returns.entries()) {
    references.push({ owner: undefined, target, path: ["returns", at], field: "returns" });
  }
  const graph = buildGraph(
    steps.map((step) => step.id),
    references,
  );
  const findings = [...graph.findings];
  if (steps.length > maxSteps) findings.push(tooManySteps(steps.length, maxSteps));
  if (allowedTools !== undefined) {
    const tools = new ToolNames(allowedTools);
    const allowed = new Set(tools.names);
    for (const [at, { id, tool }] of steps.entries()) {
      if (!allowed.has(tool)) findings.push(tools.unknown(at, id, tool));
    }
  }
  if (findings.length > 0) {
    // Nobody knows in which order the fields of a step were written.
    const found = ordered(findings, { steps: steps.map(() => null), returns });
    throw errorFor(
      diagnosticsOf(found),
      found.map((finding) => finding.subject ?? []),
    );
  }
  const result: Step[][] = [];
  for (const [at, step] of steps.entries()) {
    const level = graph.levels[at] ?? 0;
    while (result.length <= level) result.push([]);
    result[level]?.push(step);
  }
  return result;
}

/**
 * Tool names, each once.
 *
 * @throws TypeError if it is one string, whose letters would pass for names, or no iterable.
 */
export function allowedNames(names: Iterable<string>): readonly string[] {
  if (typeof names === "string") {
    throw new TypeError("tool names must be a list of strings, not one string");
  }
  return [...new Set(names)];
}

/** The names of the tools that a plan may call, and what is said of any other. */
export class ToolNames {
  readonly names: readonly string[];
  /** The names by code point. */
  readonly sorted: readonly string[];
  readonly choice: string;
  private readonly speller: Speller;

  /** @param names - The names, in the order in which they are proposed. */
  constructor(names: Iterable<string>) {
    this.names = allowedNames(names);
    this.sorted = [...this.names].sort(byCodePoint);
    this.choice = this.names.length > 0 ? anyOf(this.names) : "";
    this.speller = new Speller(this.names);
  }

  /** The step at a position calls a tool that there is not. */
  unknown(at: number, stepId: string, tool: string): Finding {
    const meant = this.speller.closest(tool);
    let hint = "remove the step; a plan may call no tool";
    if (meant !== undefined) hint = `change ${quoted(tool)} to ${quoted(meant)}`;
    else if (this.choice) hint = `change ${quoted(tool)} to ${this.choice}`;
    return {
      code: "unknown_tool",
      path: ["steps", at, "tool"],
      message: `there is no tool ${quoted(tool)}`,
      hint,
      subject: [stepId, tool, this.sorted],
    };
  }
}

/** The plan has more steps than its host allows. */
export function tooManySteps(count: number, limit: number): Finding {
  return {
    code: "too_many_steps",
    path: ["steps"],
    message: `${count} steps, and max_steps is ${limit}`,
    hint: 'use "for_each" for equal calls, or submit the work in several plans',
    subject: [count, limit],
  };
}
