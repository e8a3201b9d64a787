/** Which tools plans may call, and what an agent must be like to have the plugin. */

import {
  Agent,
  type BeforeToolCallEvent,
  InterventionActions,
  InterventionHandler,
} from "@strands-agents/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  ALL_TOOLS,
  resolvePlannable,
  TOOL_NAME,
  WorkflowPlanPlugin,
} from "../../src/strands-adapter/index.js";
import { answer, functionTool, modelOf, planAgent, refusal, submit } from "./plan-agents.js";

const NAME = { name: { type: "string" } };
const READ = { id: "a", tool: "read", args: { name: "x" } };
const PLAN = { steps: [READ], returns: ["a"] };
const read = functionTool("read", ({ name }) => ({ name }), NAME);
const remove = functionTool("delete", ({ name }) => `deleted ${name}`, NAME);

const UNREADABLE = Object.defineProperty({}, "today", {
  enumerable: true,
  get: () => {
    throw new Error("boom");
  },
});

class Gate extends InterventionHandler {
  readonly name = "gate";

  override beforeToolCall(_: BeforeToolCallEvent) {
    return InterventionActions.proceed();
  }
}

test.each<[string | readonly string[], string[]]>([
  [ALL_TOOLS, ["read", "read_all", "delete"]],
  [["read"], ["read"]],
  [["read*"], ["read", "read_all"]],
  [
    ["*", "!delete"],
    ["read", "read_all"],
  ],
  [
    ["!delete", "*"],
    ["read", "read_all"],
  ],
  [["*", "!read*"], ["delete"]],
  [["!read"], []],
  [[], []],
  ["read", ["read"]],
  [[TOOL_NAME], []],
  [["no_such"], []],
])("the patterns %j let in and take out", (patterns, plannable) => {
  const names = ["read", "read_all", "delete", TOOL_NAME];
  expect([...resolvePlannable(patterns, names)]).toEqual(plannable);
});

