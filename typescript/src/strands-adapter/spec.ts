/**
 * The words that teach a model to write plans: the tool's specification and a nudge.
 *
 * They are those of the Python package to the letter, so that a prompt, and what was learned
 * with it, holds for both.
 */

import type { JSONSchema, ToolSpec } from "@strands-agents/sdk";
import { TOOL_INPUT_SCHEMA } from "../tool-input.js";

/** The name of the one tool that the plugin adds to an agent. */
export const TOOL_NAME = "submit_workflow_plan";

/** What the tool is for, and how plans are written. */
export const TOOL_DESCRIPTION =
  "Run dependent tool calls as one plan when you know the tools and how results feed " +
  "arguments. If a result needs your judgment or its shape is unknown, call the tool " +
  "directly.\n" +
  "bind: argument to JSONata expression, like `steps.user.email` (waits for step user).\n" +
  "after: more ids to wait for.\n" +
  "when: true or false, like `steps.a.score > 3 and $not(steps.a.spam)`, checked once, " +
  'not per item. If false, the step does not run, nor what needs it; join "any" needs ' +
  "just one.\n" +
  "for_each: a list, like `[steps.a.rows[open]]`: one call per item, bind sees " +
  "`item.id`, `index`. Result: list in item order, not flattened.\n" +
  "In predicates x[...], not list constructors, bare names are row fields: " +
  "`steps.b.rows[id = $item.id]`.\n" +
  "You get results of returns and/or output, like `'Sent ' & $count(steps.mail)` (text " +
  "as is, else JSON). A step that did not run is absent: `steps.a.v ?? steps.b.v`.\n" +
  "final: true if that answers the user; ends the turn.";

/** A paragraph for an agent's system prompt, which makes it plan where planning pays. */
export const PLAN_NUDGE =
  "When a request needs several tool calls and you can say beforehand how each result " +
  `feeds the next, send them as one plan with ${TOOL_NAME} instead of calling ` +
  "the tools one after another. Read only fields that the tools' descriptions name. " +
  "When the plan's result answers the user by itself, shape it with output and set " +
  "final. When you must judge a result before you can decide what to call next, call " +
  "the tools directly. A refused plan has run nothing: apply every fix it names and " +
  "submit it again.";

/**
 * The specification that the model is given.
 *
 * @param inputs - The names of the host's values that plans may read as `input.<name>`; they
 *   are named in a line of their own, so that the model can use them.
 */
export function planToolSpec(inputs: Iterable<string> = []): ToolSpec {
  const names = [...inputs].map((name) => `\`input.${name}\``).join(", ");
  return {
    name: TOOL_NAME,
    description: TOOL_DESCRIPTION + (names && `\nAlso there to read: ${names}.`),
    // A copy: what is done to one agent's specification must not reach another's.
    inputSchema: structuredClone(TOOL_INPUT_SCHEMA) as unknown as JSONSchema,
  };
}
