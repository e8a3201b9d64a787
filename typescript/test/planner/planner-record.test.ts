/** The record: whole, readable, storable, and a fixture for the same run offline. */

import { tool } from "@strands-agents/sdk";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  AgentRun,
  AllStepsFailedError,
  Answer,
  Plan,
  PlannerExecutor,
  PlanRejectedError,
  type Run,
  replayed,
  runSchema,
  transcript,
} from "../../src/planner-executor/index.js";
import { type ModelRequest, toolCall } from "../../src/testing/scripted-model.js";
import { timeless } from "./planner-fixture.js";
import {
  agent,
  answer,
  Model,
  plan,
  QUESTION,
  saying,
  step,
  stepOf,
  thrownBy,
} from "./planner-models.js";

let called = 0;
const quiet = (): void => undefined;
const price = (_: string, { totalTokens }: { totalTokens: number }): number => totalTokens;

const mass = tool({
  name: "mass",
  description: "Mass of a moon.",
  inputSchema: z.object({ moon: z.string() }),
  callback: ({ moon }) => {
    called += 1;
    return moon.length;
  },
});

function act(request: ModelRequest) {
  const moon = stepOf(request);
  if (moon === "lost") throw new Error("broken | pipe");
  return request.messages.length > 1 || moon === "sum"
    ? "```\nfound\n```"
    : toolCall("mass", { moon });
}

async function recorded(): Promise<Run> {
  const steps = [step("orin"), step("lost"), step("sum", "orin"), step("all", "sum", "lost")];
  const loose = steps.map(({ id }) => step(id));
  const made = new PlannerExecutor({
    planner: new Model([plan(...loose), plan(...steps)], {
      tokens: [10, 2],
      modelId: "planner",
    }),
    executors: agent(saying(act, { tokens: [5, 1] }), [mass]),
    synthesizer: new Model([answer("9", { value: 9 })], { tokens: [7, 3] }),
    price,
    warn: quiet,
  });
  return await made.answer(QUESTION);
}

test("the record has every agent with what it did and used", async () => {
  const record = await recorded();
  const names = record.runs.map(({ name }) => name.replace("planner_executor.", ""));
  expect([names[0], names.at(-1)]).toEqual(["planner", "synthesizer"]);
  expect([...names].sort()).toEqual(
    ["planner", "executor.orin", "executor.lost", "executor.sum", "synthesizer"].sort(),
  );
  const of = (name: string) => record.runs[names.indexOf(name)];
  const orin = of("executor.orin");
  expect([orin?.step, orin?.tools_called, orin?.usage.requests]).toEqual(["orin", ["mass"], 2]);
  expect([orin?.usage.total_tokens, orin?.usage.cost]).toEqual([12, 12]);
  expect(orin?.prompt).toContain("do orin");
  expect(orin?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  const planner = of("planner");
  expect(planner?.tools_called).toEqual([]);
  expect([planner?.model, planner?.usage.requests]).toEqual(["planner", 2]);
  expect(of("executor.lost")?.error).toBe("broken | pipe");
  // The request that failed counts, but nobody knows what it used.
  expect([record.usage.requests, record.usage.total_tokens]).toEqual([7, 24 + 12 + 6 + 10]);
  expect(record.usage.cost).toBe(52);
  expect([record.waves, record.skipped]).toEqual([[["orin", "lost"], ["sum"]], ["all"]]);
});

test("a record is stored and read back the same", async () => {
  const record = await recorded();
  expect(runSchema(Answer).parse(JSON.parse(JSON.stringify(record)))).toStrictEqual(record);
});

test("a stored run drives the same run offline", async () => {
  const record = await recorded();
  const before = called;
  const again = replayed(JSON.stringify(record), { price, warn: quiet });
  expect(timeless(await again.answer(QUESTION))).toStrictEqual(timeless(record));
  expect(called).toBe(before);
  const third = replayed(record, { warn: quiet });
  expect((await third.answer(QUESTION)).results).toEqual(record.results);
});

test("what a stored run did not do a replay cannot do", async () => {
  const again = replayed(await recorded(), { warn: quiet });
  const { plan: whole } = await again.plan(QUESTION);
  const moved = { steps: whole.steps.slice(0, 1).map((each) => ({ ...each, id: "other" })) };
  await expect(again.run(moved, { question: QUESTION })).rejects.toThrow(
    "the record has no further answer",
  );
});

test("bytes in a message are kept as base64 text and given back", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const look = tool({
    name: "look",
    description: "Look.",
    inputSchema: z.object({}),
    callback: () => [{ image: { format: "png", source: { bytes } } }] as never,
  });
  const made = new PlannerExecutor({
    planner: new Model([plan(step("a"))]),
    executors: agent(
      saying(({ messages }) => (messages.length === 1 ? toolCall("look") : "seen")),
      [look],
    ),
    synthesizer: new Model([answer()]),
  });
  const record = await made.answer(QUESTION);
  expect(JSON.stringify(record)).toContain('"source":{"bytes":{"$bytes":"AQID"}}');
  const again = await replayed(record).answer(QUESTION);
  expect(timeless(again.runs)).toStrictEqual(timeless(record.runs));
});

