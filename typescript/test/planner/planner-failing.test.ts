/** Failures: what they take down, what ends the run, and what the budget allows. */

import { FunctionTool } from "@strands-agents/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  AllStepsFailedError,
  AnswerFailedError,
  BudgetExceededError,
  PlannerExecutor,
  type PlannerExecutorOptions,
  PlannerFailedError,
  PlanRejectedError,
  type Price,
  PriceFailedError,
  runSchema,
  transcript,
  type WorkOptions,
} from "../../src/planner-executor/index.js";
import { type ModelRequest, type Turn, toolCall } from "../../src/testing/scripted-model.js";
import {
  agent,
  answer,
  does,
  Model,
  output,
  plan,
  QUESTION,
  Signal,
  saying,
  step,
  stepOf,
  thrownBy,
} from "./planner-models.js";

const WHOLE = [step("a"), step("b"), step("c", "a"), step("d", "b"), step("e", "c", "d")];
const quiet = (): void => undefined;

afterEach(() => vi.useRealTimers());

function failing(...names: readonly string[]): Model {
  return does((name) => {
    if (names.includes(name)) throw new Error(`${name} broke`);
    return `${name} done`;
  });
}

function team(
  executors: PlannerExecutorOptions["executors"],
  options: WorkOptions & { readonly turns?: readonly Turn[] } = {},
): PlannerExecutor {
  const { turns = [answer()], ...rest } = options;
  return new PlannerExecutor({
    planner: saying(plan(...WHOLE)),
    executors,
    synthesizer: new Model(turns),
    warn: quiet,
    ...rest,
  });
}

/** A tool that waits until it is told to stop, and remembers that it was. */
class Hang {
  readonly begun = new Signal();
  readonly stopped = new Signal();
  readonly tool = new FunctionTool({
    name: "hang",
    description: "Wait for ever.",
    callback: async (_, { cancelSignal }) => {
      this.begun.set();
      await new Promise((resolve) => cancelSignal.addEventListener("abort", resolve));
      this.stopped.set();
      return "stopped";
    },
  });
}

test.each([false, true])(
  "a failure takes down only what needed it (waves: %s)",
  async (waves) => {
    const warned: string[] = [];
    const made = team(agent(failing("a")), { waves, warn: (text) => warned.push(text) });
    const record = await made.answer(QUESTION);
    expect(record.results).toEqual({ b: "b done", d: "d done" });
    expect(record.failed).toEqual({ a: "a broke" });
    expect(record.skipped).toEqual(["c", "e"]);
    expect(record.waves).toEqual([["a", "b"], ["d"]]);
    expect(record.answer.result).toBe("done");
    expect(warned.sort()).toEqual([
      "step a failed: a broke",
      "step c is skipped: one that it needs failed",
      "step e is skipped: one that it needs failed",
    ]);
  },
);

test("failures are told on the console unless the host says where else", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(quiet);
  await team(agent(failing("d")), { warn: undefined }).answer(QUESTION);
  expect(warn.mock.calls).toEqual([
    ["step d failed: d broke"],
    ["step e is skipped: one that it needs failed"],
  ]);
  warn.mockRestore();
});

test.each([
  ["contentFiltered", "content_filtered"],
  ["guardrailIntervened", "guardrail_intervened"],
  ["maxTokens", "max_tokens"],
])("a response that ended with %s fails its step", async (stop, told) => {
  const cut = agent(saying("half a", { stop, tokens: [3, 1] }));
  const record = await team({ a: cut, "*": agent(does()) }).answer(QUESTION);
  expect(Object.keys(record.failed)).toEqual(["a"]);
  expect(record.skipped).toEqual(["c", "e"]);
  const a = record.runs.find((each) => each.step === "a");
  expect([a?.stop_reasons, a?.usage.total_tokens]).toEqual([[told], 4]);
});

test("an executor that says nothing fails its step", async () => {
  const record = await team({ a: agent(saying("")), "*": agent(does()) }).answer(QUESTION);
  expect(record.failed).toEqual({ a: "the executor gave no result" });
});

