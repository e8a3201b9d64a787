/** What each agent is told; a host may put its own texts in their place. */

import type { Diagnostic, TaskPlan } from "../models.js";
import { isObject } from "../values/index.js";
import { checkNames } from "./checks.js";
import type { Tool } from "./record.js";

/** What stands for the results of a step that depends on none. */
export const NOTHING_GIVEN = "(none)";

const PLACE = /\{([a-z_]+)\}/g;
// White space as the twin in Python has it.
const BLANK = /(?!\ufeff)[\s\x1c-\x1f\x85]/u;
const BLANKS = new RegExp(`(?:${BLANK.source})+`, "u");

/** The texts, each with places in braces that are filled in; any other brace stays. */
export interface Prompts {
  /** System prompt of a planner that has none of its own. */
  readonly plannerSystem: string;
  /** Asks for the plan: `{question}`, `{tools}`, `{max_steps}`. */
  readonly planner: string;
  /** Asks again where the planner handed in no plan: `{reasons}`. */
  readonly noPlan: string;
  /** Sends a refused plan back: `{reasons}`, a line for each problem. */
  readonly refused: string;
  /** Asks for one step: `{question}`, `{instruction}`, `{results}`. */
  readonly executor: string;
  /** System prompt of a synthesizer that has none of its own. */
  readonly synthesizerSystem: string;
  /** Asks for the answer: `{question}`, `{steps}`. */
  readonly synthesizer: string;
}

/** The texts of a host that gives none. */
export const PROMPTS: Prompts = {
  plannerSystem:
    "You write plans of work. You do not answer the question and you call no tools. " +
    "Executors carry the steps out, each on its own: an executor sees the question, the " +
    "instruction of its step, and the results of the steps in depends_on; nothing else.",
  planner:
    "Question:\n{question}\n\n" +
    "What the executors can do; plan only what these make possible:\n{tools}\n\n" +
    "Write a plan of at most {max_steps} steps. Steps that do not need each other run at " +
    "the same time, so look things up in separate steps. A step that uses what another " +
    "found must name that step in depends_on, or it will not see the result. End with one " +
    "final step that every other step feeds, directly or through others.",
  noPlan: "You handed in no plan: {reasons}\nHand in a plan.",
  refused:
    "The plan is refused and nothing has run:\n{reasons}\n" +
    "Make these edits and hand in the whole plan again.",
  executor:
    "The whole question, for context only:\n{question}\n\n" +
    "Results of earlier steps:\n{results}\n\n" +
    "Your step:\n{instruction}\n\n" +
    "Do this step alone and reply with its result. Take facts from the tools and from the " +
    "results above, not from memory. If something cannot be found, say so plainly.",
  synthesizerSystem:
    "You answer a question from the results of steps that others carried out. Use only " +
    "what they found. What a step that FAILED or was SKIPPED should have found is unknown: " +
    "say so, and invent nothing.",
  synthesizer: "Question:\n{question}\n\nWhat was done:\n\n{steps}\n\nAnswer the question.",
};

/**
 * The texts of a host, with what was left out.
 *
 * @throws TypeError if they are something else, or there is one that nobody asks for.
 */
export function promptsOf(given: unknown): Prompts {
  if (!isObject(given)) {
    throw new TypeError('prompts must be an object, such as { planner: "..." }');
  }
  const names = Object.keys(PROMPTS) as (keyof Prompts)[];
  checkNames("prompts", given, names);
  const prompts: { -readonly [Name in keyof Prompts]: string } = { ...PROMPTS };
  for (const name of names) {
    const text = given[name];
    if (text === undefined) continue;
    if (typeof text !== "string") throw new TypeError(`prompts: ${name} must be a text`);
    prompts[name] = text;
  }
  return prompts;
}

/** A text with its places filled in, all at once: what is filled in is not looked at. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PLACE, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}

/** A text on one line, its white space single spaces. */
export function onOneLine(text: string): string {
  return text.split(BLANKS).filter(Boolean).join(" ");
}

/** A text without the white space around it. */
export function stripped(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANK.test(text.charAt(start))) start += 1;
  while (start < end && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The tools as a list for the planner; a description is one line. */
export function described(tools: readonly Tool[]): string {
  const lines = tools.map(({ name, description }) =>
    description === "" ? `- ${name}` : `- ${name}: ${onOneLine(description)}`,
  );
  return lines.join("\n") || "(no tools: executors only think and write)";
}

/** The results that a step depends on, for its executor. */
export function results(given: Readonly<Record<string, string>>): string {
  const parts = Object.entries(given).map(([name, text]) => `[${name}]\n${text}`);
  return parts.join("\n\n") || NOTHING_GIVEN;
}

/** A line for each problem of a plan: where, what, and the edit. */
export function reasons(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map(({ path, message, hint }) => `- ${path || "the plan"}: ${message}. Edit: ${hint}.`)
    .join("\n");
}

/** Step by step what was to be done and what came of it, for the synthesizer. */
export function outcomes(
  plan: TaskPlan,
  done: ReadonlyMap<string, string>,
  failed: ReadonlyMap<string, string>,
): string {
  const parts = plan.steps.map(({ id, instruction }) => {
    let end = "SKIPPED: a step that it needs did not complete";
    if (done.has(id)) end = `Result:\n${done.get(id)}`;
    else if (failed.has(id)) end = `FAILED: ${failed.get(id)}`;
    return `[${id}]\nInstruction: ${instruction}\n${end}`;
  });
  return parts.join("\n\n");
}
