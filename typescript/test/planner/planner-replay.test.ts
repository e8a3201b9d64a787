/** A stored run as a fixture: whatever its agents did, they do again, also the twin's. */

import { readFileSync, writeFileSync } from "node:fs";
import { type Agent, type AgentConfig, tool } from "@strands-agents/sdk";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  Answer,
  PlannerExecutor,
  PlannerExecutorError,
  type PlannerExecutorOptions,
  PlanRejectedError,
  type Run,
  replayed,
  runSchema,
  type TaskPlan,
} from "../../src/planner-executor/index.js";
import { WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { type Turn, toolCall } from "../../src/testing/scripted-model.js";
import { essence, FOR_THE_TWIN, fixtureRun, OF_THE_TWIN, timeless } from "./planner-fixture.js";
import {
  agent,
  answer,
  does,
  Model,
  output,
  plan,
  QUESTION,
  saying,
  step,
  taskPlan,
  thrownBy,
} from "./planner-models.js";

const TWO = [step("a"), step("b", "a")];
const quiet = (): void => undefined;

const look = tool({
  name: "look",
  description: "Look.",
  inputSchema: z.looseObject({ name: z.string() }),
  callback: ({ name }) => `${name}!`,
});
const looksOnce: Turn = ({ messages }) =>
  messages.length === 1 ? toolCall("look", { name: "x" }) : "seen";

function team(
  executors: PlannerExecutorOptions["executors"],
  { planner = saying(plan(...TWO)), turn = answer() as Turn } = {},
): PlannerExecutor {
  return new PlannerExecutor({ planner, executors, synthesizer: saying(turn), warn: quiet });
}

async function again(record: Run, given?: TaskPlan): Promise<Run> {
  const made = replayed(JSON.stringify(record), { warn: quiet });
  if (given === undefined) return await made.answer(QUESTION);
  return await made.run(given, { question: QUESTION });
}

async function sameAgain(record: Run, given?: TaskPlan): Promise<void> {
  expect(timeless(await again(record, given))).toStrictEqual(timeless(record));
}

test("a run that the twin stored is done again here", async () => {
  const record = runSchema(Answer).parse(JSON.parse(readFileSync(OF_THE_TWIN, "utf8")));
  expect(record.attempts.map(({ diagnostics }) => diagnostics.length)).toEqual([1, 0]);
  expect(essence(await again(record))).toStrictEqual(essence(record));
});

test("what the twin is given to do again is what happens here", async () => {
  const record = await fixtureRun();
  if (process.env.PLAN_TOOL_WRITE) {
    writeFileSync(FOR_THE_TWIN, `${JSON.stringify(timeless(record), null, 2)}\n`);
  }
  const kept: unknown = JSON.parse(readFileSync(FOR_THE_TWIN, "utf8"));
  expect(essence(record)).toStrictEqual(essence(kept));
  await sameAgain(record);
});

test("what agents said in place of structured output is kept in its order", async () => {
  const { runs } = await fixtureRun();
  const kinds = [runs[0], runs.at(-1)].map((each) =>
    each?.messages.map(({ role, content }) => [role, Object.keys((content as [object])[0])[0]]),
  );
  const asked = ["user", "text"];
  const words = ["assistant", "text"];
  const call = [
    ["assistant", "toolUse"],
    ["user", "toolResult"],
  ];
  expect(kinds).toEqual([
    [asked, words, ...call, ...call],
    [asked, words, ...call],
  ]);
});

test("a plan in words, and no more than words, is asked for again after them", async () => {
  const planner = saying("I know: 9.");
  const error = await thrownBy(
    PlanRejectedError,
    team(agent(does()), { planner }).plan(QUESTION),
  );
  const told = "the agent answered in words";
  expect(error.attempts.map(({ problem }) => problem)).toEqual([told, told, told]);
  const [kept] = error.record.runs;
  const roles = kept?.messages.map(({ role }) => role);
  expect(roles).toEqual(Array(3).fill(["user", "assistant", "assistant"]).flat());
  const second = replayed(JSON.parse(JSON.stringify(error.record))).plan(QUESTION);
  const { record } = await thrownBy(PlanRejectedError, second);
  expect(timeless(record)).toStrictEqual(timeless(error.record));
});

test("what was refused for its ids is refused again", async () => {
  const planner = new Model([plan(step("c")), plan(...TWO)]);
  const executors = { a: agent(does(), [look]), b: agent(does()) };
  const record = await team(executors, { planner }).answer(QUESTION);
  expect(record.named).toEqual({ a: ["look"], b: [] });
  expect(record.attempts.map(({ diagnostics }) => diagnostics.length)).toEqual([1, 0]);
  await sameAgain(record);
});

test("a tool that a planner made up is no plan", async () => {
  const planner = new Model([toolCall("look", { name: "x" }), plan(...TWO)]);
  const record = await team(agent(does()), { planner }).answer(QUESTION);
  expect(record.runs[0]?.tools_called).toEqual(["look"]);
  await sameAgain(record);
});

test("a run of the host's own plan has the tools and is done again", async () => {
  const whole = taskPlan(...TWO);
  const made = team(agent(saying(looksOnce), [look]));
  const record = await made.run(whole, { question: QUESTION });
  expect(record.tools).toEqual([{ name: "look", description: "Look." }]);
  await sameAgain(record, whole);
});

test.each([[[]], [["I think 5."]]])(
  "executors that answer with structured output do so again (after %j)",
  async (first) => {
    const structured: AgentConfig = { structuredOutputSchema: z.object({ n: z.int() }) };
    const make = (): Agent => agent(new Model([...first, output({ n: 5 })]), [], structured);
    const record = await team(make).answer(QUESTION);
    expect(record.results).toEqual({ a: '{"n":5}', b: '{"n":5}' });
    await sameAgain(record);
  },
);

test("executors whose turn a plan ended end it again", async () => {
  const steps = [{ id: "s", tool: "look", args: { name: "x" } }];
  const call = toolCall("submit_workflow_plan", { steps, output: "steps.s", final: true });
  const plugins = [new WorkflowPlanPlugin()];
  const record = await team(agent(saying(call), [look], { plugins })).answer(QUESTION);
  expect(record.results).toEqual({ a: "x!", b: "x!" });
  expect(record.usage.requests).toBe(4);
  await sameAgain(record);
});

test("a step for which no agent could be made fails again", async () => {
  let made = 0;
  const make = (): Agent => {
    made += 1;
    if (made > 1) throw new Error("no agent today");
    return agent(does());
  };
  const record = await team({ a: agent(does()), b: make }).answer(QUESTION);
  expect(record.failed).toEqual({ b: "no agent today" });
  await sameAgain(record);
});

test("an input that looks like bytes stays what it was", async () => {
  const odd = { name: "x", extra: { $bytes: "not base64!" }, source: { bytes: "hi" } };
  const turn: Turn = ({ messages }) => (messages.length === 1 ? toolCall("look", odd) : "seen");
  const record = await team(agent(saying(turn), [look])).answer(QUESTION);
  expect(JSON.stringify(record.runs[1]?.messages[1])).toContain(JSON.stringify(odd));
  await sameAgain(record);
});

test("conversations longer than the SDK keeps are done again whole", async () => {
  const turns = [...Array(25).keys()].map((at) => toolCall("look", { name: String(at) }));
  const long = (): Agent => agent(new Model([...turns, "seen"]), [look]);
  const record = await team({ a: long, "*": agent(does()) }).answer(QUESTION);
  expect(record.runs[1]?.usage.requests).toBe(26);
  await sameAgain(record);
});

test.each([
  ["contentFiltered", "content_filtered"],
  ["maxTokens", "max_tokens"],
])("a run that was cut off (%s) is cut off again", async (stop, told) => {
  const planner = saying(plan(...TWO), { stop });
  const refused = team(agent(does()), { planner }).answer(QUESTION);
  const first = await thrownBy(PlanRejectedError, refused);
  const second = await thrownBy(PlanRejectedError, replayed(first.record).answer(QUESTION));
  expect(second.message).toBe(first.message);
  // A call that is cut off keeps its reason in place of "tool_use".
  for (const turn of ["half", toolCall("look", { name: "x" })]) {
    const cut = agent(saying(turn, { stop }), [look]);
    const record = await team({ a: agent(does()), b: cut }).answer(QUESTION);
    expect(record.failed).toEqual({ b: `the agent stopped: ${told}` });
    await sameAgain(record);
  }
});

test("replays at the same time do not disturb each other", async () => {
  const record = await team(agent(does())).answer(QUESTION);
  const made = replayed(record);
  const all = await Promise.all([1, 2, 3].map(() => made.answer(QUESTION)));
  for (const each of all) expect(timeless(each)).toStrictEqual(timeless(record));
});

test("the thinking of a twin's agent is read as this SDK has it", async () => {
  const record = await team(agent(does())).answer(QUESTION);
  const told = timeless(record);
  const reasoning = { text: "hm", signature: "s" };
  const content = told.runs[1]?.messages[1]?.content as object[];
  content.unshift({ reasoningContent: { reasoningText: reasoning } });
  const second = await replayed(told).answer(QUESTION);
  const kept = second.runs[1]?.messages[1];
  expect(kept?.content).toMatchObject([{ reasoning }, { text: "a done" }]);
});

test("a planner that failed fails again", async () => {
  const broken: Turn = () => {
    throw new Error("network is down");
  };
  const planner = new Model([plan(step("a"), step("b")), broken]);
  const failing = team(agent(does()), { planner }).answer(QUESTION);
  const first = await thrownBy(PlannerExecutorError, failing);
  expect(first.message).toBe("network is down");
  const second = await thrownBy(PlannerExecutorError, replayed(first.record).answer(QUESTION));
  expect(timeless(second.record)).toStrictEqual(timeless(first.record));
});