test("nothing completed is an error, and nobody is asked for an answer", async () => {
  const synthesizer = new Model([answer()]);
  const made = new PlannerExecutor({
    planner: new Model([plan(...WHOLE)]),
    executors: agent(failing("a", "b")),
    synthesizer,
    warn: quiet,
  });
  const error = await thrownBy(AllStepsFailedError, made.answer(QUESTION));
  expect(error.failed).toEqual({ a: "a broke", b: "b broke" });
  expect(error.skipped).toEqual(["c", "d", "e"]);
  expect(error.message).toBe("no step completed: a: a broke; b: b broke");
  expect(error.record.waves).toEqual([["a", "b"]]);
  expect(synthesizer.calls).toBe(0);
});

test("a synthesizer that fails leaves the record of the steps", async () => {
  const made = team(agent(does()), { turns: ["no", "no"] });
  const error = await thrownBy(AnswerFailedError, made.answer(QUESTION));
  expect(Object.keys(error.record.results)).toEqual(["a", "b", "c", "d", "e"]);
  expect(error.record.runs.at(-1)?.error).toBe(error.message);
});

describe("cancelling a run", () => {
  test("stops what is in flight, and gives the signal's own reason", async () => {
    const hang = new Hang();
    const stop = new AbortController();
    const made = team(agent(saying(toolCall("hang")), [hang.tool]));
    const running = made.answer(QUESTION, { signal: stop.signal });
    await hang.begun.happened;
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    await hang.stopped.happened;
  });

  test("does not wait for a model that does not listen, nor lets it go on", async () => {
    const asked = new Signal();
    const release = new Signal();
    const stop = new AbortController();
    const model = saying(async () => {
      asked.set();
      await release.happened;
      return toolCall("hang");
    });
    const made = team(agent(model, [new Hang().tool]), { maxConcurrency: 1 });
    const running = made.answer(QUESTION, { signal: stop.signal });
    await asked.happened;
    stop.abort();
    await expect(running).rejects.toThrow(/abort/i);
    release.set();
    await vi.waitFor(() => expect(model.calls).toBe(1));
  });

  test("before it begins asks nobody", async () => {
    const executor = does();
    const running = team(agent(executor)).answer(QUESTION, { signal: AbortSignal.abort() });
    await expect(running).rejects.toThrow(/abort/i);
    expect(executor.calls).toBe(0);
  });
});

