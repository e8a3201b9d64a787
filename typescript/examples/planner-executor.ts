/**
 * Planner, executors, synthesizer, on facts that no model can know.
 *
 * The moons below are invented, so an answer can only come from the tools. Run it offline,
 * with scripted models, by `npm run planner-executor`; with a real one by
 * `npm run planner-executor -- --live PROVIDER MODEL`, where PROVIDER is bedrock, anthropic or
 * openai. `--transcript` prints the whole run.
 */

import { pathToFileURL } from "node:url";
import { Agent, type Model, tool } from "@strands-agents/sdk";
import { PlannerExecutor, type Run, transcript } from "strands-plan-tool/planner-executor";
import {
  type ModelRequest,
  ScriptedModel,
  type Turn,
  toolCall,
} from "strands-plan-tool/testing/scripted-model";
import { z } from "zod";
import { liveModel, NotReadyError, PROVIDERS } from "./live-models.js";

type Part = "planner" | "executor" | "synthesizer";
type Maker = (part: Part) => Model;

const MOONS: ReadonlyMap<string, Record<string, string>> = new Map([
  ["Orin", { mass: "4127.25", charted_by: "the Halden survey" }],
  ["Tessa", { mass: "3891.75", charted_by: "the Brack survey" }],
]);
const SURVEYS: ReadonlyMap<string, number> = new Map([
  ["the Halden survey", 2291],
  ["the Brack survey", 2304],
]);

export const QUESTION =
  "The moons Orin and Tessa: how much heavier is the heavier one (give the exact number as " +
  "the value), and in which year did the survey that charted the heavier one end?";
export const MISSING =
  "What is the mass of the moon Orin, and what is the mass of the moon Velka?";

const moon = tool({
  name: "moon",
  description: "Mass (in units of 10^18 kg) and survey of a moon.",
  inputSchema: z.object({ name: z.string().describe("The moon's name.") }),
  callback: ({ name }) => MOONS.get(name) ?? { error: `no moon called ${name} is on record` },
});

const surveyYear = tool({
  name: "survey_year",
  description: "The year in which a survey ended.",
  inputSchema: z.object({
    survey: z.string().describe("The survey's name, as moon gives it."),
  }),
  callback: ({ survey }) => String(SURVEYS.get(survey) ?? "no such survey is on record"),
});

const subtract = tool({
  name: "subtract",
  description: "The exact difference a - b of two decimal numbers.",
  inputSchema: z.object({
    a: z.string().describe("The first number."),
    b: z.string().describe("What is taken from it."),
  }),
  callback: ({ a, b }) => difference(a, b),
});

const TOOLS = [moon, surveyYear, subtract];

/** The three parts, each with a model of its own. */
export function team(make: Maker): PlannerExecutor {
  return new PlannerExecutor({
    planner: make("planner"),
    executors: new Agent({ model: make("executor"), tools: TOOLS, printer: false }),
    synthesizer: make("synthesizer"),
  });
}

/** What a good run of QUESTION and one of MISSING show, by what is checked. */
export function checks(run: Run, missing: Run): Record<string, boolean> {
  const blocks = run.runs.flatMap(({ messages }) =>
    messages.flatMap(({ content }) => content as Record<string, ToolUse>[]),
  );
  const uses = blocks.flatMap(({ toolUse }) => toolUse ?? []);
  const asked = uses.filter(({ name }) => name === "moon").map(({ input }) => input.name);
  const names = run.runs.map(({ name }) => name);
  const steps = run.plan?.steps ?? [];
  const [first = []] = run.waves;
  const told = missing.answer.result;
  return {
    "the answer is right": run.answer.result.includes("2291"),
    "every moon that is named was looked up": asked.includes("Orin") && asked.includes("Tessa"),
    "look-ups start together, what needs them after":
      first.length >= 2 &&
      steps.some((step) => step.depends_on.some((id) => first.includes(id))),
    "the difference is exact": run.answer.value === 235.5,
    "what is missing is reported":
      told.replaceAll(",", "").includes("4127.25") &&
      told.includes("Velka") &&
      Object.keys(missing.failed).length === 0,
    "every agent ran":
      names.includes("planner_executor.planner") &&
      names.includes("planner_executor.synthesizer") &&
      steps.every(({ id }) => names.includes(`planner_executor.executor.${id}`)),
  };
}

interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The difference of two decimal numbers, without the rounding of doubles. */
function difference(a: string, b: string): string {
  const places = Math.max(...[a, b].map((each) => each.split(".")[1]?.length ?? 0));
  const whole = (text: string): bigint => {
    const [units = "", decimals = ""] = text.split(".");
    return BigInt(units + decimals.padEnd(places, "0"));
  };
  const digits = whole(a) - whole(b);
  const size = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  const at = size.length - places;
  const fraction = places === 0 ? "" : `.${size.slice(at)}`;
  return `${digits < 0n ? "-" : ""}${size.slice(0, at)}${fraction}`;
}

