/**
 * Whether a plan may run: every check, all problems at once, or a checked plan.
 *
 * Three stages, each only if the one before found nothing: reading (`wire`), shape, and
 * everything else. Nothing has run when a plan is refused, and what passes is not parsed again:
 * the checked plan holds the expressions, the dependencies and the levels.
 */

import { diagnosticsOf, type Finding, ordered } from "../diagnostics.js";
import { errorFor, type PlanError } from "../errors.js";
import type { Expression } from "../expressions/index.js";
import { buildGraph, type Graph, type Reference } from "../graph.js";
import type {
  Diagnostic,
  Policy,
  PolicyInput,
  WorkflowPlan,
  WorkflowPlanInput,
} from "../models.js";
import type { Members } from "../values/index.js";
import { readPlan, type Wire } from "../wire/index.js";
import { asObject } from "../wire/repairs.js";
import { readShape } from "../wire/shape.js";
import { CheckedPlan, type CheckedStep } from "./checked.js";
import { checkInput, checkOptions, checkPolicy, faultOf } from "./host-checks.js";
import { limitFindings } from "./limits.js";
import { Literals } from "./literal-templates.js";
import {
  type PlanExpression,
  readExpressions,
  StepIds,
  stepIdsOf,
} from "./plan-expressions.js";
import { resultFinding } from "./result-shapes.js";
import type { Schema } from "./schemas.js";
import { Tools, type ToolsGiven } from "./tool-checks.js";

/** The same data, of which nothing is changed. */
type Unchanged<Data> = Data extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : Data extends object
    ? { readonly [Name in keyof Data]: Unchanged<Data[Name]> }
    : Data;

/**
 * A plan as a program writes it: JSON text, an object, or one that was parsed. What may be
 * anything, such as what a model sent, is read by `parsePlan`.
 */
export type PlanGiven = WorkflowPlan | Unchanged<WorkflowPlanInput> | string;

/** What a host says beside a plan. */
export interface CheckOptions {
  /**
   * The tools that the plan may call, with their schemas where known; without it no tool is
   * checked.
   */
  readonly tools?: ToolsGiven | null | undefined;
  /** The host's limits; the defaults without it. */
  readonly policy?: PolicyInput | null | undefined;
  /** The values that expressions may read as `input.<name>`. */
  readonly input?: Readonly<Members> | null | undefined;
}

/**
 * Everything that is wrong with a plan; empty if it may run.
 *
 * @param plan - The plan: JSON text, an object, or one that was parsed.
 * @param options - See `CheckOptions`.
 * @returns The problems of the first stage that has any, in the order of the repaired plan,
 *   into which their paths point.
 * @throws TypeError if `tools`, `policy` or `input` is not of its type. A bad plan never throws.
 */
export function validatePlan(
  plan: PlanGiven,
  options: CheckOptions = {},
): readonly Diagnostic[] {
  return diagnosticsOf(checked(plan, options).findings);
}

/**
 * A plan ready to run.
 *
 * @param plan - As for `validatePlan`, like the options.
 * @throws PlanError if it may not run. The class is that of its first problem, by family;
 *   `diagnostics` has all of them.
 * @throws TypeError if `tools`, `policy` or `input` is not of its type.
 */
export function checkPlan(plan: PlanGiven, options: CheckOptions = {}): CheckedPlan {
  const outcome = checked(plan, options);
  if (outcome.plan === undefined) throw refusal(outcome.findings);
  return outcome.plan;
}

/**
 * The plan that a text holds, repaired, of the right shape, and otherwise unchecked.
 *
 * @param text - JSON text; an object or a plan will do too. Whatever it is, it is checked.
 * @throws InvalidPlanShapeError if it is no plan.
 */
export function parsePlan(text: unknown): WorkflowPlan {
  const wire = wireOf(text);
  if (wire.findings.length > 0) throw refusal(wire.findings);
  const shape = readShape(wire.value);
  if (shape.plan === undefined) throw refusal(shape.findings);
  return shape.plan;
}

interface Outcome {
  readonly findings: readonly Finding[];
  readonly plan?: CheckedPlan;
}

function refusal(findings: readonly Finding[]): PlanError {
  return errorFor(
    diagnosticsOf(findings),
    findings.map((finding) => finding.subject ?? []),
  );
}

function checked(given: unknown, options: CheckOptions): Outcome {
  checkOptions(options);
  const host = hostOf(options);
  const wire = wireOf(given);
  if (wire.findings.length > 0) return { findings: wire.findings };
  const shape = readShape(wire.value);
  if (shape.plan === undefined) return { findings: shape.findings };
  const stage = new Stage(shape.plan, wire.value as Document, host);
  const findings = ordered(stage.findings(), wire.value);
  return findings.length > 0 ? { findings } : { findings, plan: stage.checkedPlan(wire.notes) };
}

/** A plan as it was read; one that threw while it was read is no JSON. */
function wireOf(given: unknown): Wire {
  try {
    return readPlan(given);
  } catch (error) {
    const { message } = faultOf(given, error);
    const hint = "write plain JSON, without getters and proxies that throw";
    const finding: Finding = { code: "not_json", path: [], message, hint };
    return { value: null, notes: [], findings: [finding] };
  }
}

/** What the host says: its tools, its limits and the names of its inputs. */
interface Host {
  readonly tools: Tools | undefined;
  readonly policy: Policy;
  readonly inputs: readonly string[];
}

function hostOf({ tools, policy, input }: CheckOptions): Host {
  const limits = checkPolicy(policy);
  checkInput(input);
  const named = tools === undefined || tools === null ? undefined : new Tools(tools);
  return { tools: named, policy: limits, inputs: Object.keys(asObject(input) ?? {}) };
}

