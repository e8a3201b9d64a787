/** Whether a plan may run: every check, all problems at once, or a checked plan. */

export {
  type CheckOptions,
  checkPlan,
  type PlanGiven,
  parsePlan,
  validatePlan,
} from "./check.js";
export { CheckedPlan, type CheckedStep } from "./checked.js";
export { ToolInfo, type ToolInfoGiven, type ToolsGiven } from "./tool-checks.js";
