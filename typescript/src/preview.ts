/** What a person reads of a plan before approving it. */

import type { JsonValue, OnError, Policy } from "./models.js";
import { effectOf } from "./policy.js";
import { onOneLine } from "./render.js";
import type { CheckedPlan, CheckedStep } from "./validate/index.js";
import { jsonString, toJsonText } from "./values/index.js";

const DOES = { read: "reads", write: "writes" } as const;
const STOPS: Readonly<Record<OnError, string>> = {
  fail_fast: "nothing more starts",
  continue: "only what needs the failed step is skipped",
};
const WORD = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const LONGEST = 1000;
// What stands between the parts of a line, and what is no part of what is computed.
const MISLEADING = /[,;]|\/\*/;
// The categories Cc, Cf, Zl and Zp, and what may become of them; a table, since languages and
// their versions differ in what they know of Unicode.
const UNSEEN = new RegExp(
  "[\\x00-\\x1f\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{110bd}\\u{110cd}" +
    "\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}]",
  "gu",
);

/**
 * What a plan would do, for a person who is to approve it.
 *
 * @param plan - A plan that may run, as `checkPlan` gives it.
 * @returns A line for each step in document order: its tool, what the policy says that the tool
 *   does, its arguments (literals as compact JSON, cut where they are long, and bindings as
 *   they are written), its list, condition and order; then what goes back, and what a failure
 *   stops. No text of the plan has a line break in it, or a character that cannot be seen or
 *   moves others about; an expression that could be taken for several parts of its line is a
 *   JSON string.
 */
export function previewPlan(plan: CheckedPlan): string {
  const { returns, output, final, on_error: onError } = plan.plan;
  const lines = plan.steps.map((step, at) => `${at + 1}. ${stepLine(step, plan.policy)}`);
  if (returns.length > 0) lines.push(`Returns: ${returns.join(", ")}`);
  if (output !== null) lines.push(`Output: ${seen(onOneLine(output))}`);
  if (final) lines.push("Final: the result answers the request");
  lines.push(`On a failure: ${STOPS[onError]}`);
  return lines.join("\n");
}

function stepLine(checked: CheckedStep, policy: Policy): string {
  const { step, dependencies } = checked;
  const effect = effectOf(policy, step.tool);
  const does = effect === undefined ? "may write" : DOES[effect];
  const named = argumentsOf(checked).join(", ");
  const parts = [
    `${step.id}: ${seen(onOneLine(step.tool))} (${does})${named && ` with ${named}`}`,
  ];
  if (step.for_each !== null) parts.push(`for each of ${expression(step.for_each)}`);
  if (step.when !== null) parts.push(`only when ${expression(step.when)}`);
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
    .map(([name, value]) => `${nameOf(name)} = ${literal(value)}`);
  const bindings = Object.entries(step.bind).map(
    ([name, text]) => `${nameOf(name)} from ${expression(text)}`,
  );
  return [...literals, ...bindings];
}

function nameOf(name: string): string {
  return WORD.test(name) ? name : seen(jsonString(name));
}

function expression(text: string): string {
  const flat = onOneLine(text);
  return seen(MISLEADING.test(flat) ? jsonString(flat) : flat);
}

function literal(value: JsonValue): string {
  const text = toJsonText(value);
  // By code points, as the other language counts.
  const points = text.length > LONGEST ? Array.from(text) : [];
  const more = points.length - LONGEST;
  if (more <= 0) return seen(text);
  const count = more.toLocaleString("en-US");
  return `${seen(points.slice(0, LONGEST).join(""))}… (${count} more character${more > 1 ? "s" : ""})`;
}

/** A text with escapes of JSON for what a reader would not see. */
function seen(text: string): string {
  return text.replace(UNSEEN, (found) =>
    Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
