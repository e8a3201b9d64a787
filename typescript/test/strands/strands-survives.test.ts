/**
 * A plan that waits comes back in a new process, through any session manager, and leaves nothing
 * behind once it has ended.
 */

import {
  AfterToolsEvent,
  type Agent,
  BeforeModelCallEvent,
  BeforeToolCallEvent,
  HookOrder,
  ImageBlock,
  type JSONValue,
  MessageAddedEvent,
  Tool,
  type ToolContext,
  ToolResultBlock,
  type ToolResultContent,
  type ToolStreamGenerator,
} from "@strands-agents/sdk";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { returning } from "../../src/strands-adapter/index.js";
import { STATE_KEY } from "../../src/strands-adapter/pauses.js";
import { asked, gate, Lives, Ran, replies, stateOf } from "./pause-agents.js";
import {
  answer,
  functionTool,
  planAgent,
  type Step,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const IMAGE = new ImageBlock({
  format: "png",
  source: { bytes: Uint8Array.of(137, 80, 0, 255) },
});
const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const PLAN = submit([READ, PAY], { returns: ["r", "p"] });

/** A tool that answers with this content, whatever the SDK makes of it. */
class Raw extends Tool {
  readonly description = "Answers.";
  readonly toolSpec;

  constructor(
    readonly name: string,
    private readonly content: readonly unknown[],
  ) {
    super();
    this.toolSpec = { name, description: this.description };
  }

  // biome-ignore lint/correctness/useYield: it has nothing to stream.
  override async *stream({ toolUse }: ToolContext): ToolStreamGenerator {
    await null;
    const { toolUseId } = toolUse;
    const content = this.content as ToolResultContent[];
    return new ToolResultBlock({ toolUseId, status: "success", content });
  }
}

function plansOf(agent: Agent): Record<string, string> {
  return (stateOf(agent) as { readonly plans: Record<string, string> }).plans;
}

/** Change an argument of the first step whenever the plan tool is called. */

describe("in a new process", () => {
  test("every kind of ending comes back", async () => {
    const ran = new Ran();
    const lives = new Lives(ran.tools);
    const steps = [
      READ,
      { id: "f", tool: "fail" },
      { id: "n", tool: "read", after: ["f"] },
      { id: "w", tool: "read", when: "false" },
      { id: "l", tool: "read", for_each: "[7, 8]", bind: { value: "item" } },
      PAY,
      { id: "a", tool: "read", bind: { value: "[steps.p.paid, steps.l.value]" } },
      { id: "b", tool: "pay", bind: { value: "steps.a.value[0] + 1" } },
    ];
    const plan = submit(steps, {
      returns: ["r", "b"],
      output: "steps.l.value",
      on_error: "continue",
    });
    const waits = await lives.agent([plan]).invoke("go");
    expect(asked(waits)).toEqual(["p"]);
    expect(lives.stored()).toContain('"strands_plan_tool"');

    const again = await lives.agent().invoke(replies(waits, { p: "yes" }));
    expect(asked(again)).toEqual(["b"]);

    const last = lives.agent(["done"]);
    await last.invoke(replies(again, { b: "yes" }));
    expect(answer(last).split("\n")).toEqual([
      '{"r":{"value":1},"b":{"paid":6}}',
      "[7,8]",
      "f failed (tool_failed): no such thing",
      "w not taken",
      "n skipped",
      "Ran ok, kept for a corrected plan: r, l, p, a, b",
    ]);
    expect(new Set(Object.values(ran.calls))).toEqual(new Set([1]));
    expect(stateOf(last)).toBeUndefined();
    expect(lives.stored()).not.toContain('"strands_plan_tool"');
  });

  test("a half-done list comes back with its items and its faults", async () => {
    const ran = new Ran();
    const odd = functionTool(
      "odd",
      ({ value }) => {
        ran.count(`odd ${value}`);
        if (Number(value) % 2 === 0) throw new Error(`${value} is even`);
        return value;
      },
      { value: { type: "integer" } },
    );
    const lives = new Lives([odd]);
    const asking = (agent: Agent): Agent => {
      agent.addHook(BeforeToolCallEvent, (event) => {
        const { value } = event.toolUse.input as { readonly value?: number };
        if (value === 3) event.interrupt({ name: "approval" });
      });
      return agent;
    };
    const list = { id: "l", tool: "odd", for_each: "[1, 2, 3]", bind: { value: "item" } };
    const plan = submit([list], { returns: ["l"], on_error: "continue" });
    const waits = await asking(lives.agent([plan])).invoke("go");
    const last = asking(lives.agent(["done"]));
    await last.invoke(replies(waits, { "l-2": "yes" }));
    expect(answer(last).split("\n")).toEqual([
      '{"l":[1,null,3]}',
      "l: 1 of 3 items failed, null in its result",
    ]);
    expect(ran.calls).toEqual({ "odd 1": 1, "odd 2": 1, "odd 3": 1 });
  });

  test("media and texts come back as they were", async () => {
    const given: JSONValue[] = [];
    const screenshot = functionTool("screenshot", () => IMAGE);
    const fetch = returning(
      functionTool("fetch", () => '{ "id" : 7 }'),
      z.string(),
    );
    const use = functionTool(
      "use",
      ({ picture = null, text = null }) => {
        given.push(picture, text);
        return "used";
      },
      { picture: { type: "object" }, text: { type: "string" } },
    );
    const lives = new Lives([...new Ran().tools, screenshot, fetch, use]);
    const steps = [
      { id: "s", tool: "screenshot" },
      { id: "f", tool: "fetch" },
      PAY,
      { id: "u", tool: "use", bind: { picture: "steps.s", text: "steps.f" }, after: ["p"] },
    ];
    const first = lives.agent([submit(steps, { returns: ["s", "u"] })]);
    const waits = await first.invoke("go");
    const [entry] = Object.values(plansOf(first)).map((text) => JSON.parse(text));
    // As the Python package writes it too.
    expect([entry.media, Object.values(entry.texts)]).toEqual([
      {
        "call_1_0__s.0": {
          image: { format: "png", source: { bytes: { $bytes: "iVAA/w==" } } },
        },
      },
      ['{ "id" : 7 }'],
    ]);
    const last = lives.agent(["done"]);
    await last.invoke(replies(waits, { p: "yes" }));
    expect(given).toEqual([IMAGE.toJSON(), '{ "id" : 7 }']);
    expect(toolResults(last)[0]?.content.slice(1)).toEqual([IMAGE.toJSON()]);
  });

  test("an integer comes back with every digit", async () => {
    const wide = 2n ** 53n + 1n;
    const exact = new Raw("exact", [
      { json: { n: wide, "10": 1, "9": "12345678901234567890" } },
    ]);
    const lives = new Lives([...new Ran().tools, exact], { policy: { integers: "exact" } });
    const steps = [{ id: "e", tool: "exact" }, PAY];
    const waits = await lives.agent([submit(steps, { returns: ["e"] })]).invoke("go");
    const last = lives.agent(["done"]);
    await last.invoke(replies(waits, { p: "yes" }));
    expect(answer(last)).toBe('{"e":{"9":"12345678901234567890","10":1,"n":9007199254740993}}');
  });

  test("answers in parts come from process after process", async () => {
    const ran = new Ran();
    const lives = new Lives(ran.tools);
    const ids = ["p0", "p1", "p2"];
    const steps = ids.map((id, value) => ({ id, tool: "pay", args: { value } }));
    let result = await lives.agent([submit(steps, { returns: ids })]).invoke("go");
    for (const left of [["p0", "p2"], ["p2"]]) {
      const gone = asked(result).filter((id) => !left.includes(id));
      const answers = Object.fromEntries(gone.map((id) => [id, "yes"]));
      result = await lives.agent().invoke(replies(result, answers));
      expect(asked(result)).toEqual(left);
    }
    const last = lives.agent(["done"]);
    await last.invoke(replies(result, { p2: "no" }));
    expect(texts(last)[0]).toContain("p2 failed (tool_failed): no");
    expect(ran.calls).toEqual({ "pay 0": 1, "pay 1": 1 });
  });

  test("two plans come back, each with its own", async () => {
    const ran = new Ran();
    const lives = new Lives(ran.tools);
    const other = submit([{ ...PAY, args: { value: 6 } }], { returns: ["p"] });
    const waits = await lives.agent([[PLAN, other]]).invoke("go");
    const last = lives.agent(["done"]);
    await last.invoke(replies(waits, { p: "yes" }));
    expect(texts(last)).toEqual(['{"r":{"value":1},"p":{"paid":5}}', '{"p":{"paid":6}}']);
    expect([ran.calls, stateOf(last)]).toEqual([
      { "read 1": 1, "pay 5": 1, "pay 6": 1 },
      undefined,
    ]);
  });
});

describe("what is kept of a plan", () => {
  test("is gone when the next turn begins", async () => {
    const ran = new Ran();
    const first = gate(planAgent([PLAN], { tools: ran.tools }), "pay");
    await first.invoke("go");
    const other = gate(planAgent([PLAN, "done"], { tools: ran.tools }), "pay");
    other.appState.set(STATE_KEY, stateOf(first) as JSONValue);
    const found: unknown[] = [];
    other.addHook(BeforeModelCallEvent, () => void found.push(stateOf(other)));
    const waits = await other.invoke("go");
    expect(found).toEqual([undefined]);
    expect(ran.calls).toEqual({ "read 1": 2 });
    await other.invoke(replies(waits, { p: "yes" }));
    expect([ran.calls, stateOf(other)]).toEqual([{ "read 1": 2, "pay 5": 1 }, undefined]);
  });

  test("leaves the agent's own state alone", async () => {
    const lives = new Lives(new Ran().tools);
    const agent = lives.agent([PLAN]);
    agent.appState.set("mine", { a: 1 });
    const waits = await agent.invoke("go");
    const last = lives.agent(["done"]);
    await last.invoke(replies(waits, { p: "yes" }));
    expect(last.appState.getAll()).toEqual({ mine: { a: 1 } });
  });
});

test("media that cannot be stored fail their step and the interrupt goes out", async () => {
  class Handle {
    readonly open = true;
  }
  const source = { bytes: Uint8Array.of(0), handle: new Handle() };
  const record = new Raw("record", [{ video: { format: "mp4", source } }]);
  const ran = new Ran();
  const lives = new Lives([...ran.tools, record]);
  const steps = [{ id: "v", tool: "record" }, PAY];
  const plan = submit(steps, { returns: ["p"], on_error: "continue" });
  const waits = await lives.agent([plan]).invoke("go");
  expect(asked(waits)).toEqual(["p"]);
  const last = lives.agent(["done"]);
  await last.invoke(replies(waits, { p: "yes" }));
  expect(answer(last).split("\n")[1]).toBe(
    'v failed (not_json_result): the result of step "v" is not JSON: ' +
      "at /video/source/handle: a value of type Handle",
  );
  expect(ran.calls).toEqual({ "pay 5": 1 });
});

test("where the state takes nothing the plan goes on in its process", async () => {
  const ran = new Ran();
  const agent = gate(planAgent([PLAN, "done"], { tools: ran.tools }), "pay");
  vi.spyOn(agent.appState, "set").mockImplementation(() => {
    throw new Error("no room");
  });
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const waits = await agent.invoke("go");
  expect([asked(waits), stateOf(agent)]).toEqual([["p"], undefined]);
  await agent.invoke(replies(waits, { p: "yes" }));
  expect(answer(agent)).toBe('{"r":{"value":1},"p":{"paid":5}}');
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    "strands-plan-tool: a paused plan cannot be stored in the agent's state: it goes on in " +
      "this process only",
  ]);
  warn.mockRestore();
});

