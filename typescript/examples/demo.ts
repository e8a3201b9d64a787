/**
 * The same three pieces of work, by the ordinary agent loop and by plans.
 *
 *     npm run demo                              a scripted model, offline
 *     npm run demo -- --live PROVIDER MODEL     bedrock, anthropic or openai
 *
 * The tools are real functions and really run; only the model is a script, which pauses before
 * each of its turns as a model would. Live, the model decides for itself.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { Agent, BeforeModelCallEvent, type Message, type Model } from "@strands-agents/sdk";
import type { PlanEvent } from "strands-plan-tool";
import { PLAN_NUDGE, TOOL_NAME, WorkflowPlanPlugin } from "strands-plan-tool/strands";
import { ScriptedModel, type Turn, toolCall } from "strands-plan-tool/testing/scripted-model";
import { liveModel, NotReadyError, PROVIDERS } from "./live-models.js";
import { LOOK_UP_S, TOOLS } from "./shop.js";

const THINKING_S = 0.4;
const BAR = 40;
const ENDS: readonly string[] = ["ok", "failed", "skipped", "not_taken"];
const SHOP =
  "You answer questions about the customers of a shop. Answer in one short sentence.";

/** A scripted model that takes its time before each turn. */
class PausingModel extends ScriptedModel {
  override async *stream(...given: Parameters<ScriptedModel["stream"]>) {
    await sleep(THINKING_S * 1000);
    yield* super.stream(...given);
  }
}

type Plan = Readonly<Record<string, unknown>> & { readonly steps: readonly object[] };

/** One request, and what the scripted model does about it either way. */
interface Work {
  readonly title: string;
  readonly request: string;
  readonly loop: readonly Turn[];
  readonly plans: readonly Plan[];
}

/** What one agent did about a request. */
interface Run {
  modelCalls: number;
  seconds: number;
  answer: string;
  readonly events: PlanEvent[];
  /** The plans that the model wrote, by the id of the call. */
  readonly plans: Map<string, Plan>;
  /** What was answered to those that were refused, by the same id. */
  readonly refusals: Map<string, string>;
}

const CHAIN_ANSWER = "Ann: A-22 comes with Otter Post, due Friday";
const CHAIN_PLAN: Plan = {
  steps: [
    { id: "who", tool: "find_customer", args: { email: "ann@example.org" } },
    { id: "orders", tool: "list_orders", bind: { customer_id: "steps.who.id" } },
    { id: "parcel", tool: "track", bind: { order_id: "steps.orders[-1].order_id" } },
  ],
  output:
    "steps.who.name & ': ' & steps.orders[-1].order_id & ' comes with '" +
    " & steps.parcel.carrier & ', due ' & steps.parcel.due",
  final: true,
};
const CHAIN_LOOP: readonly Turn[] = [
  toolCall("find_customer", { email: "ann@example.org" }),
  toolCall("list_orders", { customer_id: 7 }),
  toolCall("track", { order_id: "A-22" }),
  CHAIN_ANSWER,
];
// Three slips that models really make: a tool's name, a template among literals, a field.
const FAULTY_PLAN: Plan = {
  steps: [
    { id: "who", tool: "find_custmer", args: { email: "ann@example.org" } },
    { id: "orders", tool: "list_orders", args: { customer_id: "{{steps.who.id}}" } },
    { id: "parcel", tool: "track", bind: { order_id: "steps.orders[-1].order_id" } },
  ],
  output:
    "steps.who.name & ': ' & steps.orders[-1].order_id & ' comes with '" +
    " & steps.parcel.carier & ', due ' & steps.parcel.due",
  final: true,
};
const FAN_OUT_PLAN: Plan = {
  steps: [
    { id: "people", tool: "list_customers", args: { city: "Lyon" } },
    {
      id: "orders",
      tool: "list_orders",
      for_each: "steps.people",
      bind: { customer_id: "item.id" },
    },
  ],
  output: "$count(steps.people) & ' customers spent ' & $sum(steps.orders.total)",
  final: true,
};
const WORKS: readonly Work[] = [
  {
    title: "A chain of three",
    request: "When does Ann's latest order come? Her mail is ann@example.org.",
    loop: CHAIN_LOOP,
    plans: [CHAIN_PLAN],
  },
  {
    title: "A look-up fanned out over a list of unknown length",
    request: "How much have our customers in Lyon spent in all?",
    loop: [
      toolCall("list_customers", { city: "Lyon" }),
      [7, 8, 11, 12, 15].map((id) => toolCall("list_orders", { customer_id: id })),
      "5 customers spent 200",
    ],
    plans: [FAN_OUT_PLAN],
  },
  {
    title: "A plan that is refused, and repaired by its hints",
    request: "When does Ann's latest order come? Her mail is ann@example.org.",
    loop: CHAIN_LOOP,
    plans: [FAULTY_PLAN, CHAIN_PLAN],
  },
];

