/** Runs the files under `conformance/cases` in process, so that a debugger works. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PlanError } from "../src/errors.js";
import { Context, compileTree, EvaluationError } from "../src/evaluate/index.js";
import { parseExpression, Scope } from "../src/expressions/index.js";
import { Policy } from "../src/models.js";
import { previewPlan } from "../src/preview.js";
import { callRow, StubTools } from "../src/testing/index.js";
import { readJson } from "../src/testing/json-lines.js";
import { type RunGiven, runRounds } from "../src/testing/rounds.js";
import { type TaskCommand, tasksChecked, tasksExecuted } from "../src/testing/task-commands.js";
import { checkPlan, validatePlan } from "../src/validate/index.js";
import { ingest, NOTHING } from "../src/values/index.js";

// A case is data of many forms, which its schema and not this loader checks.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Data = any;
export type Case = Readonly<Record<string, Data>>;
export type Outcome = Record<string, Data>;

const CASES = fileURLToPath(new URL("../../conformance/cases", import.meta.url));

const NONE = { returned: {}, output: null, output_error: null, notes: [] };
const RESULT: Outcome = { ...NONE, final: false, ends_turn: false };
const ENDS = ["value", "refused", "error", "cancelled", "paused", "pauses"];
const RUN = ["result", "cancelled", "paused", "calls", "timeline"];
const ENTRY: Outcome = { error: null, code: null, items: null, reused: 0 };

/** Every case of an engine, file by file; each knows the file's topic by its id. */
export function load(): Case[] {
  const files = readdirSync(CASES, { recursive: true, encoding: "utf8" });
  const named = files.filter((file) => /^(?!unwrap\b).*\.json$/.test(file)).sort();
  const texts = named.map((file) => readFileSync(`${CASES}/${file}`, "utf8"));
  return texts.flatMap((text) => (readJson(text) as Data).cases);
}

/** What the engine makes of a case, in the words of its expectation, and that in full. */
export async function run(one: Case): Promise<[Outcome, Outcome]> {
  const expected: Outcome = { ...one.expect };
  let seen: Outcome;
  if (Object.hasOwn(one, "task_plan")) {
    seen = await tasks(one as unknown as TaskCommand);
    expected.diagnostics &&= places(expected.diagnostics, "hint");
  } else if (Object.hasOwn(one, "expression")) {
    seen = evaluated(one);
  } else if (RUN.some((end) => Object.hasOwn(expected, end))) {
    seen = await executed(one, expected);
  } else {
    seen = validated(one);
    expected.diagnostics &&= places(expected.diagnostics);
  }
  const told = Object.entries(seen).filter(
    ([key]) => Object.hasOwn(expected, key) || ENDS.includes(key),
  );
  return [Object.fromEntries(told), expected];
}

async function tasks(one: TaskCommand): Promise<Outcome> {
  if (one.executors !== undefined) return await tasksExecuted(one);
  const seen: Outcome = tasksChecked(one);
  return { ...seen, diagnostics: places(seen.diagnostics, "hint") };
}

function evaluated(one: Case): Outcome {
  const { expression: text, steps = {}, input = {} } = one;
  const hasItem = Object.hasOwn(one, "item");
  const hasRoot = Object.hasOwn(one, "root");
  const scope = hasRoot ? undefined : new Scope(Object.keys(steps), { hasItem });
  const [expression, problems] = parseExpression(text, scope);
  if (expression === undefined || problems.length > 0) return { refused: problems[0]?.code };
  const item = hasItem && { item: ingest(one.item), index: one.index ?? 0 };
  const context = hasRoot
    ? Context.ofRoot(ingest(one.root))
    : new Context(ingest(steps) as Data, { input: ingest(input) as Data, ...item });
  const seen: Outcome = { dependencies: [...expression.dependencies] };
  try {
    const { value, steps: used } = compileTree(expression.tree).runCounted(context);
    const end = value === NOTHING ? { error: "no_value" } : { value };
    return { ...seen, steps_used: used, ...end };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { ...seen, error: error.code };
  }
}

function validated(one: Case): Outcome {
  const given = one.plan === undefined ? one.plan_text : one.plan;
  const tools = one.tools && new StubTools(one.tools).infos;
  const host = { tools, policy: Policy.parse(one.policy ?? {}), input: one.input };
  const seen: Outcome = { diagnostics: places(validatePlan(given, host)) };
  try {
    const plan = checkPlan(given, host);
    seen.levels = plan.levels;
    seen.dependencies = Object.fromEntries(
      plan.steps.map(({ step, dependencies }) => [step.id, dependencies]),
    );
    seen.repairs = plan.notes.length;
    seen.preview = previewPlan(plan);
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
  }
  return seen;
}

async function executed(one: Case, expected: Outcome): Promise<Outcome> {
  const run = await runRounds(one as RunGiven);
  const keyed = expected.calls?.some((call: Data) => Object.hasOwn(call, "key"));
  const calls = run.tools.calls.map((call) => ({
    ...callRow(call),
    ...(keyed && { key: call.key }),
  }));
  const seen: Outcome = { calls, timeline: run.recorder.timeline };
  if (run.pauses.length > 0) seen.pauses = run.pauses;
  if (run.memory !== undefined) seen.memory = run.memory;
  if (run.result === undefined) {
    return { ...seen, [run.cancelled ? "cancelled" : "paused"]: true };
  }
  if (Object.hasOwn(expected, "result")) {
    [seen.result, expected.result] = compared({ ...run.result }, expected.result);
  }
  return seen;
}

/** The two results with every member in both, but for texts that no case states. */
function compared(seen: Data, wanted: Data): [Outcome, Outcome] {
  const passes = Math.max(wanted.levels - 1, 0);
  const given = { inference_passes_saved: passes, has_output: Object.hasOwn(wanted, "output") };
  const full: Data = { ...RESULT, ...given, ...wanted };
  full.ledger = full.ledger.map((entry: Data, at: number) => {
    const row = { ...ENTRY, ...entry };
    if (row.code !== null) row.error ??= seen.ledger[at]?.error;
    return row;
  });
  seen.output_error &&= { code: seen.output_error.code };
  seen.notes = seen.notes.map((note: string) => note.split(": ")[0]);
  return [seen, full];
}

/** The problems by code, place and certain texts, in the order of code and place. */
function places(rows: readonly Data[], ...texts: string[]): Outcome[] {
  const members = ["code", "path", ...texts];
  const told = new Map(
    rows.map((row) => [
      `${row.code} ${row.path}`,
      Object.fromEntries(members.map((member) => [member, row[member]])),
    ]),
  );
  return [...told.keys()].sort().map((key) => told.get(key) as Outcome);
}