/** A plan as it was written, repaired and found to have the shape of one. */
type Document = Members & {
  readonly steps: readonly (Members & { readonly id: string; readonly tool: string })[];
};

/** What was read of the expressions of one step. */
interface StepExpressions {
  readonly bind: Map<string, Expression>;
  when: Expression | undefined;
  forEach: Expression | undefined;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The last stage: all that needs a plan of the right shape. */
class Stage {
  private readonly ids: StepIds;
  private readonly expressions: readonly PlanExpression[];
  private readonly unreadable: readonly Finding[];
  private readonly graph: Graph;

  constructor(
    private readonly plan: WorkflowPlan,
    private readonly document: Document,
    private readonly host: Host,
  ) {
    this.ids = StepIds.from(plan.steps, (step) => step.id) as StepIds;
    [this.expressions, this.unreadable] = readExpressions(document, this.ids, host.inputs);
    this.graph = buildGraph(this.ids, {
      // Made anew each time they are gone through and never kept.
      [Symbol.iterator]: () => this.references(),
    });
  }

  /** Every problem; those of one place and code from left to right. */
  *findings(): Iterable<Finding> {
    yield* this.unreadable;
    yield* this.graph.findings;
    yield* this.ofSteps();
    yield* this.ofResults();
    const unread = this.expressions.some((each) => each.expression === undefined);
    const { policy } = this.host;
    yield* limitFindings(this.plan, this.graph, policy, this.readByOutput(), unread);
  }

  /** Every place that names a step. */
  private *references(): Iterator<Reference> {
    for (const each of this.expressions) {
      const field = each.step === undefined ? "output" : "dependencies";
      for (const target of stepIdsOf(each)) {
        yield { owner: each.step, target, path: each.path, field };
      }
    }
    for (const [owner, step] of this.plan.steps.entries()) {
      for (const [place, target] of step.after.entries()) {
        const path = ["steps", owner, "after", place];
        yield { owner, target, path, field: "dependencies" };
      }
    }
    for (const [place, target] of this.plan.returns.entries()) {
      yield { owner: undefined, target, path: ["returns", place], field: "returns" };
    }
  }

  private *ofSteps(): Iterable<Finding> {
    const { tools } = this.host;
    const literals = new Literals(this.ids);
    for (const [at, step] of this.document.steps.entries()) {
      const templates = literals.findings(at, step);
      yield* templates;
      if (tools === undefined) continue;
      const refused = tools.refusal(at, step.id, step.tool);
      if (refused !== undefined) {
        // The step is to go, or to call another tool with arguments of its own.
        yield refused;
        continue;
      }
      // What is not literal has no literal's type to be wrong.
      const unread = new Set(templates.map((finding) => finding.path[3]));
      yield* tools.arguments(step.tool)?.findings(at, step, unread) ?? [];
    }
  }

  private *ofResults(): Iterable<Finding> {
    if (this.host.tools === undefined) return;
    const schemas = new Map<string, Schema>();
    for (const step of this.plan.steps.toReversed()) {
      const schema = this.host.tools.get(step.tool)?.output_schema;
      if (schema !== undefined) schemas.set(step.id, schema);
      else schemas.delete(step.id);
    }
    // Steps of one tool are read in the same few ways.
    const good = new Map<Schema, Set<string>>();
    for (const { path, reads } of this.expressions) {
      for (const read of reads) {
        const schema = read.root === "steps" ? schemas.get(read.id) : undefined;
        if (schema === undefined || read.names.length === 0) continue;
        const names = JSON.stringify(read.names);
        const known = good.get(schema) ?? new Set();
        if (known.has(names)) continue;
        const finding = resultFinding(read, schema, path);
        if (finding === undefined) good.set(schema, known.add(names));
        else yield finding;
      }
    }
  }

  /** The ids that `output` reads; undefined if there is none. */
  private readByOutput(): ReadonlySet<string> | undefined {
    if (this.plan.output === null) return undefined;
    const outputs = this.expressions.filter((each) => each.field === "output");
    return new Set(outputs.flatMap(stepIdsOf));
  }

  /** The plan with what was found out, once nothing is wrong with it. */
  checkedPlan(notes: readonly string[]): CheckedPlan {
    const read = this.plan.steps.map((): StepExpressions => {
      return { bind: new Map(), when: undefined, forEach: undefined };
    });
    let output: Expression | undefined;
    for (const { path, step, field, expression } of this.expressions) {
      const own = step === undefined ? undefined : read[step];
      if (expression === undefined) continue;
      if (own === undefined) output = expression;
      else if (field === "bind") own.bind.set(String(path[3]), expression);
      else if (field === "when") own.when = expression;
      else own.forEach = expression;
    }
    const levels: string[][] = [];
    const steps = this.plan.steps.map((step, position): CheckedStep => {
      const level = this.graph.levels[position] ?? 0;
      while (levels.length <= level) levels.push([]);
      levels[level]?.push(step.id);
      const own = read[position] ?? { bind: new Map(), when: undefined, forEach: undefined };
      const dependencies = this.graph.dependencies[position] ?? [];
      return {
        step,
        position,
        level,
        dependencies: dependencies.map((at) => this.ids[at] ?? ""),
        ...own,
        listArguments:
          this.host.tools?.arguments(step.tool)?.lists(Object.keys(step.bind)) ?? NO_NAMES,
      };
    });
    return new CheckedPlan({
      plan: this.plan,
      steps,
      levels,
      output,
      policy: this.host.policy,
      notes,
    });
  }
}
