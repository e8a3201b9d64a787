/** Whether a person wants a plan to run, asked before anything of it does. */

import type { LocalAgent } from "@strands-agents/sdk";
import { wellFormed } from "../diagnostics.js";
import { planHash } from "../executor/index.js";
import { previewPlan } from "../preview.js";
import { inShort } from "../render.js";
import type { CheckedPlan } from "../validate/index.js";
import { isObject, toJsonText } from "../values/index.js";
import { answerBefore } from "./sdk.js";
import { TOOL_NAME } from "./spec.js";

/** Returns if a plan may run; throws `PlanNotApproved`, or what asks a person. */
export type Approve = (plan: CheckedPlan) => void;

const YES: readonly string[] = ["y", "yes"];

/** Somebody does not want the plan to run, or nobody can be asked. */
export class PlanNotApproved extends Error {
  override readonly name = "PlanNotApproved";

  /** @param why - What else there is to say of it. */
  constructor(why = "") {
    super(`The plan was not approved and nothing ran.${why && ` ${why}`}`);
  }
}

/**
 * Ask a person, by an interrupt of the plan tool.
 *
 * The interrupt's id names the plan itself, so no answer holds for another one that is sent by
 * the same call.
 *
 * @param agent - Whose interrupt it is.
 * @param calls - What the ids of the plan's calls begin with.
 */
export function asking(agent: LocalAgent, calls: string): Approve {
  return (plan) => {
    const toolUse = { name: TOOL_NAME, toolUseId: `${calls}:${planHash(plan.plan)}` };
    const answer = answerBefore(agent, toolUse, previewPlan(plan));
    if (isApproved(answer)) return;
    const words = wordsOf(answer);
    throw new PlanNotApproved(words && `Answer: ${words}`);
  };
}

/**
 * What stands for a person where an interrupt would reach none.
 *
 * @throws PlanNotApproved always.
 */
export function nobodyToAsk(): void {
  throw new PlanNotApproved("Nobody can be asked here: send it again in the foreground.");
}

/** Whether an answer says yes: by the rule of Strands, or as `{ approved: true }`. */
export function isApproved(answer: unknown): boolean {
  if (typeof answer === "string") return YES.includes(answer.trim().toLowerCase());
  return (isObject(answer) ? answer.approved : answer) === true;
}

/** The words of an answer that says no, on one line and not without end. */
export function wordsOf(answer: unknown): string {
  const said = isObject(answer) && Object.hasOwn(answer, "approved") ? answer.reason : answer;
  if (said === undefined || said === null || typeof said === "boolean") return "";
  const text = typeof said === "string" ? said : toJsonText(said);
  // No message can be stored or sent with half of a surrogate pair in it.
  return inShort(wellFormed(text).trim());
}
