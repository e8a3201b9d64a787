/** Which of an agent's tools a plan may call, and what is known of each. */

import type { LocalAgent, Tool } from "@strands-agents/sdk";
import { matches } from "../policy.js";
import { ToolInfo } from "../validate/index.js";
import { patternsOf } from "./options.js";
import { STRUCTURED_OUTPUT_TOOL } from "./sdk.js";
import { checkedSchema, inputSchema } from "./shapes.js";
import { TOOL_NAME } from "./spec.js";

/** The patterns that make every tool plannable, but the plan tool itself. */
export const ALL_TOOLS: readonly string[] = ["*"];

/**
 * Which registered tools the patterns let into plans.
 *
 * @param patterns - Tool names, in which `*` stands for any run of characters; one that starts
 *   with `!` takes out instead of letting in, wherever it stands in the list.
 * @param registered - The names of the agent's tools.
 * @returns The names that some pattern lets in and none takes out; never the plan tool's own.
 * @throws TypeError if a pattern is no string.
 */
export function resolvePlannable(
  patterns: string | Iterable<string>,
  registered: Iterable<string>,
): ReadonlySet<string> {
  const isMeant = namedBy(patterns);
  return new Set([...registered].filter((tool) => tool !== TOOL_NAME && isMeant(tool)));
}

/**
 * Whether patterns name a tool: see `resolvePlannable`.
 *
 * @param patterns - The patterns.
 * @param option - What they were given as.
 * @throws TypeError if a pattern is no string.
 */
export function namedBy(
  patterns: string | Iterable<string>,
  option?: string,
): (tool: string) => boolean {
  const names = patternsOf(patterns, option);
  const included = names.filter((name) => !name.startsWith("!"));
  const excluded = names.filter((name) => name.startsWith("!")).map((name) => name.slice(1));
  return (tool) =>
    included.some((pattern) => matches(pattern, tool)) &&
    !excluded.some((pattern) => matches(pattern, tool));
}

/** The agent's tools, as they are now: tools may come and go between two plans. */
export function registeredTools(agent: LocalAgent): readonly Tool[] {
  return agent.toolRegistry.list().filter((tool) => tool.name !== STRUCTURED_OUTPUT_TOOL);
}

/** The tool that a call by this name reaches. */
export function findTool(agent: LocalAgent, name: string): Tool | undefined {
  return agent.toolRegistry.get(name);
}

/** What plans for this agent are checked against. */
export function toolInfos(
  agent: LocalAgent,
  patterns: Iterable<string>,
): Readonly<Record<string, ToolInfo>> {
  const tools = registeredTools(agent);
  const plannable = resolvePlannable(
    patterns,
    tools.map((tool) => tool.name),
  );
  // The plan tool stays in the list, so that a plan in a plan is told what is wrong with it.
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      new ToolInfo({
        input_schema: inputSchema(tool),
        output_schema: checkedSchema(tool),
        plannable: plannable.has(tool.name),
      }),
    ]),
  );
}
