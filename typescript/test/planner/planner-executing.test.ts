/** Executors: what each sees, what runs at once, and what nothing shares. */

import { tmpdir } from "node:os";
import {
  AfterInvocationEvent,
  type Agent,
  BeforeInvocationEvent,
  BeforeToolCallEvent,
  FileStorage,
  FunctionTool,
  InterventionActions,
  InterventionHandler,
  type InvocationState,
  SessionManager,
} from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  PlannerExecutor,
  type PlannerExecutorOptions,
  type Source,
  type WorkOptions,
} from "../../src/planner-executor/index.js";
import { WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
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
  taskPlan,
  textOf,
} from "./planner-models.js";

const WHOLE = [step("a"), step("b"), step("c", "a"), step("d", "b", "c")];

function team(
  executors: PlannerExecutorOptions["executors"],
  options: WorkOptions = {},
): PlannerExecutor {
  return new PlannerExecutor({
    planner: saying(plan(...WHOLE)),
    executors,
    synthesizer: saying(answer()),
    warn: () => undefined,
    ...options,
  });
}

/** A tool without arguments. */
function bare(
  name: string,
  callback: (state: InvocationState) => Promise<string> | string,
): FunctionTool {
  return new FunctionTool({
    name,
    description: name,
    callback: (_, context) => callback(context.invocationState),
  });
}

/** What a model says that calls a tool first, and then says something. */
function firstCalls(name: string): Turn {
  return ({ messages }) => (messages.length === 1 ? toolCall(name) : "ok");
}

/** What a model says that runs a plan with one tool, and then says what came of it. */
function plansOnce(name: string): Turn {
  return ({ messages }) => {
    if (messages.length === 1) {
      const steps = [{ id: "s", tool: name, args: {} }];
      return toolCall("submit_workflow_plan", { steps, returns: ["s"] });
    }
    const block = messages.at(-1)?.content[0];
    const part = block?.type === "toolResultBlock" ? block.content[0] : undefined;
    return part?.type === "textBlock" ? part.text : "";
  };
}

/** What the executors were asked first, by step. */
function prompts(model: Model): Record<string, string> {
  return Object.fromEntries(model.requests.map((each) => [stepOf(each), textOf(each)]));
}

test("an executor sees its instruction and the results that it depends on alone", async () => {
  const model = does();
  await team(agent(model)).answer(QUESTION);
  const { a = "", c = "", d = "" } = prompts(model);
  for (const text of [a, c, d]) expect(text).toContain(QUESTION);
  expect(a).toContain("Results of earlier steps:\n(none)\n");
  expect(c).toContain("[a]\na done");
  expect(c).not.toContain("b done");
  expect(d).toContain("[b]\nb done\n\n[c]\nc done");
  expect(d).not.toContain("a done");
});

test("each step begins with an empty conversation though there is one agent", async () => {
  const model = does();
  const given = agent(model, [], { systemPrompt: "You work." });
  await team(given).answer(QUESTION);
  expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1]);
  const told = new Set(model.requests.map(({ options }) => options.systemPrompt));
  expect([...told]).toEqual(["You work."]);
  expect(given.messages).toEqual([]);
});

test.each([false, true])(
  "steps that do not need each other run at once with one agent (waves: %s)",
  async (waves) => {
    const both = new Signal();
    let waiting = 0;
    const meet = bare("meet", async () => {
      waiting += 1;
      if (waiting === 2) both.set();
      await both.happened;
      return "met";
    });
    const act = (request: ModelRequest) =>
      "cd".includes(stepOf(request)) || request.messages.length > 1 ? "ok" : toolCall("meet");
    const record = await team(agent(saying(act), [meet]), { waves }).answer(QUESTION);
    expect(record.waves).toEqual([["a", "b"], ["c"], ["d"]]);
    expect(Object.keys(record.results)).toEqual(["a", "b", "c", "d"]);
  },
);

test.each([
  [false, ["a", "c", "b", "d"]],
  [true, ["a", "b", "c", "d"]],
])(
  "a step waits for a slow step of an earlier level only in waves (%s)",
  async (waves, order) => {
    const begun = new Signal();
    const wait = bare("wait", async () => {
      if (!waves) await begun.happened;
      return "waited";
    });
    const act = (request: ModelRequest) => {
      const name = stepOf(request);
      if (name === "c") begun.set();
      return name === "b" && request.messages.length === 1 ? toolCall("wait") : name;
    };
    const record = await team(agent(saying(act), [wait]), { waves }).answer(QUESTION);
    expect(record.runs.flatMap((each) => each.step ?? [])).toEqual(order);
  },
);