/** Give one request to a fresh agent, with or without the plan tool. */
async function runAgent(request: string, model: Model, planning: boolean): Promise<Run> {
  const run: Run = {
    modelCalls: 0,
    seconds: 0,
    answer: "",
    events: [],
    plans: new Map(),
    refusals: new Map(),
  };
  const plugin = new WorkflowPlanPlugin({ onEvent: (event) => run.events.push(event) });
  const agent = new Agent({
    model,
    tools: TOOLS,
    plugins: planning ? [plugin] : [],
    systemPrompt: planning ? `${SHOP}\n\n${PLAN_NUDGE}` : SHOP,
    printer: false,
  });
  agent.addHook(BeforeModelCallEvent, () => {
    run.modelCalls += 1;
  });
  const start = performance.now();
  run.answer = String(await agent.invoke(request)).trim();
  run.seconds = (performance.now() - start) / 1000;
  for (const message of agent.messages) note(message, run);
  return run;
}

/** Take down the plans in a message, and what was answered to those that were refused. */
function note({ content }: Message, { plans, refusals }: Run): void {
  for (const block of content) {
    if (block.type === "toolUseBlock" && block.name === TOOL_NAME) {
      plans.set(block.toolUseId, block.input as unknown as Plan);
    }
    if (block.type === "toolResultBlock" && block.status === "error") {
      if (!plans.has(block.toolUseId)) continue;
      const texts = block.content.flatMap((part) =>
        part.type === "textBlock" ? [part.text] : [],
      );
      refusals.set(block.toolUseId, texts.join("\n"));
    }
  }
}

/** One line for each step and each of its items: its end, and a bar from start to end. */
function printLedger(events: readonly PlanEvent[]): void {
  const last = Math.max(...events.map((event) => event.at_ms)) || 1;
  const head = `${"step".padEnd(10)}${"tool".padEnd(16)}${"status".padEnd(10)}`;
  console.log(`    ${head}${"ms".padStart(4)}  timeline`);
  for (const end of events.filter((event) => ENDS.includes(event.kind))) {
    const starts = events.filter(
      (event) =>
        event.kind === "start" &&
        event.step_id === end.step_id &&
        (end.index === null || end.index === event.index),
    );
    const first = Math.min(end.at_ms, ...starts.map((event) => event.at_ms));
    const left = Math.round((first / last) * BAR);
    const right = Math.round((end.at_ms / last) * BAR);
    const bar = " ".repeat(left) + "#".repeat(Math.max(right - left, 1));
    const name = end.index === null ? end.step_id : `  item ${end.index}`;
    const tool = end.index === null ? end.tool : "";
    const took = String(Math.round(end.at_ms - first)).padStart(4);
    const columns = `${name.padEnd(10)}${tool.padEnd(16)}${end.kind.padEnd(10)}${took}`;
    console.log(`    ${columns}  |${bar.padEnd(BAR)}|`);
  }
}

/** A plan as JSON, one step a line. */
function printPlan({ steps, ...rest }: Plan): void {
  const lines = steps.map((step) => JSON.stringify(step)).join(",\n        ");
  console.log(`    {"steps": [\n        ${lines}],\n     ${JSON.stringify(rest).slice(1)}\n`);
}

function printRun(name: string, run: Run): void {
  const calls = `${run.modelCalls} model call${run.modelCalls === 1 ? "" : "s"}`;
  console.log(`  ${name}: ${calls}, ${run.seconds.toFixed(2)} s`);
  for (const [call, plan] of run.plans) {
    printPlan(plan);
    const refusal = run.refusals.get(call);
    if (refusal !== undefined) console.log(`${refusal.replaceAll(/^/gm, "    ")}\n`);
  }
  if (run.events.length > 0) printLedger(run.events);
  console.log(`    answer: ${run.answer}`);
}

/** Do all the work both ways and tell of it. */
async function demo(modelFor: (work: Work, planning: boolean) => Model): Promise<void> {
  const lines: string[] = [];
  for (const [place, work] of WORKS.entries()) {
    console.log(`\n${place + 1}. ${work.title}\n  request: ${work.request}\n`);
    const loop = await runAgent(work.request, modelFor(work, false), false);
    printRun("ordinary loop", loop);
    const plan = await runAgent(work.request, modelFor(work, true), true);
    printRun("with a plan", plan);
    lines.push(
      `  ${loop.modelCalls} against ${plan.modelCalls}, ` +
        `${loop.seconds.toFixed(2)} s against ${plan.seconds.toFixed(2)} s   ${work.title}`,
    );
  }
  console.log("\nModel calls and seconds, the loop against the plan:");
  console.log(lines.join("\n"));
}

function scripted(work: Work, planning: boolean): Model {
  const plans = work.plans.map((plan) => toolCall(TOOL_NAME, plan));
  return new PausingModel(...(planning ? plans : work.loop));
}

const [flag, provider, modelId] = process.argv.slice(2);
if (flag === undefined) {
  console.log(`The model is a script that pauses ${THINKING_S} s before each of its turns.`);
  console.log(`The tools are functions that really run; each takes ${LOOK_UP_S} s.`);
  await demo(scripted);
} else if (flag === "--live" && provider !== undefined && modelId !== undefined) {
  try {
    const model = await liveModel(provider, modelId);
    await demo(() => model);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
} else {
  console.error(`npm run demo [-- --live ${PROVIDERS.join("|")} MODEL]`);
  process.exitCode = 2;
}