describe("a plan that went on and is called once more", () => {
  test("is told again and not run again if its end was not heard", async () => {
    const ran = new Ran();
    const agent = gate(planAgent([PLAN, "done"], { tools: ran.tools }), "pay");
    let isBroken = false;
    agent.addHook(AfterToolsEvent, () => {
      if (!isBroken) return;
      isBroken = false;
      throw new Error("broken hook");
    });
    const waits = await agent.invoke("go");
    isBroken = true;
    await expect(agent.invoke(replies(waits, { p: "yes" }))).rejects.toThrow("broken hook");
    expect(String(await agent.invoke(replies(waits, { p: "yes" })))).toBe("done");
    expect(answer(agent)).toBe('{"r":{"value":1},"p":{"paid":5}}');
    expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 5": 1 }, undefined]);
  });

  test("neither goes on nor begins anew if a hook broke it", async () => {
    const ran = new Ran();
    const follows = { id: "a", tool: "read", args: { value: 2 }, after: ["p"] };
    const plan = submit([READ, PAY, follows], { returns: ["a"] });
    const agent = gate(planAgent([plan, "done"], { tools: ran.tools }), "pay");
    let isBroken = true;
    agent.addHook(BeforeToolCallEvent, (event) => {
      const { value } = event.toolUse.input as { readonly value?: number };
      if (!isBroken || value !== 2) return;
      isBroken = false;
      throw new Error("broken hook");
    });
    const waits = await agent.invoke("go");
    await expect(agent.invoke(replies(waits, { p: "yes" }))).rejects.toThrow("broken hook");
    expect(String(await agent.invoke(replies(waits, { p: "yes" })))).toBe("done");
    expect(texts(agent)).toEqual([
      "a hook stopped the plan: broken hook\nRan ok, do not repeat: r, p",
    ]);
    expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 5": 1 }, undefined]);
  });
});