describe("the budget", () => {
  test.each([
    [2, 1],
    [5, 4],
    [6, 5],
  ])("of %s requests counts those of all agents together", async (requests, steps) => {
    const executor = does();
    const made = team(agent(executor), { budget: { requests }, maxConcurrency: 1 });
    const error = await thrownBy(BudgetExceededError, made.answer(QUESTION));
    expect([error.limit, executor.calls]).toEqual(["requests", steps]);
    expect(error.record.usage.requests).toBe(requests);
    expect(Object.keys(error.record.results)).toHaveLength(steps);
    expect(error.record.failed).toEqual({});
    expect(error.message).toBe(`the budget is used up: requests may be at most ${requests}`);
  });

  test("may be used up to the last request", async () => {
    const record = await team(agent(does()), { budget: { requests: 7 } }).answer(QUESTION);
    expect(record.usage.requests).toBe(7);
  });

  test("counts tokens together, and running out stops what is in flight", async () => {
    const hang = new Hang();
    const act = (request: ModelRequest) =>
      stepOf(request) === "b" ? toolCall("hang") : "a done";
    const spender = agent(saying(act, { tokens: [60, 40] }), [hang.tool]);
    const made = team(spender, { budget: { tokens: 250 } });
    const error = await thrownBy(BudgetExceededError, made.answer(QUESTION));
    expect(error.limit).toBe("tokens");
    expect(error.record.usage.total_tokens).toBe(300);
    expect(error.record.failed).toEqual({});
    expect(error.record.results).toEqual({ a: "a done" });
    const ended = error.record.runs.map(({ step: id, error: why }) => [id, why]);
    expect(ended).toEqual([
      [null, null],
      ["a", null],
      ["c", "the budget is used up: tokens"],
      ["b", "cancelled"],
    ]);
    await hang.stopped.happened;
  });

  test("may limit the time of a run", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const rest = new FunctionTool({
      name: "rest",
      description: "Rest.",
      callback: async () => {
        await new Promise((resolve) => setTimeout(resolve, 3000));
        return "rested";
      },
    });
    const act: Turn = ({ messages }) => (messages.length === 1 ? toolCall("rest") : "ok");
    const made = team(agent(saying(act), [rest]), { budget: { wall_s: 5 } });
    const ending = thrownBy(BudgetExceededError, made.answer(QUESTION));
    await vi.runAllTimersAsync();
    const error = await ending;
    expect(error.limit).toBe("wall_s");
    expect(Object.keys(error.record.results)).toEqual(["a", "b"]);
    expect(error.record.usage.duration_s).toBe(5);
  });

  test("may run out while the plan is written", async () => {
    const made = new PlannerExecutor({
      planner: saying(plan(step("a"), step("b"))),
      executors: agent(does()),
      budget: { requests: 2 },
    });
    const error = await thrownBy(BudgetExceededError, made.plan(QUESTION));
    expect(error.record.attempts).toHaveLength(2);
    expect(error.record.runs.map(({ name }) => name)).toEqual(["planner_executor.planner"]);
  });

  test("limits the cost, which is what the host's prices add up to", async () => {
    const price: Price = (model, { inputTokens }) => (model === "dear" ? inputTokens / 4 : 99);
    const priced = (turn: Turn): Model => saying(turn, { tokens: [2, 1], modelId: "dear" });
    const made = (cost: number): PlannerExecutor =>
      new PlannerExecutor({
        planner: priced(plan(step("a"))),
        executors: agent(priced("ok")),
        synthesizer: priced(answer()),
        price,
        budget: { cost },
      });
    const record = await made(1.5).answer(QUESTION);
    expect(record.usage.cost).toBe(1.5);
    expect(record.runs.map(({ usage }) => usage.cost)).toEqual([0.5, 0.5, 0.5]);
    const error = await thrownBy(BudgetExceededError, made(1.25).answer(QUESTION));
    expect([error.limit, error.record.results]).toEqual(["cost", { a: "ok" }]);
  });

  test("of a cost without prices is refused at construction", () => {
    expect(() => team(agent(does()), { budget: { cost: 1 } })).toThrow("price");
  });

  test("ends the run before the tools of a response beyond it are called", async () => {
    let paid = 0;
    const pay = new FunctionTool({
      name: "pay",
      description: "Pay.",
      callback: () => {
        paid += 1;
        return "paid";
      },
    });
    const payer = agent(saying(toolCall("pay"), { tokens: [90, 20] }), [pay]);
    const made = new PlannerExecutor({
      planner: new Model([plan(step("a"))]),
      executors: payer,
      budget: { tokens: 100 },
    });
    const error = await thrownBy(BudgetExceededError, made.answer(QUESTION));
    const kept = error.record.runs.at(-1);
    expect([kept?.error, kept?.tools_called, paid]).toEqual([
      "the budget is used up: tokens",
      ["pay"],
      0,
    ]);
    expect(kept?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test.each(["requests", "tokens", "wall_s", "cost"])("of no %s is refused", (limit) => {
    expect(() => team(agent(does()), { budget: { [limit]: 0 } })).toThrow(limit);
  });
});

describe("a price", () => {
  const told = 'price("scripted", usage) must give a finite number, 0 or more';
  const prices: readonly unknown[] = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -5,
    null,
    undefined,
    "1",
    true,
    5n,
    Promise.resolve(1),
  ];

  test.each(prices.map((given) => [given]))(
    "that is none ends the run with the record: %s",
    async (given) => {
      for (const cost of [null, 1]) {
        const price = (() => given) as unknown as Price;
        const made = team(agent(does()), { price, budget: { cost } });
        const { message, record } = await thrownBy(PriceFailedError, made.answer(QUESTION));
        const { requests, cost: paid } = record.usage;
        expect([message, requests, paid, record.runs[0]?.error]).toEqual([told, 1, 0, told]);
        expect(runSchema(z.null()).parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
      }
    },
  );

  test("that fails ends the run wherever it comes", async () => {
    const broken = new Error("no price");
    const price: Price = (model) => {
      if (model === "dear") throw broken;
      return 1;
    };
    const dear = agent(saying("ok", { modelId: "dear" }));
    const made = team({ a: dear, "*": agent(does()) }, { price, maxConcurrency: 1 });
    const error = await thrownBy(PriceFailedError, made.answer(QUESTION));
    expect(error.message).toBe('price("dear", usage) failed: no price');
    expect(error.cause).toBe(broken);
    const { failed, results, usage, runs } = error.record;
    expect([failed, results, usage.cost]).toEqual([{}, {}, 1]);
    expect(runs.at(-1)?.error).toBe(error.message);
    const planner = new Model([plan(step("a"))], { modelId: "dear" });
    const planning = new PlannerExecutor({ planner, executors: agent(does()), price });
    const { record } = await thrownBy(PriceFailedError, planning.plan(QUESTION));
    expect(record.usage.requests).toBe(1);
  });
});

describe("a response that was filtered or cut off", () => {
  const stops: [string, string][] = [
    ["contentFiltered", "content_filtered"],
    ["guardrailIntervened", "guardrail_intervened"],
    ["maxTokens", "max_tokens"],
  ];

  test.each(stops)("is a refused plan (%s)", async (stop, reason) => {
    const planner = saying(plan(...WHOLE), { stop });
    const made = new PlannerExecutor({ planner, executors: agent(does()), retries: 2 });
    const error = await thrownBy(PlanRejectedError, made.plan(QUESTION));
    const told = `the agent stopped: ${reason}`;
    expect(error.attempts.map(({ problem }) => problem)).toEqual([told, told]);
    expect(planner.calls).toBe(2);
    const [kept] = error.record.runs;
    expect([kept?.stop_reasons, kept?.error]).toEqual([[reason, reason], told]);
    const roles = kept?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test.each(stops)("is no answer (%s)", async (stop, reason) => {
    const synthesizer = saying(answer(), { stop });
    const planner = new Model([plan(...WHOLE)]);
    const made = new PlannerExecutor({ planner, executors: agent(does()), synthesizer });
    const error = await thrownBy(AnswerFailedError, made.answer(QUESTION));
    expect(error.message).toBe(`the agent stopped: ${reason}`);
    expect(synthesizer.calls).toBe(1);
  });

  test("is in the record as far as it came", async () => {
    const cut = agent(saying("half a", { stop: "maxTokens", tokens: [3, 1] }));
    const record = await team({ a: cut, "*": agent(does()) }).answer(QUESTION);
    const kept = record.runs.find((each) => each.step === "a");
    expect(kept?.error).toBe("the agent stopped: max_tokens");
    expect(kept?.messages[1]).toMatchObject({
      role: "assistant",
      content: [{ text: "half a" }],
    });
  });
});

test.each([0, 1, 2])(
  "a failure of the planner's model is told with what was refused before (%s)",
  async (before) => {
    const broken: Turn = () => {
      throw new Error("network is down");
    };
    const shapeless = Array<Turn>(before).fill(output({ steps: [] }));
    const planner = new Model([plan(step("a"), step("b")), ...shapeless, broken]);
    const made = new PlannerExecutor({ planner, executors: agent(does()) });
    const { message, record } = await thrownBy(PlannerFailedError, made.plan(QUESTION));
    expect([message, record.runs[0]?.error]).toEqual(["network is down", "network is down"]);
    expect(record.attempts.map(({ diagnostics }) => diagnostics.length)).toEqual([1]);
    expect(record.usage.requests).toBe(2 + before);
    expect(transcript(record)).toContain("FAILED:\n\n```\nnetwork is down\n```");
  },
);

test("an answer of another shape is asked for three times and not for ever", async () => {
  const synthesizer = saying(output({ value: "x" }));
  const planner = new Model([plan(...WHOLE)]);
  const made = new PlannerExecutor({ planner, executors: agent(does()), synthesizer });
  const { message, record } = await thrownBy(AnswerFailedError, made.answer(QUESTION));
  expect(message).toBe("no such answer in 3 requests");
  expect(record.runs.at(-1)?.error).toBe(message);
  expect(synthesizer.calls).toBe(3);
});

test("a step that has its last answer when another may ask no more is kept", async () => {
  const look = new FunctionTool({ name: "look", description: "Look.", callback: () => "seen" });
  const act: Turn = ({ messages }) => (messages.length === 1 ? toolCall("look") : "done");
  const planner = new Model([plan(step("a"), step("b"), step("c"), step("z", "a", "b", "c"))]);
  const executors = agent(saying(act), [look]);
  const made = new PlannerExecutor({ planner, executors, budget: { requests: 6 } });
  const error = await thrownBy(BudgetExceededError, made.answer(QUESTION));
  expect(error.record.results).toEqual({ a: "done", b: "done" });
});
