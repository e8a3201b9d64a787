/**
 * Whether a task plan may run: its shape, its size, its graph and its one final step.
 *
 * The check sees the graph. Whether the words of a step need a result that it does not name
 * in `depends_on` is for the planner, and for whoever approves the plan, to see.
 */

import { diagnosticsOf, type Finding, listing, ordered, quoted } from "../diagnostics.js";
import { errorFor } from "../errors.js";
import { buildGraph, type Graph, type Reference } from "../graph.js";
import { type Code, type Diagnostic, TaskPlan, type TaskStep } from "../models.js";
import { toJsonText } from "../values/index.js";
import { shapeFindings } from "./shape.js";

/** Steps that a task plan may have where the host sets no limit. */
export const MAX_TASKS = 6;

/** A task plan, or a plain object that ought to be one. */
export type TaskPlanGiven = TaskPlan | Readonly<Record<string, unknown>>;

// What makes it unknown which steps nothing reads.
const UNTOLD: ReadonlySet<Code> = new Set<Code>([
  "duplicate_step",
  "unknown_step",
  "self_reference",
  "cycle",
]);

/**
 * Everything that is wrong with a task plan; nothing if it may run.
 *
 * @param plan - The plan, or a plain object that ought to be one.
 * @param options - `maxSteps`: steps that it may have.
 * @returns The problems in the order of the plan, each with the edit that mends it. A plan of
 *   another shape has only those of its shape.
 */
export function checkTasks(
  plan: TaskPlanGiven,
  options: { readonly maxSteps?: number | undefined } = {},
): readonly Diagnostic[] {
  return diagnosticsOf(findingsOf(plan, options.maxSteps ?? MAX_TASKS).findings);
}

/** A plan that may run. */
export interface CheckedTasks {
  /** The plan. */
  readonly plan: TaskPlan;
  /** The ids of its steps by level. */
  readonly levels: readonly (readonly string[])[];
}

/**
 * A plan that may run, and the ids of its steps by level.
 *
 * @throws PlanError if it may not run; `diagnostics` has every problem.
 */
export function checkedTasks(
  given: TaskPlanGiven,
  options: { readonly maxSteps?: number | undefined } = {},
): CheckedTasks {
  const { plan, findings } = findingsOf(given, options.maxSteps ?? MAX_TASKS);
  if (plan === undefined || findings.length > 0) {
    const subjects = findings.map((finding) => finding.subject ?? []);
    throw errorFor(diagnosticsOf(findings), subjects);
  }
  return { plan, levels: taskLevels(plan) };
}

/**
 * The ids of the steps by level: 0 without dependencies, else one above the highest.
 *
 * @param plan - A plan that `checkTasks` finds nothing wrong with.
 */
export function taskLevels(plan: TaskPlan): readonly (readonly string[])[] {
  const groups: string[][] = [];
  for (const [at, level] of graphOf(plan.steps).levels.entries()) {
    const name = plan.steps[at]?.id;
    while (groups.length <= level) groups.push([]);
    if (name !== undefined) groups[level]?.push(name);
  }
  return groups;
}

interface Found {
  /** The plan, if it has the shape of one. */
  readonly plan: TaskPlan | undefined;
  readonly findings: readonly Finding[];
}

function findingsOf(given: TaskPlanGiven, maxSteps: number): Found {
  const shape = ordered(shapeFindings(given), given);
  if (shape.length > 0) return { plan: undefined, findings: shape };
  const plan = TaskPlan.parse(given);
  const { steps } = plan;
  const graph = graphOf(steps);
  const findings = graph.findings.map((finding) => withEdit(finding, steps));
  if (steps.length > maxSteps) findings.push(tooMany(steps.length, maxSteps));
  if (!findings.some((finding) => UNTOLD.has(finding.code))) {
    findings.push(...looseEnds(steps, graph, steps.length < maxSteps));
  }
  return { plan, findings: ordered(findings, plan) };
}

function graphOf(steps: readonly TaskStep[]): Graph {
  return buildGraph(
    steps.map(({ id }) => id),
    [...references(steps)],
  );
}

function* references(steps: readonly TaskStep[]): Generator<Reference> {
  for (const [at, step] of steps.entries()) {
    for (const [place, name] of step.depends_on.entries()) {
      const path = ["steps", at, "depends_on", place];
      yield { owner: at, target: name, path, field: "dependencies" };
    }
  }
}

function tooMany(count: number, limit: number): Finding {
  return {
    code: "too_many_steps",
    path: ["steps"],
    message: `${count} steps, and there may be ${limit}`,
    hint: `join steps until there are at most ${limit}`,
    subject: [count, limit],
  };
}

/**
 * Every step must feed the final one; in a graph without cycles one end is enough.
 *
 * @param room - Whether there may be one more step.
 */
function* looseEnds(
  steps: readonly TaskStep[],
  graph: Graph,
  room: boolean,
): Generator<Finding> {
  const read = new Set(graph.dependencies.flat());
  const ends = steps.filter((_, at) => !read.has(at));
  const final = ends.at(-1);
  if (ends.length < 2 || final === undefined) return;
  const names = ends.map(({ id }) => id);
  const needed = [...new Set([...final.depends_on, ...names.slice(0, -1)])];
  const added = room ? `; or add a final step with "depends_on": ${toJsonText(names)}` : "";
  yield {
    code: "loose_ends",
    path: ["steps"],
    message:
      `no step needs ${listing(names)}, and a plan has one final step that needs all ` +
      "others, directly or through others",
    hint: `make ${quoted(final.id)} the final step: ${dependsOn(final, needed)}${added}`,
  };
}

/** The same with the very `depends_on` to write, where it is about one. */
function withEdit(finding: Finding, steps: readonly TaskStep[]): Finding {
  const { code, hint, path } = finding;
  if (code === "cycle") {
    const [cycle] = finding.subject as [readonly string[]];
    const last = steps.find(({ id }) => id === cycle.at(-1));
    return without(finding, last, cycle[0]);
  }
  const isUnknown = code === "unknown_step" && !hint.startsWith("change");
  if (code !== "self_reference" && !isUnknown) return finding;
  const step = steps[Number(path[1])];
  return without(finding, step, step?.depends_on[Number(path[3])]);
}

function without(
  finding: Finding,
  step: TaskStep | undefined,
  name: string | undefined,
): Finding {
  if (step === undefined) return finding;
  const kept = step.depends_on.filter((each) => each !== name);
  return { ...finding, hint: dependsOn(step, kept) };
}

function dependsOn(step: TaskStep, names: readonly string[]): string {
  return `write "depends_on": ${toJsonText(names)} in step ${quoted(step.id)}`;
}