test("a process that dies in a plan that went on, and was stored, runs nothing again", async () => {
  const ran = new Ran();
  const store = functionTool("store", async () => {
    const target = dies;
    await dies.sessionManager?.saveSnapshot({ target, isLatest: true });
    lives.keepThis();
    return 1;
  });
  const lives = new Lives([...ran.tools, store]);
  const last = { id: "s", tool: "store", after: ["p"] };
  const waits = await lives.agent([submit([READ, PAY, last], { returns: ["p"] })]).invoke("go");
  const dies = lives.agent(["not heard"]);
  await dies.invoke(replies(waits, { p: "yes" }));
  const again = lives.agent(["done"]);
  await again.invoke(replies(waits, { p: "yes" }));
  expect(texts(again)).toEqual(["The plan was cancelled. Ran ok, do not repeat: r"]);
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
});

test("a process that dies as the result was stored runs nothing again", async () => {
  const ran = new Ran();
  const lives = new Lives(ran.tools, {}, "message");
  const waits = await lives.agent([PLAN]).invoke("go");
  const dies = lives.agent(["not heard"]);
  // After the session manager, which is told of the message before the SDK forgets the call.
  const { SDK_LAST: order } = HookOrder;
  dies.addHook(
    MessageAddedEvent,
    ({ message }) => {
      if (message.content.some(({ type }) => type === "toolResultBlock")) lives.keepThis();
    },
    { order },
  );
  await dies.invoke(replies(waits, { p: "yes" }));
  expect(lives.stored()).not.toContain("not heard");
  const last = lives.agent(["done"]);
  expect(String(await last.invoke(replies(waits, { p: "yes" })))).toBe("done");
  expect(ran.calls).toEqual({ "read 1": 1, "pay 5": 1 });
  expect(new Set(texts(last))).toEqual(new Set(['{"r":{"value":1},"p":{"paid":5}}']));
});
