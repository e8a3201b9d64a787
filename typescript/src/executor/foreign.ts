/** Plans whose expressions are in a host's own language, checked for all but those. */

import { diagnosticsOf, type Finding, ordered, type Path } from "../diagnostics.js";
import { errorFor } from "../errors.js";
import { buildGraph, type Reference } from "../graph.js";
import type { PlanStep, Policy, WorkflowPlan } from "../models.js";
import {
  CheckedPlan,
  checkPlan,
  type PlanGiven,
  ToolInfo,
  type ToolsGiven,
} from "../validate/index.js";
import { readPlan } from "../wire/index.js";
import { readShape } from "../wire/shape.js";

/** The ids of steps that a text reads; undefined for a text that is none of the language. */
export type References = (text: string) => readonly string[] | undefined;

/** An expression of a plan. */
interface Text {
  readonly path: Path;
  /** The position of its step; undefined for `output`. */
  readonly owner: number | undefined;
  readonly ids: readonly string[] | undefined;
}

/** What a plan with expressions of another language is checked with. */
export interface ForeignOptions {
  /** Which steps an expression reads. */
  readonly references: References;
  /**
   * What `checkPlan` takes; only names and `plannable` count, since nobody knows what a
   * binding gives.
   */
  readonly tools: ToolsGiven | undefined;
  /** The host's limits. */
  readonly policy: Policy;
}

/**
 * A plan that may run although its expressions are not ours to parse.
 *
 * @param plan - The plan in any form.
 * @param options - How its references are found, and what the host says.
 * @returns A checked plan without parsed expressions.
 * @throws PlanError if the plan may not run.
 */
export function checkForeignPlan(plan: PlanGiven, options: ForeignOptions): CheckedPlan {
  const wire = readPlan(plan);
  if (wire.findings.length > 0) throw errorFor(diagnosticsOf(wire.findings));
  const shape = readShape(wire.value);
  if (shape.plan === undefined) throw errorFor(diagnosticsOf(shape.findings));
  const shaped = shape.plan;
  const texts = textsOf(shaped, options.references);
  const ids = shaped.steps.map(({ id }) => id);
  const graph = buildGraph(ids, referencesOf(shaped, texts));
  const findings = [...unreadable(texts), ...graph.findings];
  if (findings.length > 0) {
    const found = ordered(findings, wire.value);
    throw errorFor(
      diagnosticsOf(found),
      found.map(({ subject = [] }) => subject),
    );
  }
  const { policy } = options;
  const checked = checkPlan(withoutExpressions(shaped, texts), {
    tools: namesOf(options.tools),
    policy,
  });
  // The stand-in was for the order of the steps alone; what runs is the real plan.
  return new CheckedPlan({
    ...checked,
    plan: shaped,
    steps: checked.steps.map((step) => ({
      ...step,
      step: shaped.steps[step.position] ?? step.step,
      bind: new Map(),
      when: undefined,
      forEach: undefined,
    })),
    output: undefined,
    notes: wire.notes,
  });
}

/** Every expression of a plan with its place and what it reads. */
function textsOf(plan: WorkflowPlan, references: References): readonly Text[] {
  const texts: Text[] = [];
  const add = (path: Path, owner: number | undefined, text: string | null): void => {
    if (text !== null) texts.push({ path, owner, ids: references(text) });
  };
  for (const [at, step] of plan.steps.entries()) {
    for (const [name, text] of Object.entries(step.bind)) {
      add(["steps", at, "bind", name], at, text);
    }
    add(["steps", at, "when"], at, step.when);
    add(["steps", at, "for_each"], at, step.for_each);
  }
  add(["output"], undefined, plan.output);
  return texts;
}

function unreadable(texts: readonly Text[]): readonly Finding[] {
  return texts
    .filter(({ ids }) => ids === undefined)
    .map(({ path }) => ({
      code: "syntax",
      path,
      message: "it is no JSONata",
      hint: "check its brackets, quotes and operators",
    }));
}

function referencesOf(plan: WorkflowPlan, texts: readonly Text[]): readonly Reference[] {
  const references: Reference[] = [];
  for (const [at, step] of plan.steps.entries()) {
    for (const [place, target] of step.after.entries()) {
      const path = ["steps", at, "after", place];
      references.push({ owner: at, target, path, field: "dependencies" });
    }
  }
  for (const { path, owner, ids } of texts) {
    const field = owner === undefined ? "output" : "dependencies";
    for (const target of ids ?? []) {
      // A word that looks like the step's own id was never taken for a reference.
      if (owner === undefined || plan.steps[owner]?.id !== target) {
        references.push({ owner, target, path, field });
      }
    }
  }
  for (const [place, target] of plan.returns.entries()) {
    references.push({ owner: undefined, target, path: ["returns", place], field: "returns" });
  }
  return references;
}

/** The same graph, in which `after` says what the expressions did. */
function withoutExpressions(plan: WorkflowPlan, texts: readonly Text[]): WorkflowPlan {
  const waits = plan.steps.map((step) => [...step.after]);
  let output: string | null = null;
  for (const { owner, ids = [] } of texts) {
    if (owner === undefined) {
      output = `[${ids.map((id) => `steps.${id}`).join(", ")}]`;
    } else {
      const own = plan.steps[owner]?.id;
      waits[owner]?.push(...ids.filter((id) => id !== own));
    }
  }
  const steps = plan.steps.map(
    ({ id, tool, join }, at): PlanStep => ({
      id,
      tool,
      args: {},
      bind: {},
      after: waits[at] ?? [],
      when: null,
      for_each: null,
      join,
    }),
  );
  return { ...plan, steps, output };
}

/** The tools without their schemas. */
function namesOf(tools: ToolsGiven | undefined): ToolsGiven | undefined {
  if (tools === undefined || Symbol.iterator in tools) return tools;
  return Object.fromEntries(
    Object.entries(tools).map(([name, info]) => [
      name,
      new ToolInfo({ plannable: info?.plannable ?? true }),
    ]),
  );
}
