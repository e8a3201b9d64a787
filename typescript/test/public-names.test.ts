/** The public surface: what may be imported from the root. */

import { expect, test } from "vitest";
import * as published from "../src/index.js";

const NAMES = [
  ["AgentInterruptedError", "BindEvaluationError", "CallMemory", "CheckedPlan", "Checkpoint"],
  ["Code", "DanglingReferenceError", "Diagnostic", "DuplicateStepError", "Effect"],
  ["EvalNotAllowedError", "Integers", "InvalidPlanShapeError", "ItemCheckpoint", "ItemCounts"],
  ["Join", "JsonValue", "JsonataBinder", "MAX_STEPS", "OnError", "OutputError"],
  ["PlanCycleError", "PlanError", "PlanPaused", "PlanResult", "PlanStep", "Policy", "Retry"],
  ["StepCheckpoint", "StepLimitError", "StepOutcome", "StepPaused", "StepStatus"],
  ["SystemClock", "ToolDeniedError", "ToolExecutionError", "ToolInfo"],
  ["ToolNotPlannableError", "WaitingCall", "WorkflowPlan"],
  ["checkPlan", "dependenciesOf", "executePlan", "levelsOf", "parsePlan", "planHash"],
  ["planLevels", "previewPlan", "renderDiagnostics", "renderForModel", "summarize"],
  ["validatePlan"],
].flat();

test("what may be imported from the root is this and nothing else", () => {
  expect(Object.keys(published).sort()).toEqual([...NAMES].sort());
});