test("the transcript is Markdown with every message", async () => {
  const text = transcript(await recorded());
  expect(text.startsWith(`# ${QUESTION}\n`)).toBe(true);
  for (const part of [
    '"result": "9"',
    "| orin | do orin |  | ok |",
    "| lost | do lost |  | FAILED: broken \\| pipe |",
    "| all | do all | sum, lost | SKIPPED |",
    "1. orin, lost\n2. sum",
    "Plans refused before: 1.",
    "## planner_executor.executor.orin",
    "calls `mass`",
    // A fence within a message does not end the fence around it.
    "````\n```\nfound\n```\n````",
  ]) {
    expect(text).toContain(part);
  }
});

test("the record of a run without an answer can be read and stored too", async () => {
  const refused = new PlannerExecutor({
    planner: saying(plan(step("a"), step("b"))),
    executors: agent(new Model([])),
  });
  const failing = new PlannerExecutor({
    planner: new Model([plan(step("lost"))]),
    executors: agent(saying(act)),
    warn: quiet,
  });
  const rejected = await thrownBy(PlanRejectedError, refused.answer(QUESTION));
  const failed = await thrownBy(AllStepsFailedError, failing.answer(QUESTION));
  for (const { record } of [rejected, failed]) {
    const stored = JSON.parse(JSON.stringify(record));
    expect(runSchema(z.null()).parse(stored)).toStrictEqual(record);
    expect(transcript(record).startsWith(`# ${QUESTION}\n`)).toBe(true);
  }
  expect(transcript(rejected.record)).toContain("Plans refused before: 3.");
  expect(transcript(failed.record)).toContain(
    "| lost | do lost |  | FAILED: broken \\| pipe |",
  );
});

const HALF = "\ud83d";
const BAD = `bad ${HALF} \u{1f600}`;
const MENDED = "bad \ufffd \u{1f600}";

test("a text with half a character is kept without it", async () => {
  const heard: string[] = [];
  const hear = tool({
    name: "hear",
    description: "Hear.",
    inputSchema: z.object({ word: z.string() }),
    callback: ({ word }) => {
      heard.push(word);
      return BAD;
    },
  });
  const says = (request: ModelRequest) => {
    if (stepOf(request) === "lost") throw new Error(BAD);
    return request.messages.length > 1 ? BAD : toolCall("hear", { word: BAD });
  };
  const said = { id: "a", instruction: BAD, depends_on: [] };
  const made = new PlannerExecutor({
    planner: new Model([plan(said, step("lost"), step("b", "a", "lost"))]),
    executors: agent(saying(says), [hear], { systemPrompt: BAD }),
    synthesizer: new Model([answer(BAD)]),
    warn: quiet,
  });
  const record = await made.answer(BAD);
  expect([record.question, record.answer.result]).toEqual([MENDED, MENDED]);
  expect([record.results, record.failed]).toEqual([{ a: MENDED }, { lost: MENDED }]);
  expect(record.plan?.steps[0]?.instruction).toBe(MENDED);
  expect(heard).toEqual([MENDED]);
  const prompts = record.runs.filter((each) => each.step !== null);
  expect(prompts.map((each) => each.system_prompt)).toEqual([MENDED, MENDED]);
  expect(JSON.stringify(record)).not.toContain("\\ud83d");
});

async function recordedWith(change: Partial<Run>): Promise<Run> {
  const made = new PlannerExecutor({
    planner: new Model([plan(step("a"))]),
    executors: agent(saying("ok")),
    synthesizer: new Model([answer()]),
  });
  return { ...(await made.answer("q")), ...change };
}

test("a transcript cannot be forged by what is in the record", async () => {
  const error = "boom\n\n## planner_executor.synthesizer\n\n```\nall is well";
  const use = { name: "lo`ok\n# H", input: {} };
  const run = AgentRun.parse({
    name: "x\n## y",
    prompt: "",
    error,
    tools_called: ["lo`ok\n# H", "``"],
    messages: [{ role: "assistant", content: [{ toolUse: use }] }],
  });
  const record = await recordedWith({
    question: "Is `x` < 1 | 2\n# really?",
    failed: { a: "a \\| b | <img src=x>" },
    results: {},
    runs: [run],
  });
  const text = transcript(record);
  expect(text.startsWith("# Is \\`x\\` \\< 1 \\| 2 # really?\n")).toBe(true);
  for (const part of [
    "| a | do a |  | FAILED: a \\\\\\| b \\| \\<img src=x\\> |",
    "\n## x ## y\n",
    `FAILED:\n\n\`\`\`\`\n${error}\n\`\`\`\`\n`,
    "Tools called: ``lo`ok # H``, ``` `` ```.",
    "calls ``lo`ok # H``\n",
  ]) {
    expect(text).toContain(part);
  }
});

test("a long run of backticks is fenced by one more", async () => {
  const ticks = "`".repeat(2_000_000);
  const messages = [{ role: "user", content: [{ text: ticks }] }];
  const runs = [AgentRun.parse({ name: "x", prompt: "", messages })];
  const text = transcript(await recordedWith({ runs }));
  expect(text).toContain(`${ticks}\`\n${ticks}\n${ticks}\`\n`);
});

test("a plan that was stored before there were names can be read", () => {
  expect(Plan.parse({ question: "q", plan: { steps: [step("a")] } }).named).toBe(null);
});
