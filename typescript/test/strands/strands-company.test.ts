/** Plans beside what else an agent may have: offloading, background tasks, media, agents. */

import {
  AfterToolCallEvent,
  BeforeToolCallEvent,
  DocumentBlock,
  FunctionTool,
  HookOrder,
  ImageBlock,
  type JSONValue,
  TextBlock,
  ToolResultBlock,
} from "@strands-agents/sdk";
import { ContextOffloader } from "@strands-agents/sdk/vended-plugins/context-offloader";
import { expect, test } from "vitest";
import { z } from "zod";
import type { PlanEvent } from "../../src/events.js";
import {
  returning,
  TOOL_DESCRIPTION,
  WorkflowPlanPlugin,
} from "../../src/strands-adapter/index.js";
import {
  answer,
  Barrier,
  echo,
  functionTool,
  modelOf,
  planAgent,
  Signal,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const IMAGE = new ImageBlock({ format: "png", source: { bytes: Uint8Array.of(137, 80) } });
const longList = functionTool("long_list", () =>
  Array.from({ length: 200 }, (_, n) => ({ n, word: "x".repeat(100) })),
);
const screenshot = functionTool("screenshot", () => IMAGE);

test("a step computes with a result that was offloaded from the context", async () => {
  const agent = planAgent(
    [submit([{ id: "a", tool: "long_list" }], { output: "$count(steps.a)" }), "ok"],
    { tools: [longList], plugins: [new ContextOffloader({})] },
  );
  await agent.invoke("go");
  expect(answer(agent)).toBe("200");
});

test("an offloaded result stays as an early hook redacted it", async () => {
  const agent = planAgent(
    [submit([{ id: "a", tool: "long_list" }], { output: "steps.a[0].word" }), "ok"],
    { tools: [longList], plugins: [new ContextOffloader({})] },
  );
  agent.addHook(
    AfterToolCallEvent,
    (event) => {
      if (event.toolUse.name !== "long_list") return;
      const text = JSON.stringify(event.result.toJSON()).replaceAll("x", "*");
      event.result = ToolResultBlock.fromJSON(JSON.parse(text));
    },
    { order: HookOrder.INTERVENTION_OUTPUT },
  );
  await agent.invoke("go");
  expect(answer(agent)).toBe("*".repeat(100));
});

test("a tool that always runs in the background gives a step its result", async () => {
  const job = functionTool("job", ({ value }) => ({ done: value }), {
    value: { type: "integer" },
  });
  const agent = planAgent(
    [submit([{ id: "a", tool: "job", args: { value: 4 } }], { output: "steps.a.done" }), "ok"],
    { tools: [job], backgroundTasks: { always: ["job"] } },
  );
  await agent.invoke("go");
  expect(answer(agent)).toBe("4");
});

test("a whole plan may run in the background, and then ends no turn", async () => {
  const dispatched = new Signal();
  const job = functionTool("job", async () => {
    await dispatched.wait();
    return "in time";
  });
  const agent = planAgent(
    [
      submit([{ id: "a", tool: "job" }], {
        output: "steps.a",
        final: true,
        _background_execution: true,
      }),
      () => {
        dispatched.set();
        return "waiting";
      },
      "done",
    ],
    { tools: [job], backgroundTasks: true },
  );
  expect(String(await agent.invoke("go"))).toBe("done");
  const { messages } = modelOf(agent).requests[2] ?? {};
  expect(JSON.stringify(messages)).toContain("in time");
});

test("media goes to the next tool whole and to the model beside the text", async () => {
  const given: JSONValue[] = [];
  const describePicture = functionTool(
    "describe",
    ({ picture = null }) => {
      given.push(picture);
      return "a cat";
    },
    { picture: { type: "object" } },
  );
  const steps = [
    { id: "s", tool: "screenshot" },
    { id: "d", tool: "describe", bind: { picture: "steps.s" } },
  ];
  const agent = planAgent([submit(steps, { returns: ["s", "d"] }), "ok"], {
    tools: [screenshot, describePicture],
  });
  await agent.invoke("go");
  const image = { image: { format: "png", source: { bytes: "iVA=" } } };
  expect(given).toEqual([image]);
  const reference = '{"$media":"call_1_0__s.0","kind":"image","format":"png"}';
  expect(toolResults(agent)).toEqual([
    { status: "success", content: [{ text: `{"s":${reference},"d":"a cat"}` }, image] },
  ]);
});

test("a final plan that returns media lets the model see it", async () => {
  const agent = planAgent(
    [
      submit([{ id: "s", tool: "screenshot" }], { returns: ["s"], final: true }),
      "It shows a cat.",
    ],
    { tools: [screenshot] },
  );
  expect(String(await agent.invoke("go"))).toBe("It shows a cat.");
});

test("a document without bytes is passed on as it is", async () => {
  const page = new DocumentBlock({ name: "n", format: "txt", source: { text: "words" } });
  const fetch = functionTool("fetch", () => page);
  const steps = [
    { id: "f", tool: "fetch" },
    { id: "e", tool: "echo", bind: { value: "steps.f" } },
  ];
  const agent = planAgent([submit(steps, { returns: ["e"] }), "ok"], { tools: [fetch, echo] });
  await agent.invoke("go");
  const [told] = toolResults(agent);
  expect(told?.content.slice(1)).toEqual([page.toJSON()]);
});

test("a JSON text is read by paths and handed on as it was", async () => {
  const given: unknown[] = [];
  const fetch = returning(
    functionTool("fetch", () => '{ "id" : 7 }'),
    z.string(),
  );
  const store = functionTool(
    "store",
    ({ text, number }) => {
      given.push(text, number);
      return number;
    },
    { text: { type: "string" }, number: { type: "integer" } },
  );
  const steps = [
    { id: "f", tool: "fetch" },
    { id: "s", tool: "store", bind: { text: "steps.f", number: "steps.f.id" } },
  ];
  const agent = planAgent([submit(steps, { returns: ["s"] }), "ok"], { tools: [fetch, store] });
  await agent.invoke("go");
  expect([answer(agent), given]).toEqual(['{"s":7}', ['{ "id" : 7 }', 7]]);
});

test("one plugin serves two agents at one time", async () => {
  const barrier = new Barrier(2);
  const meet = functionTool(
    "meet",
    async ({ name }) => {
      await barrier.wait();
      return name;
    },
    { name: { type: "string" } },
  );
  const plugin = new WorkflowPlanPlugin();
  const agents = ["ann", "bob"].map((name) => {
    const step = { id: "a", tool: "meet", args: { name } };
    const plan = submit([step], { output: "steps.a", final: true });
    return planAgent([plan], { tools: [meet], plugin });
  });
  const results = await Promise.all(agents.map((agent) => agent.invoke("go")));
  expect(results.map(String)).toEqual(["ann", "bob"]);
});

test("two plans of one batch run at one time and keep apart", async () => {
  const barrier = new Barrier(2);
  const meet = functionTool(
    "meet",
    async ({ name }) => {
      await barrier.wait();
      return name;
    },
    { name: { type: "string" } },
  );
  const plans = ["ann", "bob"].map((name) =>
    submit([{ id: "a", tool: "meet", args: { name } }], { output: "steps.a" }),
  );
  const agent = planAgent([plans, "ok"], { tools: [meet] });
  await agent.invoke("go");
  expect(texts(agent)).toEqual(["ann", "bob"]);
});

test.each([false, true])("the host's values are there for expressions", async (asFunction) => {
  const plugin = new WorkflowPlanPlugin({
    input: asFunction ? (state) => ({ user: state.user }) : { user: "ann" },
  });
  const step = { id: "a", tool: "echo", bind: { value: "input.user" } };
  const agent = planAgent([submit([step], { output: "steps.a" }), "ok"], {
    tools: [echo],
    plugin,
  });
  await agent.invoke("go", { invocationState: { user: "ann" } });
  expect(answer(agent)).toBe("ann");
  const specs = modelOf(agent).requests[0]?.options.toolSpecs ?? [];
  const told = specs.find((spec) => spec.name.includes("plan"))?.description;
  expect(told?.startsWith(TOOL_DESCRIPTION)).toBe(true);
  expect(told?.includes("`input.user`")).toBe(!asFunction);
});

test("a call that the policy retries has an id of its own", async () => {
  const seen: string[] = [];
  const flaky = functionTool("flaky", () => {
    if (seen.length < 3) throw new Error("down");
    return 1;
  });
  const agent = planAgent([submit([{ id: "a", tool: "flaky" }], { returns: ["a"] }), "ok"], {
    tools: [flaky],
    plugin: new WorkflowPlanPlugin({ policy: { retry: { flaky: { attempts: 2 } } } }),
  });
  agent.addHook(BeforeToolCallEvent, (event) => void seen.push(event.toolUse.toolUseId));
  await agent.invoke("go");
  expect(answer(agent)).toBe('{"a":1}');
  expect(seen).toEqual(["call_1_0", "call_1_0__a", "call_1_0__a-try2"]);
});

test("a step over its time is told to stop and the others go on", async () => {
  const stopped = new Signal();
  const endless = new FunctionTool({
    name: "endless",
    description: "Wait for ever.",
    callback: async (_, { cancelSignal }) => {
      await new Promise((resolve) => cancelSignal.addEventListener("abort", resolve));
      stopped.set();
      return 1;
    },
  });
  const steps = [
    { id: "a", tool: "endless" },
    { id: "b", tool: "echo", args: { value: 1 } },
  ];
  const agent = planAgent([submit(steps, { returns: ["b"] }), "ok"], {
    tools: [endless, echo],
    plugin: new WorkflowPlanPlugin({ policy: { step_timeout_s: 0.05 } }),
  });
  await agent.invoke("go");
  const [first, second, third] = answer(agent).split("\n");
  expect([first, third]).toEqual(['{"b":1}', "Ran ok, kept for a corrected plan: b"]);
  expect(second).toMatch(/^a failed \(timeout\): /);
  await stopped.wait();
});

test("the host's policy and events are the run's", async () => {
  const events: PlanEvent[] = [];
  const plugin = new WorkflowPlanPlugin({
    policy: { max_items: 1 },
    maxSteps: 2,
    onEvent: (event) => events.push(event),
  });
  const step = { id: "a", tool: "echo", for_each: "[1, 2]", bind: { value: "item" } };
  const three = ["a", "b", "c"].map((id) => ({ ...step, id }));
  const agent = planAgent(
    [submit([step], { returns: ["a"] }), submit(three, { returns: ["a"] }), "ok"],
    { tools: [echo], plugin },
  );
  await agent.invoke("go");
  const [first, second] = texts(agent);
  expect(first).toContain("too_many_items");
  expect(second).toContain("too_many_steps");
  const run = `${agent.messages[1]?.trackingId}/call_1_0`;
  expect(events.map((event) => [event.run_id, event.step_id, event.kind])).toEqual([
    [run, "a", "failed"],
  ]);
});

test("what a tool returns is read the same beside a text block of its own", async () => {
  const two = functionTool("two", () => [new TextBlock("found 1"), new TextBlock("2")]);
  const agent = planAgent([submit([{ id: "a", tool: "two" }], { output: "steps.a" }), "ok"], {
    tools: [two],
  });
  await agent.invoke("go");
  expect(answer(agent)).toBe('["found 1",2]');
});

test("a function that returns an object with a result alone returns just that", async () => {
  const search = returning(
    functionTool("search", () => ({ result: [1, 2] })),
    z.object({ result: z.array(z.int()) }),
  );
  const agent = planAgent(
    [submit([{ id: "a", tool: "search" }], { output: "steps.a.result[1]" }), "ok"],
    { tools: [search] },
  );
  await agent.invoke("go");
  expect(answer(agent)).toBe("2");
});