test("no more steps run at once than the host allows", async () => {
  let running = 0;
  const most: number[] = [];
  const work = bare("work", async () => {
    running += 1;
    most.push(running);
    await null;
    running -= 1;
    return "worked";
  });
  const made = team(agent(saying(firstCalls("work")), [work]), { maxConcurrency: 1 });
  const record = await made.answer(QUESTION);
  expect([record.failed, most]).toEqual([{}, [1, 1, 1, 1]]);
});

describe("a function of the host's", () => {
  test("makes a new agent for each step", async () => {
    const models: Model[] = [];
    const make = (): Agent => {
      const model = does();
      models.push(model);
      return agent(model);
    };
    await team(make).answer(QUESTION);
    // One more was made to see which tools there are.
    expect(models.map(({ calls }) => calls)).toEqual([0, 1, 1, 1, 1]);
  });

  test("that gives one agent to two steps fails the second", async () => {
    const one = agent(does());
    const record = await team(() => one).answer(QUESTION);
    const told = "executors: the function must make a new agent each time";
    expect(record.results).toEqual({ a: "a done" });
    expect(record.failed).toEqual({ b: told, c: told });
    expect(record.runs.flatMap((each) => each.step ?? [])).toEqual(["a"]);
    // Planner, one step, synthesizer.
    expect(record.usage.requests).toBe(3);
  });
});

test("executors may differ by step", async () => {
  const special = agent(does(() => "special"));
  const rest = does(() => "rest");
  const executors: Record<string, Source> = { c: special, "*": () => agent(rest) };
  const record = await team(executors).answer(QUESTION);
  expect(record.results).toEqual({ a: "rest", b: "rest", c: "special", d: "rest" });
});

test("the invocation state reaches the tools and is shared by no two runs", async () => {
  const seen: unknown[][] = [];
  const look = bare("look", (state) => {
    seen.push([state.user, state.mark]);
    state.mark = "left behind";
    return "seen";
  });
  const made = team(agent(saying(firstCalls("look")), [look]));
  const given = { user: "ann" };
  await Promise.all([
    made.answer(QUESTION, { invocationState: given }),
    made.answer(QUESTION, { invocationState: { user: "bo" } }),
  ]);
  expect(given).toEqual({ user: "ann" });
  expect(seen.map(([, mark]) => mark)).toEqual(Array(8).fill(undefined));
  const users = seen.map(([user]) => String(user)).sort();
  expect(users).toEqual([...Array(4).fill("ann"), ...Array(4).fill("bo")]);
});

