/**
 * Plans for Strands agents: the plugin, and the parts of it that are of use alone.
 *
 *     import { Agent } from "@strands-agents/sdk";
 *     import { PLAN_NUDGE, WorkflowPlanPlugin } from "strands-plan-tool/strands";
 *
 *     const agent = new Agent({
 *       tools: [...],
 *       plugins: [new WorkflowPlanPlugin()],
 *       systemPrompt: PLAN_NUDGE,
 *     });
 *
 * Needs `@strands-agents/sdk` 1.16 or later.
 */

export { Blocks } from "./blocks.js";
export { AgentToolInvoker, type InvokerOptions, type StepStreamed } from "./invoker.js";
export type { Approvals, Input, Values } from "./options.js";
export { describePlanFailure } from "./plan-tool.js";
export {
  coercePlan,
  type RunPlanOptions,
  type WorkflowPlanOptions,
  WorkflowPlanPlugin,
} from "./plugin.js";
export { ALL_TOOLS, resolvePlannable } from "./registry.js";
export { type ToolResult, type UnwrapOptions, unwrapToolResult } from "./results.js";
export { returning } from "./shapes.js";
export { PLAN_NUDGE, TOOL_DESCRIPTION, TOOL_NAME } from "./spec.js";