// The scripted models: what a real one would say, by what it is asked.

const OUTPUT = "strands_structured_output";

/** First a plan that forgets what depends on what, then, told the edit, a whole one. */
function plans(request: ModelRequest): ReturnType<typeof toolCall> {
  const forgetful = request.messages.length === 1;
  const hasVelka = said(request, 0).includes("Velka");
  const moons = hasVelka ? ["Orin", "Velka"] : ["Orin", "Tessa"];
  const needs = forgetful ? [] : moons.map((name) => name.toLowerCase());
  const steps = moons.map((name) => ({
    id: name.toLowerCase(),
    instruction: `Look up the moon ${name}.`,
  }));
  if (hasVelka) {
    const last = { id: "both", instruction: "Say both masses.", depends_on: needs };
    return toolCall(OUTPUT, { steps: [...steps, last] });
  }
  return toolCall(OUTPUT, {
    steps: [
      ...steps,
      { id: "gap", instruction: "Subtract the masses.", depends_on: needs },
      {
        id: "year",
        instruction: "Find the year of the survey of the heavier moon.",
        depends_on: forgetful ? [] : [...needs, "gap"],
      },
    ],
  });
}

/** Calls the tool that the step is about, then says what it gave. */
function works(request: ModelRequest): string | ReturnType<typeof toolCall> {
  if (request.messages.length > 1) return said(request, -1);
  const task = said(request, 0).split("Your step:\n")[1] ?? "";
  const [, name] = /^Look up the moon (\w+)\./.exec(task) ?? [];
  if (name !== undefined) return toolCall("moon", { name });
  if (task.startsWith("Subtract")) return toolCall("subtract", { a: "4127.25", b: "3891.75" });
  if (task.startsWith("Find the year")) {
    return toolCall("survey_year", { survey: "the Halden survey" });
  }
  return "Orin: 4127.25. Velka: no moon of that name is on record.";
}

/** Answers from what the steps gave. */
function answers(request: ModelRequest): ReturnType<typeof toolCall> {
  const subject = "Orin";
  if (said(request, 0).includes("Velka")) {
    const result = "Orin has a mass of 4127.25; no moon called Velka is on record.";
    return toolCall(OUTPUT, { result, subject });
  }
  const result = "Orin is heavier by 235.5; the survey that charted it ended in 2291.";
  return toolCall(OUTPUT, { result, subject, value: 235.5 });
}

/** The text of a message, or of the tool result in it. */
function said(request: ModelRequest, at: number): string {
  const block = request.messages.at(at)?.content[0];
  if (block?.type === "textBlock") return block.text;
  return block?.type === "toolResultBlock" ? JSON.stringify(block.content[0]) : "";
}

/** A model that plays one of the three parts. */
export function scripted(part: Part): Model {
  const turn: Turn = { planner: plans, executor: works, synthesizer: answers }[part];
  return new ScriptedModel(...Array<Turn>(20).fill(turn));
}

/** Answer the two questions. */
export async function both(make: Maker): Promise<[Run, Run]> {
  return [await team(make).answer(QUESTION), await team(make).answer(MISSING)];
}

/** Run both questions and say what the checks find; gives the exit code, 0 if all is well. */
export async function main(args: readonly string[]): Promise<number> {
  const live = args.indexOf("--live");
  let make: Maker = scripted;
  if (live >= 0) {
    const [provider, modelId] = args.slice(live + 1);
    if (provider === undefined || modelId === undefined) {
      console.error(`planner-executor [--live ${PROVIDERS.join("|")} MODEL] [--transcript]`);
      return 2;
    }
    try {
      const model = await liveModel(provider, modelId);
      make = () => model;
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      console.error(error.message);
      return 2;
    }
  }
  const [run, missing] = await both(make);
  if (args.includes("--transcript")) {
    console.log(transcript(run));
    console.log(transcript(missing));
  }
  for (const each of [run, missing]) {
    console.log(each.question);
    console.log(`  ${each.waves.map((wave) => wave.join(" + ")).join(" -> ")}`);
    console.log(`  ${each.answer.result}`);
    const refused = each.attempts.length - 1;
    console.log(`  plans refused: ${refused}, requests: ${each.usage.requests}`);
  }
  const found = Object.entries(checks(run, missing));
  for (const [name, well] of found) console.log(`${well ? "ok  " : "FAIL"} ${name}`);
  return found.every(([, well]) => well) ? 0 : 1;
}

const [, program = ""] = process.argv;
if (import.meta.url === pathToFileURL(program).href) {
  process.exitCode = await main(process.argv.slice(2));
}
