/** What a host passes: what is no good is refused at once, with what to write instead. */

import type { Agent } from "@strands-agents/sdk";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  AllStepsFailedError,
  PlannerExecutor,
  type PlannerExecutorOptions,
  PlanRejectedError,
  type WorkOptions,
} from "../../src/planner-executor/index.js";
import {
  agent,
  answer,
  does,
  Model,
  plan,
  QUESTION,
  saying,
  step,
  taskPlan,
  thrownBy,
} from "./planner-models.js";

const ONE = [step("a")];
const WHOLE_NUMBER = "must be a whole number, 1 or more";

function team(options: object = {}): PlannerExecutor {
  return new PlannerExecutor({
    planner: saying(plan(...ONE)),
    executors: agent(does()),
    synthesizer: saying(answer()),
    warn: () => undefined,
    ...(options as WorkOptions),
  });
}

/** What is thrown when a planner-executor is made with this. */
function refusal(options: unknown): unknown {
  try {
    team(options as object);
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each(["maxSteps", "retries", "maxConcurrency"])("%s is a whole number", (name) => {
  const told = `${name} ${WHOLE_NUMBER}`;
  for (const given of ["6", null, true]) {
    expect(refusal({ [name]: given })).toEqual(new TypeError(told));
  }
  for (const given of [0, 2.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(refusal({ [name]: given })).toEqual(new RangeError(told));
  }
});

test.each<[object, new (text: string) => Error, string]>([
  [{ requests: "5" }, TypeError, `requests ${WHOLE_NUMBER}`],
  [{ tokens: true }, TypeError, `tokens ${WHOLE_NUMBER}`],
  [{ requests: 1.5 }, RangeError, `requests ${WHOLE_NUMBER}`],
  [{ tokens: -1 }, RangeError, `tokens ${WHOLE_NUMBER}`],
  [{ wall_s: "1" }, TypeError, "wall_s must be a finite number above 0"],
  [{ cost: Number.NaN }, RangeError, "cost must be a finite number above 0"],
  [{ cost: true }, TypeError, "cost must be a finite number above 0"],
])("a limit of the budget is a number: %j", (budget, Kind, told) => {
  expect(refusal({ budget })).toEqual(new Kind(`budget: ${told}; null is no limit`));
});

const A_PRICE = "price must be a plain function: price(model, usage) gives a number";
const A_TYPE = "answerType must be a Zod schema of an object";
test.each<[object, string]>([
  [{ budget: null }, "budget must be an object, such as { requests: 20 }"],
  [{ budget: { request: 1 } }, 'budget has no "request": write "requests"'],
  [{ budget: { wallS: 1 } }, 'budget has no "wallS": write "wall_s"'],
  [
    { budget: { money: 1 } },
    'budget has no "money": it has one of "requests", "tokens", "wall_s", "cost"',
  ],
  [{ prompts: null }, 'prompts must be an object, such as { planner: "..." }'],
  [{ prompts: { planner: 5 } }, "prompts: planner must be a text"],
  [
    { prompts: { planner_system: "x" } },
    'prompts has no "planner_system": write "plannerSystem"',
  ],
  [{ waves: "no" }, "waves must be true or false"],
  [{ warn: 5 }, "warn must be a function"],
  [{ price: 5 }, A_PRICE],
  [{ price: async () => await Promise.resolve(1) }, A_PRICE],
  [{ answerType: {} }, A_TYPE],
  [{ answerType: null }, A_TYPE],
  [{ answerType: z.string() }, A_TYPE],
  [{ answerType: z.array(z.number()) }, A_TYPE],
])("an option of the wrong kind is refused: %j", (options, told) => {
  expect(refusal(options)).toEqual(new TypeError(told));
});

test("what is of an object in one of several ways is a type of answer", () => {
  const either = z.union([z.object({ a: z.string() }), z.object({ b: z.date() })]);
  for (const answerType of [either, z.any(), z.object({ n: z.coerce.date() })]) {
    expect(refusal({ answerType })).toBe(undefined);
  }
});

test("options are an object", () => {
  const Any = PlannerExecutor as unknown as new (options?: unknown) => unknown;
  expect(() => new Any()).toThrow("options must be an object, such as { planner: model");
});

test("who thinks is an agent or a model", () => {
  const kinds = "an Agent, a function that makes one, a model, or the id of one";
  for (const given of [undefined, null, 5, {}, [], ""]) {
    expect(refusal({ planner: given })).toEqual(new TypeError(`planner: ${kinds}`));
  }
  for (const given of [5, {}, [], ""]) {
    expect(refusal({ synthesizer: given })).toEqual(new TypeError(`synthesizer: ${kinds}`));
  }
});

test("executors are agents or make them", () => {
  const told = "executors: an Agent, a function that makes one, or a mapping";
  const map = new Map([["a", agent(does())]]);
  for (const given of [null, 5, "x", [agent(does())], { a: 5 }, map, does()]) {
    expect(refusal({ executors: given })).toEqual(new TypeError(told));
  }
});

test.each([
  ["Moon", 'change it to "moon"'],
  ["!", "write a short name"],
])("a key of the executors that can be no step id is refused: %s", (name, edit) => {
  const told =
    `executors: "${name}" is no step id: a lower-case letter, then up to 31 ` +
    `lower-case letters, digits or underscores; ${edit}`;
  expect(refusal({ executors: { [name]: agent(does()) } })).toEqual(new TypeError(told));
});

test.each<[string, () => unknown]>([
  ["null", () => null],
  ["a number", () => 5],
  ["a promise", () => Promise.resolve(agent(does()))],
  ["a rejected promise", () => Promise.reject(new Error("late"))],
])("a function that gives %s is told what it should give", async (_, make) => {
  const told = "executors: the function must return an Agent, and is never awaited";
  const made = team({ executors: make });
  await expect(made.plan(QUESTION)).rejects.toEqual(new TypeError(told));
  const running = made.run(taskPlan(...ONE), { question: QUESTION });
  expect((await thrownBy(AllStepsFailedError, running)).failed).toEqual({ a: told });
});

test("a planner may be made by a function, and its model answers", async () => {
  const models: Model[] = [];
  const planner = (): Agent => {
    models.push(new Model([models.length === 0 ? plan(...ONE) : answer("9")]));
    return agent(models.at(-1) as Model, [], { systemPrompt: "Mine." });
  };
  const options: PlannerExecutorOptions = { planner, executors: agent(does()) };
  const record = await new PlannerExecutor(options).answer(QUESTION);
  expect(record.answer.result).toBe("9");
  const prompts = models.map(({ requests }) => requests[0]?.options.systemPrompt === "Mine.");
  expect(prompts).toEqual([true, false]);
});

test.each([[undefined], [null], [5]])("a question is a text, and not %s", async (question) => {
  const asked = team().plan(question as unknown as string);
  await expect(asked).rejects.toEqual(new TypeError("question must be a text"));
});

test("what a run is given is what it has to be", async () => {
  const odd = { invocationState: 5, signal: {} } as never;
  await expect(team().plan(QUESTION, odd)).rejects.toThrow("invocationState must be an object");
  const signal = { signal: {} } as never;
  await expect(team().plan(QUESTION, signal)).rejects.toThrow("signal must be an AbortSignal");
});

test("the record of a run is no plan", async () => {
  const record = await team().answer(QUESTION);
  await expect(team().run(record as never)).rejects.toThrow("this is the record of a run");
});

test("a plan for one question is not run for another", async () => {
  const planned = await team().plan(QUESTION);
  const other = team().run(planned, { question: "Another?" });
  await expect(other).rejects.toThrow("the plan is for another question");
  const record = await team().run(planned, { question: QUESTION });
  expect(record.answer.result).toBe("done");
});

test.each([[undefined], [null], [5], ["x"]])(
  "what is run is a plan, and not %s",
  async (given) => {
    const running = team().run(given as never, { question: QUESTION });
    await expect(running).rejects.toThrow("the plan must be a Plan, or a TaskPlan with its");
  },
);

test.each<[object, string, string]>([
  [{ steps: [] }, "too_short", "/steps"],
  [{}, "missing_field", ""],
])("a plan of another shape is refused with the edit: %j", async (given, code, path) => {
  const running = team().run(given as never, { question: QUESTION });
  const { attempts, diagnostics, record } = await thrownBy(PlanRejectedError, running);
  expect(diagnostics).toMatchObject([{ code, path }]);
  expect([attempts[0]?.plan, record.plan]).toEqual([null, null]);
});

test("a plan may leave out what has a default", async () => {
  const plain = { steps: [{ id: "a", instruction: "do a" }] };
  const record = await team().run(plain, { question: QUESTION });
  expect(record.plan).toEqual(taskPlan({ id: "a", instruction: "do a", depends_on: [] }));
  const planned = JSON.parse(JSON.stringify(await team().plan(QUESTION)));
  const again = await team().run(planned);
  expect([again.answer.result, again.usage.requests]).toEqual(["done", 3]);
});