describe("the copies of an agent", () => {
  test("keep the host's hooks, and leave none on the agent", async () => {
    const denied: string[] = [];
    const invoked: string[] = [];
    const pay = bare("pay", () => {
      throw new Error("it must not be called");
    });
    const model = saying(firstCalls("pay"));
    const given = agent(model, [pay]);
    given.addHook(BeforeToolCallEvent, (event) => {
      event.cancel = "not allowed";
      denied.push(event.toolUse.name);
    });
    given.addHook(BeforeInvocationEvent, (event) => {
      invoked.push((event.agent as Agent).name);
    });
    const record = await team(given).answer(QUESTION);
    expect(denied).toEqual(["pay", "pay", "pay", "pay"]);
    const names = ["a", "b", "c", "d"].map((name) => `planner_executor.executor.${name}`);
    expect([...invoked].sort()).toEqual(names);
    // What the agent does by itself afterwards goes by no meter and into no record.
    const { calls } = model;
    await given.invoke("Step on your own.");
    expect(model.calls).toBe(calls + 2);
    expect(record.runs.flatMap(({ messages }) => messages)).toHaveLength(3 + 4 * 4 + 3);
  });

  test("are guarded by the agent's interventions", async () => {
    let paid = 0;
    const pay = bare("pay", () => {
      paid += 1;
      return "paid";
    });
    class Guard extends InterventionHandler {
      override readonly name = "guard";
      override beforeToolCall() {
        return InterventionActions.deny("no");
      }
    }
    const model = saying(firstCalls("pay"));
    const record = await team(agent(model, [pay], { interventions: [new Guard()] })).answer(
      QUESTION,
    );
    expect([paid, Object.keys(record.results)]).toEqual([0, ["a", "b", "c", "d"]]);
  });

  test("begin with the agent's state, and change none of it", async () => {
    const seen: unknown[] = [];
    const count = new FunctionTool({
      name: "count",
      description: "Count.",
      callback: (_, { agent: mine }) => {
        seen.push(mine.appState.get("n"));
        mine.appState.set("n", 2);
        return "counted";
      },
    });
    const given = agent(saying(firstCalls("count")), [count], { appState: { n: 1 } });
    await team(given).answer(QUESTION);
    expect(seen).toEqual([1, 1, 1, 1]);
    expect(given.appState.get("n")).toBe(1);
  });

  test("run plans of tools on the agent of their step", async () => {
    const count = new FunctionTool({
      name: "count",
      description: "Count.",
      callback: (_, { agent: mine }) => {
        mine.appState.set("n", Number(mine.appState.get("n") ?? 0) + 1);
        return `${(mine as Agent).name}: ${mine.appState.get("n")}`;
      },
    });
    const given = agent(saying(plansOnce("count")), [count], {
      plugins: [new WorkflowPlanPlugin()],
    });
    const seen: string[] = [];
    given.addHook(BeforeToolCallEvent, (event) => {
      seen.push(`${(event.agent as Agent).name}: ${event.toolUse.name}`);
    });
    const record = await team(given).answer(QUESTION);
    const names = ["a", "b", "c", "d"].map((name) => [
      name,
      `planner_executor.executor.${name}`,
    ]);
    expect(record.results).toEqual(
      Object.fromEntries(names.map(([name, whole]) => [name, `{"s":"${whole}: 1"}`])),
    );
    expect(given.appState.get("n")).toBe(undefined);
    const calls = names.flatMap(([, whole]) => [
      `${whole}: count`,
      `${whole}: submit_workflow_plan`,
    ]);
    expect(seen.sort()).toEqual(calls.sort());
  });

  test("go on with the plan of one step when the turn of another ends", async () => {
    const begun = new Signal();
    const ended = new Signal();
    const wait = bare("wait", async () => {
      begun.set();
      await ended.happened;
      return "waited";
    });
    const hold = bare("hold", async () => {
      await begun.happened;
      return "held";
    });
    const plans = plansOnce("wait");
    const act: Turn = (request) => {
      if (stepOf(request) !== "b") {
        return request.messages.length === 1 ? toolCall("hold") : "ok";
      }
      return typeof plans === "function" ? plans(request) : plans;
    };
    const plugins = [new WorkflowPlanPlugin()];
    const given = agent(saying(act), [wait, hold], { plugins });
    given.addHook(AfterInvocationEvent, () => ended.set());
    const record = await team(given).answer(QUESTION);
    expect(record.results.b).toBe('{"s":"waited"}');
  });

  test("are not made of an agent that keeps a session, whose host is told what to give", () => {
    const snapshot = new FileStorage(tmpdir());
    const sessionManager = new SessionManager({ storage: { snapshot } });
    const given = agent(does(), [], { sessionManager });
    const told = "give a function that makes a new agent";
    expect(() => team(given)).toThrow(told);
    expect(() => new PlannerExecutor({ planner: given, executors: agent(does()) })).toThrow(
      told,
    );
  });
});

test("the answer has the type that the host asks for", async () => {
  const made = new PlannerExecutor({
    planner: new Model([plan(step("a"))]),
    executors: agent(does()),
    synthesizer: new Model([output({ tons: 9 })]),
    answerType: z.object({ tons: z.int() }),
  });
  const record = await made.answer(QUESTION);
  const tons: number = record.answer.tons;
  expect(tons).toBe(9);
});

test("the synthesizer gets each step with what came of it", async () => {
  const synthesizer = new Model([answer()]);
  const executor = does((name) => {
    if (name === "a") throw new Error("no such moon");
    return `${name} done`;
  });
  const made = new PlannerExecutor({
    planner: new Model([]),
    executors: agent(executor),
    synthesizer,
    warn: () => undefined,
  });
  await made.run(taskPlan(...WHOLE), { question: QUESTION });
  const asked = textOf(synthesizer.requests[0]);
  expect(asked).toContain(QUESTION);
  expect(asked).toContain("[a]\nInstruction: do a\nFAILED: no such moon");
  expect(asked).toContain("[b]\nInstruction: do b\nResult:\nb done");
  expect(asked).toContain("[c]\nInstruction: do c\nSKIPPED");
});

test("without a synthesizer the planner's model answers", async () => {
  const model = new Model([plan(step("a")), answer("9")]);
  const made = new PlannerExecutor({ planner: agent(model), executors: agent(does()) });
  expect((await made.answer(QUESTION)).answer.result).toBe("9");
});