describe("an option that no plan could run with is refused at once", () => {
  const later = async (): Promise<void> => {
    await null;
  };

  test.each<[string, unknown, string]>([
    ["plannable", [1], "list of tool names and patterns"],
    ["plannable", 5, "list of tool names and patterns"],
    ["reusable", [1], "reusable must be a list of tool names and patterns"],
    ["approvals", "later", '"pause" or "refuse"'],
    ["approvals", true, '"pause" or "refuse"'],
    ["approvePlan", "yes", "approvePlan must be true or false"],
    ["approvePlan", 1, "approvePlan must be true or false"],
    ["honorFinal", "no", "honorFinal must be true or false"],
    ["policy", { max_stepz: 3 }, "{ max_steps: 8 }"],
    ["maxSteps", "3", "integer"],
    ["maxSteps", 0, "max_steps"],
    ["input", 3, "object of names to JSON values"],
    ["input", "user", "object of names to JSON values"],
    ["input", later, "never awaited"],
    ["input", { today: new Date(0) }, "input must be plain JSON"],
    ["input", UNREADABLE, "at /today: a value that cannot be read (boom)"],
    ["onEvent", 3, "onEvent must be a function"],
    ["onEvent", later, "never awaited"],
  ])("%s, case %#", (option, value, wanted) => {
    const options = { [option]: value } as object;
    expect(() => new WorkflowPlanPlugin(options)).toThrow(TypeError);
    expect(() => new WorkflowPlanPlugin(options)).toThrow(wanted);
  });

  const all =
    "plannable, maxSteps, honorFinal, policy, input, onEvent, approvals, approvePlan, reusable";

  test.each([
    ["plannables", 'write "plannable"'],
    ["max_steps", 'write "maxSteps"'],
    ["approve_plan", 'write "approvePlan"'],
    ["onevent", 'write "onEvent"'],
    ["approval", 'write "approvals"'],
    ["toolz", `it has ${all}`],
  ])("or one that there is not: %s", (option, wanted) => {
    const options = { [option]: undefined } as object;
    expect(() => new WorkflowPlanPlugin(options)).toThrow(
      new TypeError(`WorkflowPlanPlugin has no option "${option}": ${wanted}`),
    );
  });

  test.each([[["read"]], [3], [null], ["read"], [() => ({})], [new Map()]])(
    "or what stands in place of all: %j",
    (options) => {
      expect(() => new WorkflowPlanPlugin(options as never)).toThrow(
        new TypeError(
          "the options of WorkflowPlanPlugin must be an object, such as " +
            '{ plannable: ["*", "!delete_file"] }',
        ),
      );
    },
  );

  test("or an option of runPlan that there is not", async () => {
    const plugin = new WorkflowPlanPlugin();
    const agent = planAgent([], { tools: [read], plugin });
    await expect(plugin.runPlan(PLAN, { agnt: agent } as object)).rejects.toThrow(
      new TypeError('runPlan has no option "agnt": write "agent"'),
    );
    await expect(plugin.runPlan(PLAN, [agent] as never)).rejects.toThrow(
      new TypeError("the options of runPlan must be an object, such as { agent }"),
    );
  });

  test("or what does not go together", () => {
    expect(() => new WorkflowPlanPlugin({ approvePlan: true, approvals: "refuse" })).toThrow(
      'approvePlan: true needs approvals: "pause": a plan waits for approval',
    );
  });

  test("or where it first matters, in plain words", async () => {
    const plugin = new WorkflowPlanPlugin({ input: () => Promise.resolve({}) as never });
    const agent = planAgent([], { tools: [read], plugin });
    await expect(plugin.runPlan(PLAN, { agent })).rejects.toThrow("input must be an object");
  });

  test("and a promise that nobody awaits may reject", async () => {
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    onTestFinished(() => void process.off("unhandledRejection", unheard));
    const later = (): Promise<never> => Promise.reject(new Error("too late"));
    const told = new WorkflowPlanPlugin({ onEvent: (_) => later() });
    const agent = planAgent([], { tools: [read], plugin: told });
    expect((await told.runPlan(PLAN, { agent })).returned).toEqual({ a: { name: "x" } });
    const given = new WorkflowPlanPlugin({ input: () => later() as never });
    const other = planAgent([], { tools: [read], plugin: given });
    await expect(given.runPlan(PLAN, { agent: other })).rejects.toThrow("input must be an");
    // What nobody hears is told once the queue of promises is empty.
    await new Promise(setImmediate);
    expect(unheard).not.toHaveBeenCalled();
  });
});

describe("a plan is refused", () => {
  test("that calls what is not plannable", async () => {
    const plugin = new WorkflowPlanPlugin({ plannable: ["*", "!delete"] });
    const step = { id: "a", tool: "delete", args: { name: "x" } };
    const agent = planAgent([submit([step], { returns: ["a"] }), "ok"], {
      tools: [read, remove],
      plugin,
    });
    await agent.invoke("go");
    expect(refusal(agent)).toContain("tool_not_plannable");
  });

  test("in a plan", async () => {
    const inner = { id: "a", tool: TOOL_NAME, args: PLAN };
    const agent = planAgent([submit([inner], { returns: ["a"] }), "ok"], { tools: [read] });
    await agent.invoke("go");
    expect(refusal(agent)).toContain("tool_not_plannable");
  });
});

test("a tool that is registered later can be planned", async () => {
  const agent = planAgent([submit([READ], { returns: ["a"] }), "ok"]);
  await agent.initialize();
  agent.toolRegistry.add(read);
  await agent.invoke("go");
  expect(answer(agent)).toBe('{"a":{"name":"x"}}');
});

