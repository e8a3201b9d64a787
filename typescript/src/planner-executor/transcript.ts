/** A run as Markdown, for a person to read from top to bottom. */

import { isObject, numberToText } from "../values/index.js";
import { onOneLine } from "./prompts.js";
import type { AgentRun, Run, Said, Usage } from "./record.js";
import { listed } from "./said.js";

// What would be more than a letter in a line of Markdown.
const ACTIVE = /[\\`*<>&|[\]]/g;

/** A run as Markdown: answer, plan, how each step ended, and every message. */
export function transcript(run: Run<unknown>): string {
  return `${[...parts(run)].join("\n\n")}\n`;
}

function* parts(run: Run<unknown>): Generator<string> {
  yield `# ${line(run.question)}`;
  if (run.answer !== null) yield `## Answer\n\n${fenced(json(run.answer), "json")}`;
  if (run.plan !== null) {
    yield "## Plan";
    const rows = run.plan.steps.map(({ id, instruction, depends_on }) =>
      row(id, instruction, depends_on.join(", "), endOf(run, id)),
    );
    yield ["| step | instruction | needs | ended |", "|---|---|---|---|", ...rows].join("\n");
    const waves = run.waves.map((wave, at) => `${at + 1}. ${wave.join(", ")}`);
    if (waves.length > 0) yield `Started together, by level:\n\n${waves.join("\n")}`;
  }
  const refused = run.attempts.filter(
    ({ diagnostics, problem }) => diagnostics.length > 0 || problem,
  );
  if (refused.length > 0) yield `Plans refused before: ${refused.length}.`;
  yield `Used in all: ${used(run.usage)}.`;
  for (const agent of run.runs) yield* agentParts(agent);
}

function endOf(run: Run<unknown>, id: string): string {
  if (Object.hasOwn(run.results, id)) return "ok";
  if (Object.hasOwn(run.failed, id)) return `FAILED: ${run.failed[id]}`;
  return run.skipped.includes(id) ? "SKIPPED" : "not begun or not ended";
}

function row(...cells: string[]): string {
  return `| ${cells.map(line).join(" | ")} |`;
}

function* agentParts(agent: AgentRun): Generator<string> {
  yield `## ${line(agent.name)}`;
  const called = agent.tools_called.map(name).join(", ");
  yield `Used: ${used(agent.usage)}.${called === "" ? "" : ` Tools called: ${called}.`}`;
  if (agent.error !== null) yield `FAILED:\n\n${fenced(agent.error)}`;
  for (const message of agent.messages) {
    yield `**${line(String(message.role ?? ""))}**`;
    for (const block of listed(message.content)) yield blockText(block);
  }
}

function blockText(block: Said): string {
  if (Object.hasOwn(block, "text")) return fenced(String(block.text));
  if (isObject(block.toolUse)) {
    const { name: tool, input } = block.toolUse;
    return `calls ${name(String(tool))}\n\n${fenced(json(input ?? null), "json")}`;
  }
  if (isObject(block.toolResult)) {
    const { status = "", content } = block.toolResult;
    const told = listed(content).map((part) =>
      Object.hasOwn(part, "text") ? String(part.text) : json(part),
    );
    return `result (${line(String(status))})\n\n${fenced(told.join("\n"))}`;
  }
  return fenced(json(block), "json");
}

/** A text in a fence that is longer than any in it. */
function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longest(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A name as code on one line, in a span that it cannot end. */
function name(text: string): string {
  const whole = onOneLine(text);
  const ticks = "`".repeat(longest(whole) + 1);
  const edge = whole.startsWith("`") || whole.endsWith("`") ? " " : "";
  return `${ticks}${edge}${whole}${edge}${ticks}`;
}

/** A text on one line, as it is: no markup, and no end of a cell. */
function line(text: string): string {
  return onOneLine(text).replace(ACTIVE, "\\$&");
}

/** The length of the longest run of backticks. */
function longest(text: string): number {
  let most = 0;
  for (const [run] of text.matchAll(/`+/g)) most = Math.max(most, run.length);
  return most;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function used({ requests, total_tokens: tokens, cost, duration_s: took }: Usage): string {
  const made = `${requests} request${requests === 1 ? "" : "s"}`;
  const paid = cost === null ? "" : `, cost ${numberToText(cost)}`;
  const seconds = numberToText(Math.round(took * 1000) / 1000);
  return `${made}, ${tokens} tokens${paid}, ${seconds} s`;
}
