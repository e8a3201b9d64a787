/** How one plan is to run, beside what it is. */

import type { OnEvent } from "../events.js";
import type { CallMemory } from "../memory.js";
import type { CheckpointInput, PlanResult, WorkflowPlan } from "../models.js";
import type { Approve } from "./approval.js";
import type { AgentToolInvoker } from "./invoker.js";

/** How one plan is to run. */
export interface PlanRun {
  /** The plan in any form. */
  readonly plan: unknown;
  /** Calls its tools; its signal stops the run. */
  readonly invoker: AgentToolInvoker;
  /** Told of each event, beside the host. */
  readonly onEvent?: OnEvent | undefined;
  /** The checkpoint that it goes on from. */
  readonly resume?: CheckpointInput | undefined;
  /** What it may take over. */
  readonly memory?: CallMemory | undefined;
  /** What it has to be approved by before anything runs. */
  readonly approve?: Approve | undefined;
}

/** How a plan went, with the plan as it was read. */
export interface Ran {
  readonly result: PlanResult;
  readonly plan: WorkflowPlan;
}

/** The plan is another one than the one that paused. */
export class PlanChanged extends Error {
  override readonly name = "PlanChanged";
}

/**
 * Checks and runs a plan; throws `PlanPaused` with a call that has asked something, and
 * `PlanChanged`.
 */
export type RunPlan = (order: PlanRun) => Promise<Ran>;
