/** Exceptions: one root, the published attributes, the class of the first problem. */

import { expect, it } from "vitest";
import { diagnostic } from "../src/diagnostics.js";
import {
  AgentInterruptedError,
  BindEvaluationError,
  DanglingReferenceError,
  DuplicateStepError,
  EvalNotAllowedError,
  errorFor,
  InvalidPlanShapeError,
  PlanCycleError,
  PlanError,
  PlanPaused,
  StepLimitError,
  StepPaused,
  ToolDeniedError,
  ToolExecutionError,
  ToolNotPlannableError,
} from "../src/errors.js";
import { Code, type Diagnostic } from "../src/models.js";

const PROBLEM = diagnostic("syntax", ["output"], "why", "how");

it.each<[PlanError, object, Code | undefined, string]>([
  [new PlanError("why"), {}, undefined, "why"],
  [
    new PlanError("why", { diagnostics: [PROBLEM] }),
    { diagnostics: [PROBLEM] },
    "syntax",
    "why",
  ],
  [
    new InvalidPlanShapeError("why"),
    { name: "InvalidPlanShapeError", detail: "why" },
    "wrong_type",
    "not a plan: why",
  ],
  [
    new StepLimitError(40, 32),
    { name: "StepLimitError", count: 40, limit: 32 },
    "too_many_steps",
    "40 steps where at most 32 may be",
  ],
  [
    new DuplicateStepError("a"),
    { name: "DuplicateStepError", stepId: "a" },
    "duplicate_step",
    'two steps are called "a"',
  ],
  [
    new ToolNotPlannableError("a", "t", ["x", "y"]),
    { name: "ToolNotPlannableError", stepId: "a", tool: "t", allowed: ["x", "y"] },
    "tool_not_plannable",
    'step "a" calls "t"; it may call one of "x", "y"',
  ],
  [
    new DanglingReferenceError("a", "b", "dependencies"),
    { name: "DanglingReferenceError", stepId: "a", missing: "b", field: "dependencies" },
    "unknown_step",
    'no step is called "b", named in the dependencies of step "a"',
  ],
  [
    new PlanCycleError(["a", "b"]),
    { name: "PlanCycleError", remaining: ["a", "b"] },
    "cycle",
    "steps that wait for each other: a -> b",
  ],
  [
    new BindEvaluationError("a", "x", "steps.b", "no"),
    {
      name: "BindEvaluationError",
      stepId: "a",
      parameter: "x",
      expression: "steps.b",
      reason: "no",
    },
    "evaluation_failed",
    '"x" of step "a", "steps.b": no',
  ],
  [
    new ToolExecutionError("t", "no"),
    { name: "ToolExecutionError", tool: "t", detail: "no" },
    "tool_failed",
    'tool "t" failed: no',
  ],
  [
    new ToolDeniedError("t", "not today"),
    { name: "ToolDeniedError", tool: "t", detail: "not today" },
    "tool_failed",
    'tool "t" failed: not today',
  ],
  [
    new AgentInterruptedError(),
    { name: "AgentInterruptedError" },
    undefined,
    "the agent waits for the answer to an interrupt; no plan can run before it",
  ],
  [new EvalNotAllowedError("no"), { name: "EvalNotAllowedError" }, "not_in_profile", "no"],
])("gives an error its attributes, a code and a message: %s", (error, own, code, message) => {
  expect(error).toBeInstanceOf(PlanError);
  expect(error).toMatchObject(own);
  expect(error.code).toBe(code);
  expect(error.message).toBe(message);
  expect(error.stack).toContain(`${error.name}: ${message}`);
});

it("keeps the error that is behind an error", () => {
  const behind = new Error("behind");
  expect(new ToolExecutionError("t", "no", { cause: behind }).cause).toBe(behind);
});

it("counts what waits among no errors of a plan", () => {
  const checkpoint = { version: 1, plan: "0".repeat(64), run_id: "r", elapsed_ms: 0 };
  const pause = new PlanPaused(checkpoint, []);
  expect(pause.message).toBe("the plan is paused: 0 calls wait for an answer");
  for (const thrown of [pause, new StepPaused()]) expect(thrown).not.toBeInstanceOf(PlanError);
  expect(String(new StepPaused("ask ann"))).toBe("StepPaused: ask ann");
});

function problems(...codes: Code[]): Diagnostic[] {
  return codes.map((code) => diagnostic(code, [], code, ""));
}

it.each<[Code[], typeof PlanError | (abstract new (...args: never[]) => PlanError)]>([
  [["loose_ends", "cycle", "unknown_step", "unknown_tool"], ToolNotPlannableError],
  [["duplicate_step", "tool_not_plannable"], DuplicateStepError],
  [["duplicate_step", "too_many_steps"], StepLimitError],
  [["too_many_steps", "bad_pattern"], InvalidPlanShapeError],
  [["cycle", "unknown_step"], DanglingReferenceError],
  [["syntax", "cycle"], PlanCycleError],
  [["syntax", "self_reference"], PlanCycleError],
  [["syntax", "unknown_argument"], PlanError],
  [["nothing_returned"], PlanError],
  [["json_syntax"], InvalidPlanShapeError],
])("throws for %j the class of the first in the order of families", (codes, kind) => {
  const error = errorFor(problems(...codes));
  expect(error.constructor).toBe(kind);
  expect(error.diagnostics).toEqual(problems(...codes));
});

it("has an error for every code", () => {
  for (const code of Code.options) {
    const error = errorFor(problems(code));
    expect(error.code).toBe(code);
    expect(error).toBeInstanceOf(PlanError);
  }
});

it("names the problem, its place, its edit, and how many more there are", () => {
  const one = diagnostic("cycle", ["steps", 0], "why", "how");
  const two = diagnostic("syntax", [], "why", "how");
  expect(errorFor([one]).message).toBe("/steps/0: why; how");
  expect(errorFor([one, two]).message).toBe("/steps/0: why; how (and 1 more problem)");
  expect(errorFor([two, one, one]).message).toBe("/steps/0: why; how (and 2 more problems)");
  expect(errorFor([two]).message).toBe("the plan: why; how");
  expect(errorFor([one]).stack).toContain("PlanCycleError: /steps/0: why; how");
});

it("makes the error from the facts of the problem that chose it", () => {
  const given = problems("syntax", "unknown_step", "unknown_tool");
  const subjects = [[], ["a", "b", "returns"], ["c", "t", ["x"]]];
  expect(errorFor(given, subjects)).toMatchObject({ stepId: "c", tool: "t", allowed: ["x"] });
  expect(errorFor(given.slice(0, 2), subjects)).toMatchObject({
    stepId: "a",
    missing: "b",
    field: "returns",
  });
});
