/** A corrected plan takes over what went well in the plans before it in the same turn. */

import { type Agent, ImageBlock, type InvokeArgs, type JSONValue } from "@strands-agents/sdk";
import { HumanInTheLoop } from "@strands-agents/sdk/vended-interventions/hitl";
import { expect, test, vi } from "vitest";
import { WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { toolCall } from "../../src/testing/scripted-model.js";
import { asked, gate, Lives, Ran, replies, stateOf } from "./pause-agents.js";
import {
  functionTool,
  planAgent,
  type Step,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const WRONG: Step = { id: "f", tool: "fail", after: ["r", "p"] };
const RIGHT: Step = { id: "f", tool: "read", args: { value: 2 }, after: ["r", "p"] };

/** How many calls each step of each plan took over. */
async function reused(agent: Agent, prompt: InvokeArgs = "go"): Promise<object[]> {
  const taken: object[] = [];
  for await (const event of agent.stream(prompt)) {
    if (event.type !== "toolStreamUpdateEvent") continue;
    const data = event.event.data as { readonly plan_result?: { ledger: Entry[] } };
    if (data.plan_result === undefined) continue;
    const { ledger } = data.plan_result;
    taken.push(Object.fromEntries(ledger.map((entry) => [entry.id, entry.reused])));
  }
  return taken;
}

interface Entry {
  readonly id: string;
  readonly reused: number;
}

test("a corrected plan does not call again what went well", async () => {
  const ran = new Ran();
  const agent = planAgent(
    [
      submit([READ, PAY, WRONG], { returns: ["f"] }),
      submit([READ, PAY, RIGHT], { returns: ["r", "p", "f"] }),
      "done",
    ],
    { tools: ran.tools },
  );
  expect(await reused(agent)).toEqual([
    { r: 0, p: 0, f: 0 },
    { r: 1, p: 1, f: 0 },
  ]);
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1, "fail 0": 1, "read 2": 1 });
  expect(texts(agent)).toEqual([
    "f failed (tool_failed): no such thing\nRan ok, kept for a corrected plan: r, p",
    '{"r":{"value":1},"p":{"paid":5},"f":{"value":2}}',
  ]);
  expect(stateOf(agent)).toBeUndefined();
});

test("a step counts as the same by its tool and arguments, not by its id", async () => {
  const ran = new Ran();
  const renamed = { id: "x", tool: "read", bind: { value: "2 - 1" } };
  const agent = planAgent(
    [
      submit([READ, PAY, WRONG], { returns: ["f"] }),
      submit([renamed, { ...PAY, args: { value: 6 } }], { returns: ["x", "p"] }),
      "done",
    ],
    { tools: ran.tools },
  );
  await agent.invoke("go");
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1, "fail 0": 1, "pay 6": 1 });
});

test("only the items that failed are called again", async () => {
  const ran = new Ran();
  let isDown = true;
  const mail = functionTool(
    "mail",
    ({ to }) => {
      ran.count(`mail ${to}`);
      if (to === 2 && isDown) {
        isDown = false;
        throw new Error("down");
      }
      return to;
    },
    { to: { type: "integer" } },
  );
  const list = { id: "m", tool: "mail", for_each: "[1, 2, 3]", bind: { to: "item" } };
  const plan = submit([list], { returns: ["m"], on_error: "continue" });
  const agent = planAgent([plan, plan, "done"], { tools: [mail] });
  expect(await reused(agent)).toEqual([{ m: 0 }, { m: 2 }]);
  expect(ran.calls).toEqual({ "mail 1": 1, "mail 2": 2, "mail 3": 1 });
  expect(texts(agent)[1]).toBe('{"m":[1,2,3]}');
});

test("a tool that is called twice on purpose is called twice", async () => {
  const ran = new Ran();
  const twice = ["p", "q"].map((id) => ({ ...PAY, id }));
  const agent = planAgent(
    [
      submit([...twice, { ...WRONG, after: ["p", "q"] }], { returns: ["f"] }),
      submit(twice, { returns: ["p", "q"] }),
      "done",
    ],
    { tools: ran.tools },
  );
  await agent.invoke("go");
  expect(ran.calls).toEqual({ "pay 5": 2, "fail 0": 1 });
});

