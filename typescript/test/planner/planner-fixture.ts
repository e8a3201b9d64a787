/**
 * A run whose record the twin in Python replays, as this one replays that of the twin.
 *
 * `PLAN_TOOL_WRITE=1` has the test of it store the record anew.
 */

import { tool } from "@strands-agents/sdk";
import { z } from "zod";
import { PlannerExecutor, type Run } from "../../src/planner-executor/index.js";
import { type ModelRequest, toolCall } from "../../src/testing/scripted-model.js";
import {
  agent,
  answer,
  Model,
  plan,
  QUESTION,
  saying,
  step,
  stepOf,
} from "./planner-models.js";

const HERE = new URL(".", import.meta.url);
export const OF_THE_TWIN = new URL("run-of-python.json", HERE);
export const FOR_THE_TWIN = new URL(
  "../../../python/tests/planner/run_of_typescript.json",
  HERE,
);

const FIRST = [step("orin"), step("rest", "orin")];
const SECOND = [step("orin"), step("lost"), step("sum", "orin"), step("all", "sum", "lost")];

const mass = tool({
  name: "mass",
  description: "Mass of a moon.",
  inputSchema: z.object({ moon: z.string() }),
  callback: ({ moon }) => `${moon} has 9 tons`,
});

function act(request: ModelRequest) {
  const name = stepOf(request);
  if (name === "lost") throw new Error("no such moon");
  const hasEnded = request.messages.length > 1 || name === "sum";
  return hasEnded ? `${name}: 9 tons` : toolCall("mass", { moon: name });
}

/** Prose in place of a plan, a refused plan, a step that fails, prose for an answer. */
export async function fixtureRun(): Promise<Run> {
  const works = agent(saying(act, { tokens: [5, 1] }), [mass]);
  const turns = ["It is 9.", plan(...FIRST), plan(...SECOND)];
  const made = new PlannerExecutor({
    planner: new Model(turns, { tokens: [10, 2], modelId: "planner" }),
    executors: Object.fromEntries(SECOND.map(({ id }) => [id, works])),
    synthesizer: new Model(["Nine.", answer("9", { value: 9 })], { tokens: [7, 3] }),
    warn: () => undefined,
  });
  return await made.answer(QUESTION);
}

/** A record without times, nor what each language's SDK says in its own words. */
export function essence(record: unknown): unknown {
  const text = JSON.stringify(record, (key, part) =>
    key === "duration_s" || key === "messages" ? undefined : part,
  );
  return JSON.parse(text);
}

/** The same with every duration 0. */
export function timeless<T>(value: T): T {
  const text = JSON.stringify(value, (key, part) => (key === "duration_s" ? 0 : part));
  return JSON.parse(text);
}
