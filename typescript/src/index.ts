/**
 * One tool that lets an agent run a whole chain of tool calls in a single model round trip.
 *
 *     const result = await executePlan(parsePlan(text), invoker);
 *
 * This is the engine alone: it reads, checks and runs plans, knows no agent framework and
 * needs nothing of Node. `strands-plan-tool/testing` has what tests of plans need.
 */

export {
  type Binder,
  type Environment,
  JsonataBinder,
  type JsonataBinderOptions,
} from "./binder.js";
export {
  AgentInterruptedError,
  BindEvaluationError,
  DanglingReferenceError,
  DuplicateStepError,
  EvalNotAllowedError,
  InvalidPlanShapeError,
  PlanCycleError,
  PlanError,
  PlanPaused,
  StepLimitError,
  StepPaused,
  ToolDeniedError,
  ToolExecutionError,
  ToolNotPlannableError,
} from "./errors.js";
export type { EventKind, OnEvent, PlanEvent } from "./events.js";
export {
  type Clock,
  type ExecuteOptions,
  executePlan,
  levelsOf,
  planHash,
  type StepCall,
  type StepInvoker,
  SystemClock,
  summarize,
  type ToolInvoker,
} from "./executor/index.js";
export { dependenciesOf, type LevelOptions, planLevels } from "./graph.js";
export { CallMemory, type CallMemoryJson, type Remembered } from "./memory.js";
export {
  Checkpoint,
  type CheckpointInput,
  Code,
  Diagnostic,
  Effect,
  Integers,
  ItemCheckpoint,
  type ItemCheckpointInput,
  ItemCounts,
  Join,
  JsonValue,
  MAX_STEPS,
  OnError,
  OutputError,
  PlanResult,
  PlanStep,
  type PlanStepInput,
  Policy,
  type PolicyInput,
  Retry,
  StepCheckpoint,
  type StepCheckpointInput,
  StepOutcome,
  StepStatus,
  WaitingCall,
  type WaitingCallInput,
  WorkflowPlan,
  type WorkflowPlanInput,
} from "./models.js";
export { previewPlan } from "./preview.js";
export { type RenderOptions, renderDiagnostics, renderForModel } from "./render.js";
export {
  CheckedPlan,
  type CheckedStep,
  type CheckOptions,
  checkPlan,
  type PlanGiven,
  parsePlan,
  ToolInfo,
  type ToolInfoGiven,
  type ToolsGiven,
  validatePlan,
} from "./validate/index.js";
