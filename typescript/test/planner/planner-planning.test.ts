/** The planner: what it is told, what is refused, and how often it may try. */

import { tool } from "@strands-agents/sdk";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  Plan,
  PlannerExecutor,
  PlanRejectedError,
  runPlannerExecutor,
  type WorkOptions,
} from "../../src/planner-executor/index.js";
import {
  agent,
  answer,
  does,
  Model,
  output,
  plan,
  QUESTION,
  type Step,
  saying,
  step,
  taskPlan,
  textOf,
  thrownBy,
} from "./planner-models.js";

const WHOLE = [step("orin"), step("tessa"), step("sum", "orin", "tessa")];
const FORGETFUL = [step("orin"), step("tessa"), step("sum")];
const EDIT = 'make "sum" the final step: write "depends_on": ["orin","tessa"] in step "sum"';

const mass = tool({
  name: "mass",
  description: "Mass of a moon,\n    in tons.",
  inputSchema: z.object({ moon: z.string() }),
  callback: () => {
    throw new Error("it must not be called");
  },
});

function team(planner: Model, options: WorkOptions = {}): PlannerExecutor {
  return new PlannerExecutor({ planner, executors: agent(does(), [mass]), ...options });
}

test("the planner is told the question, the tools and how many steps there may be", async () => {
  const planner = new Model([plan(...WHOLE)]);
  await team(planner, { maxSteps: 4 }).plan(QUESTION);
  const asked = textOf(planner.requests[0]);
  expect(asked).toContain(QUESTION);
  expect(asked).toContain("- mass: Mass of a moon, in tons.");
  expect(asked).toContain("at most 4 steps");
});

test("the planner is offered no tool but the plan", async () => {
  const model = new Model([plan(...WHOLE)]);
  const planner = agent(model, [mass]);
  await new PlannerExecutor({ planner, executors: agent(does(), [mass]) }).plan(QUESTION);
  const offered = model.requests[0]?.options.toolSpecs?.map(({ name }) => name);
  expect(offered).toEqual(["strands_structured_output"]);
});

test("a good plan takes one request and runs nothing", async () => {
  const planner = new Model([plan(...WHOLE)]);
  const executor = does();
  const planned = await new PlannerExecutor({ planner, executors: agent(executor) }).plan(
    QUESTION,
  );
  expect(planned.plan).toEqual(taskPlan(...WHOLE));
  expect([planner.calls, executor.calls, planned.usage.requests]).toEqual([1, 0, 1]);
  expect(Plan.parse(JSON.parse(JSON.stringify(planned)))).toEqual(planned);
});

test("a planner that mends its plan at the first hint makes two requests", async () => {
  const planner = new Model([plan(...FORGETFUL), plan(...WHOLE)]);
  const planned = await team(planner).plan(QUESTION);
  expect(planner.calls).toBe(2);
  expect(textOf(planner.requests[1], -1)).toContain(EDIT);
  expect(planned.plan).toEqual(taskPlan(...WHOLE));
  expect(planned.attempts.map(({ diagnostics }) => diagnostics.length)).toEqual([1, 0]);
});

test("a refusal stands with the result of the plan's call, so that roles alternate", async () => {
  const planner = new Model([plan(...FORGETFUL), plan(...FORGETFUL), plan(...WHOLE)]);
  const planned = await team(planner).plan(QUESTION);
  const roles = ["user", "assistant", "user", "assistant", "user"];
  const asked = planner.requests[2]?.messages ?? [];
  expect(asked.map(({ role }) => role)).toEqual(roles);
  expect(asked[2]?.content.map(({ type }) => type)).toEqual(["toolResultBlock", "textBlock"]);
  const kept = planned.runs[0]?.messages ?? [];
  expect(kept.map(({ role }) => role)).toEqual([...roles, "assistant", "user"]);
  const parts = kept[2]?.content as readonly object[] | undefined;
  expect(parts?.flatMap((part) => Object.keys(part))).toEqual(["toolResult", "text"]);
});

test("three forgetful plans are three refusals and an error that shows them all", async () => {
  const planner = saying(plan(...FORGETFUL));
  const error = await thrownBy(PlanRejectedError, team(planner).plan(QUESTION));
  expect(planner.calls).toBe(3);
  expect(error.attempts.map((attempt) => attempt.plan)).toEqual(
    Array(3).fill(taskPlan(...FORGETFUL)),
  );
  const codes = error.attempts.flatMap(({ diagnostics }) => diagnostics.map((d) => d.code));
  expect(codes).toEqual(["loose_ends", "loose_ends", "loose_ends"]);
  expect(error.message.split(EDIT)).toHaveLength(4);
  expect(error.record.usage.requests).toBe(3);
  expect(error.record.runs.map(({ name }) => name)).toEqual(["planner_executor.planner"]);
});

test("how many plans may be refused is the host's to say", async () => {
  const planner = saying(plan(...FORGETFUL));
  await thrownBy(PlanRejectedError, team(planner, { retries: 1 }).plan(QUESTION));
  expect(planner.calls).toBe(1);
});

