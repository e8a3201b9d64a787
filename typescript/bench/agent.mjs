/**
 * Eight independent tools of 250 ms in a real agent: in one plan, and as the plain loop's calls.
 *
 *     npm run build && node bench/agent.mjs
 *
 * Ends with 1 if a plan takes longer than its target. The tools only wait, so what is over
 * 0.25 s is the agent's work and ours.
 */

import { argv, exit, version } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, FunctionTool } from "@strands-agents/sdk";
import { WorkflowPlanPlugin } from "../dist/strands-adapter/index.js";
import { ScriptedModel, toolCall } from "../dist/testing/scripted-model.js";

const ROUNDS = argv.includes("--quick") ? 3 : 9;
const TOOLS = 8;
const TAKES_MS = 250;
const MOST_S = 0.4;

const wait = new FunctionTool({
  name: "wait",
  description: "Wait.",
  callback: async () => {
    await sleep(TAKES_MS);
    return 1;
  },
});
const noop = new FunctionTool({ name: "noop", description: "Do nothing.", callback: () => 1 });

/** Seconds that an agent with this script takes for one request. */
async function seconds(turns, plugins) {
  const model = new ScriptedModel(...turns);
  const agent = new Agent({ model, tools: [wait, noop], plugins, printer: false });
  await agent.initialize();
  const start = performance.now();
  await agent.invoke("go");
  return (performance.now() - start) / 1000;
}

function plan(tool, count) {
  const steps = Array.from({ length: count }, (_, at) => ({ id: `s${at}`, tool }));
  const output = `$sum([${steps.map(({ id }) => `steps.${id}`).join(", ")}])`;
  return toolCall("submit_workflow_plan", { steps, output, final: true });
}

async function times(turns, plugins = () => []) {
  const found = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    found.push(await seconds(turns, plugins()));
  }
  return found.sort((one, other) => one - other);
}

function told(found) {
  const three = [found[0], found[Math.floor(found.length / 2)], found.at(-1)];
  return three.map((each) => each.toFixed(3)).join(" / ");
}

const withPlans = () => [new WorkflowPlanPlugin({ policy: { max_steps: 200 } })];
const loop = await times([Array.from({ length: TOOLS }, () => toolCall("wait")), "done"]);
const planned = await times([plan("wait", TOOLS)], withPlans);
const empty = await times([plan("noop", 1)], withPlans);
const many = await times([plan("noop", 101)], withPlans);
const median = planned[Math.floor(ROUNDS / 2)];
const each = ((many[0] - empty[0]) / 100) * 1000;

console.log(`Node ${version}; least / median / most of ${ROUNDS}, in seconds`);
console.log(`  ${TOOLS} tools of ${TAKES_MS} ms in one plan, to the answer  ${told(planned)}`);
console.log(`  the same by the plain loop, in one turn        ${told(loop)}`);
console.log(`  a plan of one step that takes no time          ${told(empty)}`);
console.log(`  each further such step                         ${each.toFixed(2)} ms`);
if (median > MOST_S) {
  console.log(`A plan takes ${median.toFixed(3)} s, and may take ${MOST_S} s.`);
  exit(1);
}
