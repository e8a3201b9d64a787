/**
 * For questions whose pieces of work depend on the question, and need agents.
 *
 * One agent writes the plan, code holds it to rules, executors carry it out on the engine's
 * scheduler, and a last one answers.
 *
 *     import { runPlannerExecutor } from "strands-plan-tool/planner-executor";
 *
 *     const run = await runPlannerExecutor(question, { planner: model, executors: agent });
 *     run.answer.result;
 *
 * Needs `@strands-agents/sdk` 1.16 or later.
 */

export { TaskPlan, TaskStep, type TaskStepInput } from "../models.js";
export { checkTasks, MAX_TASKS } from "../tasks/index.js";
export type { OneAgent, Source } from "./agents.js";
export type { Budget, Limit, Price, Tokens } from "./budget.js";
export {
  AllStepsFailedError,
  AnswerFailedError,
  BudgetExceededError,
  PlannerExecutorError,
  PlannerFailedError,
  PlanRejectedError,
  PriceFailedError,
} from "./errors.js";
export type { PlannerExecutorOptions, RunOptions, WorkOptions } from "./options.js";
export { PROMPTS, type Prompts } from "./prompts.js";
export {
  AgentRun,
  Answer,
  Attempt,
  Named,
  Plan,
  type Run,
  runSchema,
  Tool,
  Usage,
} from "./record.js";
export { replayed } from "./replay.js";
export { PlannerExecutor, runPlannerExecutor } from "./run.js";
export { transcript } from "./transcript.js";
