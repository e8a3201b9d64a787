/** Runs a plan and gives back what it asked for. */

export type { StepCall, StepInvoker, ToolInvoker } from "./calls.js";
export { planHash } from "./checkpoints.js";
export { type Clock, SystemClock } from "./clock.js";
export { type ExecuteOptions, executePlan, levelsOf, summarize } from "./run.js";