test("a call that the corrected plan has once more is made once more", async () => {
  const ran = new Ran();
  const agent = planAgent(
    [
      submit([PAY, { ...WRONG, after: ["p"] }], { returns: ["f"] }),
      submit([PAY, { ...PAY, id: "q", after: ["p"] }], { returns: ["p", "q"] }),
      "done",
    ],
    { tools: ran.tools },
  );
  await agent.invoke("go");
  expect(ran.calls).toEqual({ "pay 5": 2, "fail 0": 1 });
});

test("after a plan that went well nothing is taken over", async () => {
  const ran = new Ran();
  const plan = submit([READ], { returns: ["r"] });
  await planAgent([plan, plan, "done"], { tools: ran.tools }).invoke("go");
  expect(ran.calls).toEqual({ "read 1": 2 });
});

test("nothing is taken over into another turn", async () => {
  const ran = new Ran();
  const invocationState = {};
  const agent = planAgent(
    [
      submit([READ, PAY, WRONG], { returns: ["f"] }),
      "I give up.",
      submit([READ, PAY, RIGHT], { returns: ["r", "p", "f"] }),
      "done",
    ],
    { tools: ran.tools },
  );
  await agent.invoke("go", { invocationState });
  await agent.invoke("once more", { invocationState });
  expect(ran.calls).toEqual({ "read 1": 2, "pay 5": 2, "fail 0": 1, "read 2": 1 });
});

test("a tool that the host leaves out is called again and the model told so", async () => {
  const ran = new Ran();
  const agent = planAgent(
    [
      submit([READ, PAY, WRONG], { returns: ["f"] }),
      submit([READ, PAY, RIGHT], { returns: ["f"] }),
      "done",
    ],
    { tools: ran.tools, plugin: new WorkflowPlanPlugin({ reusable: ["*", "!read"] }) },
  );
  await agent.invoke("go");
  expect(ran.calls).toEqual({ "read 1": 2, "pay 5": 1, "fail 0": 1, "read 2": 1 });
  expect(texts(agent)[0]?.split("\n").slice(1)).toEqual([
    "Ran ok, do not repeat: r",
    "Ran ok, kept for a corrected plan: p",
  ]);
});

test.each([{ approvals: "refuse" as const }, { reusable: [] }])(
  "a host may have nothing remembered: %j",
  async (options) => {
    const ran = new Ran();
    const agent = planAgent(
      [
        submit([READ, PAY, WRONG], { returns: ["f"] }),
        submit([READ, PAY, RIGHT], { returns: ["f"] }),
        "done",
      ],
      { tools: ran.tools, plugin: new WorkflowPlanPlugin(options) },
    );
    await agent.invoke("go");
    expect(ran.calls).toEqual({ "read 1": 2, "pay 5": 2, "fail 0": 1, "read 2": 1 });
    expect(texts(agent)[0]?.split("\n").slice(1)).toEqual(["Ran ok, do not repeat: r, p"]);
  },
);

test("a refused plan and other calls in between cost nothing", async () => {
  const ran = new Ran();
  const agent = planAgent(
    [
      submit([READ, PAY, WRONG], { returns: ["f"] }),
      submit([READ, { ...PAY, tool: "pya" }], { returns: ["p"] }),
      toolCall("read", { value: 9 }),
      submit([READ, PAY, RIGHT], { returns: ["f"] }),
      "done",
    ],
    { tools: ran.tools },
  );
  await agent.invoke("go");
  expect(ran.calls).toEqual({
    "read 1": 1,
    "pay 5": 1,
    "fail 0": 1,
    "read 9": 1,
    "read 2": 1,
  });
});

test("of two plans at one time neither takes from the other", async () => {
  const ran = new Ran();
  const both = [
    submit([READ, { ...WRONG, after: ["r"] }], { returns: ["f"] }),
    submit([READ], { returns: ["r"] }),
  ];
  const again = submit([READ, { ...READ, id: "s" }], { returns: ["r", "s"] });
  await planAgent([both, again, "done"], { tools: ran.tools }).invoke("go");
  expect(ran.calls).toEqual({ "read 1": 2, "fail 0": 1 });
});

