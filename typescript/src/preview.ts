/** What a person reads of a plan before approving it. */

import type { OnError, Policy } from "./models.js";
import { effectOf } from "./policy.js";
import { inShort, onOneLine } from "./render.js";
import type { CheckedPlan, CheckedStep } from "./validate/index.js";
import { jsonString, toJsonText } from "./values/index.js";

const DOES = { read: "reads", write: "writes" } as const;
const STOPS: Readonly<Record<OnError, string>> = {
  fail_fast: "nothing more starts",
  continue: "only what needs the failed step is skipped",
};
const WORD = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * What a plan would do, for a person who is to approve it.
 *
 * @param plan - A plan that may run, as `checkPlan` gives it.
 * @returns A line for each step in document order: its tool, what the policy says that the tool
 *   does, its arguments (literals as compact JSON, cut where they are long, and bindings as
 *   they are written), its list, condition and order; then what goes back, and what a failure
 *   stops. No text of the plan has a line break in it.
 */
export function previewPlan(plan: CheckedPlan): string {
  const { returns, output, final, on_error: onError } = plan.plan;
  const lines = plan.steps.map((step, at) => `${at + 1}. ${stepLine(step, plan.policy)}`);
  if (returns.length > 0) lines.push(`Returns: ${returns.join(", ")}`);
  if (output !== null) lines.push(`Output: ${onOneLine(output)}`);
  if (final) lines.push("Final: the result answers the request");
  lines.push(`On a failure: ${STOPS[onError]}`);
  return lines.join("\n");
}

function stepLine(checked: CheckedStep, policy: Policy): string {
  const { step, dependencies } = checked;
  const effect = effectOf(policy, step.tool);
  const does = effect === undefined ? "may write" : DOES[effect];
  const named = argumentsOf(checked).join(", ");
  const parts = [`${step.id}: ${onOneLine(step.tool)} (${does})${named && ` with ${named}`}`];
  if (step.for_each !== null) parts.push(`for each of ${onOneLine(step.for_each)}`);
  if (step.when !== null) parts.push(`only when ${onOneLine(step.when)}`);
  if (step.after.length > 0) parts.push(`after ${step.after.join(", ")}`);
  if (step.join === "any" && dependencies.length > 0) {
    parts.push(`if any of ${dependencies.join(", ")} is ok`);
  }
  return parts.join("; ");
}

/** The literals that no binding replaces, then the bindings. */
function argumentsOf({ step }: CheckedStep): string[] {
  const literals = Object.entries(step.args)
    .filter(([name]) => !Object.hasOwn(step.bind, name))
    .map(([name, value]) => `${nameOf(name)} = ${inShort(toJsonText(value))}`);
  const bindings = Object.entries(step.bind).map(
    ([name, text]) => `${nameOf(name)} from ${onOneLine(text)}`,
  );
  return [...literals, ...bindings];
}

function nameOf(name: string): string {
  return WORD.test(name) ? name : onOneLine(jsonString(name));
}
