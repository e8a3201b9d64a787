/** Every way in which Strands asks a person, or refuses a call, as a step of a plan meets it. */

import {
  Agent,
  BeforeToolCallEvent,
  ExecuteToolStage,
  FunctionTool,
  InterventionActions,
  InterventionHandler,
} from "@strands-agents/sdk";
import { HumanInTheLoop } from "@strands-agents/sdk/vended-interventions/hitl";
import { describe, expect, test } from "vitest";
import { TOOL_NAME, WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { ScriptedModel, toolCall } from "../../src/testing/scripted-model.js";
import { asked, gate, Ran, replies, stateOf } from "./pause-agents.js";
import { answer, planAgent, type Step, submit, texts } from "./plan-agents.js";

const READ: Step = { id: "r", tool: "read", args: { value: 1 } };
const PAY: Step = { id: "p", tool: "pay", args: { value: 5 } };
const OTHER: Step = { id: "q", tool: "pay", args: { value: 6 } };
const AFTER: Step = { id: "a", tool: "read", bind: { value: "steps.p.paid" } };

describe("a denied step", () => {
  test("fails with the reason and is not asked about again", async () => {
    const ran = new Ran();
    const plan = submit([READ, PAY, AFTER], { returns: ["r", "a"], on_error: "continue" });
    const agent = planAgent([plan, "I see."], {
      tools: ran.tools,
      plugin: new WorkflowPlanPlugin({ policy: { retry: { pay: { attempts: 5 } } } }),
    });
    gate(agent, "pay");
    const waits = await agent.invoke("go");
    const result = await agent.invoke(replies(waits, { p: "not before Monday" }));
    expect(result.stopReason).toBe("endTurn");
    expect(answer(agent).split("\n")).toEqual([
      '{"r":{"value":1}}',
      "p failed (tool_failed): not before Monday",
      "a skipped",
      "Ran ok, kept for a corrected plan: r",
    ]);
    expect(ran.calls).toEqual({ "read 1": 1 });
  });

  test("by an intervention is not tried again", async () => {
    const seen: string[] = [];
    class Gate extends InterventionHandler {
      readonly name = "gate";

      override beforeToolCall(event: BeforeToolCallEvent) {
        const { name } = event.toolUse;
        seen.push(name);
        return name === "pay" ? InterventionActions.deny("no") : InterventionActions.proceed();
      }
    }
    const ran = new Ran();
    const agent = planAgent([submit([PAY], { returns: ["p"] }), "I see."], {
      tools: ran.tools,
      interventions: [new Gate()],
      plugin: new WorkflowPlanPlugin({ policy: { retry: { pay: { attempts: 3 } } } }),
    });
    await agent.invoke("go");
    expect([seen, ran.calls]).toEqual([[TOOL_NAME, "pay"], {}]);
  });
});

describe("an approval may be asked for", () => {
  test("by a tool in the middle of its work", async () => {
    const act = new FunctionTool({
      name: "act",
      description: "Act as it is told.",
      inputSchema: { type: "object", properties: { what: { type: "string" } } },
      callback: (_, context) => {
        const first = context.interrupt<string>({ name: "first" });
        return `${first} ${context.interrupt<string>({ name: "second" })}`;
      },
    });
    const steps = ["x", "y"].map((id) => ({ id, tool: "act", args: { what: id } }));
    const agent = planAgent([submit(steps, { returns: ["x", "y"] }), "done"], { tools: [act] });
    const waits = await agent.invoke("go");
    expect(asked(waits)).toEqual(["x", "y"]);
    const again = await agent.invoke(replies(waits, { x: "one", y: "uno" }));
    expect(again.interrupts?.map(({ name }) => name)).toEqual(["second", "second"]);
    await agent.invoke(replies(again, { x: "two", y: "due" }));
    expect(answer(agent)).toBe('{"x":"one two","y":"uno due"}');
  });

  test("by a human in the loop, who lets plans pass where they are allowed", async () => {
    const ran = new Ran();
    const agent = planAgent([submit([READ, PAY], { returns: ["r", "p"] }), "done"], {
      tools: ran.tools,
      interventions: [new HumanInTheLoop({ allowedTools: [TOOL_NAME, "read"] })],
    });
    const waits = await agent.invoke("go");
    expect([asked(waits), ran.calls]).toEqual([["p"], { "read 1": 1 }]);
    await agent.invoke(replies(waits, { p: "y" }));
    expect([ran.calls, stateOf(agent)]).toEqual([{ "read 1": 1, "pay 5": 1 }, undefined]);
  });

  test("by a human in the loop for the plan too, unless told not to", async () => {
    const ran = new Ran();
    const agent = planAgent([submit([READ, PAY], { returns: ["r", "p"] }), "done"], {
      tools: ran.tools,
      interventions: [new HumanInTheLoop()],
    });
    const first = await agent.invoke("go");
    expect([asked(first), ran.calls]).toEqual([["plan"], {}]);
    const second = await agent.invoke(replies(first, { plan: "y" }));
    expect([asked(second), ran.calls]).toEqual([["r", "p"], {}]);
    const result = await agent.invoke(replies(second, { r: "y", p: "n" }));
    expect([result.stopReason, ran.calls]).toEqual(["endTurn", { "read 1": 1 }]);
    expect(texts(agent)[0]).toContain(
      'p failed (tool_failed): CONFIRMATION_FAILED: Approve "pay"?',
    );
  });

  test("by a middleware, also beside another call that waits", async () => {
    const ran = new Ran();
    const calls = [submit([PAY, AFTER], { returns: ["a"] }), toolCall("read", { value: 3 })];
    const agent = planAgent([calls, "done"], { tools: ran.tools });
    agent.addMiddleware(ExecuteToolStage.Input, (context) => {
      if (context.toolUse.name === "pay") context.interrupt({ name: "sure" });
      return Promise.resolve(context);
    });
    agent.addHook(BeforeToolCallEvent, (event) => {
      const { value } = event.toolUse.input as { readonly value?: number };
      if (value === 3) event.interrupt({ name: "approval" });
    });
    const waits = await agent.invoke("go");
    expect([asked(waits).toSorted(), ran.calls]).toEqual([["p", "plan"], {}]);
    await agent.invoke(replies(waits, { p: "go on", plan: "yes" }));
    expect(ran.calls).toEqual({ "pay 5": 1, "read 5": 1, "read 3": 1 });
  });

  test("by a middleware, in two plans of one turn", async () => {
    const ran = new Ran();
    const plans = [submit([PAY], { returns: ["p"] }), submit([OTHER], { returns: ["q"] })];
    const agent = planAgent([plans, "done"], { tools: ran.tools });
    agent.addMiddleware(ExecuteToolStage.Input, (context) => {
      if (context.toolUse.name === "pay") context.interrupt({ name: "sure" });
      return Promise.resolve(context);
    });
    const waits = await agent.invoke("go");
    expect(asked(waits).toSorted()).toEqual(["p", "q"]);
    await agent.invoke(replies(waits, { p: "go on", q: "go on" }));
    expect(ran.calls).toEqual({ "pay 5": 1, "pay 6": 1 });
  });

  test("by two gates of one call at a time", async () => {
    const ran = new Ran();
    const agent = planAgent([submit([PAY], { returns: ["p"] }), "done"], { tools: ran.tools });
    for (const name of ["first", "second"]) {
      agent.addHook(BeforeToolCallEvent, (event) => {
        if (event.toolUse.name === "pay") event.interrupt({ name });
      });
    }
    const waits = await agent.invoke("go");
    expect(waits.interrupts?.map(({ name }) => name)).toEqual(["first", "second"]);
    await agent.invoke(replies(waits, { p: "yes" }));
    expect(ran.calls).toEqual({ "pay 5": 1 });
  });

  test("not by the tool of an agent that is a tool, which tells so in words", async () => {
    const ran = new Ran();
    const helper = new Agent({
      model: new ScriptedModel(toolCall("pay", { value: 7 })),
      tools: ran.tools,
      name: "helper",
      description: "Helps.",
      printer: false,
    });
    gate(helper, "pay");
    const step = { id: "h", tool: "helper", args: { input: "pay" } };
    const agent = planAgent([submit([step], { output: "steps.h" }), "done"], {
      tools: [helper.asTool()],
    });
    // What the SDK does with such a tool without a plan as well.
    expect((await agent.invoke("go")).stopReason).toBe("endTurn");
    expect([answer(agent).includes("approval"), ran.calls]).toEqual([true, {}]);
  });
});