const six = [..."012345"].map((digit) => `s${digit}`);
test.each<[string, readonly Step[]]>([
  ["duplicate_step", [step("a"), step("a"), step("b", "a")]],
  ["unknown_step", [step("a", "zzz")]],
  ["self_reference", [step("a", "a")]],
  ["cycle", [step("a", "b"), step("b", "a")]],
  ["too_many_steps", [...six.map((name) => step(name)), step("e", ...six)]],
  ["loose_ends", [step("a"), step("b")]],
])("a plan with the fault %s is refused before anything runs", async (code, steps) => {
  const executor = does();
  const made = new PlannerExecutor({
    planner: saying(plan(...steps)),
    executors: agent(executor),
  });
  const error = await thrownBy(PlanRejectedError, made.answer(QUESTION));
  expect(error.diagnostics.map((found) => found.code)).toEqual([code]);
  expect(executor.calls).toBe(0);
});

test("a planner that answers instead is asked for a plan", async () => {
  // A text is first followed by the SDK's own request for the structured output.
  const planner = new Model(["I know: 9.", "Really: 9.", plan(...WHOLE)]);
  const planned = await team(planner).plan(QUESTION);
  expect(planned.attempts[0]?.plan).toBe(null);
  expect(planned.attempts[0]?.problem).not.toBe(null);
  expect(textOf(planner.requests[2], -1)).toContain("You handed in no plan");
  expect(planned.plan).toEqual(taskPlan(...WHOLE));
});

test("a plan of another shape goes back to the planner", async () => {
  const planner = new Model([output({ steps: [{ id: "Look Up" }] }), plan(...WHOLE)]);
  expect((await team(planner).plan(QUESTION)).plan).toEqual(taskPlan(...WHOLE));
  expect(planner.calls).toBe(2);
});

test("plans of another shape do not go on for ever", async () => {
  const planner = saying(output({ steps: [] }));
  const error = await thrownBy(PlanRejectedError, team(planner, { retries: 2 }).plan(QUESTION));
  expect(error.message).toContain("no such answer in 3 requests");
  expect(planner.calls).toBe(6);
  expect(error.attempts.map((attempt) => attempt.plan)).toEqual([null, null]);
});

test("prompts may be replaced, and what is filled in is not looked at", async () => {
  const planner = new Model([plan(step("a"))]);
  const prompts = { plannerSystem: "Plan!", planner: "{question} | {max_steps} | {other}" };
  await team(planner, { prompts }).plan("What is {max_steps}?");
  expect(textOf(planner.requests[0])).toBe("What is {max_steps}? | 6 | {other}");
  expect(planner.requests[0]?.options.systemPrompt).toBe("Plan!");
});

test("a planner keeps the system prompt that it has", async () => {
  const model = new Model([plan(step("a"))]);
  const planner = agent(model, [], { systemPrompt: "Mine." });
  await new PlannerExecutor({ planner, executors: agent(does()) }).plan(QUESTION);
  expect(model.requests[0]?.options.systemPrompt).toBe("Mine.");
});

test("with executors by step the ids are told and checked", async () => {
  const planner = new Model([plan(step("orinn")), plan(step("orin"))]);
  const executors = { orin: agent(does(), [mass]), tessa: agent(does()) };
  const planned = await new PlannerExecutor({ planner, executors }).plan(QUESTION);
  expect(textOf(planner.requests[0])).toContain("must be among: orin (mass), tessa (no tools)");
  expect(planned.attempts[0]?.diagnostics).toEqual([
    {
      code: "not_in_enum",
      path: "/steps/0/id",
      message: 'no executor is called "orinn"',
      hint: 'change "orinn" to "orin"',
    },
  ]);
});

test("a plan may be shown and stored and then run", async () => {
  const executor = does();
  const made = new PlannerExecutor({
    planner: new Model([plan(...WHOLE)]),
    executors: agent(executor),
    synthesizer: new Model([answer("9")]),
  });
  const stored = JSON.stringify(await made.plan(QUESTION));
  expect(executor.calls).toBe(0);
  const record = await made.run(Plan.parse(JSON.parse(stored)));
  expect(record.answer.result).toBe("9");
  expect([executor.calls, record.usage.requests]).toEqual([3, 5]);
});

test("a plan of the host's own is checked, and needs a question", async () => {
  const made = new PlannerExecutor({
    planner: new Model([answer("9")]),
    executors: agent(does()),
  });
  const refused = made.run(taskPlan(...FORGETFUL), { question: QUESTION });
  expect((await thrownBy(PlanRejectedError, refused)).message).toContain(EDIT);
  await expect(made.run(taskPlan(...WHOLE))).rejects.toThrow("question");
  const record = await made.run(taskPlan(...WHOLE), { question: QUESTION });
  expect(record.runs.at(-1)?.name).toBe("planner_executor.synthesizer");
});

test("all in one call answers the question", async () => {
  const record = await runPlannerExecutor(QUESTION, {
    planner: new Model([plan(...WHOLE)]),
    executors: agent(does()),
    synthesizer: new Model([answer("9", { subject: "both", value: 9 })]),
  });
  expect(record.answer).toEqual({ result: "9", subject: "both", value: 9 });
});
