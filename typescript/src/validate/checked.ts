/** A plan that may run, with all that checking it has found out; nothing is parsed twice. */

import type { Expression } from "../expressions/index.js";
import type { PlanStep, Policy, WorkflowPlan } from "../models.js";

/** A step that may run. */
export interface CheckedStep {
  /** The step as written. */
  readonly step: PlanStep;
  /** Its place in the plan's list of steps, from 0. */
  readonly position: number;
  /** 0 without dependencies, else one more than the highest of theirs. */
  readonly level: number;
  /** The ids of the steps that must end first, in document order. */
  readonly dependencies: readonly string[];
  /** Its bindings as read, by argument. */
  readonly bind: ReadonlyMap<string, Expression>;
  /** Its condition as read. */
  readonly when: Expression | undefined;
  /** Its list as read. */
  readonly forEach: Expression | undefined;
  /** The bound arguments that take a list and nothing else. */
  readonly listArguments: ReadonlySet<string>;
}

/**
 * A plan that may run, with all that checking it has found out.
 *
 * It is frozen, with all that it holds: what was checked is what runs.
 */
export class CheckedPlan {
  /** The plan, repaired. */
  readonly plan: WorkflowPlan;
  /** Its steps in document order. */
  readonly steps: readonly CheckedStep[];
  /** The ids of each level, in document order. */
  readonly levels: readonly (readonly string[])[];
  /** The plan's `output` as read. */
  readonly output: Expression | undefined;
  /** The limits it was checked by and runs under. */
  readonly policy: Policy;
  /** The repairs that were made, for the result. */
  readonly notes: readonly string[];

  /** @param found - What checking has found out. */
  constructor(found: {
    readonly plan: WorkflowPlan;
    readonly steps: readonly CheckedStep[];
    readonly levels: readonly (readonly string[])[];
    readonly output: Expression | undefined;
    readonly policy: Policy;
    readonly notes?: readonly string[];
  }) {
    this.plan = frozen(found.plan);
    this.steps = Object.freeze(found.steps.map(frozenStep));
    this.levels = frozen(found.levels);
    this.output = found.output;
    this.policy = frozen(found.policy);
    this.notes = Object.freeze([...(found.notes ?? [])]);
    Object.freeze(this);
  }
}

/** A step without its expressions, which are nobody's but the engine's. */
function frozenStep(checked: CheckedStep): CheckedStep {
  frozen(checked.step);
  return Object.freeze({ ...checked, dependencies: frozen(checked.dependencies) });
}

/** The same data, which nobody can change any more. */
function frozen<Data>(data: Data): Data {
  if (typeof data === "object" && data !== null) {
    Object.freeze(data);
    for (const part of Object.values(data)) frozen(part);
  }
  return data;
}
