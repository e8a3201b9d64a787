/** Cancelling an agent, or no longer listening to it, stops the steps that are in flight. */

import { AfterToolCallEvent, type Agent, FunctionTool } from "@strands-agents/sdk";
import { describe, expect, test } from "vitest";
import { WorkflowPlanPlugin } from "../../src/strands-adapter/index.js";
import { toolCall } from "../../src/testing/scripted-model.js";
import {
  functionTool,
  modelOf,
  planAgent,
  Signal,
  type Step,
  soon,
  submit,
  texts,
  toolResults,
} from "./plan-agents.js";

const STEPS: readonly Step[] = [
  { id: "a", tool: "quick" },
  { id: "b", tool: "slow", after: ["a"] },
  { id: "c", tool: "quick", after: ["b"] },
];
const STORED = { steps: STEPS, returns: ["c"] };
const TOLD = [
  {
    status: "error",
    content: [{ text: "The plan was cancelled. Ran ok, do not repeat: a" }],
  },
];

const quick = functionTool("quick", () => 1);

/** A tool that waits until it is told to stop, and remembers that it was. */
class Slow {
  readonly begun = new Signal();
  readonly stopped = new Signal();
  readonly tool = new FunctionTool({
    name: "slow",
    description: "Wait for ever.",
    callback: (_, context) => this.run(context.cancelSignal),
  });

  private async *run(signal: AbortSignal): AsyncGenerator<string, number, undefined> {
    yield "begun";
    this.begun.set();
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    this.stopped.set();
    return 1;
  }
}

describe("cancelling the agent", () => {
  test("stops a tool that looks at its signal, and tells what had ended", async () => {
    const slow = new Slow();
    const agent = planAgent([submit(STEPS, { returns: ["c"] }), "never said"], {
      tools: [slow.tool, quick],
    });
    const turn = agent.invoke("go");
    await slow.begun.wait();
    agent.cancel();
    const result = await soon(turn);
    expect([result.stopReason, modelOf(agent).calls]).toEqual(["cancelled", 1]);
    await slow.stopped.wait();
    expect(toolResults(agent)).toEqual(TOLD);
  });

  test("by a signal from outside does so too", async () => {
    const slow = new Slow();
    const agent = planAgent([submit(STEPS, { returns: ["c"] }), "never said"], {
      tools: [slow.tool, quick],
    });
    const controller = new AbortController();
    const turn = agent.invoke("go", { cancelSignal: controller.signal });
    await slow.begun.wait();
    controller.abort();
    expect((await soon(turn)).stopReason).toBe("cancelled");
    await slow.stopped.wait();
  });

  test("leaves a tool behind that does not look, and no hook hears of it later", async () => {
    const begun = new Signal();
    const release = new Signal();
    const heard: string[] = [];
    const block = functionTool("block", async () => {
      begun.set();
      await release.wait();
      return 1;
    });
    const agent = planAgent(
      [submit([{ id: "a", tool: "block" }], { returns: ["a"] }), "never said"],
      { tools: [block] },
    );
    agent.addHook(AfterToolCallEvent, (event) => void heard.push(event.toolUse.name));
    const turn = agent.invoke("go");
    await begun.wait();
    agent.cancel();
    expect((await soon(turn)).stopReason).toBe("cancelled");
    release.set();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(texts(agent)).toEqual(["The plan was cancelled. No step had ended."]);
    expect(heard).toEqual(["submit_workflow_plan"]);
  });

  test("lets no further step begin", async () => {
    const ran: number[] = [];
    const stop = new FunctionTool({
      name: "stop",
      description: "Cancel the agent and return.",
      callback: (_, context) => {
        (context.agent as Agent).cancel();
        return 1;
      },
    });
    const act = functionTool("act", () => ran.push(1));
    const steps = [
      { id: "s", tool: "stop" },
      { id: "a", tool: "act", after: ["s"] },
    ];
    const agent = planAgent([submit(steps, { returns: ["a"] }), "never said"], {
      tools: [stop, act],
    });
    const result = await soon(agent.invoke("go"));
    expect([result.stopReason, ran]).toEqual(["cancelled", []]);
  });
});

test("a listener that leaves stops the steps", async () => {
  const slow = new Slow();
  const agent = planAgent([submit(STEPS, { returns: ["c"] }), "never said"], {
    tools: [slow.tool, quick],
  });
  for await (const event of agent.stream("go")) {
    if (event.type === "toolStreamUpdateEvent") break;
  }
  await slow.stopped.wait();
  expect(agent.isInvoking).toBe(false);
});

describe("a plan run by hand", () => {
  test("is cancelled by the caller's signal", async () => {
    const slow = new Slow();
    const plugin = new WorkflowPlanPlugin();
    const agent = planAgent([], { tools: [slow.tool, quick], plugin });
    const controller = new AbortController();
    const run = plugin.runPlan(STORED as never, { agent, signal: controller.signal });
    await slow.begun.wait();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(run).rejects.toBe(reason);
    await slow.stopped.wait();
    await expect(
      plugin.runPlan(STORED as never, { agent, signal: controller.signal }),
    ).rejects.toBe(reason);
  });

  test("inside a tool is cancelled with its agent, and leaves an error result", async () => {
    const slow = new Slow();
    const plugin = new WorkflowPlanPlugin();
    const stored = new FunctionTool({
      name: "stored",
      description: "Run a stored plan.",
      callback: async (_, context) => {
        const result = await plugin.runPlan(STORED as never, { agent: context.agent });
        return result.returned;
      },
    });
    const agent = planAgent([toolCall("stored"), "never said", "later"], {
      tools: [slow.tool, quick, stored],
      plugin,
    });
    const turn = agent.invoke("go");
    await slow.begun.wait();
    agent.cancel();
    expect((await soon(turn)).stopReason).toBe("cancelled");
    const [told] = toolResults(agent);
    expect(told?.status).toBe("error");
    expect(texts(agent)[0]).toContain("the agent was cancelled");
    const plan = { steps: STEPS.slice(0, 1), returns: ["a"] };
    expect((await plugin.runPlan(plan as never)).returned).toEqual({ a: 1 });
  });
});