test("media are taken over whole", async () => {
  const image = new ImageBlock({ format: "png", source: { bytes: Uint8Array.of(137, 80) } });
  const ran = new Ran();
  const given: JSONValue[] = [];
  const screenshot = functionTool("screenshot", () => {
    ran.count("screenshot");
    return image;
  });
  const look = functionTool(
    "look",
    ({ picture = null }) => {
      given.push(picture);
      return "a cat";
    },
    { picture: { type: "object" } },
  );
  const shot = { id: "s", tool: "screenshot" };
  const seen = { id: "d", tool: "look", bind: { picture: "steps.s" } };
  const agent = planAgent(
    [
      submit([shot, { id: "f", tool: "fail", after: ["s"] }], { returns: ["f"] }),
      submit([shot, seen], { returns: ["s", "d"] }),
      "done",
    ],
    { tools: [...ran.tools, screenshot, look] },
  );
  await agent.invoke("go");
  expect([given, ran.calls.screenshot]).toEqual([[image.toJSON()], 1]);
  expect(toolResults(agent)[1]?.content[1]).toEqual(image.toJSON());
});

test("what is kept outlives a pause and the process", async () => {
  const ran = new Ran();
  const lives = new Lives(ran.tools);
  const failing = [READ, { ...WRONG, after: ["r"] }, PAY];
  const plan = submit(failing, { returns: ["p"], on_error: "continue" });
  const waits = await lives.agent([plan]).invoke("go");
  const other = { id: "q", tool: "pay", args: { value: 6 } };
  const corrected = submit([READ, PAY, other], { returns: ["p", "q"] });
  const again = await lives.agent([corrected]).invoke(replies(waits, { p: "yes" }));
  expect(asked(again)).toEqual(["q"]);
  const last = lives.agent(["done"]);
  await last.invoke(replies(again, { q: "yes" }));
  expect(texts(last).at(-1)).toBe('{"p":{"paid":5},"q":{"paid":6}}');
  expect(ran.calls).toEqual({ "read 1": 1, "fail 0": 1, "pay 5": 1, "pay 6": 1 });
});

test("what is kept outlives a gate before the corrected plan", async () => {
  const ran = new Ran();
  const lives = new Lives(ran.tools);
  lives.gates = [];
  const config = () => ({
    interventions: [new HumanInTheLoop({ allowedTools: ["read", "pay", "fail"] })],
  });
  const first = await lives
    .agent([submit([READ, PAY, WRONG], { returns: ["f"] })], config())
    .invoke("go");
  const second = lives.agent([submit([READ, PAY, RIGHT], { returns: ["f"] })], config());
  const waits = await second.invoke(replies(first, { plan: "y" }));
  expect(asked(waits)).toEqual(["plan"]);
  const last = lives.agent(["done"], config());
  await last.invoke(replies(waits, { plan: "y" }));
  expect(texts(last).at(-1)).toBe('{"f":{"value":2}}');
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1, "fail 0": 1, "read 2": 1 });
  expect(stateOf(last)).toBeUndefined();
});

test("a plan that failed beside a call that waits is corrected with what it kept", async () => {
  const ran = new Ran();
  const calls = [submit([READ, PAY, WRONG], { returns: ["f"] }), toolCall("ask")];
  const ask = functionTool("ask", () => "asked");
  const lives = new Lives([...ran.tools, ask]);
  lives.gates = ["ask"];
  const waits = await lives.agent([calls]).invoke("go");
  const last = lives.agent([submit([READ, PAY, RIGHT], { returns: ["f"] }), "done"]);
  await last.invoke(replies(waits, { plan: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1, "fail 0": 1, "read 2": 1 });
});

test("a denied step is not taken over and asks again", async () => {
  const ran = new Ran();
  const plan = submit([READ, PAY], { returns: ["p"] });
  const agent = gate(planAgent([plan, plan, "done"], { tools: ran.tools }), "pay");
  const waits = await agent.invoke("go");
  const again = await agent.invoke(replies(waits, { p: "no" }));
  expect(asked(again)).toEqual(["p"]);
  await agent.invoke(replies(again, { p: "yes" }));
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
});

test("a memory that cannot be read is forgotten, with a warning", async () => {
  const ran = new Ran();
  const agent = gate(
    planAgent([submit([READ, PAY], { returns: ["p"] }), "done"], { tools: ran.tools }),
    "pay",
  );
  const waits = await agent.invoke("go");
  const state = stateOf(agent) as Record<string, JSONValue>;
  agent.appState.set("strands_plan_tool", { ...state, memory: '{"calls":3}' });
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  await agent.invoke(replies(waits, { p: "yes" }));
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    "strands-plan-tool: what this turn had remembered cannot be read",
  ]);
  warn.mockRestore();
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
});