describe("an agent with interventions", () => {
  const interventions = [new Gate()];

  test("has to say what may be planned where no plan waits", async () => {
    const refusing = { approvals: "refuse" } as const;
    const silent = planAgent([], {
      tools: [read],
      interventions,
      plugin: new WorkflowPlanPlugin(refusing),
    });
    await expect(silent.initialize()).rejects.toThrow(
      "workflow-plan: this agent has interventions (gate), which may make a tool wait for a " +
        "person, and a plan cannot wait. Name the tools that plans may call, for example " +
        'plannable: ["*", "!delete_file"].',
    );
    const plugin = new WorkflowPlanPlugin({ ...refusing, plannable: ["*"] });
    await planAgent([], { tools: [read], interventions, plugin }).initialize();
  });

  test("needs to say nothing where plans wait", async () => {
    await planAgent([], { tools: [read], interventions }).initialize();
  });
});

test("the SDK that is tested is the newest that this version of Node runs", async () => {
  const isNew = Number(process.versions.node.split(".")[0]) >= 22;
  const newest: unknown = (await import(isNew ? "strands-sdk-next" : "@strands-agents/sdk"))
    .Agent;
  expect(newest).toBe(Agent);
});

test("a missing name of the SDK is told at initialisation", () => {
  const agent = planAgent([], { tools: [read], toolExecutor: {} as never });
  Object.assign(agent, { _hooksRegistry: { addCallback: () => undefined } });
  const plugin = new WorkflowPlanPlugin();
  expect(() => plugin.initAgent(agent)).toThrow(
    "workflow-plan needs @strands-agents/sdk 1.16 or later, below 2; the installed version " +
      "lacks agent.toolExecutor.executeTool, agent._hooksRegistry.invokeCallbacks.",
  );
});

test("an agent of another copy of the SDK is refused, with the way out", async () => {
  const isNew = Number(process.versions.node.split(".")[0]) >= 22;
  const other = (await import(
    isNew ? "../../node_modules/@strands-agents/sdk/dist/src/index.js" : "strands-sdk-next"
  ).catch(() => undefined)) as { readonly Agent: typeof Agent } | undefined;
  if (other === undefined) return;
  const agent = new other.Agent({
    model: modelOf(planAgent([])) as never,
    plugins: [new WorkflowPlanPlugin() as never],
    printer: false,
  });
  await expect(agent.invoke("go")).rejects.toThrow(
    "workflow-plan: this agent is of another copy of @strands-agents/sdk than " +
      "strands-plan-tool imports, so its hooks would never be called. Have one copy: install " +
      "strands-plan-tool from what `npm pack` makes, not as a link to its folder; " +
      "`npm ls @strands-agents/sdk` shows the copies.",
  );
});

test("the model is offered one tool more and chooses freely", async () => {
  const agent = planAgent(["hello"], { tools: [read] });
  await agent.invoke("go");
  const [request] = modelOf(agent).requests;
  const names = request?.options.toolSpecs?.map((spec) => spec.name).sort();
  expect(names).toEqual(["read", TOOL_NAME]);
  expect(request?.options.toolChoice).toBeUndefined();
});

test("runPlan needs to know the agent", async () => {
  const plugin = new WorkflowPlanPlugin();
  await expect(plugin.runPlan(PLAN)).rejects.toThrow("no agent has this plugin");
  const agents: Agent[] = [];
  const add = async (): Promise<void> => {
    const agent = planAgent([], { tools: [read], plugin });
    await agent.initialize();
    agents.push(agent);
  };
  await add();
  expect((await plugin.runPlan(PLAN)).returned).toEqual({ a: { name: "x" } });
  await add();
  await expect(plugin.runPlan(PLAN)).rejects.toThrow("2 agents have this plugin");
  for (const agent of agents) {
    expect((await plugin.runPlan(PLAN, { agent })).returned).toEqual({ a: { name: "x" } });
  }
});

test("runPlan sets an agent up that was never used", async () => {
  const plugin = new WorkflowPlanPlugin();
  const agent = planAgent([], { tools: [read], plugin });
  const runs = [plugin.runPlan(PLAN, { agent }), plugin.runPlan(PLAN, { agent })];
  expect((await Promise.all(runs)).map((result) => result.returned.a)).toEqual([
    { name: "x" },
    { name: "x" },
  ]);
});
